package storetest

import (
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func backfillTests() []test {
	return []test{
		{"added backfills are read", backfillIsRead},
		{"backfills are listed in pages", backfillPages},
		{"a claim hides until its lease and brings what the step needs", backfillClaimed},
		{"a claim names backfills whose time has not come", backfillNamed},
		{"backfills are left to others", backfillLetGo},
		{"a step is written once", backfillSteps},
		{"a backfill that is over is not worked on", backfillEnds},
		{"a cancelled backfill cancels its runs that wait", backfillCancelled},
		{"a deleted job ends the work", backfillDeleted},
		{"many servers do each step once", backfillRace},
		{"slots that succeeded", slotsSucceeded},
		{"limits", backfillLimits},
	}
}

// backfill writes a backfill of the job.
func (b *bench) backfill(j job.Job) job.Backfill {
	b.Helper()
	f, err := b.AddBackfill(b.ctx(), b.wanted(j))
	b.ok(err)
	return f
}

// wanted returns a backfill that is not in the store.
func (b *bench) wanted(j job.Job) job.Backfill {
	return job.Backfill{
		JobID: j.ID, JobKey: j.Key, Namespace: j.Namespace, From: b.at(-100), To: b.at(-10), Slots: 9, First: b.at(-100), Last: b.at(-20),
		Parallel: 2, Spacing: 1500 * time.Millisecond, SkipSucceeded: true, Param: new("größe=1"), CreatedAt: b.now,
		State: job.BackfillRunning,
	}
}

func (b *bench) work(now, lease, limit int) []backfill.Work {
	b.Helper()
	work, err := b.ClaimBackfills(b.ctx(), backfill.Claim{Until: b.at(now), Lease: b.at(lease), Limit: limit})
	b.ok(err)
	return work
}

// slot returns a run of the backfill for a slot.
func (b *bench) slot(f job.Backfill, j job.Job, at time.Time) job.Run {
	b.Helper()
	r := b.firing(j, at)
	r.Cause, r.CauseID, r.ReadyAt, r.DueAt = job.CauseBackfill, f.ID, b.now, b.now
	return r
}

func (b *bench) step(s backfill.Step) bool {
	b.Helper()
	done, err := b.CommitStep(b.ctx(), s)
	b.ok(err)
	return done
}

// begin takes the first step of the backfill, with runs for two slots.
func (b *bench) begin(f job.Backfill, j job.Job) (job.Backfill, []job.Run) {
	b.Helper()
	w := b.work(0, 30, 1)
	b.same("claimed", len(w), 1)
	runs := []job.Run{b.slot(f, j, b.at(-100)), b.slot(f, j, b.at(-90))}
	f = w[0].Backfill
	f.Cursor, f.Made, f.Skipped, f.Open, f.StartedAt = b.at(-90), 2, 1, idsOf(runs), b.at(1)
	b.same("step", b.step(backfill.Step{Backfill: f, Number: w[0].Step, Runs: runs, Look: b.at(5)}), true)
	return f, runs
}

func (b *bench) backfillOf(id int64) job.Backfill {
	b.Helper()
	f, err := b.Backfill(b.ctx(), id)
	b.ok(err)
	return f
}

func backfillIsRead(b *bench) {
	j := b.create()
	want := b.wanted(j)
	want.Cursor, want.Made, want.Open, want.State = b.now, 7, []int64{1}, job.BackfillFinished // callers cannot set these
	got, err := b.AddBackfill(b.ctx(), want)
	b.ok(err)
	want = b.wanted(j)
	want.ID = got.ID
	b.same("added", got, want)
	b.reopen()
	b.same("read", b.backfillOf(got.ID), want)
	bare := b.wanted(j)
	bare.Param, bare.SkipSucceeded, bare.Spacing = nil, false, 0
	got, err = b.AddBackfill(b.ctx(), bare)
	b.ok(err)
	bare.ID = got.ID
	b.same("read", b.backfillOf(got.ID), bare)
	_, err = b.Backfill(b.ctx(), 777)
	b.kind(err, job.NotFound)
	_, err = b.AddBackfill(b.ctx(), job.Backfill{JobID: 777})
	b.kind(err, job.NotFound)
}

func backfillPages(b *bench) {
	one, two := b.create(), b.create()
	var ids []int64 // newest first
	for i := range 5 {
		ids = append([]int64{b.backfill([]job.Job{one, two}[i%2]).ID}, ids...)
	}
	for _, c := range []struct {
		job, before int64
		limit       int
		want        []int64
	}{
		{0, 0, 0, ids},
		{0, 0, 2, ids[:2]},
		{0, ids[1], 2, ids[2:4]},
		{one.ID, 0, 9, []int64{ids[0], ids[2], ids[4]}},
		{one.ID, ids[0], 1, []int64{ids[2]}},
		{two.ID, ids[3], 9, nil},
	} {
		got, err := b.Backfills(b.ctx(), jobrows.BackfillQuery{Sight: everywhere, JobID: c.job, BeforeID: c.before, Limit: c.limit})
		b.ok(err)
		var found []int64
		for _, f := range got {
			found = append(found, f.ID)
			b.same("backfill", f, b.backfillOf(f.ID))
		}
		b.same("backfills", found, c.want)
	}
	three := b.backfill(b.create(func(j *job.Job) { j.Namespace = "team" }))
	for namespace, want := range map[string][]job.Backfill{"team": {three}, "nobody": nil} {
		got, err := b.Backfills(b.ctx(), jobrows.BackfillQuery{Sight: everywhere, Namespace: namespace, Limit: 9})
		b.ok(err)
		b.same("backfills of "+namespace, got, want)
	}
	for before := ids[0] + 1; ; {
		got, err := b.Backfills(b.ctx(), jobrows.BackfillQuery{Sight: everywhere, Namespace: job.DefaultNamespace, BeforeID: before, Limit: 2})
		b.ok(err)
		if len(got) == 0 {
			b.same("backfills of the default namespace", len(ids), 0)
			break
		}
		for _, f := range got {
			b.same("a backfill of it", f.ID, ids[0])
			ids, before = ids[1:], f.ID
		}
	}
}

func backfillClaimed(b *bench) {
	c := b.saveCalendar(b.calendar("a"))
	b.saveCalendar(b.calendar("b"))
	j := b.create(naming("a"))
	f := b.backfill(j)
	b.same("before it is time", len(b.work(-1, 30, 9)), 0)
	b.same("claim of none", len(b.work(0, 30, 0)), 0)
	w := b.work(0, 30, 9)
	b.same("claimed", w, []backfill.Work{{
		Backfill: f, Step: w[0].Step, Job: j, Calendars: []job.Calendar{c}, Ended: map[int64]job.State{},
	}})
	b.same("within the lease", len(b.work(29, 60, 9)), 0)
	again := b.work(30, 60, 9)
	b.same("after the lease", len(again), 1)
	b.same("a step of the first claim", b.step(backfill.Step{Backfill: f, Number: w[0].Step, Look: b.at(1)}), false)
	b.same("a step of the second", b.step(backfill.Step{Backfill: f, Number: again[0].Step, Look: b.at(1)}), true)

	late := b.backfill(b.create())
	early := b.wanted(j)
	early.CreatedAt = b.at(-5)
	early, err := b.AddBackfill(b.ctx(), early)
	b.ok(err)
	var order []int64
	for _, w := range b.work(9, 30, 2) {
		order = append(order, w.Backfill.ID)
	}
	b.same("order", order, []int64{early.ID, late.ID})
}

// backfillNamed claims backfills by their ids, each once, in addition to those that are
// due.
func backfillNamed(b *bench) {
	j := b.create()
	one, two, over := b.backfill(j), b.backfill(j), b.backfill(j)
	for _, w := range b.work(0, 30, 9) {
		step := backfill.Step{Backfill: w.Backfill, Number: w.Step, Look: b.at(20)}
		switch w.Backfill.ID {
		case two.ID:
			step.Look = b.at(4)
		case over.ID:
			step.Backfill.State = job.BackfillFinished
		}
		b.same("step", b.step(step), true)
	}
	works, err := b.ClaimBackfills(b.ctx(), backfill.Claim{
		IDs: []int64{one.ID, two.ID, over.ID, 777}, Until: b.at(5), Limit: 9, Lease: b.at(30),
	})
	b.ok(err)
	var claimed []int64
	for _, w := range works {
		claimed = append(claimed, w.Backfill.ID)
	}
	b.same("claimed", claimed, []int64{two.ID, one.ID})
	b.same("hidden", len(b.work(29, 60, 9)), 0)
}

// backfillLetGo makes hidden backfills claimable.
func backfillLetGo(b *bench) {
	j := b.create()
	one, two, over := b.backfill(j), b.backfill(j), b.backfill(j)
	for _, w := range b.work(0, 30, 9) {
		step := backfill.Step{Backfill: w.Backfill, Number: w.Step, Look: b.at(20)}
		if w.Backfill.ID == over.ID {
			step.Backfill.State = job.BackfillFinished
		}
		b.same("step", b.step(step), true)
	}
	b.ok(b.LetGoBackfills(b.ctx(), nil, b.at(1)))
	b.ok(b.LetGoBackfills(b.ctx(), []int64{two.ID, over.ID, 777}, b.at(5)))
	b.same("before", len(b.work(4, 30, 9)), 0)
	b.ok(b.LetGoBackfills(b.ctx(), []int64{two.ID}, b.at(7))) // not later than it is
	found := b.work(5, 30, 9)
	b.same("claimed", []any{len(found), found[0].Backfill.ID}, []any{1, two.ID})
	b.ok(b.LetGoBackfills(b.ctx(), []int64{two.ID}, b.at(6))) // while another works on it
	again := b.work(6, 30, 9)
	b.same("claimed by another", []any{len(again), again[0].Backfill.ID}, []any{1, two.ID})
	for i, w := range []backfill.Work{found[0], again[0]} {
		b.same("step", b.step(backfill.Step{Backfill: w.Backfill, Number: w.Step, Look: b.at(20)}), i == 1)
	}
	b.same("the other one", b.work(20, 30, 1)[0].Backfill.ID, one.ID)
}

func backfillSteps(b *bench) {
	j := b.create()
	saved := b.save(j, func(j *job.Job) { j.Title = changed }) // the work has the older one
	f, runs := b.begin(b.backfill(j), j)
	b.same("backfill", b.backfillOf(f.ID), f)
	for _, want := range runs {
		want.JobKey, want.JobVersion = j.Key, saved.Version
		b.same("run", b.run(want.ID), want)
	}
	b.same("claim of the runs", len(b.claim(b.now, b.at(30), 9, j.GroupID)), 2)
	b.same("before it is time", len(b.work(4, 30, 9)), 0)

	b.complete(b.dispatch(b.run(runs[0].ID)), job.Succeeded)
	b.reopen()
	w := b.work(5, 30, 9)
	b.same("claimed", len(w), 1)
	b.same("ended", w[0].Ended, map[int64]job.State{runs[0].ID: job.Succeeded})
	b.same("backfill", w[0].Backfill, f)
	twice := b.slot(f, j, b.at(-90))
	f.Open, f.Reason, f.Succeeded = []int64{runs[1].ID, twice.ID}, "slow", 1
	next := backfill.Step{Backfill: f, Number: w[0].Step, Runs: []job.Run{twice}, Look: b.at(6)}
	b.same("step", []bool{b.step(next), b.step(next)}, []bool{true, false})
	b.same("runs", len(b.runs(j)), 2)
	b.same("backfill", b.backfillOf(f.ID), f)
	b.same("a run that was left out", b.work(6, 30, 9)[0].Ended, map[int64]job.State{twice.ID: job.Lost})
}

func backfillEnds(b *bench) {
	j := b.create()
	f := b.backfill(j)
	w := b.work(0, 30, 9)
	f.State, f.Reason, f.EndedAt, f.Failed = job.BackfillFinished, "done", b.at(9), 3
	end := backfill.Step{Backfill: f, Number: w[0].Step, Look: b.at(1)}
	b.same("step", b.step(end), true)
	b.same("backfill", b.backfillOf(f.ID), f)
	b.same("claimed", len(b.work(999, 1999, 9)), 0)
	end.Number++
	end.Backfill.State = job.BackfillRunning
	b.same("step of one that is over", b.step(end), false)
	got, err := b.CancelBackfill(b.ctx(), f.ID, "late", b.at(99))
	b.ok(err)
	b.same("cancelled", got, f)
	b.same("backfill", b.backfillOf(f.ID), f)
}

func backfillCancelled(b *bench) {
	j := b.create()
	f := b.backfill(j)
	w := b.work(0, 1, 9)[0]
	runs := make([]job.Run, 4)
	for i := range runs {
		runs[i] = b.slot(f, j, b.at(-100+i))
	}
	f.Open, f.Made = idsOf(runs), 4
	b.same("step", b.step(backfill.Step{Backfill: f, Number: w.Step, Runs: runs, Look: b.at(1)}), true)
	b.complete(b.dispatch(b.run(runs[0].ID)), job.Succeeded)
	b.complete(b.dispatch(b.run(runs[1].ID)), job.Failed)
	b.dispatch(b.run(runs[2].ID))
	stranger := b.trigger(j, b.at(3))
	w = b.work(1, 30, 9)[0]

	got, err := b.CancelBackfill(b.ctx(), f.ID, "enough", b.at(7))
	b.ok(err)
	f.State, f.Reason, f.EndedAt = job.BackfillCancelled, "enough", b.at(7)
	f.Open, f.Succeeded, f.Failed = []int64{runs[2].ID}, 1, 2
	b.same("cancelled", got, f)
	b.same("backfill", b.backfillOf(f.ID), f)
	over := b.state(runs[3].ID, job.Cancelled)
	b.same("reason and end", []any{over.Reason, over.EndedAt}, []any{"enough", b.at(7)})
	b.state(runs[2].ID, job.Dispatched)
	b.state(stranger.ID, job.Planned)
	b.same("a step claimed before", b.step(backfill.Step{Backfill: w.Backfill, Number: w.Step, Look: b.at(1)}), false)
	b.same("claimed", len(b.work(999, 1999, 9)), 0)
	_, err = b.CancelBackfill(b.ctx(), 777, "", b.now)
	b.kind(err, job.NotFound)
}

func backfillDeleted(b *bench) {
	b.saveCalendar(b.calendar("a"))
	j := b.create(naming("a"))
	f, _ := b.begin(b.backfill(j), j)
	b.ok(b.DeleteJob(b.ctx(), j, "gone"))
	w := b.work(5, 30, 9)[0]
	b.same("deleted, ended", []any{w.Deleted, len(w.Ended), len(w.Calendars)}, []any{true, 2, 0})
	run := b.slot(f, j, b.at(-80))
	b.same("step", b.step(backfill.Step{Backfill: f, Number: w.Step, Runs: []job.Run{run}, Look: b.at(1)}), true)
	_, err := b.RunByID(b.ctx(), run.ID)
	b.kind(err, job.NotFound)
	b.same("key of the job", b.backfillOf(f.ID).JobKey, j.Key)
	_, err = b.AddBackfill(b.ctx(), b.wanted(j))
	b.kind(err, job.NotFound)
}

func backfillRace(b *bench) {
	j := b.create()
	const slots = 12
	f := b.backfill(j)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for b.advance(j, slots) {
			}
		})
	}
	all.Wait()
	got := b.backfillOf(f.ID)
	b.same("state and runs", []any{got.State, got.Made}, []any{job.BackfillFinished, slots})
	runs := b.runs(j)
	slices.SortFunc(runs, func(a, b job.Run) int { return a.PlannedAt.Compare(b.PlannedAt) })
	b.same("number of runs", len(runs), slots)
	for i, r := range runs {
		b.same("slot", r.PlannedAt, b.at(i))
	}
}

