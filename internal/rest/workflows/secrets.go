package workflows

import (
	"context"
	"net/http"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

const tagSecrets = "secrets"

// Secrets is all that the API asks about named secrets.
type Secrets interface {
	SecretKeeper
	SecretReader
}

// SecretKeeper keeps named secrets. Values go in, and do not come out.
type SecretKeeper interface {
	Create(ctx context.Context, s job.Secret, value redacted.Text) (job.Secret, error)
	Update(ctx context.Context, namespace, key string, c secrets.Change) (job.Secret, error)
	Delete(ctx context.Context, namespace, key string, force bool) error
}

// SecretReader reads the metadata of named secrets.
type SecretReader interface {
	Secret(ctx context.Context, namespace, key string) (job.Secret, error)
	Secrets(ctx context.Context, namespace string) ([]job.Secret, error)
	// Uses returns the jobs that refer to a secret, at most [secrets.MaxUses].
	Uses(ctx context.Context, namespace, key string) ([]job.Job, error)
}

type secretSpace struct {
	Namespace string `query:"namespace" default:"default" doc:"Secrets of this namespace; * for those of all that the caller may see."`
}

type secretPath struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the secret."`
	Key       string `path:"key" doc:"The secret's key."`
}

type newSecret struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace when the body names none."`
	Body      api.NewSecret
}

type changeSecret struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the secret."`
	Key       string `path:"key" doc:"The secret's key."`
	Body      api.SecretChange
}

type deleteSecret struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the secret."`
	Key       string `path:"key" doc:"The secret's key."`
	Force     bool   `query:"force" doc:"Delete it although jobs refer to it: their runs fail from then on."`
}

type secretReply struct{ Body api.Secret }

type secretCreated struct {
	Location string `header:"Location" doc:"The path of the secret."`
	Body     api.Secret
}

type secretList struct{ Body api.SecretList }

type secretJobList struct{ Body api.SecretJobList }

func (s *workflowRoom) registerSecrets() {
	tags := []string{tagSecrets}
	guard.Register(s.Guard, guard.Op{
		ID: "list-secrets", Method: http.MethodGet, Path: "/secrets", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary:     "List named secrets in order of namespace and key, without their values",
		Description: "Those that are for the jobs of some groups are shown to those who may see one of these groups.",
	}, s.listSecrets)
	guard.Register(s.Guard, guard.Op{
		ID: "create-secret", Method: http.MethodPost, Path: "/secrets", Tags: tags,
		Right: access.Own, Scope: guard.InBody, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindSecret, Made: true, Dry: true},
		Summary: "Create a named secret",
		Description: "Jobs refer to it as ${secret:KEY} in their parameter and in the values of their labels: the value takes that place when a task is sent, " +
			"is hidden in logs and messages, and is never shown again.",
	}, s.createSecret)
	guard.Register(s.Guard, guard.Op{
		ID: "get-secret", Method: http.MethodGet, Path: "/secrets/{key}", Tags: tags,
		Right: access.View, Scope: guard.OnSecret, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindSecret},
		Summary: "Show a named secret, without its value",
	}, s.getSecret)
	guard.Register(s.Guard, guard.Op{
		ID: "update-secret", Method: http.MethodPatch, Path: "/secrets/{key}", Tags: tags,
		Right: access.Own, Scope: guard.OnSecret, Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindSecret, Dry: true},
		Summary:     "Change a named secret, or set a new value",
		Description: "Absent fields stay as they are. Runs that start from then on get the new value, and so do retries of older ones.",
	}, s.updateSecret)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-secret", Method: http.MethodDelete, Path: "/secrets/{key}", Tags: tags,
		Right: access.Own, Scope: guard.OnSecret, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindSecret, Dry: true},
		Summary: "Delete a named secret that no job refers to",
	}, s.deleteSecret)
	guard.Register(s.Guard, guard.Op{
		ID: "list-secret-jobs", Method: http.MethodGet, Path: "/secrets/{key}/jobs", Tags: tags,
		Right: access.View, Scope: guard.OnSecret, Class: guard.Searching,
		Summary: "List the jobs that refer to a named secret, as far as the caller may see them",
	}, s.listSecretJobs)
}

