package storetest

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// delay is that of the jobs below.
const delay = 10 * time.Second

func afterTests() []test {
	return []test{
		{"a fixed delay waits for its run and goes on after it", afterGoesOn},
		{"only the run that it awaits sets the next firing", afterAwaitsOne},
		{"a cancelled run sets the next firing", afterCancelled},
		{"a save does not fire while the run is open", afterSaved},
		{"a restarted job awaits its own run", afterRestarted},
		{"a job with another schedule awaits nothing", afterChanged},
		{"a firing that exists is not awaited", afterTaken},
		{"many ends of one run set one firing", afterRace},
		{"random calls neither strand it nor fire it twice", afterWalk},
	}
}

// after returns a job with a fixed delay that is due now.
func (b *bench) after() job.Job {
	b.Helper()
	return b.create(func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: delay} })
}

// fire plans the job's next firing as a fixed delay and returns the run.
func (b *bench) fire(j job.Job, at time.Time) job.Run {
	b.Helper()
	r := b.firing(j, at)
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: j.Version, From: at, Waits: true, Last: at, Fired: j.Fired + 1, Runs: []job.Run{r},
	}), true)
	return b.run(r.ID)
}

// next checks the job's next firing, and that planners look at it then.
func (b *bench) next(j job.Job, want time.Time) {
	b.Helper()
	got := b.job(j.Key)
	b.same("next firing", got.NextAt, want)
	var looks []time.Time
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(1_000_000), 1000)
	b.ok(err)
	for _, d := range due {
		if d.JobID == j.ID {
			b.same("next firing of the due job", d.Next, want)
			looks = append(looks, d.Look)
		}
	}
	if want.IsZero() {
		b.same("number of looks", len(looks), 0)
		return
	}
	b.same("looks", looks, []time.Time{want})
}

func afterGoesOn(b *bench) {
	j := b.after()
	for i, outcome := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost} {
		at := b.at(100 * i)
		r := b.fire(b.job(j.Key), at)
		b.next(j, time.Time{})
		b.same("enabled", b.job(j.Key).Enabled, true)
		if i == 2 {
			b.reopen()
		}
		c := b.completion(b.dispatch(r), job.Failed)
		c.RunState, c.RetryAt = job.WaitingRetry, b.at(1)
		b.same("completion", b.commit(c), []bool{true})
		b.next(j, time.Time{}) // it is tried again

		a := b.dispatch(b.run(r.ID))
		b.same("delay in the snapshot", b.snapshot(a.ID).After, delay)
		c = b.completion(a, outcome)
		c.NextAt = b.at(100*i + 100)
		b.same("completion", b.commit(c), []bool{true})
		b.next(j, b.at(100*i+100))
		b.same("second completion", b.commit(c), []bool{false})
	}
	b.same("fired", b.job(j.Key).Fired, 5)
}

func afterAwaitsOne(b *bench) {
	j, other := b.after(), b.after()
	open := b.fire(j, b.now)
	b.fire(other, b.now)
	end := func(r job.Run) {
		c := b.completion(b.dispatch(r), job.Succeeded)
		c.NextAt = b.at(16)
		b.same("completion", b.commit(c), []bool{true})
	}
	end(b.trigger(j, b.at(3)))
	b.next(j, time.Time{})
	end(open)
	b.next(j, b.at(16))
	b.next(other, time.Time{})

	plain := b.create()
	b.same("delay of another schedule", b.snapshot(b.dispatch(b.trigger(plain, b.now)).ID).After, time.Duration(0))
	end(b.trigger(plain, b.at(3)))
	b.next(plain, b.now)
}

func afterCancelled(b *bench) {
	j := b.after()
	r, manual := b.fire(j, b.now), b.trigger(j, b.at(3))
	cancel := func(id int64) {
		_, err := b.CancelRun(b.ctx(), id, "enough", b.at(5))
		b.ok(err)
	}
	cancel(manual.ID)
	b.next(j, time.Time{})
	cancel(r.ID)
	b.next(j, b.at(15))
	b.same("took effect", b.plan(planner1(j, b.at(15), b.at(99))), true)
	cancel(r.ID) // it is over
	b.next(j, b.at(99))

	misfire := b.firing(j, b.at(98))
	misfire.Cause = job.CauseMisfire
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.at(99), Waits: true, Runs: []job.Run{misfire},
	}), true)
	cancel(misfire.ID)
	b.next(j, b.at(15))
}

func afterSaved(b *bench) {
	j := b.after()
	r := b.fire(j, b.now)
	j = b.save(j, func(j *job.Job) { j.Title, j.NextAt = changed, b.at(1) })
	b.same("saved", b.job(j.Key), j)
	b.next(j, time.Time{})
	j = b.save(j, func(j *job.Job) { j.Schedule.After, j.NextAt, j.UpdatedAt = time.Minute, b.at(1), b.now })
	b.next(j, time.Time{})
	a := b.dispatch(b.run(r.ID))
	b.same("delay in the snapshot", b.snapshot(a.ID).After, time.Minute)
	c := b.completion(a, job.Succeeded)
	c.NextAt = b.at(66)
	b.same("completion", b.commit(c), []bool{true})
	b.next(j, b.at(66))
}

