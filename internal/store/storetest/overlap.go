package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func overlapTests() []test {
	return []test{
		{"of a hundred serial runs one is sent", overlapRace},
		{"the limit holds among runs that are sent together", overlapTogether},
		{"serial runs go one after the other", overlapOrder},
		{"a new run does not overtake those that wait", overlapQueues},
		{"a run that cannot be sent blocks no others", overlapDisplaced},
		{"so many at once as a job may have", overlapConcurrent},
		{"a retry waits in front", overlapRetry},
		{"only so many wait", overlapBound},
		{"a discarded run is skipped and counted", overlapDiscard},
		{"a begun run is not discarded", overlapDiscardBegun},
		{"a fixed delay goes on after a discarded run", overlapDiscardAfter},
		{"a later run covers", overlapCover},
		{"an earlier run and a retry do not cover", overlapCoverEarlier},
		{"a changed job lets runs go", overlapEdited},
		{"a deleted job leaves nothing that waits", overlapDeleted},
		{"an end without an attempt lets others go", overlapCancelled},
		{"a backfill that is cancelled lets others go", overlapBackfillCancelled},
		{"unreleased runs are found", overlapFound},
		{"a mark that is out of date meets nothing", overlapStale},
		{"parts of a run are not counted", overlapParts},
		{"whatever happens the limit holds and no run is forgotten", overlapStorm},
	}
}

// overlapping returns an edit that makes the server count the runs of a job.
func overlapping(rule job.Overlap, concurrency int) func(*job.Job) {
	return func(j *job.Job) {
		j.Overlap, j.OverlapScope, j.Concurrency = rule, job.ScopeCluster, concurrency
	}
}

// limited returns the mark that sends a run of a job whose runs are counted.
func (b *bench) limited(j *job.Job, r job.Run) dispatcher.Mark {
	b.Helper()
	m := b.markOf(r, executorAddress)
	m.Limit = dispatcher.Limit{
		Runs: j.OverlapLimit(), Rule: j.Overlap, Queue: j.OverlapRoom(), Again: b.at(60), Now: b.at(5),
	}
	return m
}

// meet sends a run as a dispatcher does, and returns the result; a run without an overlap
// is marked.
func (b *bench) meet(j *job.Job, r job.Run) (dispatcher.Meeting, job.Attempt) {
	b.Helper()
	m := b.limited(j, r)
	if b.mark(m)[0] {
		return dispatcher.Meeting{Fate: dispatcher.FateMarked}, m.Attempt
	}
	met, err := b.Meet(b.ctx(), []dispatcher.Mark{m})
	b.ok(err)
	b.same("meetings", len(met), 1)
	return met[0], m.Attempt
}

// sends checks that the run is sent now.
func (b *bench) sends(j *job.Job, run int64) job.Attempt {
	b.Helper()
	met, a := b.meet(j, b.run(run))
	b.same(fmt.Sprintf("fate of run %d", run), met, dispatcher.Meeting{Fate: dispatcher.FateMarked})
	return a
}

// blocks checks that the run has to wait, for a reason.
func (b *bench) blocks(j *job.Job, run int64, reason string) {
	b.Helper()
	met, _ := b.meet(j, b.run(run))
	b.same(fmt.Sprintf("fate of run %d", run), met.Fate, dispatcher.FateBlocked)
	r := b.state(run, job.Queued)
	b.same("reason", r.Reason, reason)
	b.same("looked at again", r.ReadyAt, b.at(60))
	b.same("sent", len(b.attempts(run)) == r.Tries, true)
}

// ready returns those of the runs that wait and may be sent.
func (b *bench) ready(runs []job.Run) (ready []int) {
	b.Helper()
	for i, r := range runs {
		if r = b.run(r.ID); r.State.Waiting() && !r.ReadyAt.After(b.at(10)) {
			ready = append(ready, i)
		}
	}
	return ready
}

// ends completes an attempt, and its run, as the completer does.
func (b *bench) ends(a job.Attempt, outcome job.State) {
	b.Helper()
	b.same("completion", b.commit(b.counted(a, outcome, b.at(6), time.Second)), []bool{true})
}

