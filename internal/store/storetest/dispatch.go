package storetest

import (
	"slices"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

func dispatchTests() []test {
	return []test{
		{"a mark writes the attempt and moves the run", markWrites},
		{"a mark that lost writes nothing", markLoses},
		{"a mark from a state that does not wait is invalid", markInvalid},
		{"a mark keeps why the run is late", markReason},
		{"an acceptance moves both", acceptMoves},
		{"a late acceptance changes nothing", acceptLate},
		{"an undelivered attempt goes back", requeueAttempt},
		{"an attempt that is taken back was none", requeueTakenBack},
		{"attempts are taken back together with others", takenBackTogether},
		{"an attempt is taken back in time only", takenBackTooLate},
		{"a run that waits is put back", requeueWaits},
		{"others are not put back", requeueLeaves},
	}
}

// requeue puts one run back for 30 seconds.
func (b *bench) requeue(r job.Run, attempt int64) {
	b.Helper()
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{{
		RunID: r.ID, AttemptID: attempt, Reason: "nobody there", ReadyAt: b.at(30), Now: b.at(4),
	}}))
}

func markWrites(b *bench) {
	j := b.create()
	for i, r := range []job.Run{b.trigger(j, b.now), b.queued(j), b.retrying(b.trigger(j, b.now), b.at(5))} {
		m := b.markOf(r, executorAddress)
		b.same("mark", b.mark(m), []bool{true})
		attempts := b.attempts(r.ID)
		b.same("attempt", attempts[len(attempts)-1], m.Attempt)
		want := r
		want.State, want.AttemptID, want.Tries, want.ReadyAt = job.Dispatched, m.Attempt.ID, r.Tries+1, time.Time{}
		if i == 2 {
			want.Reason = ""
		}
		b.same("run", b.run(r.ID), want)
	}
}

func markLoses(b *bench) {
	j := b.create()
	r, good := b.trigger(j, b.now), b.trigger(j, b.now)
	wrongState, wrongVersion, missing := b.markOf(r, executorAddress), b.markOf(r, executorAddress), b.markOf(r, executorAddress)
	wrongState.From = job.Queued
	wrongVersion.JobVersion = 2
	missing.Attempt.ID, missing.Attempt.RunID = 777_777, 777_777
	winner, second := b.markOf(good, executorAddress), b.markOf(good, "http://10.0.0.2:9999")
	b.same("marks", b.mark(wrongState, wrongVersion, missing, winner, second), []bool{false, false, false, true, false})
	b.same("run", b.run(r.ID), r)
	b.same("attempts", len(b.attempts(r.ID))+len(b.attempts(777_777)), 0)
	b.same("attempts of the winner", len(b.attempts(good.ID)), 1)
	b.same("attempt of the winner", b.run(good.ID).AttemptID, winner.Attempt.ID)
	b.same("no marks", len(b.mark()), 0)
}

func markInvalid(b *bench) {
	r := b.trigger(b.create(), b.now)
	for _, from := range job.States() {
		if from.Waiting() {
			continue
		}
		m := b.markOf(r, executorAddress)
		m.From = from
		_, err := b.MarkDispatched(b.ctx(), []dispatcher.Mark{m})
		b.kind(err, job.Invalid)
	}
}

func markReason(b *bench) {
	r := b.queued(b.create())
	a := b.dispatch(r)
	b.same("reason of a late run", b.run(r.ID).Reason, r.Reason)
	b.complete(a, job.Succeeded)
	b.same("reason after the end", b.run(r.ID).Reason, r.Reason)
}

func acceptMoves(b *bench) {
	j := b.create()
	a, other := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	before := b.run(a.RunID)
	b.accept(a)
	want := a
	want.State, want.AcceptedAt = job.Running, b.at(1)
	b.same("attempts", b.attempts(a.RunID), []job.Attempt{want})
	before.State, before.StartedAt = job.Running, b.at(1)
	b.same("run", b.run(a.RunID), before)
	b.state(other.RunID, job.Dispatched)
	b.ok(b.MarkAccepted(b.ctx(), nil))
}

