package storetest

import (
	"slices"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

func retentionTests() []test {
	return []test{
		{"each job has its own retention", retentionOfJobs},
		{"the history of a job in order of id", historyInOrder},
		{"what stands behind the newest runs that are over", surplusFound},
		{"runs go with all that belongs to them", runsRemoved},
		{"runs that are not over stay", openRunsStay},
		{"of many runs those that are over go", overOfMany},
		{"runs of a backfill stay while it runs", backfillRunsStay},
		{"the run of a workflow's node stays until the workflow knows its end", nodeRunsStay},
		{"a slot that was removed does not come back", slotStaysAway},
		{"an outcome for a removed attempt changes nothing", removedAttemptIsUnknown},
		{"old backfills are removed", oldBackfillsRemoved},
	}
}

func (b *bench) remove(runs ...int64) int {
	b.Helper()
	n, err := b.RemoveRuns(b.ctx(), runs)
	b.ok(err)
	return n
}

// missing checks that the runs are removed.
func (b *bench) missing(runs ...int64) {
	b.Helper()
	for _, id := range runs {
		_, err := b.RunByID(b.ctx(), id)
		b.kind(err, job.NotFound)
		b.same("attempts", len(b.attempts(id)), 0)
	}
}

// over returns a run of the job that has ended.
func (b *bench) over(j job.Job, outcome job.State) job.Run {
	b.Helper()
	a := b.dispatch(b.trigger(j, b.now))
	b.complete(a, outcome)
	return b.run(a.RunID)
}

func retentionOfJobs(b *bench) {
	var want []upkeep.Retention
	for i := range 5 {
		j := b.create(func(j *job.Job) {
			j.Delivery = job.Delivery{KeepFor: time.Duration(i) * time.Hour, KeepRuns: i * 10}
		})
		want = append(want, upkeep.Retention{JobID: j.ID, KeepFor: time.Duration(i) * time.Hour, KeepRuns: i * 10})
		if i == 2 {
			b.ok(b.DeleteJob(b.ctx(), j, ""))
		}
	}
	read := func(after int64, limit int) []upkeep.Retention {
		found, err := b.Retentions(b.ctx(), after, limit)
		b.ok(err)
		return found
	}
	b.same("all", read(0, 9), want)
	b.same("a page", read(want[0].JobID, 3), want[1:4])
	b.same("none", len(read(want[4].JobID, 9))+len(read(0, 0)), 0)
}

func historyInOrder(b *bench) {
	j, other := b.create(), b.create()
	waiting := b.trigger(j, b.now)
	b.trigger(other, b.now)
	done := b.over(j, job.Failed)
	skipped := b.firing(j, b.at(1))
	skipped.State, skipped.Reason, skipped.EndedAt = job.Skipped, "missed", b.at(2)
	b.ok(b.AddRun(b.ctx(), skipped))
	sent := b.run(b.dispatch(b.trigger(j, b.now)).RunID)
	want := []upkeep.Past{
		{ID: waiting.ID, CreatedAt: b.now},
		{ID: done.ID, CreatedAt: b.now, EndedAt: b.at(6)},
		{ID: skipped.ID, CreatedAt: b.now, EndedAt: b.at(2)},
		{ID: sent.ID, CreatedAt: b.now},
	}
	read := func(after int64, limit int) []upkeep.Past {
		found, err := b.History(b.ctx(), j.ID, after, limit)
		b.ok(err)
		return found
	}
	b.same("all", read(0, 9), want)
	b.same("a page", read(waiting.ID, 2), want[1:3])
	b.same("none", len(read(sent.ID, 9))+len(read(0, 0)), 0)
}

func surplusFound(b *bench) {
	j, other := b.create(), b.create()
	first := b.over(j, job.Succeeded)
	b.trigger(j, b.now)
	second := b.over(j, job.Cancelled)
	b.over(other, job.Succeeded)
	b.over(j, job.Lost)
	b.dispatch(b.trigger(j, b.now))
	for keep, want := range []int64{0: 0, 1: second.ID, 2: first.ID, 3: 0, 4: 0} {
		if keep == 0 {
			continue
		}
		got, err := b.Surplus(b.ctx(), j.ID, keep)
		b.ok(err)
		b.same("surplus", got, want)
	}
}

func runsRemoved(b *bench) {
	j, gone := b.create(), b.create()
	kept := b.over(j, job.Succeeded)
	retried := b.retrying(b.trigger(j, b.now), b.at(10))
	last := b.dispatch(retried)
	b.complete(last, job.Lost)
	b.ok(b.KeepEvidence(b.ctx(), []job.Evidence{b.against(last, job.Succeeded, "late")}))
	skipped := b.firing(j, b.at(1))
	skipped.State, skipped.EndedAt = job.Skipped, b.at(2)
	b.ok(b.AddRun(b.ctx(), skipped))
	orphan := b.over(gone, job.Failed)
	b.ok(b.DeleteJob(b.ctx(), gone, ""))

	b.same("removed", b.remove(retried.ID, 777_777, skipped.ID, orphan.ID, retried.ID), 3)
	b.missing(retried.ID, skipped.ID, orphan.ID)
	b.same("the run that is kept", b.run(kept.ID), kept)
	b.same("its attempts", len(b.attempts(kept.ID)), 1)
	b.same("runs of the job", idsOf(b.runs(j)), []int64{kept.ID})
	b.same("removed again", b.remove(retried.ID, skipped.ID)+b.remove(), 0)
	b.reopen()
	b.missing(retried.ID)
	if next := b.runID(); next <= skipped.ID {
		b.Errorf("the id %d was given again", next)
	}
}

func openRunsStay(b *bench) {
	j := b.create()
	planned, waiting := b.trigger(j, b.now), b.retrying(b.trigger(j, b.now), b.at(10))
	sent, running := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.accept(running)
	open := []int64{planned.ID, waiting.ID, sent.RunID, running.RunID}
	b.same("removed", b.remove(open...), 0)
	for _, id := range open {
		b.run(id)
	}
	b.same("attempts", []int{len(b.attempts(waiting.ID)), len(b.attempts(sent.RunID)), len(b.attempts(running.RunID))}, []int{1, 1, 1})
}

// Some stores remove all of a list at once, and check each row when that was too much.
func overOfMany(b *bench) {
	j := b.create()
	var first, second, open []int64
	for range 6 {
		first = append(first, b.over(j, job.Succeeded).ID)
		second = append(second, b.over(j, job.Failed).ID)
		open = append(open, b.trigger(j, b.now).ID)
	}
	b.same("all of them are over", b.remove(first[:4]...), 4)
	b.same("some of them are over", b.remove(slices.Concat(open, first, second[:3])...), 5)
	b.same("once more", b.remove(slices.Concat(second, open)...), 3)
	b.missing(slices.Concat(first, second)...)
	for _, id := range open {
		b.run(id)
	}
}

// A workflow reads the end of a node's run at its next step, however late that is: a run
// that is removed by then would have been lost.
func nodeRunsStay(b *bench) {
	j := b.create()
	b.flowRun("nightly", j)
	step := b.started(b.flowWork(0, 30, 9)[0], j)
	b.same("step", b.flowStep(step), true)
	runs := idsOf(step.Runs)
	for _, id := range runs {
		b.complete(b.dispatch(b.run(id)), job.Succeeded)
	}
	b.same("removed", b.remove(runs...), 0)
	w := b.flowWork(40, 60, 9)[0]
	b.same("ended", len(w.Ended), 2)
	next := workflow.Step{Run: w.Run, Number: w.Step, Changed: []int{0}, Look: b.at(50), Now: b.at(41)}
	next.Run.Nodes = slices.Clone(w.Run.Nodes)
	next.Run.Nodes[0].State, next.Run.Nodes[0].EndedAt = job.NodeSucceeded, b.at(41)
	b.same("step", b.flowStep(next), true)
	b.same("removed of the node that is over", b.remove(runs...), 1)
	b.state(runs[1], job.Succeeded)
	w = b.flowWork(60, 90, 9)[0]
	last := workflow.Step{Run: w.Run, Number: w.Step, Now: b.at(61)} // cancelled with a node that runs
	last.Run.State, last.Run.EndedAt = job.WorkflowCancelled, b.at(61)
	b.same("step", b.flowStep(last), true)
	b.same("removed when the workflow is over", b.remove(runs...), 1)
}

func backfillRunsStay(b *bench) {
	j := b.create()
	_, runs := b.begin(b.backfill(j), j)
	for _, r := range runs {
		b.complete(b.dispatch(b.run(r.ID)), job.Succeeded)
	}
	b.same("removed while it runs", b.remove(idsOf(runs)...), 0)
	w := b.work(5, 30, 9)
	b.same("ended", len(w[0].Ended), 2)
	f := w[0].Backfill
	f.State, f.EndedAt, f.Succeeded, f.Open = job.BackfillFinished, b.at(9), 2, nil
	b.same("step", b.step(backfill.Step{Backfill: f, Number: w[0].Step}), true)
	b.same("removed when it is over", b.remove(idsOf(runs)...), 2)
	b.same("backfill", b.backfillOf(f.ID).Succeeded, 2)
}

// A planner of another server, with an old look at the job, plans the slot again.
func slotStaysAway(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	move := planner.Move{JobID: j.ID, Version: j.Version, From: b.now, Next: b.at(1), Last: b.now, Runs: []job.Run{r}}
	b.same("planned", b.plan(move), true)
	b.complete(b.dispatch(b.run(r.ID)), job.Succeeded)
	b.same("removed", b.remove(r.ID), 1)
	move.Runs = []job.Run{b.firing(j, b.now)}
	b.same("planned again", b.plan(move), false)
	b.same("runs", len(b.runs(j)), 0)
}

func removedAttemptIsUnknown(b *bench) {
	parent, child := b.create(), b.create()
	a := b.dispatch(b.trigger(parent, b.now))
	b.complete(a, job.Lost)
	b.remove(a.RunID)
	snapshots, err := b.Snapshots(b.ctx(), []int64{a.ID})
	b.ok(err)
	b.same("snapshots", len(snapshots), 0)
	c := b.completion(a, job.Succeeded)
	c.Children = []job.Run{b.child(a, child)}
	b.same("completion", b.commit(c), []bool{false})
	b.same("children", len(b.runs(child)), 0)
	b.accept(a)
	b.missing(a.RunID)
}

func oldBackfillsRemoved(b *bench) {
	j := b.create()
	var ended []int64
	for i := range 4 {
		f := b.backfill(j)
		_, err := b.CancelBackfill(b.ctx(), f.ID, "", b.at(i))
		b.ok(err)
		ended = append(ended, f.ID)
	}
	running := b.backfill(j)
	remove := func(before time.Time, limit int) int {
		n, err := b.RemoveBackfills(b.ctx(), before, limit)
		b.ok(err)
		return n
	}
	b.same("none", remove(b.at(-1), 9)+remove(b.at(9), 0), 0)
	b.same("the oldest ones", []int{remove(b.at(2), 2), remove(b.at(2), 2), remove(b.at(2), 2)}, []int{2, 1, 0})
	var left []int64
	found, err := b.Backfills(b.ctx(), jobrows.BackfillQuery{Sight: everywhere, Limit: 9})
	b.ok(err)
	for _, f := range slices.Backward(found) {
		left = append(left, f.ID)
	}
	b.same("left", left, []int64{ended[3], running.ID})
}
