package alarmconfig

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// CreateRule writes a new rule. Kinds: Invalid with the field at fault, Conflict
// when its key is taken, Full, Unavailable.
func (b *Book) CreateRule(ctx context.Context, r alarm.Rule) (alarm.Rule, error) {
	now := present()
	r.ID, r.Version, r.CreatedAt, r.UpdatedAt = 0, 0, now, now
	if err := r.Check(); err != nil {
		return alarm.Rule{}, err
	}
	saved, err := b.config.Store.SaveAlarmRule(ctx, r)
	if err != nil {
		return alarm.Rule{}, fmt.Errorf("create alarm rule %s: %w", r.Key, err)
	}
	b.changed(ctx)
	return saved, nil
}

// UpdateRule changes a rule: edit gets the current rule and returns the new one. It must
// leave alone what the slices and maps of its argument hold. It cannot change the id, the
// key, the version and instants. An edit that changes nothing leaves the version as it is.
// Kinds: those of CreateRule and of edit, NotFound; Conflict too when version is not 0 and
// the rule has another one.
func (b *Book) UpdateRule(
	ctx context.Context, namespace, key string, version int64, edit func(alarm.Rule) (alarm.Rule, error),
) (alarm.Rule, error) {
	old, err := b.Rule(ctx, namespace, key)
	if err == nil {
		err = sameVersion("alarm rule", key, old.Version, version)
	}
	if err != nil {
		return alarm.Rule{}, err
	}
	r, err := edit(old)
	if err != nil {
		return alarm.Rule{}, err
	}
	r.ID, r.Namespace, r.Key, r.Version, r.CreatedAt, r.UpdatedAt = old.ID, old.Namespace, old.Key, old.Version, old.CreatedAt, old.UpdatedAt
	if err := r.Check(); err != nil {
		return alarm.Rule{}, err
	}
	if reflect.DeepEqual(r, old) {
		return old, nil
	}
	r.UpdatedAt = present()
	saved, err := b.config.Store.SaveAlarmRule(ctx, r)
	if err != nil {
		return alarm.Rule{}, fmt.Errorf("change alarm rule %s: %w", key, err)
	}
	b.changed(ctx)
	return saved, nil
}

// DeleteRule removes a rule. What it has raised stays. Kinds: NotFound,
// Unavailable.
func (b *Book) DeleteRule(ctx context.Context, namespace, key string) error {
	if err := b.config.Store.DeleteAlarmRule(ctx, namespace, key); err != nil {
		return fmt.Errorf("delete alarm rule %s: %w", key, err)
	}
	b.changed(ctx)
	return nil
}

// Rule returns a rule as its user wrote it. Kinds: NotFound, Unavailable.
func (b *Book) Rule(ctx context.Context, namespace, key string) (alarm.Rule, error) {
	all, err := b.Rules(ctx, namespace)
	if err != nil {
		return alarm.Rule{}, err
	}
	for i := range all {
		if all[i].Key == key && all[i].Namespace == namespace {
			return all[i], nil
		}
	}
	missing := job.Errorf(job.NotFound, "there is no alarm rule %q in namespace %q", key, namespace)
	missing.Hint = "'orth alarm rule list' shows those there are"
	return alarm.Rule{}, missing
}

// Rules returns the rules of a namespace, of all when it is empty, in order of
// key. Kinds: Unavailable.
func (b *Book) Rules(ctx context.Context, namespace string) ([]alarm.Rule, error) {
	all, err := b.config.Store.AlarmRules(ctx, namespace)
	if err != nil {
		return nil, fmt.Errorf("list alarm rules: %w", err)
	}
	return all, nil
}

// sameVersion returns a Conflict when a definition has another version than the
// one that a change was made for; 0 is any.
func sameVersion(noun, key string, has, wanted int64) error {
	if wanted == 0 || has == wanted {
		return nil
	}
	wrong := job.Errorf(job.Conflict, "%s %s has version %d by now, and the change was made for version %d", noun, key, has, wanted)
	wrong.Hint = "look at it as it stands, and change that"
	return wrong
}

// present is the instant as it is kept.
func present() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