// manual makes n runs of the job.
func (b *bench) manual(j job.Job, n int) []job.Run {
	b.Helper()
	runs := make([]job.Run, n)
	for i := range runs {
		runs[i] = b.trigger(j, b.now)
	}
	return runs
}

func overlapTogether(b *bench) {
	serial, pair, free := b.create(overlapping(job.OverlapSerial, 0)), b.create(overlapping(job.OverlapConcurrent, 2)), b.create()
	var marks []dispatcher.Mark
	for range 3 {
		for _, j := range []*job.Job{&serial, &pair} {
			marks = append(marks, b.limited(j, b.trigger(*j, b.now)))
		}
		marks = append(marks, b.markOf(b.trigger(free, b.now), executorAddress))
	}
	marks = append(marks, marks[0], marks[2]) // and one is there twice
	done, err := b.MarkDispatched(b.ctx(), marks)
	b.ok(err)
	b.same("marked", done, []bool{true, true, true, false, true, true, false, false, true, false, false})
	for i := range marks[:9] {
		attempts := 0
		if done[i] {
			attempts = 1
		}
		b.same(fmt.Sprintf("attempts of run %d", i), len(b.attempts(marks[i].Attempt.RunID)), attempts)
	}
}

func overlapRace(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 100)
	marks := make([]dispatcher.Mark, len(runs))
	for i, r := range runs {
		marks[i] = b.limited(&j, r)
	}
	var marked, blocked atomic.Int32
	var all sync.WaitGroup
	for i := range marks {
		all.Go(func() {
			done, err := b.MarkDispatched(b.ctx(), marks[i:i+1])
			if err != nil {
				b.Errorf("MarkDispatched: %v", err)
				return
			}
			if done[0] {
				marked.Add(1)
				return
			}
			met, err := b.Meet(b.ctx(), marks[i:i+1])
			if err != nil {
				b.Errorf("Meet: %v", err)
				return
			}
			switch met[0].Fate {
			case dispatcher.FateMarked:
				marked.Add(1)
			case dispatcher.FateBlocked:
				blocked.Add(1)
			default:
				b.Errorf("fate %d of run %d", met[0].Fate, marks[i].Attempt.RunID)
			}
		})
	}
	all.Wait()
	b.same("sent", int(marked.Load()), 1)
	b.same("waiting", int(blocked.Load()), 99)
	b.same("ready", len(b.ready(runs)), 0)

	// One transaction with all of them lets one go as well.
	other := b.create(overlapping(job.OverlapSerial, 0))
	for i, r := range b.manual(other, 20) {
		marks[i] = b.limited(&other, r)
	}
	want := make([]bool, 20)
	want[0] = true
	b.same("marks", b.mark(marks[:20]...), want)
}

func overlapOrder(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 4)
	a := b.sends(&j, runs[0].ID)
	// They come in another order than they were made.
	for _, i := range []int{2, 1, 3} {
		b.blocks(&j, runs[i].ID, fmt.Sprintf("waits for run %d of the same job (serial)", runs[0].ID))
	}
	// One that is looked at again waits on.
	b.blocks(&j, runs[1].ID, fmt.Sprintf("waits for run %d of the same job (serial)", runs[0].ID))
	b.accept(a)
	for i := 1; i < 4; i++ {
		b.same("ready", b.ready(runs), []int(nil))
		b.ends(a, job.Succeeded)
		b.same("ready", b.ready(runs), []int{i})
		r := b.run(runs[i].ID)
		b.same("due since", r.ReadyAt, b.now)
		a = b.sends(&j, r.ID)
		b.same("the reason to be late", b.run(r.ID).Reason, fmt.Sprintf("waits for run %d of the same job (serial)", runs[0].ID))
	}
	b.ends(a, job.Failed)
	b.same("ready", b.ready(runs), []int(nil))
}

