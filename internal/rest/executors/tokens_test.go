package executors_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

func TestTokenRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"POST /groups/My.Group/tokens", `{"label":"new"}`, 201, `add a token "new" to My.Group`,
			`{"id":"1152921504606846976","label":"new","created_at":"2030-01-31T08:00:00.000Z","outbound":false,"executors":0,"token":"orthg_shown-once"}`,
		},
		{
			"POST /groups/g/tokens", `{}`, 201, `add a token "" to g`,
			`{"id":"1152921504606846976","created_at":"2030-01-31T08:00:00.000Z","outbound":false,"executors":0,"token":"orthg_shown-once"}`,
		},
		{
			"GET /groups/g/tokens", "", 200, "tokens of g", `{"group":"g","own_token_only":true,"tokens":[` +
				`{"id":"1","label":"old","created_at":"2030-01-31T08:00:00.000Z","last_used_at":"2030-01-31T08:00:00.000Z","outbound":true,"executors":3},` +
				`{"id":"2","created_at":"2030-01-31T08:00:00.000Z","outbound":false,"executors":0}]}`,
		},
		{
			"POST /groups/g/tokens", `{"token":"theirs-already"}`, 201, `add "theirs-already" to g`,
			`{"id":"7","created_at":"2030-01-31T08:00:00.000Z","outbound":true,"executors":0}`,
		},
		{"DELETE /groups/g/tokens/1152921504606846976", "", 204, "remove token 1152921504606846976 of g, forced: false", ""},
		{"DELETE /groups/g/tokens/7?force=true", "", 204, "remove token 7 of g, forced: true", ""},
		{"GET /warnings", "", 200, "", `{"warnings":["mind the gap"]}`},
		{"PATCH /groups/g", `{"own_token_only":true}`, 200, "g takes only its own: true\ngroup /g", `{"namespace":"default","group":"g","own_token_only":true,"version":4}`},
		{"PATCH /groups/g", `{"own_token_only":false}`, 200, "g takes only its own: false\ngroup /g", `{"namespace":"default","group":"g","own_token_only":false,"version":4}`},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What is missing or odd is refused before anybody is asked.
func TestTokenRoutesRefuse(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range [][3]string{
		{http.MethodPatch, "", `{}`},
		{http.MethodPatch, "", `{"own_token_only":null}`},
		{http.MethodPatch, "", `{"own_token_only":"yes"}`},
		{http.MethodPost, "/tokens", `{"label":7}`},
		{http.MethodPost, "/tokens", `{"label":"` + strings.Repeat("x", 101) + `"}`},
		{http.MethodDelete, "/tokens/x", ""},
		{http.MethodDelete, "/tokens/0", ""},
	} {
		response, body := resttest.Send(t, server, c[0], "/api/v1/groups/g"+c[1], c[2])
		if response.StatusCode != http.StatusUnprocessableEntity || f.Called() != "" {
			t.Errorf("%s %s %s: %d %s", c[0], c[1], c[2], response.StatusCode, body)
		}
	}
	response, body := resttest.Send(t, server, http.MethodDelete, "/api/v1/groups/g/tokens/9999999999999999999", "")
	if response.StatusCode != http.StatusNotFound || f.Called() != "" {
		t.Errorf("an id that is too large: %d %s", response.StatusCode, body)
	}
}
