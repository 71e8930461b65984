package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func broadcastTests() []test {
	return []test{
		{"a run is split once, in one transaction", broadcastSplit},
		{"the last shard's end is to be looked at", broadcastBarrier},
		{"shards that end at the same time are counted each once", broadcastRace},
		{"a claim hides until its lease, and the end of the run is the end of it", broadcastClaimed},
		{"what happens after a claim is not put off", broadcastPutOff},
		{"a cancelled broadcast cancels its shards that wait", broadcastCancelled},
		{"shards that end unsent count", broadcastUnsent},
		{"a run over its deadline leaves shards to be stopped", broadcastOverdue},
		{"shards are counted nowhere else, and hidden from lists", broadcastCounts},
		{"shards done again", broadcastAgain},
		{"shards done again keep to the overlap of the job", broadcastAgainBusy},
		{"a broadcast is removed with its run", broadcastRemoved},
		{"no executor has the attempt of a broadcast", broadcastUnheld},
	}
}

// divided returns the mark that splits the run.
func (b *bench) divided(r job.Run, shards int) dispatcher.Mark {
	b.Helper()
	m := b.markOf(r, "")
	m.Reason = fmt.Sprintf("split into %d", shards)
	for i := range shards {
		m.Shards = append(m.Shards, job.Run{
			ID: b.runID(), JobID: r.JobID, JobVersion: r.JobVersion, GroupID: r.GroupID, PlannedAt: r.PlannedAt,
			Cause: job.CauseShard, CauseID: r.ID, Shard: job.Shard{Index: i, Total: shards}, Home: fmt.Sprintf("http://%d", i),
			State: job.Queued, Reason: "shard", ReadyAt: b.now, DueAt: b.now, Param: r.Param, CreatedAt: b.now,
		})
	}
	return m
}

// split writes a run of the job that is split, and returns it with its shards.
func (b *bench) split(j job.Job, shards int) (job.Run, []job.ShardRun) {
	b.Helper()
	r := b.trigger(j, b.now)
	b.same("mark", b.mark(b.divided(r, shards)), []bool{true})
	return b.run(r.ID), b.shards(r.ID)
}

func (b *bench) shards(run int64) []job.ShardRun {
	b.Helper()
	shards, err := b.Shards(b.ctx(), run)
	b.ok(err)
	return shards
}

func (b *bench) broadcast(run int64) job.Broadcast {
	b.Helper()
	split, err := b.Broadcast(b.ctx(), run)
	b.ok(err)
	return split
}

// part sends a shard, and its attempt ends.
func (b *bench) part(r job.Run, outcome job.State) {
	b.Helper()
	m := b.markOf(r, executorAddress)
	m.Part = true
	b.same("mark", b.mark(m), []bool{true})
	b.endPart(m.Attempt, r.CauseID, outcome)
}

func (b *bench) endPart(a job.Attempt, parent int64, outcome job.State) {
	b.Helper()
	c := b.completion(a, outcome)
	c.Cause, c.ShardOf, c.JobID = job.CauseShard, parent, a.JobID
	b.same("completion", b.commit(c), []bool{true})
}

// endSplit ends a run that was split.
func (b *bench) endSplit(r job.Run, outcome job.State) {
	b.Helper()
	c := b.completion(job.Attempt{ID: r.AttemptID, RunID: r.ID, JobID: r.JobID}, outcome)
	c.Split = true
	b.same("completion", b.commit(c), []bool{true})
}

func (b *bench) barriers(now, lease int) []broadcast.Work {
	b.Helper()
	works, err := b.ClaimBroadcasts(b.ctx(), b.at(now), b.at(lease), 9)
	b.ok(err)
	return works
}

