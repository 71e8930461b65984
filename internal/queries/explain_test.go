package queries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

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
	w, c := newRoom()
	j := c.create(t, jobstest.GoodJob())
	parent := w.Open(job.Succeeded)
	w.LastID++
	fill := w.LastID
	w.BackfillsByID[fill] = job.Backfill{ID: fill, From: jobstest.Midnight, To: jobstest.Midnight.Add(time.Hour)}
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
		w.RunsByID[50] = job.Run{
			ID: 50, JobID: test.job, GroupID: 1, PlannedAt: jobstest.Midnight, Cause: test.cause, CauseID: test.causeID, State: job.Running, Tries: 2,
			AttemptID: 502, CreatedAt: time.Now(),
		}
		w.AttemptsByRun[50] = []job.Attempt{
			{ID: 501, RunID: 50, Number: 1, Address: "http://old", State: job.Failed, TriggeredAt: jobstest.Midnight, EndedAt: jobstest.Midnight},
			{ID: 502, RunID: 50, Number: 2, Address: "http://1", State: job.Running, TriggeredAt: jobstest.Midnight},
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
	w.RunsByID[50] = job.Run{ID: 50, JobID: j.ID, GroupID: 1, PlannedAt: jobstest.Midnight, Cause: job.CauseSchedule, State: job.Planned, CreatedAt: jobstest.Midnight}
	w.RunsByID[51] = job.Run{ID: 51, JobID: j.ID, GroupID: 1, Priority: job.PriorityHigh, Cause: job.CauseManual, State: job.Planned, CreatedAt: jobstest.Midnight}
	want := "1 run of a higher priority and 0 runs due earlier come first"
	if e, err := c.ExplainRun(t.Context(), 50, access.Sight{All: true}); err != nil || !strings.Contains(e.Answer, want) {
		t.Errorf("a run that waits behind another: %q, %v, want %q in it", e.Answer, err, want)
	}
	delete(w.RunsByID, 51)
	// Of a job that who asks may not see there is nothing but that there is one.
	stranger := jobstest.GoodJob()
	stranger.Key, stranger.Group = "secretive", "strangers"
	theirs := c.create(t, stranger)
	secretive := w.RunsByID[parent]
	secretive.JobID, secretive.JobKey = theirs.ID, theirs.Key
	w.RunsByID[parent] = secretive
	w.RunsByID[50] = job.Run{ID: 50, JobID: j.ID, GroupID: 1, Cause: job.CauseParent, CauseID: parent, State: job.Running, CreatedAt: time.Now()}
	for group, sees := range map[string]bool{"strangers": true, j.Group: false} {
		e, err := c.ExplainRun(t.Context(), 50, access.Sight{Places: []access.Place{{Namespace: j.Namespace, Group: group}}})
		if said := fmt.Sprint(e); err != nil || strings.Contains(said, "which succeeded") != sees || strings.Contains(said, "may not see") == sees {
			t.Errorf("to who sees group %s: %s, %v", group, said, err)
		}
	}
	if _, err := c.ExplainRun(t.Context(), 777, access.Sight{All: true}); !job.Is(err, job.NotFound) {
		t.Errorf("of no run: %v", err)
	}
	w.Fail = errors.New("the disk is full")
	if _, err := c.ExplainRun(t.Context(), 50, access.Sight{All: true}); !errors.Is(err, w.Fail) {
		t.Errorf("of a store that fails: %v", err)
	}
}

func TestExplainJob(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight}
	j = c.create(t, j)
	j.CreatedAt, j.UpdatedAt, j.Enabled = jobstest.Midnight.Add(-time.Hour), jobstest.Midnight.Add(-time.Hour), true
	j.NextAt, j.LastAt = time.Now().Add(time.Hour), jobstest.Midnight.Add(24*time.Hour)
	w.JobsByKey["report"] = j
	w.RunsByID[90] = job.Run{ID: 90, JobID: j.ID, PlannedAt: jobstest.Midnight.Add(time.Hour), Cause: job.CauseSchedule, State: job.Skipped, Reason: "it rained"}
	w.PausesByKey["mine"] = job.Pause{Key: "mine", From: jobstest.Midnight, CreatedAt: jobstest.Midnight.Add(-time.Hour)}
	w.PausesByKey["others"] = job.Pause{Key: "others", Groups: []string{"strangers"}, From: jobstest.Midnight, CreatedAt: jobstest.Midnight.Add(-time.Hour)}
	for _, test := range []struct {
		name   string
		at     explain.Moment
		answer string
		kinds  string
	}{
		{"now", explain.Moment{}, "Job report would fire next at", " held "},
		{"a slot with a record", explain.Moment{At: jobstest.Midnight.Add(time.Hour)}, "No: run 90 was skipped: it rained.", " run "},
		{"the same on the clock", explain.Moment{Wall: jobstest.Midnight.Add(time.Hour)}, "No: run 90 was skipped: it rained.", " run "},
		{"a slot after a record", explain.Moment{At: jobstest.Midnight.Add(2 * time.Hour)}, "may stand for it too: it rained.", " record_before "},
		{"no slot", explain.Moment{At: jobstest.Midnight.Add(time.Minute)}, "is no slot of its schedule", " firing_before "},
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
	jobstest.WantField(t, err, "at")
	w.Fail = errors.New("the disk is full")
	for _, at := range []explain.Moment{{}, {At: jobstest.Midnight}} {
		if _, err := c.ExplainJob(t.Context(), "", "report", at); !errors.Is(err, w.Fail) {
			t.Errorf("of a store that fails: %v", err)
		}
	}
}

