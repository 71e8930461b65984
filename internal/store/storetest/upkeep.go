package storetest

import (
	"cmp"
	"slices"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

func upkeepTests() []test {
	return []test{
		{"attempts without an answer are found when it is time", unansweredFound},
		{"a postponed look", unansweredPostponed},
		{"unanswered attempts within the limit", unansweredLimit},
		{"who takes an unanswered attempt over has it alone", unansweredClaimed},
		{"attempts of executors without a lease are orphans", orphansFound},
		{"orphans within the limit", orphansLimit},
	}
}

// unanswered returns the runs of the unanswered attempts, sorted.
func (b *bench) unanswered(seconds, limit int) []int64 {
	b.Helper()
	open, err := b.Unanswered(b.ctx(), b.at(seconds), limit)
	b.ok(err)
	ids := make([]int64, len(open))
	for i, o := range open {
		ids[i] = o.Run.ID
	}
	slices.Sort(ids)
	return ids
}

func unansweredFound(b *bench) {
	j, gone := b.create(), b.create()
	b.trigger(j, b.now)
	sent, answered, over := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(answered)
	b.complete(over, job.Succeeded)
	deleted := b.dispatch(b.trigger(gone, b.now))
	b.ok(b.DeleteJob(b.ctx(), gone, ""))

	b.same("before it is time", len(b.unanswered(14, 9)), 0)
	open, err := b.Unanswered(b.ctx(), b.at(15), 9)
	b.ok(err)
	slices.SortFunc(open, func(a, b upkeep.Open) int { return cmp.Compare(a.Run.ID, b.Run.ID) })
	b.same("number", len(open), 2)
	run := b.run(sent.RunID)
	run.JobKey = ""
	b.same("open attempt", open[0], upkeep.Open{Attempt: sent, Run: run, Job: j, CheckAt: b.at(15)})
	b.same("attempt of a deleted job", open[1].Attempt, deleted)
	b.accept(sent)
	b.complete(deleted, job.Lost)
	b.same("after the answers", len(b.unanswered(99, 9)), 0)
}

func unansweredPostponed(b *bench) {
	j := b.create()
	one, two, answered := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(answered)
	waiting := b.trigger(j, b.now)
	b.ok(b.Postpone(b.ctx(), []int64{two.RunID, answered.RunID, waiting.ID, 777_777}, b.at(40)))
	b.ok(b.Postpone(b.ctx(), nil, b.at(40)))
	b.same("first look", b.unanswered(39, 9), []int64{one.RunID})
	b.same("second look", b.unanswered(40, 9), []int64{one.RunID, two.RunID})
	b.same("a run that waits", b.run(waiting.ID), waiting)
}

// unansweredClaimed plays a server that is slow to say that an attempt did not
// arrive, while two others take it over to send it again.
func unansweredClaimed(b *bench) {
	j := b.create()
	a, back := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	open, err := b.Unanswered(b.ctx(), b.at(15), 9)
	b.ok(err)
	slices.SortFunc(open, func(a, b upkeep.Open) int { return cmp.Compare(a.Run.ID, b.Run.ID) })
	slow := func(a job.Attempt) dispatcher.Requeued {
		return dispatcher.Requeued{
			RunID: a.RunID, AttemptID: a.ID, Reason: "waited too long", CheckAt: b.at(15), ReadyAt: b.at(30), Now: b.at(16),
		}
	}
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{slow(back)}))
	b.same("put back in time", b.run(back.RunID).State, job.Queued)
	claim := func() []bool {
		taken, err := b.ClaimUnanswered(b.ctx(), open, b.at(25))
		b.ok(err)
		return taken
	}
	b.same("taken over", claim(), []bool{true, false})
	b.same("taken over by two", claim(), []bool{false, false})
	b.ok(b.Requeue(b.ctx(), []dispatcher.Requeued{slow(a)}))
	b.same("put back too late", b.run(a.RunID).State, job.Dispatched)
	b.same("hidden", len(b.unanswered(24, 9)), 0)
	b.same("found again", b.unanswered(25, 9), []int64{a.RunID})
	b.ok(b.ReleaseClaims(b.ctx())) // as a server does that was killed
	open, err = b.Unanswered(b.ctx(), b.at(1), 9)
	b.ok(err)
	b.same("taken over after a restart", claim(), []bool{true})
	b.accept(a)
	b.same("answered", b.run(a.RunID).State, job.Running)
}

func unansweredLimit(b *bench) {
	j := b.create()
	for i := range 6 {
		address := executorAddress
		if i%2 == 0 {
			address = "http://10.0.0.2:9999"
		}
		b.mark(b.markOf(b.trigger(j, b.now), address))
	}
	for _, limit := range []int{0, 1, 4, 6, 9} {
		b.same("number", len(b.unanswered(15, limit)), min(limit, 6))
	}
}

// orphans returns the orphans in order of id.
func (b *bench) orphans(seconds, limit int) []job.Attempt {
	b.Helper()
	orphans, err := b.Orphans(b.ctx(), b.at(seconds), limit)
	b.ok(err)
	slices.SortFunc(orphans, func(a, b job.Attempt) int { return cmp.Compare(a.ID, b.ID) })
	return orphans
}

func orphansFound(b *bench) {
	j := b.create()
	send := func(address string) job.Attempt {
		m := b.markOf(b.trigger(j, b.now), address)
		b.same("mark", b.mark(m), []bool{true})
		return m.Attempt
	}
	b.beat("demo", "http://alive", 90)
	b.beat("demo", "http://dead", 10)
	b.beat("demo", "http://twice", 10)
	b.beat("other", "http://twice", 90)
	send("http://alive")
	send("http://twice")
	sent, running, over := send("http://dead"), send("http://dead"), send("http://dead")
	b.accept(running)
	b.complete(over, job.Succeeded)
	b.same("orphans while all live", len(b.orphans(9, 9)), 0)
	running.State, running.AcceptedAt = job.Running, b.at(1)
	b.same("orphans while one may be put back", b.orphans(14, 9), []job.Attempt{running})
	b.same("orphans of the dead", b.orphans(15, 9), []job.Attempt{sent, running})

	stranger := send("http://stranger")
	b.same("orphans of the dead and the unknown", b.orphans(15, 9), []job.Attempt{sent, running, stranger})
	b.same("orphans when all are dead", len(b.orphans(90, 9)), 5)
	b.beat("demo", "http://dead", 120)
	b.same("orphans when the dead is back", b.orphans(15, 9), []job.Attempt{stranger})
}

func orphansLimit(b *bench) {
	j := b.create()
	for i := range 6 {
		address := executorAddress
		if i%2 == 0 {
			address = "http://10.0.0.2:9999"
		}
		b.mark(b.markOf(b.trigger(j, b.now), address))
	}
	for _, limit := range []int{0, 1, 4, 6, 9} {
		b.same("number", len(b.orphans(15, limit)), min(limit, 6))
	}
}
