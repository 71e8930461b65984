package resttest

import (
	"context"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

// fakeSecrets notes what the API asks about named secrets.
type fakeSecrets struct{ *Fake }

func aSecret() job.Secret {
	return job.Secret{
		ID: 3, Namespace: "default", Key: "billing-api", Title: "Billing", Groups: []string{"g"}, Version: 2, CreatedBy: "ada", UpdatedBy: "bob",
		CreatedAt: Instant, UpdatedAt: Instant, ReplacedAt: Instant, UsedAt: Instant,
	}
}

func (f fakeSecrets) Create(_ context.Context, s job.Secret, value redacted.Text) (job.Secret, error) {
	made := aSecret()
	made.Namespace, made.Key = s.Namespace, s.Key
	return made, f.Note("create secret %s/%s %q of %s for %v: %s", s.Namespace, s.Key, s.Title, s.CreatedBy, s.Groups, value.Reveal())
}

func (f fakeSecrets) Update(_ context.Context, namespace, key string, c secrets.Change) (job.Secret, error) {
	said := ""
	if c.Title != nil {
		said += " title " + *c.Title
	}
	if c.Groups != nil {
		said += " groups " + jsonOf(*c.Groups)
	}
	if c.Value != nil {
		said += " value " + c.Value.Reveal()
	}
	return aSecret(), f.Note("update secret %s/%s at %d by %s, forced %t:%s", namespace, key, c.Version, c.By, c.Force, said)
}

func (f fakeSecrets) Delete(_ context.Context, namespace, key string, force bool) error {
	return f.Note("delete secret %s/%s, forced %t", namespace, key, force)
}

func (f fakeSecrets) Secret(_ context.Context, namespace, key string) (job.Secret, error) {
	return aSecret(), f.Note("secret %s/%s", namespace, key)
}

func (f fakeSecrets) Secrets(_ context.Context, namespace string) ([]job.Secret, error) {
	wide, other := aSecret(), aSecret()
	wide.Key, wide.Groups = "wide", nil
	other.Key, other.Groups = "other", []string{"h"}
	return []job.Secret{aSecret(), other, wide}, f.Note("secrets of %s", namespace)
}

func (f fakeSecrets) Uses(_ context.Context, namespace, key string) ([]job.Job, error) {
	return []job.Job{
		{Namespace: namespace, Key: "report", Group: "g", Param: "${secret:" + key + "}"},
		{Namespace: namespace, Key: "sync", Group: "h", Labels: map[string]string{"token": "${secret:" + key + "}"}},
	}, f.Note("users of %s/%s", namespace, key)
}
