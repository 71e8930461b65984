package planner

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Runs that are to start within the horizon are handed over while there is room,
// and hidden from others until the end of the claim; no other is touched.
func TestHandOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p plan
		soon := 0
		for range rapid.IntRange(0, 10).Draw(t, "runs") {
			r := job.Run{State: rapid.SampledFrom([]job.State{job.Planned, job.Skipped}).Draw(t, "state")}
			if r.State == job.Planned {
				r.DueAt = at(time.Duration(rapid.IntRange(-3, 6).Draw(t, "due")) * time.Second)
				r.ReadyAt = laterOf(now, r.DueAt)
				if !r.DueAt.After(at(2 * time.Second)) {
					soon++
				}
			}
			p.move.Runs = append(p.move.Runs, r)
		}
		room := rapid.IntRange(0, 10).Draw(t, "room")
		p.handOver(room, at(2*time.Second), time.Minute)
		if len(p.handed) != min(room, soon) {
			t.Fatalf("%d of %d were handed over into %d places", len(p.handed), soon, room)
		}
		hidden := 0
		for _, r := range p.move.Runs {
			switch free := laterOf(now, r.DueAt); {
			case r.State == job.Skipped || r.ReadyAt.Equal(free):
			case r.ReadyAt.Equal(free.Add(time.Minute)) && !r.DueAt.After(at(2*time.Second)):
				hidden++
			default:
				t.Fatalf("a run that is due at %s is ready at %s", r.DueAt, r.ReadyAt)
			}
		}
		if hidden != len(p.handed) {
			t.Fatalf("%d rows are hidden, %d handed over", hidden, len(p.handed))
		}
	})
}

func TestSpread(t *testing.T) {
	t.Parallel()
	run := func(cause job.Cause, state job.State) job.Run {
		return job.Run{Cause: cause, State: state, PlannedAt: at(-time.Hour), DueAt: now, ReadyAt: now}
	}
	p := plan{move: Move{Runs: []job.Run{
		run(job.CauseMisfire, job.Skipped),
		run(job.CauseMisfire, job.Planned), run(job.CauseMisfire, job.Planned), run(job.CauseMisfire, job.Planned),
		run(job.CauseSchedule, job.Planned),
	}}}
	pace := &pacer{rate: 2}
	pace.forget(now)
	p.spread(pace, schedule.MisfireLimits{Spacing: 700 * time.Millisecond}, false)
	for i, want := range []time.Duration{0, 0, 1000 * time.Millisecond, 2500 * time.Millisecond, 0} {
		r := p.move.Runs[i]
		if !r.DueAt.Equal(at(want)) || !r.ReadyAt.Equal(at(want)) {
			t.Errorf("run %d is due %s and ready %s after now, want %s", i, r.DueAt.Sub(now), r.ReadyAt.Sub(now), want)
		}
	}
	if len(p.slots) != 3 {
		t.Errorf("%d slots were taken for 3 runs", len(p.slots))
	}
}
