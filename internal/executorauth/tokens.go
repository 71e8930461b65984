package executorauth

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// AddToken creates a token of a group, and the group when it does not exist. The secret is
// returned only here. A token that the group's executors have already can be given instead;
// it is not returned. Kinds: Invalid, Conflict for a token in use, Full, Unavailable.
func (g *Groups) AddToken(ctx context.Context, group, label string, brought redacted.Text) (job.GroupToken, redacted.Text, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return job.GroupToken{}, redacted.Text{}, err
	}
	if clean := job.Clean(label, job.MaxTokenLabel); clean != label {
		return job.GroupToken{}, redacted.Text{}, job.FieldErrorf("label", "must be text of at most %d characters", job.MaxTokenLabel)
	}
	text, made := brought, redacted.Text{}
	if brought.IsZero() {
		made = credential.GenerateGroup()
		text = made
	} else if err := g.checkBrought(brought); err != nil {
		return job.GroupToken{}, redacted.Text{}, err
	}
	t := job.GroupToken{
		Group: group, Label: label, Hash: g.hashOf(group, text), CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	if g.config.Sealer != nil {
		t.Sealed, t.Outbound = g.config.Sealer.Seal(text, group, t.Hash), true
	}
	added, err := g.config.Store.AddGroupToken(ctx, t)
	if err != nil {
		return job.GroupToken{}, redacted.Text{}, fmt.Errorf("add a token to group %s: %w", group, err)
	}
	g.changed(ctx)
	added.Sealed = ""
	return added, made, nil
}

func (g *Groups) checkBrought(t redacted.Text) error { return credential.CheckGroup("token", t) }

// hashOf returns the hash under which a group token is stored. A shared token gets another
// hash, since it does not identify one group. The group stores it to send it to manually
// registered executors.
func (g *Groups) hashOf(group string, t redacted.Text) string {
	if !g.config.Shared.IsZero() && g.config.Shared.Equal(t) {
		return credential.Hash(redacted.New(group + " shares " + t.Reveal()))
	}
	return credential.Hash(t)
}

// RemoveToken removes a group token. It is invalid on this server when RemoveToken returns,
// and on others within five seconds. Kinds: NotFound, Unavailable, and Conflict while live
// executors sent it last, unless forced.
func (g *Groups) RemoveToken(ctx context.Context, group string, id int64, force bool) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if n := g.showing(group)[id]; n > 0 && !force {
		used := job.Errorf(job.Conflict, "token %d of group %s is still used: %s", id, group, using(n))
		used.Hint = "give them another one first; if it is removed all the same (--force, or force=true), they can report nothing until they have one"
		return used
	}
	if err := g.config.Store.RemoveGroupToken(ctx, group, id); err != nil {
		return fmt.Errorf("remove token %d of group %s: %w", id, group, err)
	}
	g.changed(ctx)
	return nil
}

// GroupTokens returns the tokens of a group, without secrets, and whether the group accepts
// only those. Kinds: Invalid, NotFound, Unavailable.
func (g *Groups) GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return nil, false, err
	}
	tokens, only, err := g.config.Store.GroupTokens(ctx, group)
	if err != nil {
		return nil, false, fmt.Errorf("list the tokens of group %s: %w", group, err)
	}
	counts := g.showing(group)
	for i := range tokens {
		t := &tokens[i]
		if g.config.Sealer != nil && t.Sealed != "" {
			_, err := g.config.Sealer.Open(t.Sealed, group, t.Hash)
			t.Outbound = err == nil
		}
		t.Hash, t.Sealed, t.Executors = "", "", counts[t.ID]
	}
	return tokens, only, nil
}

// ChangeGroup changes the description of a group, and whether it accepts only its own
// tokens, all or nothing. Kinds: Invalid with the field at fault, NotFound, Unavailable.
// Conflict when it has another version, or would accept only its own tokens and has none.
func (g *Groups) ChangeGroup(ctx context.Context, group string, change job.GroupChange) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if err := change.Check(); err != nil {
		return err
	}
	if err := g.config.Store.ChangeGroup(ctx, group, change); err != nil {
		return fmt.Errorf("change group %s: %w", group, err)
	}
	g.changed(ctx)
	return nil
}
