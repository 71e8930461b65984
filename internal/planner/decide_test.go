package planner

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// now is a Sunday.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(offset time.Duration) time.Time { return now.Add(offset) }

func theLimits() limits { return limits{now: now, until: at(2 * time.Second), perJob: 3} }

// due returns a job that fires each period and has a firing at the instant.
func due(period time.Duration, next time.Time, policy schedule.Misfire) Due {
	return Due{
		JobID: 3, Version: 4, Namespace: job.DefaultNamespace, GroupID: 5, Next: next, Look: next, Misfire: policy,
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: period, Anchor: next},
	}
}

// but changes a copy of a due job.
func but(d Due, change func(*Due)) *Due {
	change(&d)
	return &d
}

// line is what tests look at of a run. Due counts from its planned time.
type line struct {
	At     time.Time
	Cause  job.Cause
	State  job.State
	Due    time.Duration
	Reason string
}

func lines(runs []job.Run) (list []line) {
	for _, r := range runs {
		l := line{At: r.PlannedAt, Cause: r.Cause, State: r.State, Reason: r.Reason}
		if r.State == job.Planned {
			l.Due = r.DueAt.Sub(r.PlannedAt)
		}
		list = append(list, l)
	}
	return list
}

func fire(offset time.Duration) line { return line{at(offset), job.CauseSchedule, job.Planned, 0, ""} }

// madeUp is a run that starts when the decision takes effect.
func madeUp(offset, late time.Duration, reason string) line {
	return line{at(offset), job.CauseMisfire, job.Planned, late, reason}
}

func letGo(offset time.Duration, reason string) line {
	return line{at(offset), job.CauseMisfire, job.Skipped, 0, reason}
}

func dropping(at time.Time, reason string) line {
	return line{at, job.CauseSchedule, job.Skipped, 0, reason}
}

// theCalendars has the calendars "weekdays", which allows Monday to Friday,
// "holidays", which does not allow the Monday after now, and "closed", which does
// not allow the Friday and the Saturday before.
func theCalendars(tb testing.TB, namespace string) *rules {
	tb.Helper()
	r := &rules{logger: quiet}
	r.replace(&Rules{Version: 1, Calendars: []job.Calendar{
		{ID: 1, Namespace: namespace, Key: "weekdays", Version: 1, Rules: calendar.Rules{
			Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday), calendar.Weekday(time.Sunday)},
		}},
		{ID: 2, Namespace: namespace, Key: "holidays", Version: 1, Rules: calendar.Rules{
			Dates: []calendar.Day{{Date: calendar.DateOf(at(24 * time.Hour)), Name: "Founders' Day"}},
		}},
		{ID: 3, Namespace: namespace, Key: "closed", Version: 1, Rules: calendar.Rules{Dates: []calendar.Day{
			{Date: calendar.DateOf(at(-48 * time.Hour)), Name: "Moving day"}, {Date: calendar.DateOf(at(-24 * time.Hour))},
		}}},
	}})
	return r
}