func overlapQueues(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 5)
	a := b.sends(&j, runs[0].ID)
	for _, r := range runs[1:4] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	b.ends(a, job.Succeeded)
	// The first that waited was released; before it is sent others come.
	const behind = "waits behind runs of the same job that came first (serial)"
	b.blocks(&j, runs[4].ID, behind)
	b.blocks(&j, runs[2].ID, behind)
	for i := 1; i < 5; i++ {
		b.same("ready", b.ready(runs), []int{i})
		a = b.sends(&j, runs[i].ID)
		b.same("ready", b.ready(runs), []int(nil))
		b.ends(a, job.Succeeded)
	}
	// The only one that waits is not overtaken either.
	runs = b.manual(j, 3)
	a = b.sends(&j, runs[0].ID)
	b.blocks(&j, runs[1].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	b.ends(a, job.Succeeded)
	b.blocks(&j, runs[2].ID, behind)
	b.same("ready", b.ready(runs), []int{1})
	b.ends(b.sends(&j, runs[1].ID), job.Succeeded)
	b.sends(&j, runs[2].ID)
}

func overlapDisplaced(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 3)
	a := b.sends(&j, runs[0].ID)
	for _, r := range runs[1:] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	b.ends(a, job.Succeeded)
	// The first has to wait for something else: the next one goes.
	b.requeue(b.run(runs[1].ID), 0)
	b.same("ready", b.ready(runs), []int{2})
	a = b.sends(&j, runs[2].ID)
	b.blocks(&j, runs[1].ID, job.BusyReason(job.OverlapSerial, 1, runs[2].ID))
	// One that reached no executor comes back, and goes before the others.
	b.requeue(b.run(runs[2].ID), a.ID)
	b.same("ready", b.ready(runs), []int(nil))
	_, err := b.CancelRun(b.ctx(), runs[2].ID, "not needed", b.at(6))
	b.ok(err)
	b.same("not before", b.run(runs[1].ID).ReadyAt, b.at(30))
	b.sends(&j, runs[1].ID)
}

func overlapConcurrent(b *bench) {
	j := b.create(overlapping(job.OverlapConcurrent, 3))
	runs := b.manual(j, 8)
	attempts := make([]job.Attempt, 0, len(runs))
	for _, r := range runs[:3] {
		attempts = append(attempts, b.sends(&j, r.ID))
	}
	for _, r := range runs[3:] {
		b.blocks(&j, r.ID, fmt.Sprintf("waits: 3 runs of this job are under way, run %d among them, and no more may be (concurrent)", runs[0].ID))
	}
	// Two end in one transaction: two go.
	done := b.commit(b.counted(attempts[0], job.Succeeded, b.at(6), 0), b.counted(attempts[2], job.Failed, b.at(6), 0))
	b.same("completions", done, []bool{true, true})
	b.same("ready", b.ready(runs), []int{3, 4})
	// They are sent together, with one that has to wait on.
	marks := []dispatcher.Mark{b.limited(&j, b.run(runs[3].ID)), b.limited(&j, b.run(runs[4].ID)), b.limited(&j, b.run(runs[5].ID))}
	b.same("marks while others wait", b.mark(marks...), []bool{false, false, false})
	met, err := b.Meet(b.ctx(), marks)
	b.ok(err)
	b.same("fates", []dispatcher.Fate{met[0].Fate, met[1].Fate, met[2].Fate},
		[]dispatcher.Fate{dispatcher.FateMarked, dispatcher.FateMarked, dispatcher.FateBlocked})
	b.same("attempts", len(b.attempts(runs[4].ID)), 1)
	// A second report of an end releases no run.
	b.commit(b.counted(attempts[0], job.Succeeded, b.at(7), 0))
	b.same("ready", b.ready(runs), []int(nil))
}