func broadcastSplit(b *bench) {
	j := b.create(func(j *job.Job) { j.Route, j.Shards = job.RouteBroadcast, 3 })
	b.same("job", b.job(j.Key), j)
	r := b.trigger(j, b.now)
	m, twice := b.divided(r, 3), b.divided(r, 2)
	stale := b.divided(r, 2)
	stale.JobVersion++
	b.same("marks", b.mark(stale, m, twice), []bool{false, true, false})
	got := b.run(r.ID)
	b.same("run", []any{got.State, got.Reason, got.Tries, got.AttemptID}, []any{job.Running, m.Reason, 1, m.Attempt.ID})
	attempts := b.attempts(r.ID)
	b.same("attempts", []any{len(attempts), attempts[0].State, attempts[0].Address}, []any{1, job.Running, ""})
	b.reopen()
	shards := b.shards(r.ID)
	b.same("shards", len(shards), 3)
	for i, s := range shards {
		want := m.Shards[i]
		want.JobKey = j.Key
		b.same("shard", s, job.ShardRun{Run: want})
	}
	b.same("broadcast", b.broadcast(r.ID), job.Broadcast{
		RunID: r.ID, JobID: j.ID, AttemptID: m.Attempt.ID, Total: 3, Shards: 3, Open: 3,
	})
	claimed := b.claim(b.now, b.at(30), 9, j.GroupID)
	b.same("claimed", len(claimed), 3)
	b.same("home", claimed[1].Home, "http://1")
	b.same("nothing to do", len(b.barriers(99, 999)), 0)
	_, err := b.Broadcast(b.ctx(), claimed[0].ID)
	b.kind(err, job.NotFound)
	b.same("shards of none", len(b.shards(claimed[0].ID)), 0)

	same := b.divided(b.trigger(j, b.now), 2)
	same.Shards[1].Shard.Index = 0
	_, err = b.MarkDispatched(b.ctx(), []dispatcher.Mark{same})
	b.kind(err, job.Conflict)
	b.state(same.Attempt.RunID, job.Planned) // nothing of it was written
	_, err = b.Broadcast(b.ctx(), same.Attempt.RunID)
	b.kind(err, job.NotFound)
}

func broadcastBarrier(b *bench) {
	j := b.create()
	r, shards := b.split(j, 3)
	b.part(shards[1].Run, job.Succeeded)
	m := b.markOf(shards[0].Run, executorAddress)
	b.same("mark", b.mark(m), []bool{true})
	again := b.completion(m.Attempt, job.Failed)
	again.ShardOf, again.RunState, again.RetryAt, again.Avoid = r.ID, job.WaitingRetry, b.at(9), executorAddress
	b.same("retry", b.commit(again), []bool{true})
	b.same("open", b.broadcast(r.ID).Open, 2) // one that is tried again is not over
	b.part(b.run(shards[0].ID), job.TimedOut)
	b.same("nothing to do", len(b.barriers(99, 999)), 0)
	b.part(shards[2].Run, job.Succeeded)
	split := b.broadcast(r.ID)
	b.same("counts", []int{split.Open, split.Failed}, []int{0, 1})
	b.reopen()
	works := b.barriers(99, 999)
	b.same("to be looked at", len(works), 1)
	b.same("work", works[0], broadcast.Work{Broadcast: split, Run: b.run(r.ID), Lease: b.at(999)})
	b.same("address", b.shards(r.ID)[0].Address, executorAddress)
}

func broadcastRace(b *bench) {
	const n = 60
	j := b.create()
	r, shards := b.split(j, n)
	attempts := make([]job.Attempt, n)
	for i := range shards {
		m := b.markOf(shards[i].Run, executorAddress)
		b.same("mark", b.mark(m), []bool{true})
		attempts[i] = m.Attempt
	}
	var all sync.WaitGroup
	for i, a := range attempts {
		outcome := job.Succeeded
		if i%3 == 0 {
			outcome = job.Lost
		}
		for range 2 { // each end comes twice
			all.Go(func() {
				c := b.completion(a, outcome)
				c.ShardOf = r.ID
				if _, err := b.CommitCompletions(b.ctx(), []completer.Completion{c}); err != nil {
					b.Errorf("unexpected error: %v", err)
				}
			})
		}
	}
	all.Wait()
	split := b.broadcast(r.ID)
	b.same("counts", []int{split.Open, split.Failed}, []int{0, n / 3})
	b.same("to be looked at", len(b.barriers(99, 999)), 1)
}

func broadcastClaimed(b *bench) {
	j := b.create()
	r, shards := b.split(j, 1)
	b.part(shards[0].Run, job.Succeeded)
	b.same("before its time", len(b.barriers(-9, 30)), 0)
	b.same("claimed", len(b.barriers(20, 50)), 1)
	b.same("within the lease", len(b.barriers(49, 99)), 0)
	works := b.barriers(50, 99)
	b.same("after the lease", len(works), 1) // the server that had it died
	b.endSplit(works[0].Run, job.Succeeded)
	b.state(r.ID, job.Succeeded)
	b.same("after the end", len(b.barriers(9999, 99999)), 0)
}