func acceptLate(b *bench) {
	j := b.create()
	over := b.dispatch(b.trigger(j, b.now))
	b.complete(over, job.Succeeded)
	back := b.dispatch(b.trigger(j, b.now))
	b.requeue(b.run(back.RunID), back.ID)
	next := b.dispatch(b.run(back.RunID))
	twice := b.dispatch(b.trigger(j, b.now))
	b.accept(twice)
	for _, a := range []job.Attempt{over, back, twice} {
		run, attempts := b.run(a.RunID), b.attempts(a.RunID)
		b.ok(b.MarkAccepted(b.ctx(), []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: b.at(99)}}))
		b.same("run", b.run(a.RunID), run)
		b.same("attempts", b.attempts(a.RunID), attempts)
	}
	b.same("attempt of the run", b.run(next.RunID).AttemptID, next.ID)
}

func requeueAttempt(b *bench) {
	a := b.dispatch(b.trigger(b.create(), b.now))
	run := b.run(a.RunID)
	b.requeue(run, a.ID)
	a.State, a.Message, a.EndedAt = job.Failed, "nobody there", b.at(4)
	b.same("attempts", b.attempts(a.RunID), []job.Attempt{a})
	run.State, run.Reason, run.ReadyAt, run.DueAt = job.Queued, "nobody there", b.at(30), b.at(30)
	run.Undelivered = 1
	b.same("run", b.run(a.RunID), run)
	b.same("claim", len(b.claim(b.at(29), b.at(99), 9, run.GroupID)), 0)
	claimed := b.claim(b.at(30), b.at(99), 9, run.GroupID)
	b.same("claim", idsOf(claimed), []int64{run.ID})
	b.same("due", claimed[0].ReadyAt, b.at(30))
}

// takenBack takes the mark of an attempt back for 30 seconds.
func (b *bench) takenBack(a job.Attempt, deadline time.Duration, check time.Time) {
	b.Helper()
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{{
		RunID: a.RunID, AttemptID: a.ID, TakenBack: true, TriggeredAt: a.TriggeredAt, Deadline: deadline, CheckAt: check, Reason: "no room", ReadyAt: b.at(30), Now: b.at(4),
	}}))
}

// requeueTakenBack: a run is as it was before, whether it had attempts or not, and what comes next is
// the attempt that was taken back.
func requeueTakenBack(b *bench) {
	j := b.create()
	for name, r := range map[string]job.Run{
		"new": b.trigger(j, b.now), "undelivered": b.run(b.undelivered(b.trigger(j, b.now).ID).RunID), "failed": b.retrying(b.trigger(j, b.now), b.at(5)),
	} {
		before := b.attempts(r.ID)
		m := b.markOf(r, executorAddress)
		if m.Deadline = time.Minute; r.Tries > 0 {
			m.Deadline = 0
		}
		m.Attempt.Address = "http://10.0.0.2:9999"
		b.same(name+": mark", b.mark(m), []bool{true})
		b.takenBack(m.Attempt, time.Minute, m.CheckAt)
		want := r
		want.State, want.Reason, want.ReadyAt, want.DueAt = job.Queued, "no room", b.at(30), b.at(30)
		b.same(name+": run", b.run(r.ID), want)
		b.same(name+": attempts", b.attempts(r.ID), before)
		late, _ := b.overdue(b.at(9_999))
		b.same(name+": deadlines", len(late), 0)
		b.same(name+": no executor is asked", len(b.unanswered(99, 9)), 0)
		claimed := idsOf(b.claim(b.at(30), b.at(99), 9, r.GroupID))
		b.same(name+": claimed", slices.Contains(claimed, r.ID), true)
		old := m.Attempt
		m.From, m.Attempt.TriggeredAt = job.Queued, old.TriggeredAt.Add(time.Millisecond)
		b.same(name+": the same mark again", b.mark(m), []bool{true})
		b.takenBack(old, time.Minute, m.CheckAt) // once more, because the answer was lost
		b.same(name+": attempts after that", b.attempts(r.ID), append(before, m.Attempt))
		b.complete(m.Attempt, job.Succeeded)
		b.same(name+": tries", b.run(r.ID).Tries, r.Tries+1)
		b.same(name+": attempts in the end", len(b.attempts(r.ID)), len(before)+1)
	}
}

