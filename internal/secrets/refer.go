package secrets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// CheckJob reports why a job that is to be saved may not refer to the secrets that it
// names. was is the job before, nil for a new one: what it referred to already is not
// looked at again as long as it stays in its group, so that the rest of a job can be
// changed whose secret is gone. Kinds: Invalid with the field at fault, Unavailable.
func (b *Book) CheckJob(ctx context.Context, j, was *job.Job) error {
	keys, err := j.SecretKeys()
	if err != nil || len(keys) == 0 {
		return err
	}
	var before []string
	if was != nil && was.Group == j.Group && was.Namespace == j.Namespace {
		before, _ = was.SecretKeys() // what was none before is looked at now
	}
	book, err := b.readEdition(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if slices.Contains(before, key) {
			continue
		}
		if _, err := book.findSecret(key, j); err != nil {
			err.Field = j.SecretField(key)
			return err
		}
	}
	return nil
}

// findSecret returns the secret that a job refers to, or why there is none for it.
func (e *edition) findSecret(key string, j *job.Job) (*cachedSecret, *job.Error) {
	found, known := e.values[secretName{j.Namespace, key}]
	switch {
	case !known:
		wrong := job.Errorf(job.Invalid, "secret %s does not exist in namespace %s", key, j.Namespace)
		wrong.Hint = "make it first: 'orth secret set " + key + "'"
		return nil, wrong
	case !found.secret.Serves(j.Group):
		wrong := job.Errorf(job.Invalid, "secret %s is not for jobs of group %s", key, j.Group)
		wrong.Hint = "its owners set the groups that may use it"
		return nil, wrong
	case found.err != nil:
		return nil, job.Errorf(job.Invalid, "secret %s cannot be opened: its value has to be set again", key)
	}
	return &found, nil
}

// Resolve returns a task of a job with the values in place of the references of the job's
// parameter and labels, as they are at this moment. It resolves none in the parameter of a
// run itself: users who start a run decide nothing about secrets, and neither do results of
// other runs. Kinds: Invalid, in words for the run, Unavailable when the secrets cannot be
// read.
func (b *Book) Resolve(ctx context.Context, j *job.Job, t job.Task) (job.Task, error) {
	refers := job.RefersToSecrets(t.Param)
	for _, text := range t.Labels {
		refers = refers || job.RefersToSecrets(text)
	}
	if !refers {
		return t, nil
	}
	book, err := b.readEdition(ctx)
	if err != nil {
		return job.Task{}, err
	}
	f := filling{book: book, job: j, used: make(map[int64]*job.Secret)}
	if err := f.fillTask(&t); err != nil {
		return job.Task{}, err
	}
	now := time.Now()
	for _, s := range f.used {
		b.noteUse(s, now)
	}
	return t, nil
}

// filling puts values into a task.
type filling struct {
	book *edition
	job  *job.Job
	used map[int64]*job.Secret
}

func (f *filling) fillTask(t *job.Task) (err error) {
	value := f.value
	// With inputs the parameter is the job's, and the values in it name none.
	if t.Param != f.job.Param && len(f.job.Inputs) == 0 {
		value = func(key string) (string, error) {
			return "", job.Errorf(job.Invalid, "it is of this run alone, and secret %s can be named by the parameter of the job itself only", key)
		}
	}
	if t.Param, err = job.FillSecrets(t.Param, job.MaxParam, value); err != nil {
		return fmt.Errorf("put secrets into the parameter: %w", err)
	}
	if len(t.Param) > job.MaxParam {
		return job.Errorf(job.Invalid, "put secrets into the parameter: it has %d bytes with them, at most %d are allowed", len(t.Param), job.MaxParam)
	}
	t.Labels = maps.Clone(t.Labels) // the job keeps its own
	for name, text := range t.Labels {
		if t.Labels[name], err = job.FillSecrets(text, job.MaxLabelsText, f.value); err != nil {
			return fmt.Errorf("put secrets into label %s: %w", name, err)
		}
	}
	if err := job.CheckTaskLabels("labels", t.Labels); err != nil {
		return fmt.Errorf("put secrets into the labels: %w", err)
	}
	return nil
}

// value returns the value of a secret that the job refers to.
func (f *filling) value(key string) (string, error) {
	found, err := f.book.findSecret(key, f.job)
	if err != nil {
		return "", err
	}
	f.used[found.secret.ID] = &found.secret
	return found.value.Reveal(), nil
}
