package rest_test

import (
	"net/http"
	"testing"

	"github.com/orthd/orth/job"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
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
		wantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
	response, text := send(t, server, http.MethodPatch, "/api/v1/groups/g", `{}`)
	if p := wantProblem(t, response, text); p.Code != job.Invalid {
		t.Errorf("a change of nothing: got %+v", p)
	}
}
