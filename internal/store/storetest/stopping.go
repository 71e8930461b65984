package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

func stoppingTests() []test {
	return []test{
		{"a run that was sent is stopping, and stays so", stoppingKept},
		{"what is not sent does not stop", stoppingNothing},
		{"stops are looked at when it is their time", stoppingLooked},
		{"the message of an executor is kept", stoppingSaved},
		{"each end of a stopping run", stoppingEnds},
		{"an end that was decided before the stop", stoppingLate},
		{"an undelivered attempt of a stopping run cancels it", stoppingUndelivered},
		{"a stopping run is not removed", stoppingRemains},
		{"the others that one executor has of the job", stoppingBeside},
		{"one of many concurrent stops takes effect", stoppingRace},
	}
}

// stop stops the attempt's run and reports whether it did.
func (b *bench) stopRun(a job.Attempt, reason string) bool {
	b.Helper()
	moved, err := b.StopRun(b.ctx(), job.NewStop(a.RunID, a.ID, b.now), reason)
	b.ok(err)
	return moved
}

// stopping returns an attempt whose run is stopping.
func (b *bench) stopping(j job.Job) job.Attempt {
	b.Helper()
	a := b.dispatch(b.trigger(j, b.now))
	b.accept(a)
	b.same("stopped", b.stopRun(a, "wrong day"), true)
	return b.attempts(a.RunID)[0]
}

// stops returns what is to be looked at by an instant.
func (b *bench) stops(at time.Time, limit int) (due []upkeep.Stopping, more bool) {
	b.Helper()
	due, more, err := b.Stops(b.ctx(), at, limit)
	b.ok(err)
	return due, more
}

func stoppingKept(b *bench) {
	j := b.create()
	sent := b.dispatch(b.trigger(j, b.now))
	want := b.run(sent.RunID)
	b.same("stopped", b.stopRun(sent, "wrong day\x00"), true)
	want.State, want.Reason = job.Stopping, "wrong day\uFFFD"
	b.same("run", b.run(sent.RunID), want)
	b.same("attempt", b.attempts(sent.RunID)[0].State, job.Dispatched)
	b.same("stopped twice", b.stopRun(sent, "again"), false)
	b.accept(sent)
	b.same("attempt", b.attempts(sent.RunID)[0].State, job.Running)
	b.reopen()
	b.ok(b.ReleaseClaims(b.ctx()))
	b.same("run", b.run(sent.RunID), want)
	due, more := b.stops(b.at(10), 5)
	b.same("due", due, []upkeep.Stopping{{
		Stop:    job.NewStop(sent.RunID, sent.ID, b.now),
		Attempt: b.attempts(sent.RunID)[0], Group: j.Group,
	}})
	b.same("more", more, false)
	got, err := b.CancelRun(b.ctx(), sent.RunID, "again", b.now)
	b.ok(err)
	b.same("cancelled while stopping", got, want)
	runs, err := b.Runs(b.ctx(), jobrows.RunFilter{State: job.Stopping})
	b.ok(err)
	b.same("stopping runs", idsOf(runs), []int64{sent.RunID})
}

func stoppingNothing(b *bench) {
	j := b.create()
	waiting := b.trigger(j, b.now)
	b.same("a waiting run", b.stopRun(job.Attempt{RunID: waiting.ID}, "x"), false)
	b.state(waiting.ID, job.Planned)

	again := b.trigger(j, b.now)
	b.retrying(again, b.at(1))
	first := b.attempts(again.ID)[0]
	b.same("a run that waits for a retry", b.stopRun(first, "x"), false)
	b.dispatch(b.run(again.ID))
	b.same("an attempt that is over", b.stopRun(first, "x"), false)
	b.state(again.ID, job.Dispatched)

	over := b.dispatch(b.trigger(j, b.now))
	b.complete(over, job.Succeeded)
	b.same("a run that is over", b.stopRun(over, "x"), false)
	b.same("no run", b.stopRun(job.Attempt{RunID: 777_777, ID: 1}, "x"), false)
	due, _ := b.stops(b.at(99), 9)
	b.same("number of stops", len(due), 0)
}

