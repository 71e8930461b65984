package storetest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

func workflowRunIsRead(b *bench) {
	j := b.create()
	want := b.flowRun("nightly", j)
	b.reopen()
	b.same("read", b.flowRunOf(want.ID), want)
	bare := want
	bare.PlannedAt, bare.Param = bare.EndedAt, ""
	got, err := b.AddWorkflowRun(b.ctx(), bare)
	b.ok(err)
	bare.ID = got.ID
	b.same("added", got, bare)
	b.same("read", b.flowRunOf(got.ID), bare)
	_, _, err = b.WorkflowRun(b.ctx(), 777)
	b.kind(err, job.NotFound)
}

func workflowRunPages(b *bench) {
	j := b.create()
	var ids []int64 // newest first
	for i := range 5 {
		ids = append([]int64{b.flowRun([]string{"even", "odd"}[i%2], j).ID}, ids...)
	}
	for _, c := range []struct {
		filter workflow.Filter
		want   []int64
	}{
		{workflow.Filter{}, ids},
		{workflow.Filter{Limit: 2}, ids[:2]},
		{workflow.Filter{Before: ids[1], Limit: 2, Namespace: "ignored"}, ids[2:4]},
		{workflow.Filter{Namespace: job.DefaultNamespace, Workflow: "even", Limit: 9}, []int64{ids[0], ids[2], ids[4]}},
		{workflow.Filter{Namespace: job.DefaultNamespace, Workflow: "even", Before: ids[0], Limit: 1}, []int64{ids[2]}},
		{workflow.Filter{Namespace: "another", Workflow: "even"}, nil},
	} {
		c.filter.Sight = everywhere
		got, err := b.WorkflowRuns(b.ctx(), c.filter)
		b.ok(err)
		var found []int64
		for _, r := range got {
			found = append(found, r.ID)
			want := b.flowRunOf(r.ID)
			want.Nodes = nil
			b.same("workflow run", r, want)
		}
		b.same(fmt.Sprintf("workflow runs of %+v", c.filter), found, c.want)
	}
}

func workflowRunClaimed(b *bench) {
	j := b.create()
	r := b.flowRun("nightly", j)
	b.same("before it is time", len(b.flowWork(-1, 30, 9)), 0)
	b.same("claim of none", len(b.flowWork(0, 30, 0)), 0)
	w := b.flowWork(0, 30, 9)
	b.same("claimed", w, []workflow.Work{{Run: r, Step: w[0].Step, Ended: map[int64]workflow.End{}}})
	b.same("within the lease", len(b.flowWork(29, 60, 9)), 0)
	again := b.flowWork(30, 60, 9)
	b.same("after the lease", len(again), 1)
	b.same("a step of the first claim", b.flowStep(b.started(w[0], j)), false)
	step := b.started(again[0], j)
	b.same("a step of the second", b.flowStep(step), true)

	one := step.Runs[0].ID
	a := b.dispatch(b.run(one))
	b.complete(a, job.Succeeded)
	w = b.flowWork(5, 30, 9)
	b.same("claimed", len(w), 1)
	got := b.run(one)
	b.same("ended", w[0].Ended, map[int64]workflow.End{one: {State: job.Succeeded, Message: got.Message, Reason: got.Reason}})
	_, number, err := b.WorkflowRun(b.ctx(), r.ID)
	b.ok(err)
	b.same("number of the next step", number, w[0].Step)

	late := b.flowRun("late", j)
	early := late
	early.CreatedAt = b.at(-5)
	early, err = b.AddWorkflowRun(b.ctx(), early)
	b.ok(err)
	var order []int64
	for _, w := range b.flowWork(9, 30, 2) {
		order = append(order, w.Run.ID)
	}
	b.same("order", order, []int64{early.ID, late.ID})
}

func workflowRunNamed(b *bench) {
	j := b.create()
	one, two, over := b.flowRun("one", j), b.flowRun("two", j), b.flowRun("over", j)
	for _, w := range b.flowWork(0, 30, 9) {
		step := workflow.Step{Run: w.Run, Number: w.Step, Look: b.at(20)}
		if w.Run.ID == over.ID {
			step.Run.State = job.WorkflowFailed
		}
		b.same("step", b.flowStep(step), true)
	}
	due := b.flowRun("due", j)
	claim := workflow.Claim{IDs: []int64{two.ID, over.ID, due.ID, 777}, Until: b.now, Lease: b.at(9), Limit: 9}
	work, err := b.ClaimWorkflowRuns(b.ctx(), claim)
	b.ok(err)
	var found []int64
	for _, w := range work {
		found = append(found, w.Run.ID)
	}
	b.same("claimed", found, []int64{due.ID, two.ID})
	b.same("within the lease", len(b.flowWork(8, 30, 9)), 0)
	b.same("after the lease", len(b.flowWork(9, 30, 9)), 2)
	b.same("when its time has come", b.flowWork(20, 30, 9)[0].Run.ID, one.ID)
}