func afterRestarted(b *bench) {
	j := b.after()
	old := b.dispatch(b.fire(j, b.now))
	j = b.save(j, func(j *job.Job) { j.Enabled = false })
	end := func(a job.Attempt, next time.Time) {
		c := b.completion(a, job.Succeeded)
		c.NextAt = next
		b.same("completion", b.commit(c), []bool{true})
	}
	j = b.save(j, func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(2) })
	b.next(j, b.at(2))
	mine := b.dispatch(b.fire(j, b.at(2)))
	end(old, b.at(16))
	b.next(j, time.Time{})
	end(mine, b.at(20))
	b.next(j, b.at(20))

	last := b.dispatch(b.fire(j, b.at(20)))
	b.save(j, func(j *job.Job) { j.Enabled = false })
	end(last, b.at(40))
	b.next(j, time.Time{})
	b.same("enabled", b.job(j.Key).Enabled, false)
}

func afterChanged(b *bench) {
	j := b.after()
	a := b.dispatch(b.fire(j, b.now))
	j = b.save(j, func(j *job.Job) {
		j.Schedule, j.NextAt = schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute}, b.at(60)
	})
	b.next(j, b.at(60))
	c := b.completion(a, job.Succeeded)
	c.NextAt = b.at(16)
	b.same("completion", b.commit(c), []bool{true})
	b.next(j, b.at(60))
	j = b.save(j, func(j *job.Job) {
		j.Schedule, j.NextAt = schedule.Spec{Kind: schedule.KindAfter, After: delay}, b.at(7)
	})
	b.next(j, b.at(7))
}

func afterTaken(b *bench) {
	j := b.after()
	r := b.fire(j, b.now)
	b.complete(b.dispatch(r), job.Succeeded) // its end sets nothing
	j = b.save(j, func(j *job.Job) { j.Enabled = false })
	j = b.save(j, func(j *job.Job) { j.Enabled, j.NextAt = true, b.now })
	again := b.firing(j, b.now)
	for _, runs := range [][]job.Run{{again}, nil} {
		from := b.job(j.Key).NextAt
		b.same("took effect", b.plan(planner.Move{
			JobID: j.ID, Version: j.Version, From: from, Waits: true, Runs: runs,
		}), true)
		b.next(j, from.Add(delay))
	}
	b.same("runs", len(b.runs(j)), 1)
}

func afterRace(b *bench) {
	j := b.after()
	a := b.dispatch(b.fire(j, b.now))
	b.accept(a)
	var all sync.WaitGroup
	for i := range 20 {
		c := b.completion(a, job.Succeeded)
		c.NextAt = b.at(100 + i)
		all.Go(func() {
			if _, err := b.CommitCompletions(b.ctx(), []completer.Completion{c}); err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	next := b.job(j.Key).NextAt
	if next.Before(b.at(100)) || next.After(b.at(119)) {
		b.Fatalf("the next firing is %v", next)
	}
	r := b.fire(j, next)
	b.next(j, time.Time{})
	b.state(r.ID, job.Planned)
}

// afterWalk makes random calls about a fixed delay. Whatever happens, an enabled
// job has a next firing or an open run that it awaits, and never both.
func afterWalk(b *bench) {
	random := rand.New(rand.NewPCG(1, 3))
	j := b.after()
	var awaited int64
	for i := range 80 {
		j = b.job(j.Key)
		if j.Enabled && !j.NextAt.IsZero() && random.IntN(2) == 0 {
			awaited = b.fire(j, j.NextAt).ID
		} else if b.disturb(random, &j, b.at(100+i)) {
			awaited = 0
		}
		j = b.job(j.Key)
		if awaited != 0 && b.isOver(awaited) {
			awaited = 0
		}
		if open := awaited != 0; j.Enabled && open != j.NextAt.IsZero() {
			b.Fatalf("after call %d the job awaits run %d and has the next firing %v", i, awaited, j.NextAt)
		}
	}
}

// isOver reports whether a run has ended, or was withdrawn.
func (b *bench) isOver(run int64) bool {
	b.Helper()
	r, err := b.RunByID(b.ctx(), run)
	if job.Is(err, job.NotFound) {
		return true
	}
	b.ok(err)
	return r.State.Final()
}

// disturb does something at random to the job or to one of its runs, and reports
// whether that ended what the job awaits.
func (b *bench) disturb(random *rand.Rand, j *job.Job, now time.Time) (begunAnew bool) {
	b.Helper()
	switch runs := b.runs(*j); random.IntN(7) {
	case 0:
		b.trigger(*j, now)
	case 1:
		enabled := j.Enabled
		*j = b.save(*j, func(j *job.Job) { j.Enabled, j.NextAt = !enabled, now })
		return true
	case 2:
		*j = b.save(*j, func(j *job.Job) { j.Schedule.After, j.NextAt = j.Schedule.After+time.Second, now })
	case 3:
		if len(runs) > 0 {
			_, err := b.CancelRun(b.ctx(), runs[random.IntN(len(runs))].ID, "enough", now)
			b.ok(err)
		}
	default:
		for _, r := range runs {
			if r.State.Waiting() {
				c := b.completion(b.dispatch(r), job.Failed)
				c.NextAt = now
				if random.IntN(3) == 0 {
					c.RunState, c.RetryAt, c.NextAt = job.WaitingRetry, now, time.Time{}
				}
				b.same("completion", b.commit(c), []bool{true})
				return false
			}
		}
	}
	return false
}
