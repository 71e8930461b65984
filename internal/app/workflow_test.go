package app

import (
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A workflow goes on when a run of it has ended, long before it polls; and
// cancelling it ends its runs.
func TestWorkflowGoesOn(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, ctx := s.Jobs(), t.Context()
	create(t, c, "step", schedule.Spec{Kind: schedule.KindManual})
	_, err := s.workflows.SaveWorkflow(ctx, job.Workflow{Key: "w", Nodes: []job.WorkflowNode{
		{Name: "a", Job: "step"},
		{Name: "b", Job: "step", After: []job.WorkflowEdge{{Node: "a", On: job.OnFailure}}},
		{Name: "c", Job: "step", After: []job.WorkflowEdge{{Node: "b"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.workflows.StartWorkflow(ctx, "", "w", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	look := func() job.WorkflowRun {
		r, err := s.workflows.WorkflowRun(ctx, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	until(t, "the first node starts", func() bool { return look().Nodes[0].State == job.NodeRunning })
	first, err := c.Run(ctx, look().Nodes[0].RunID)
	if err != nil || first.Cause != job.CauseParent || first.Reason == "" {
		t.Fatalf("its run is %+v, %v", first, err)
	}
	if _, err := c.CancelRun(ctx, first.ID, ""); err != nil {
		t.Fatal(err)
	}
	until(t, "the second node starts", func() bool { return look().Nodes[1].State == job.NodeRunning })
	if _, err := s.workflows.CancelWorkflowRun(ctx, made.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	until(t, "the workflow run is over", func() bool { return look().State == job.WorkflowCancelled })
	runs, err := c.Runs(ctx, jobrows.RunFilter{})
	if err != nil || len(runs) != 2 || runs[0].State != job.Cancelled || runs[0].Reason != "enough" {
		t.Errorf("the runs: %+v, %v", runs, err)
	}
	if got, err := s.workflows.ResumeWorkflowRun(ctx, made.ID); err != nil || got.Generation != 2 {
		t.Errorf("resumed: %+v, %v", got, err)
	}
	until(t, "the second node starts again", func() bool { return look().Nodes[1].State == job.NodeRunning })
}
