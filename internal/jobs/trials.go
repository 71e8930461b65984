package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// Trials keeps what is tried.
type Trials interface {
	// AddTrial writes a run and what it tries. Kinds: NotFound when the job does not
	// exist, Conflict when the owner is trying it already, Full when too many trials
	// are under way.
	AddTrial(ctx context.Context, r job.Run, t job.Trial) error
	// Trials returns what those of the runs try that are trials.
	Trials(ctx context.Context, runs []int64) ([]job.Trial, error)
}

// Attempted is a user's trial: with the author alone it tries the job as it is.
type Attempted struct {
	// By is the user who tries it, and Owner identifies whose trials are whose.
	By    job.Author
	Owner string
	// Code is a source in the place of the job's, of the Kind, which defaults to that of
	// the job's own; nil for the job's own.
	Code *string
	Kind job.HandlerKind
	// Param, when it is not nil, takes the place of the job's own. The run is made only
	// while the job has JobVersion, the one that Param was given for; zero is any.
	Param      *string
	JobVersion int64
	// Timeout is 1 s to [job.MaxTrialTimeout]. Defaults to [job.DefaultTrialTimeout].
	Timeout time.Duration
	// Address is the executor that it is to run on; empty for any of the job's group.
	Address string
}

// TryJob makes a run that tries a job, started or not: nothing follows from its end.
// Kinds: Invalid with the field at fault, NotFound, Conflict while the caller is trying
// the job already, Full.
func (c *Catalog) TryJob(ctx context.Context, namespace, key string, a Attempted) (job.Run, error) {
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return job.Run{}, err
	}
	trial := job.Trial{JobID: j.ID, By: a.By, Owner: a.Owner, Timeout: a.Timeout}
	if trial.Timeout == 0 {
		trial.Timeout = job.DefaultTrialTimeout
	}
	if err := trial.Check(); err != nil {
		return job.Run{}, err
	}
	if trial.Handler, err = c.tried(ctx, &j, &a); err != nil {
		return job.Run{}, err
	}
	if err := checkRunParam(&j, a.Param); err != nil {
		return job.Run{}, err
	}
	var addresses []string
	if a.Address != "" {
		if addresses, err = c.addressesOf(&j, []string{a.Address}); err != nil {
			return job.Run{}, asField("address", err)
		}
	}
	id, err := c.config.IDs.NextRunID(ctx)
	if err != nil {
		return job.Run{}, fmt.Errorf("draw a run id: %w", err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	trial.RunID = id
	r := job.Run{
		ID: id, JobID: j.ID, JobKey: j.Key, JobVersion: a.JobVersion, GroupID: j.GroupID, ReadyAt: now, DueAt: now, CreatedAt: now,
		Cause: job.CauseTrial, CauseID: id, State: job.Planned, Param: a.Param, Addresses: addresses,
	}
	if !slices.ContainsFunc(c.config.Leases.Executors(), func(e job.Executor) bool { return e.GroupID == j.GroupID }) {
		r.Reason = fmt.Sprintf("no executor of group %s is alive", j.Group)
	}
	if err := c.config.Trials.AddTrial(ctx, r, trial); err != nil {
		return job.Run{}, fmt.Errorf("try job %s: %w", key, err)
	}
	c.config.Hooks.Ready(now)
	return r, nil
}

// tried returns the code that is tried in the place of the job's, nil for the job's.
func (c *Catalog) tried(ctx context.Context, j *job.Job, a *Attempted) (*job.Handler, error) {
	if a.Code == nil {
		if a.Kind != "" {
			return nil, job.FieldErrorf("kind", "is that of code, and there is none: leave it out, or give the code")
		}
		return nil, nil
	}
	h := job.Handler{Kind: a.Kind, Source: *a.Code, SourceAt: time.Now().UTC().Truncate(time.Millisecond)}
	if h.Kind == "" {
		own := j.Handler
		if j.Template != 0 && j.TemplateVersion == 0 {
			template, err := c.template(ctx, j.Template)
			if err != nil {
				return nil, err
			}
			own = template.Handler
		}
		if h.Kind = own.Kind; !h.Kind.Script() {
			return nil, job.FieldErrorf("kind", "is missing: job %s runs code of its executor, so say what kind of script the code is", j.Key)
		}
	}
	if !h.Kind.Script() {
		return nil, job.FieldErrorf("kind", "%q is no kind of script", string(h.Kind))
	}
	if err := checkHandler(h); err != nil {
		return nil, asField("code", err)
	}
	return &h, nil
}

// asField returns an error about a field under the name that it has here.
func asField(field string, err error) error {
	if wrong, is := errors.AsType[*job.Error](err); is && wrong.Field != "" {
		named := *wrong
		named.Field = field
		return &named
	}
	return err
}

// Trial returns what a run tries. Kinds: NotFound, also when the run is no trial.
func (c *Catalog) Trial(ctx context.Context, run int64) (job.Trial, error) {
	found, err := c.config.Trials.Trials(ctx, []int64{run})
	switch {
	case err != nil:
		return job.Trial{}, err
	case len(found) == 0:
		return job.Trial{}, job.Errorf(job.NotFound, "run %d tries nothing: it is no trial", run)
	}
	return found[0], nil
}