func broadcastPutOff(b *bench) {
	j := b.create()
	r, _ := b.split(j, 2)
	_, err := b.CancelBroadcast(b.ctx(), r.ID, "enough", b.now)
	b.ok(err)
	first := b.barriers(0, 30)
	b.same("claimed", len(first), 1)
	b.ok(b.PutOff(b.ctx(), first[0], b.at(10)))
	b.same("before", len(b.barriers(9, 30)), 0)
	second := b.barriers(10, 40)
	b.same("after", len(second), 1)
	b.ok(b.PutOff(b.ctx(), first[0], time.Time{})) // a claim that is over
	b.same("still there", len(b.barriers(40, 50)), 1)

	r, shards := b.split(j, 1)
	b.part(shards[0].Run, job.Succeeded)
	works := b.barriers(30, 35)
	b.same("claimed", len(works), 1)
	b.ok(b.PutOff(b.ctx(), works[0], time.Time{}))
	for _, w := range b.barriers(999, 9999) {
		if w.Run.ID == r.ID {
			b.Fatal("a broadcast that nothing happened to came back")
		}
	}
}

func broadcastCancelled(b *bench) {
	j := b.create()
	r, shards := b.split(j, 4)
	b.part(shards[0].Run, job.Succeeded)
	m := b.markOf(shards[1].Run, executorAddress)
	b.same("mark", b.mark(m), []bool{true})
	stranger, others := b.split(j, 1)
	split, err := b.CancelBroadcast(b.ctx(), r.ID, "wrong day", b.at(5))
	b.ok(err)
	b.same("counts", []any{split.Open, split.Failed, split.Cancel}, []any{1, 2, "wrong day"})
	for _, s := range shards[2:] {
		over := b.state(s.ID, job.Cancelled)
		b.same("reason and end", []any{over.Reason, over.EndedAt}, []any{"wrong day", b.at(5)})
	}
	b.state(shards[1].ID, job.Dispatched)
	b.state(others[0].ID, job.Queued)
	b.same("reason", b.state(r.ID, job.Running).Reason, "wrong day")
	works := b.barriers(5, 30)
	b.same("to be looked at", []any{len(works), works[0].Run.ID}, []any{1, r.ID})
	again, err := b.CancelBroadcast(b.ctx(), r.ID, "another", b.at(6))
	b.ok(err)
	b.same("a second time", again, split)
	b.endPart(m.Attempt, r.ID, job.Cancelled)
	b.same("counts", b.broadcast(r.ID).Failed, 3)
	_, err = b.CancelBroadcast(b.ctx(), others[0].ID, "x", b.now)
	b.kind(err, job.NotFound)
	b.state(stranger.ID, job.Running)
}

func broadcastUnsent(b *bench) {
	j := b.create(func(j *job.Job) { j.Delivery.ExpireAfter = time.Minute })
	r, shards := b.split(j, 4)
	_, err := b.CancelRun(b.ctx(), shards[0].ID, "by hand", b.at(1))
	b.ok(err)
	_, err = b.CancelRun(b.ctx(), shards[0].ID, "twice", b.at(1))
	b.ok(err)
	late := shards[1].Run
	late.EndedAt, late.Reason = b.at(2), "expired"
	b.same("expired", b.expire(late), []bool{true})
	split := b.broadcast(r.ID)
	b.same("counts", []int{split.Open, split.Failed}, []int{2, 2})
	other, more := b.split(j, 2)
	b.part(more[0].Run, job.Succeeded)
	b.ok(b.DeleteJob(b.ctx(), b.job(j.Key), "the job was deleted"))
	for _, run := range []int64{r.ID, other.ID} {
		b.same("open", b.broadcast(run).Open, 0)
		b.state(run, job.Running) // until its end is recorded
	}
	b.state(shards[3].ID, job.Cancelled)
	works, err := b.ClaimBroadcasts(b.ctx(), time.Now().Add(time.Minute), time.Now().Add(time.Hour), 9)
	b.ok(err)
	b.same("to be looked at", len(works), 2)
}

func broadcastOverdue(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	m := b.divided(r, 2)
	m.Deadline = time.Minute
	b.same("mark", b.mark(m), []bool{true})
	late, _, err := b.Overdue(b.ctx(), b.at(60), 9)
	b.ok(err)
	b.same("overdue", []any{len(late), late[0].Attempt.Broadcast(), late[0].Waiting}, []any{1, true, false})
	b.endSplit(b.run(r.ID), job.Lost)
	works := b.barriers(99, 999)
	b.same("to be looked at", []any{len(works), works[0].Broadcast.Open, works[0].Run.State}, []any{1, 2, job.Lost})
	for _, s := range b.shards(r.ID) {
		b.part(s.Run, job.Succeeded)
	}
	b.same("once more", len(b.barriers(99, 999)), 1)
}

