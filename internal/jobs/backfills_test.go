package jobs

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// hourly creates a job that fires each full hour.
func hourly(t *testing.T, c *Catalog) job.Job {
	t.Helper()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight}
	return create(t, c, j)
}

func TestCreateBackfill(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := hourly(t, c)
	param := "again"
	asked := job.Backfill{
		From: jobstest.Midnight, To: jobstest.Midnight.Add(24 * time.Hour), Spacing: time.Second, SkipSucceeded: true, Param: &param,
		ID: 99, JobID: 99, State: job.BackfillFinished, Made: 99, Cursor: jobstest.Midnight, // not the user's to say
	}
	want := job.Backfill{
		JobID: j.ID, JobKey: "report", Namespace: j.Namespace, From: jobstest.Midnight, To: jobstest.Midnight.Add(24 * time.Hour), Slots: 24,
		First: jobstest.Midnight, Last: jobstest.Midnight.Add(23 * time.Hour), Parallel: 1, Spacing: time.Second, SkipSucceeded: true,
		Param: &param, State: job.BackfillRunning,
	}
	shown, err := c.PreviewBackfill(t.Context(), "", "report", asked)
	if err != nil {
		t.Fatal(err)
	}
	want.CreatedAt = shown.CreatedAt
	if diff := cmp.Diff(want, shown); diff != "" || time.Since(shown.CreatedAt) > time.Minute {
		t.Errorf("preview (-want +got):\n%s", diff)
	}
	if len(w.BackfillsByID) != 0 || w.Filled != 0 {
		t.Error("a preview made something")
	}
	made, err := c.CreateBackfill(t.Context(), "", "report", asked)
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.CreatedAt = made.ID, made.CreatedAt
	if diff := cmp.Diff(want, made); diff != "" || made.ID == 0 || w.Filled != 1 {
		t.Errorf("made, with %d wakes (-want +got):\n%s", w.Filled, diff)
	}
	if got, err := c.Backfill(t.Context(), made.ID); err != nil || !cmp.Equal(got, made) {
		t.Errorf("found %+v, %v", got, err)
	}
	cancelled, err := c.CancelBackfill(t.Context(), made.ID, "")
	if err != nil || cancelled.State != job.BackfillCancelled || cancelled.Reason != "cancelled by a user" {
		t.Errorf("cancelled: %+v, %v", cancelled, err)
	}
	if again, err := c.CancelBackfill(t.Context(), made.ID, "twice"); err != nil || again.Reason != "cancelled by a user" {
		t.Errorf("cancelled twice: %+v, %v", again, err)
	}
	if _, err := c.CancelBackfill(t.Context(), 12345, ""); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

// Slots are counted on the edges, up to what the user allows, on allowed days.
func TestBackfillSlots(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	closed(t, c, "works", "2026-01-05", "2026-01-06")
	hourly(t, c)
	j := jobstest.GoodJob()
	j.Key, j.Schedule = "allowed", schedule.Spec{
		Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, Calendars: []string{"works"},
	}
	create(t, c, j)
	for _, test := range []struct {
		key         string
		from, to    time.Duration // from midnight
		limit       int
		slots       int
		first, last time.Duration
	}{
		{"report", 0, time.Hour, 0, 1, 0, 0},
		{"report", 0, time.Hour + 1e6, 0, 2, 0, time.Hour},
		{"report", 1e6, 2 * time.Hour, 0, 1, time.Hour, time.Hour},
		{"report", 0, 24 * time.Hour, 5, 5, 0, 4 * time.Hour},
		{"report", 0, 24 * time.Hour, 24, 24, 0, 23 * time.Hour},
		{"report", 0, 24 * time.Hour, 1000, 24, 0, 23 * time.Hour},
		{"allowed", 0, 49 * time.Hour, 0, 1, 48 * time.Hour, 48 * time.Hour},
	} {
		b, err := c.PreviewBackfill(t.Context(), "", test.key, job.Backfill{
			From: jobstest.Midnight.Add(test.from), To: jobstest.Midnight.Add(test.to), Slots: test.limit,
		})
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		if b.Slots != test.slots || !b.First.Equal(jobstest.Midnight.Add(test.first)) || !b.Last.Equal(jobstest.Midnight.Add(test.last)) {
			t.Errorf("%+v: got %d slots, %s to %s", test, b.Slots, b.First, b.Last)
		}
	}
}

func TestBackfillRefuses(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	hourly(t, c)
	closed(t, c, "works", "2026-01-01", "2026-12-31")
	for key, s := range map[string]schedule.Spec{
		"manual": {Kind: schedule.KindManual}, "after": {Kind: schedule.KindAfter, After: time.Minute},
		"second": {Kind: schedule.KindEvery, Every: time.Second, Anchor: jobstest.Midnight},
		"closed": {Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, Calendars: []string{"works"}},
	} {
		j := jobstest.GoodJob()
		j.Key, j.Schedule = key, s
		create(t, c, j)
	}
	huge := strings.Repeat("x", job.MaxParam+1)
	for _, test := range []struct {
		key, field, text string
		alter            func(*job.Backfill)
	}{
		{"report", "from", "missing", func(b *job.Backfill) { b.From = time.Time{} }},
		{"report", "to", "missing", func(b *job.Backfill) { b.To = time.Time{} }},
		{"report", "to", "not after from", func(b *job.Backfill) { b.To = b.From }},
		{"report", "to", "in the future", func(b *job.Backfill) { b.To = time.Now().Add(time.Hour) }},
		{"report", "from", "1066", func(b *job.Backfill) { b.From = time.Date(1066, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"report", "from", "names no slot", func(b *job.Backfill) { b.From, b.To = b.From.Add(1e6), b.From.Add(2e6) }},
		{"report", "max", "between 0 and 100000", func(b *job.Backfill) { b.Slots = -1 }},
		{"report", "max", "between 0 and 100000", func(b *job.Backfill) { b.Slots = job.MaxSlots + 1 }},
		{"report", "parallel", "between 1 and 64", func(b *job.Backfill) { b.Parallel = 65 }},
		{"report", "spacing", "whole milliseconds", func(b *job.Backfill) { b.Spacing = 1 }},
		{"report", "spacing", "between 0", func(b *job.Backfill) { b.Spacing = -time.Second }},
		{"report", "param", "bytes", func(b *job.Backfill) { b.Param = &huge }},
		{"manual", "schedule", "has no slots", func(*job.Backfill) {}},
		{"after", "schedule", "has no slots", func(*job.Backfill) {}},
		{"second", "max", "there are 86400 slots", func(*job.Backfill) {}},
		{"second", "max", "more than 100000 slots", func(b *job.Backfill) { b.To = b.From.Add(48 * time.Hour) }},
		{"closed", "from", "calendars", func(*job.Backfill) {}},
	} {
		b := job.Backfill{From: jobstest.Midnight, To: jobstest.Midnight.Add(24 * time.Hour)}
		test.alter(&b)
		_, err := c.CreateBackfill(t.Context(), "", test.key, b)
		if jobstest.WantField(t, err, test.field); !strings.Contains(err.Error(), test.text) {
			t.Errorf("%v does not say %q", err, test.text)
		}
	}
	if _, err := c.CreateBackfill(t.Context(), "", "unknown", job.Backfill{}); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown job: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.CreateBackfill(gone, "", "second", job.Backfill{From: jobstest.Midnight, To: jobstest.Midnight.Add(24 * time.Hour), Slots: 50_000})
	if !job.Is(err, job.Unavailable) {
		t.Errorf("a user who is gone: %v", err)
	}
	if len(w.BackfillsByID) != 0 || w.Filled != 0 {
		t.Error("something was written")
	}
}

func TestBackfillsAreBounded(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	for _, limit := range []int{0, 7, 5000} {
		if _, err := c.Backfills(t.Context(), jobrows.BackfillQuery{JobID: 3, BeforeID: 9, Limit: limit}); err != nil {
			t.Fatal(err)
		}
	}
	want := []any{[3]int64{3, 9, 100}, [3]int64{3, 9, 7}, [3]int64{3, 9, 1000}}
	if diff := cmp.Diff(want, w.Filters); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
