package sim

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// The jobs that users switch time and again: one is stopped and started, the other gets
// another schedule. They do it within the time for which firings are planned ahead.
const (
	toggled     = "toggled"
	rescheduled = "rescheduled"
)

// switching returns the jobs that users switch. They are alone in having nothing that
// holds their firings back.
func switching() []job.Job {
	return []job.Job{
		{Key: toggled, Schedule: cron("0/3 * * * * ?"), Group: alpha, Param: task(100, 0), Overlap: job.OverlapConcurrent, Concurrency: 20},
		{Key: rescheduled, Schedule: cron(otherSchedules[0]), Group: alpha, Param: task(100, 0), Overlap: job.OverlapConcurrent, Concurrency: 20},
	}
}

// otherSchedules are those that a job gets in turn.
var otherSchedules = [...]string{"0/4 * * * * ?", "1/3 * * * * ?"}

// turn is one switch of a job: from when on it is asked for, when it was answered, and how
// the job stands then. sure says that a server has confirmed it.
type turn struct {
	from, to time.Time
	sure     bool
	enabled  bool
	schedule string
}

// switches is what users did to one job, in order. The first one is its making.
type switches struct {
	key   string
	turns []turn
}

// sentAhead is how long before its time a run is on its way at most: a switch does not reach it
// any more.
const sentAhead = 105 * time.Millisecond

// at returns how the job stood at an instant, and false when that is not certain.
func (s *switches) at(t time.Time) (turn, bool) {
	last := -1
	for i := range s.turns {
		switch {
		case s.turns[i].to.Add(sentAhead).Before(t):
			last = i
		case s.turns[i].from.After(t):
		default:
			return turn{}, false // under way
		}
	}
	if last < 0 || !s.turns[last].sure {
		return turn{}, false
	}
	return s.turns[last], true
}

// stillToFire is how long before the end of their schedules jobs are switched last.
const stillToFire = 6 * time.Second

// toggle switches a job until an instant, through whichever server answers.
func (w *world) toggle(key string, until time.Time) {
	d := newDice(w.seed, "switches of "+key)
	s := w.judge.switched(key)
	for n := 1; ; n++ {
		// Mostly so quickly that the same firing is still planned.
		pause := d.between(100*time.Millisecond, 1800*time.Millisecond)
		if d.chance(0.3) {
			pause = d.between(2*time.Second, 8*time.Second)
		}
		if time.Now().Add(pause + stillToFire).After(until) {
			return // a job whose last firing is planned is over, and stays so
		}
		time.Sleep(pause)
		l := w.servers[d.below(len(w.servers))].current()
		if l == nil {
			continue
		}
		next := s.turns[len(s.turns)-1]
		if key == toggled {
			next.enabled = n%2 == 0
		} else {
			next.schedule = otherSchedules[n%2]
		}
		next.from = time.Now()
		err := next.carryOut(l.catalog, key)
		next.to, next.sure = time.Now(), err == nil
		w.trace.note("users: change job %s to %v, %s: %v", key, next.enabled, next.schedule, err)
		w.judge.mu.Lock()
		s.turns = append(s.turns, next)
		w.judge.mu.Unlock()
	}
}

// carryOut asks a server for a switch.
func (t *turn) carryOut(c *jobs.Catalog, key string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if key == toggled {
		set := c.StopJob
		if t.enabled {
			set = c.StartJob
		}
		_, err := set(ctx, job.DefaultNamespace, key)
		return err
	}
	_, err := c.UpdateJob(ctx, job.DefaultNamespace, key, 0, func(j job.Job) (job.Job, error) {
		end := j.Schedule.End
		j.Schedule = cron(t.schedule)
		j.Schedule.End = end
		return j, nil
	})
	return err
}

// switched returns what users did to a job that they switch.
func (j *judge) switched(key string) *switches {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.switches[key] == nil {
		now := time.Now()
		j.switches[key] = &switches{key: key, turns: []turn{{from: now, to: now, sure: true, enabled: true, schedule: otherSchedules[0]}}}
		if key == toggled {
			j.switches[key].turns[0].schedule = "0/3 * * * * ?"
		}
	}
	return j.switches[key]
}

// isSwitched reports whether users switch a job, so that its slots are not all wanted.
func isSwitched(key string) bool { return key == toggled || key == rescheduled }

// turned judges the slots of a job that users switch: one has a run exactly if the job
// wanted it at its instant, as far as that is certain.
func (j *judge) turned(made *job.Job, runs []job.Run) {
	s := j.switched(made.Key)
	at := make(map[int64]*job.Run)
	for i := range runs {
		r := &runs[i]
		if r.Cause != job.CauseSchedule && r.Cause != job.CauseMisfire {
			continue
		}
		at[r.PlannedAt.UnixMilli()] = r
		state, certain := s.at(r.PlannedAt)
		switch {
		case !certain:
		case !state.enabled:
			j.fault("I2: run %d of job %s, %s, is for %s, when the job was stopped", r.ID, r.JobKey, r.State, r.PlannedAt)
		case !fires(state.schedule, r.PlannedAt):
			j.fault("I2: run %d of job %s, %s, is for %s, when its schedule was %s", r.ID, r.JobKey, r.State, r.PlannedAt, state.schedule)
		case r.State == job.Cancelled:
			j.fault("I1: run %d of job %s is cancelled (%s), and the job was started when it was due", r.ID, r.JobKey, r.Reason)
		}
	}
	for t := s.turns[0].to.Truncate(time.Second).Add(time.Second); t.Before(made.Schedule.End); t = t.Add(time.Second) {
		state, certain := s.at(t)
		if certain && state.enabled && fires(state.schedule, t) && at[t.UnixMilli()] == nil {
			j.fault("I1: the slot %s of job %s has no run: it was started, with schedule %s", t, made.Key, state.schedule)
		}
	}
}

// fires reports whether a schedule fires at an instant.
func fires(expression string, at time.Time) bool {
	spec := cron(expression)
	s, err := spec.Compile()
	if err != nil {
		return false
	}
	next, ok := schedule.First(s, at)
	return ok && next.Equal(at)
}
