package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// RunsOfSlot finds the runs of a world.
func (w *world) RunsOfSlot(_ context.Context, jobID int64, at time.Time, limit int) ([]job.Run, error) {
	var found []job.Run
	for _, r := range w.runs {
		if r.JobID == jobID && r.PlannedAt.Equal(at) && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, w.fail
}

// FiringBefore finds a run of a world.
func (w *world) FiringBefore(_ context.Context, jobID int64, at time.Time) (latest job.Run, known bool, err error) {
	for _, r := range w.runs {
		if r.JobID == jobID && r.PlannedAt.Before(at) && r.PlannedAt.After(latest.PlannedAt) {
			latest, known = r, true
		}
	}
	return latest, known, w.fail
}

// RunsAhead counts the waiting runs of a world that have a higher priority.
func (w *world) RunsAhead(_ context.Context, run *job.Run, _ time.Time, limit int) (ahead explain.Ahead, err error) {
	for _, r := range w.runs {
		if r.State.Waiting() && r.Priority.Rank() < run.Priority.Rank() && ahead.Higher < limit {
			ahead.Higher++
		}
	}
	return ahead, w.fail
}

// kinds returns the kinds of the facts of an explanation.
func kinds(e explain.Explanation) string {
	var all []string
	for _, f := range e.Facts {
		all = append(all, string(f.Kind))
	}
	return " " + strings.Join(all, " ") + " "
}

func TestExplainRun(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, good())
	parent := w.open(job.Succeeded)
	w.lastID++
	fill := w.lastID
	w.backfills[fill] = job.Backfill{ID: fill, From: midnight, To: midnight.Add(time.Hour)}
	for _, test := range []struct {
		name    string
		cause   job.Cause
		causeID int64
		job     int64
		want    string // in the cause
		answer  string
	}{
		{"of a schedule", job.CauseSchedule, 0, j.ID, "made by the schedule of job report: Every", "Run 50 of job report is running: attempt 2 was sent to http://1"},
		{"of a job that is gone", job.CauseSchedule, 0, 777, "made by the schedule of job report", "Run 50 of job report is running"},
		{"of a parent", job.CauseParent, parent, j.ID, "of job report, which succeeded", "Run 50"},
		{"of a parent that is gone", job.CauseParent, 777, j.ID, "run 777, which is not kept any more", "Run 50"},
		{"of a backfill", job.CauseBackfill, fill, j.ID, "which runs the slots from 2026-01-0", "Run 50"},
		{"of a backfill that is gone", job.CauseBackfill, 777, j.ID, "backfill 777, which is not kept any more", "Run 50"},
	} {
		w.runs[50] = job.Run{
			ID: 50, JobID: test.job, GroupID: 1, PlannedAt: midnight, Cause: test.cause, CauseID: test.causeID, State: job.Running, Tries: 2,
			AttemptID: 502, CreatedAt: time.Now(),
		}
		w.attempts[50] = []job.Attempt{
			{ID: 501, RunID: 50, Number: 1, Address: "http://old", State: job.Failed, TriggeredAt: midnight, EndedAt: midnight},
			{ID: 502, RunID: 50, Number: 2, Address: "http://1", State: job.Running, TriggeredAt: midnight},
		}
		e, err := c.ExplainRun(t.Context(), 50, access.Sight{All: true})
		if err != nil || !strings.Contains(e.Answer, test.answer) || !strings.Contains(kinds(e), " executors ") {
			t.Errorf("%s: %q with %s, %v", test.name, e.Answer, kinds(e), err)
		}
		told := ""
		for _, f := range e.Facts {
			if f.Kind == explain.KindCause {
				told = f.Text
			}
		}
		if !strings.Contains(told, test.want) {
			t.Errorf("%s: the cause is %q, want %q in it", test.name, told, test.want)
		}
	}
	w.runs[50] = job.Run{ID: 50, JobID: j.ID, GroupID: 1, PlannedAt: midnight, Cause: job.CauseSchedule, State: job.Planned, CreatedAt: midnight}
	w.runs[51] = job.Run{ID: 51, JobID: j.ID, GroupID: 1, Priority: job.PriorityHigh, Cause: job.CauseManual, State: job.Planned, CreatedAt: midnight}
	want := "1 run of a higher priority and 0 runs due earlier come first"
	if e, err := c.ExplainRun(t.Context(), 50, access.Sight{All: true}); err != nil || !strings.Contains(e.Answer, want) {
		t.Errorf("a run that waits behind another: %q, %v, want %q in it", e.Answer, err, want)
	}
	delete(w.runs, 51)
	// Of a job that who asks may not see there is nothing but that there is one.
	stranger := good()
	stranger.Key, stranger.Group = "secretive", "strangers"
	theirs := create(t, c, stranger)
	secretive := w.runs[parent]
	secretive.JobID, secretive.JobKey = theirs.ID, theirs.Key
	w.runs[parent] = secretive
	w.runs[50] = job.Run{ID: 50, JobID: j.ID, GroupID: 1, Cause: job.CauseParent, CauseID: parent, State: job.Running, CreatedAt: time.Now()}
	for group, sees := range map[string]bool{"strangers": true, j.Group: false} {
		e, err := c.ExplainRun(t.Context(), 50, access.Sight{Places: []access.Place{{Namespace: j.Namespace, Group: group}}})
		if said := fmt.Sprint(e); err != nil || strings.Contains(said, "which succeeded") != sees || strings.Contains(said, "may not see") == sees {
			t.Errorf("to who sees group %s: %s, %v", group, said, err)
		}
	}
	if _, err := c.ExplainRun(t.Context(), 777, access.Sight{All: true}); !job.Is(err, job.NotFound) {
		t.Errorf("of no run: %v", err)
	}
	w.fail = errors.New("the disk is full")
	if _, err := c.ExplainRun(t.Context(), 50, access.Sight{All: true}); !errors.Is(err, w.fail) {
		t.Errorf("of a store that fails: %v", err)
	}
}

