package jobs

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

func TestCreateJobFillsDefaults(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := jobstest.GoodJob()
	// What only the catalog may say is not taken from the user.
	j.ID, j.GroupID, j.Version, j.NextAt, j.LastAt = 99, 99, 99, time.Unix(1, 0), time.Unix(1, 0)
	got := create(t, c, j)
	want := job.Job{
		ID: 1, Namespace: "default", Key: "report", GroupID: 1, Group: "g",
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Anchor: got.CreatedAt},
		Misfire:  schedule.MisfireSkip, Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
		Route: job.RouteRound, Overlap: job.OverlapSerial, OverlapScope: job.ScopeCluster, OnCrash: job.CrashReport, Version: 1,
		CreatedAt: got.CreatedAt, UpdatedAt: got.CreatedAt,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("created job (-want +got):\n%s", diff)
	}
	if since := time.Since(got.CreatedAt); since < 0 || since > time.Minute || w.Scheduled != 0 {
		t.Errorf("created at %s, planner woken %d times for a job that is not started", got.CreatedAt, w.Scheduled)
	}
	if _, err := c.CreateJob(t.Context(), jobstest.GoodJob()); !job.Is(err, job.Conflict) {
		t.Errorf("the same key again: %v", err)
	}
}

func TestCreateStartedJob(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := jobstest.GoodJob()
	j.Enabled = true
	got := create(t, c, j)
	if want := got.CreatedAt.Add(time.Minute); !got.Enabled || !got.NextAt.Equal(want) {
		t.Errorf("enabled %t, next firing %s, want %s", got.Enabled, got.NextAt, want)
	}
	if w.Scheduled != 1 {
		t.Error("the planner was not woken")
	}
}

