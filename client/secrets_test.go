package client_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

// secretMemory keeps one named secret.
type secretMemory struct {
	secret *job.Secret
	value  string
}

func (m *secretMemory) Create(_ context.Context, s job.Secret, value redacted.Text) (job.Secret, error) {
	if m.secret != nil {
		return job.Secret{}, job.Errorf(job.Conflict, "it exists already")
	}
	s.ID, s.Version, s.CreatedAt, s.UpdatedAt, s.ReplacedAt = 1, 1, instant, instant, instant
	m.secret, m.value = &s, value.Reveal()
	err := s.Check()
	return s, err
}

func (m *secretMemory) Update(ctx context.Context, namespace, key string, c secrets.Change) (job.Secret, error) {
	s, err := m.Secret(ctx, namespace, key)
	if err == nil && c.Version != 0 && c.Version != s.Version {
		err = job.Errorf(job.Conflict, "it has another version")
	}
	if err != nil {
		return s, err
	}
	if c.Title != nil {
		m.secret.Title = *c.Title
	}
	if c.Groups != nil {
		m.secret.Groups = *c.Groups
	}
	if c.Value != nil {
		m.value = c.Value.Reveal()
	}
	m.secret.Version++
	return *m.secret, nil
}

func (m *secretMemory) Delete(ctx context.Context, namespace, key string, force bool) error {
	_, err := m.Secret(ctx, namespace, key)
	if err == nil && !force {
		return job.Errorf(job.Conflict, "jobs need it")
	}
	m.secret = nil
	return err
}

func (m *secretMemory) Secret(_ context.Context, namespace, key string) (job.Secret, error) {
	if m.secret == nil || m.secret.Key != key || m.secret.Namespace != namespace {
		return job.Secret{}, missing("secret " + key)
	}
	return *m.secret, nil
}

func (m *secretMemory) Secrets(context.Context, string) ([]job.Secret, error) {
	if m.secret == nil {
		return nil, nil
	}
	return []job.Secret{*m.secret}, nil
}

func (m *secretMemory) Uses(_ context.Context, namespace, key string) ([]job.Job, error) {
	return []job.Job{{Namespace: namespace, Key: "report", Group: "g", Param: "${secret:" + key + "}"}}, nil
}

// Named secrets go to a real API, and come back without their values.
func TestSecrets(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	want := api.Secret{
		ID: 1, Namespace: "default", Key: "api", Title: "A", Groups: []string{"g"}, Version: 1, CreatedBy: "system", CreatedAt: api.At(instant), UpdatedAt: api.At(instant), ReplacedAt: api.At(instant),
	}
	made, err := c.CreateSecret(t.Context(), api.NewSecret{Key: "api", Title: "A", Groups: []string{"g"}, Value: "hush-hush"})
	if diff := cmp.Diff(want, made); err != nil || diff != "" || m.secrets.value != "hush-hush" {
		t.Errorf("made %s, %v", diff, err)
	}
	if _, err := c.CreateSecret(t.Context(), api.NewSecret{Key: "api", Value: "hush-hush"}); !job.Is(err, job.Conflict) {
		t.Errorf("made twice: %v", err)
	}
	value, none := "other-value", []string{}
	changed, err := c.UpdateSecret(t.Context(), "api", api.SecretChange{Value: &value, Groups: &none, Version: 1})
	if err != nil || changed.Version != 2 || len(changed.Groups) != 0 || m.secrets.value != value {
		t.Errorf("changed %+v, %v", changed, err)
	}
	if _, err := c.UpdateSecret(t.Context(), "api", api.SecretChange{Value: &value, Version: 1}); !job.Is(err, job.Conflict) {
		t.Errorf("changed an old version: %v", err)
	}
	one, err := c.Secret(t.Context(), "api")
	all, listErr := c.Secrets(t.Context())
	if diff := cmp.Diff([]api.Secret{one}, all); err != nil || listErr != nil || diff != "" {
		t.Errorf("one and all differ: %s, %v, %v", diff, err, listErr)
	}
	jobs, err := c.SecretJobs(t.Context(), "api")
	if err != nil || len(jobs.Jobs) != 1 || jobs.Jobs[0].Field != "param" {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
	if err := c.DeleteSecret(t.Context(), "api", false); !job.Is(err, job.Conflict) {
		t.Errorf("deleted although it is needed: %v", err)
	}
	if err := c.DeleteSecret(t.Context(), "api", true); err != nil {
		t.Errorf("delete: %v", err)
	}
	if _, err := c.Secret(t.Context(), "api"); !job.Is(err, job.NotFound) {
		t.Errorf("after that: %v", err)
	}
	for _, err := range []error{c.DeleteSecret(t.Context(), "../x", true), second(c.Secret(t.Context(), "")), second(c.SecretJobs(t.Context(), "A"))} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("a key that none can have: %v", err)
		}
	}
}
