package planner

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(offset time.Duration) time.Time { return now.Add(offset) }

func theLimits() limits {
	return limits{now: now, until: at(2 * time.Second), tolerance: 5 * time.Second, perJob: 3, claim: 15 * time.Second}
}

// due returns a job that fires each period and has a firing at the instant.
func due(period time.Duration, next time.Time, policy schedule.Misfire) Due {
	return Due{
		JobID: 3, Version: 4, GroupID: 5, Next: next, Misfire: policy,
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: period, Anchor: next},
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	type line struct {
		At     time.Time
		Cause  job.Cause
		State  job.State
		Reason string
	}
	fire := func(offset time.Duration) line { return line{at(offset), job.CauseSchedule, job.Planned, ""} }
	missed := func(offset time.Duration, reason string) line {
		return line{at(offset), job.CauseMisfire, job.Planned, reason}
	}
	skipped := func(offset time.Duration, reason string) line {
		return line{at(offset), job.CauseMisfire, job.Skipped, reason}
	}
	tests := []struct {
		name string
		due  Due
		runs []line
		next time.Time
	}{
		{
			"one firing ahead", due(time.Minute, at(time.Second), schedule.MisfireSkip),
			[]line{fire(time.Second)},
			at(time.Minute + time.Second),
		},
		{
			"a little late is not missed", due(time.Minute, at(-5*time.Second), schedule.MisfireSkip),
			[]line{fire(-5 * time.Second)},
			at(55 * time.Second),
		},
		{
			"many within the horizon stop at the limit", due(500*time.Millisecond, at(0), schedule.MisfireSkip),
			[]line{fire(0), fire(500 * time.Millisecond), fire(time.Second)},
			at(1500 * time.Millisecond),
		},
		{
			"one missed, skipped", due(time.Minute, at(-30*time.Second), schedule.MisfireSkip),
			[]line{skipped(-30*time.Second, "the firing of 2026-03-01T11:59:30Z was missed; misfire policy skip let it go")},
			at(30 * time.Second),
		},
		{
			"several missed, skipped", due(time.Minute, at(-150*time.Second), schedule.MisfireSkip),
			[]line{skipped(-150*time.Second, "3 firings from 2026-03-01T11:57:30Z on were missed; misfire policy skip let them go")},
			at(30 * time.Second),
		},
		{
			"several missed, one made up for", due(time.Minute, at(-150*time.Second), schedule.MisfireFireOnce),
			[]line{
				skipped(-150*time.Second, "2 firings from 2026-03-01T11:57:30Z on were missed; misfire policy fire_once let them go"),
				missed(-30*time.Second, "missed by 30s; misfire policy fire_once"),
			},
			at(30 * time.Second),
		},
		{
			"all made up for, up to the limit", due(time.Minute, at(-210*time.Second), schedule.MisfireFireAll),
			[]line{
				skipped(-210*time.Second, "the firing of 2026-03-01T11:56:30Z was missed; misfire policy fire_all let it go"),
				missed(-150*time.Second, "missed by 2m30s; misfire policy fire_all"),
				missed(-90*time.Second, "missed by 1m30s; misfire policy fire_all"),
				missed(-30*time.Second, "missed by 30s; misfire policy fire_all"),
			},
			at(30 * time.Second),
		},
		{
			"missed and on time", due(4*time.Second, at(-8*time.Second), schedule.MisfireFireAll),
			[]line{missed(-8*time.Second, "missed by 8s; misfire policy fire_all"), fire(-4 * time.Second), fire(0)},
			at(4 * time.Second),
		},
		{
			"once is over after it",
			Due{
				JobID: 3, Version: 4, GroupID: 5, Next: at(time.Second), Misfire: schedule.MisfireSkip,
				Schedule: schedule.Spec{Kind: schedule.KindOnce, At: at(time.Second)},
			},
			[]line{fire(time.Second)},
			time.Time{},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := test.due.Schedule.Compile()
			if err != nil {
				t.Fatal(err)
			}
			move := decide(test.due, s, theLimits())
			var got []line
			for _, r := range move.Runs {
				got = append(got, line{r.PlannedAt, r.Cause, r.State, r.Reason})
				if r.JobID != 3 || r.JobVersion != 4 || r.GroupID != 5 || !r.CreatedAt.Equal(now) {
					t.Errorf("run %+v", r)
				}
				if (r.State == job.Skipped) == r.EndedAt.IsZero() || (r.State == job.Skipped) != r.ReadyAt.IsZero() {
					t.Errorf("%s run is ready at %s and ended at %s", r.State, r.ReadyAt, r.EndedAt)
				}
			}
			if diff := cmp.Diff(test.runs, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			last := test.runs[len(test.runs)-1].At
			if !move.Next.Equal(test.next) || !move.From.Equal(test.due.Next) || !move.Last.Equal(last) || move.Version != 4 {
				t.Errorf("move from %s to %s, last %s", move.From, move.Next, move.Last)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	move := unreadable(due(time.Minute, at(time.Second), schedule.MisfireSkip), errors.New("no such zone"), theLimits())
	if len(move.Runs) != 1 || move.Runs[0].State != job.Skipped || !move.Next.IsZero() {
		t.Fatalf("move %+v", move)
	}
	if want := "the job was stopped: its schedule cannot be read: no such zone"; move.Runs[0].Reason != want {
		t.Errorf("reason %q, want %q", move.Runs[0].Reason, want)
	}
}

// Replanning again and again, with whatever pauses, takes every firing exactly
// once: each is fired, made up for, or counted as skipped.
func TestNoFiringIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	policies := []schedule.Misfire{schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll}
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.IntRange(100, 20_000).Draw(t, "period")) * time.Millisecond
		d := due(period, now, rapid.SampledFrom(policies).Draw(t, "policy"))
		s, err := d.Schedule.Compile()
		if err != nil {
			t.Fatal(err)
		}
		l := theLimits()
		l.perJob = rapid.IntRange(1, 50).Draw(t, "limit")
		taken, skipped := make(map[time.Time]bool), 0
		for range rapid.IntRange(1, 20).Draw(t, "turns") {
			l.now = l.now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "pause")) * time.Millisecond)
			l.until = l.now.Add(2 * time.Second)
			decision := schedule.Decide(schedule.Input{
				Policy: d.Misfire, Schedule: s, Next: d.Next, Now: l.now, Until: l.until, Tolerance: l.tolerance, Limit: l.perJob,
			})
			move := decide(d, s, l)
			skipped += decision.Skipped
			for _, r := range move.Runs {
				if r.State == job.Skipped {
					continue
				}
				if taken[r.PlannedAt] {
					t.Fatalf("%s was taken twice", r.PlannedAt)
				}
				if r.ReadyAt.Before(r.PlannedAt) || r.ReadyAt.Before(l.now) {
					t.Fatalf("run for %s may be sent at %s, now is %s", r.PlannedAt, r.ReadyAt, l.now)
				}
				taken[r.PlannedAt] = true
			}
			d.Next = move.Next
		}
		if want := int(d.Next.Sub(now) / period); len(taken)+skipped != want {
			t.Fatalf("%d taken and %d skipped of %d firings", len(taken), skipped, want)
		}
	})
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m Move
		planned := 0
		for range rapid.IntRange(0, 10).Draw(t, "runs") {
			state := rapid.SampledFrom([]job.State{job.Planned, job.Skipped}).Draw(t, "state")
			if state == job.Planned {
				planned++
			}
			m.Runs = append(m.Runs, job.Run{State: state, ReadyAt: now})
		}
		room := rapid.IntRange(0, 10).Draw(t, "room")
		handed := handOver(&m, room, time.Minute)
		if len(handed) != min(room, planned) {
			t.Fatalf("%d of %d were handed over into %d places", len(handed), planned, room)
		}
		hidden := 0
		for _, r := range m.Runs {
			if r.ReadyAt.After(now) {
				hidden++
			}
		}
		if hidden != len(handed) {
			t.Fatalf("%d rows are hidden, %d handed over", hidden, len(handed))
		}
	})
}

func TestReasonOfManySkipped(t *testing.T) {
	t.Parallel()
	reason := skippedReason(Due{Misfire: schedule.MisfireSkip}, schedule.Decision{Skipped: 10_000, FirstSkipped: now, Truncated: true})
	if !strings.HasPrefix(reason, "more than 10000 firings from 2026-03-01T12:00:00Z on were missed") {
		t.Errorf("reason %q", reason)
	}
}