// TestCreateJobFollowsTheWallClock: a new cron job has the rules that people
// expect when clocks change, unless its user names others.
func TestCreateJobFollowsTheWallClock(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	wall, quartz := schedule.Wall(), schedule.Quartz()
	for key, test := range map[string]struct{ given, want *schedule.DST }{
		"silent": {nil, &wall}, "named": {&quartz, &quartz},
	} {
		j := jobstest.GoodJob()
		j.Key = key
		j.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin", DST: test.given}
		if diff := cmp.Diff(test.want, create(t, c, j).Schedule.DST); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	j := jobstest.GoodJob()
	if got := create(t, c, j).Schedule.DST; got != nil {
		t.Errorf("a fixed rate has rules for clocks: %+v", got)
	}
	j.Key = "wrong"
	j.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", DST: &schedule.DST{Gap: "jump"}}
	if _, err := c.CreateJob(t.Context(), j); !job.Is(err, job.Invalid) {
		t.Errorf("a rule that does not exist: %v", err)
	}
}

func TestCreateManualJobByDefault(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{}
	if got := create(t, c, j); got.Schedule.Kind != schedule.KindManual {
		t.Errorf("kind %q", got.Schedule.Kind)
	}
}

// Each thing that can be wrong names its field, and nothing is written.
func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		field string
		alter func(j *job.Job)
	}{
		{"namespace", func(j *job.Job) { j.Namespace = "Big" }},
		{"key", func(j *job.Job) { j.Key = "" }},
		{"key", func(j *job.Job) { j.Key = "no spaces" }},
		{"group", func(j *job.Job) { j.Group = "" }},
		{"title", func(j *job.Job) { j.Title = strings.Repeat("ä", job.MaxTitle+1) }},
		{"title", func(j *job.Job) { j.Title = "\xff" }},
		{"description", func(j *job.Job) { j.Description = strings.Repeat("ä", job.MaxDescription+1) }},
		{"description", func(j *job.Job) { j.Description = "a\x00" }},
		{"param", func(j *job.Job) { j.Param = strings.Repeat("x", job.MaxParam+1) }},
		{"param", func(j *job.Job) { j.Param = "a\x00b" }},
		{"timeout", func(j *job.Job) { j.Timeout = -time.Second }},
		{"timeout", func(j *job.Job) { j.Timeout = 31 * 24 * time.Hour }},
		{"schedule.kind", func(j *job.Job) { j.Schedule.Kind = "moon" }},
		{"schedule.cron", func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: "61 * * * * ?"} }},
		{"schedule.zone", func(j *job.Job) { j.Schedule.Zone = "Mars/Olympus" }},
		{"schedule.every", func(j *job.Job) { j.Schedule.Every = time.Millisecond }},
		{"handler.kind", func(j *job.Job) { j.Handler.Kind = "" }},
		{"handler.name", func(j *job.Job) { j.Handler.Name = "" }},
		{"handler.name", func(j *job.Job) { j.Handler.Name = strings.Repeat("x", 256) }},
		{"handler.source", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell} }},
		{"handler.source", func(j *job.Job) {
			j.Handler = job.Handler{Kind: job.HandlerShell, Source: strings.Repeat("x", job.MaxSource+1)}
		}},
		{"handler.source", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell, Source: "\xff"} }},
		{"handler.source", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerGroovy} }},
		{"handler.source", func(j *job.Job) {
			j.Handler = job.Handler{Kind: job.HandlerJS, Source: strings.Repeat("x", job.MaxSource+1)}
		}},
		{"handler.source", func(j *job.Job) { j.Handler.Source = "echo" }},
		{"handler.kind", func(j *job.Job) { j.Handler = job.Handler{Kind: "cobol", Source: "x"} }},
		{"concurrency", func(j *job.Job) { j.Concurrency = 2 }},
		{"concurrency", func(j *job.Job) { j.Concurrency = -1 }},
		{"overlap_scope", func(j *job.Job) { j.OverlapScope = "planet" }},
		{"overlap_queue", func(j *job.Job) { j.OverlapQueue = -1 }},
		{"overlap_queue", func(j *job.Job) { j.OverlapQueue = job.MaxOverlapQueue + 1 }},
		{"concurrency", func(j *job.Job) { j.Overlap, j.Concurrency = job.OverlapDiscard, 2 }},
		{"concurrency", func(j *job.Job) { j.Overlap, j.Concurrency = job.OverlapConcurrent, -1 }},
		{"concurrency", func(j *job.Job) { j.Overlap, j.Concurrency = job.OverlapConcurrent, job.MaxConcurrency+1 }},
		{"labels", func(j *job.Job) { j.Labels = map[string]string{"Team": "a"} }},
		{"labels", func(j *job.Job) { j.Labels = map[string]string{"team": "a\nb"} }},
		{"misfire", func(j *job.Job) { j.Misfire = "later" }},
		{"route", func(j *job.Job) { j.Route = "left" }},
		{"overlap", func(j *job.Job) { j.Overlap = "both" }},
		{"on_crash", func(j *job.Job) { j.OnCrash = "cry" }},
		{"retry.tries", func(j *job.Job) { j.Retry.Tries = retry.MaxTries + 1 }},
		{"retry.tries", func(j *job.Job) { j.Retry.Tries = -1 }},
		{"retry.initial", func(j *job.Job) { j.Retry.Initial = -1 }},
		{"retry.max", func(j *job.Job) { j.Retry.Max = 31 * 24 * time.Hour }},
		{"retry.multiplier", func(j *job.Job) { j.Retry.Multiplier = 0.5 }},
		{"retry.multiplier", func(j *job.Job) { j.Retry.Multiplier = math.NaN() }},
		{"retry.jitter", func(j *job.Job) { j.Retry.Jitter = 1.5 }},
		{"retry.jitter", func(j *job.Job) { j.Retry.Jitter = math.NaN() }},
		{"children", func(j *job.Job) { j.Children = make([]job.Child, job.MaxChildren+1) }},
		{"children", func(j *job.Job) { j.Children = []job.Child{{JobID: 0}} }},
		{"children", func(j *job.Job) { j.Children = []job.Child{{JobID: 1 << 31}} }},
		{"children", func(j *job.Job) { j.Children = []job.Child{{JobID: 4}, {JobID: 5}, {JobID: 4, On: job.ChildOnFailure}} }},
		{"children", func(j *job.Job) { j.Children = []job.Child{{JobID: 4, On: "later"}} }},
		{"children", func(j *job.Job) {
			j.Children = []job.Child{{JobID: 4, Param: strings.Repeat("x", job.MaxChildParam+1)}}
		}},
		{"children", func(j *job.Job) { j.Children = []job.Child{{JobID: 4, Param: "a\x00b"}} }},
		{"retry.delays", func(j *job.Job) { j.Retry.Delays = make([]time.Duration, retry.MaxDelays+1) }},
		{"retry.delays", func(j *job.Job) { j.Retry.Delays = []time.Duration{0, -1} }},
		{"retry.delays", func(j *job.Job) { j.Retry.Delays = []time.Duration{retry.MaxDelayCap + 1} }},
		{"retry.on", func(j *job.Job) { j.Retry.On = []string{"failed", "succeeded"} }},
		{"retry.on", func(j *job.Job) { j.Retry.On = []string{"lost", "failed", "lost"} }},
		{"schedule", func(j *job.Job) { j.Enabled, j.Schedule = true, schedule.Spec{Kind: schedule.KindManual} }},
		{"schedule", func(j *job.Job) {
			j.Enabled, j.Schedule = true, schedule.Spec{Kind: schedule.KindOnce, At: time.Now().Add(-time.Hour)}
		}},
	}
	for _, test := range tests {
		w, c := newWorld()
		j := jobstest.GoodJob()
		test.alter(&j)
		_, err := c.CreateJob(t.Context(), j)
		wrong, ok := errors.AsType[*job.Error](err)
		if !ok || wrong.Kind != job.Invalid || wrong.Field != test.field {
			t.Errorf("want a fault in %s, got %v", test.field, err)
			continue
		}
		if wrong.Hint != "" && strings.Contains(wrong.Message, wrong.Hint) {
			t.Errorf("%s: the hint %q is in the message too: %q", test.field, wrong.Hint, wrong.Message)
		}
		if len(w.JobsByKey) != 0 || len(wrong.Message) > 500 {
			t.Errorf("%s: %d jobs written; message %q", test.field, len(w.JobsByKey), wrong.Message)
		}
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		overlap    job.Overlap
		said, kept int
	}{
		{"", 0, 0},
		{"", 1, 0}, // one at a time is what serial means
		{job.OverlapSerial, 1, 0},
		{job.OverlapDiscard, 0, 0},
		{job.OverlapCover, 1, 0},
		{job.OverlapConcurrent, 0, 1},
		{job.OverlapConcurrent, 1, 1},
		{job.OverlapConcurrent, job.MaxConcurrency, job.MaxConcurrency},
	} {
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Overlap, j.Concurrency = test.overlap, test.said
		if got := create(t, c, j); got.Concurrency != test.kept {
			t.Errorf("%q with %d became %d, want %d", test.overlap, test.said, got.Concurrency, test.kept)
		}
	}
}