func overlapRetry(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 3)
	c := b.counted(b.sends(&j, runs[0].ID), job.Failed, b.at(6), 0)
	b.blocks(&j, runs[1].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	b.blocks(&j, runs[2].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	c.RunState, c.RetryAt, c.Reason = job.WaitingRetry, b.at(8), "retry follows"
	b.same("completion", b.commit(c), []bool{true})
	// Another one runs while the first waits for its retry.
	a := b.sends(&j, runs[1].ID)
	b.blocks(&j, runs[0].ID, job.BusyReason(job.OverlapSerial, 1, runs[1].ID))
	b.same("tries", b.run(runs[0].ID).Tries, 1)
	b.ends(a, job.Succeeded)
	b.same("ready", b.ready(runs), []int{0})
	b.same("due since", b.run(runs[0].ID).ReadyAt, b.at(8))
	b.same("number", b.sends(&j, runs[0].ID).Number, 2)
}

func overlapBound(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0), func(j *job.Job) { j.OverlapQueue = 2 })
	runs := b.manual(j, 5)
	a := b.sends(&j, runs[0].ID)
	b.blocks(&j, runs[1].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	// The rest comes at once.
	var marks []dispatcher.Mark
	for _, r := range runs[2:] {
		marks = append(marks, b.limited(&j, r))
	}
	met, err := b.Meet(b.ctx(), marks)
	b.ok(err)
	for i, want := range []dispatcher.Fate{dispatcher.FateBlocked, dispatcher.FateSkipped, dispatcher.FateSkipped} {
		b.same("fate", met[i].Fate, want)
	}
	b.same("reason", b.state(runs[3].ID, job.Skipped).Reason, job.CrowdedReason(2))
	b.same("skipped", b.statsOf(j)[0].Skipped, int64(2))
	// One that waits already is not given up when it is looked at again.
	b.blocks(&j, runs[2].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	b.ends(a, job.Succeeded)
	a = b.sends(&j, runs[1].ID)
	// One place is free again.
	more := b.manual(j, 2)
	b.blocks(&j, more[0].ID, job.BusyReason(job.OverlapSerial, 1, runs[1].ID))
	last, _ := b.meet(&j, more[1])
	b.same("fate", last.Fate, dispatcher.FateSkipped)
	b.ends(a, job.Succeeded)
}

func overlapDiscard(b *bench) {
	j := b.create(overlapping(job.OverlapDiscard, 0))
	runs := b.manual(j, 3)
	a := b.sends(&j, runs[0].ID)
	met, _ := b.meet(&j, runs[1])
	reason := fmt.Sprintf("run %d of this job is still running (discard)", runs[0].ID)
	want := job.Run{
		ID: runs[1].ID, JobID: j.ID, Cause: job.CauseManual, State: job.Skipped, Reason: reason, EndedAt: b.at(5),
	}
	b.same("meeting", met, dispatcher.Meeting{Fate: dispatcher.FateSkipped, Skipped: []job.Run{want}})
	r := b.state(runs[1].ID, job.Skipped)
	b.same("reason", r.Reason, reason)
	b.same("ended", r.EndedAt, b.at(5))
	b.same("attempts", len(b.attempts(r.ID)), 0)
	b.same("counted", b.statsOf(j)[0].Skipped, int64(1))
	b.ends(a, job.Succeeded)
	b.sends(&j, runs[2].ID)
}

func overlapDiscardBegun(b *bench) {
	j := b.create(overlapping(job.OverlapDiscard, 0))
	runs := b.manual(j, 2)
	c := b.counted(b.sends(&j, runs[0].ID), job.Failed, b.at(6), 0)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(8)
	b.commit(c)
	a := b.sends(&j, runs[1].ID)
	b.blocks(&j, runs[0].ID, job.BusyReason(job.OverlapDiscard, 1, runs[1].ID))
	b.ends(a, job.Succeeded)
	b.sends(&j, runs[0].ID)
}

func overlapDiscardAfter(b *bench) {
	j := b.create(overlapping(job.OverlapDiscard, 0), func(j *job.Job) {
		j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: 30 * time.Second}
	})
	b.sends(&j, b.trigger(j, b.now).ID)
	r := b.firing(j, b.now)
	b.same("took effect", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now, Waits: true, Runs: []job.Run{r}}), true)
	b.same("while it waits", b.job(j.Key).NextAt, time.Time{})
	met, _ := b.meet(&j, b.run(r.ID))
	b.same("fate", met.Fate, dispatcher.FateSkipped)
	b.same("goes on", b.job(j.Key).NextAt, b.at(35))
}