func TestExplainJob(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := good()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: midnight}
	j = create(t, c, j)
	j.CreatedAt, j.UpdatedAt, j.Enabled = midnight.Add(-time.Hour), midnight.Add(-time.Hour), true
	j.NextAt, j.LastAt = time.Now().Add(time.Hour), midnight.Add(24*time.Hour)
	w.jobs["report"] = j
	w.runs[90] = job.Run{ID: 90, JobID: j.ID, PlannedAt: midnight.Add(time.Hour), Cause: job.CauseSchedule, State: job.Skipped, Reason: "it rained"}
	w.pauses["mine"] = job.Pause{Key: "mine", From: midnight, CreatedAt: midnight.Add(-time.Hour)}
	w.pauses["others"] = job.Pause{Key: "others", Groups: []string{"strangers"}, From: midnight, CreatedAt: midnight.Add(-time.Hour)}
	for _, test := range []struct {
		name   string
		at     explain.Moment
		answer string
		kinds  string
	}{
		{"now", explain.Moment{}, "Job report would fire next at", " held "},
		{"a slot with a record", explain.Moment{At: midnight.Add(time.Hour)}, "No: run 90 was skipped: it rained.", " run "},
		{"the same on the clock", explain.Moment{Wall: midnight.Add(time.Hour)}, "No: run 90 was skipped: it rained.", " run "},
		{"a slot after a record", explain.Moment{At: midnight.Add(2 * time.Hour)}, "may stand for it too: it rained.", " record_before "},
		{"no slot", explain.Moment{At: midnight.Add(time.Minute)}, "is no slot of its schedule", " firing_before "},
	} {
		e, err := c.ExplainJob(t.Context(), "", "report", test.at)
		if err != nil || !strings.Contains(e.Answer, test.answer) || !strings.Contains(kinds(e), test.kinds) {
			t.Errorf("%s: %q with %s, %v", test.name, e.Answer, kinds(e), err)
		}
		for _, f := range e.Facts {
			if strings.Contains(f.Text, "others") {
				t.Errorf("%s: a pause of others: %q", test.name, f.Text)
			}
		}
	}
	if _, err := c.ExplainJob(t.Context(), "", "unknown", explain.Moment{}); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown job: %v", err)
	}
	_, err := c.ExplainJob(t.Context(), "", "report", explain.Moment{Wall: time.Date(1066, 1, 1, 0, 0, 0, 0, time.UTC)})
	wantField(t, err, "at")
	w.fail = errors.New("the disk is full")
	for _, at := range []explain.Moment{{}, {At: midnight}} {
		if _, err := c.ExplainJob(t.Context(), "", "report", at); !errors.Is(err, w.fail) {
			t.Errorf("of a store that fails: %v", err)
		}
	}
}

// A calendar that is gone does not keep a job from being explained.
func TestExplainJobWithoutItsCalendar(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	closed(t, c, "works", "2026-01-01", "2026-01-02")
	j := good()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: midnight, Calendars: []string{"works"}}
	create(t, c, j)
	e, err := c.ExplainJob(t.Context(), "", "report", explain.Moment{At: midnight.Add(240000 * time.Hour)})
	if err != nil || !strings.HasPrefix(e.Answer, "No, as things stand") {
		t.Errorf("with its calendar: %q, %v", e.Answer, err)
	}
	clear(w.calendars)
	e, err = c.ExplainJob(t.Context(), "", "report", explain.Moment{})
	if err != nil || !strings.Contains(kinds(e), " schedule_unreadable ") {
		t.Errorf("without it: %s, %v", kinds(e), err)
	}
}