// Every kind of script is taken, and stamped for the executors' caches.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, kind := range job.HandlerKinds() {
		if !kind.Script() {
			continue
		}
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Handler = job.Handler{Kind: kind, Source: strings.Repeat("x", job.MaxSource)}
		j.Labels = map[string]string{"team": "data"}
		got := create(t, c, j)
		if got.Handler.Kind != kind || !got.Handler.SourceAt.Equal(got.CreatedAt) || got.Labels["team"] != "data" {
			t.Errorf("created %s as %s, stamped %s", kind, got.Handler.Kind, got.Handler.SourceAt)
		}
	}
}

// A job that is taken can be compiled and, started, has a firing ahead.
func TestCreatedJobsAreSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Enabled = true
		j.Schedule.Every = time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "every"))
		j.Timeout = time.Duration(rapid.Int64().Draw(t, "timeout"))
		j.Retry.Tries = rapid.IntRange(-5, 2000).Draw(t, "tries")
		j.Retry.Jitter = rapid.Float64().Draw(t, "jitter")
		j.Param = rapid.String().Draw(t, "param")
		created, err := c.CreateJob(t.Context(), j)
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Fatalf("kind %s: %v", job.KindOf(err), err)
			}
			return
		}
		s, err := created.Schedule.Compile()
		if err != nil || !created.NextAt.After(created.CreatedAt) {
			t.Fatalf("taken, and then: %v, next %s", err, created.NextAt)
		}
		if next, ok := s.Next(created.CreatedAt); !ok || !next.Equal(created.NextAt) {
			t.Fatalf("next is %s, the schedule says %s", created.NextAt, next)
		}
		if created.Timeout < 0 || created.Retry.Tries < 0 || created.Retry.Jitter > 1 {
			t.Fatalf("taken: %+v", created)
		}
	})
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	ctx := t.Context()
	started, err := c.StartJob(ctx, "", "report")
	if err != nil || !started.Enabled || !started.NextAt.After(time.Now()) || w.Scheduled != 1 {
		t.Fatalf("start: %+v, %v, planner woken %d times", started, err, w.Scheduled)
	}
	again, err := c.StartJob(ctx, "default", "report")
	if err != nil || again.Version != started.Version {
		t.Errorf("a second start: version %d after %d, %v", again.Version, started.Version, err)
	}
	w.RunsByID[7] = job.Run{ID: 7, JobID: started.ID, State: job.Planned}
	w.RunsByID[8] = job.Run{ID: 8, JobID: started.ID, State: job.Running}
	stopped, err := c.StopJob(ctx, "", "report")
	if err != nil || stopped.Enabled || !stopped.NextAt.IsZero() {
		t.Fatalf("stop: %+v, %v", stopped, err)
	}
	if r := w.RunsByID[7]; r.State != job.Cancelled || r.Reason != "the job was stopped before the firing was made up for" {
		t.Errorf("the planned run is %s: %s", r.State, r.Reason)
	}
	if w.RunsByID[8].State != job.Running {
		t.Error("a stop ended a running run")
	}
	if again, err := c.StopJob(ctx, "", "report"); err != nil || again.Version != stopped.Version {
		t.Errorf("a second stop: version %d after %d, %v", again.Version, stopped.Version, err)
	}
	// The last firing of a job that is over may be planned, and still to come.
	stopped.LastAt = time.Now().Add(time.Minute)
	w.JobsByKey["report"] = stopped
	if again, err := c.StopJob(ctx, "", "report"); err != nil || again.Version == stopped.Version {
		t.Errorf("a stop before the last firing: version %d after %d, %v", again.Version, stopped.Version, err)
	}
	for _, call := range []error{
		jobstest.ErrorOf(c.StartJob(ctx, "", "unknown")), jobstest.ErrorOf(c.StopJob(ctx, "other", "report")), c.DeleteJob(ctx, "", "unknown"),
	} {
		if !job.Is(call, job.NotFound) {
			t.Errorf("an unknown job: %v", call)
		}
	}
}

