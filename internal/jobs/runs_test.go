package jobs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestTrigger(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, jobstest.GoodJob())
	param := "by hand"
	for _, p := range []*string{nil, &param} {
		r, err := c.Trigger(t.Context(), "", "report", Trigger{Param: p, JobVersion: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := job.Run{
			ID: r.ID, JobID: j.ID, JobKey: "report", JobVersion: 1, GroupID: 1, Cause: job.CauseManual, CauseID: r.ID,
			State: job.Planned, Param: p, ReadyAt: r.CreatedAt, DueAt: r.CreatedAt, CreatedAt: r.CreatedAt,
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("run (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(r, w.RunsByID[r.ID]); diff != "" || r.ID == 0 {
			t.Errorf("stored run %d (-returned +stored):\n%s", r.ID, diff)
		}
		if last := w.Ready[len(w.Ready)-1]; !last.Equal(r.ReadyAt) {
			t.Errorf("announced for %s, ready at %s", last, r.ReadyAt)
		}
	}
}

func TestTriggerForASlotLater(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	w.Alive = nil // nobody needs to be there yet
	slot := time.Date(2030, 1, 31, 8, 0, 0, 123_456_789, time.FixedZone("", 3600))
	r, err := c.Trigger(t.Context(), "", "report", Trigger{PlannedAt: slot, Delay: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	due := r.CreatedAt.Add(10 * time.Minute)
	if want := slot.UTC().Truncate(time.Millisecond); r.PlannedAt != want || !r.ReadyAt.Equal(due) || !r.DueAt.Equal(due) {
		t.Errorf("planned for %s, want %s; ready at %s, due at %s, want %s", r.PlannedAt, want, r.ReadyAt, r.DueAt, due)
	}
	if !strings.Contains(r.Reason, "10m0s after it was asked for") {
		t.Errorf("reason %q", r.Reason)
	}
	if len(w.Ready) != 1 || !w.Ready[0].Equal(due) {
		t.Errorf("announced for %v, want %s", w.Ready, due)
	}
}

func TestTriggerTellsThatNobodyIsThere(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	w.Alive = []job.Executor{{GroupID: 2, Group: "other"}}
	r, err := c.Trigger(t.Context(), "", "report", Trigger{})
	if err != nil || r.Reason != "no executor of group g is alive" {
		t.Errorf("reason %q, %v", r.Reason, err)
	}
}

func TestTriggerRefuses(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, jobstest.GoodJob())
	for _, param := range []string{strings.Repeat("x", job.MaxParam+1), "\xff", "\x00"} {
		_, err := c.Trigger(t.Context(), "", "report", Trigger{Param: &param})
		if wrong, ok := errors.AsType[*job.Error](err); !ok || wrong.Kind != job.Invalid || wrong.Field != "param" {
			t.Errorf("a bad param: %v", err)
		}
	}
	if _, err := c.Trigger(t.Context(), "", "unknown", Trigger{}); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown job: %v", err)
	}
	for field, trigger := range map[string]Trigger{
		"delay": {Delay: -time.Second}, "planned_at": {PlannedAt: time.Date(1066, 10, 14, 9, 0, 0, 0, time.UTC)},
	} {
		_, err := c.Trigger(t.Context(), "", "report", trigger)
		jobstest.WantField(t, err, field)
	}
	_, err := c.Trigger(t.Context(), "", "report", Trigger{Delay: 31 * 24 * time.Hour})
	jobstest.WantField(t, err, "delay")
	if len(w.RunsByID) != 0 {
		t.Errorf("%d runs were written", len(w.RunsByID))
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	id := w.Open(job.Running)
	attempts, err := c.Attempts(t.Context(), id)
	if err != nil || len(attempts) != 2 || attempts[0].Number != 1 {
		t.Errorf("attempts %+v, %v", attempts, err)
	}
	if _, err := c.Attempts(t.Context(), 9999); !job.Is(err, job.NotFound) {
		t.Errorf("attempts of an unknown run: %v", err)
	}
}

func TestExecutors(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	w.Alive[0].SeenAt = time.Unix(1, 0)
	got, err := c.Executors(t.Context())
	if diff := cmp.Diff(w.Alive, got); diff != "" || err != nil {
		t.Errorf("executors: %v\n%s", err, diff)
	}
}

// A run says who asked for it.
func TestTriggerBy(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	create(t, c, jobstest.GoodJob())
	r, err := c.Trigger(t.Context(), "default", "report", Trigger{By: "user-1"})
	if err != nil || r.By != "user-1" {
		t.Errorf("got %+v, %v", r, err)
	}
}
