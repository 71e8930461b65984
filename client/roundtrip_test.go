package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func newJob(key string) api.NewJob {
	return api.NewJob{
		Key: key, Group: "g", Title: "A <job> & more",
		Schedule: api.Schedule{Kind: schedule.KindEvery, Every: api.Duration(90 * time.Second), Anchor: api.At(instant)},
		Handler:  api.Handler{Kind: job.HandlerNamed, Name: "hello"}, Param: "日本\n\"quoted\"",
		Overlap: job.OverlapConcurrent, Concurrency: 4, OverlapScope: job.ScopeExecutor, OverlapQueue: 9, Labels: map[string]string{"team": "<data> & more"},
		Timeout: api.Duration(time.Minute), Retry: api.Retry{Tries: 3, Initial: api.Duration(time.Second), Jitter: 0.5},
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	made, err := c.CreateJob(ctx, newJob("first"))
	if err != nil {
		t.Fatal(err)
	}
	want := newJob("first")
	got := api.NewJob{
		Key: made.Key, Group: made.Group, Title: made.Title, Schedule: made.Schedule, Handler: made.Handler,
		Param: made.Param, Overlap: made.Overlap, Concurrency: made.Concurrency, OverlapScope: made.OverlapScope, OverlapQueue: made.OverlapQueue, Labels: made.Labels, Timeout: made.Timeout, Retry: made.Retry,
	}
	if diff := cmp.Diff(want, got); diff != "" || made.ID != 1 || made.Namespace != "default" {
		t.Errorf("made %+v: %s", made, diff)
	}
	child := newJob("second")
	child.Children = []api.Child{{Key: "first", On: job.ChildOnAlways, Param: "{{result}}"}}
	if second, err := c.CreateJob(ctx, child); err != nil || !cmp.Equal(second.Children, []api.Child{{ID: 1, Key: "first", On: job.ChildOnAlways, Param: "{{result}}"}}) {
		t.Errorf("a job with a child: %+v, %v", second, err)
	}
	if shown, err := c.Job(ctx, "first"); err != nil || !cmp.Equal(shown, made) {
		t.Errorf("shown %+v, %v; want %+v", shown, err, made)
	}
	if started, err := c.StartJob(ctx, "first"); err != nil || !started.Enabled {
		t.Errorf("started: %+v, %v", started, err)
	}
	if stopped, err := c.StopJob(ctx, "first"); err != nil || stopped.Enabled {
		t.Errorf("stopped: %+v, %v", stopped, err)
	}
	page, err := c.Jobs(ctx, client.JobQuery{Group: "g", Limit: 1})
	if err != nil || len(page.Jobs) != 1 || page.Next != "first" {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	page, err = c.Jobs(ctx, client.JobQuery{Group: "g", Limit: 2, After: page.Next})
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Key != "second" || page.Next != "" {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	if err := c.DeleteJob(ctx, "first"); err != nil {
		t.Error(err)
	}
	if _, err := c.Job(ctx, "first"); !job.Is(err, job.NotFound) {
		t.Errorf("a deleted job: %v", err)
	}
}

func TestNamespace(t *testing.T) {
	t.Parallel()
	m := &memory{}
	team := serve(t, m, func(c *client.Config) { c.Namespace = "team" })
	if made, err := team.CreateJob(t.Context(), newJob("first")); err != nil || made.Namespace != "team" {
		t.Fatalf("made %+v, %v", made, err)
	}
	if _, err := team.Job(t.Context(), "first"); err != nil {
		t.Error(err)
	}
	if _, err := serve(t, m, nil).Job(t.Context(), "first"); !job.Is(err, job.NotFound) {
		t.Errorf("the job is in the default namespace too: %v", err)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	ctx, m := t.Context(), &memory{}
	c := serve(t, m, nil)
	if _, err := c.CreateJob(ctx, newJob("first")); err != nil {
		t.Fatal(err)
	}
	empty := ""
	older, err := c.Trigger(ctx, "first", api.Trigger{})
	if err != nil || older.Param != nil || older.ID != 1<<60 || !older.PlannedAt.IsZero() {
		t.Fatalf("triggered %+v, %v", older, err)
	}
	newer, err := c.Trigger(ctx, "first", api.Trigger{Param: &empty, PlannedAt: api.At(instant), Delay: api.Duration(time.Minute)})
	if err != nil || newer.Param == nil || *newer.Param != "" || !newer.PlannedAt.Equal(instant) || !newer.ReadyAt.Equal(instant.Add(time.Minute)) {
		t.Fatalf("triggered %+v, %v", newer, err)
	}
	page, err := c.Runs(ctx, client.RunQuery{Job: "first", State: job.Running, Limit: 1})
	if err != nil || len(page.Runs) != 1 || page.Runs[0].ID != newer.ID || page.Next != newer.ID {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	older.Namespace, older.Group = "default", "g" // lists say where a run is
	page, err = c.Runs(ctx, client.RunQuery{Job: "first", Before: page.Next})
	if err != nil || len(page.Runs) != 1 || !cmp.Equal(page.Runs[0], older) || page.Next != 0 {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	attempts, err := c.Attempts(ctx, older.ID)
	if err != nil || len(attempts) != 1 || attempts[0].ID != 1<<61 || attempts[0].RunID != older.ID {
		t.Errorf("attempts: %+v, %v", attempts, err)
	}
	if cancelled, err := c.CancelRun(ctx, older.ID, "wrong day"); err != nil || cancelled.Reason != "wrong day" || !cancelled.Final {
		t.Errorf("cancelled: %+v, %v", cancelled, err)
	}
	m.finish(job.Succeeded)
	if _, err := c.CancelRun(ctx, older.ID, ""); !job.Is(err, job.Conflict) {
		t.Errorf("cancelling a run that is over: %v", err)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	if _, err := c.CreateJob(ctx, newJob("first")); err != nil {
		t.Fatal(err)
	}
	run, err := c.Trigger(ctx, "first", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.Log(ctx, run.ID, 0, 2)
	if diff := cmp.Diff(api.LogPage{From: 2, To: 3, Next: 4, Text: "two <&>\nthree\x1b[31m\n"}, page); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	page, err = c.Log(ctx, run.ID, 2, page.Next)
	if err != nil || !page.Done || page.Text != "" || page.Next != 4 {
		t.Errorf("the end: %+v, %v", page, err)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	if version, err := c.Version(t.Context()); err != nil || version != "1.2.3" {
		t.Errorf("version %q, %v", version, err)
	}
	executors, err := c.Executors(t.Context())
	if err != nil || len(executors) != 1 || !executors[0].SeenAt.Equal(instant) ||
		!cmp.Equal(executors[0].Features, []string{"shell", "python=3.11.2"}) {
		t.Errorf("executors %+v, %v", executors, err)
	}
	if err := c.Healthy(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestErrorsComeBack(t *testing.T) {
	t.Parallel()
	ctx, m := t.Context(), &memory{}
	c := serve(t, m, nil)
	if _, err := c.CreateJob(ctx, newJob("first")); err != nil {
		t.Fatal(err)
	}
	noGroup := newJob("other")
	noGroup.Group = ""
	noHandler := newJob("other")
	noHandler.Handler.Kind = "cobol"
	for _, c := range []struct {
		name  string
		call  func() error
		kind  job.Kind
		field string
	}{
		{"taken", func() error { _, err := c.CreateJob(ctx, newJob("first")); return err }, job.Conflict, ""},
		{"refused by the catalog", func() error { _, err := c.CreateJob(ctx, noGroup); return err }, job.Invalid, "group"},
		{"refused by the schema", func() error { _, err := c.CreateJob(ctx, noHandler); return err }, job.Invalid, "handler.kind"},
		{"missing job", func() error { _, err := c.Trigger(ctx, "missing", api.Trigger{}); return err }, job.NotFound, ""},
		{"missing run", func() error { _, err := c.Run(ctx, 5); return err }, job.NotFound, ""},
		{"impossible run", func() error { _, err := c.Run(ctx, 0); return err }, job.Invalid, "id"},
		{"impossible key", func() error { return c.DeleteJob(ctx, "..") }, job.Invalid, "key"},
		{"no key", func() error { _, err := c.Job(ctx, ""); return err }, job.Invalid, "key"},
		{"impossible calendar", func() error { _, err := c.Calendar(ctx, "../x"); return err }, job.Invalid, "key"},
		{"impossible pause", func() error { return c.DeletePause(ctx, "") }, job.Invalid, "key"},
		{"missing calendar", func() error { return c.DeleteCalendar(ctx, "missing") }, job.NotFound, ""},
		{"missing backfill", func() error { _, err := c.Backfill(ctx, 5); return err }, job.NotFound, ""},
		{"two texts", func() error {
			_, err := c.SaveCalendar(ctx, "x", api.CalendarText{Shipped: "cn", Rules: &calendar.Rules{}})
			return err
		}, job.Invalid, ""},
		{"a calendar of too many rows", func() error {
			_, err := c.SaveCalendar(ctx, "x", api.CalendarText{Format: "csv", Text: strings.Repeat("x", 524289)})
			return err
		}, job.Invalid, "text"},
		{"a schedule that is wrong inside", func() error {
			_, err := c.FiringsOf(ctx, api.FiringQuestion{Schedule: api.Schedule{Kind: schedule.KindSeveral, Of: []api.Schedule{{Kind: "moon"}}}})
			return err
		}, job.Invalid, "schedule.of[0].kind"},
		{"impossible limit", func() error { _, err := c.Jobs(ctx, client.JobQuery{Limit: 5000}); return err }, job.Invalid, "limit"},
	} {
		err := c.call()
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Kind != c.kind || e.Field != c.field || e.Message == "" {
			t.Errorf("%s: got %#v, want %s about %q", c.name, err, c.kind, c.field)
		}
	}
	stranger := serve(t, m, func(c *client.Config) { c.Token = "wrong" })
	if _, err := stranger.Version(ctx); !job.Is(err, job.Unauthorized) {
		t.Errorf("with a wrong token: %v", err)
	}
	if err := stranger.Healthy(ctx); err != nil {
		t.Errorf("health with a wrong token: %v", err)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	if _, err := c.CreateJob(t.Context(), newJob("first")); err != nil {
		t.Fatal(err)
	}
	run, err := c.Trigger(t.Context(), "first", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Wait(ended, run.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if _, err := c.Wait(t.Context(), 5); !job.Is(err, job.NotFound) {
		t.Errorf("for a missing run: %v", err)
	}
	go m.finish(job.Failed)
	if got, err := c.Wait(t.Context(), run.ID); err != nil || got.State != job.Failed {
		t.Errorf("got %+v, %v", got, err)
	}
}
