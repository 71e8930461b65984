package jobs

import (
	"cmp"
	"context"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Secrets knows which secrets jobs may refer to.
type Secrets interface {
	// CheckJob reports why a job that is to be saved may not refer to the secrets that
	// it names. was is the job before, nil for a new one. Kinds: Invalid with the field
	// at fault, Unavailable.
	CheckJob(ctx context.Context, j, was *job.Job) error
}

// noSecrets is for a catalog without any: no job may refer to one.
type noSecrets struct{}

// CheckJob implements Secrets.
func (noSecrets) CheckJob(_ context.Context, j, _ *job.Job) error {
	keys, err := j.SecretKeys()
	if err == nil && len(keys) > 0 {
		err = job.FieldErrorf(j.SecretField(keys[0]), "refers to secret %s, and this server keeps none", keys[0])
	}
	return err
}

// checkRunParam reports what is wrong with the parameter of a run of a job, nil for none
// of its own: a job may have inputs that need a value.
func checkRunParam(j *job.Job, param *string) error {
	switch {
	case param != nil:
		return cmp.Or(jobrows.CheckParam(*param), j.CheckRunParam(*param))
	case len(j.Inputs) > 0:
		return j.CheckRunParam("")
	}
	return nil
}
