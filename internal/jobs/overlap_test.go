package jobs

import (
	"testing"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestOverlapScope(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	made := create(t, c, jobstest.GoodJob())
	if made.OverlapScope != job.ScopeCluster || made.OverlapQueue != 0 {
		t.Errorf("a new job counts in the scope %q, and %d may wait", made.OverlapScope, made.OverlapQueue)
	}
	got := update(t, c, "report", func(j *job.Job) { j.OverlapScope, j.OverlapQueue = job.ScopeExecutor, 7 })
	if got.OverlapScope != job.ScopeExecutor || got.OverlapQueue != 7 {
		t.Errorf("it was changed to the scope %q, and %d may wait", got.OverlapScope, got.OverlapQueue)
	}
	// A copy counts as its origin does, and so does a job that is changed in another way.
	got = update(t, c, "report", func(j *job.Job) { j.Title = "another" })
	if got.OverlapScope != job.ScopeExecutor || got.OverlapQueue != 7 {
		t.Errorf("the scope is %q, and %d may wait", got.OverlapScope, got.OverlapQueue)
	}
	copies, err := c.CopyJob(t.Context(), "", "report", Copies{Each: []Copy{{Key: "copy"}}})
	if err != nil || len(copies) != 1 || copies[0].Err != nil {
		t.Fatalf("copies: %+v, %v", copies, err)
	}
	if j := copies[0].Job; j.OverlapScope != job.ScopeExecutor || j.OverlapQueue != 7 {
		t.Errorf("a copy counts in the scope %q, and %d may wait", j.OverlapScope, j.OverlapQueue)
	}
	if got = update(t, c, "report", func(j *job.Job) { j.OverlapScope, j.OverlapQueue = "", 0 }); got.OverlapScope != job.ScopeCluster {
		t.Errorf("emptied, the scope is %q", got.OverlapScope)
	}
	if len(w.JobsByKey) != 2 {
		t.Errorf("%d jobs", len(w.JobsByKey))
	}
}
