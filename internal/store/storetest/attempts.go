package storetest

import (
	"strconv"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

func attemptTests() []test {
	return []test{
		{"the first attempt has the id of its run", firstAttemptID},
		{"an attempt that would not be found is refused", attemptIDRefused},
		{"every attempt of a run is found by its id", attemptsFound},
		{"an outcome of an earlier attempt ends nothing", earlierEndsNothing},
		{"the first of two outcomes stays", firstOutcomeStays},
		{"an attempt ends otherwise than its run", endsOtherwise},
		{"an attempt of a trial is one of the trial's job", trialAttempts},
		{"all attempts of a run go with it", attemptsRemoved},
	}
}

// undelivered sends a run without delivery, and returns the attempt.
func (b *bench) undelivered(run int64) job.Attempt {
	b.Helper()
	a := b.dispatch(b.run(run))
	b.requeue(b.run(run), a.ID)
	return a
}

// triedAgain runs a job that fails twice, once after it was not delivered, and is under way again.
func (b *bench) triedAgain() []job.Attempt {
	b.Helper()
	r := b.trigger(b.create(), b.now)
	all := []job.Attempt{b.undelivered(r.ID)}
	b.retrying(b.run(r.ID), b.at(20))
	b.dispatch(b.run(r.ID))
	return append(all, b.attempts(r.ID)[1:]...)
}

func firstAttemptID(b *bench) {
	runs := make(map[int64]bool)
	for range 3 {
		all := b.triedAgain()
		runs[all[0].RunID] = true
		b.same("first attempt", all[0].ID, all[0].RunID)
		for _, a := range all[1:] {
			if runs[a.ID] {
				b.Fatalf("attempt %d has the number of a run", a.ID)
			}
		}
	}
	split, _ := b.split(b.create(), 2)
	b.same("attempt of a broadcast", b.attempts(split.ID)[0].ID, split.ID)
}

func attemptIDRefused(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	other, again := b.markOf(r, executorAddress), b.markOf(r, executorAddress)
	other.Attempt.ID = b.runID()
	again.Attempt.Number = 2
	for _, m := range []dispatcher.Mark{other, again} {
		_, err := b.MarkDispatched(b.ctx(), []dispatcher.Mark{m})
		b.kind(err, job.Invalid)
		_, err = b.Meet(b.ctx(), []dispatcher.Mark{m})
		b.kind(err, job.Invalid)
	}
	b.same("run", b.run(r.ID), r)
}

func attemptsFound(b *bench) {
	other := b.triedAgain() // whose attempts have numbers between those of the others
	all := b.triedAgain()
	b.same("attempts", len(all), 3)
	check := func() {
		b.Helper()
		listed := b.attempts(all[0].RunID)
		ids := []int64{other[1].ID, 777_777}
		for _, a := range listed {
			ids = append(ids, a.ID)
			b.same("snapshot", b.snapshot(a.ID).Attempt, a)
			b.same("place", b.place("attempt", job.DefaultNamespace, strconv.FormatInt(a.ID, 10)).Group, "demo")
		}
		b.same("number of them", len(listed), len(all))
		snapshots, err := b.Snapshots(b.ctx(), ids)
		b.ok(err)
		b.same("snapshots", len(snapshots), len(ids)-1)
		tried, err := b.Tried(b.ctx(), ids)
		b.ok(err)
		b.same("tried", len(tried), len(ids)-1)
		for _, t := range tried {
			b.same("run of attempt", t.Attempt.RunID, t.Run.ID)
		}
	}
	check()
	last := all[2]
	b.accept(last)
	check()
	b.complete(last, job.Succeeded)
	check()
	_, err := b.Place(b.ctx(), "attempt", job.DefaultNamespace, "777777")
	b.kind(err, job.NotFound)
	waiting := b.trigger(b.create(), b.now) // a run that had no attempt
	snapshots, err := b.Snapshots(b.ctx(), []int64{waiting.ID})
	b.ok(err)
	b.same("snapshots of a run that waits", len(snapshots), 0)
	_, err = b.Place(b.ctx(), "attempt", job.DefaultNamespace, strconv.FormatInt(waiting.ID, 10))
	b.kind(err, job.NotFound)
}

func earlierEndsNothing(b *bench) {
	all := b.triedAgain()
	run, attempts := b.run(all[0].RunID), b.attempts(all[0].RunID)
	for _, a := range all[:2] {
		for _, state := range []job.State{job.Succeeded, job.Failed} {
			b.same("completion", b.commit(b.completion(a, state)), []bool{false})
		}
		retried := b.completion(a, job.Failed)
		retried.RunState, retried.RetryAt = job.WaitingRetry, b.at(99)
		b.same("completion", b.commit(retried), []bool{false})
		b.accept(a)
		open := upkeep.Open{Attempt: a, CheckAt: b.at(15)}
		taken, err := b.ClaimUnanswered(b.ctx(), []upkeep.Open{open}, b.at(60))
		b.ok(err)
		b.same("taken", taken, []bool{false})
		b.ok(b.MoveAttempts(b.ctx(), []job.Attempt{a}, "http://10.0.0.7:9999"))
		stopped, err := b.StopRun(b.ctx(), job.Stop{RunID: a.RunID, AttemptID: a.ID, AskedAt: b.now, LookAt: b.now}, "enough")
		b.ok(err)
		b.same("stopped", stopped, false)
		b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{{RunID: a.RunID, AttemptID: a.ID, Reason: "again", ReadyAt: b.at(1), Now: b.now}}))
	}
	b.same("run", b.run(run.ID), run)
	b.same("attempts", b.attempts(run.ID), attempts)
	b.complete(all[2], job.Succeeded)
	b.state(run.ID, job.Succeeded)
}

