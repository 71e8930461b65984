package planner

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// shelf is a RuleStore.
type shelf struct {
	rules Rules
	asked int
	err   error
}

func (s *shelf) Rules(_ context.Context, known int64) (*Rules, error) {
	s.asked++
	if s.err != nil || known == s.rules.Version {
		return nil, s.err
	}
	fresh := s.rules
	return &fresh, nil
}

func TestRulesAreReadOnceASecond(t *testing.T) {
	t.Parallel()
	store := &shelf{rules: Rules{Version: 7}}
	r := &rules{store: store, logger: quiet}
	for i, step := range []struct {
		at    time.Duration
		stale bool
		err   error
		asked int
	}{
		{at: 0, err: errors.New("away"), asked: 1},
		{at: 0, asked: 2},
		{at: 999 * time.Millisecond, asked: 2},
		{at: 999 * time.Millisecond, stale: true, err: errors.New("away"), asked: 3},
		{at: 999 * time.Millisecond, asked: 4}, // still stale
		{at: 1500 * time.Millisecond, asked: 4},
		{at: 1999 * time.Millisecond, asked: 5},
		{at: 0, asked: 6}, // the clock was put back
	} {
		r.stale, store.err = r.stale || step.stale, step.err
		if err := r.refresh(t.Context(), at(step.at)); !errors.Is(err, step.err) || store.asked != step.asked {
			t.Errorf("step %d: %v, asked %d times, want %d", i, err, store.asked, step.asked)
		}
	}
	if r.version != 7 {
		t.Errorf("version %d", r.version)
	}
}

