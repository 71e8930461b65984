package guard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// JobReader finds a job.
type JobReader interface {
	Job(ctx context.Context, namespace, key string) (job.Job, error)
}

// RevisionReader finds the changes of a job.
type RevisionReader interface {
	Revisions(ctx context.Context, namespace, key string, q jobrows.RevisionQuery) ([]job.Revision, error)
}

// RunParam returns the parameter of a run that the caller requests, in the form of the
// store, and the version of the job that it is for; nil for the job's own. Where the
// parameter determines what is executed, another one than the job's needs the right to edit
// the job.
func (g *Guard) RunParam(ctx context.Context, namespace, key string, param *string) (*string, int64, error) {
	if param == nil {
		return nil, 0, nil
	}
	j, err := g.config.Jobs.Job(ctx, namespace, key)
	if err != nil {
		return nil, 0, err
	}
	err = g.MayReplace(ctx, &j)
	if (err != nil || len(j.Inputs) > 0) && *param == j.Param { // consoles send what they show
		return nil, 0, nil
	}
	return param, j.Version, err
}

// MayReplace reports why the caller may not give runs of a job another parameter.
func (g *Guard) MayReplace(ctx context.Context, j *job.Job) error {
	caller := intent.Caller(ctx)
	if caller.May(access.Edit, PlaceOf(j)) {
		return nil
	}
	if len(j.Inputs) > 0 {
		return nil // values of these are all that a run is given
	}
	code, _, err := g.codeOf(ctx, j)
	if err != nil || !code.FixesParam() {
		return err
	}
	wrong := job.Errorf(job.Forbidden, "the parameter of job %s determines what %s does: only users who may edit the job can give a run another one", j.Key, code.Name)
	wrong.Field, wrong.Hint = "param", "leave the parameter out to run the job as it is; for values that others may give, an editor gives the job inputs"
	return wrong
}

// MayRepeat reports why the caller may not repeat a run of a job with its parameter. An
// earlier caller was authorized for it, unless it is older than the code that now
// interprets it as more than data.
func (g *Guard) MayRepeat(ctx context.Context, j *job.Job, r *job.Run) error {
	if r.Param == nil || *r.Param == j.Param {
		return nil
	}
	denied := g.MayReplace(ctx, j)
	if !job.Is(denied, job.Forbidden) {
		return denied
	}
	_, from, err := g.codeOf(ctx, j)
	if err != nil {
		return err
	}
	if changed, err := g.inputsChanged(ctx, j, r.CreatedAt); changed || err != nil {
		return cmp.Or(err, denied)
	}
	for _, saved := range []*job.Job{j, from} {
		changes, err := g.config.Revisions.Revisions(ctx, saved.Namespace, saved.Key, jobrows.RevisionQuery{Recoded: true, Limit: 1})
		if err != nil {
			return err
		}
		if len(changes) > 0 && r.CreatedAt.Before(changes[0].At) {
			return denied
		}
	}
	return nil
}

// maxRevisions bounds how many revisions are looked at.
const maxRevisions = 100

// inputsChanged reports whether the inputs of a job have changed since an instant: the
// parameters of runs from before were values of them, and not a whole parameter. It also
// reports so after more changes than it looks at.
func (g *Guard) inputsChanged(ctx context.Context, j *job.Job, since time.Time) (bool, error) {
	changes, err := g.config.Revisions.Revisions(ctx, j.Namespace, j.Key, jobrows.RevisionQuery{Limit: maxRevisions})
	if err != nil {
		return false, err
	}
	for i := range changes {
		switch {
		case !since.Before(changes[i].At):
			return false, nil
		case slices.Contains(changes[i].Changed, "inputs"):
			return true, nil
		}
	}
	return len(changes) == maxRevisions, nil
}

// CheckTemplate reports what is wrong with a template of the parameter of a job's runs.
func (g *Guard) CheckTemplate(ctx context.Context, j *job.Job, field, template string) error {
	code, _, err := g.codeOf(ctx, j)
	if err != nil || !code.FixesParam() || len(j.Inputs) > 0 {
		return err
	}
	return job.CheckFixedTemplate(field, template)
}

// InField returns an error of a right under the name of the field that it is about.
func InField(field string, err error) error {
	if wrong, is := errors.AsType[*job.Error](err); is {
		named := *wrong
		named.Field = field
		return &named
	}
	return err
}

// codeOf returns the code that a job runs, and the job that has it: its template, if it
// follows one, or itself.
func (g *Guard) codeOf(ctx context.Context, j *job.Job) (*job.Handler, *job.Job, error) {
	if j.Template == 0 || j.TemplateVersion != 0 {
		return &j.Handler, j, nil
	}
	template, err := g.config.Jobs.Job(ctx, j.Namespace, j.TemplateKey) // running the job needs no right on it
	return &template.Handler, &template, err
}

// PlaceOf returns where a job is.
func PlaceOf(j *job.Job) access.Object {
	return access.Object{Namespace: j.Namespace, Group: j.Group}
}

// JobFor returns a job, as it is stored, that the caller has a right on. For one who
// may not see it, it does not exist.
func (g *Guard) JobFor(ctx context.Context, right access.Right, namespace, key string) (job.Job, error) {
	noteAsked(ctx)
	missing := unseen(intent.Object{Kind: KindJob, Namespace: namespace, Key: key})
	j, err := g.config.Jobs.Job(ctx, namespace, key)
	if job.Is(err, job.NotFound) {
		return job.Job{}, missing
	}
	if err != nil {
		return job.Job{}, err
	}
	switch caller := intent.Caller(ctx); {
	case caller.May(right, PlaceOf(&j)):
		return j, nil
	case caller.May(access.View, PlaceOf(&j)):
		return job.Job{}, access.Denied(&caller, right)
	}
	return job.Job{}, missing
}
