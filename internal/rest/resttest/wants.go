package resttest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
)

// WantRoute checks what a request asks the catalog, and what it answers.
func WantRoute(t *testing.T, f *Fake, server *httptest.Server, request, in string, status int, call, want string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	response, body := Send(t, server, method, "/api/v1"+path, in)
	if response.StatusCode != status {
		t.Fatalf("%s: status %d, want %d: %s", request, response.StatusCode, status, body)
	}
	if diff := cmp.Diff(call, f.Called()); diff != "" {
		t.Errorf("%s: the catalog was asked something else: %s", request, diff)
	}
	if diff := cmp.Diff(want, strings.TrimSpace(body)); diff != "" {
		t.Errorf("%s: %s", request, diff)
	}
	WantHeaders(t, response)
	if got := response.Header.Get("Content-Type"); body != "" && got != "application/json" {
		t.Errorf("%s: Content-Type %q, want application/json", request, got)
	}
}

// WantHeaders checks the headers that every response carries.
func WantHeaders(t *testing.T, response *http.Response) {
	t.Helper()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// WantProblem checks that the response is a problem and returns it.
func WantProblem(t *testing.T, response *http.Response, body string) api.Problem {
	t.Helper()
	if got := response.Header.Get("Content-Type"); got != api.ProblemType {
		t.Errorf("Content-Type %q, want %q", got, api.ProblemType)
	}
	WantHeaders(t, response)
	var p api.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if p.Status != response.StatusCode || p.Title == "" || p.Code == "" || p.Detail == "" {
		t.Errorf("the status is %d, the problem %+v", response.StatusCode, p)
	}
	return p
}
