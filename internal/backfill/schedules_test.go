package backfill

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// The reason of a backfill that cannot go on says what was wrong and what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	holidays := job.Calendar{ID: 1, Key: "holidays", Rules: calendar.Rules{
		Dates: []calendar.Day{{Date: calendar.Date{Year: 2026, Month: 2, Day: 30}}},
	}}
	tests := []struct {
		name      string
		spec      schedule.Spec
		calendars []job.Calendar
		cursor    time.Time
		want      []string
	}{
		{
			"manual",
			schedule.Spec{Kind: schedule.KindManual},
			nil,
			time.Time{},
			[]string{"kind manual", "names no slots", "and make a new backfill"},
		},
		{
			"after",
			schedule.Spec{Kind: schedule.KindAfter, After: time.Minute},
			nil, at(5),
			[]string{"kind after", "make a new backfill for the slots after 2026-03-01T00:00:05Z"},
		},
		{
			"unreadable",
			schedule.Spec{Kind: schedule.KindCron, Cron: "99 * * * * ?"},
			nil, at(5),
			[]string{"cannot be followed", "99", "put it right", "after 2026-03-01T00:00:05Z"},
		},
		{
			"a calendar that is gone",
			schedule.Spec{Kind: schedule.KindEvery, Every: time.Second, Calendars: []string{"gone"}},
			[]job.Calendar{{ID: 1, Key: "other"}},
			time.Time{},
			[]string{"cannot be followed", "gone"},
		},
		{
			"a calendar that cannot be read",
			schedule.Spec{Kind: schedule.KindEvery, Every: time.Second, Calendars: []string{"holidays"}},
			[]job.Calendar{holidays},
			time.Time{},
			[]string{"cannot be followed", "calendar holidays", "2026-02-30"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := secondly(9)
			b.Cursor = test.cursor
			store := newRows(b)
			store.job.Schedule, store.calendars = test.spec, test.calendars
			var logged bytes.Buffer
			e := New(Config{Store: store, IDs: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			if _, err := e.runPass(t.Context(), now, 0); err != nil {
				t.Fatal(err)
			}
			got := store.of(9)
			if got.State != job.BackfillCancelled || !got.EndedAt.Equal(now) || len(store.runs) != 0 {
				t.Errorf("the backfill is %s since %s with %d runs", got.State, got.EndedAt, len(store.runs))
			}
			for _, part := range test.want {
				if !strings.Contains(got.Reason, part) {
					t.Errorf("reason %q lacks %q", got.Reason, part)
				}
			}
			if !strings.Contains(logged.String(), "backfill_id=9") {
				t.Errorf("the log says %q", logged.String())
			}
		})
	}
}

func TestDeletedJobIsNotCompiled(t *testing.T) {
	t.Parallel()
	store := newRows(secondly(9))
	store.deleted, store.job = true, job.Job{}
	if _, err := New(Config{Store: store, IDs: store}).runPass(t.Context(), now, 0); err != nil {
		t.Fatal(err)
	}
	if got := store.of(9); got.State != job.BackfillCancelled || got.Reason != "the job was deleted" {
		t.Errorf("the backfill is %s: %s", got.State, got.Reason)
	}
}

// A schedule is compiled once for a version of the job and its calendars.
func TestSchedulesAreRemembered(t *testing.T) {
	t.Parallel()
	s := newSchedules(2)
	w := Work{Job: theJob(), Calendars: []job.Calendar{{ID: 1, Version: 1}}}
	first, _ := s.scheduleOf(&w)
	w.Job.Schedule.Every = time.Minute // without a new version: nobody does that
	if again, _ := s.scheduleOf(&w); again != first {
		t.Error("the schedule is compiled again")
	}
	w.Job.Version++
	second, _ := s.scheduleOf(&w)
	if second == first {
		t.Error("a new version of the job is not seen")
	}
	w.Job.Schedule.Every, w.Calendars[0].Version = time.Hour, 2
	if third, _ := s.scheduleOf(&w); third == second {
		t.Error("a new version of a calendar is not seen")
	}
	for id := range int64(5) {
		w.Job.ID = id
		if _, refusal := s.scheduleOf(&w); refusal != "" || len(s.known) > s.limit {
			t.Fatalf("%q; %d schedules are remembered, want at most %d", refusal, len(s.known), s.limit)
		}
	}
}

// The schedule may change while the backfill goes on: the slots to come are the
// new one's, and there are never more than were counted.
func TestChangedSchedule(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		every  time.Duration
		made   int
		reason string
	}{
		{"fewer slots", 20 * time.Second, 12, "there were 12 slots instead of 60: "},
		{"more slots", 100 * time.Millisecond, 60, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := secondly(60)
			b.Parallel = 10
			store := newRows(b)
			e := New(Config{Store: store, IDs: store})
			for i := 0; store.of(9).State == job.BackfillRunning && i < 20; i++ {
				if _, err := e.runPass(t.Context(), now, time.Minute); err != nil {
					t.Fatal(err)
				}
				for _, run := range store.open() {
					store.end(run, job.Succeeded)
				}
				store.job.Schedule.Every, store.job.Version = test.every, 6
			}
			got := store.of(9)
			if got.State != job.BackfillFinished || got.Made != test.made || !strings.HasPrefix(got.Reason, test.reason) {
				t.Errorf("the backfill is %s (%q) with %d runs, want %d", got.State, got.Reason, got.Made, test.made)
			}
			if test.reason == "" && got.Reason != "" {
				t.Errorf("reason %q of a backfill that had all its slots", got.Reason)
			}
		})
	}
}