// takenBackTogether takes attempts back that are the first ones of their runs, and later ones, together
// with one that no executor was there for.
func takenBackTogether(b *bench) {
	j := b.create()
	var items []dispatcher.Requeued
	wants := make(map[int64]job.Run)
	for i := range 6 {
		r := b.trigger(j, b.now)
		if i%2 == 1 {
			r = b.run(b.undelivered(r.ID).RunID)
		}
		a := b.dispatch(r)
		items = append(items, dispatcher.Requeued{
			RunID: r.ID, AttemptID: a.ID, TakenBack: i < 5, TriggeredAt: a.TriggeredAt, Reason: "no room", ReadyAt: b.at(30), Now: b.at(4),
		})
		r.State, r.Reason, r.ReadyAt, r.DueAt = job.Queued, "no room", b.at(30), b.at(30)
		if i == 5 {
			r.AttemptID, r.Tries, r.Undelivered = a.ID, 2, 2
		}
		wants[r.ID] = r
	}
	b.ok(b.Requeue(b.ctx(), items))
	for id, want := range wants {
		b.same("run", b.run(id), want)
		b.same("attempts", len(b.attempts(id)), want.Tries)
	}
}

// takenBackTooLate: upkeep asks about the attempt, it was accepted, or its run is to be stopped.
func takenBackTooLate(b *bench) {
	j := b.create()
	asked, running := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.ok(b.Postpone(b.ctx(), []int64{asked.RunID}, b.at(40)))
	b.accept(running)
	for _, a := range []job.Attempt{asked, running} {
		run, attempts := b.run(a.RunID), b.attempts(a.RunID)
		b.takenBack(a, 0, b.at(15))
		b.same("run", b.run(a.RunID), run)
		b.same("attempts", b.attempts(a.RunID), attempts)
	}
	stopping := b.dispatch(b.trigger(j, b.now))
	b.same("stopped", b.stopRun(stopping, "wrong day"), true)
	b.takenBack(stopping, 0, time.Time{})
	b.state(stopping.RunID, job.Cancelled)
}

func requeueWaits(b *bench) {
	j := b.create()
	for _, r := range []job.Run{b.trigger(j, b.now), b.queued(j), b.retrying(b.trigger(j, b.now), b.at(5))} {
		b.requeue(r, 0)
		r.State, r.Reason, r.ReadyAt, r.DueAt = job.Queued, "nobody there", b.at(30), b.at(30)
		b.same("run", b.run(r.ID), r)
	}
	b.ok(b.Requeue(b.ctx(), nil))
}

func requeueLeaves(b *bench) {
	j := b.create()
	sent, running := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(running)
	over := b.dispatch(b.trigger(j, b.now))
	b.complete(over, job.Succeeded)
	cancelled := b.trigger(j, b.now)
	_, err := b.CancelRun(b.ctx(), cancelled.ID, "enough", b.now)
	b.ok(err)
	back := b.dispatch(b.trigger(j, b.now))
	b.requeue(b.run(back.RunID), back.ID)
	b.dispatch(b.run(back.RunID))
	for _, item := range []dispatcher.Requeued{
		{RunID: sent.RunID},
		{RunID: running.RunID},
		{RunID: over.RunID},
		{RunID: cancelled.ID},
		{RunID: running.RunID, AttemptID: running.ID},
		{RunID: over.RunID, AttemptID: over.ID},
		{RunID: back.RunID, AttemptID: back.ID},
		{RunID: sent.RunID, AttemptID: 777_777},
		{RunID: 777_777},
	} {
		item.Reason, item.ReadyAt, item.Now = "again", b.at(77), b.at(7)
		run, attempts := job.Run{}, []job.Attempt(nil)
		if item.RunID != 777_777 {
			run, attempts = b.run(item.RunID), b.attempts(item.RunID)
		}
		b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{item}))
		if item.RunID != 777_777 {
			b.same("run", b.run(item.RunID), run)
			b.same("attempts", b.attempts(item.RunID), attempts)
		}
	}
}

// queued returns a run that was put back once.
func (b *bench) queued(j job.Job) job.Run {
	b.Helper()
	r := b.trigger(j, b.now)
	b.requeue(r, 0)
	return b.run(r.ID)
}