func broadcastCounts(b *bench) {
	j := b.create(func(j *job.Job) { j.Schedule.Every = time.Minute })
	r, shards := b.split(j, 3)
	b.part(shards[0].Run, job.Succeeded)
	b.part(shards[1].Run, job.Failed)
	_, err := b.CancelRun(b.ctx(), shards[2].ID, "by hand", b.at(6))
	b.ok(err)
	b.same("counted", len(b.statsOf(j)), 0)
	for _, f := range []jobrows.RunFilter{{}, {JobID: j.ID}} {
		runs, err := b.Runs(b.ctx(), f)
		b.ok(err)
		b.same("runs", idsOf(runs), []int64{r.ID})
		f.Shards = true
		runs, err = b.Runs(b.ctx(), f)
		b.ok(err)
		b.same("with shards", len(runs), 4)
	}
	planned, err := b.RunsOfSlot(b.ctx(), j.ID, b.now, 9)
	b.ok(err)
	b.same("runs of the slot", idsOf(planned), []int64{r.ID})
	done, err := b.Succeeded(b.ctx(), j.ID, []time.Time{b.now})
	b.ok(err)
	b.same("the slot has succeeded", len(done), 0)
	surplus, err := b.Surplus(b.ctx(), j.ID, 0)
	b.ok(err)
	b.same("surplus", surplus, int64(0)) // the run itself is not over
	b.endSplit(r, job.Failed)
	surplus, err = b.Surplus(b.ctx(), j.ID, 0)
	b.ok(err)
	b.same("surplus", surplus, r.ID)
}

func broadcastAgain(b *bench) {
	j := b.create()
	saved := b.save(j, func(j *job.Job) { j.Title, j.Delivery.ExpireAfter = changed, time.Hour })
	was := b.trigger(j, b.now)
	id := b.runID()
	r := job.Run{
		ID: id, JobID: j.ID, PlannedAt: was.PlannedAt, Cause: job.CauseRetry, CauseID: was.ID, State: job.Queued, Reason: "again",
		ReadyAt: b.at(2), DueAt: b.at(2), CreatedAt: b.at(2),
	}
	shards := make([]job.Run, 2)
	for i := range shards {
		shards[i] = r
		shards[i].ID, shards[i].Cause, shards[i].CauseID = b.runID(), job.CauseShard, id
		shards[i].Shard = job.Shard{Index: 3 * i, Total: 8}
	}
	b.ok(b.AddBroadcast(b.ctx(), r, shards, time.Minute))
	b.same("run", []any{b.run(id).State, b.run(id).Reason, b.run(id).JobVersion}, []any{job.Running, "again", saved.Version})
	split := b.broadcast(id)
	b.same("broadcast", []int{split.Total, split.Shards, split.Open}, []int{8, 2, 2})
	second := b.shards(id)[1]
	b.same("shard", []any{second.Shard.Index, second.JobVersion, second.GroupID, second.ExpireAt},
		[]any{3, saved.Version, saved.GroupID, b.at(2 + 3600)})
	b.same("ready", len(b.claim(b.at(2), b.at(30), 9, j.GroupID)), 3)
	late, _, err := b.Overdue(b.ctx(), b.at(62), 9)
	b.ok(err)
	b.same("overdue", len(late), 1)

	r.ID = b.runID()
	b.kind(b.AddBroadcast(b.ctx(), r, shards, 0), job.Conflict)
	r.JobID = 777
	b.kind(b.AddBroadcast(b.ctx(), r, shards, 0), job.NotFound)
}

// again returns a run that does two shards of another again, and those.
func (b *bench) again(was job.Run) (job.Run, []job.Run) {
	b.Helper()
	r := job.Run{
		ID: b.runID(), JobID: was.JobID, PlannedAt: was.PlannedAt, Cause: job.CauseRetry, CauseID: was.ID, State: job.Queued,
		ReadyAt: b.at(2), DueAt: b.at(2), CreatedAt: b.at(2),
	}
	shards := make([]job.Run, 2)
	for i := range shards {
		shards[i] = r
		shards[i].ID, shards[i].Cause, shards[i].CauseID, shards[i].Shard = b.runID(), job.CauseShard, r.ID, job.Shard{Index: i, Total: 2}
	}
	return r, shards
}