// workflowLetGo makes hidden workflow runs claimable.
func workflowLetGo(b *bench) {
	j := b.create()
	one, two, over := b.flowRun("one", j), b.flowRun("two", j), b.flowRun("over", j)
	for _, w := range b.flowWork(0, 30, 9) {
		step := workflow.Step{Run: w.Run, Number: w.Step, Look: b.at(20)}
		if w.Run.ID == over.ID {
			step.Run.State = job.WorkflowFailed
		}
		b.same("step", b.flowStep(step), true)
	}
	b.ok(b.LetGoWorkflowRuns(b.ctx(), nil, b.at(1)))
	b.ok(b.LetGoWorkflowRuns(b.ctx(), []int64{two.ID, over.ID, 777}, b.at(5)))
	b.same("before", len(b.flowWork(4, 30, 9)), 0)
	b.ok(b.LetGoWorkflowRuns(b.ctx(), []int64{two.ID}, b.at(7))) // not later than it is
	found := b.flowWork(5, 30, 9)
	b.same("claimed", []any{len(found), found[0].Run.ID}, []any{1, two.ID})
	b.ok(b.LetGoWorkflowRuns(b.ctx(), []int64{two.ID}, b.at(6))) // while another works on it
	again := b.flowWork(6, 30, 9)
	b.same("claimed by another", []any{len(again), again[0].Run.ID}, []any{1, two.ID})
	for i, w := range []workflow.Work{found[0], again[0]} {
		b.same("step", b.flowStep(workflow.Step{Run: w.Run, Number: w.Step, Look: b.at(20)}), i == 1)
	}
	b.same("the other one", b.flowWork(20, 30, 1)[0].Run.ID, one.ID)
}

// workflowEnds finds the runs that are over or do not exist.
func workflowEnds(b *bench) {
	j := b.create()
	b.flowRun("nightly", j)
	step := b.started(b.flowWork(0, 30, 9)[0], j)
	b.same("step", b.flowStep(step), true)
	runs := idsOf(step.Runs)
	ended := func(runs ...int64) []int64 {
		b.Helper()
		found, err := b.EndedRuns(b.ctx(), runs)
		b.ok(err)
		slices.Sort(found)
		return found
	}
	b.same("of no runs", len(ended()), 0)
	b.same("while they wait", ended(append(runs, 777_777)...), []int64{777_777})
	_, err := b.CancelRun(b.ctx(), runs[0], "not wanted", b.at(3))
	b.ok(err)
	b.same("when one is over", ended(append(runs, 777_777)...), []int64{runs[0], 777_777})
}

func workflowSteps(b *bench) {
	j := b.create()
	saved := b.save(j, func(j *job.Job) { j.Title = changed })
	b.flowRun("nightly", j)
	step := b.started(b.flowWork(0, 30, 9)[0], j)
	b.same("step", []bool{b.flowStep(step), b.flowStep(step)}, []bool{true, false})
	b.reopen()
	b.same("workflow run", b.flowRunOf(step.Run.ID), step.Run)
	for _, want := range step.Runs {
		want.JobKey, want.JobVersion = j.Key, saved.Version
		b.same("run", b.run(want.ID), want)
	}
	b.same("claim of the runs", len(b.claim(b.now, b.at(30), 9, j.GroupID)), 2)
	b.same("before it is time", len(b.flowWork(4, 30, 9)), 0)

	w := b.flowWork(5, 30, 9)[0]
	next := workflow.Step{Run: w.Run, Number: w.Step, Changed: []int{1}, Look: b.at(9), Now: b.at(6)}
	next.Run.Nodes = slices.Clone(w.Run.Nodes)
	n := &next.Run.Nodes[1]
	n.State, n.Reason, n.Result, n.EndedAt = job.NodeSucceeded, "why", "größer", b.at(6)
	next.Run.Done, next.Run.Failed, next.Run.Reason = 1, 1, "slow"
	b.same("step", b.flowStep(next), true)
	b.same("workflow run", b.flowRunOf(step.Run.ID), next.Run)
	next.Run.ID = 777
	b.same("step of one that does not exist", b.flowStep(next), false)
}

func workflowCancels(b *bench) {
	j := b.create()
	b.flowRun("nightly", j)
	step := b.started(b.flowWork(0, 30, 9)[0], j)
	b.same("step", b.flowStep(step), true)
	b.dispatch(b.run(step.Runs[0].ID))
	w := b.flowWork(5, 30, 9)[0]
	stop := workflow.Step{Run: w.Run, Number: w.Step, Cancel: idsOf(step.Runs), Look: b.at(9), Now: b.at(7)}
	stop.Run.State, stop.Run.Reason = job.WorkflowCancelling, "too much"
	b.same("step", b.flowStep(stop), true)
	b.same("workflow run", b.flowRunOf(w.Run.ID), stop.Run)
	b.state(step.Runs[0].ID, job.Dispatched)
	over := b.state(step.Runs[1].ID, job.Cancelled)
	b.same("reason and end", []any{over.Reason, over.EndedAt}, []any{"too much", b.at(7)})
	w = b.flowWork(9, 30, 9)[0]
	b.same("ended", w.Ended, map[int64]workflow.End{over.ID: {State: job.Cancelled, Reason: "too much"}})
}