func pauseOf(tb testing.TB, p job.Pause, groups ...int64) *pause {
	tb.Helper()
	compiled, err := newPause(&Pause{Pause: p, GroupIDs: groups})
	if err != nil {
		tb.Fatal(err)
	}
	return compiled
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const (
		skip, once, all = schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll
		second, hour    = time.Second, time.Hour
	)
	daily := func(next time.Time, calendars ...string) Due {
		d := due(24*hour, next, skip)
		d.Schedule.Calendars = calendars
		return d
	}
	after := func(next time.Time, policy schedule.Misfire) Due {
		d := due(0, next, policy)
		d.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: 10 * time.Minute}
		return d
	}
	upgrade := job.Pause{Key: "upgrade", Reason: "new database", From: at(-3 * hour), Until: at(second)}
	open := job.Pause{Key: "open", From: at(second)}
	tests := []struct {
		name   string
		due    *Due
		pauses []job.Pause
		want   Move // what is not zero here: Next, Look, Last, Fired, HeldBy, Waits, StopReason
		runs   []line
	}{
		{
			name: "one firing ahead", due: but(due(time.Minute, at(second), skip), func(*Due) {}),
			runs: []line{fire(second)}, want: Move{Next: at(61 * second), Last: at(second), Fired: 1},
		},
		{
			name: "a little late is not missed", due: but(due(time.Minute, at(-5*second), skip), func(*Due) {}),
			runs: []line{fire(-5 * second)}, want: Move{Next: at(55 * second), Last: at(-5 * second), Fired: 1},
		},
		{
			name: "many within the horizon stop at the limit", due: but(due(500*time.Millisecond, now, skip), func(*Due) {}),
			runs: []line{fire(0), fire(500 * time.Millisecond), fire(second)},
			want: Move{Next: at(1500 * time.Millisecond), Last: at(second), Fired: 3},
		},
		{
			name: "skip", due: but(due(time.Minute, at(-90*second), skip), func(*Due) {}),
			runs: []line{
				letGo(-90*second, "the firing of 2026-03-01T11:58:30Z was missed; misfire policy skip let it go"),
				letGo(-30*second, "the firing of 2026-03-01T11:59:30Z was missed; misfire policy skip let it go"),
			},
			want: Move{Next: at(30 * second), Last: at(-30 * second), Missed: 2},
		},
		{
			name: "fire once", due: but(due(time.Minute, at(-90*second), once), func(*Due) {}),
			runs: []line{
				letGo(-90*second, "the firing of 2026-03-01T11:58:30Z was missed; misfire policy fire_once let it go: it makes up for the newest only"),
				madeUp(-30*second, 30*second, "missed by 30s; misfire policy fire_once"),
			},
			want: Move{Next: at(30 * second), Last: at(-30 * second), Fired: 1, Missed: 1},
		},
		{
			name: "fire all, up to a bound and within a window",
			due: but(due(time.Minute, at(-210*second), all), func(d *Due) {
				d.Limits = schedule.MisfireLimits{Max: 2, Window: 150 * second}
			}),
			runs: []line{
				letGo(-210*second, "the firing of 2026-03-01T11:56:30Z was missed; misfire policy fire_all let it go: it makes up for those of the last 2m30s"),
				letGo(-150*second, "the firing of 2026-03-01T11:57:30Z was missed; misfire policy fire_all let it go: it makes up for the newest 2"),
				madeUp(-90*second, 90*second, "missed by 1m30s; misfire policy fire_all"),
				madeUp(-30*second, 30*second, "missed by 30s; misfire policy fire_all"),
			},
			want: Move{Next: at(30 * second), Last: at(-30 * second), Fired: 2, Missed: 2},
		},
		{
			name: "missed and on time", due: but(due(4*second, at(-8*second), all), func(*Due) {}),
			runs: []line{madeUp(-8*second, 8*second, "missed by 8s; misfire policy fire_all"), fire(-4 * second), fire(0)},
			want: Move{Next: at(4 * second), Last: now, Fired: 3},
		},
		{
			name: "a threshold of the job's own",
			due:  but(due(time.Minute, at(-30*second), skip), func(d *Due) { d.Limits.Threshold = time.Minute }),
			runs: []line{fire(-30 * second)}, want: Move{Next: at(30 * second), Last: at(-30 * second), Fired: 1},
		},
		{
			name: "once is over after it",
			due: but(due(0, at(second), skip), func(d *Due) {
				d.Schedule = schedule.Spec{Kind: schedule.KindOnce, At: at(second)}
			}),
			runs: []line{fire(second)}, want: Move{Last: at(second), Fired: 1, StopReason: "its schedule has no further firing"},
		},
		{
			name: "the last of a count",
			due: but(due(500*time.Millisecond, now, skip), func(d *Due) {
				d.Schedule.Count, d.Fired = 5, 3
			}),
			runs: []line{fire(0), fire(500 * time.Millisecond)},
			want: Move{Last: at(500 * time.Millisecond), Fired: 5, StopReason: "its schedule has made its 5 runs"},
		},
		{
			name: "a count of one",
			due:  but(due(time.Minute, now, skip), func(d *Due) { d.Schedule.Count = 1 }),
			runs: []line{fire(0)}, want: Move{Last: now, Fired: 1, StopReason: "its schedule has made its one run"},
		},
		{
			name: "a count that was used up",
			due:  but(due(time.Minute, now, skip), func(d *Due) { d.Schedule.Count, d.Fired = 2, 2 }),
			want: Move{Fired: 2, StopReason: "its schedule has made its 2 runs"},
		},

		{
			name: "a fixed delay waits for the end of the run", due: but(after(now, skip), func(*Due) {}),
			runs: []line{fire(0)}, want: Move{Last: now, Fired: 1, Waits: true},
		},
		{
			name: "a fixed delay, made up for", due: but(after(at(-hour), all), func(*Due) {}),
			runs: []line{madeUp(-hour, hour, "missed by 1h0m0s; misfire policy fire_all")},
			want: Move{Last: at(-hour), Fired: 1, Waits: true},
		},
		{
			name: "a fixed delay, let go, goes on", due: but(after(at(-hour), skip), func(*Due) {}),
			runs: []line{letGo(-hour, "the firing of 2026-03-01T11:00:00Z was missed; misfire policy skip let it go")},
			want: Move{Next: at(10 * time.Minute), Last: at(-hour), Missed: 1},
		},
		{
			name: "a fixed delay at the end of its count",
			due:  but(after(now, skip), func(d *Due) { d.Schedule.Count = 1 }),
			runs: []line{fire(0)}, want: Move{Last: now, Fired: 1, StopReason: "its schedule has made its one run"},
		},
		{
			name: "a fixed delay behind its end",
			due:  but(after(now, skip), func(d *Due) { d.Schedule.End = now }),
			want: Move{Last: now, StopReason: "its schedule has no further firing"},
		},
		{
			name: "a fixed delay on a day that is not allowed",
			due:  but(after(now, skip), func(d *Due) { d.Schedule.Calendars = []string{"weekdays"} }),
			want: Move{Next: at(12 * hour), Last: now},
		},

		{
			name: "held", due: but(due(time.Minute, at(-500*time.Millisecond), skip), func(*Due) {}),
			pauses: []job.Pause{upgrade},
			want:   Move{Next: at(-500 * time.Millisecond), Look: at(second), HeldBy: "upgrade"},
		},
		{
			name: "held by the one that ends last", due: but(due(time.Minute, now, skip), func(*Due) {}),
			pauses: []job.Pause{upgrade, {Key: "longer", From: now, Until: at(59 * time.Minute)}},
			want:   Move{Next: now, Look: at(59 * time.Minute), HeldBy: "longer"},
		},
		{
			name: "an open pause is looked at in an hour", due: but(due(time.Minute, now, skip), func(*Due) {}),
			pauses: []job.Pause{{Key: "open", From: now}, upgrade},
			want:   Move{Next: now, Look: at(hour), HeldBy: "open"},
		},
		{
			name: "one that begins before the firing holds it", due: but(due(time.Minute, at(2*second), skip), func(*Due) {}),
			pauses: []job.Pause{open},
			want:   Move{Next: at(2 * second), Look: at(hour), HeldBy: "open"},
		},
		{
			name: "and at the firing", due: but(due(time.Minute, at(second), skip), func(*Due) {}),
			pauses: []job.Pause{open},
			want:   Move{Next: at(second), Look: at(hour), HeldBy: "open"},
		},
		{
			name: "a firing just before the pause is planned", due: but(due(time.Minute, at(999*time.Millisecond), skip), func(*Due) {}),
			pauses: []job.Pause{open}, runs: []line{fire(999 * time.Millisecond)},
			want: Move{Next: at(time.Minute + 999*time.Millisecond), Last: at(999 * time.Millisecond), Fired: 1},
		},
		{
			name: "those before the pause are planned, the others left", due: but(due(500*time.Millisecond, now, skip), func(*Due) {}),
			pauses: []job.Pause{open}, runs: []line{fire(0), fire(500 * time.Millisecond)},
			want: Move{Next: at(second), Last: at(500 * time.Millisecond), Fired: 2},
		},
		{
			name: "a firing at the end of the pause is not held", due: but(due(time.Minute, at(second), skip), func(*Due) {}),
			pauses: []job.Pause{upgrade}, runs: []line{fire(second)},
			want: Move{Next: at(61 * second), Last: at(second), Fired: 1},
		},
		{
			name: "a pause of other groups", due: but(due(time.Minute, now, skip), func(*Due) {}),
			pauses: []job.Pause{{Key: "other", From: now, Groups: []string{"other"}}}, runs: []line{fire(0)},
			want: Move{Next: at(time.Minute), Last: now, Fired: 1},
		},
		{
			name: "a pause of another namespace", due: but(due(time.Minute, now, skip), func(*Due) {}),
			pauses: []job.Pause{{Key: "other", From: now, Namespace: "other"}}, runs: []line{fire(0)},
			want: Move{Next: at(time.Minute), Last: now, Fired: 1},
		},
		{
			name: "planned as of the end of the pause, which is ahead",
			due: but(due(time.Minute, at(-119*second), all), func(d *Due) {
				d.HeldBy, d.Look = "upgrade", at(second)
			}),
			pauses: []job.Pause{upgrade},
			runs: []line{
				madeUp(-119*second, 120*second, "held by pause upgrade (new database); misfire policy fire_all"),
				madeUp(-59*second, 60*second, "held by pause upgrade (new database); misfire policy fire_all"),
				fire(second),
			},
			want: Move{Next: at(61 * second), Last: at(second), Fired: 3},
		},
		{
			name: "held for less than makes it missed",
			due: but(due(time.Minute, at(-2*second), skip), func(d *Due) {
				d.HeldBy, d.Look = "upgrade", at(second)
			}),
			pauses: []job.Pause{upgrade},
			runs:   []line{{at(-2 * second), job.CauseSchedule, job.Planned, 3 * second, "held by pause upgrade (new database)"}},
			want:   Move{Next: at(58 * second), Last: at(-2 * second), Fired: 1},
		},
		{
			name: "lifted", due: but(due(time.Minute, at(-30*second), skip), func(d *Due) { d.HeldBy = "gone" }),
			runs: []line{letGo(-30*second, "the firing of 2026-03-01T11:59:30Z was held by pause gone; misfire policy skip let it go")},
			want: Move{Next: at(30 * second), Last: at(-30 * second), Missed: 1},
		},
		{
			name: "held by one pause after the other",
			due: but(due(time.Minute, at(-2*hour), skip), func(d *Due) {
				d.HeldBy, d.Look = "upgrade", at(second)
			}),
			pauses: []job.Pause{upgrade, open},
			want:   Move{Next: at(-2 * hour), Look: at(hour + second), HeldBy: "open"},
		},

		{
			name: "dropped by a calendar on the way to a firing",
			due:  but(daily(now, "closed"), func(d *Due) { d.Last = at(-72 * hour) }),
			runs: []line{
				fire(0),
				dropping(at(-48*hour), "calendar closed does not allow the day, Moving day"),
				dropping(at(-24*hour), "calendar closed does not allow the day"),
			},
			want: Move{Next: at(24 * hour), Last: now, Fired: 1},
		},
		{
			name: "dropped while the job was stopped, and since",
			due:  but(daily(now, "closed"), func(d *Due) { d.Last, d.Since = at(-720*hour), at(-36*hour) }),
			runs: []line{fire(0), dropping(at(-24*hour), "calendar closed does not allow the day")},
			want: Move{Next: at(24 * hour), Last: now, Fired: 1},
		},
		{
			name: "dropped since the job was made",
			due:  but(daily(now, "closed"), func(d *Due) { d.Since = at(-36 * hour) }),
			runs: []line{fire(0), dropping(at(-24*hour), "calendar closed does not allow the day")},
			want: Move{Next: at(24 * hour), Last: now, Fired: 1},
		},
		{
			name: "a firing that calendars do not allow any more",
			due:  but(daily(now, "weekdays"), func(d *Due) { d.Last = at(-48 * hour) }),
			runs: []line{
				dropping(at(-24*hour), "calendar weekdays does not allow the day, Saturday"),
				dropping(now, "calendar weekdays does not allow the day, Sunday"),
			},
			want: Move{Next: at(24 * hour), Last: now},
		},
		{
			name: "a first firing that calendars do not allow any more", due: but(daily(now, "weekdays"), func(*Due) {}),
			runs: []line{dropping(now, "calendar weekdays does not allow the day, Sunday")},
			want: Move{Next: at(24 * hour), Last: now},
		},
		{
			name: "the last firing is not allowed any more",
			due:  but(daily(now, "weekdays"), func(d *Due) { d.Schedule.End = at(hour) }),
			runs: []line{dropping(now, "calendar weekdays does not allow the day, Sunday")},
			want: Move{Last: now, StopReason: "its schedule has no further firing"},
		},
		{
			name: "calendars have changed: later",
			due:  but(daily(at(24*hour), "weekdays", "holidays"), func(d *Due) { d.Look = now }),
			want: Move{Next: at(48 * hour)},
		},
		{
			name: "calendars have changed: earlier",
			due:  but(daily(at(96*hour), "weekdays"), func(d *Due) { d.Look = now }),
			want: Move{Next: at(24 * hour)},
		},
		{
			name: "calendars have changed: not before what was planned ahead",
			due:  but(daily(at(96*hour), "weekdays"), func(d *Due) { d.Look, d.Last = now, at(24*hour) }),
			want: Move{Next: at(48 * hour)},
		},
		{
			name: "calendars have changed: nothing is left",
			due: but(daily(at(24*hour), "weekdays", "holidays"), func(d *Due) {
				d.Look, d.Schedule.End = now, at(36*hour)
			}),
			want: Move{StopReason: "its schedule has no further firing"},
		},
		{
			name: "looked at early for nothing",
			due:  but(due(time.Minute, at(59*second), skip), func(d *Due) { d.Look, d.HeldBy = now, "gone" }),
			want: Move{Next: at(59 * second)},
		},
		{
			name: "a fixed delay looked at early stays",
			due:  but(after(at(9*time.Minute), skip), func(d *Due) { d.Look = now }),
			want: Move{Next: at(9 * time.Minute)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := test.due
			s, err := d.Schedule.CompileWith(theCalendars(t, d.Namespace).calendarsOf(d.Namespace))
			if err != nil {
				t.Fatal(err)
			}
			var pauses []*pause
			for _, p := range test.pauses {
				pauses = append(pauses, pauseOf(t, p, 77))
			}
			move := decide(d, s, pauses, theLimits())
			if diff := cmp.Diff(test.runs, lines(move.Runs), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			for _, r := range move.Runs {
				if r.JobID != 3 || r.JobVersion != 4 || r.GroupID != 5 || !r.CreatedAt.Equal(now) {
					t.Errorf("run %+v", r)
				}
				if (r.State == job.Skipped) == r.EndedAt.IsZero() || (r.State == job.Skipped) != r.ReadyAt.IsZero() {
					t.Errorf("%s run is ready at %s and ended at %s", r.State, r.ReadyAt, r.EndedAt)
				}
				if r.State == job.Planned && (r.ReadyAt.Before(r.DueAt) || r.ReadyAt.Before(now)) {
					t.Errorf("a run that is due at %s is ready at %s", r.DueAt, r.ReadyAt)
				}
			}
			want := test.want
			want.JobID, want.Version, want.From = 3, 4, d.Next
			if diff := cmp.Diff(want, move, cmpopts.IgnoreFields(Move{}, "Runs")); diff != "" {
				t.Errorf("move (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	d := due(time.Minute, at(time.Second), schedule.MisfireSkip)
	d.Fired = 7
	move := unreadable(&d, errors.New("no such zone"), theLimits())
	want := []line{dropping(at(time.Second), "the job was stopped: its schedule cannot be read: no such zone")}
	if diff := cmp.Diff(want, lines(move.Runs)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if !move.Next.IsZero() || move.Waits || move.Fired != 7 || move.StopReason != "its schedule cannot be read: no such zone" {
		t.Errorf("move %+v", move)
	}
}

func TestReasonOfManySkipped(t *testing.T) {
	t.Parallel()
	words := reasons{job: &Due{Misfire: schedule.MisfireSkip}, asOf: now}
	many := schedule.Stretch{Count: 10_000, First: at(-time.Hour), Last: at(-time.Minute)}
	want := "10000 firings from 2026-03-01T11:00:00Z to 2026-03-01T11:59:00Z were missed; misfire policy skip let them go"
	if got := words.letGoMany(many, 0); got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
	many.Truncated = true
	if got := words.letGoMany(many, 0); got != "more than "+want {
		t.Errorf("reason %q, want more than that", got)
	}
	one := schedule.Stretch{Count: 1, First: at(-time.Hour), Last: at(-time.Hour)}
	if got := words.letGoMany(one, 0); got != words.letGo(one.First, 0) {
		t.Errorf("reason of one: %q", got)
	}
}

// Many firings that a calendar drops are told one by one for the newest, and
// together for the others.
func TestManyDropped(t *testing.T) {
	t.Parallel()
	d := due(time.Minute, at(24*time.Hour), schedule.MisfireSkip)
	d.Schedule.Anchor, d.Schedule.Calendars, d.Last = now, []string{"weekdays"}, at(-48*time.Hour)
	d.Schedule.Zone = "Etc/GMT+12" // where Monday begins at noon
	s, err := d.Schedule.CompileWith(theCalendars(t, d.Namespace).calendarsOf(d.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	l := theLimits()
	l.now, l.until = d.Next, d.Next.Add(2*time.Second)
	move := decide(&d, s, nil, l)
	if n := len(move.Runs); n != 102 {
		t.Fatalf("%d runs, want a firing, 100 records and their sum", n)
	}
	want := "calendars do not allow the days of 2780 firings from 2026-02-28T12:00:00Z to 2026-03-02T10:19:00Z"
	if got := move.Runs[1]; got.Reason != want || got.State != job.Skipped || !got.PlannedAt.Equal(at(-24*time.Hour)) {
		t.Errorf("%+v, want %q", got, want)
	}
	if got := move.Runs[2].PlannedAt; !got.Equal(at(22*time.Hour + 20*time.Minute)) {
		t.Errorf("the first that is told alone is of %s", got)
	}
	if got := move.Runs[101].PlannedAt; !got.Equal(at(24*time.Hour - time.Minute)) {
		t.Errorf("the last that is told alone is of %s", got)
	}
}

// Replanning again and again, with whatever breaks and pauses, takes every firing
// exactly once: each is fired, made up for, or told as skipped.
func TestNoFiringIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	policies := []schedule.Misfire{schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll}
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.IntRange(100, 20_000).Draw(t, "period")) * time.Millisecond
		d := due(period, now, rapid.SampledFrom(policies).Draw(t, "policy"))
		d.Limits.Max = rapid.IntRange(1, 150).Draw(t, "max")
		s, err := d.Schedule.Compile()
		if err != nil {
			t.Fatal(err)
		}
		begin := at(time.Duration(rapid.IntRange(0, 400_000).Draw(t, "begin")) * time.Millisecond)
		window := job.Pause{Key: "p", From: begin, Until: begin.Add(time.Duration(rapid.IntRange(1, 400_000).Draw(t, "length")) * time.Millisecond)}
		hold, err := window.Compile()
		if err != nil {
			t.Fatal(err)
		}
		pauses := []*pause{{key: "p", everyGroup: true, hold: hold}}
		l := theLimits()
		l.perJob = rapid.IntRange(1, 50).Draw(t, "limit")
		taken, summed := make(map[time.Time]bool), 0
		for range rapid.IntRange(1, 20).Draw(t, "turns") {
			l.now = l.now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "break")) * time.Millisecond)
			l.until = l.now.Add(2 * time.Second)
			if d.Look.After(l.until) {
				continue
			}
			move := decide(&d, s, pauses, l)
			for _, r := range move.Runs {
				if taken[r.PlannedAt] {
					t.Fatalf("%s was taken twice", r.PlannedAt)
				}
				taken[r.PlannedAt] = true
				if r.State == job.Skipped {
					summed += summedUp(t, r.Reason)
					continue
				}
				if r.ReadyAt.Before(r.DueAt) || r.DueAt.Before(r.PlannedAt) {
					t.Fatalf("run for %s is due at %s and ready at %s", r.PlannedAt, r.DueAt, r.ReadyAt)
				}
				if _, held := hold.At(laterOf(r.DueAt, l.now)); held {
					t.Fatalf("run for %s starts at %s, in the pause", r.PlannedAt, r.DueAt)
				}
			}
			d.Next, d.Look, d.HeldBy = move.Next, move.Look, move.HeldBy
			if d.Look.IsZero() {
				d.Look = d.Next
			}
		}
		if want := int(d.Next.Sub(now) / period); len(taken)+summed != want {
			t.Fatalf("%d taken and %d summed up of %d firings", len(taken), summed, want)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	d := due(time.Minute, at(time.Second), schedule.MisfireFireOnce)
	d.Schedule = schedule.Spec{Kind: schedule.KindCron, Cron: "1 */5 * * * ?", Zone: "Asia/Shanghai"}
	s, err := d.Schedule.Compile()
	if err != nil {
		b.Fatal(err)
	}
	l := theLimits()
	b.ReportAllocs()
	for b.Loop() {
		decide(&d, s, nil, l)
	}
}