func stoppingLooked(b *bench) {
	j := b.create()
	var attempts []job.Attempt
	for i := range 5 {
		a := b.stopping(j)
		s := job.NewStop(a.RunID, a.ID, b.now)
		s.LookAt = b.at(10 - i)
		b.ok(b.SaveStop(b.ctx(), s, ""))
		attempts = append(attempts, a)
	}
	due, more := b.stops(b.at(5), 9)
	b.same("too early", []any{len(due), more}, []any{0, false})
	due, more = b.stops(b.at(10), 2)
	b.same("first", []any{due[0].Attempt.ID, due[1].Attempt.ID, len(due), more}, []any{attempts[4].ID, attempts[3].ID, 2, true})
	b.complete(attempts[4], job.Cancelled)
	b.complete(attempts[2], job.Succeeded)
	due, more = b.stops(b.at(10), 3) // those that are over count, and are forgotten
	b.same("after ends", []any{len(due), more}, []any{1, true})
	due, more = b.stops(b.at(10), 4)
	b.same("after it forgot", []any{len(due), more}, []any{3, false})
}

func stoppingSaved(b *bench) {
	a := b.stopping(b.create())
	s := job.Stop{
		RunID: a.RunID, AttemptID: a.ID, AskedAt: b.now, ToldAt: b.at(1), AbsentAt: b.at(2), Calls: 3, LookAt: b.at(4),
	}
	b.ok(b.SaveStop(b.ctx(), s, "it was told\x00"))
	b.reopen()
	b.same("message", b.state(a.RunID, job.Stopping).Message, "it was told\uFFFD")
	due, _ := b.stops(b.at(4), 9)
	b.same("stop", due[0].Stop, s)
	s.AbsentAt, s.Calls = time.Time{}, 4
	b.ok(b.SaveStop(b.ctx(), s, ""))
	due, _ = b.stops(b.at(4), 9)
	b.same("stop", due[0].Stop, s)
	b.same("message without a note", b.run(a.RunID).Message, "it was told\uFFFD")

	b.complete(a, job.Cancelled)
	ended := b.run(a.RunID)
	b.ok(b.SaveStop(b.ctx(), s, "too late"))
	b.same("run that is over", b.run(a.RunID), ended)
	b.ok(b.SaveStop(b.ctx(), job.NewStop(777_777, 1, b.now), "nobody's"))
}

func stoppingEnds(b *bench) {
	for _, state := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost} {
		j := b.create()
		a := b.stopping(j)
		c := b.counted(a, state, b.at(5), time.Second)
		c.Stopped()
		c.Message = "its own words"
		b.same("completion", b.commit(c), []bool{true})
		r := b.state(a.RunID, job.Cancelled)
		b.same("run", []any{r.Message, r.EndedAt, r.ReadyAt}, []any{"its own words", b.at(5), time.Time{}})
		b.same("reason", r.Reason, "wrong day")
		if state == job.Succeeded || state == job.Lost {
			b.same("attempt", b.attempts(a.RunID)[0].State, state)
		}
		got := b.statsOf(j)[0]
		b.same("counted", []int64{got.Succeeded, got.Cancelled, got.Failed, got.Lost, got.TimedOut, got.Attempts}, []int64{0, 1, 0, 0, 0, 1})
		b.same("second completion", b.commit(c), []bool{false})
	}
}

// stoppingLate: a server had read the run before the user came.
func stoppingLate(b *bench) {
	for _, state := range []job.State{job.WaitingRetry, job.Failed, job.Lost, job.Succeeded} {
		j := b.after()
		r := b.fire(j, b.now)
		a := b.dispatch(r)
		b.accept(a)
		c := b.counted(a, job.Failed, b.at(5), time.Second)
		switch c.RunState = state; state {
		case job.WaitingRetry:
			c.RetryAt, c.Reason = b.at(9), "retry follows"
		case job.Succeeded:
			c.Outcome, c.NextAt = state, b.at(15)
		default:
			c.StopReason, c.NextAt = "stopped after a failed run", b.at(15)
		}
		b.same("stopped", b.stopRun(a, "wrong day"), true)
		b.same("completion", b.commit(c), []bool{true})
		got := b.state(r.ID, job.Cancelled)
		b.same("run", []any{got.Reason, got.EndedAt}, []any{"wrong day", b.at(5)})
		end := job.Cancelled
		if state == job.Succeeded {
			end = state
		}
		b.same("attempt", b.attempts(r.ID)[0].State, end)
		b.next(j, b.at(15))
		b.same("enabled", b.job(j.Key).Enabled, true)
		b.same("number of retries", len(b.claim(b.at(99), b.at(99), 9, j.GroupID)), 0)
	}
}

