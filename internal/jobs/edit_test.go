package jobs

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// update edits a job whatever its version.
func update(t *testing.T, c *Catalog, key string, edit func(*job.Job)) job.Job {
	t.Helper()
	j, err := tryUpdate(t.Context(), c, key, 0, edit)
	if err != nil {
		t.Fatalf("UpdateJob: %v", err)
	}
	return j
}

func tryUpdate(ctx context.Context, c *Catalog, key string, version int64, edit func(*job.Job)) (job.Job, error) {
	return c.UpdateJob(ctx, "", key, version, func(j job.Job) (job.Job, error) {
		edit(&j)
		return j, nil
	})
}

func started() job.Job {
	j := jobstest.GoodJob()
	j.Enabled = true
	return j
}

func TestUpdateJob(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	was := create(t, c, started())
	want := was
	got := update(t, c, "report", func(j *job.Job) {
		j.Title, j.Param, j.Group = "new", "p", "other"
		// What only the catalog may say is not taken from the user.
		j.ID, j.Version, j.Enabled, j.Fired, j.Failures, j.NextAt = 99, 99, false, 9, 9, time.Unix(1, 0)
		j.StopReason, j.HeldBy, j.CreatedAt = "x", "x", time.Unix(1, 0)
	})
	want.Title, want.Param, want.Group, want.Version, want.UpdatedAt = "new", "p", "other", 2, got.UpdatedAt
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed job (-want +got):\n%s", diff)
	}
	if got.UpdatedAt.Before(was.UpdatedAt) || w.Scheduled != 1 || len(w.Ready) != 1 {
		t.Errorf("updated at %s, planner woken %d times, dispatcher %d times", got.UpdatedAt, w.Scheduled, len(w.Ready))
	}

	again := update(t, c, "report", func(j *job.Job) { j.Title, j.Misfire, j.Route = "new", "", "" })
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("a change that is none (-want +got):\n%s", diff)
	}
	if len(w.Ready) != 1 {
		t.Error("the dispatcher was woken for nothing")
	}

	moved := update(t, c, "report", func(j *job.Job) { j.Key = "daily" })
	if _, err := c.Job(t.Context(), "", "daily"); err != nil || moved.ID != was.ID || len(w.JobsByKey) != 1 {
		t.Errorf("renamed to %+v: %v", moved, err)
	}
}

// TestUpdateChecks: an edit is checked as a new job is, and changes nothing when
// it is wrong.
func TestUpdateChecks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field string
		edit  func(*job.Job)
	}{
		{"namespace", func(j *job.Job) { j.Namespace = "elsewhere" }},
		{"key", func(j *job.Job) { j.Key = "No" }},
		{"group", func(j *job.Job) { j.Group = "" }},
		{"handler", func(j *job.Job) { j.Handler = job.Handler{} }},
		{"handler.name", func(j *job.Job) { j.Handler.Name = "" }},
		{"concurrency", func(j *job.Job) { j.Concurrency = 9 }},
		{"schedule.every", func(j *job.Job) { j.Schedule.Every = 1 }},
		{"schedule", func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindManual} }},
		{"schedule", func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindOnce, At: time.Now().Add(-time.Hour)} }},
		{"schedule.at", func(j *job.Job) {
			j.Schedule = schedule.Spec{Kind: schedule.KindOnce, At: time.Now().Add(time.Hour), Delay: time.Hour}
		}},
		{"misfire_limits.max", func(j *job.Job) { j.MisfireLimits.Max = -1 }},
		{"template_version", func(j *job.Job) { j.TemplateVersion = 3 }},
	} {
		w, c := newWorld()
		was := create(t, c, started())
		_, err := tryUpdate(t.Context(), c, "report", 0, test.edit)
		wantFault(t, err, test.field)
		if diff := cmp.Diff(was, w.JobsByKey["report"]); diff != "" {
			t.Errorf("%s: a refused edit changed the job:\n%s", test.field, diff)
		}
	}
}

// wantFault checks that the input at the field was refused.
func wantFault(t *testing.T, err error, field string) {
	t.Helper()
	wrong, ok := err.(*job.Error) //nolint:errorlint // It is not wrapped.
	if !ok || wrong.Kind != job.Invalid || wrong.Field != field {
		t.Errorf("want a fault in %s, got %v", field, err)
	}
}

