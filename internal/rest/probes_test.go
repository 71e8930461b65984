package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// fetch asks for a page with a token, or with none.
func fetch(t *testing.T, server *httptest.Server, method, path, token string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return resttest.Do(t, server, r)
}

// TestReadiness: a stranger hears whether, and whoever shows a token why.
func TestReadiness(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var reasons []api.Unready
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) {
		c.Unready = func() []api.Unready {
			mu.Lock()
			defer mu.Unlock()
			return reasons
		}
	})
	for _, step := range []struct {
		reasons []api.Unready
		token   string
		status  int
		text    string
	}{
		{nil, "", 200, "ok\n"},
		{nil, resttest.Token, 200, "{\"ready\":true,\"reasons\":[]}\n"},
		{[]api.Unready{{Code: "planner", Detail: "it sleeps"}}, "", 503, "not ready\n"},
		{[]api.Unready{{Code: "planner", Detail: "it sleeps"}}, resttest.Token, 503, `{"ready":false,"reasons":[{"code":"planner","detail":"it sleeps"}]}` + "\n"},
	} {
		mu.Lock()
		reasons = step.reasons
		mu.Unlock()
		response, text := fetch(t, server, http.MethodGet, rest.ReadyPath, step.token)
		if response.StatusCode != step.status || text != step.text || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v: %d %q", step, response.StatusCode, text)
		}
	}
	if response, text := fetch(t, server, http.MethodGet, rest.ReadyPath, "wrong"); response.StatusCode != http.StatusUnauthorized || strings.Contains(text, "sleeps") {
		t.Errorf("with a wrong token: %d %s", response.StatusCode, text)
	}
	if response, _ := fetch(t, server, http.MethodPost, rest.ReadyPath, ""); response.StatusCode == http.StatusOK {
		t.Error("it can be posted to")
	}
}

// TestMetricsAreNotOpen: figures are for those that may see the whole server.
func TestMetricsAreNotOpen(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures") })
	holder := func(role access.Role, namespace string) access.Principal {
		return access.Principal{Kind: access.Person, ID: 3, Name: "mia", Grants: []access.Grant{{Role: role, Namespace: namespace, Group: "*"}}}
	}
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) {
		c.Metrics = page
		c.Callers = resttest.Tokens{"viewer": holder(access.Viewer, "*"), "local": holder(access.Owner, "default")}
	})
	for who, want := range map[string]int{"": 401, "wrong": 401, "local": 403, "viewer": 200, resttest.Token: 200} {
		response, text := fetch(t, server, http.MethodGet, rest.MetricsPath, who)
		if response.StatusCode != want || strings.Contains(text, "figures") != (want == http.StatusOK) {
			t.Errorf("%q gets %d %s", who, response.StatusCode, text)
		}
	}
	without := resttest.Serve(t, &resttest.Fake{}, nil)
	if response, _ := fetch(t, without, http.MethodGet, rest.MetricsPath, resttest.Token); response.StatusCode != http.StatusNotFound {
		t.Errorf("without figures: %d", response.StatusCode)
	}
}

// TestRequestsAreMeasured: each request is told once, by its operation and not by its
// path.
func TestRequestsAreMeasured(t *testing.T) {
	t.Parallel()
	type request struct {
		operation string
		status    int
	}
	told := make(chan request, 16)
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) {
		c.Hooks.Served = func(operation string, status int, took time.Duration) {
			if took < 0 {
				t.Errorf("%s took %v", operation, took)
			}
			told <- request{operation, status}
		}
	})
	for _, step := range []struct {
		path, token string
		want        request
	}{
		{"/api/v1/version", resttest.Token, request{"get-version", 200}},
		{"/api/v1/version", "", request{guard.NoOperation, 401}},
		{"/api/v1/there-is-none", resttest.Token, request{guard.NoOperation, 404}},
		{"/api/v1/jobs?nonsense=1", resttest.Token, request{"list-jobs", 422}},
		{"/healthz", "", request{guard.NoOperation, 200}},
	} {
		fetch(t, server, http.MethodGet, step.path, step.token)
		if got := <-told; got != step.want {
			t.Errorf("%s is told as %+v, want %+v", step.path, got, step.want)
		}
	}
}
