package storetest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

func upkeepTests() []test {
	return []test{
		{"attempts without an answer are found when it is time", unansweredFound},
		{"a postponed look", unansweredPostponed},
		{"after a restart attempts are looked at from their time on", unansweredEarly},
		{"unanswered attempts within the limit", unansweredLimit},
		{"only one caller claims an unanswered attempt", unansweredClaimed},
		{"attempts of executors without a lease are orphans", orphansFound},
		{"orphans within the limit", orphansLimit},
		{"executors that may have what another one had", successorsFound},
		{"the folder that was at an address is remembered", successorsOfFormer},
		{"attempts move to another address", attemptsMove},
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

// unansweredClaimed plays a server that is slow to report that an attempt did not arrive,
// while two others claim it to send it again.
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

// unansweredEarly: a server was killed when it had committed a firing ahead of its time. What the
// next one sends, when it has asked, begins at once, so it must not ask before the time.
func unansweredEarly(b *bench) {
	j := b.create()
	due, early := b.markOf(b.trigger(j, b.now), executorAddress), b.markOf(b.trigger(j, b.now), executorAddress)
	early.Attempt.TriggeredAt, early.CheckAt = b.at(3), b.at(18)
	b.same("marks", b.mark(due, early), []bool{true, true})
	b.ok(b.ReleaseClaims(b.ctx()))
	b.same("before its time", b.unanswered(2, 9), []int64{due.Attempt.RunID})
	b.same("at its time", b.unanswered(3, 9), []int64{due.Attempt.RunID, early.Attempt.RunID})
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
	attempts := make([]job.Attempt, len(orphans))
	for i, o := range orphans {
		attempts[i] = o.Attempt
		b.same("the run", o.Run.ID, o.Attempt.RunID)
		b.same("it is not looked at before a time while it is not accepted", o.CheckAt.IsZero(), o.Attempt.State == job.Running)
	}
	slices.SortFunc(attempts, func(a, b job.Attempt) int { return cmp.Compare(a.ID, b.ID) })
	return attempts
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
	read, err := b.Orphans(b.ctx(), b.at(15), 9)
	b.ok(err)
	for i := range read {
		if read[i].Attempt.ID == sent.ID {
			taken, err := b.ClaimUnanswered(b.ctx(), read[i:i+1], b.at(15))
			b.ok(err)
			b.same("one that was read as an orphan is taken over", taken, []bool{true})
		}
	}

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

// joins writes the lease of an executor of Orth, for 25 s.
func (b *bench) joins(group, address, incarnation, instance string, seconds int, d job.Dialect) {
	b.Helper()
	_, err := b.PutLease(b.ctx(), job.Executor{
		Group: group, Address: address, LeaseUntil: b.at(seconds + 25), RegisteredAt: b.at(seconds), SeenAt: b.at(seconds),
		Incarnation: incarnation, Instance: instance, Dialect: d, DialectBy: job.DialectSeen,
	})
	b.ok(err)
}

func successorsFound(b *bench) {
	j := b.create()
	m := b.markOf(b.trigger(j, b.now), "http://was")
	b.mark(m)
	id := m.Attempt.ID
	find := func(seconds int) []upkeep.Successor {
		b.Helper()
		found, err := b.Successors(b.ctx(), "http://was", []int64{id, 777_777}, b.at(seconds))
		b.ok(err)
		return found
	}
	b.same("nobody", len(find(0)), 0)
	b.joins("demo", "http://was", "a", "f0", 0, job.DialectNative)
	b.joins("demo", "http://old", "b", "f1", 1, job.DialectNative)
	b.joins("demo", "http://new", "c", "f2", 12, job.DialectNative)
	b.joins("demo", "http://family", "d", "f0", 12, job.DialectXXL)
	b.joins("other", "http://elsewhere", "e", "f0", 12, job.DialectNative)
	b.same("those of the group, the newest first", find(13), []upkeep.Successor{
		{Address: "http://new", Attempts: []int64{id}}, {Address: "http://old", Attempts: []int64{id}},
	})
	b.same("living ones", find(30), []upkeep.Successor{{Address: "http://new", Attempts: []int64{id}}})
	b.joins("demo", "http://moved", "f", "f0", 13, job.DialectNative)
	b.same("the one with its folder", find(14), []upkeep.Successor{{Address: "http://moved", Same: true, Attempts: []int64{id}}})
	here := upkeep.Successor{Address: "http://was", Attempts: []int64{id}, Here: true}
	b.joins("demo", "http://was", "g", "f3", 15, job.DialectNative)
	b.same("the process of before, which may be alive", find(16)[0], here)
	_, err := b.PutLease(b.ctx(), job.Executor{
		Group: "demo", Address: "http://was", LeaseUntil: b.at(47), RegisteredAt: b.at(22), SeenAt: b.at(22), Incarnation: "a", Instance: "f0",
		Holds: []int64{id, 7}, Whole: true,
	})
	b.kind(err, job.Conflict)
	here.ListedAt, here.Holds, here.Whole = b.at(22), []int64{id, 7}, true
	b.same("the process of before, which is alive", find(23)[0], here)
	b.same("when its lease would have ended", len(slices.DeleteFunc(find(47), func(s upkeep.Successor) bool { return !s.Here })), 0)
	b.joins("demo", "http://was", "h", "f3", 48, job.DialectNative)
	b.same("one that restarts", len(slices.DeleteFunc(find(49), func(s upkeep.Successor) bool { return !s.Here })), 0)
	for i := range 60 {
		b.joins("demo", "http://many"+strconv.Itoa(i), "x", "", 40, job.DialectNative)
	}
	b.same("at most", len(find(60)), 50)
}

// successorsOfFormer: another data folder has come to the address, while the one before was alive or
// later. Its folder is remembered for a quarter of an hour, also when it has restarted elsewhere.
func successorsOfFormer(b *bench) {
	j := b.create()
	for _, came := range []int{15, 60} {
		old, now, folder := "http://old"+strconv.Itoa(came), "http://now"+strconv.Itoa(came), "f"+strconv.Itoa(came)
		m := b.markOf(b.trigger(j, b.now), old)
		b.mark(m)
		find := func(seconds int) []upkeep.Successor {
			b.Helper()
			found, err := b.Successors(b.ctx(), old, []int64{m.Attempt.ID}, b.at(seconds))
			b.ok(err)
			return slices.DeleteFunc(found, func(s upkeep.Successor) bool { return s.Here })
		}
		b.joins("demo", old, "a", folder, 0, job.DialectNative)
		b.joins("demo", old, "b", "other"+folder, came, job.DialectNative)
		b.joins("demo", "http://third", "c", "third", came, job.DialectNative)
		b.joins("demo", now, "d", folder, came, job.DialectNative)
		moved := []upkeep.Successor{{Address: now, Same: true, Attempts: []int64{m.Attempt.ID}}}
		b.same("the one with the folder of before", find(came+1), moved)
		late := 800
		b.joins("demo", old, "e", "other"+folder, late, job.DialectNative) // it restarts
		b.joins("demo", "http://third", "c", "third", late, job.DialectNative)
		b.joins("demo", now, "d", folder, late, job.DialectNative)
		b.same("later", find(late+1), moved)
		late = 3000
		b.joins("demo", old, "e", "other"+folder, late, job.DialectNative)
		b.joins("demo", now, "d", folder, late, job.DialectNative)
		b.same("in the end", slices.ContainsFunc(find(late+1), func(s upkeep.Successor) bool { return s.Same }), false)
	}
}

func attemptsMove(b *bench) {
	j := b.create()
	send := func(address string) job.Attempt {
		m := b.markOf(b.trigger(j, b.now), address)
		b.same("mark", b.mark(m), []bool{true})
		return m.Attempt
	}
	sent, running, over, elsewhere := send(addressOne), send(addressOne), send(addressOne), send("http://3")
	b.accept(running)
	b.complete(over, job.Succeeded)
	elsewhere.Address = addressOne // as it was read before
	b.ok(b.MoveAttempts(b.ctx(), []job.Attempt{sent, running, over, elsewhere}, addressTwo))
	b.ok(b.MoveAttempts(b.ctx(), nil, addressTwo))
	running.State, running.AcceptedAt, running.Address = job.Running, b.at(1), addressTwo
	found, err := b.RunningOn(b.ctx(), addressTwo, b.at(9), 0, 9)
	b.ok(err)
	b.same("running there", found, []job.Attempt{running})
	sent.Address = addressTwo
	b.same("orphans", len(b.orphans(15, 9)), 3)
	b.beat("demo", addressTwo, 90)
	elsewhere.Address = "http://3"
	b.same("orphans when the new address lives", b.orphans(15, 9), []job.Attempt{elsewhere})
	b.complete(running, job.Succeeded)
	b.complete(sent, job.Failed)
	b.same("run", b.run(running.RunID).State, job.Succeeded)
}
