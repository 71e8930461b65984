package alarmconfig

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// keepSilences is how long a silence that has ended can be looked at.
const keepSilences = 30 * 24 * time.Hour

// CreateSilence writes a new silence. Without a start it begins now. Kinds: Invalid with
// the field at fault, Full, Unavailable.
func (b *Book) CreateSilence(ctx context.Context, s alarm.Silence) (alarm.Silence, error) {
	now := present()
	s.ID, s.CreatedAt = 0, now
	if s.From.IsZero() {
		s.From = now
	}
	s.From, s.Until = s.From.UTC().Truncate(time.Millisecond), s.Until.UTC().Truncate(time.Millisecond)
	if !s.Until.IsZero() && !s.Until.After(now) {
		return alarm.Silence{}, job.FieldErrorf("until", "%s has passed: name a later end", s.Until.Format(time.RFC3339))
	}
	if err := s.Check(); err != nil {
		return alarm.Silence{}, err
	}
	saved, err := b.config.Store.SaveAlarmSilence(ctx, s, now.Add(-keepSilences))
	if err != nil {
		return alarm.Silence{}, fmt.Errorf("create a silence: %w", err)
	}
	b.changed(ctx)
	return saved, nil
}

// EndSilence ends a silence now; one that has not begun never begins. One that is
// over stays as it is. Kinds: NotFound, Unavailable.
func (b *Book) EndSilence(ctx context.Context, id int64) (alarm.Silence, error) {
	s, err := b.Silence(ctx, id)
	if err != nil {
		return alarm.Silence{}, err
	}
	now := present()
	if !s.Until.IsZero() && !s.Until.After(now) {
		return s, nil
	}
	if s.Until = now; s.From.After(now) {
		s.From = now
	}
	saved, err := b.config.Store.SaveAlarmSilence(ctx, s, now.Add(-keepSilences))
	if err != nil {
		return alarm.Silence{}, fmt.Errorf("end silence %d: %w", id, err)
	}
	b.changed(ctx)
	return saved, nil
}

// DeleteSilence removes a silence. Kinds: NotFound, Unavailable.
func (b *Book) DeleteSilence(ctx context.Context, id int64) error {
	if err := b.config.Store.DeleteAlarmSilence(ctx, id); err != nil {
		return fmt.Errorf("delete silence %d: %w", id, err)
	}
	b.changed(ctx)
	return nil
}

// Silence returns a silence. Kinds: NotFound, Unavailable.
func (b *Book) Silence(ctx context.Context, id int64) (alarm.Silence, error) {
	all, err := b.Silences(ctx, "")
	if err != nil {
		return alarm.Silence{}, err
	}
	for i := range all {
		if all[i].ID == id {
			return all[i], nil
		}
	}
	missing := job.Errorf(job.NotFound, "there is no silence %d", id)
	missing.Hint = "'orth alarm silence list' shows those there are"
	return alarm.Silence{}, missing
}

// Silences returns the silences of a namespace, of all when it is empty, in order
// of id. Kinds: Unavailable.
func (b *Book) Silences(ctx context.Context, namespace string) ([]alarm.Silence, error) {
	all, err := b.config.Store.AlarmSilences(ctx, namespace)
	if err != nil {
		return nil, fmt.Errorf("list silences: %w", err)
	}
	return all, nil
}
