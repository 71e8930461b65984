package api

import "github.com/orthd/orth/job"

// Secret is what may be known of a named secret. Its value is never shown.
type Secret struct {
	ID         int64    `json:"id"`
	Namespace  string   `json:"namespace"`
	Key        string   `json:"key" example:"billing-api" doc:"The key by which jobs refer to it: ${secret:billing-api}."`
	Title      string   `json:"title,omitempty" doc:"A text for people."`
	Groups     []string `json:"groups,omitempty" nullable:"false" doc:"The groups whose jobs may refer to it; none means all of the namespace."`
	Version    int64    `json:"version" doc:"Grows with each change."`
	CreatedBy  string   `json:"created_by"`
	UpdatedBy  string   `json:"updated_by"`
	CreatedAt  Time     `json:"created_at" format:"date-time"`
	UpdatedAt  Time     `json:"updated_at" format:"date-time"`
	ReplacedAt Time     `json:"replaced_at" format:"date-time" doc:"When the value was set."`
	UsedAt     Time     `json:"used_at,omitzero" format:"date-time" doc:"When the value last went out with a task, to the minute."`
}

// NewSecret is a secret to be created.
type NewSecret struct {
	Namespace string   `json:"namespace,omitempty" doc:"Defaults to the namespace of the request."`
	Key       string   `json:"key" example:"billing-api" doc:"Written like the key of a job."`
	Title     string   `json:"title,omitempty" example:"Key for the billing API" doc:"A text for people, of at most 200 characters."`
	Groups    []string `json:"groups,omitempty" nullable:"false" doc:"The groups whose jobs may refer to it, at most 64; none means all of the namespace."`
	Value     string   `json:"value" example:"sk_live_2f9a7c31" doc:"The value, which is never shown again: text of 8 bytes to 64 KiB. It is kept sealed."`
}

// SecretChange is a change of a secret. Absent fields stay as they are.
type SecretChange struct {
	Title   *string   `json:"title,omitempty" doc:"A text for people."`
	Groups  *[]string `json:"groups,omitempty" doc:"The groups whose jobs may refer to it; an empty list means all of the namespace."`
	Value   *string   `json:"value,omitempty" doc:"Replaces the value: runs that start from then on get it, retries too."`
	Version int64     `json:"version,omitempty" minimum:"0" doc:"Change it only if it has this version."`
	Force   bool      `json:"force,omitempty" doc:"Limit it to groups although jobs of others refer to it: their runs fail from then on."`
}

// SecretList is the secrets of a namespace in order of key.
type SecretList struct {
	Secrets []Secret `json:"secrets" nullable:"false"`
}

// SecretJob is a job that refers to a secret.
type SecretJob struct {
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	Group     string `json:"group"`
	Field     string `json:"field" doc:"Where it refers to it: param, or labels.NAME."`
}

// SecretJobList is the jobs that refer to a secret, in order of key.
type SecretJobList struct {
	Jobs []SecretJob `json:"jobs" nullable:"false"`
	More bool        `json:"more,omitempty" doc:"Whether there may be others: a thousand are looked at."`
}

// FromSecret returns the secret as the API shows it.
func FromSecret(s job.Secret) Secret {
	return Secret{
		ID: s.ID, Namespace: s.Namespace, Key: s.Key, Title: s.Title, Groups: s.Groups, Version: s.Version, CreatedBy: s.CreatedBy, UpdatedBy: s.UpdatedBy,
		CreatedAt: At(s.CreatedAt), UpdatedAt: At(s.UpdatedAt), ReplacedAt: At(s.ReplacedAt), UsedAt: At(s.UsedAt),
	}
}