// advance takes one step of one slot, as a server would, and reports whether
// there may be more to do.
func (b *bench) advance(j job.Job, slots int) bool {
	work, err := b.ClaimBackfills(b.ctx(), backfill.Claim{Until: b.now, Lease: b.now, Limit: 1}) // a lease that is over at once
	if err != nil {
		b.Errorf("claim: %v", err)
		return false
	}
	for _, w := range work {
		f := w.Backfill
		id, err := b.NextRunID(b.ctx())
		if err != nil {
			b.Errorf("id: %v", err)
			return false
		}
		r := job.Run{
			ID: id, JobID: j.ID, PlannedAt: b.at(f.Made), Cause: job.CauseBackfill, CauseID: f.ID, State: job.Planned,
			ReadyAt: b.now, CreatedAt: b.now,
		}
		f.Made++
		f.Open = append(f.Open, id)
		if f.Made == slots {
			f.State = job.BackfillFinished
		}
		if _, err := b.CommitStep(b.ctx(), backfill.Step{Backfill: f, Number: w.Step, Runs: []job.Run{r}, Look: b.now}); err != nil {
			b.Errorf("step: %v", err)
			return false
		}
	}
	running, err := b.Backfills(b.ctx(), jobrows.BackfillQuery{Sight: everywhere, JobID: j.ID, Limit: 1})
	return err == nil && running[0].State == job.BackfillRunning
}

