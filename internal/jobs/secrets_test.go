package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// knows is a Secrets with one secret, for jobs that had no reference before.
type knows string

func (k knows) CheckJob(_ context.Context, j, was *job.Job) error {
	keys, err := j.SecretKeys()
	if err != nil || was != nil && was.Param == j.Param {
		return err
	}
	for _, key := range keys {
		if key != string(k) {
			return job.FieldErrorf(j.SecretField(key), "secret %s does not exist", key)
		}
	}
	return nil
}

// wantAt checks which field an error names, none for no error.
func wantAt(t *testing.T, what, field string, err error) {
	t.Helper()
	wrong, _ := errors.AsType[*job.Error](err)
	switch {
	case field == "" && err == nil:
	case wrong == nil || wrong.Field != field || wrong.Kind != job.Invalid:
		t.Errorf("%s: %v, want one about %q", what, err, field)
	}
}

func TestJobsReferToSecretsThatExist(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := jobstest.GoodJob()
	j.Param = "${secret:api}"
	_, err := c.CreateJob(t.Context(), j)
	wantAt(t, "a catalog without secrets", "param", err)
	c.config.Secrets = knows("api")
	made, err := c.CreateJob(t.Context(), j)
	wantAt(t, "one that exists", "", err)
	edit := func(param string, labels map[string]string) error {
		_, err := c.UpdateJob(t.Context(), made.Namespace, made.Key, 0, func(j job.Job) (job.Job, error) {
			j.Param, j.Labels = param, labels
			return j, nil
		})
		return err
	}
	wantAt(t, "a label", "labels.token", edit("", map[string]string{"token": "${secret:none}"}))
	wantAt(t, "no reference", "param", edit("${secret:}", nil))
	wantAt(t, "another one", "param", edit("${secret:none}", nil))
	c.config.Secrets = knows("none")
	wantAt(t, "the same one, which is gone", "", edit("${secret:api}", map[string]string{"a": "b"}))
}

// The parameter of a run, and what children get, names no secrets: who starts runs decides
// nothing about them.
func TestRunsNameNoSecrets(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	c.config.Secrets = knows("api")
	j := jobstest.GoodJob()
	made, err := c.CreateJob(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	param, escaped := "x ${secret:api}", "x $${secret:api}"
	_, err = c.Trigger(t.Context(), made.Namespace, made.Key, Trigger{Param: &param})
	wantAt(t, "trigger", "param", err)
	_, err = c.Trigger(t.Context(), made.Namespace, made.Key, Trigger{Param: &escaped})
	wantAt(t, "trigger with the text itself", "", err)
	_, err = c.TryJob(t.Context(), made.Namespace, made.Key, Attempted{Param: &param, Timeout: time.Minute})
	wantAt(t, "trial", "param", err)
	child := jobstest.GoodJob()
	child.Key, child.Children = "parent", []job.Child{{JobID: made.ID, On: job.ChildOnSuccess, Param: param}}
	_, err = c.CreateJob(t.Context(), child)
	wantAt(t, "child", "children", err)
}