func stoppingUndelivered(b *bench) {
	j := b.after()
	a := b.dispatch(b.fire(j, b.now))
	b.same("stopped", b.stopRun(a, "wrong day"), true)
	item := dispatcher.Requeued{RunID: a.RunID, AttemptID: a.ID, Reason: "connection refused", ReadyAt: b.at(9), Now: b.at(5)}
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{item}))
	r := b.state(a.RunID, job.Cancelled)
	b.same("run", []any{r.Reason, r.Message, r.EndedAt, r.ReadyAt, r.Undelivered}, []any{"wrong day", "connection refused", b.at(5), time.Time{}, 1})
	b.same("attempt", b.attempts(a.RunID)[0].State, job.Failed)
	b.same("counted", b.statsOf(j), []job.Stats{{Day: job.DayOf(b.now), Cancelled: 1}})
	b.next(j, b.at(15))
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{item}))
	b.same("run after it was requeued twice", b.run(a.RunID), r)
}

func stoppingRemains(b *bench) {
	j := b.create()
	a := b.stopping(j)
	n, err := b.RemoveRuns(b.ctx(), []int64{a.RunID})
	b.ok(err)
	b.same("removed", n, 0)
	b.state(a.RunID, job.Stopping)
	b.complete(b.dispatch(b.trigger(j, b.now)), job.Succeeded)
	surplus, err := b.Surplus(b.ctx(), j.ID, 1)
	b.ok(err)
	b.same("surplus", surplus, int64(0))
	b.complete(a, job.Cancelled)
	n, err = b.RemoveRuns(b.ctx(), []int64{a.RunID})
	b.ok(err)
	b.same("removed after its end", n, 1)
	due, _ := b.stops(b.at(99), 9)
	b.same("number of stops", len(due), 0)
}

func stoppingBeside(b *bench) {
	j, other := b.create(), b.create()
	a := b.dispatch(b.trigger(j, b.now))
	m := b.markOf(b.trigger(j, b.now), "http://10.0.0.2:9999")
	b.same("mark", b.mark(m), []bool{true})
	b.dispatch(b.trigger(other, b.now))
	over := b.dispatch(b.trigger(j, b.now))
	b.complete(over, job.Succeeded)
	noted, err := b.NoteBeside(b.ctx(), a, "beside")
	b.ok(err)
	b.same("noted beside nobody", len(noted), 0)

	two, three := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(two)
	gone := b.stopping(j)
	noted, err = b.NoteBeside(b.ctx(), a, "beside\x00")
	b.ok(err)
	b.same("noted", noted, []int64{two.RunID, three.RunID})
	for run, want := range map[int64]string{
		two.RunID: "beside\uFFFD", three.RunID: "beside\uFFFD", a.RunID: "", over.RunID: "", m.Attempt.RunID: "", gone.RunID: "wrong day",
	} {
		b.same(fmt.Sprintf("reason of run %d", run), b.run(run).Reason, want)
	}
	b.complete(two, job.Failed)
	b.same("reason after its end", b.state(two.RunID, job.Failed).Reason, "beside\uFFFD")
}

func stoppingRace(b *bench) {
	a := b.dispatch(b.trigger(b.create(), b.now))
	moved := make([]bool, 20)
	var users sync.WaitGroup
	for i := range moved {
		users.Go(func() {
			var err error
			if moved[i], err = b.StopRun(b.ctx(), job.NewStop(a.RunID, a.ID, b.now), fmt.Sprint(i)); err != nil {
				b.Error(err)
			}
		})
	}
	users.Wait()
	winner := slices.Index(moved, true)
	if winner < 0 || slices.Contains(moved[winner+1:], true) {
		b.Fatalf("stopped: %v", moved)
	}
	b.same("reason", b.run(a.RunID).Reason, fmt.Sprint(winner))
}
