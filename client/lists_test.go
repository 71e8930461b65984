package client_test

import (
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func TestGroupKeeping(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	for _, key := range []string{"a", "b"} {
		if g, err := c.CreateGroup(t.Context(), api.NewGroup{Key: key, Title: "Group " + key}); err != nil || g.Key != key || g.Title != "Group "+key {
			t.Fatalf("got %+v, %v", g, err)
		}
	}
	page, err := c.Groups(t.Context(), "", 1)
	if err != nil || len(page.Groups) != 1 || page.Groups[0].Key != "a" || page.Next != "a" {
		t.Fatalf("got %+v, %v", page, err)
	}
	if page, err = c.Groups(t.Context(), page.Next, 0); err != nil || len(page.Groups) != 1 || page.Groups[0].Key != "b" || page.Next != "" {
		t.Fatalf("got %+v, %v", page, err)
	}
	other := "Other"
	if _, err := c.EditGroup(t.Context(), "b", api.GroupPatch{Title: &other}); err != nil {
		t.Fatal(err)
	}
	if g, err := c.Group(t.Context(), "b"); err != nil || g.Title != "Other" {
		t.Fatalf("got %+v, %v", g, err)
	}
	if err := c.DeleteGroup(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Group(t.Context(), "b"); !job.Is(err, job.NotFound) {
		t.Errorf("got %v", err)
	}
	for _, err := range []error{c.DeleteGroup(t.Context(), ""), second(c.EditGroup(t.Context(), "..", api.GroupPatch{})), second(c.Group(t.Context(), "a/b"))} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("a key that none can have: got %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	for _, key := range []string{"first", "other"} {
		if _, err := c.CreateJob(t.Context(), api.NewJob{Key: key, Group: "g", Handler: api.Handler{Kind: job.HandlerNamed, Name: "hello"}}); err != nil {
			t.Fatal(err)
		}
	}
	done, err := c.BulkJobs(t.Context(), api.JobBulk{Action: "start", Keys: []string{"first", "none"}})
	if err != nil || done.Done != 1 || done.Failed != 1 || done.Items[1].Error.Code != job.NotFound {
		t.Fatalf("got %+v, %v", done, err)
	}
	page, err := c.Jobs(t.Context(), client.JobQuery{Enabled: new(true)})
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Key != "first" {
		t.Fatalf("got %+v, %v", page, err)
	}
	run, err := c.Trigger(t.Context(), "first", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Rerun(t.Context(), run.ID, nil); !job.Is(err, job.Conflict) {
		t.Errorf("a run that runs is made again: %v", err)
	}
	m.finish(job.Failed)
	again, err := c.Rerun(t.Context(), run.ID, new("other"))
	if err != nil || again.ID == run.ID || again.Param == nil || *again.Param != "other" {
		t.Errorf("got %+v, %v", again, err)
	}
	done, err = c.BulkRuns(t.Context(), api.RunBulk{Action: "rerun", Filter: &api.RunFilter{Job: "first", States: []job.State{job.Failed}, Limit: 5}})
	if err != nil || done.Done != 1 || done.Items[0].Run == 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	runs, err := c.Runs(t.Context(), client.RunQuery{
		Job: "first", States: []job.State{job.Running, job.Failed}, Cause: job.CauseManual, Group: "g",
		CreatedSince: time.Unix(1, 0), EndedUntil: time.Now(), Limit: 2,
	})
	if err != nil || len(runs.Runs) != 2 || runs.Next == 0 || runs.Runs[0].Namespace != "default" || runs.Runs[0].Group != "g" {
		t.Errorf("got %+v, %v", runs, err)
	}
	if a, err := c.Attempt(t.Context(), 1<<61); err != nil || a.ID != 1<<61 {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := c.Attempt(t.Context(), 1); !job.Is(err, job.NotFound) {
		t.Errorf("got %v", err)
	}
}
