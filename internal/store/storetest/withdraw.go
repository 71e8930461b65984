package storetest

import (
	"errors"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// planned writes firings of a job at instants, as the planner does, and has it fire next
// at the last argument.
func (b *bench) planned(j job.Job, next time.Time, at ...time.Time) (runs []job.Run) {
	b.Helper()
	m := planner.Move{JobID: j.ID, Version: j.Version, From: b.job(j.Key).NextAt, Next: next, Fired: len(at)}
	for _, instant := range at {
		m.Runs, m.Last = append(m.Runs, b.firing(j, instant)), instant
	}
	if next.IsZero() {
		m.StopReason = "its schedule has made its one run"
	}
	b.same("plan", b.plan(m), true)
	for _, r := range m.Runs {
		runs = append(runs, b.state(r.ID, job.Planned))
	}
	return runs
}

// A job that is stopped before a slot that is planned, and started again before it, fires
// at that slot.
func slotComesAgain(b *bench) {
	j := b.create()
	runs := b.planned(j, b.at(6), b.at(2), b.at(4), b.at(5))
	stopped := b.save(b.job(j.Key), func(j *job.Job) { j.Enabled, j.UpdatedAt = false, b.at(3) })
	b.same("last firing", b.job(j.Key).LastAt, b.at(2))
	b.same("counted firings", b.job(j.Key).Fired, 1)
	b.state(runs[0].ID, job.Planned) // its time has come
	for _, r := range runs[1:] {
		_, err := b.RunByID(b.ctx(), r.ID)
		b.kind(err, job.NotFound)
		b.same("sending a run that was withdrawn", b.mark(b.markOf(r, executorAddress)), []bool{false})
	}
	started := b.save(stopped, func(j *job.Job) { j.Enabled, j.NextAt, j.UpdatedAt = true, b.at(4), b.at(3) })
	again := b.planned(started, b.at(6), b.at(4), b.at(5))
	b.same("runs", len(b.runs(j)), 3)
	b.dispatch(again[0])
}

// A slot that a stopping server gave back before its time is decided again, too.
func givenBackWithdrawn(b *bench) {
	j := b.create()
	runs := b.planned(j, b.at(6), b.at(2), b.at(4), b.at(5))
	claimed := b.claim(b.at(9), b.at(20), 9, j.GroupID)
	b.same("claimed", len(claimed), 3)
	var back []dispatcher.Requeued
	for i, r := range claimed {
		back = append(back, dispatcher.Requeued{RunID: r.ID, Reason: "stopped", ReadyAt: b.at(4), Now: b.at(2), Early: i > 0})
	}
	b.ok(b.Requeue(b.ctx(), back))
	b.same("reason of the one that is due", b.state(runs[0].ID, job.Queued).Reason, "stopped")
	for _, r := range runs[1:] {
		got := b.state(r.ID, job.Planned)
		b.same("reason", got.Reason, "")
		b.same("ready", got.ReadyAt, b.at(4))
	}
	b.save(b.job(j.Key), func(j *job.Job) { j.Schedule.Every, j.NextAt, j.UpdatedAt = 7*time.Second, b.at(9), b.at(3) })
	b.same("runs", len(b.runs(j)), 1)
}

// Another schedule decides about the slots that have not come, also when it names the
// same ones.
func rescheduleWithdraws(b *bench) {
	j := b.create()
	runs := b.planned(j, b.at(6), b.at(2), b.at(4))
	edited := b.save(b.job(j.Key), func(j *job.Job) {
		j.Schedule.Every, j.NextAt, j.UpdatedAt = 4*time.Second, b.at(4), b.at(3)
	})
	b.same("next firing", edited.NextAt, b.at(4))
	b.state(runs[0].ID, job.Planned)
	_, err := b.RunByID(b.ctx(), runs[1].ID)
	b.kind(err, job.NotFound)
	b.planned(edited, b.at(8), b.at(4))
	b.same("runs", len(b.runs(j)), 2)

	// Without another schedule nothing is withdrawn.
	b.save(b.job(j.Key), func(j *job.Job) { j.Title, j.UpdatedAt = changed, b.at(3) })
	b.same("runs", len(b.runs(j)), 2)
	b.same("last firing", b.job(j.Key).LastAt, b.at(4))
}

// A job whose last firing is planned is over. Stopped and started before that, it has it
// to come; started without a stop, too.
func lastSlotComesAgain(b *bench) {
	for _, stops := range []bool{true, false} {
		once := b.create(func(j *job.Job) {
			j.Schedule, j.NextAt = schedule.Spec{Kind: schedule.KindOnce, At: b.at(5)}, b.at(5)
		})
		r := b.planned(once, time.Time{}, b.at(5))[0]
		over := b.job(once.Key)
		b.same("enabled", over.Enabled, false)
		if stops {
			b.save(over, func(j *job.Job) { j.Title, j.UpdatedAt = changed, b.at(2) }) // that is no stop
			b.state(r.ID, job.Planned)
			over = b.save(b.job(once.Key), func(j *job.Job) { j.StopReason, j.UpdatedAt = "", b.at(3) })
			b.same("reason", over.StopReason, "")
			_, err := b.RunByID(b.ctx(), r.ID)
			b.kind(err, job.NotFound)
		}
		started := b.save(over, func(j *job.Job) { j.Enabled, j.NextAt, j.UpdatedAt = true, b.at(5), b.at(4) })
		b.planned(started, time.Time{}, b.at(5))
		b.same("runs", len(b.runs(once)), 1)
	}
}

// A fixed delay does not wait for a run that was withdrawn.
func delayForgetsWithdrawn(b *bench) {
	j := b.create(func(j *job.Job) {
		j.Schedule, j.NextAt = schedule.Spec{Kind: schedule.KindAfter, After: time.Minute}, b.at(5)
	})
	m := planner.Move{JobID: j.ID, Version: j.Version, From: b.at(5), Last: b.at(5), Waits: true, Runs: []job.Run{b.firing(j, b.at(5))}}
	b.same("plan", b.plan(m), true)
	edited := b.save(b.job(j.Key), func(j *job.Job) { j.Schedule.After, j.NextAt, j.UpdatedAt = 2*time.Minute, b.at(4), b.at(4) })
	b.same("next firing", edited.NextAt, b.at(4))
	b.same("runs", len(b.runs(j)), 0)
}

// A stop leaves alone what is due, whichever server is late with it, and what users asked
// for. Of firings that are made up for it cancels those whose turn has not come.
func stopKeepsDue(b *bench) {
	j := b.create(func(j *job.Job) { j.Misfire = schedule.MisfireFireAll })
	due := b.planned(j, b.at(60), b.at(-50), b.at(1))
	made := b.firing(j, b.at(-30))
	made.Cause, made.DueAt, made.ReadyAt = job.CauseMisfire, b.at(30), b.at(30)
	b.same("plan", b.plan(planner.Move{JobID: j.ID, Version: j.Version, From: b.at(60), Next: b.at(61), Runs: []job.Run{made}}), true)
	asked := b.trigger(j, b.at(9))
	stopped := b.job(j.Key)
	stopped.Enabled, stopped.UpdatedAt = false, b.at(2)
	_, err := b.SaveJob(b.ctx(), stopped, "stopped by a test")
	b.ok(err)
	for _, r := range append(due, asked) {
		b.state(r.ID, job.Planned)
	}
	b.same("reason", b.state(made.ID, job.Cancelled).Reason, "stopped by a test")
	b.dispatch(b.run(due[0].ID))
}

// A change that decides about firings is refused while some are due that are not planned.
// Those that a pause holds are not due, and an edit that keeps the schedule drops none.
func changeWaitsForDue(b *bench) {
	stop := func(j *job.Job) { j.Enabled, j.NextAt = false, time.Time{} }
	reschedule := func(j *job.Job) { j.Schedule.Every, j.NextAt = time.Minute, b.at(60) }
	for _, change := range []func(*job.Job){stop, reschedule, nil} {
		j := b.create(func(j *job.Job) { j.NextAt = b.at(2) })
		try := func(at time.Time) error {
			late := b.job(j.Key)
			late.UpdatedAt = at
			if change == nil {
				return b.DeleteJob(b.ctx(), late, "")
			}
			change(&late)
			_, err := b.SaveJob(b.ctx(), late, "")
			return err
		}
		err := try(b.at(2))
		b.kind(err, job.Conflict)
		b.same("refused because firings are due", errors.Is(err, jobrows.ErrFiringsDue), true)
		b.save(b.job(j.Key), func(j *job.Job) { j.Title, j.UpdatedAt = changed, b.at(2) })
		b.next(j, b.at(2))

		held := planner.Move{JobID: j.ID, Version: 2, From: b.at(2), Next: b.at(2), Look: b.at(9), HeldBy: "night"}
		b.same("hold", b.plan(held), true)
		b.ok(try(b.at(3)))

		j = b.create(func(j *job.Job) { j.NextAt = b.at(2) })
		b.planned(j, b.at(4), b.at(2), b.at(3))
		b.ok(try(b.at(3)))
	}
}

// A planner of single jobs reads a job that is to be looked at, and no other.
func dueAlone(b *bench) {
	j, _ := b.create(func(j *job.Job) { j.NextAt = b.at(2) }), b.create()
	all, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(2), 10)
	b.ok(err)
	d, due, err := b.DueJob(b.ctx(), j.ID, b.at(2))
	b.ok(err)
	b.same("due", due, true)
	b.same("as with others", d, all[1])
	_, due, err = b.DueJob(b.ctx(), j.ID, b.at(1))
	b.ok(err)
	b.same("due before its time", due, false)
	b.save(j, func(j *job.Job) { j.Enabled = false })
	_, due, err = b.DueJob(b.ctx(), j.ID, b.at(9))
	b.ok(err)
	b.same("due when it is stopped", due, false)
}

