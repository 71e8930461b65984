package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestBulkJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, calls string }{
		{`{"action":"start","keys":["report"]}`, "start default/report"},
		{`{"action":"stop","keys":["report"]}`, "stop default/report"},
		{`{"action":"delete","keys":["report"]}`, "delete default/report"},
		{`{"action":"trigger","keys":["report"]}`, "trigger default/report with its own"},
		{`{"action":"label","keys":["report"],"labels":{"a":"b","c":null}}`, `"labels":{"a":"b"}`},
	} {
		got, calls := resttest.BulkDone(t, &resttest.Fake{}, "/api/v1/jobs/bulk", c.body, nil)
		if got.Done != 1 || got.Failed != 0 || len(got.Items) != 1 || got.Items[0].Key != "report" || got.Items[0].Error != nil {
			t.Errorf("%s: got %+v", c.body, got)
		}
		if !strings.Contains(calls, c.calls) {
			t.Errorf("%s: asked %s, want %s", c.body, calls, c.calls)
		}
		if made := got.Items[0].Run != 0; made != strings.Contains(c.body, "trigger") {
			t.Errorf("%s: a run was made is %t", c.body, made)
		}
		dry := strings.Replace(c.body, "{", `{"dry_run":true,`, 1)
		if got, calls = resttest.BulkDone(t, &resttest.Fake{}, "/api/v1/jobs/bulk", dry, nil); got.Done != 1 || got.Items[0].Would == "" || got.Items[0].Run != 0 {
			t.Errorf("%s: got %+v, asked %s", dry, got, calls)
		}
	}
}

// One that is not there, or may not be seen, does not keep the others from their turn.
func TestBulkGoesOn(t *testing.T) {
	t.Parallel()
	got, calls := resttest.BulkDone(t, &resttest.Fake{}, "/api/v1/jobs/bulk", `{"action":"start","keys":["missing","report"]}`, nil)
	if got.Done != 1 || got.Failed != 1 || got.Items[0].Error == nil || got.Items[0].Error.Code != job.NotFound || got.Items[1].Error != nil {
		t.Errorf("got %+v", got)
	}
	if !strings.HasSuffix(calls, "start default/report") {
		t.Errorf("asked %s", calls)
	}
	hidden := resttest.FakePlaces{"run 5": {{Namespace: "other", Group: "x"}}, "run 6": {}}
	limited := func(c *rest.Config) { c.Places, c.Callers = hidden, resttest.Tokens{"mine": viewerAndOperator()} }
	server := resttest.Serve(t, &resttest.Fake{}, limited)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/runs/bulk", strings.NewReader(`{"action":"cancel","ids":["5","6","7"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer mine")
	r.Header.Set("Content-Type", "application/json")
	_, text := resttest.Do(t, server, r)
	var seen api.Done
	if err := json.Unmarshal([]byte(text), &seen); err != nil || len(seen.Items) != 3 {
		t.Fatalf("%s, %v", text, err)
	}
	one, two := *seen.Items[0].Error, *seen.Items[1].Error
	one.Detail, two.Detail = strings.ReplaceAll(one.Detail, "5", "N"), strings.ReplaceAll(two.Detail, "6", "N")
	if fmt.Sprint(one) != fmt.Sprint(two) || one.Code != job.NotFound {
		t.Errorf("what may not be seen answers %+v, what is not there %+v", one, two)
	}
	if seen.Items[2].Error != nil {
		t.Errorf("one's own answers %+v", seen.Items[2].Error)
	}
}

// viewerAndOperator may operate in group g of the default namespace, and see group v.
func viewerAndOperator() access.Principal {
	return access.Principal{Kind: access.Person, ID: 3, Name: "mia", Grants: []access.Grant{
		{Role: access.Operator, Namespace: "default", Group: "g"}, {Role: access.Viewer, Namespace: "default", Group: "v"},
	}}
}

func TestBulkRuns(t *testing.T) {
	t.Parallel()
	over, open := resttest.StoredRun(), resttest.StoredRun()
	over.ID, over.State, open.ID = 8, job.Failed, 9
	f := &resttest.Fake{FoundRuns: []job.Run{open, over}, Next: 4}
	got, calls := resttest.BulkDone(t, f, "/api/v1/runs/bulk", `{"action":"cancel","filter":{"job":"report","limit":3},"reason":"enough"}`, nil)
	if got.Done == 0 || got.Items[0].Key != "9" {
		t.Errorf("got %+v", got)
	}
	if want := "states=[planned queued dispatched running stopping waiting_retry]"; !strings.Contains(calls, want) {
		t.Errorf("asked %s, want %s", calls, want)
	}
	for _, want := range []string{`cancel 8 because "enough"`, `cancel 9 because "enough"`} {
		if !strings.Contains(calls, want) {
			t.Errorf("asked %s, want %s", calls, want)
		}
	}
	got, calls = resttest.BulkDone(t, &resttest.Fake{State: job.Failed}, "/api/v1/runs/bulk", `{"action":"rerun","ids":["8"]}`, nil)
	if got.Done != 1 || got.Items[0].Run == 0 || !strings.Contains(calls, "trigger default/report with its own for 2030-01-31T08:00:00Z after 0s") {
		t.Errorf("got %+v, asked %s", got, calls)
	}
	got, calls = resttest.BulkDone(t, &resttest.Fake{}, "/api/v1/runs/bulk", `{"action":"rerun","ids":["8"]}`, nil)
	if got.Failed != 1 || got.Items[0].Error.Code != job.Conflict || strings.Contains(calls, "trigger") {
		t.Errorf("a run that is not over: got %+v, asked %s", got, calls)
	}
}

