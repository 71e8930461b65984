package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// runParam returns the parameter of a run that the caller requests, in the form of the
// store, and the version of the job that it is for; nil for the job's own. Where the
// parameter determines what is executed, another one than the job's needs the right to edit
// the job.
func (s *server) runParam(ctx context.Context, namespace, key string, param *string) (*string, int64, error) {
	if param == nil {
		return nil, 0, nil
	}
	j, err := s.config.Jobs.Job(ctx, namespace, key)
	if err != nil {
		return nil, 0, err
	}
	err = s.mayReplace(ctx, &j)
	if (err != nil || len(j.Inputs) > 0) && *param == j.Param { // consoles send what they show
		return nil, 0, nil
	}
	return param, j.Version, err
}

// mayReplace reports why the caller may not give runs of a job another parameter.
func (s *server) mayReplace(ctx context.Context, j *job.Job) error {
	caller := intent.Caller(ctx)
	if caller.May(access.Edit, placeOf(j)) {
		return nil
	}
	if len(j.Inputs) > 0 {
		return nil // values of these are all that a run is given
	}
	code, _, err := s.codeOf(ctx, j)
	if err != nil || !code.FixesParam() {
		return err
	}
	wrong := job.Errorf(job.Forbidden, "the parameter of job %s determines what %s does: only users who may edit the job can give a run another one", j.Key, code.Name)
	wrong.Field, wrong.Hint = "param", "leave the parameter out to run the job as it is; for values that others may give, an editor gives the job inputs"
	return wrong
}

// mayRepeat reports why the caller may not repeat a run of a job with its parameter. An
// earlier caller was authorized for it, unless it is older than the code that now
// interprets it as more than data.
func (s *server) mayRepeat(ctx context.Context, j *job.Job, r *job.Run) error {
	if r.Param == nil || *r.Param == j.Param {
		return nil
	}
	denied := s.mayReplace(ctx, j)
	if !job.Is(denied, job.Forbidden) {
		return denied
	}
	_, from, err := s.codeOf(ctx, j)
	if err != nil {
		return err
	}
	if changed, err := s.inputsChanged(ctx, j, r.CreatedAt); changed || err != nil {
		return cmp.Or(err, denied)
	}
	for _, saved := range []*job.Job{j, from} {
		changes, err := s.config.Revisions.Revisions(ctx, saved.Namespace, saved.Key, catalog.RevisionQuery{Recoded: true, Limit: 1})
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
func (s *server) inputsChanged(ctx context.Context, j *job.Job, since time.Time) (bool, error) {
	changes, err := s.config.Revisions.Revisions(ctx, j.Namespace, j.Key, catalog.RevisionQuery{Limit: maxRevisions})
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

// checkTemplate reports what is wrong with a template of the parameter of a job's runs.
func (s *server) checkTemplate(ctx context.Context, j *job.Job, field, template string) error {
	code, _, err := s.codeOf(ctx, j)
	if err != nil || !code.FixesParam() || len(j.Inputs) > 0 {
		return err
	}
	return job.CheckFixedTemplate(field, template)
}

// checkNodes reports what is wrong with the parameters of a workflow's nodes. Who saves a
// workflow may edit all jobs of its namespace.
func (s *server) checkNodes(ctx context.Context, w *job.Workflow) error {
	for i := range min(len(w.Nodes), job.MaxWorkflowNodes) {
		n := &w.Nodes[i]
		if n.Param == nil || !strings.Contains(*n.Param, "{{") {
			continue
		}
		j, err := s.config.Jobs.Job(ctx, w.Namespace, n.Job)
		if err == nil {
			err = s.checkTemplate(ctx, &j, fmt.Sprintf("nodes[%d].param", i), *n.Param)
		}
		if err != nil && !job.Is(err, job.NotFound) { // the keeper reports a job that is missing
			return err
		}
	}
	return nil
}

// redriveRights finds out which dead runs the caller may have again, with a parameter for
// all of them or each with its own. Each job is read once. One goroutine uses it.
type redriveRights struct {
	server *server
	param  *string
	jobs   map[int64]redriveRight
}

// redriveRight is a job, and why its runs may get no other parameter; the job is nil when
// it is gone.
type redriveRight struct {
	job    *job.Job
	denied error
}

func (s *server) redriving(param *string) *redriveRights {
	return &redriveRights{s, param, make(map[int64]redriveRight)}
}

// may reports why the caller may not have a dead run again, and the version of its job that
// this holds for.
func (r *redriveRights) may(ctx context.Context, d *job.DeadLetter) (version int64, err error) {
	right, err := r.of(ctx, d)
	if err != nil || right.job == nil {
		return 0, err // the catalog reports a job that is gone
	}
	version = right.job.Version
	if right.denied == nil && r.param != nil {
		return version, right.job.CheckRunParam(*r.param)
	}
	if right.denied == nil {
		return version, nil
	}
	if r.param != nil || !job.Is(right.denied, job.Forbidden) {
		return version, right.denied
	}
	dead, err := r.server.config.Runs.Run(ctx, d.RunID)
	if err != nil {
		return version, err
	}
	return version, r.server.mayRepeat(ctx, right.job, &dead)
}

func (r *redriveRights) of(ctx context.Context, d *job.DeadLetter) (redriveRight, error) {
	if known, is := r.jobs[d.JobID]; is {
		return known, nil
	}
	var right redriveRight
	j, err := r.server.config.Jobs.Job(ctx, d.Namespace, d.JobKey)
	switch {
	case job.Is(err, job.NotFound):
	case err != nil:
		return right, err
	case j.ID == d.JobID:
		right = redriveRight{&j, r.server.mayReplace(ctx, &j)}
	}
	r.jobs[d.JobID] = right
	return right, nil
}

// inField returns an error of a right under the name of the field that it is about.
func inField(field string, err error) error {
	if wrong, is := errors.AsType[*job.Error](err); is {
		named := *wrong
		named.Field = field
		return &named
	}
	return err
}

// codeOf returns the code that a job runs, and the job that has it: its template, if it
// follows one, or itself.
func (s *server) codeOf(ctx context.Context, j *job.Job) (*job.Handler, *job.Job, error) {
	if j.Template == 0 || j.TemplateVersion != 0 {
		return &j.Handler, j, nil
	}
	template, err := s.config.Jobs.Job(ctx, j.Namespace, j.TemplateKey) // running the job needs no right on it
	return &template.Handler, &template, err
}
