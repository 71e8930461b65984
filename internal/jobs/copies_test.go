package jobs

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// copied runs CopyJob on "report" and returns its results as lines.
func copied(t *testing.T, c *Catalog, p Copies) (lines []string) {
	t.Helper()
	results, err := c.CopyJob(t.Context(), "", "report", p)
	if err != nil {
		t.Fatalf("CopyJob: %v", err)
	}
	for _, r := range results {
		lines = append(lines, fmt.Sprintf("%s %t %s", r.Key, r.Job.ID != 0, job.KindOf(r.Err)))
	}
	return lines
}

func params(texts ...string) (all []Copy) {
	for i := range texts {
		all = append(all, Copy{Param: &texts[i]})
	}
	return all
}

func TestCopyJob(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := started()
	j.Param, j.Title, j.Labels = "own", "T", map[string]string{"a": "1"}
	origin := create(t, c, j)
	title, param, manual := "Two", "", schedule.Spec{Kind: schedule.KindManual}
	got := copied(t, c, Copies{Each: []Copy{
		{}, {Key: "two", Title: &title, Param: &param, Schedule: &manual, Labels: map[string]string{"b": "2"}},
	}})
	if diff := cmp.Diff([]string{"report-0 true ", "two true "}, got); diff != "" {
		t.Error(diff)
	}
	one, two := w.JobsByKey["report-0"], w.JobsByKey["two"]
	want := origin
	want.ID, want.Key, want.Enabled, want.NextAt = one.ID, "report-0", false, time.Time{}
	want.CreatedAt, want.UpdatedAt = one.CreatedAt, one.UpdatedAt
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("a copy (-want +got):\n%s", diff)
	}
	want.ID, want.Key, want.Title, want.Param, want.Schedule = two.ID, "two", "Two", "", manual
	want.Labels, want.CreatedAt, want.UpdatedAt = map[string]string{"b": "2"}, two.CreatedAt, two.UpdatedAt
	if diff := cmp.Diff(want, two); diff != "" {
		t.Errorf("a copy that differs (-want +got):\n%s", diff)
	}
}

// TestCopiesFailAlone: errors stand beside successes.
func TestCopiesFailAlone(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	create(t, c, jobstest.GoodJob())
	taken := jobstest.GoodJob()
	taken.Key = "x-1"
	create(t, c, taken)
	plan := Copies{Name: "x-{index}", Each: append(params("a", "b", "c"), Copy{Key: "x-0"}, Copy{Key: "No"}, Copy{Key: "x-2-{index}"})}
	want := []string{
		"x-0 true ", "x-1 false conflict", "x-2 true ", "x-0 false conflict", "No false invalid", "x-2-{index} false invalid",
	}
	plan.DryRun = true
	dry := []string{
		"x-0 false ", "x-1 false conflict", "x-2 false ", "x-0 false conflict", "No false invalid", "x-2-{index} false invalid",
	}
	if diff := cmp.Diff(dry, copied(t, c, plan)); diff != "" {
		t.Errorf("dry run: %s", diff)
	}
	plan.DryRun = false
	if diff := cmp.Diff(want, copied(t, c, plan)); diff != "" {
		t.Errorf("copies: %s", diff)
	}
}

func TestCopyAsInstances(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	origin := create(t, c, jobstest.GoodJob())
	copied(t, c, Copies{Each: params("a", "b"), AsInstances: true})
	for _, key := range []string{"report-0", "report-1"} {
		if j := w.JobsByKey[key]; j.Template != origin.ID || j.Handler != (job.Handler{}) {
			t.Errorf("%s: %+v", key, j)
		}
	}
	_, err := c.CopyJob(t.Context(), "", "report-0", Copies{Each: params("x"), AsInstances: true})
	wantFault(t, err, "as_instances")
}

// TestCopyInstance: a copy of an instance runs the code of the same template, and
// a pin that is not the present one any more is copied too.
func TestCopyInstance(t *testing.T) {
	t.Parallel()
	w, c, base := family(t)
	copied(t, c, Copies{Each: params("a")})
	if j := w.JobsByKey["report-0"]; j.Template != base.ID || j.Handler != (job.Handler{}) {
		t.Errorf("copy of a follower: %+v", j)
	}
	update(t, c, "report", func(j *job.Job) { j.TemplateVersion = 1 })
	update(t, c, "base", func(j *job.Job) { j.Title = "new" })
	copied(t, c, Copies{Each: []Copy{{Key: "pin"}}})
	if j := w.JobsByKey["pin"]; j.Template != base.ID || j.TemplateVersion != 1 || j.Handler != base.Handler {
		t.Errorf("copy of a pin: %+v", j)
	}
}

func TestCopyOnce(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := started()
	j.Schedule = schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour}
	create(t, c, j)
	copied(t, c, Copies{Each: params("a")})
	if s := w.JobsByKey["report-0"].Schedule; s.Delay != time.Hour || !s.At.IsZero() {
		t.Errorf("schedule %+v", s)
	}
}

func TestCopiesThatCannotBe(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	if _, err := c.CopyJob(t.Context(), "", "report", Copies{Each: params("a")}); !job.Is(err, job.NotFound) {
		t.Errorf("a missing job: %v", err)
	}
	create(t, c, jobstest.GoodJob())
	for _, each := range [][]Copy{nil, make([]Copy, MaxCopies+1)} {
		if _, err := c.CopyJob(t.Context(), "", "report", Copies{Each: each}); !job.Is(err, job.Invalid) {
			t.Errorf("%d copies: %v", len(each), err)
		}
	}
	if len(w.JobsByKey) != 1 {
		t.Errorf("%d jobs", len(w.JobsByKey))
	}
}