func broadcastAgainBusy(b *bench) {
	for _, c := range []struct {
		rule        job.Overlap
		concurrency int
		room        int // for runs in addition to the one that is done again
	}{{job.OverlapSerial, 0, 1}, {job.OverlapDiscard, 0, 1}, {job.OverlapCover, 0, 1}, {job.OverlapConcurrent, 2, 2}} {
		j := b.create(overlapping(c.rule, c.concurrency))
		was, _ := b.split(j, 2)
		b.endSplit(was, job.Failed)
		var open []job.Attempt
		for range c.room {
			open = append(open, b.sends(&j, b.trigger(j, b.now).ID))
		}
		r, shards := b.again(was)
		refused := func() {
			b.Helper()
			err := b.AddBroadcast(b.ctx(), r, shards, 0)
			if b.kind(err, job.Conflict); !errors.Is(err, job.ErrBusy) || !strings.Contains(err.Error(), fmt.Sprintf("run %d ", open[0].RunID)) {
				b.Errorf("%s: %v", c.rule, err)
			}
			b.same("shards of a run that was refused", len(b.shards(r.ID)), 0)
		}
		refused()
		b.ends(open[0], job.Succeeded)
		if c.rule == job.OverlapSerial { // a waiting run comes first, while it waits
			first, second := b.trigger(j, b.now), b.trigger(j, b.now)
			open[0] = b.sends(&j, first.ID)
			b.blocks(&j, second.ID, job.BusyReason(c.rule, 1, first.ID))
			b.ends(open[0], job.Succeeded)
			open[0].RunID = second.ID
			refused()
			b.ends(b.sends(&j, second.ID), job.Succeeded)
		}
		b.ok(b.AddBroadcast(b.ctx(), r, shards, 0))
		b.same("it runs", b.run(r.ID).State, job.Running)
		later := b.firing(j, b.now)
		later.CreatedAt = b.at(3)
		b.ok(b.AddRun(b.ctx(), later))
		met, _ := b.meet(&j, b.run(later.ID))
		fates := map[job.Overlap]dispatcher.Fate{job.OverlapDiscard: dispatcher.FateSkipped}
		want, set := fates[c.rule]
		if !set {
			want = dispatcher.FateBlocked
		}
		b.same("one that comes later, "+string(c.rule), met.Fate, want)
		twice, more := b.again(was)
		err := b.AddBroadcast(b.ctx(), twice, more, 0)
		if b.kind(err, job.Conflict); errors.Is(err, job.ErrBusy) {
			b.Errorf("a second time: %v", err)
		}
	}
	j := b.create(func(j *job.Job) { j.OverlapScope = job.ScopeExecutor })
	was, _ := b.split(j, 2)
	b.endSplit(was, job.Failed)
	b.dispatch(b.trigger(j, b.now))
	r, shards := b.again(was)
	b.ok(b.AddBroadcast(b.ctx(), r, shards, 0))
}

func broadcastRemoved(b *bench) {
	j := b.create()
	r, shards := b.split(j, 2)
	b.part(shards[0].Run, job.Succeeded)
	b.same("removed while it is open", b.remove(r.ID, shards[0].ID), 0)
	b.part(shards[1].Run, job.Succeeded)
	b.endSplit(r, job.Succeeded)
	b.same("removed", b.remove(shards[0].ID, r.ID, shards[1].ID), 3)
	b.missing(r.ID)
	_, err := b.Broadcast(b.ctx(), r.ID)
	b.kind(err, job.NotFound)
}

func broadcastUnheld(b *bench) {
	j := b.create()
	b.split(j, 2)
	orphans, err := b.Orphans(b.ctx(), b.at(9999), 99)
	b.ok(err)
	b.same("orphans", len(orphans), 0)
	open, err := b.Unanswered(b.ctx(), b.at(9999), 99)
	b.ok(err)
	b.same("unanswered", len(open), 0)
	address, err := b.NextNameless(b.ctx(), "", b.now)
	b.ok(err)
	b.same("addresses", address, "")
	b.ok(b.ReleaseClaims(b.ctx()))
	open, err = b.Unanswered(b.ctx(), b.at(9999), 99)
	b.ok(err)
	b.same("unanswered after a restart", len(open), 0)
}