// An edit that was read before the planner took the last firings, and is written after
// that, keeps what was planned before the firing that it has read. It has the job go on at
// that one, unless its time has come.
func lateEditKeepsPlanned(b *bench) {
	j := b.create()
	b.planned(j, b.at(8), b.at(2), b.at(5))
	read := b.job(j.Key)
	m := planner.Move{JobID: j.ID, Version: j.Version, From: b.at(8), Last: b.at(8), StopReason: "no further firing", Fired: 3, Runs: []job.Run{b.firing(j, b.at(8))}}
	b.same("plan", b.plan(m), true)

	read.Param, read.UpdatedAt = changed, b.at(1)
	_, err := b.SaveJob(b.ctx(), read, "")
	b.ok(err)
	b.next(j, b.at(8))
	b.same("runs", len(b.runs(j)), 2)
	b.same("last firing", b.job(j.Key).LastAt, b.at(5))
	b.same("counted firings", b.job(j.Key).Fired, 2)

	read = b.job(j.Key)
	m.Version, m.Runs = read.Version, []job.Run{b.firing(read, b.at(8))}
	b.same("plan again", b.plan(m), true)
	read.Param, read.UpdatedAt = "", b.at(8)
	_, err = b.SaveJob(b.ctx(), read, "")
	b.kind(err, job.Conflict)
	b.same("runs", len(b.runs(j)), 3)
}
