package app

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A running server tells why a job that is held makes no run, why a run that was
// made waits, and why a slot of the past had none.
func TestWhy(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c := s.Jobs()
	ctx := t.Context()
	answer := func(key string, at explain.Moment) string {
		t.Helper()
		e, err := s.Queries().ExplainJob(ctx, "", key, at)
		if err != nil {
			t.Fatal(err)
		}
		return e.Answer
	}
	has := func(what, answer, want string) {
		t.Helper()
		if !strings.Contains(answer, want) {
			t.Errorf("%s: %q, want %q in it", what, answer, want)
		}
	}
	if _, err := c.SavePause(ctx, job.Pause{Key: "all", Groups: []string{"g"}, Reason: "moving house"}); err != nil {
		t.Fatal(err)
	}
	create(t, c, "paced", schedule.Spec{Kind: schedule.KindEvery, Every: 200 * time.Millisecond, Count: 1})
	until(t, "the pause holds the job", func() bool { return find(t, c, "paced").HeldBy == "all" })
	slot := find(t, c, "paced").NextAt
	until(t, "the slot has passed", func() bool { return time.Now().After(slot) })
	const held = "pause all holds it back until it is lifted: moving house"
	has("a job that is held", answer("paced", explain.Moment{}), held)
	has("a slot that is held back", answer("paced", explain.Moment{At: slot}), "Not yet: "+held)
	has("the past", answer("paced", explain.Moment{At: slot.Add(-time.Hour)}), "No: the job did not exist then")
	if err := c.DeletePause(ctx, "all"); err != nil {
		t.Fatal(err)
	}
	until(t, "a run waits for an executor", func() bool {
		runs, err := c.Runs(ctx, jobrows.RunFilter{JobID: find(t, c, "paced").ID})
		return err == nil && len(runs) > 0 && runs[0].State == job.Queued
	})
	runs, err := c.Runs(ctx, jobrows.RunFilter{JobID: find(t, c, "paced").ID, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	has("the slot of the run", answer("paced", explain.Moment{At: runs[0].PlannedAt}), "is queued: no executor of group g is alive")
	e, err := s.Queries().ExplainRun(ctx, runs[0].ID, access.Sight{All: true})
	if err != nil {
		t.Fatal(err)
	}
	has("the run", e.Answer, "waits: no executor of group g is alive")
	has("the job that has ended", answer("paced", explain.Moment{}), "it has stopped by itself: its schedule has made its one run")
}