// A calendar that is gone does not keep a job from being explained.
func TestExplainJobWithoutItsCalendar(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	c.closed(t, "works", "2026-01-01", "2026-01-02")
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, Calendars: []string{"works"}}
	c.create(t, j)
	e, err := c.ExplainJob(t.Context(), "", "report", explain.Moment{At: jobstest.Midnight.Add(240000 * time.Hour)})
	if err != nil || !strings.HasPrefix(e.Answer, "No, as things stand") {
		t.Errorf("with its calendar: %q, %v", e.Answer, err)
	}
	clear(w.CalendarsByKey)
	e, err = c.ExplainJob(t.Context(), "", "report", explain.Moment{})
	if err != nil || !strings.Contains(kinds(e), " schedule_unreadable ") {
		t.Errorf("without it: %s, %v", kinds(e), err)
	}
}

// A run that was split has no log of its own, and is explained by its shards.
func TestSplitRun(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	r := w.Split(c.create(t, jobstest.GoodJob()), job.Running, job.Running, job.Queued)
	page, err := c.Log(t.Context(), r.ID, LogQuery{})
	if err != nil || page.To != 1 || page.End || !strings.Contains(page.Text, "orth run show 100") {
		t.Errorf("the log: %+v, %v", page, err)
	}
	if page, err = c.Log(t.Context(), r.ID, LogQuery{From: 2}); err != nil || page.To != 1 || page.Text != "" || page.End {
		t.Errorf("the rest of the log: %+v, %v", page, err)
	}
	story, err := c.ExplainRun(t.Context(), r.ID, access.Sight{All: true})
	if err != nil || story.Answer != "Run 100 of job report is running: 2 of 2 shards are not over, 0 failed." {
		t.Errorf("explained: %q, %v", story.Answer, err)
	}
}

// tomb finds one dead letter.
type tomb struct {
	letter job.DeadLetter
	fail   error
}

func (g *tomb) DeadLettersOf(_ context.Context, runs []int64) ([]job.DeadLetter, error) {
	if g.fail != nil || !slices.Contains(runs, g.letter.RunID) {
		return nil, g.fail
	}
	return []job.DeadLetter{g.letter}, nil
}

// What a run's dead letter says is part of its explanation, and so is the run
// that it is in the place of.
func TestExplainDeadRun(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	g := &tomb{letter: job.DeadLetter{RunID: 1, JobID: 1, JobKey: "report", State: job.Failed, Status: job.LetterRedriven, RedrivenRun: 2}}
	c.config.DeadLetters = g
	c.create(t, jobstest.GoodJob())
	w.RunsByID[1] = job.Run{ID: 1, JobID: 1, State: job.Failed, Cause: job.CauseManual, CauseID: 1, Tries: 1}
	now := time.Now()
	r := job.RedriveOf(&job.Run{ID: 1, State: job.Failed}, 2, nil, now, now)
	r.JobID, r.State, r.EndedAt = 1, job.Lost, time.Now() // it ended badly before dead letters were kept
	w.RunsByID[r.ID] = r
	for run, want := range map[int64]string{1: fmt.Sprintf("run %d was made in its place", r.ID), r.ID: "in the place of run 1, which failed"} {
		e, err := c.ExplainRun(t.Context(), run, access.Sight{All: true})
		if err != nil || !slices.ContainsFunc(e.Facts, func(f explain.Fact) bool { return strings.Contains(f.Text, want) }) {
			t.Errorf("run %d: %v, %+v", run, err, e.Facts)
		}
	}
	g.fail = job.Errorf(job.Unavailable, "the disk is full")
	if _, err := c.ExplainRun(t.Context(), 1, access.Sight{All: true}); !job.Is(err, job.Unavailable) {
		t.Errorf("while the store is away: %v", err)
	}
}
