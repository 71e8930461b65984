package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/job"
)

// The sequences of definitions: of their ids, and the version of all of them.
const (
	sequenceAlarmDefinitions = "alarm_definitions"
	sequenceAlarmBook        = "alarm_book"
)

const (
	ruleColumns = `r.definition, r.id, r.namespace, r.rule_key, r.version, r.created_at, r.updated_at`

	// By alarm_rules' unique (namespace, rule_key), in its order.
	listAlarmRules = `SELECT ` + ruleColumns + ` FROM alarm_rules r WHERE r.namespace = ? ORDER BY r.rule_key`
	// By a scan of at most alarm.MaxRules rows in the order of the same index, for
	// people or when definitions have changed.
	listAllAlarmRules = `SELECT ` + ruleColumns + ` FROM alarm_rules r ORDER BY r.namespace, r.rule_key`
	// By alarm_rules' unique (namespace, rule_key).
	readAlarmRuleStanding = `SELECT id, version, created_at FROM alarm_rules WHERE namespace = ? AND rule_key = ?`
	// By a scan of at most alarm.MaxRules index entries, for new rules only.
	countAlarmRules = `SELECT COUNT(*) FROM alarm_rules`
	insertAlarmRule = `INSERT INTO alarm_rules (id, namespace, rule_key, definition, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, 1, ?, ?)`
	// By alarm_rules' primary key.
	updateAlarmRule = `UPDATE alarm_rules SET definition = ?, version = version + 1, updated_at = ? WHERE id = ?`
	// By alarm_rules' primary key.
	deleteAlarmRule = `DELETE FROM alarm_rules WHERE id = ?`
	// By alarm_rule_channels_rule.
	dropRuleChannels  = `DELETE FROM alarm_rule_channels WHERE rule_id = ?`
	insertRuleChannel = `INSERT INTO alarm_rule_channels (channel_id, rule_id) VALUES (?, ?)`

	channelColumns = `c.definition, c.id, c.namespace, c.chan_key, c.is_default, c.secrets, c.version, c.created_at, c.updated_at,
		c.ok_at, c.failed_at, c.failure, c.failures`

	// By alarm_channels' unique (namespace, chan_key), in its order.
	listAlarmChannels = `SELECT ` + channelColumns + ` FROM alarm_channels c WHERE c.namespace = ? ORDER BY c.chan_key`
	// By a scan of at most alarm.MaxChannelsKept rows in the order of the same index,
	// for people or when definitions have changed.
	listAllAlarmChannels = `SELECT ` + channelColumns + ` FROM alarm_channels c ORDER BY c.namespace, c.chan_key`
	// By alarm_channels' unique (namespace, chan_key).
	readAlarmChannelStanding = `SELECT id, version, created_at FROM alarm_channels WHERE namespace = ? AND chan_key = ?`
	// By alarm_channels_default.
	readDefaultChannel = `SELECT id, chan_key FROM alarm_channels WHERE namespace = ? AND is_default > 0`
	// By a scan of at most alarm.MaxChannelsKept index entries, for new channels only.
	countAlarmChannels = `SELECT COUNT(*) FROM alarm_channels`
	insertAlarmChannel = `INSERT INTO alarm_channels (id, namespace, chan_key, definition, is_default, secrets, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`
	// By alarm_channels' primary key.
	updateAlarmChannel = `UPDATE alarm_channels SET definition = ?, is_default = ?, secrets = ?, version = version + 1, updated_at = ? WHERE id = ?`
	// By alarm_channels' primary key.
	deleteAlarmChannel = `DELETE FROM alarm_channels WHERE id = ?`
	// By alarm_channels' primary key.
	noteChannelOK = `UPDATE alarm_channels SET ok_at = ?, failures = 0 WHERE id = ?`
	// By alarm_channels' primary key.
	noteChannelFailed = `UPDATE alarm_channels SET failed_at = ?, failure = ?, failures = failures + 1 WHERE id = ?`
	// By the primary keys of alarm_rule_channels and alarm_rules.
	readChannelUser = `SELECT r.id, r.rule_key FROM alarm_rule_channels u JOIN alarm_rules r ON r.id = u.rule_id
		WHERE u.channel_id = ? AND u.rule_id > ? ORDER BY u.rule_id LIMIT 1`
)

// AlarmRules returns the rules of a namespace, of all when it is empty, in order
// of key.
func (s *Store) AlarmRules(ctx context.Context, namespace string) ([]alarm.Rule, error) {
	if namespace == "" {
		return list(ctx, s.reader, ruleFields, listAllAlarmRules)
	}
	return list(ctx, s.reader, ruleFields, listAlarmRules, namespace)
}