func slotsSucceeded(b *bench) {
	j, other := b.create(), b.create()
	end := func(j job.Job, at time.Time, cause job.Cause, outcome job.State) {
		r := b.firing(j, at)
		r.Cause, r.CauseID = cause, r.ID
		b.ok(b.AddRun(b.ctx(), r))
		b.complete(b.dispatch(b.run(r.ID)), outcome)
	}
	end(j, b.at(1), job.CauseManual, job.Succeeded)
	end(j, b.at(1), job.CauseSchedule, job.Succeeded)
	end(j, b.at(2), job.CauseBackfill, job.Failed)
	end(j, b.at(2), job.CauseBackfill, job.Succeeded)
	end(j, b.at(3), job.CauseSchedule, job.Failed)
	end(j, b.at(900), job.CauseMisfire, job.Succeeded)
	end(other, b.at(4), job.CauseSchedule, job.Succeeded)
	b.trigger(j, b.at(5))
	asked := make([]time.Time, 1000)
	for i := range asked {
		asked[i] = b.at(i)
	}
	got, err := b.Succeeded(b.ctx(), j.ID, asked)
	b.ok(err)
	slices.SortFunc(got, time.Time.Compare)
	b.same("succeeded", got, []time.Time{b.at(1), b.at(2), b.at(900)})
	got, err = b.Succeeded(b.ctx(), j.ID, nil)
	b.ok(err)
	b.same("of none", len(got), 0)
	_, err = b.Succeeded(b.ctx(), j.ID, slices.Concat(asked, asked[:1]))
	b.kind(err, job.Invalid)
}

func backfillLimits(b *bench) {
	j := b.create()
	var all sync.WaitGroup
	for range job.MaxBackfills {
		all.Go(func() {
			if _, err := b.AddBackfill(b.ctx(), b.wanted(j)); err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	_, err := b.AddBackfill(b.ctx(), b.wanted(j))
	b.kind(err, job.Full)
	_, err = b.CancelBackfill(b.ctx(), 1, "", b.now)
	b.ok(err)
	b.backfill(j)
	b.same("claimed", len(b.work(0, 30, 2000)), job.MaxBackfills)
}
