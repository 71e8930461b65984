package storetest

import (
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// deliveryTests are about how runs wait: their order, and for how long.
func deliveryTests() []test {
	return []test{
		{"groups share a claim", claimShares},
		{"a claim is bounded for each group", claimPerGroup},
		{"a claim takes high before normal before low", claimPriority},
		{"a run of high priority overtakes ten thousand", claimOvertakes},
		{"waiting runs go over to a new priority", claimNewPriority},
		{"a run has the addresses it was given", runAddresses},
		{"runs that no executor took in time are found", expireFound},
		{"a run that was taken does not expire", expireTaken},
		{"only waiting runs are skipped", expireWaiting},
		{"a fixed delay continues after a skipped run", expireAfter},
	}
}

// inGroup returns an edit that puts a job into a group.
func inGroup(group string) func(*job.Job) { return func(j *job.Job) { j.Group = group } }

func claimShares(b *bench) {
	flood, other, third := b.create(inGroup("flood")), b.create(inGroup("other")), b.create(inGroup("third"))
	for range 40 {
		b.trigger(flood, b.at(0))
	}
	late := b.trigger(other, b.at(4))
	for range 6 {
		b.trigger(third, b.at(3))
	}
	groups := []int64{flood.GroupID, other.GroupID, third.GroupID}
	count := func(runs []job.Run) (counts [3]int) {
		for _, r := range runs {
			for i, group := range groups {
				if r.GroupID == group {
					counts[i]++
				}
			}
		}
		return counts
	}
	// Nine places: three each, and what the second does not need is shared.
	first := b.claim(b.at(5), b.at(60), 9, groups...)
	b.same("first claim", count(first), [3]int{4, 1, 4})
	b.same("the last of them", first[8].ID, late.ID)
	// The third needs two only.
	b.same("second claim", count(b.claim(b.at(5), b.at(60), 12, groups...)), [3]int{10, 0, 2})
	b.same("third claim", count(b.claim(b.at(5), b.at(60), 100, groups...)), [3]int{26, 0, 0})

	// With fewer places than groups the first that are named get them.
	for _, j := range []job.Job{flood, other, third} {
		b.trigger(j, b.at(0))
	}
	b.same("two places", count(b.claim(b.at(5), b.at(60), 2, third.GroupID, other.GroupID, flood.GroupID)), [3]int{0, 1, 1})
}

func claimPerGroup(b *bench) {
	flood, other := b.create(inGroup("flood")), b.create(inGroup("other"))
	for range 10 {
		b.trigger(flood, b.at(0))
		b.trigger(other, b.at(0))
	}
	backlog := func(limit, want int) {
		b.Helper()
		n, err := b.CountReady(b.ctx(), flood.GroupID, b.at(1), limit)
		b.ok(err)
		b.same("unclaimed rows", n, want)
	}
	backlog(20, 10)
	backlog(4, 4)
	for _, want := range []int{6, 6, 6, 2, 0} {
		claimed, err := b.ClaimRuns(b.ctx(), dispatcher.Claim{
			Groups: []int64{flood.GroupID, other.GroupID}, Until: b.at(1), Lease: b.at(60), Limit: 50, PerGroup: 3,
		})
		b.ok(err)
		b.same("claimed", len(claimed.Runs), want)
		b.same("more may be there", claimed.More, want == 6)
	}
	backlog(20, 0)
}

func withPriority(p job.Priority) func(*job.Job) {
	return func(j *job.Job) { j.Delivery.Priority = p }
}

func claimPriority(b *bench) {
	low, normal, high := b.create(withPriority(job.PriorityLow)), b.create(), b.create(withPriority(job.PriorityHigh))
	named := b.create(withPriority(job.PriorityNormal))
	var want []int64
	for _, r := range []job.Run{b.trigger(low, b.at(0)), b.trigger(normal, b.at(2)), b.trigger(named, b.at(1)), b.trigger(high, b.at(4)), b.trigger(high, b.at(3))} {
		want = append([]int64{r.ID}, want...) // in reverse
	}
	// The planner gives a firing the priority of its job.
	planned := b.firing(high, b.now)
	planned.ReadyAt, planned.Priority = b.at(5), job.PriorityHigh
	b.same("took effect", b.plan(planner.Move{JobID: high.ID, Version: 1, From: b.now, Next: b.at(9), Runs: []job.Run{planned}}), true)
	got := b.claim(b.at(6), b.at(60), 2, low.GroupID)
	b.same("first claim", idsOf(got), want[:2])
	b.same("its priority", got[0].Priority, job.PriorityHigh)
	got = b.claim(b.at(6), b.at(60), 9, low.GroupID)
	b.same("second claim", idsOf(got), append([]int64{planned.ID}, want[2:]...))
	b.same("priorities", []job.Priority{got[0].Priority, got[1].Priority, got[3].Priority},
		[]job.Priority{job.PriorityHigh, "", job.PriorityLow})
}

func claimOvertakes(b *bench) {
	low, high := b.create(withPriority(job.PriorityLow)), b.create(withPriority(job.PriorityHigh))
	const many, batch = 10_000, 2500
	next := b.now
	for range many / batch {
		runs := make([]job.Run, batch)
		for i := range runs {
			runs[i] = b.firing(low, next.Add(time.Duration(i)*time.Millisecond))
			runs[i].ReadyAt = b.now
		}
		from := next
		next = next.Add(batch * time.Millisecond)
		b.same("took effect", b.plan(planner.Move{JobID: low.ID, Version: 1, From: from, Next: next, Runs: runs}), true)
	}
	urgent := b.trigger(high, b.at(100))
	b.same("claimed first", idsOf(b.claim(b.at(100), b.at(200), 1, low.GroupID)), []int64{urgent.ID})
	b.same("claimed then", len(b.claim(b.at(100), b.at(200), 500, low.GroupID)), 500)
}

func claimNewPriority(b *bench) {
	j, other := b.create(), b.create()
	first := b.trigger(other, b.at(0))
	waiting := b.trigger(j, b.at(1))
	j = b.save(j, func(j *job.Job) { j.Delivery.Priority = job.PriorityHigh })
	b.same("priority", b.run(waiting.ID).Priority, job.PriorityHigh)
	b.same("claimed", idsOf(b.claim(b.at(5), b.at(60), 9, j.GroupID)), []int64{waiting.ID, first.ID})
	j = b.save(j, func(j *job.Job) { j.Delivery.Priority = "" })
	b.same("priority", b.run(waiting.ID).Priority, job.Priority(""))
	b.same("delivery", b.job(j.Key).Delivery, job.Delivery{})
}

func runAddresses(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	r.Cause, r.CauseID, r.Addresses = job.CauseManual, r.ID, []string{"http://1", "http://2"}
	b.ok(b.AddRun(b.ctx(), r))
	b.same("addresses", b.run(r.ID).Addresses, r.Addresses)
	b.same("claimed with", b.claim(b.at(1), b.at(60), 9, j.GroupID)[0].Addresses, r.Addresses)
}

func expiringAfter(d time.Duration) func(*job.Job) {
	return func(j *job.Job) { j.Delivery.ExpireAfter = d }
}

// expiring returns the runs that are to be given up at an instant.
func (b *bench) expiring(now time.Time, limit int) []int64 {
	b.Helper()
	found, err := b.Expiring(b.ctx(), now, limit)
	b.ok(err)
	var ids []int64
	for _, e := range found {
		ids = append(ids, e.Run.ID)
	}
	return ids
}

func (b *bench) expire(runs ...job.Run) []bool {
	b.Helper()
	done, err := b.ExpireRuns(b.ctx(), runs)
	b.ok(err)
	return done
}

func expireFound(b *bench) {
	never, soon, later := b.create(), b.create(expiringAfter(10*time.Second)), b.create(expiringAfter(time.Hour))
	b.trigger(never, b.at(-9000))
	second, first := b.trigger(soon, b.at(5)), b.trigger(soon, b.at(3))
	last := b.trigger(later, b.at(0))
	b.same("end", b.run(first.ID).ExpireAt, b.at(13))
	b.same("end of one that never is", b.run(b.trigger(never, b.at(0)).ID).ExpireAt, time.Time{})
	b.same("too early", b.expiring(b.at(12), 9), []int64(nil))
	b.same("at the end of one", b.expiring(b.at(13), 9), []int64{first.ID})
	b.same("later", b.expiring(b.at(3600), 9), []int64{first.ID, second.ID, last.ID})
	b.same("a few", b.expiring(b.at(3600), 2), []int64{first.ID, second.ID})
	found, err := b.Expiring(b.ctx(), b.at(13), 1)
	b.ok(err)
	b.same("how long", found[0].After, 10*time.Second)

	// To wait again does not make it longer, nor does a claim hide it.
	b.requeue(first, 0)
	b.claim(b.at(5), b.at(600), 9, soon.GroupID)
	b.same("claimed and put back", b.expiring(b.at(15), 9), []int64{first.ID, second.ID})

	first.Reason, first.EndedAt = "expired", b.at(15)
	b.same("given up", b.expire(first), []bool{true})
	got := b.state(first.ID, job.Skipped)
	b.same("reason", got.Reason, "expired")
	b.same("ended", got.EndedAt, b.at(15))
	b.same("next look", got.ReadyAt, time.Time{})
	b.same("given up twice", b.expire(first), []bool{false})
	b.same("the others", b.expiring(b.at(15), 9), []int64{second.ID})
}

func expireTaken(b *bench) {
	j := b.create(expiringAfter(10 * time.Second))
	r := b.trigger(j, b.at(0))
	a := b.dispatch(r)
	b.same("while it is sent", b.expiring(b.at(99), 9), []int64(nil))
	b.requeue(r, a.ID)
	b.same("undelivered", b.expiring(b.at(99), 9), []int64{r.ID})
	b.retrying(b.run(r.ID), b.at(50))
	b.same("a retry", b.expiring(b.at(99), 9), []int64(nil))
	b.same("given up", b.expire(b.run(r.ID)), []bool{false})
	b.state(r.ID, job.WaitingRetry)
}

func expireWaiting(b *bench) {
	j := b.create(expiringAfter(10 * time.Second))
	sent, over, waits := b.trigger(j, b.at(0)), b.trigger(j, b.at(0)), b.trigger(j, b.at(0))
	b.dispatch(sent)
	_, err := b.CancelRun(b.ctx(), over.ID, "enough", b.at(1))
	b.ok(err)
	gone := waits
	gone.ID = 1 << 40
	b.same("given up", b.expire(sent, gone, over, waits), []bool{false, false, false, true})
	b.state(sent.ID, job.Dispatched)
	b.state(over.ID, job.Cancelled)
	b.state(waits.ID, job.Skipped)
	b.same("none", b.expire(), []bool(nil))
}

func expireAfter(b *bench) {
	j := b.create(func(j *job.Job) {
		j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: 30 * time.Second}
		j.Delivery.ExpireAfter = 10 * time.Second
	})
	r := b.firing(j, b.now)
	b.same("took effect", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now, Waits: true, Runs: []job.Run{r}}), true)
	b.same("while it waits", b.job(j.Key).NextAt, time.Time{})
	r = b.run(r.ID)
	r.EndedAt = b.at(11)
	b.same("given up", b.expire(r), []bool{true})
	b.same("goes on", b.job(j.Key).NextAt, b.at(41))
}
