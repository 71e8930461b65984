package secrets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Change is what changes about a secret; nil leaves a part as it is.
type Change struct {
	Title  *string
	Groups *[]string
	Value  *redacted.Text
	// By is the name of who changes it.
	By string
	// Version is the one that the change was made for; 0 for any.
	Version int64
	// Force limits a secret to groups although jobs of others refer to it: their runs
	// fail from then on.
	Force bool
}

// Secret returns what may be known of a secret, or NotFound.
func (b *Book) Secret(ctx context.Context, namespace, key string) (job.Secret, error) {
	return b.config.Store.Secret(ctx, namespace, key)
}

// Secrets returns those of a namespace, [access.All] for all, in order of namespace and
// key.
func (b *Book) Secrets(ctx context.Context, namespace string) ([]job.Secret, error) {
	return b.config.Store.Secrets(ctx, namespace)
}

// Create writes a new secret, which CreatedBy makes. Kinds: Invalid with the field at fault, Conflict when its
// key is taken, Full, Unavailable.
func (b *Book) Create(ctx context.Context, s job.Secret, value redacted.Text) (job.Secret, error) {
	now := present()
	s.ID, s.Version, s.UsedAt = 0, 0, time.Time{}
	s.Groups = sorted(s.Groups)
	s.CreatedAt, s.UpdatedAt, s.ReplacedAt, s.UpdatedBy = now, now, now, s.CreatedBy
	if err := s.Check(); err != nil {
		return job.Secret{}, err
	}
	v, err := b.sealValue(&s, value)
	if err != nil {
		return job.Secret{}, err
	}
	return b.saveSecret(ctx, "create", s, v)
}

// Update changes a secret. Runs that start from then on get the new value, retries of
// older ones too. Kinds: those of Create, NotFound; Conflict too when it has another
// version, and when jobs of groups refer to it that it is no longer for.
func (b *Book) Update(ctx context.Context, namespace, key string, c Change) (job.Secret, error) {
	s, err := b.config.Store.Secret(ctx, namespace, key)
	if err != nil {
		return job.Secret{}, err
	}
	if c.Version != 0 && c.Version != s.Version {
		wrong := job.Errorf(job.Conflict, "secret %s has version %d by now, and the change was made for version %d", key, s.Version, c.Version)
		wrong.Hint = "look at the secret as it stands, and change that"
		return job.Secret{}, wrong
	}
	was := s
	if c.Title != nil {
		s.Title = *c.Title
	}
	if c.Groups != nil {
		s.Groups = sorted(*c.Groups)
	}
	if err := s.Check(); err != nil {
		return job.Secret{}, err
	}
	var v *Value
	if c.Value != nil {
		if v, err = b.sealValue(&s, *c.Value); err != nil {
			return job.Secret{}, err
		}
	} else if s.Title == was.Title && slices.Equal(s.Groups, was.Groups) {
		return was, nil
	}
	if !c.Force && !slices.Equal(s.Groups, was.Groups) {
		if err := b.stillServes(ctx, &s); err != nil {
			return job.Secret{}, err
		}
	}
	s.UpdatedAt, s.UpdatedBy = present(), c.By
	if v != nil {
		s.ReplacedAt = s.UpdatedAt
	}
	return b.saveSecret(ctx, "change", s, v)
}

// Delete removes a secret that no job refers to, or with force any: the runs of those
// that do fail from then on. Kinds: NotFound, Conflict with some of the jobs.
func (b *Book) Delete(ctx context.Context, namespace, key string, force bool) error {
	s, err := b.config.Store.Secret(ctx, namespace, key)
	if err != nil {
		return err
	}
	if !force {
		users, err := b.Uses(ctx, namespace, key)
		if err != nil {
			return err
		}
		if len(users) > 0 {
			return inUse(key, users)
		}
	}
	if err := b.config.Store.DeleteSecret(ctx, s, present()); err != nil {
		return fmt.Errorf("delete secret %s: %w", key, err)
	}
	b.changed(ctx)
	return nil
}

// Uses returns the jobs that refer to a secret in order of key, at most MaxUses of them.
func (b *Book) Uses(ctx context.Context, namespace, key string) ([]job.Job, error) {
	found, err := b.config.Store.SecretUses(ctx, namespace, key, MaxUses)
	if err != nil {
		return nil, fmt.Errorf("find the jobs that refer to secret %s: %w", key, err)
	}
	return slices.DeleteFunc(found, func(j job.Job) bool { return j.SecretField(key) == "" }), nil
}

// stillServes reports as a Conflict that jobs refer to the secret which it is not for.
func (b *Book) stillServes(ctx context.Context, s *job.Secret) error {
	users, err := b.Uses(ctx, s.Namespace, s.Key)
	if err != nil {
		return err
	}
	if users = slices.DeleteFunc(users, func(j job.Job) bool { return s.Serves(j.Group) }); len(users) > 0 {
		wrong := inUse(s.Key, users)
		wrong.Field = "groups"
		return wrong
	}
	return nil
}

// inUse is the error for a secret that jobs need.
func inUse(key string, users []job.Job) *job.Error {
	const most = 5
	names, more := make([]string, 0, most), ""
	for i := range users {
		if len(names) == most {
			more = fmt.Sprintf(" and %d more", len(users)-most)
			break
		}
		names = append(names, users[i].Key)
	}
	used := job.Errorf(job.Conflict, "secret %s is needed by jobs: %s%s", key, strings.Join(names, ", "), more)
	used.Hint = "change these jobs first, or force it: then their runs fail"
	return used
}

// sealValue closes a value.
func (b *Book) sealValue(s *job.Secret, value redacted.Text) (*Value, error) {
	text := value.Reveal()
	if err := job.CheckSecretValue("value", text); err != nil {
		return nil, err
	}
	marks := len(literals(text))
	if marks > MaxMarks/10 {
		return nil, job.FieldErrorf("value", "has too many lines: each of them is looked for in logs; put what is secret into fewer")
	}
	kind, name := bound(s.Namespace, s.Key)
	return &Value{Sealed: b.config.Sealer.Seal(value, kind, name), Size: len(text), Marks: marks}, nil
}

// saveSecret writes a secret; tried names the operation.
func (b *Book) saveSecret(ctx context.Context, tried string, s job.Secret, v *Value) (job.Secret, error) {
	saved, err := b.config.Store.SaveSecret(ctx, s, v)
	if err != nil {
		return job.Secret{}, fmt.Errorf("%s secret %s: %w", tried, s.Key, err)
	}
	b.changed(ctx)
	return saved, nil
}

// changed makes this server see a change of its own at once. When that fails, it sees it
// with the next look.
func (b *Book) changed(ctx context.Context) {
	if _, err := b.readEdition(context.WithoutCancel(ctx)); err != nil {
		b.config.Logger.Warn("a change of secrets is seen a little later", "error", err)
	}
}

// present is the instant of a change, as it is stored.
func present() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// sorted returns names in order, each once; nil for none.
func sorted(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	names = slices.Sorted(slices.Values(names))
	return slices.Compact(names)
}
