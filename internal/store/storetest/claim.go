package storetest

import (
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

func claimTests() []test {
	return []test{
		{"the earliest come first, of the groups asked for", claimOrder},
		{"a claim hides until the lease", claimHides},
		{"a claim is renewed by its holder", claimRenewed},
		{"a planned firing is claimed at its due time", claimDue},
		{"many claimers get each run once", claimOnce},
		{"released claims are visible from their due time", claimReleased},
	}
}

func claimOrder(b *bench) {
	one := b.create()
	two := b.create(func(j *job.Job) { j.Group = "second" })
	away := b.create(func(j *job.Job) { j.Group = "away" })
	late, early, middle := b.trigger(one, b.at(3)), b.trigger(one, b.at(1)), b.trigger(two, b.at(2))
	b.trigger(away, b.at(0))
	b.trigger(two, b.at(9))
	b.same("claim of no group", len(b.claim(b.at(5), b.at(9), 9)), 0)
	b.same("claim of none", len(b.claim(b.at(5), b.at(9), 0, one.GroupID)), 0)
	b.same("first claim", idsOf(b.claim(b.at(5), b.at(60), 2, two.GroupID, one.GroupID)), []int64{early.ID, middle.ID})
	b.same("second claim", idsOf(b.claim(b.at(5), b.at(60), 2, two.GroupID, one.GroupID)), []int64{late.ID})
	b.same("third claim", len(b.claim(b.at(5), b.at(60), 2, two.GroupID, one.GroupID)), 0)
}

func claimHides(b *bench) {
	j := b.create()
	r := b.trigger(j, b.at(1))
	b.same("claim before it is ready", len(b.claim(b.at(0), b.at(20), 9, j.GroupID)), 0)
	got := b.claim(b.at(2), b.at(20), 9, j.GroupID)
	want := r
	want.JobKey = ""
	b.same("claimed", got, []job.Run{want})
	b.same("claim within the lease", len(b.claim(b.at(19), b.at(40), 9, j.GroupID)), 0)
	got = b.claim(b.at(20), b.at(40), 9, j.GroupID)
	b.same("claim after the lease", got, []job.Run{want})

	b.dispatch(got[0])
	b.same("claim of a sent run", len(b.claim(b.at(99), b.at(199), 9, j.GroupID)), 0)
}

func claimRenewed(b *bench) {
	j := b.create()
	b.trigger(j, b.at(1))
	b.trigger(j, b.at(2))
	claimed, err := b.ClaimRuns(b.ctx(), dispatcher.Claim{Groups: []int64{j.GroupID}, Until: b.at(2), Lease: b.at(20), Limit: 9})
	b.ok(err)
	b.same("end of the claim", claimed.Lease, b.at(20))
	renew := func(until time.Time, change ...func(*dispatcher.Renewal)) []bool {
		b.Helper()
		renewals := make([]dispatcher.Renewal, len(claimed.Runs))
		for i, r := range claimed.Runs {
			renewals[i] = dispatcher.Renewal{Run: r, From: claimed.Lease, Until: until}
		}
		for _, change := range change {
			change(&renewals[0])
		}
		done, err := b.RenewClaims(b.ctx(), renewals)
		b.ok(err)
		return done
	}
	no, err := b.RenewClaims(b.ctx(), nil)
	b.ok(err)
	b.same("renewal of none", len(no), 0)
	b.same("another claim, and the first one", renew(b.at(40), func(n *dispatcher.Renewal) { n.From = b.at(19) }), []bool{false, true})
	claimed.Lease = b.at(20)
	b.same("the first one, and what has been renewed", renew(b.at(40)), []bool{true, false})
	claimed.Lease = b.at(40)
	b.same("claim within the new lease", len(b.claim(b.at(39), b.at(60), 9, j.GroupID)), 0)
	b.same("another version", renew(b.at(50), func(n *dispatcher.Renewal) { n.Run.JobVersion++ }), []bool{false, true})
	claimed.Runs = claimed.Runs[:1]
	b.same("given back", renew(claimed.Runs[0].ReadyAt), []bool{true})
	got := b.claim(b.at(2), b.at(60), 9, j.GroupID)
	b.same("claim of what was given back", idsOf(got), idsOf(claimed.Runs))
	claimed.Lease = b.at(60)
	why := func(n *dispatcher.Renewal) { n.Reason = "many wait" }
	b.same("given back with a reason", renew(claimed.Runs[0].ReadyAt, why), []bool{true})
	want := b.run(claimed.Runs[0].ID)
	b.same("what was given back", []any{want.State, want.Reason, want.ReadyAt, want.DueAt}, []any{job.Queued, "many wait", b.at(1), b.at(1)})
	b.same("given back by a server that has lost it", renew(claimed.Runs[0].ReadyAt, why), []bool{false})
	got = b.claim(b.at(2), b.at(60), 9, j.GroupID)
	b.same("claim of what was given back so", idsOf(got), idsOf(claimed.Runs))
	b.dispatch(got[0])
	claimed.Lease = b.at(60)
	b.same("a run that was sent", renew(b.at(80)), []bool{false})
}

func claimDue(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	r.ReadyAt = b.at(15)
	b.same("took effect", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{r}}), true)
	b.same("claim while the planner's server has it", len(b.claim(b.at(14), b.at(60), 9, j.GroupID)), 0)
	got := b.claim(b.at(15), b.at(60), 9, j.GroupID)
	r.ReadyAt = b.now // when it is due
	b.same("claimed", got, []job.Run{r})
}

