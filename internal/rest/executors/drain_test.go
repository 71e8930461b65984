package executors_test

import (
	"net/http"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

func TestDrainRoute(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	resttest.WantRoute(t, f, server, "PUT /groups/g/addresses/drain?address=pull%3A%2F%2Fg%2F1", `{"on":true}`, 200,
		"drain pull://g/1 of g: true", `{"group":"g","address":"pull://g/1","draining":true}`)
	resttest.WantRoute(t, f, server, "PUT /groups/g/addresses/drain?address=http%3A%2F%2Fh%2F", `{"on":false}`, 200,
		"drain http://h/ of g: false", `{"group":"g","address":"http://h/","draining":false}`)
	for path, status := range map[string]int{
		"/groups/g/addresses/drain": http.StatusUnprocessableEntity, "/groups/old/addresses/drain?address=a": http.StatusBadGateway,
	} {
		response, body := resttest.Send(t, server, http.MethodPut, "/api/v1"+path, `{"on":true}`)
		if response.StatusCode != status || f.Called() != "" {
			t.Errorf("%s: %d %s; want %d", path, response.StatusCode, body, status)
		}
	}
	if response, body := resttest.Send(t, server, http.MethodPut, "/api/v1/groups/g/addresses/drain?address=a", `{}`); response.StatusCode != http.StatusUnprocessableEntity || f.Called() != "" {
		t.Errorf("without a wish: %d %s", response.StatusCode, body)
	}
}
