package queries

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// library keeps one revision of the job report.
type library struct {
	saved   job.Revision
	deleted bool
	asked   jobrows.RevisionQuery
}

func (l *library) JobIDOf(_ context.Context, namespace, key string) (int64, bool, error) {
	if namespace != job.DefaultNamespace || key != "report" {
		return 0, false, job.Errorf(job.NotFound, "there is no job %s", key)
	}
	return 7, l.deleted, nil
}

func (l *library) Revisions(_ context.Context, q jobrows.RevisionQuery) ([]job.Revision, error) {
	l.asked = q
	return []job.Revision{l.saved}, nil
}

func (l *library) Revision(_ context.Context, id, number int64) (job.Revision, error) {
	if id != 7 || number != l.saved.Number {
		return job.Revision{}, job.Errorf(job.NotFound, "there is no revision %d", number)
	}
	return l.saved, nil
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	l := &library{saved: job.Revision{Number: 3}}
	c.config.Revisions = l
	found, err := c.Revisions(t.Context(), "", "report", jobrows.RevisionQuery{Before: 9, Recoded: true, Limit: 5000})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if diff := cmp.Diff(jobrows.RevisionQuery{JobID: 7, Before: 9, Recoded: true, Limit: 1000}, l.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if _, err := c.Revisions(t.Context(), "", "other", jobrows.RevisionQuery{}); !job.Is(err, job.NotFound) {
		t.Errorf("a job that never was: %v", err)
	}
}

// A revision names the jobs that it is about as far as they exist, and says how steps
// of the clock are taken.
func TestRevision(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	base := jobstest.GoodJob()
	base.Key = "base"
	base = c.create(t, base)
	l := &library{saved: job.Revision{JobID: 7, Number: 3, Job: job.Job{
		Template: base.ID, Children: []job.Child{{JobID: base.ID}, {JobID: 4711}}, Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 2 * * ?"},
	}}}
	c.config.Revisions = l
	r, alive, err := c.Revision(t.Context(), "", "report", 3)
	if err != nil || !alive {
		t.Fatalf("%v, %v", alive, err)
	}
	rules := schedule.Quartz()
	want := job.Job{
		Template: base.ID, TemplateKey: "base", Children: []job.Child{{JobID: base.ID, Key: "base"}, {JobID: 4711}},
		Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 2 * * ?", DST: &rules},
	}
	if diff := cmp.Diff(want, r.Job); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l.deleted, l.saved.Job.Template = true, 4711
	if r, alive, err = c.Revision(t.Context(), "", "report", 3); err != nil || alive || r.Job.TemplateKey != "" {
		t.Errorf("of a deleted job: %v, %q, %v", alive, r.Job.TemplateKey, err)
	}
	for key, number := range map[string]int64{"report": 4, "other": 3} {
		if _, _, err := c.Revision(t.Context(), "", key, number); !job.Is(err, job.NotFound) {
			t.Errorf("revision %d of %s: %v", number, key, err)
		}
	}
}
