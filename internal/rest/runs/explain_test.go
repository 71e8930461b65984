package runs_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestExplanations(t *testing.T) {
	t.Parallel()
	const told = `{"question":"Why?","answer":"Because.","answers":[{"code":"because","text":"Because."}],"zone":"UTC",` +
		`"facts":[{"kind":"started","code":"started","text":"it is started"},` +
		`{"at":"2030-01-31T08:00:00.000Z","kind":"run","code":"run","text":"run 5 failed","values":{"run":"5"},"run_id":"5"}]}`
	const zero = "0001-01-01T00:00:00Z"
	for _, c := range []struct{ path, want string }{
		{"/runs/5/explanation", "explain run 5"},
		{"/jobs/report/explanation", "explain job default/report at " + zero + " or " + zero},
		{
			"/jobs/report/explanation?namespace=team&at=" + url.QueryEscape("2030-01-31T02:00:00+01:00"),
			"explain job team/report at 2030-01-31T01:00:00Z or " + zero,
		},
		{
			"/jobs/report/explanation?at=" + url.QueryEscape("2030-01-31 02:30"),
			"explain job default/report at " + zero + " or 2030-01-31T02:30:00Z",
		},
		{
			"/jobs/report/explanation?at=2030-01-31T02:30:05",
			"explain job default/report at " + zero + " or 2030-01-31T02:30:05Z",
		},
	} {
		f := &resttest.Fake{}
		server := resttest.Serve(t, f, nil)
		r, body := resttest.Send(t, server, http.MethodGet, "/api/v1"+c.path, "")
		if got := f.Called(); r.StatusCode != http.StatusOK || strings.TrimSpace(body) != told || got != c.want {
			t.Errorf("%s: %d %s, asked %q", c.path, r.StatusCode, body, got)
		}
	}
}

func TestExplanationsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, want string
		status     int
		fake       *resttest.Fake
	}{
		{"/jobs/report/explanation?at=yesterday", "is no time: write an instant such as", http.StatusUnprocessableEntity, &resttest.Fake{}},
		{"/runs/x/explanation", "the digits of a run's id", http.StatusUnprocessableEntity, &resttest.Fake{}},
		{"/runs/5/explanation", "there is no run 5", http.StatusNotFound, &resttest.Fake{Err: job.Errorf(job.NotFound, "there is no run 5")}},
		{"/jobs/a/explanation", "there is no job a", http.StatusNotFound, &resttest.Fake{Err: job.Errorf(job.NotFound, "there is no job a")}},
	} {
		r, body := resttest.Send(t, resttest.Serve(t, c.fake, nil), http.MethodGet, "/api/v1"+c.path, "")
		if r.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.path, r.StatusCode, body)
		}
	}
}
