package jobs_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// spread are jobs of two namespaces.
func spread() []job.Job {
	jobs := []job.Job{resttest.StoredJob(), resttest.StoredJob(), resttest.StoredJob()}
	jobs[1].Namespace, jobs[1].Key = "team", "a"
	jobs[2].Namespace, jobs[2].Key = "team", "nightly"
	return jobs
}

// A filter finds the jobs of all namespaces for the star; each is told with its own, and
// what is behind the limit begins with one.
func TestBulkJobsOfAllNamespaces(t *testing.T) {
	t.Parallel()
	got, calls := resttest.BulkDone(t, &resttest.Fake{FoundJobs: spread()}, "/api/v1/jobs/bulk?namespace=*", `{"action":"stop","filter":{"limit":3}}`, nil)
	if got.Done != 3 || len(got.Items) != 3 || got.Items[0].Namespace != "default" || got.Items[2].Namespace != "team" || got.Items[2].Key != "nightly" {
		t.Errorf("got %+v", got)
	}
	for _, want := range []string{"everywhere from /", "stop default/report", "stop team/nightly"} {
		if !strings.Contains(calls, want) {
			t.Errorf("asked %s, want %s", calls, want)
		}
	}
	if !got.More || got.Next != "team/nightly" { // the fake has others behind them
		t.Errorf("the answer goes on behind %q, more is %t", got.Next, got.More)
	}
	_, calls = resttest.BulkDone(t, &resttest.Fake{FoundJobs: spread()[1:]}, "/api/v1/jobs/bulk?namespace=*", `{"action":"stop","filter":{"after":"team/a"}}`, nil)
	if !strings.Contains(calls, "everywhere from team/") || !strings.Contains(calls, "after=a") {
		t.Errorf("asked %s", calls)
	}
	if got, _ = resttest.BulkDone(t, &resttest.Fake{FoundJobs: spread()}, "/api/v1/jobs/bulk", `{"action":"stop","filter":{}}`, nil); got.Items[0].Namespace != "" {
		t.Errorf("of one namespace: got %+v", got.Items[0])
	}
}

// What cannot be done to all namespaces is refused, with what to do instead.
func TestBulkJobsOfAllNamespacesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, field, says string }{
		{`{"action":"stop","keys":["report"]}`, `"field":"namespace"`, "name the namespace of the keys, or find the jobs by a filter"},
		{`{"action":"stop","filter":{"after":"nightly"}}`, `"field":"filter.after"`, "names no namespace"},
	} {
		f := &resttest.Fake{FoundJobs: spread()}
		response, body := resttest.Send(t, resttest.Serve(t, f, nil), http.MethodPost, "/api/v1/jobs/bulk?namespace=*", c.body)
		if response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, c.field) || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.body, response.StatusCode, body)
		}
		if calls := f.Called(); strings.Contains(calls, "stop ") {
			t.Errorf("%s: asked %s", c.body, calls)
		}
	}
}

// The right is needed where each job is: one that the caller may only see is told as
// forbidden, one that he may not see is not there, and the others have their turn.
func TestBulkJobsRightsPerNamespace(t *testing.T) {
	t.Parallel()
	jobs := spread()
	mia := access.Principal{Kind: access.Person, ID: 3, Name: "mia", Grants: []access.Grant{
		{Role: access.Operator, Namespace: jobs[0].Namespace, Group: access.All}, {Role: access.Viewer, Namespace: "team", Group: access.All},
	}}
	jobs = append(jobs, resttest.StoredJob())
	jobs[3].Namespace, jobs[3].Key = "vault", "hidden"
	for action, may := range map[string]bool{"stop": true, "start": true, "trigger": true, "delete": false} {
		f := &resttest.Fake{FoundJobs: jobs}
		server := resttest.Serve(t, f, func(c *rest.Config) { c.Callers = resttest.Tokens{"mine": mia} })
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/jobs/bulk?namespace=*",
			strings.NewReader(`{"action":"`+action+`","filter":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer mine")
		r.Header.Set("Content-Type", "application/json")
		_, text := resttest.Do(t, server, r)
		var got api.Done
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Items) != 4 {
			t.Fatalf("%s: %s, %v", action, text, err)
		}
		codes := make([]job.Kind, 4)
		for i, one := range got.Items {
			if one.Error != nil {
				codes[i] = one.Error.Code
			}
		}
		if (codes[0] == "") != may || codes[1] != job.Forbidden || codes[2] != job.Forbidden || codes[3] != job.NotFound {
			t.Errorf("%s: got %v", action, codes)
		}
		if calls := f.Called(); strings.Contains(calls, action+" team/") || strings.Contains(calls, action+" vault/") {
			t.Errorf("%s: asked %s", action, calls)
		}
	}
}
