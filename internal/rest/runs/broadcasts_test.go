package runs_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

func TestBroadcasts(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		method, path string
		status       int
		called       string
		body         []string
	}{
		{
			http.MethodGet, "/api/v1/runs/71/shards", http.StatusOK, "shards 71",
			[]string{`"shards":[{`, `"cause":"shard","cause_id":"71"`, `"shard":{"index":2,"total":8}`, `"address":"http://10.0.0.1:9999"`},
		},
		{http.MethodPost, "/api/v1/runs/71/shards/retry", http.StatusCreated, "run 71\nretry the shards of 71", []string{`"cause":"retry","cause_id":"71"`}},
		{http.MethodGet, "/api/v1/runs?shards=true", http.StatusOK, "find runs / job= states=[] cause= created=any planned=any ended=any shards=true before=0 limit=100 sight={All:true Places:[]}", nil},
		{http.MethodGet, "/api/v1/runs/0/shards", http.StatusUnprocessableEntity, "", nil},
		{http.MethodPost, "/api/v1/runs/9999999999999999999/shards/retry", http.StatusUnprocessableEntity, "", []string{"larger than any id"}},
	} {
		response, body := resttest.Send(t, server, c.method, c.path, "")
		if response.StatusCode != c.status || f.Called() != c.called {
			t.Errorf("%s %s: %d %s", c.method, c.path, response.StatusCode, body)
		}
		for _, part := range c.body {
			if !strings.Contains(body, part) {
				t.Errorf("%s %s: %s has no %s", c.method, c.path, body, part)
			}
		}
	}
}

// A run that is shown alone says how far its shards are; one without has none.
func TestRunWithShards(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/71", "")
	if strings.Contains(body, `"shards"`) { // it has not been sent
		t.Errorf("a run without tries has shards: %s", body)
	}
	f.Tries = 1
	if _, body = resttest.Send(t, server, http.MethodGet, "/api/v1/runs/71", ""); !strings.Contains(body, `"shards":{"total":8,"count":3,"open":1,"failed":1,"cancel":"wrong day"}`) {
		t.Errorf("the run: %s", body)
	}
}