func overlapCover(b *bench) {
	j := b.create(overlapping(job.OverlapCover, 0))
	runs := b.manual(j, 4)
	a := b.sends(&j, runs[0].ID)
	met, _ := b.meet(&j, runs[1])
	b.same("first", met, dispatcher.Meeting{Fate: dispatcher.FateBlocked, Covered: []int64{runs[0].ID}})
	// Two more come at once: the last one is the one that stays.
	all, err := b.Meet(b.ctx(), []dispatcher.Mark{b.limited(&j, runs[2]), b.limited(&j, runs[3])})
	b.ok(err)
	for i, met := range all {
		b.same("fate", met.Fate, dispatcher.FateBlocked)
		b.same("covered", met.Covered, []int64{runs[0].ID})
		b.same("skipped", idsOf(met.Skipped), []int64{runs[i+1].ID})
	}
	for i, by := range []int{2: 3, 1: 2} {
		if i > 0 {
			b.same("reason", b.state(runs[i].ID, job.Skipped).Reason, fmt.Sprintf("covered by run %d", runs[by].ID))
		}
	}
	b.same("counted", b.statsOf(j)[0].Skipped, int64(2))
	b.same("ready", b.ready(runs), []int(nil))
	b.ends(a, job.Cancelled)
	b.same("ready", b.ready(runs), []int{3})
	b.sends(&j, runs[3].ID)
}

func overlapCoverEarlier(b *bench) {
	j := b.create(overlapping(job.OverlapCover, 0))
	runs := b.manual(j, 4)
	c := b.counted(b.sends(&j, runs[0].ID), job.Failed, b.at(6), 0)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(8)
	b.commit(c)
	a := b.sends(&j, runs[2].ID)
	// The retry waits, and a run that comes too late is given up.
	b.blocks(&j, runs[0].ID, job.BusyReason(job.OverlapCover, 1, runs[2].ID))
	met, _ := b.meet(&j, runs[1])
	b.same("fate", met.Fate, dispatcher.FateSkipped)
	b.same("reason", b.run(runs[1].ID).Reason, job.CoveredReason(runs[2].ID))
	// The next one covers what runs, and not the retry.
	met, _ = b.meet(&j, runs[3])
	b.same("next", met, dispatcher.Meeting{Fate: dispatcher.FateBlocked, Covered: []int64{runs[2].ID}})
	b.ends(a, job.Cancelled)
	b.same("ready", b.ready(runs), []int{0})
}

func overlapEdited(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 6)
	b.sends(&j, runs[0].ID)
	for _, r := range runs[1:] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	j = b.save(j, func(j *job.Job) { j.Title = changed })
	b.same("ready", b.ready(runs), []int(nil))
	j = b.save(j, overlapping(job.OverlapConcurrent, 3))
	b.same("ready", b.ready(runs), []int{1, 2})
	b.sends(&j, runs[1].ID)
	j = b.save(j, func(j *job.Job) { j.OverlapScope = job.ScopeExecutor })
	b.same("ready", b.ready(runs), []int{2, 3, 4, 5})
	// Nothing is left behind: runs that are counted again meet those that run only.
	j = b.save(j, overlapping(job.OverlapConcurrent, 3))
	b.sends(&j, runs[5].ID)
	b.blocks(&j, runs[4].ID, job.BusyReason(job.OverlapConcurrent, 3, runs[0].ID))
	b.same("scope", b.job(j.Key).OverlapScope, job.ScopeCluster)
	j = b.save(j, func(j *job.Job) { j.OverlapQueue = 7 })
	b.same("queue", b.job(j.Key).OverlapQueue, 7)
}

func overlapDeleted(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 3)
	a := b.sends(&j, runs[0].ID)
	for _, r := range runs[1:] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	b.ok(b.DeleteJob(b.ctx(), j, "the job was deleted"))
	b.state(runs[1].ID, job.Cancelled)
	b.ends(a, job.Succeeded)
	b.same("ready", b.ready(runs), []int(nil))
}