func firstOutcomeStays(b *bench) {
	j := b.create()
	again := func(a job.Attempt) completer.Completion {
		c := b.completion(a, job.Failed)
		c.RunState, c.RetryAt = job.WaitingRetry, b.at(30)
		return c
	}
	for _, c := range []struct {
		first, second func(a job.Attempt) completer.Completion
		run           job.State
		attempt       job.State
	}{
		{func(a job.Attempt) completer.Completion { return b.completion(a, job.Succeeded) }, again, job.Succeeded, job.Succeeded},
		{again, func(a job.Attempt) completer.Completion { return b.completion(a, job.Succeeded) }, job.WaitingRetry, job.Failed},
		{again, again, job.WaitingRetry, job.Failed},
	} {
		for _, together := range []bool{true, false} {
			a := b.dispatch(b.trigger(j, b.now))
			var done []bool
			if together {
				done = b.commit(c.first(a), c.second(a))
			} else {
				done = append(b.commit(c.first(a)), b.commit(c.second(a))...)
			}
			b.same("completions", done, []bool{true, false})
			b.state(a.RunID, c.run)
			attempts := b.attempts(a.RunID)
			b.same("attempts", []any{len(attempts), attempts[0].State}, []any{1, c.attempt})
		}
	}
}

func endsOtherwise(b *bench) {
	j := b.create()
	// A run that is to be stopped, and reports success.
	a := b.stopping(j)
	b.same("completion", b.commit(b.completion(a, job.Succeeded)), []bool{true})
	run := b.state(a.RunID, job.Cancelled)
	got := b.attempts(a.RunID)[0]
	b.same("attempt", []any{got.State, got.Message, got.EndedAt}, []any{job.Succeeded, run.Message, run.EndedAt})
	// One that did not arrive.
	a = b.dispatch(b.trigger(j, b.now))
	b.same("stopped", b.stopRun(a, "enough"), true)
	got = b.attempts(a.RunID)[0]
	b.same("while it is stopping", []any{got.State, got.Message}, []any{job.Dispatched, ""})
	b.requeue(b.run(a.RunID), a.ID)
	b.state(a.RunID, job.Cancelled)
	got = b.attempts(a.RunID)[0]
	b.same("attempt that did not arrive", []any{got.State, got.EndedAt.IsZero()}, []any{job.Failed, false})
	b.same("snapshot", b.snapshot(a.ID).Attempt, got)
	// One that is accepted while it is stopping.
	a = b.dispatch(b.trigger(j, b.now))
	b.same("stopped", b.stopRun(a, "enough"), true)
	b.accept(a)
	b.state(a.RunID, job.Stopping)
	b.same("accepted", b.attempts(a.RunID)[0].State, job.Running)
	// One that waits for its next try, and does not get it.
	r := b.retrying(b.trigger(j, b.now), b.at(20))
	_, err := b.CancelRun(b.ctx(), r.ID, "enough", b.at(9))
	b.ok(err)
	got = b.attempts(r.ID)[0]
	b.same("attempt of a run that was cancelled", []any{got.State, got.EndedAt}, []any{job.Failed, b.at(6)})
	b.same("snapshot", b.snapshot(r.ID).Attempt, got)
}

func trialAttempts(b *bench) {
	r := b.tried(b.create())
	m := b.markOf(r, executorAddress)
	m.Attempt.JobID, m.Part = r.TaskJobID(), true
	b.same("mark", b.mark(m), []bool{true})
	b.same("attempt", b.attempts(r.ID), []job.Attempt{m.Attempt})
	b.same("snapshot", b.snapshot(r.ID).Attempt, m.Attempt)
	b.requeue(b.run(r.ID), r.ID)
	got := b.attempts(r.ID)
	b.same("an earlier attempt", []any{len(got), got[0].JobID, got[0].State}, []any{1, r.TaskJobID(), job.Failed})
	noted, err := b.NoteBeside(b.ctx(), job.Attempt{ID: 1, RunID: 1, JobID: r.JobID, Address: executorAddress}, "beside")
	b.ok(err)
	b.same("beside", len(noted), 0)
}

func attemptsRemoved(b *bench) {
	keep, all := b.triedAgain(), b.triedAgain()
	kept := b.attempts(keep[0].RunID)
	b.complete(all[2], job.Lost)
	var evidence []job.Evidence
	for _, a := range append(all, keep[0]) {
		evidence = append(evidence, b.against(a, job.TimedOut, "late"))
	}
	b.ok(b.KeepEvidence(b.ctx(), evidence))
	b.same("removed", b.remove(all[0].RunID, keep[0].RunID), 1)
	b.missing(all[0].RunID)
	for _, a := range all {
		snapshots, err := b.Snapshots(b.ctx(), []int64{a.ID})
		b.ok(err)
		b.same("snapshots", len(snapshots), 0)
		logs, err := b.Logs(b.ctx(), []int64{a.ID})
		b.ok(err)
		b.same("logs", logs, []logbook.Log(nil))
	}
	kept[0].Evidence = evidence[3:]
	b.same("attempts of the other run", b.attempts(keep[0].RunID), kept)
}
