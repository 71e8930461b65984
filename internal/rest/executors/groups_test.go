package executors_test

import (
	"net/http"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const figures = `{"namespace":"default","key":"g","title":"Reports","version":4,"created_at":"2030-01-31T08:00:00.000Z",` +
		`"executors":4,"alive":5,"draining":6,"jobs":1,"running":3,"waiting":2}`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /groups", "", 200, "find groups  after= limit=100 sight={All:true Places:[]}", `{"groups":[` + figures + `]}`},
		{"GET /groups?after=a&limit=1", "", 200, "find groups  after=a limit=1 sight={All:true Places:[]}", `{"groups":[` + figures + `],"next":"g"}`},
		{"GET /groups/g", "", 200, "group /g", figures},
		{
			"POST /groups", `{"key":"new","title":"New","labels":{"owner":"data"}}`, 201, `create group default/new "New"`,
			`{"namespace":"default","key":"new","title":"New","labels":{"owner":"data"},"version":0,"created_at":"2030-01-31T08:00:00.000Z","executors":0,"alive":0,"draining":0,"jobs":0,"running":0,"waiting":0}`,
		},
		{"PATCH /groups/g", `{"title":"Other","own_token_only":true}`, 200, "g takes only its own: true is called \"Other\"\ngroup /g", `{"namespace":"default","group":"g","own_token_only":true,"version":4}`},
		{"PATCH /groups/g", `{"title":"Other"}`, 200, "g is called \"Other\"\ngroup /g", `{"namespace":"default","group":"g","own_token_only":false,"version":4}`},
		{"PATCH /groups/g", `{"labels":{},"version":3}`, 200, "g has map[] from 3\ngroup /g", `{"namespace":"default","group":"g","own_token_only":false,"version":4}`},
		{"PATCH /groups/g", `{"namespace":"team"}`, 200, "g moves to team\ngroup team/g", `{"namespace":"default","group":"g","own_token_only":false,"version":4}`},
		{"GET /groups?namespace=team", "", 200, "find groups team after= limit=100 sight={All:true Places:[]}", `{"groups":[` + figures + `]}`},
		{"GET /groups/g?namespace=team", "", 200, "group team/g", figures},
		{"DELETE /groups/g?namespace=team", "", 204, "delete group team/g", ""},
		{"DELETE /groups/g", "", 204, "delete group /g", ""},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
	response, text := resttest.Send(t, server, http.MethodPatch, "/api/v1/groups/g", `{}`)
	if p := resttest.WantProblem(t, response, text); p.Code != job.Invalid {
		t.Errorf("a change of nothing: got %+v", p)
	}
}

func TestGroupRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const rules = `{"rules":[{"from":"http://a","to":"http://b:{port}"}]}`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"POST /groups/My.Group/addresses", `{"address":"http://10.0.0.5:9999"}`, 201, `add http://10.0.0.5:9999 to My.Group as ""`,
			`{"namespace":"team","group":"My.Group","address":"http://10.0.0.5:9999","manual":true,"registered_at":"2030-01-31T08:00:00.000Z",` +
				`"seen_at":"2030-01-31T08:00:00.000Z","unreachable":"connection refused"}`,
		},
		{
			"POST /groups/My.Group/addresses", `{"address":"http://h","dialect":"xxl-job-3.5"}`, 201, `add http://h to My.Group as "xxl-job-3.5"`,
			`{"namespace":"team","group":"My.Group","address":"http://h","manual":true,"registered_at":"2030-01-31T08:00:00.000Z",` +
				`"seen_at":"2030-01-31T08:00:00.000Z","dialect":"xxl-job-3.5","unreachable":"connection refused"}`,
		},
		{
			"PUT /groups/g/addresses/dialect?address=http%3A%2F%2Fh%2F", `{"dialect":"orth-java"}`, 200, `speak to http://h/ of g as "orth-java"`,
			`{"namespace":"default","group":"g","address":"http://h/","registered_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z",` +
				`"dialect":"orth-java","dialect_by":"set"}`,
		},
		{
			"PUT /groups/g/addresses/dialect?address=http%3A%2F%2Fh%2F", `{"dialect":"auto"}`, 200, `speak to http://h/ of g as ""`,
			`{"namespace":"default","group":"g","address":"http://h/","registered_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z","dialect_by":"set"}`,
		},
		{"DELETE /groups/g/addresses?address=http%3A%2F%2F10.0.0.5%3A9999", "", 204, "remove http://10.0.0.5:9999 from g", ""},
		{
			"GET /groups/g/handlers", "", 200, "handlers of g",
			`{"executors":3,"silent":1,"handlers":[{"kind":"shell","executors":2},{"kind":"named","name":"report","executors":1}]}`,
		},
		{"GET /groups/g/rewrites", "", 200, "rewrites of g", rules},
		{"PUT /groups/g/rewrites", rules, 200, "rewrites of g become [{From:http://a To:http://b:{port}}]", rules},
		{"PUT /groups/g/rewrites", `{"rules":[]}`, 200, "rewrites of g become []", `{"rules":[]}`},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What is missing is refused before anybody is asked.
func TestGroupRoutesRefuse(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range [][2]string{
		{"POST", `{}`}, {"POST", `{"address":7}`}, {"POST", `[]`},
	} {
		response, body := resttest.Send(t, server, c[0], "/api/v1/groups/g/addresses", c[1])
		if response.StatusCode != http.StatusUnprocessableEntity || f.Called() != "" {
			t.Errorf("%s %s: %d %s", c[0], c[1], response.StatusCode, body)
		}
	}
	if response, body := resttest.Send(t, server, http.MethodDelete, "/api/v1/groups/g/addresses", ""); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("remove without an address: %d %s", response.StatusCode, body)
	}
}