func workflowOfDeletedJob(b *bench) {
	j := b.create()
	b.flowRun("nightly", j)
	b.ok(b.DeleteJob(b.ctx(), j, "gone"))
	step := b.started(b.flowWork(0, 30, 9)[0], j)
	b.same("step", b.flowStep(step), true)
	_, err := b.RunByID(b.ctx(), step.Runs[0].ID)
	b.kind(err, job.NotFound)
	ended := b.flowWork(5, 30, 9)[0].Ended
	b.same("ended", []any{len(ended), ended[step.Runs[0].ID].State}, []any{2, job.Lost})
}

func workflowReopened(b *bench) {
	j := b.create()
	b.flowRun("nightly", j)
	w := b.flowWork(0, 30, 9)[0]
	end := workflow.Step{Run: w.Run, Number: w.Step, Look: b.at(1)}
	end.Run.State, end.Run.Reason, end.Run.EndedAt = job.WorkflowFailed, "it failed", b.at(9)
	b.same("step", b.flowStep(end), true)
	b.same("workflow run", b.flowRunOf(w.Run.ID), end.Run)
	b.same("claimed", len(b.flowWork(999, 1999, 9)), 0)
	r, number, err := b.WorkflowRun(b.ctx(), w.Run.ID)
	b.ok(err)
	again := workflow.Step{Run: r, Number: number, Look: b.at(20), Changed: []int{0}}
	again.Run.State, again.Run.Reason, again.Run.Generation, again.Run.EndedAt = job.WorkflowRunning, "", 2, w.Run.EndedAt
	again.Run.Nodes[0].Generation, again.Run.Nodes[0].JobID = 2, j.ID+1
	b.same("step", b.flowStep(again), true)
	b.same("workflow run", b.flowRunOf(w.Run.ID), again.Run)
	b.same("before it is time", len(b.flowWork(19, 30, 9)), 0)
	b.same("claimed", len(b.flowWork(20, 30, 9)), 1)
}

func workflowRace(b *bench) {
	j := b.create()
	r := b.flowRun("nightly", j)
	const steps = 12
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for b.advanceFlow(r.ID, j, steps) {
			}
		})
	}
	all.Wait()
	got := b.flowRunOf(r.ID)
	b.same("state and steps", []any{got.State, got.Generation}, []any{job.WorkflowSucceeded, steps + 1})
	b.same("number of runs", len(b.runs(j)), steps)
}

// advanceFlow takes one step with one run, as a server would, and reports whether
// there may be more to do. The generation counts the steps.
func (b *bench) advanceFlow(id int64, j job.Job, steps int) bool {
	work, err := b.ClaimWorkflowRuns(b.ctx(), workflow.Claim{Until: b.now, Lease: b.now, Limit: 1}) // a lease that is over at once
	if err != nil {
		b.Errorf("claim: %v", err)
		return false
	}
	for _, w := range work {
		run, err := b.NextRunID(b.ctx())
		if err != nil {
			b.Errorf("id: %v", err)
			return false
		}
		step := workflow.Step{Run: w.Run, Number: w.Step, Look: b.now, Runs: []job.Run{{
			ID: run, JobID: j.ID, PlannedAt: b.now, Cause: job.CauseParent, CauseID: run, State: job.Planned,
			ReadyAt: b.now, CreatedAt: b.now,
		}}}
		if step.Run.Generation++; step.Run.Generation > steps {
			step.Run.State = job.WorkflowSucceeded
		}
		if _, err := b.CommitWorkflowStep(b.ctx(), step); err != nil {
			b.Errorf("step: %v", err)
			return false
		}
	}
	r, _, err := b.WorkflowRun(b.ctx(), id)
	return err == nil && !r.State.Over()
}

func workflowRunLimit(b *bench) {
	j := b.create()
	first := b.flowRun("nightly", j)
	w := b.flowWork(0, 30, 1)[0]
	end := workflow.Step{Run: w.Run, Number: w.Step}
	end.Run.State = job.WorkflowFailed
	b.same("step", b.flowStep(end), true)
	var all sync.WaitGroup
	for range job.MaxWorkflowRuns {
		all.Go(func() {
			if _, err := b.AddWorkflowRun(b.ctx(), first); err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	_, err := b.AddWorkflowRun(b.ctx(), first)
	b.kind(err, job.Full)
	r, number, err := b.WorkflowRun(b.ctx(), first.ID)
	b.ok(err)
	again := workflow.Step{Run: r, Number: number}
	again.Run.State = job.WorkflowRunning
	_, err = b.CommitWorkflowStep(b.ctx(), again)
	b.kind(err, job.Full)
	b.same("still over", b.flowRunOf(first.ID).State, job.WorkflowFailed)
	b.same("claimed", len(b.flowWork(0, 30, 2000)), job.MaxWorkflowRuns)
}
