package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Revisions answers with a revision that says what was asked.
func (m *memory) Revisions(_ context.Context, namespace, key string, q jobrows.RevisionQuery) ([]job.Revision, error) {
	note := fmt.Sprint(namespace, "/", key, " before ", q.Before, " code ", q.Recoded, ", ", q.Limit)
	return []job.Revision{{Number: 3, At: instant, By: job.Author{Kind: "user", Name: "ann"}, Note: note, Changed: []string{"param"}}}, nil
}

func (m *memory) Revision(_ context.Context, _, key string, number int64) (job.Revision, bool, error) {
	if number == 404 {
		return job.Revision{}, false, job.Errorf(job.NotFound, "job %s has no revision %d", key, number)
	}
	j := job.Job{Namespace: "default", Key: key, Group: "g", Param: fmt.Sprint("as of ", number), Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}}
	return job.Revision{Number: number, At: instant, Job: j}, true, nil
}

func (m *memory) TryJob(_ context.Context, namespace, key string, a jobs.Attempted) (job.Run, error) {
	param := fmt.Sprint(namespace, "/", key, " ", a.Kind, " ", *a.Code, " ", *a.Param, " ", a.Timeout, " ", a.Address)
	return job.Run{ID: 41, JobID: 1, Cause: job.CauseTrial, CauseID: 41, State: job.Planned, Param: &param, CreatedAt: instant}, nil
}

func (m *memory) Trial(_ context.Context, run int64) (job.Trial, error) {
	if run == 404 {
		return job.Trial{}, job.Errorf(job.NotFound, "run %d tries nothing", run)
	}
	return job.Trial{RunID: run, By: job.Author{Kind: "user", Name: "ann"}, Timeout: time.Minute, Handler: &job.Handler{Kind: job.HandlerShell, Source: "x"}}, nil
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	for note, q := range map[string]client.RevisionQuery{
		"default/report before 0 code false, 50": {},
		"default/report before 9 code true, 1":   {Before: 9, Code: true, Limit: 1},
	} {
		page, err := c.Revisions(t.Context(), "report", q)
		if err != nil || len(page.Revisions) != 1 || page.Revisions[0].Note != note || page.Next != map[int]int64{1: 3}[q.Limit] {
			t.Errorf("%+v, %v, want %s", page, err, note)
		}
	}
	saved, err := c.Revision(t.Context(), "report", 3)
	if err != nil || saved.Number != 3 || saved.Job.Param != "as of 3" {
		t.Errorf("%+v, %v", saved, err)
	}
	if _, err := c.Revision(t.Context(), "report", 404); !job.Is(err, job.NotFound) {
		t.Errorf("one that there is not: %v", err)
	}
	diff, err := c.DiffRevisions(t.Context(), "report", 3, 4)
	want := []api.FieldChange{{Field: "param", Before: json.RawMessage(`"as of 3"`), After: json.RawMessage(`"as of 4"`)}}
	if d := cmp.Diff(want, diff.Fields); d != "" || err != nil || diff.Before.Number != 3 || diff.After.Number != 4 {
		t.Errorf("%v, %s", err, d)
	}
	for _, err := range []error{
		second(c.Revisions(t.Context(), "no key", client.RevisionQuery{})), second(c.Revision(t.Context(), "no key", 1)),
		second(c.DiffRevisions(t.Context(), "no key", 1, 2)), second(c.RestoreJob(t.Context(), "no key", api.Restoring{Revision: 1})),
		second(c.TryJob(t.Context(), "no key", api.NewTrial{})),
	} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("a key that no job can have: %v", err)
		}
	}
}

func TestTrials(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	trial, err := c.Trial(t.Context(), 41)
	want := api.Trial{RunID: 41, By: api.Author{Kind: "user", Name: "ann"}, Timeout: api.Duration(time.Minute), Kind: job.HandlerShell, Code: "x"}
	if diff := cmp.Diff(want, trial); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	if _, err := c.Trial(t.Context(), 404); !job.Is(err, job.NotFound) {
		t.Errorf("one that there is not: %v", err)
	}
}

// The note of a context goes with what changes a job, and with nothing else.
func TestWithNote(t *testing.T) {
	t.Parallel()
	notes := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		notes <- r.Method + " " + r.URL.Path + " " + r.URL.Query().Get("note")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	c, err := client.New(client.Config{Address: server.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := client.WithNote(t.Context(), "too slow")
	const jobs = " /api/v1/jobs"
	code, param := "x", "y"
	for want, call := range map[string]func() error{
		"POST" + jobs + " too slow":                func() error { return second(c.CreateJob(ctx, api.NewJob{})) },
		"PATCH" + jobs + "/report too slow":        func() error { return second(c.UpdateJob(ctx, "report", 1, nil)) },
		"POST" + jobs + "/report/copies too slow":  func() error { return second(c.CopyJob(ctx, "report", api.NewCopies{})) },
		"POST" + jobs + "/report/start too slow":   func() error { return second(c.StartJob(ctx, "report")) },
		"POST" + jobs + "/report/stop too slow":    func() error { return second(c.StopJob(ctx, "report")) },
		"POST" + jobs + "/report/restore too slow": func() error { return second(c.RestoreJob(ctx, "report", api.Restoring{Revision: 1})) },
		"DELETE" + jobs + "/report too slow":       func() error { return c.DeleteJob(ctx, "report") },
		"GET" + jobs + "/report ":                  func() error { return second(c.Job(ctx, "report")) },
		"POST" + jobs + "/report/trigger ":         func() error { return second(c.Trigger(ctx, "report", api.Trigger{})) },
		"POST" + jobs + "/report/trial ":           func() error { return second(c.TryJob(ctx, "report", api.NewTrial{Code: &code, Param: &param})) },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := <-notes; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	}
}
