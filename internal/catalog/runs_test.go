package catalog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestTrigger(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, good())
	param := "by hand"
	for _, p := range []*string{nil, &param} {
		r, err := c.Trigger(t.Context(), "", "report", Trigger{Param: p})
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
		if diff := cmp.Diff(r, w.runs[r.ID]); diff != "" || r.ID == 0 {
			t.Errorf("stored run %d (-returned +stored):\n%s", r.ID, diff)
		}
		if last := w.ready[len(w.ready)-1]; !last.Equal(r.ReadyAt) {
			t.Errorf("announced for %s, ready at %s", last, r.ReadyAt)
		}
	}
}

func TestTriggerForASlotLater(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, good())
	w.executors = nil // nobody needs to be there yet
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
	if len(w.ready) != 1 || !w.ready[0].Equal(due) {
		t.Errorf("announced for %v, want %s", w.ready, due)
	}
}

func TestTriggerTellsThatNobodyIsThere(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, good())
	w.executors = []job.Executor{{GroupID: 2, Group: "other"}}
	r, err := c.Trigger(t.Context(), "", "report", Trigger{})
	if err != nil || r.Reason != "no executor of group g is alive" {
		t.Errorf("reason %q, %v", r.Reason, err)
	}
}

func TestTriggerRefuses(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, good())
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
		wantField(t, err, field)
	}
	_, err := c.Trigger(t.Context(), "", "report", Trigger{Delay: 31 * 24 * time.Hour})
	wantField(t, err, "delay")
	if len(w.runs) != 0 {
		t.Errorf("%d runs were written", len(w.runs))
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	page := job.LogPage{From: 5, To: 6, Text: "five\nsix\n"}
	missing := job.LogPage{From: 5, Text: "readLog fail, logFile not exists", End: true}
	tests := []struct {
		name    string
		state   job.State
		attempt int
		page    job.LogPage
		want    job.LogPage
		asked   string
	}{
		{"lines", job.Running, 0, page, page, "http://1"},
		{"an earlier attempt", job.Running, 1, page, page, "http://old"},
		{"nothing new yet", job.Running, 0, job.LogPage{From: 5}, job.LogPage{From: 5, To: 4}, "http://1"},
		{"nothing new any more", job.Failed, 0, job.LogPage{From: 5}, job.LogPage{From: 5, To: 4, End: true}, "http://1"},
		{"nothing new in an earlier attempt", job.Running, 1, job.LogPage{From: 5}, job.LogPage{From: 5, To: 4, End: true}, "http://old"},
		{"not there yet", job.Dispatched, 0, missing, job.LogPage{From: 5, To: 4}, "http://1"},
		{"not there any more", job.Lost, 0, missing, job.LogPage{From: 5, To: 4, End: true}, "http://1"},
		{"never sent", job.Queued, 0, page, job.LogPage{From: 5, To: 4}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, c := newWorld()
			w.page = test.page
			got, err := c.Log(t.Context(), w.open(test.state), test.attempt, 5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
			if asked := strings.Join(w.asked, ";"); (asked == "") != (test.asked == "") || !strings.Contains(asked, test.asked) {
				t.Errorf("asked %q, want %s", asked, test.asked)
			}
		})
	}
}

func TestLogErrors(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	id := w.open(job.Running)
	if _, err := c.Log(t.Context(), 9999, 0, 1); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	if _, err := c.Log(t.Context(), id, 7, 1); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown attempt: %v", err)
	}
	w.pageErr = job.Errorf(job.Unreachable, "connection refused")
	if _, err := c.Log(t.Context(), id, 0, -5); !job.Is(err, job.Unreachable) || !strings.Contains(err.Error(), "http://1") {
		t.Errorf("an executor that is away: %v", err)
	}
	if want := []string{"log of 12 at 200 on http://1 from 1"}; !cmp.Equal(w.asked, want) {
		t.Errorf("asked %q, want %q", w.asked, want)
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	id := w.open(job.Running)
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
	w.executors[0].SeenAt = time.Unix(1, 0)
	got, err := c.Executors(t.Context())
	if diff := cmp.Diff(w.executors, got); diff != "" || err != nil {
		t.Errorf("executors: %v\n%s", err, diff)
	}
}
