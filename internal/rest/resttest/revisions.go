package resttest

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// aRevision returns a revision of the job report: 1 without a script, 2 and 3 with
// others, 4 and 5 with a child and a template that are gone.
func aRevision(number int64) job.Revision {
	r := job.Revision{
		JobID: 7, Number: number, At: Instant, By: job.Author{Kind: "user", Name: "ann"}, Operation: "update-job", Note: "why not",
		Changed: []string{"param", "title"},
	}
	j := StoredJob()
	j.Version, j.Param = 0, "old"
	j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo 1\necho 2\n", SourceAt: Instant}
	j.Labels = map[string]string{"team": "data"}
	switch number {
	case 1:
		j.Handler = StoredJob().Handler
	case 3:
		j.Param, j.Handler.Source = "new", "echo 1\necho 3\n"
		j.Labels, j.Enabled, j.Schedule = nil, true, schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Anchor: Instant}
	case 4:
		j.Children = []job.Child{{JobID: 4711, On: job.ChildOnSuccess}}
	case 5:
		j.Handler, j.Template = job.Handler{}, 4711
	}
	r.Job = j
	return r
}

// Revisions implements Revisions.
func (f *Fake) Revisions(_ context.Context, namespace, key string, q jobrows.RevisionQuery) ([]job.Revision, error) {
	if key == "missing" {
		return nil, job.Errorf(job.NotFound, "no job %q in namespace %q", key, namespace)
	}
	first := aRevision(1)
	first.By, first.Operation, first.Note, first.Changed, first.Recoded, first.Deleted = job.Author{Kind: job.AuthorServer}, "", "", nil, true, true
	return []job.Revision{aRevision(2), first}, f.Note("revisions of %s/%s %+v", namespace, key, q)
}

// Revision implements Revisions.
func (f *Fake) Revision(_ context.Context, namespace, key string, number int64) (job.Revision, bool, error) {
	if number > 5 {
		return job.Revision{}, false, job.Errorf(job.NotFound, "the job has no revision %d", number)
	}
	return aRevision(number), key != "gone", f.Note("revision %d of %s/%s", number, namespace, key)
}

// TryJob implements Trials.
func (f *Fake) TryJob(_ context.Context, namespace, key string, a jobs.Attempted) (job.Run, error) {
	text := ""
	if a.Code != nil {
		text = fmt.Sprintf(" code %q", *a.Code)
	}
	if a.Param != nil {
		text += fmt.Sprintf(" param %q", *a.Param)
	}
	r := StoredRun()
	r.Cause, r.PlannedAt = job.CauseTrial, time.Time{}
	return r, f.Note("try %s/%s by %s %s (%s) kind %q timeout %s at %q%s", namespace, key, a.By.Kind, a.By.Name, a.Owner, a.Kind, a.Timeout, a.Address, text)
}

// Trial implements Trials.
func (f *Fake) Trial(_ context.Context, run int64) (job.Trial, error) {
	if run == 404 {
		return job.Trial{}, job.Errorf(job.NotFound, "run %d tries nothing", run)
	}
	return job.Trial{
		RunID: run, JobID: 7, By: job.Author{Kind: "user", Name: "ann"}, Timeout: time.Minute,
		Handler: &job.Handler{Kind: job.HandlerPython, Source: "print(1)"},
	}, f.Note("trial %d", run)
}