// A dry run says of each run what it would come to, and cancels none.
func TestBulkCancelDry(t *testing.T) {
	t.Parallel()
	for state, want := range map[job.State]string{
		job.Planned: "it would be cancelled at once", job.WaitingRetry: "it would be cancelled at once", job.Running: "it would be stopped: its executor gets a request to end it",
		job.Stopping: "it is being stopped already", job.Cancelled: "it is cancelled already",
	} {
		got, calls := resttest.BulkDone(t, &resttest.Fake{State: state}, "/api/v1/runs/bulk", `{"action":"cancel","ids":["8"],"dry_run":true}`, nil)
		same := state == job.Stopping || state == job.Cancelled
		if got.Done != 1 || got.Items[0].Would != want || got.Items[0].Unchanged != same || got.Unchanged == 1 != same || strings.Contains(calls, "cancel") {
			t.Errorf("%s: got %+v, asked %s", state, got, calls)
		}
	}
	got, _ := resttest.BulkDone(t, &resttest.Fake{State: job.Failed}, "/api/v1/runs/bulk", `{"action":"cancel","ids":["8"],"dry_run":true}`, nil)
	if got.Failed != 1 || got.Items[0].Error.Code != job.Conflict || got.Items[0].Would != "" {
		t.Errorf("a run that is over: got %+v", got)
	}
}

func TestBulkRefused(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for _, c := range []struct{ path, body, field string }{
		{"/jobs/bulk", `{"action":"start"}`, ""},
		{"/jobs/bulk", `{"action":"start","keys":["a"],"filter":{}}`, ""},
		{"/jobs/bulk", `{"action":"label","keys":["a"]}`, "labels"},
		{"/jobs/bulk", `{"action":"start","keys":["a"],"labels":{"a":"b"}}`, "labels"},
		{"/jobs/bulk", `{"action":"explode","keys":["a"]}`, "action"},
		{"/runs/bulk", `{"action":"cancel"}`, ""},
		{"/runs/bulk", `{"action":"cancel","filter":{"limit":1001}}`, "filter.limit"},
		{"/runs/bulk", `{"action":"cancel","ids":[` + strings.Repeat(`"1",`, 1000) + `"2"]}`, "ids"},
	} {
		response, text := resttest.Send(t, server, http.MethodPost, "/api/v1"+c.path, c.body)
		if p := resttest.WantProblem(t, response, text); p.Code != job.Invalid || p.Field != c.field {
			t.Errorf("%s %.60s: got %+v", c.path, c.body, p)
		}
	}
}

func TestRerun(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{State: job.Succeeded}
	server := resttest.Serve(t, f, nil)
	response, text := resttest.Send(t, server, http.MethodPost, "/api/v1/runs/5/rerun", `{"param":"other"}`)
	if calls := f.Called(); response.StatusCode != http.StatusCreated || !strings.Contains(calls, `trigger default/report with "other" for 2030-01-31T08:00:00Z`) {
		t.Errorf("got %d %s, asked %s", response.StatusCode, text, calls)
	}
	f.State = job.Running
	response, text = resttest.Send(t, server, http.MethodPost, "/api/v1/runs/5/rerun", "")
	if p := resttest.WantProblem(t, response, text); p.Code != job.Conflict {
		t.Errorf("a run that runs: got %+v", p)
	}
}

func TestAttempt(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	response, text := resttest.Send(t, server, http.MethodGet, "/api/v1/attempts/99", "")
	if response.StatusCode != http.StatusOK || !strings.Contains(text, `"id":"99","run_id":"5"`) || f.Called() != "attempt 99" {
		t.Errorf("got %d %s", response.StatusCode, text)
	}
}

// lagging is a store whose commits take a second, whatever they have in them.
type lagging struct{ *resttest.Fake }

func (l lagging) StopJob(ctx context.Context, namespace, key string) (job.Job, error) {
	time.Sleep(time.Second)
	return l.Fake.StopJob(ctx, namespace, key)
}

// TestBulkUnderLoad: what one request of the command line asks for is done long before
// the client gives up, also by a server whose commits take a second.
func TestBulkUnderLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &resttest.Fake{}
		c := f.Config()
		c.Jobs = lagging{f}
		handler, err := rest.New(c)
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]string, 200)
		for i := range keys {
			keys[i] = fmt.Sprintf("job-%d", i)
		}
		body, err := json.Marshal(api.JobBulk{Action: "stop", Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/jobs/bulk", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		begun := time.Now()
		handler.ServeHTTP(w, r)
		if took := time.Since(begun); took > 5*time.Second || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"done":200`) {
			t.Errorf("%s, %d: %.200s", took, w.Code, w.Body)
		}
	})
}
