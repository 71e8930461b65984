package runs_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

func TestCleanRoute(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for body, want := range map[string]string{
		`{"job":"nightly","older_than":"720h"}`:                       "clean job 7: older than 720h0m0s, keep 0, dry false",
		`{"job":"nightly","keep":1000,"namespace":"n"}`:               "clean job 7: older than 0s, keep 1000, dry false",
		`{"job":"nightly","all":true}`:                                "clean job 7: older than 0s, keep 0, dry false",
		`{"job":"nightly","older_than":"1h","keep":3,"dry_run":true}`: "clean job 7: older than 1h0m0s, keep 3, dry true",
	} {
		response, text := resttest.Send(t, server, http.MethodPost, "/api/v1/runs/clean", body)
		if response.StatusCode != http.StatusOK || lastLine(f.Called()) != want {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
	for body, field := range map[string]string{
		`{"job":"nightly"}`:                        "all",
		`{"job":"nightly","all":true,"keep":1}`:    "all",
		`{"job":"nightly","keep":-1}`:              "keep",
		`{"job":"nightly","older_than":"a month"}`: "older_than",
		`{"older_than":"720h"}`:                    "job",
		`{"job":"nightly","keep":1000001}`:         "keep",
	} {
		response, text := resttest.Send(t, server, http.MethodPost, "/api/v1/runs/clean", body)
		if response.StatusCode != http.StatusUnprocessableEntity && response.StatusCode != http.StatusBadRequest || !strings.Contains(text, field) {
			t.Errorf("%s: %d %s, want a word about %s", body, response.StatusCode, text, field)
		}
	}
	f.Called()
	if response, _ := resttest.Send(t, server, http.MethodPost, "/api/v1/runs/clean", `{"job":"missing","all":true}`); response.StatusCode != http.StatusNotFound || f.Called() != "" {
		t.Errorf("a job that is not there: %d", response.StatusCode)
	}
}

// lastLine returns the last of several calls.
func lastLine(calls string) string {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i] == '\n' {
			return calls[i+1:]
		}
	}
	return calls
}