func TestUpdateComparesVersions(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	title := func(text string) func(*job.Job) { return func(j *job.Job) { j.Title = text } }
	if _, err := tryUpdate(t.Context(), c, "report", 1, title("a")); err != nil {
		t.Fatal(err)
	}
	_, err := tryUpdate(t.Context(), c, "report", 1, title("b"))
	if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("over an old version: %v", err)
	}

	// Somebody else changes the job in between: an edit of any version is made
	// anew, one of a version is refused.
	rivals := 0
	w.Rival = func() {
		if rivals++; rivals == 1 {
			j := w.JobsByKey["report"]
			j.Param, j.Version = "rival", j.Version+1
			w.JobsByKey["report"] = j
		}
	}
	if j := update(t, c, "report", title("c")); j.Title != "c" || j.Param != "rival" || j.Version != 4 {
		t.Errorf("after a rival: %+v", j)
	}
	rivals = 0
	if _, err := tryUpdate(t.Context(), c, "report", 4, title("d")); !job.Is(err, job.Conflict) {
		t.Errorf("over a version with a rival: %v", err)
	}

	w.Rival = func() {}
	other := jobstest.GoodJob()
	other.Key = "other"
	create(t, c, other)
	_, err = tryUpdate(t.Context(), c, "report", 0, func(j *job.Job) { j.Key = "other" })
	if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "taken") {
		t.Errorf("a key that is taken: %v", err)
	}
	if _, err := tryUpdate(t.Context(), c, "missing", 0, title("x")); !job.Is(err, job.NotFound) {
		t.Errorf("a missing job: %v", err)
	}
	_, err = c.UpdateJob(t.Context(), "", "report", 0, func(job.Job) (job.Job, error) {
		return job.Job{}, job.Errorf(job.Unavailable, "not now")
	})
	if !job.Is(err, job.Unavailable) {
		t.Errorf("an edit that fails: %v", err)
	}
}

// TestUpdateReschedules: only a changed schedule moves the next firing.
func TestUpdateReschedules(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	was := create(t, c, started())
	got := update(t, c, "report", func(j *job.Job) { j.Schedule.Every = time.Hour })
	if want := was.Schedule.Anchor.Add(time.Hour); !got.NextAt.Equal(want) || !got.Enabled || w.Scheduled != 2 {
		t.Errorf("next firing %s, want %s; planner woken %d times", got.NextAt, want, w.Scheduled)
	}
	next := got.NextAt
	if got = update(t, c, "report", func(j *job.Job) { j.Param = "x" }); !got.NextAt.Equal(next) || w.Scheduled != 2 {
		t.Errorf("another edit moved the next firing to %s", got.NextAt)
	}
	if _, err := c.StopJob(t.Context(), "", "report"); err != nil {
		t.Fatal(err)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Schedule.Every = time.Minute })
	if !got.NextAt.IsZero() || got.Enabled || w.Scheduled != 2 {
		t.Errorf("a stopped job fires at %s", got.NextAt)
	}
	if got = update(t, c, "report", func(j *job.Job) { j.Schedule = schedule.Spec{} }); got.Schedule.Kind != schedule.KindManual {
		t.Errorf("an emptied schedule is %s", got.Schedule)
	}
}

// TestUpdateKeepsClockRules: a job without rules for steps of the clock is shown
// the ones that it has by default; it keeps them when its user leaves them, and a
// new schedule gets those of a new job.
func TestUpdateKeepsClockRules(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	old := create(t, c, jobstest.GoodJob())
	old.Schedule = schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{
		{Kind: schedule.KindCron, Cron: "0 0 12 * * ?"}, {Kind: schedule.KindEvery, Every: time.Hour, Anchor: old.CreatedAt},
	}}
	w.JobsByKey["report"] = old
	got := update(t, c, "report", func(j *job.Job) {
		if rules := j.Schedule.Of[0].DST; rules == nil || *rules != schedule.Quartz() {
			t.Errorf("shown the rules %+v", rules)
		}
		j.Title = "new"
	})
	if diff := cmp.Diff(old.Schedule, got.Schedule); diff != "" {
		t.Errorf("schedule (-want +got):\n%s", diff)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Schedule.Count = 3 })
	if rules := got.Schedule.Of[0].DST; rules == nil || *rules != schedule.Quartz() {
		t.Errorf("with a count: %+v", rules)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 1 * * ?"} })
	if rules := got.Schedule.DST; rules == nil || *rules != schedule.Wall() {
		t.Errorf("a new schedule: %+v", rules)
	}
}

// TestUpdateKeepsJitter: a new key does not move the firings.
func TestUpdateKeepsJitter(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := started()
	j.Schedule.Jitter = time.Minute
	was := create(t, c, j)
	got := update(t, c, "report", func(j *job.Job) { j.Key, j.Schedule.Seed = "other", 0 })
	if diff := cmp.Diff(was.Schedule, got.Schedule); diff != "" || !got.NextAt.Equal(was.NextAt) {
		t.Errorf("next firing %s, was %s; schedule %s", got.NextAt, was.NextAt, diff)
	}
	got = update(t, c, "other", func(j *job.Job) { j.Schedule.Jitter = 0 })
	if got.Schedule.Seed != 0 {
		t.Errorf("seed %d without jitter", got.Schedule.Seed)
	}
}

