package alarmconfig

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// CreateChannel writes a new channel. Its Secrets are kept sealed, and do not come
// back. Kinds: Invalid with the field at fault, Conflict when its key is taken or
// another is the default already, Full, Unavailable.
func (b *Book) CreateChannel(ctx context.Context, c alarm.Channel) (alarm.Channel, error) {
	now := present()
	c.ID, c.Version, c.CreatedAt, c.UpdatedAt = 0, 0, now, now
	c.Secrets = reset(nil, c.Secrets)
	if err := b.check(&c); err != nil {
		return alarm.Channel{}, err
	}
	return b.saveChannel(ctx, "create", c)
}

// UpdateChannel changes a channel: edit gets the current channel, without its Secrets, and
// returns the new one, with those Secrets that change: an empty one is removed, and an
// absent one stays. It must leave alone what the maps of its argument hold. It cannot
// change the id, the key, the version and instants. Kinds: those of CreateChannel and of
// edit, NotFound; Conflict too when version is not 0 and the channel has another one.
func (b *Book) UpdateChannel(
	ctx context.Context, namespace, key string, version int64, edit func(alarm.Channel) (alarm.Channel, error),
) (alarm.Channel, error) {
	old, err := b.stored(ctx, namespace, key)
	if err == nil {
		err = sameVersion("alarm channel", key, old.Version, version)
	}
	if err != nil {
		return alarm.Channel{}, err
	}
	c, err := edit(old.Channel)
	if err != nil {
		return alarm.Channel{}, err
	}
	if c.Kind != old.Kind {
		wrong := job.FieldErrorf("kind", "a channel stays of its kind, which is %s", old.Kind)
		wrong.Hint = "make another channel"
		return alarm.Channel{}, wrong
	}
	had, err := b.openSecrets(&old)
	if err != nil && !replaces(c.Secrets, old.SecretNames) {
		lost := job.FieldErrorf("secrets", "of channel %s cannot be opened: %w", key, err)
		lost.Hint = "set all of them again, or remove them"
		return alarm.Channel{}, lost
	}
	changes := c.Secrets
	c.ID, c.Namespace, c.Key, c.Version, c.CreatedAt, c.UpdatedAt = old.ID, old.Namespace, old.Key, old.Version, old.CreatedAt, old.UpdatedAt
	c.OKAt, c.FailedAt, c.Failure, c.Failures = old.OKAt, old.FailedAt, old.Failure, old.Failures
	c.Secrets, c.SecretNames = reset(had, changes), old.SecretNames
	if err := b.check(&c); err != nil {
		return alarm.Channel{}, err
	}
	if err := b.checkPlace(&old, had, &c, changes); err != nil {
		return alarm.Channel{}, err
	}
	same := c
	same.Secrets = nil
	if reflect.DeepEqual(same, old.Channel) && maps.Equal(c.Secrets, had) {
		return old.Channel, nil
	}
	c.UpdatedAt = present()
	return b.saveChannel(ctx, "change", c)
}

// checkPlace refuses to send kept secrets to another place than the one that they were
// given for: users who may change a channel may not read them.
func (b *Book) checkPlace(old *Channel, had map[string]string, c *alarm.Channel, changes map[string]string) error {
	for _, f := range b.config.Kinds.Fields(c.Kind) {
		was, is := old.Settings[f.Name], c.Settings[f.Name]
		if f.Secret {
			was, is = had[f.Name], c.Secrets[f.Name]
		}
		if !f.Place || was == is {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(had)) {
			if _, given := changes[name]; !given && name != f.Name {
				return job.FieldErrorf("secrets."+name, "must be given again, or taken away: %s changes, "+
					"and what is kept goes nowhere else than where it was meant to", f.Name)
			}
		}
	}
	return nil
}

// replaces reports whether changes have an entry for every name.
func replaces(changes map[string]string, names []string) bool {
	for _, name := range names {
		if _, said := changes[name]; !said {
			return false
		}
	}
	return true
}

// check reports what is wrong with a channel that has its secrets.
func (b *Book) check(c *alarm.Channel) error {
	if err := c.Check(); err != nil {
		return err
	}
	known := map[string]bool{} // the name of each field → whether it is secret
	for _, f := range b.config.Kinds.Fields(c.Kind) {
		known[f.Name] = f.Secret
	}
	for name := range c.Settings {
		if hidden, is := known[name]; is && hidden {
			wrong := job.FieldErrorf("settings."+name, "is a secret: set it among the secrets, where no user can read it")
			wrong.Hint = "on the command line with --secret " + name + "=-, which reads it from standard input"
			return wrong
		}
	}
	if err := b.config.Kinds.Check(*c); err != nil {
		return err
	}
	return b.config.CheckTemplate(c.Template)
}

// saveChannel seals the secrets of a channel and writes it.
func (b *Book) saveChannel(ctx context.Context, verb string, c alarm.Channel) (alarm.Channel, error) {
	stored := Channel{Channel: c}
	if err := b.sealSecrets(&stored); err != nil {
		return alarm.Channel{}, err
	}
	stored.Secrets = nil
	saved, err := b.config.Store.SaveAlarmChannel(ctx, stored)
	if err != nil {
		return alarm.Channel{}, fmt.Errorf("%s alarm channel %s: %w", verb, c.Key, err)
	}
	b.changed(ctx)
	return saved.Channel, nil
}

// DeleteChannel removes a channel. Messages that wait for it are dropped. Kinds:
// NotFound, Conflict when a rule names it, Unavailable.
func (b *Book) DeleteChannel(ctx context.Context, namespace, key string) error {
	if err := b.config.Store.DeleteAlarmChannel(ctx, namespace, key); err != nil {
		return fmt.Errorf("delete alarm channel %s: %w", key, err)
	}
	b.changed(ctx)
	return nil
}

// Channel returns a channel without its Secrets. Kinds: NotFound, Unavailable.
func (b *Book) Channel(ctx context.Context, namespace, key string) (alarm.Channel, error) {
	c, err := b.stored(ctx, namespace, key)
	return c.Channel, err
}

// Channels returns the channels of a namespace, of all when it is empty, without
// their Secrets, in order of key. Kinds: Unavailable.
func (b *Book) Channels(ctx context.Context, namespace string) ([]alarm.Channel, error) {
	stored, err := b.config.Store.AlarmChannels(ctx, namespace)
	if err != nil {
		return nil, fmt.Errorf("list alarm channels: %w", err)
	}
	all := make([]alarm.Channel, len(stored))
	for i := range stored {
		all[i] = stored[i].Channel
	}
	return all, nil
}

// ChannelFields returns what channels of each kind may have.
func (b *Book) ChannelFields() map[alarm.ChannelKind][]alarm.Field {
	all := map[alarm.ChannelKind][]alarm.Field{}
	for _, kind := range alarm.ChannelKinds() {
		all[kind] = b.config.Kinds.Fields(kind)
	}
	return all
}

func (b *Book) stored(ctx context.Context, namespace, key string) (Channel, error) {
	all, err := b.config.Store.AlarmChannels(ctx, namespace)
	if err != nil {
		return Channel{}, fmt.Errorf("read alarm channel %s: %w", key, err)
	}
	for i := range all {
		if all[i].Key == key && all[i].Namespace == namespace {
			return all[i], nil
		}
	}
	missing := job.Errorf(job.NotFound, "there is no alarm channel %q in namespace %q", key, namespace)
	missing.Hint = "'orth alarm channel list' shows those there are"
	return Channel{}, missing
}
