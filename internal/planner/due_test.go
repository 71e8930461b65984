package planner

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A job's due firings are planned, those that come later are not, and those of other jobs
// neither.
func TestPlanDue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		late  time.Duration // how long the first firing, of a second each, has been due
		edit  func(*Due)
		sent  int // runs that are to be sent
		now   int // of them those that start at once
		told  int // firings that a record tells about
		next  time.Duration
		ended bool
	}{
		{name: "not due", late: -time.Second, next: time.Second},
		{name: "due now", sent: 1, now: 1, next: time.Second},
		{name: "on time still", late: 2500 * time.Millisecond, sent: 3, now: 3, next: 500 * time.Millisecond},
		{name: "missed, and let go", late: 8 * time.Second, sent: 6, now: 6, told: 3, next: time.Second},
		{
			name: "missed, and made up for", late: 8 * time.Second, edit: func(d *Due) { d.Misfire = schedule.MisfireFireAll },
			sent: 9, now: 7, next: time.Second,
		},
		{
			name: "the last one", edit: func(d *Due) { d.Schedule.Count, d.Fired = 3, 2 }, sent: 1, now: 1, ended: true,
		},
		{name: "more than one transaction takes", late: 600 * time.Second, edit: func(d *Due) {
			d.Schedule.Every, d.Limits.Threshold = 100*time.Millisecond, time.Hour
		}, sent: 6001, now: 6001, next: 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, now := newWorld(), time.Now().UTC()
				first := now.Add(-c.late)
				due := Due{JobID: 1, Next: first, Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Second, Anchor: first}}
				if c.edit != nil {
					c.edit(&due)
				}
				w.add(due)
				w.every(2, time.Second, now.Add(-time.Minute))
				var left []time.Time
				p := NewDuePlanner(DueConfig{Store: w, IDs: w, Logger: quiet, Hooks: Hooks{Left: func(at time.Time) { left = append(left, at) }}})
				changed, err := p.PlanDue(t.Context(), 1, now)
				if err != nil || changed != (c.sent > 0) || changed != (len(left) > 0) {
					t.Fatalf("PlanDue: %v, %v; told of runs at %v", changed, err, left)
				}
				sent, atOnce, told := 0, 0, 0
				for _, r := range w.runs {
					switch {
					case r.JobID != 1:
						t.Fatalf("planned %+v", r)
					case r.State == job.Skipped:
						told += 1 + summedUp(t, r.Reason)
					default:
						sent++
						if !r.DueAt.After(now) {
							atOnce++
						}
					}
				}
				if sent != c.sent || atOnce != c.now || told != c.told {
					t.Errorf("%d runs, %d of them now, and %d firings let go; want %d, %d, %d", sent, atOnce, told, c.sent, c.now, c.told)
				}
				if d := w.jobs[1]; (d == nil) != c.ended || d != nil && !d.Next.Equal(now.Add(c.next)) {
					t.Errorf("the job goes on as %+v", d)
				}
				if changed, err := p.PlanDue(t.Context(), 1, now); err != nil || changed {
					t.Errorf("a second time: %v, %v", changed, err)
				}
			})
		})
	}
}

// Another planner may be quicker, the store may be away, and a pause may hold the job.
func TestPlanDueBeside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, now := newWorld(), time.Now().UTC()
		w.every(1, time.Second, now.Add(-2*time.Second))
		p := NewDuePlanner(DueConfig{Store: w, IDs: w})
		away := job.Errorf(job.Unavailable, "away")
		w.fail = func() error { return away }
		if _, err := p.PlanDue(t.Context(), 1, now); !errors.Is(err, away) {
			t.Errorf("without a database: %v", err)
		}
		w.fail = func() error { return nil }
		quicker := 0
		w.between = func() {
			if quicker++; quicker == 1 { // it takes the first firing
				w.jobs[1].Next, w.jobs[1].Look = now.Add(-time.Second), now.Add(-time.Second)
			}
		}
		if changed, err := p.PlanDue(t.Context(), 1, now); err != nil || !changed || len(w.planned(1)) != 2 {
			t.Errorf("beside a planner that is quicker: %v, %v, %v", changed, err, w.planned(1))
		}
		w.every(3, time.Second, now)
		w.ruled(func(r *Rules) { r.Pauses = []Pause{{Pause: job.Pause{Key: "night", From: now}}} })
		if _, err := p.PlanDue(t.Context(), 3, now); err != nil || len(w.planned(3)) != 0 || w.jobs[3].HeldBy != "night" {
			t.Errorf("held: %v, %+v", err, w.jobs[3])
		}
	})
}

// More firings than it plans at once are refused, and nothing goes on for ever.
func TestPlanDueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, now := newWorld(), time.Now().UTC()
		w.add(Due{
			JobID: 1, Next: now.Add(-4 * time.Hour), Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 100 * time.Millisecond, Anchor: now},
			Limits: schedule.MisfireLimits{Threshold: 5 * time.Hour},
		})
		_, err := NewDuePlanner(DueConfig{Store: w, IDs: w}).PlanDue(t.Context(), 1, now)
		if !job.Is(err, job.Full) || len(w.runs) != duePlans*duePerPlan {
			t.Errorf("%d runs are planned: %v", len(w.runs), err)
		}
	})
}
