package jobs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// family returns a catalog with the job "base", whose code is a script, and the
// job "report", which follows it.
func family(t *testing.T) (*jobstest.World, *Catalog, job.Job) {
	t.Helper()
	w, c := newWorld()
	j := jobstest.GoodJob()
	j.Key, j.Handler = "base", job.Handler{Kind: job.HandlerShell, Source: "echo base"}
	base := create(t, c, j)
	j = jobstest.GoodJob()
	j.Template, j.Handler = base.ID, job.Handler{}
	create(t, c, j)
	return w, c, base
}

func TestFollowTemplate(t *testing.T) {
	t.Parallel()
	w, c, base := family(t)
	if j := w.JobsByKey["report"]; j.Template != base.ID || j.Handler != (job.Handler{}) {
		t.Errorf("an instance has the code %+v", j.Handler)
	}
	got := update(t, c, "report", func(j *job.Job) { j.Param = "x" })
	if got.Handler != (job.Handler{}) {
		t.Errorf("after an edit it has the code %+v", got.Handler)
	}
}

func TestPinTemplate(t *testing.T) {
	t.Parallel()
	w, c, base := family(t)
	got := update(t, c, "report", func(j *job.Job) { j.TemplateVersion = base.Version })
	if diff := cmp.Diff(base.Handler, got.Handler); diff != "" || got.TemplateVersion != 1 {
		t.Errorf("pinned %d with other code: %s", got.TemplateVersion, diff)
	}
	update(t, c, "base", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo new"} })
	// What is pinned stays so through edits of other things, also when the code
	// comes back as it was shown.
	got = update(t, c, "report", func(j *job.Job) { j.Param = "x" })
	if diff := cmp.Diff(base.Handler, got.Handler); diff != "" {
		t.Errorf("after an edit: %s", diff)
	}
	for _, version := range []int64{9, -1} {
		_, err := tryUpdate(t.Context(), c, "report", 0, func(j *job.Job) { j.TemplateVersion = version })
		wantFault(t, err, "template_version")
	}
	got = update(t, c, "report", func(j *job.Job) { j.TemplateVersion = 0 })
	if got.Handler != (job.Handler{}) || got.Template != base.ID {
		t.Errorf("unpinned: %+v", got)
	}
	_, err := tryUpdate(t.Context(), c, "report", 0, func(j *job.Job) { j.TemplateVersion = 1 })
	wantFault(t, err, "template_version")
	if !strings.Contains(err.Error(), "which is 2") {
		t.Errorf("error %v does not name the present version", err)
	}
	delete(w.JobsByKey, "base")
	_, err = tryUpdate(t.Context(), c, "report", 0, func(j *job.Job) { j.TemplateVersion = 2 })
	wantFault(t, err, "template")
}

func TestTakeTemplate(t *testing.T) {
	t.Parallel()
	_, c, base := family(t)
	j := jobstest.GoodJob()
	j.Key = "own"
	create(t, c, j)
	got := update(t, c, "own", func(j *job.Job) { j.Template = base.ID }) // with its code, as it was shown
	if got.Handler != (job.Handler{}) || got.Template != base.ID {
		t.Errorf("job %+v", got)
	}
	mine := job.Handler{Kind: job.HandlerNamed, Name: "mine"}
	_, err := tryUpdate(t.Context(), c, "own", 0, func(j *job.Job) { j.Handler = mine })
	wantFault(t, err, "handler")
	j.Key, j.Template, j.Handler = "both", base.ID, mine
	_, err = c.CreateJob(t.Context(), j)
	wantFault(t, err, "handler")
	j.Template, j.Handler = 0, job.Handler{}
	_, err = c.CreateJob(t.Context(), j)
	wantFault(t, err, "handler")
}

// TestLeaveTemplate: a job that leaves its template runs on with the code that it
// ran last, unless its user names another.
func TestLeaveTemplate(t *testing.T) {
	t.Parallel()
	mine := job.Handler{Kind: job.HandlerNamed, Name: "mine"}
	for _, pinned := range []bool{false, true} {
		_, c, base := family(t)
		if pinned {
			update(t, c, "report", func(j *job.Job) { j.TemplateVersion = 1 })
		}
		got := update(t, c, "report", func(j *job.Job) { j.Template = 0 })
		if diff := cmp.Diff(base.Handler, got.Handler); diff != "" || got.TemplateVersion != 0 || got.Template != 0 {
			t.Errorf("pinned %t: %d, %d, %s", pinned, got.Template, got.TemplateVersion, diff)
		}
		_, c, _ = family(t)
		got = update(t, c, "report", func(j *job.Job) { j.Template, j.Handler = 0, mine })
		if got.Handler != mine {
			t.Errorf("pinned %t: %+v", pinned, got.Handler)
		}
	}
}

// TestDeleteTemplate: a conflict that stays is told as it is, and not tried again.
func TestDeleteTemplate(t *testing.T) {
	t.Parallel()
	w, c, _ := family(t)
	reads := 0
	w.Rival = func() { reads++ }
	w.Fail = job.Errorf(job.Conflict, "job base is the template of report")
	for name, err := range map[string]error{
		"delete": c.DeleteJob(t.Context(), "", "base"),
		"update": func() error {
			_, err := tryUpdate(t.Context(), c, "base", 0, func(j *job.Job) { j.Title = "x" })
			return err
		}(),
	} {
		if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "is the template of report") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if reads != 4 {
		t.Errorf("the job was read %d times", reads)
	}
}