func (s *workflowRoom) listSecrets(ctx context.Context, in *secretSpace) (*secretList, error) {
	sight := s.Sight(ctx, access.View)
	found, err := s.config.Secrets.Secrets(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	list := api.SecretList{Secrets: []api.Secret{}}
	for i := range found {
		if slices.ContainsFunc(access.OfSecret(&found[i]), sight.Sees) {
			list.Secrets = append(list.Secrets, api.FromSecret(found[i]))
		}
	}
	return &secretList{list}, nil
}

func (s *workflowRoom) createSecret(ctx context.Context, in *newSecret) (*secretCreated, error) {
	wanted := job.Secret{
		Namespace: operation.FirstOf(in.Body.Namespace, in.Namespace), Key: in.Body.Key, Title: in.Body.Title, Groups: in.Body.Groups,
		CreatedBy: nameOfCaller(ctx),
	}
	if err := s.Allow(ctx, access.Own, access.OfSecret(&wanted)...); err != nil {
		return nil, err
	}
	made, err := s.config.Secrets.Create(ctx, wanted, redacted.New(in.Body.Value))
	if err != nil {
		return nil, err
	}
	return &secretCreated{Location: guard.PathIn("/secrets/", made.Key, made.Namespace), Body: api.FromSecret(made)}, nil
}

func (s *workflowRoom) getSecret(ctx context.Context, in *secretPath) (*secretReply, error) {
	return replySecret(s.config.Secrets.Secret(ctx, in.Namespace, in.Key))
}

func (s *workflowRoom) updateSecret(ctx context.Context, in *changeSecret) (*secretReply, error) {
	c := secrets.Change{Title: in.Body.Title, Groups: in.Body.Groups, Version: in.Body.Version, Force: in.Body.Force, By: nameOfCaller(ctx)}
	if in.Body.Groups != nil { // the new place counts in addition to the present one
		moved := job.Secret{Namespace: in.Namespace, Groups: *in.Body.Groups}
		if err := s.Allow(ctx, access.Own, access.OfSecret(&moved)...); err != nil {
			return nil, err
		}
	}
	if in.Body.Value != nil {
		value := redacted.New(*in.Body.Value)
		c.Value = &value
	}
	return replySecret(s.config.Secrets.Update(ctx, in.Namespace, in.Key, c))
}

func (s *workflowRoom) deleteSecret(ctx context.Context, in *deleteSecret) (*struct{}, error) {
	return nil, s.config.Secrets.Delete(ctx, in.Namespace, in.Key, in.Force)
}

func (s *workflowRoom) listSecretJobs(ctx context.Context, in *secretPath) (*secretJobList, error) {
	if _, err := s.config.Secrets.Secret(ctx, in.Namespace, in.Key); err != nil {
		return nil, err
	}
	found, err := s.config.Secrets.Uses(ctx, in.Namespace, in.Key)
	if err != nil {
		return nil, err
	}
	sight := s.Sight(ctx, access.View)
	list := api.SecretJobList{Jobs: []api.SecretJob{}, More: len(found) >= secrets.MaxUses}
	for i := range found {
		if j := &found[i]; sight.Sees(access.Object{Namespace: j.Namespace, Group: j.Group}) {
			list.Jobs = append(list.Jobs, api.SecretJob{Namespace: j.Namespace, Key: j.Key, Group: j.Group, Field: j.SecretField(in.Key)})
		}
	}
	return &secretJobList{list}, nil
}

// nameOfCaller returns the name of who calls.
func nameOfCaller(ctx context.Context) string {
	caller := intent.Caller(ctx)
	return caller.Name
}

func replySecret(found job.Secret, err error) (*secretReply, error) {
	if err != nil {
		return nil, err
	}
	return &secretReply{api.FromSecret(found)}, nil
}