func claimOnce(b *bench) {
	j := b.create()
	want := make([]int64, 60)
	for i := range want {
		want[i] = b.trigger(j, b.at(0)).ID
	}
	var mu sync.Mutex
	var got []int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 40 {
				claimed, err := b.ClaimRuns(b.ctx(), dispatcher.Claim{
					Groups: []int64{j.GroupID}, Until: b.at(1), Lease: b.at(60), Limit: 7,
				})
				if err != nil {
					b.Errorf("unexpected error: %v", err)
				}
				mu.Lock()
				got = append(got, idsOf(claimed.Runs)...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(got)
	b.same("claimed by all", got, want)
}

func claimReleased(b *bench) {
	j := b.create()
	planned := b.firing(j, b.at(1))
	planned.ReadyAt = b.at(16)
	b.same("took effect", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now, Next: b.at(2), Runs: []job.Run{planned}}), true)
	ready := b.trigger(j, b.at(2))
	later := b.trigger(j, b.at(50))
	again := b.retrying(b.trigger(j, b.at(-9)), b.at(3))
	sent := b.trigger(j, b.at(0))
	b.dispatch(sent)
	b.same("claimed", idsOf(b.claim(b.at(3), b.at(600), 9, j.GroupID)), []int64{ready.ID, again.ID})

	b.reopen()
	b.same("claim before the release", len(b.claim(b.at(10), b.at(700), 9, j.GroupID)), 0)
	b.same("unanswered before the release", len(b.unanswered(0, 9)), 0)
	b.ok(b.ReleaseClaims(b.ctx()))
	b.state(sent.ID, job.Dispatched)
	b.same("unanswered after the release", b.unanswered(0, 9), []int64{sent.ID})
	b.same("claim before the first is due", len(b.claim(b.at(0), b.at(700), 9, j.GroupID)), 0)
	got := b.claim(b.at(10), b.at(700), 9, j.GroupID)
	b.same("claim after the release", idsOf(got), []int64{planned.ID, ready.ID, again.ID})
	b.same("due time of a retry", got[2].ReadyAt, b.at(3))
	b.same("a run of later", idsOf(b.claim(b.at(50), b.at(700), 9, j.GroupID)), []int64{later.ID})
}