// The last user wins: a change is made anew when somebody else was quicker, and
// given up when that goes on.
func TestChangesMeetRivals(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	rivals := 2
	w.Rival = func() {
		if rivals > 0 {
			rivals--
			j := w.JobsByKey["report"]
			j.Version++
			j.Param = "theirs"
			w.JobsByKey["report"] = j
		}
	}
	started, err := c.StartJob(t.Context(), "", "report")
	if err != nil || !started.Enabled || started.Param != "theirs" {
		t.Errorf("start beside a rival: %+v, %v", started, err)
	}
	rivals = 1
	if err := c.DeleteJob(t.Context(), "", "report"); err != nil || len(w.JobsByKey) != 0 {
		t.Errorf("delete beside a rival: %v", err)
	}
	create(t, c, jobstest.GoodJob())
	rivals = math.MaxInt
	for _, err := range []error{jobstest.ErrorOf(c.StartJob(t.Context(), "", "report")), c.DeleteJob(t.Context(), "", "report")} {
		if !job.Is(err, job.Conflict) {
			t.Errorf("a rival that never rests: %v", err)
		}
	}
}

// What is due is planned before a job is stopped, deleted or given another schedule. A
// last firing among it ends the job; the change is made from that. Firings that have become
// due since are planned as well.
func TestDueFiringsComeFirst(t *testing.T) {
	t.Parallel()
	stop := func(ctx context.Context, c *Catalog) error { return jobstest.ErrorOf(c.StopJob(ctx, "", "report")) }
	reschedule := func(ctx context.Context, c *Catalog) error {
		return jobstest.ErrorOf(c.UpdateJob(ctx, "", "report", 0, func(j job.Job) (job.Job, error) {
			j.Schedule.Every = 2 * time.Minute
			return j, nil
		}))
	}
	remove := func(ctx context.Context, c *Catalog) error { return c.DeleteJob(ctx, "", "report") }
	rename := func(ctx context.Context, c *Catalog) error {
		return jobstest.ErrorOf(c.UpdateJob(ctx, "", "report", 0, func(j job.Job) (job.Job, error) {
			j.Title = "Report"
			return j, nil
		}))
	}
	for _, test := range []struct {
		name   string
		change func(context.Context, *Catalog) error
		ahead  time.Duration // of the next firing
		calls  int
		ends   bool // the planner takes the last firing
		due    bool // others are due at the write
	}{
		{name: "stop", change: stop, calls: 1},
		{name: "stop before a firing", change: stop, ahead: time.Minute},
		{name: "stop at the last firing", change: stop, calls: 1, ends: true},
		{name: "stop when others are due", change: stop, calls: 2, due: true},
		{name: "reschedule", change: reschedule, calls: 1},
		{name: "reschedule at the last firing", change: reschedule, calls: 1, ends: true},
		{name: "delete", change: remove, calls: 1},
		{name: "delete at the last firing", change: remove, calls: 1, ends: true},
		{name: "delete when others are due", change: remove, calls: 2, due: true},
		{name: "another title", change: rename},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, c := newWorld()
			draft := jobstest.GoodJob()
			draft.Enabled = true
			j := create(t, c, draft)
			j.NextAt = time.Now().Add(test.ahead).Truncate(time.Millisecond)
			w.JobsByKey[j.Key], w.DueNow = j, test.due
			calls := 0
			w.Late = func(id int64, at time.Time) (bool, error) {
				calls++
				if id != j.ID || at.Before(j.NextAt) || time.Since(at) > time.Minute {
					t.Errorf("job %d is planned up to %s", id, at)
				}
				if test.ends {
					over := w.JobsByKey[j.Key]
					over.Enabled, over.NextAt, over.LastAt, over.StopReason = false, time.Time{}, at, "no further firing"
					w.JobsByKey[j.Key] = over
				}
				return true, nil
			}
			if err := test.change(t.Context(), c); err != nil || calls != test.calls {
				t.Errorf("the change, after %d calls of the planner: %v", calls, err)
			}
			if now := w.JobsByKey[j.Key]; test.ends && now.Enabled {
				t.Errorf("a job that has ended goes on: %+v", now)
			}
		})
	}
	w, c := newWorld()
	draft := jobstest.GoodJob()
	draft.Enabled = true
	j := create(t, c, draft)
	ahead := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond) // that is how far the clock is behind
	c.config.Now = func() time.Time { return ahead }
	j.NextAt = ahead
	w.JobsByKey[j.Key] = j
	w.Late = func(int64, time.Time) (bool, error) { return false, job.Errorf(job.Unavailable, "away") }
	for _, change := range []func(context.Context, *Catalog) error{stop, reschedule, remove} {
		if err := change(t.Context(), c); !job.Is(err, job.Unavailable) || !w.JobsByKey[j.Key].Enabled {
			t.Errorf("without a database: %v, %+v", err, w.JobsByKey[j.Key])
		}
	}
}