// A calendar is compiled when it is needed, once per version of it; schedules
// that name calendars are compiled anew when any has changed, the others never.
func TestCalendarsAndSchedules(t *testing.T) {
	t.Parallel()
	sundays := calendar.Rules{Weekdays: []calendar.Weekday{calendar.Weekday(time.Sunday)}}
	store := &shelf{rules: Rules{Version: 1, Calendars: []job.Calendar{
		{ID: 1, Namespace: "shop", Key: "cal", Version: 1, Rules: sundays},
		{ID: 2, Namespace: "shop", Key: "broken", Version: 1, Rules: calendar.Rules{Mode: "sometimes"}},
	}}}
	r := &rules{store: store, logger: quiet}
	cache := newSchedules(10)
	refresh := func(change func()) {
		store.rules.Version++
		change()
		r.stale = true
		if err := r.refresh(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	refresh(func() {})
	plain := due(time.Hour, now, schedule.MisfireSkip)
	ruled := due(24*time.Hour, at(24*time.Hour), schedule.MisfireSkip) // a Monday
	ruled.JobID, ruled.Namespace = 4, "shop"
	ruled.Schedule.Calendars = []string{"cal"}
	next := func(d *Due) time.Time {
		t.Helper()
		s, err := cache.scheduleOf(d, r)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := s.Next(at(6*24*time.Hour - time.Second)) // before a Saturday
		second, _ := s.Next(found)
		return second
	}
	next(&plain)
	if got := next(&ruled); !got.Equal(at(8 * 24 * time.Hour)) {
		t.Errorf("after Saturday it fires at %s, not on Monday", got)
	}
	first := r.calendars[calendarKey{"shop", "cal"}].compiled

	refresh(func() { store.rules.Pauses = []Pause{{Pause: job.Pause{Key: "p", From: now}}} })
	next(&ruled)
	if r.epoch != 1 || cache.known[4].epoch != 1 || r.calendars[calendarKey{"shop", "cal"}].compiled != first {
		t.Error("a pause has changed calendars")
	}
	refresh(func() {
		store.rules.Calendars = []job.Calendar{{ID: 1, Namespace: "shop", Key: "cal", Version: 2, Rules: calendar.Rules{
			Weekdays: []calendar.Weekday{calendar.Weekday(time.Tuesday)},
		}}, store.rules.Calendars[1]}
	})
	if got := next(&ruled); !got.Equal(at(7 * 24 * time.Hour)) {
		t.Errorf("with the new calendar it fires after Saturday at %s, not on Sunday", got)
	}
	next(&plain)
	if cache.known[3].epoch != 0 || r.epoch != 2 {
		t.Errorf("epoch %d, of the plain schedule %d", r.epoch, cache.known[3].epoch)
	}

	for _, key := range []string{"broken", "missing"} {
		ruled.Version++
		ruled.Schedule.Calendars = []string{key}
		if _, err := cache.scheduleOf(&ruled, r); err == nil {
			t.Errorf("a schedule with the %s calendar was compiled", key)
		}
	}
	refresh(func() { store.rules.Calendars = nil })
	ruled.Schedule.Calendars = []string{"cal"}
	if _, err := cache.scheduleOf(&ruled, r); err == nil {
		t.Error("a calendar that is gone was used")
	}
	ruled.Namespace = "other"
	refresh(func() {
		store.rules.Calendars = []job.Calendar{{ID: 9, Namespace: "shop", Key: "cal", Version: 1, Rules: sundays}}
	})
	if _, err := cache.scheduleOf(&ruled, r); err == nil {
		t.Error("a calendar of another namespace was used")
	}
}

func TestSeveralNamesCalendarsOfItsMembers(t *testing.T) {
	t.Parallel()
	inner := schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{{}, {Calendars: []string{"cal"}}}}
	if !namesCalendars(&inner) || namesCalendars(&schedule.Spec{Of: []schedule.Spec{{}, {}}}) {
		t.Error("members are not looked at")
	}
}

// A pause that cannot be read holds nothing; the others do, by namespace, group
// and time.
func TestJudge(t *testing.T) {
	t.Parallel()
	r := &rules{logger: quiet}
	r.replace(&Rules{Version: 1, Pauses: []Pause{
		{Pause: job.Pause{Key: "NOT A KEY", From: now}},
		{Pause: job.Pause{Key: "shop", Namespace: "shop", From: now, Until: at(time.Hour)}},
		{Pause: job.Pause{Key: "groups", Groups: []string{"a", "b"}, From: now, Until: at(2 * time.Hour)}, GroupIDs: []int64{5, 6}},
		{Pause: job.Pause{Key: "unknown", Groups: []string{"c"}, From: now}},
		{Pause: job.Pause{Key: "window", From: at(-time.Hour), Window: &job.Window{Cron: "0 30 * * * ?", For: 10 * time.Minute}}},
	}})
	if len(r.pauses) != 4 {
		t.Fatalf("%d pauses", len(r.pauses))
	}
	for _, test := range []struct {
		namespace string
		group     int64
		at        time.Duration
		by        string
		until     time.Duration // from now; -1 for open
		begins    time.Duration
	}{
		{"shop", 1, 0, "shop", time.Hour, 0},
		{"shop", 1, -time.Millisecond, "", 0, 0},
		{"shop", 6, 0, "groups", 2 * time.Hour, 0},
		{"default", 5, 0, "groups", 2 * time.Hour, 0},
		{"default", 1, 0, "", 0, 30 * time.Minute},
		{"default", 1, 29 * time.Minute, "", 0, 30 * time.Minute},
		{"default", 1, 30 * time.Minute, "window", 40 * time.Minute, 0},
		{"default", 1, 39*time.Minute + 59*time.Second, "window", 40 * time.Minute, 0},
		{"default", 1, 40 * time.Minute, "", 0, 90 * time.Minute},
		{"default", 1, -20 * time.Minute, "", 0, 30 * time.Minute}, // an earlier instant than before
		{"default", 1, -21 * time.Minute, "window", -20 * time.Minute, 0},
		{"shop", 1, 30 * time.Minute, "shop", time.Hour, 0},
	} {
		d := &Due{Namespace: test.namespace, GroupID: test.group}
		v := judge(r.pauses, d, at(test.at))
		switch {
		case test.by != "" && (v.by == nil || v.by.key != test.by || !v.until.Equal(at(test.until))):
			t.Errorf("%+v: held by %+v until %s", test, v.by, v.until)
		case test.by == "" && (v.by != nil || !v.begins.Equal(at(test.begins))):
			t.Errorf("%+v: held by %+v, or from %s on", test, v.by, v.begins)
		}
	}
}
