package storetest

import (
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

func deadlineTests() []test {
	return []test{
		{"a run is overdue from its first attempt on", overdueFound},
		{"a run whose task may still be sent waits for its sender", overdueInFlight},
		{"a retry has the deadline of the first attempt", deadlineOnce},
		{"deadlines of runs that are over are forgotten", overdueForgotten},
		{"a run that waits for its retry is skipped", waitingGivenUp},
	}
}

// timed sends the run with a deadline; its sender has no time left.
func (b *bench) timed(r job.Run, deadline time.Duration) job.Attempt {
	b.Helper()
	m := b.markOf(r, executorAddress)
	m.Deadline, m.CheckAt = deadline, b.now
	b.same("mark", b.mark(m), []bool{true})
	return m.Attempt
}

// overdue returns the runs that had to be over, by id, and whether they wait.
func (b *bench) overdue(at time.Time) (runs []int64, waiting []bool) {
	b.Helper()
	late, more, err := b.Overdue(b.ctx(), at, 99)
	b.ok(err)
	b.same("more", more, false)
	for _, o := range late {
		runs, waiting = append(runs, o.Attempt.RunID), append(waiting, o.Waiting)
	}
	return runs, waiting
}

func overdueFound(b *bench) {
	j := b.create()
	slow, quick := b.timed(b.trigger(j, b.now), 10*time.Second), b.timed(b.trigger(j, b.now), 1500*time.Millisecond)
	b.dispatch(b.trigger(j, b.now)) // without a deadline
	late, more, err := b.Overdue(b.ctx(), b.at(10), 1)
	b.ok(err)
	b.same("more", more, true)
	b.same("attempt", late[0].Attempt, b.attempts(quick.RunID)[0])
	b.same("deadline", late[0].Deadline, 1500*time.Millisecond)
	b.reopen()
	runs, _ := b.overdue(b.at(9))
	b.same("before the other's", runs, []int64{quick.RunID})
	runs, waiting := b.overdue(b.at(10))
	b.same("runs", runs, []int64{quick.RunID, slow.RunID})
	b.same("waiting", waiting, []bool{false, false})
}

// overdueInFlight: a kill must not overtake a task that a server may still send, or send again.
func overdueInFlight(b *bench) {
	m := b.markOf(b.trigger(b.create(), b.now), executorAddress)
	m.Deadline, m.CheckAt = 2*time.Second, b.at(15)
	b.same("mark", b.mark(m), []bool{true})
	m.Attempt = b.attempts(m.Attempt.RunID)[0]
	for _, c := range []struct{ claimed, waits, ends int }{{0, 14, 15}, {25, 24, 25}} {
		if c.claimed > 0 {
			taken, err := b.ClaimUnanswered(b.ctx(), []upkeep.Open{{Attempt: m.Attempt, CheckAt: b.at(15)}}, b.at(c.claimed))
			b.ok(err)
			b.same("taken over", taken, []bool{true})
		}
		runs, _ := b.overdue(b.at(c.waits))
		b.same("while it may be sent", len(runs), 0)
		runs, _ = b.overdue(b.at(c.ends))
		b.same("after that", runs, []int64{m.Attempt.RunID})
	}
	b.accept(m.Attempt)
	runs, _ := b.overdue(b.at(3))
	b.same("accepted", runs, []int64{m.Attempt.RunID})
}

// deadlineOnce: the retries of a run have its first attempt's deadline.
func deadlineOnce(b *bench) {
	r := b.trigger(b.create(), b.now)
	c := b.completion(b.timed(r, 5*time.Second), job.Failed)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(1)
	b.same("completion", b.commit(c), []bool{true})
	second := b.timed(b.run(r.ID), time.Second)
	runs, _ := b.overdue(b.at(4))
	b.same("before its time", len(runs), 0)
	late, _, err := b.Overdue(b.ctx(), b.at(60), 9)
	b.ok(err)
	b.same("number", len(late), 1)
	b.same("attempt", late[0].Attempt.ID, second.ID)
}

func overdueForgotten(b *bench) {
	j := b.create()
	first := b.timed(b.trigger(j, b.now), time.Second)
	second := b.timed(b.trigger(j, b.now), 2*time.Second)
	b.complete(first, job.Succeeded)
	late, more, err := b.Overdue(b.ctx(), b.at(5), 1)
	b.ok(err)
	b.same("a page of those that are over", []any{len(late), more}, []any{0, true})
	runs, _ := b.overdue(b.at(5))
	b.same("runs", runs, []int64{second.RunID})
	b.complete(second, job.Lost)
	runs, _ = b.overdue(b.at(5))
	b.same("none", len(runs), 0)
	_, more, err = b.Overdue(b.ctx(), b.at(5), 1)
	b.ok(err)
	b.same("all are forgotten", more, false)
}

func waitingGivenUp(b *bench) {
	j, child := b.create(), b.create()
	r := b.trigger(j, b.now)
	a := b.timed(r, 10*time.Second)
	c := b.completion(a, job.Failed)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(60)
	b.same("completion", b.commit(c), []bool{true})
	runs, waiting := b.overdue(b.at(10))
	b.same("runs", runs, []int64{r.ID})
	b.same("waiting", waiting, []bool{true})
	attempts, claimed := b.attempts(r.ID), b.run(r.ID)

	end := b.completion(a, job.Lost)
	end.Waiting, end.Reason, end.Message = true, "the deadline has passed", "not written"
	end.Children = []job.Run{b.child(a, child)}
	stale := end
	stale.AttemptID = 777_777
	open := end
	open.RunState = job.WaitingRetry
	_, err := b.CommitCompletions(b.ctx(), []completer.Completion{open})
	b.kind(err, job.Invalid)
	b.same("done", b.commit(stale, end, end), []bool{false, true, false})
	got := b.state(r.ID, job.Lost)
	b.same("texts", []string{got.Reason, got.Message}, []string{"the deadline has passed", "said failed"})
	b.same("times", []time.Time{got.ReadyAt, got.EndedAt}, []time.Time{{}, end.EndedAt})
	b.same("attempts", b.attempts(r.ID), attempts)
	b.same("children", len(b.runs(child)), 1)
	b.same("a mark that comes too late", b.mark(b.markOf(claimed, executorAddress)), []bool{false})
}