func TestDeleteJob(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, jobstest.GoodJob())
	w.RunsByID[7] = job.Run{ID: 7, JobID: j.ID, State: job.Queued}
	if err := c.DeleteJob(t.Context(), "", "report"); err != nil {
		t.Fatal(err)
	}
	if r := w.RunsByID[7]; r.State != job.Cancelled || r.Reason != "the job was deleted" {
		t.Errorf("the waiting run is %s: %s", r.State, r.Reason)
	}
	if _, err := c.Job(t.Context(), "", "report"); !job.Is(err, job.NotFound) {
		t.Errorf("the deleted job: %v", err)
	}
	create(t, c, jobstest.GoodJob()) // its key is free again
}

func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	ctx := t.Context()
	for _, limit := range []int{0, 7, 5000, -1} {
		if _, err := c.Jobs(ctx, jobrows.JobFilter{Limit: limit}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Runs(ctx, jobrows.RunFilter{Limit: limit, State: job.Failed}); err != nil {
			t.Fatal(err)
		}
	}
	want := []any{
		jobrows.JobFilter{Namespace: "default", Limit: 100},
		jobrows.RunFilter{State: job.Failed, Limit: 100},
		jobrows.JobFilter{Namespace: "default", Limit: 7},
		jobrows.RunFilter{State: job.Failed, Limit: 7},
		jobrows.JobFilter{Namespace: "default", Limit: 1000},
		jobrows.RunFilter{State: job.Failed, Limit: 1000},
		jobrows.JobFilter{Namespace: "default", Limit: 100},
		jobrows.RunFilter{State: job.Failed, Limit: 100},
	}
	if diff := cmp.Diff(want, w.Filters); diff != "" {
		t.Errorf("filters (-want +got):\n%s", diff)
	}
	_, err := c.Runs(ctx, jobrows.RunFilter{State: "confused"})
	if wrong, ok := errors.AsType[*job.Error](err); !ok || wrong.Field != "state" {
		t.Errorf("an unknown state: %v", err)
	}
}

func TestStoreErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	id := w.Open(job.Running)
	w.Fail = job.Errorf(job.Unavailable, "the database is away")
	ctx := t.Context()
	yesterday := time.Now().Add(-24 * time.Hour)
	other := jobstest.GoodJob()
	other.Key = "other"
	for name, err := range map[string]error{
		"create":    jobstest.ErrorOf(c.CreateJob(ctx, other)),
		"start":     jobstest.ErrorOf(c.StartJob(ctx, "", "report")),
		"delete":    c.DeleteJob(ctx, "", "report"),
		"trigger":   jobstest.ErrorOf(c.Trigger(ctx, "", "report", Trigger{})),
		"cancel":    jobstest.ErrorOf(c.CancelRun(ctx, id, "")),
		"jobs":      jobstest.ErrorOf(c.Jobs(ctx, jobrows.JobFilter{})),
		"calendar":  jobstest.ErrorOf(c.SaveCalendar(ctx, job.Calendar{Key: "works"})),
		"calendars": jobstest.ErrorOf(c.Calendars(ctx, "")),
		"pause":     jobstest.ErrorOf(c.SavePause(ctx, job.Pause{Key: "all"})),
		"pauses":    jobstest.ErrorOf(c.Pauses(ctx)),
		"backfill":  jobstest.ErrorOf(c.CreateBackfill(ctx, "", "report", job.Backfill{From: yesterday, To: yesterday.Add(time.Hour)})),
		"backfills": jobstest.ErrorOf(c.Backfills(ctx, jobrows.BackfillQuery{})),
	} {
		if !job.Is(err, job.Unavailable) {
			t.Errorf("%s while the store is away: %v", name, err)
		}
	}
	if w.Scheduled != 0 || len(w.Ready) != 0 || w.Filled != 0 {
		t.Error("somebody was woken for what was not written")
	}
}
