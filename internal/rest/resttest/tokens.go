package resttest

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// AddToken implements TokenMaker.
func (f *Fake) AddToken(_ context.Context, group, label string, brought redacted.Text) (job.GroupToken, redacted.Text, error) {
	if !brought.IsZero() {
		return job.GroupToken{ID: 7, Group: group, Outbound: true, CreatedAt: Instant}, redacted.Text{}, f.Note("add %q to %s", brought.Reveal(), group)
	}
	return job.GroupToken{ID: 1 << 60, Group: group, Label: label, Hash: "5ec3e7", CreatedAt: Instant}, redacted.New("orthg_shown-once"),
		f.Note("add a token %q to %s", label, group)
}

// RemoveToken implements TokenMaker.
func (f *Fake) RemoveToken(_ context.Context, group string, id int64, force bool) error {
	return f.Note("remove token %d of %s, forced: %t", id, group, force)
}

// Warnings implements Tokens.
func (f *Fake) Warnings() []string { return []string{"mind the gap"} }

// GroupTokens implements GroupRuler.
func (f *Fake) GroupTokens(_ context.Context, group string) ([]job.GroupToken, bool, error) {
	return []job.GroupToken{
		{ID: 1, Group: group, Label: "old", Hash: "5ec3e7", CreatedAt: Instant, UsedAt: Instant, Outbound: true, Executors: 3}, {ID: 2, Group: group, Hash: "5ec3e8", CreatedAt: Instant},
	}, true, f.Note("tokens of %s", group)
}

// ChangeGroup implements GroupRuler.
func (f *Fake) ChangeGroup(_ context.Context, group string, change job.GroupChange) error {
	said := group
	if change.OwnTokenOnly != nil {
		said += fmt.Sprintf(" takes only its own: %t", *change.OwnTokenOnly)
	}
	if change.Namespace != nil {
		said += " moves to " + *change.Namespace
	}
	if change.Title != nil {
		said += fmt.Sprintf(" is called %q", *change.Title)
	}
	if change.Labels != nil {
		said += fmt.Sprintf(" has %v", change.Labels)
	}
	if change.Version != 0 {
		said += fmt.Sprintf(" from %d", change.Version)
	}
	return f.Note("%s", said)
}

// Drain implements Drains.
func (f *Fake) Drain(_ context.Context, group, address string, on bool) (bool, error) {
	if group == "old" {
		return false, job.Errorf(job.Refused, "executor %s has no word for it", address)
	}
	return on, f.Note("drain %s of %s: %v", address, group, on)
}