func overlapCancelled(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 6)
	a := b.sends(&j, runs[0].ID)
	for _, r := range runs[1:] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	// One that waits is cancelled, another one expires: they are passed over.
	_, err := b.CancelRun(b.ctx(), runs[1].ID, "not needed", b.at(6))
	b.ok(err)
	late := b.run(runs[2].ID)
	late.EndedAt = b.at(6)
	b.same("given up", b.expire(late), []bool{true})
	b.same("ready", b.ready(runs), []int(nil))
	b.ends(a, job.Succeeded)
	b.same("ready", b.ready(runs), []int{3})
	// A released run may not come either: the next one goes in its place.
	_, err = b.CancelRun(b.ctx(), runs[3].ID, "not needed", b.at(6))
	b.ok(err)
	b.same("ready", b.ready(runs), []int{4})
	late = b.run(runs[4].ID)
	late.EndedAt = b.at(6)
	b.same("given up", b.expire(late), []bool{true})
	b.same("ready", b.ready(runs), []int{5})
	b.sends(&j, runs[5].ID)
}

// Runs of a backfill that wait for another run end with it, and block no others.
func overlapBackfillCancelled(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	first := b.trigger(j, b.now)
	a := b.sends(&j, first.ID)
	f, runs := b.begin(b.backfill(j), j)
	runs = append(runs, b.trigger(j, b.now))
	for _, r := range runs {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, first.ID))
	}
	b.ends(a, job.Succeeded)
	b.same("ready", b.ready(runs), []int{0})
	_, err := b.CancelBackfill(b.ctx(), f.ID, "not needed", b.at(7))
	b.ok(err)
	b.state(runs[1].ID, job.Cancelled)
	b.same("ready", b.ready(runs), []int{2})
	b.sends(&j, runs[2].ID)
}

func overlapFound(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 3)
	b.sends(&j, runs[0].ID)
	for _, r := range runs[1:] {
		b.blocks(&j, r.ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	}
	b.same("too early", len(b.claim(b.at(59), b.at(90), 10, j.GroupID)), 0)
	b.same("claimed", idsOf(b.claim(b.at(60), b.at(90), 10, j.GroupID)), []int64{runs[1].ID, runs[2].ID})
	b.blocks(&j, runs[1].ID, job.BusyReason(job.OverlapSerial, 1, runs[0].ID))
	// A server that restarts looks at all of them.
	b.ok(b.ReleaseClaims(b.ctx()))
	b.same("claimed", idsOf(b.claim(b.at(1), b.at(90), 10, j.GroupID)), []int64{runs[1].ID, runs[2].ID})
	// An attempt that reached no executor makes room, and its run may come back.
	b.requeue(b.run(runs[0].ID), b.run(runs[0].ID).AttemptID)
	a := b.sends(&j, runs[1].ID)
	b.blocks(&j, runs[0].ID, job.BusyReason(job.OverlapSerial, 1, runs[1].ID))
	b.ends(a, job.Succeeded)
	b.sends(&j, runs[0].ID)
}

func overlapStale(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	runs := b.manual(j, 3)
	a := b.sends(&j, runs[0].ID)
	old := b.limited(&j, runs[1])
	j = b.save(j, func(j *job.Job) { j.Title = changed })
	gone := b.limited(&j, b.run(runs[2].ID))
	_, err := b.CancelRun(b.ctx(), runs[2].ID, "not needed", b.at(6))
	b.ok(err)
	for range 2 {
		met, err := b.Meet(b.ctx(), []dispatcher.Mark{old, gone})
		b.ok(err)
		b.same("meetings", met, []dispatcher.Meeting{{}, {}})
		b.same("run", b.state(runs[1].ID, job.Planned).Reason, "")
		if a.ID != 0 {
			b.ends(a, job.Succeeded)
			a = job.Attempt{}
		}
	}
	gone.From = job.Running
	_, err = b.Meet(b.ctx(), []dispatcher.Mark{gone})
	b.kind(err, job.Invalid)
	met, err := b.Meet(b.ctx(), nil)
	b.ok(err)
	b.same("of none", len(met), 0)
}

func overlapParts(b *bench) {
	j := b.create(overlapping(job.OverlapSerial, 0))
	part := b.markOf(b.trigger(j, b.now), executorAddress)
	part.Part = true
	b.same("mark", b.mark(part), []bool{true})
	b.sends(&j, b.trigger(j, b.now).ID)
	second := b.markOf(b.trigger(j, b.now), executorAddress)
	second.Part = true
	b.same("mark", b.mark(second), []bool{true})
}