// SaveAlarmRule writes a new rule when its Version is 0, else one over the version
// it was read at, and returns it as it stands. Kinds: Conflict when the key is
// taken or it has another version, NotFound when there is none to write over,
// Invalid when a channel that it names does not exist, Full.
func (s *Store) SaveAlarmRule(ctx context.Context, r alarm.Rule) (alarm.Rule, error) {
	plain := r
	plain.ID, plain.Namespace, plain.Key, plain.Version, plain.CreatedAt, plain.UpdatedAt = 0, "", "", 0, time.Time{}, time.Time{}
	definition, err := encode(plain)
	if err != nil {
		return alarm.Rule{}, err
	}
	given := r
	err = s.writer.update(ctx, func(t *tx) error {
		r = given // it may be done again
		had, err := t.overwriting(readAlarmRuleStanding, "alarm rule", r.Namespace, r.Key, r.Version)
		if err != nil {
			return err
		}
		if had.version == 0 {
			if had.id, err = t.alarmID(countAlarmRules, "alarm rules", alarm.MaxRules); err != nil {
				return err
			}
			had.created = r.CreatedAt
			err = t.do(insertAlarmRule, had.id, r.Namespace, r.Key, definition, job.Millis(r.CreatedAt), job.Millis(r.UpdatedAt))
		} else {
			err = t.do(updateAlarmRule, definition, job.Millis(r.UpdatedAt), had.id)
		}
		if err != nil {
			return err
		}
		r.ID, r.Version, r.CreatedAt = had.id, had.version+1, had.created
		t.names("alarm rule", r.Namespace, "", r.Key)
		if err := t.nameChannels(&r); err != nil {
			return err
		}
		return t.touchAlarmBook()
	})
	if err != nil {
		return alarm.Rule{}, err
	}
	return r, nil
}