// TestUpdateOnce: a job that fires a while after its start has an instant since
// it was started; a new delay counts from now.
func TestUpdateOnce(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := started()
	j.Schedule = schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour}
	was := create(t, c, j)
	got := update(t, c, "report", func(j *job.Job) { j.Title = "x" })
	if diff := cmp.Diff(was.Schedule, got.Schedule); diff != "" || !got.NextAt.Equal(was.NextAt) {
		t.Errorf("next firing %s; %s", got.NextAt, diff)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Schedule.Delay = 2 * time.Hour })
	if want := got.UpdatedAt.Add(2 * time.Hour); !got.NextAt.Equal(want) || !got.Schedule.At.Equal(want) {
		t.Errorf("next firing %s, want %s", got.NextAt, want)
	}
	if _, err := c.StopJob(t.Context(), "", "report"); err != nil {
		t.Fatal(err)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Schedule.Delay = time.Hour })
	if !got.Schedule.At.IsZero() {
		t.Errorf("a stopped job has the instant %s", got.Schedule.At)
	}
}

// TestUpdateScript: executors keep what they have made of a script by its instant.
func TestUpdateScript(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := jobstest.GoodJob()
	j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo a"}
	was := create(t, c, j)
	same := update(t, c, "report", func(j *job.Job) { j.Handler.SourceAt, j.Title = time.Time{}, "x" })
	if diff := cmp.Diff(was.Handler, same.Handler); diff != "" {
		t.Errorf("the same script: %s", diff)
	}
	ahead := time.Now().Add(time.Hour).Truncate(time.Millisecond) // another server's clock
	same.Handler.SourceAt = ahead
	w.JobsByKey["report"] = same
	got := update(t, c, "report", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo b"} })
	if !got.Handler.SourceAt.After(ahead) {
		t.Errorf("a new script of %s after one of %s", got.Handler.SourceAt, ahead)
	}
	got = update(t, c, "report", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerNamed, Name: "n"} })
	if !got.Handler.SourceAt.IsZero() {
		t.Errorf("a named handler has the instant %s", got.Handler.SourceAt)
	}
}

func TestUpdateOverlap(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := jobstest.GoodJob()
	j.Overlap, j.Concurrency = job.OverlapConcurrent, 4
	create(t, c, j)
	if got := update(t, c, "report", func(j *job.Job) { j.Overlap = job.OverlapSerial }); got.Concurrency != 0 {
		t.Errorf("concurrency %d of a serial job", got.Concurrency)
	}
	if got := update(t, c, "report", func(j *job.Job) { j.Overlap = job.OverlapConcurrent }); got.Concurrency != 1 {
		t.Errorf("concurrency %d of a concurrent job", got.Concurrency)
	}
}

// TestUpdateProperties: whatever is edited, what the catalog keeps stays, the
// version grows exactly when the definition has changed, and the same edit again
// is none.
func TestUpdateProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Enabled = rapid.Bool().Draw(rt, "enabled")
		was, err := c.CreateJob(t.Context(), j)
		if err != nil {
			rt.Fatal(err)
		}
		title := rapid.SampledFrom([]string{"", "a"}).Draw(rt, "title")
		every := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(rt, "every")
		overlap := rapid.SampledFrom([]job.Overlap{"", job.OverlapSerial, job.OverlapCover}).Draw(rt, "overlap")
		edit := func(j *job.Job) { j.Title, j.Schedule.Every, j.Overlap = title, every, overlap }
		got, err := tryUpdate(t.Context(), c, "report", 0, edit)
		if err != nil {
			rt.Fatal(err)
		}
		changed := title != was.Title || every != was.Schedule.Every || (overlap != "" && overlap != was.Overlap)
		if grown := got.Version != was.Version; grown != changed {
			rt.Fatalf("version %d after %d, changed %t", got.Version, was.Version, changed)
		}
		if got.ID != was.ID || got.Enabled != was.Enabled || got.NextAt.IsZero() == was.Enabled {
			rt.Fatalf("job %+v was %+v", got, was)
		}
		if again, err := tryUpdate(t.Context(), c, "report", got.Version, edit); err != nil || again.Version != got.Version {
			rt.Fatalf("again: version %d after %d: %v", again.Version, got.Version, err)
		}
	})
}