// nameChannels writes down which channels a rule names. One that does not exist is
// Invalid.
func (t *tx) nameChannels(r *alarm.Rule) error {
	if err := t.do(dropRuleChannels, r.ID); err != nil {
		return err
	}
	fields := map[string]string{} // by key
	for _, step := range r.Escalation {
		for _, key := range step.Channels {
			fields[key] = "escalation"
		}
	}
	for _, key := range r.Channels {
		fields[key] = "channels"
	}
	for key, field := range fields {
		id, _, _, err := t.standingOf(readAlarmChannelStanding, r.Namespace, key)
		if err != nil {
			return err
		}
		if id == 0 {
			wrong := job.FieldErrorf(field, "channel %s does not exist in namespace %s", key, r.Namespace)
			wrong.Hint = "make the channel first: 'orth alarm channel create " + key + "'"
			return wrong
		}
		if err := t.do(insertRuleChannel, id, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAlarmRule removes a rule. Kinds: NotFound.
func (s *Store) DeleteAlarmRule(ctx context.Context, namespace, key string) error {
	return s.writer.update(ctx, func(t *tx) error {
		id, _, _, err := t.standingOf(readAlarmRuleStanding, namespace, key)
		if err != nil {
			return err
		}
		if id == 0 {
			return noDefinition("alarm rule", namespace, key)
		}
		for _, query := range []string{dropRuleChannels, deleteAlarmRule} {
			if err := t.do(query, id); err != nil {
				return err
			}
		}
		return t.touchAlarmBook()
	})
}

// AlarmChannels returns the channels of a namespace, of all when it is empty, in
// order of key.
func (s *Store) AlarmChannels(ctx context.Context, namespace string) ([]alarmconfig.Channel, error) {
	if namespace == "" {
		return list(ctx, s.reader, channelFields, listAllAlarmChannels)
	}
	return list(ctx, s.reader, channelFields, listAlarmChannels, namespace)
}

// SaveAlarmChannel writes a new channel when its Version is 0, else one over the
// version it was read at, and returns it as it stands. Kinds: Conflict when the
// key is taken, it has another version, or another is the default already,
// NotFound when there is none to write over, Full.
func (s *Store) SaveAlarmChannel(ctx context.Context, c alarmconfig.Channel) (alarmconfig.Channel, error) {
	definition, err := encode(plainChannel(c.Channel))
	if err != nil {
		return alarmconfig.Channel{}, err
	}
	given := c
	err = s.writer.update(ctx, func(t *tx) error {
		c = given // it may be done again
		had, err := t.overwriting(readAlarmChannelStanding, "alarm channel", c.Namespace, c.Key, c.Version)
		if err != nil {
			return err
		}
		if err := t.soleDefault(&c.Channel, had.id); err != nil {
			return err
		}
		if had.version == 0 {
			if had.id, err = t.alarmID(countAlarmChannels, "alarm channels", alarm.MaxChannelsKept); err != nil {
				return err
			}
			had.created = c.CreatedAt
			err = t.do(insertAlarmChannel, had.id, c.Namespace, c.Key, definition, bit(c.Default), c.Sealed,
				job.Millis(c.CreatedAt), job.Millis(c.UpdatedAt))
		} else {
			err = t.do(updateAlarmChannel, definition, bit(c.Default), c.Sealed, job.Millis(c.UpdatedAt), had.id)
		}
		if err != nil {
			return err
		}
		c.ID, c.Version, c.CreatedAt = had.id, had.version+1, had.created
		t.names("alarm channel", c.Namespace, "", c.Key)
		return t.touchAlarmBook()
	})
	if err != nil {
		return alarmconfig.Channel{}, err
	}
	return c, nil
}

// plainChannel returns what of a channel stands in its definition.
func plainChannel(c alarm.Channel) alarm.Channel {
	c.ID, c.Namespace, c.Key, c.Default, c.Version, c.CreatedAt, c.UpdatedAt = 0, "", "", false, 0, time.Time{}, time.Time{}
	c.OKAt, c.FailedAt, c.Failure, c.Failures = time.Time{}, time.Time{}, "", 0
	return c
}

// soleDefault reports as a Conflict that another channel of the namespace is the
// default already.
func (t *tx) soleDefault(c *alarm.Channel, id int64) error {
	if !c.Default {
		return nil
	}
	var other int64
	var key string
	found, err := t.read(readDefaultChannel, []any{c.Namespace}, []any{&other, &key})
	if err != nil || !found || other == id {
		return err
	}
	taken := job.Errorf(job.Conflict, "channel %s is the default of namespace %s already", key, c.Namespace)
	taken.Field = "default"
	taken.Hint = "take that from it first: 'orth alarm channel edit " + key + " --default=false'"
	return taken
}

// DeleteAlarmChannel removes a channel that no rule names. Kinds: NotFound,
// Conflict, with some of the rules, when one does.
func (s *Store) DeleteAlarmChannel(ctx context.Context, namespace, key string) error {
	return s.writer.update(ctx, func(t *tx) error {
		id, _, _, err := t.standingOf(readAlarmChannelStanding, namespace, key)
		if err != nil {
			return err
		}
		if id == 0 {
			return noDefinition("alarm channel", namespace, key)
		}
		if err := t.channelUnused(id, key); err != nil {
			return err
		}
		if err := t.do(deleteAlarmChannel, id); err != nil {
			return err
		}
		return t.touchAlarmBook()
	})
}

// channelUnused reports as a Conflict that rules name the channel.
func (t *tx) channelUnused(id int64, key string) error {
	users, err := t.users(readChannelUser, id)
	if err != nil || users == "" {
		return err
	}
	used := job.Errorf(job.Conflict, "channel %s is named by rules: %s", key, users)
	used.Hint = "take it out of them first"
	return used
}

// NoteAlarmChannel records the result of a channel at an instant: an empty failure is a
// success. A deleted channel is no error.
func (s *Store) NoteAlarmChannel(ctx context.Context, id int64, at time.Time, failure string) error {
	return s.writer.update(ctx, func(t *tx) (err error) {
		if failure == "" {
			err = t.do(noteChannelOK, job.Millis(at), id)
		} else {
			err = t.do(noteChannelFailed, job.Millis(at), clean(failure), id)
		}
		return err
	})
}

// AlarmBook returns everything, and nil when its version is still known. What it
// returns is at least as new as its version.
func (s *Store) AlarmBook(ctx context.Context, known int64) (*alarmconfig.Stored, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	version, found, err := first(ctx, s.reader, number, readSequence, sequenceAlarmBook)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.Internal, "the sequence %s does not exist", sequenceAlarmBook)
	case version == known:
		return nil, nil //nolint:nilnil // The contract requires it.
	}
	all := &alarmconfig.Stored{Version: version}
	if all.Rules, err = s.AlarmRules(ctx, ""); err != nil {
		return nil, err
	}
	if all.Channels, err = s.AlarmChannels(ctx, ""); err != nil {
		return nil, err
	}
	all.Silences, err = s.AlarmSilences(ctx, "")
	return all, err
}
