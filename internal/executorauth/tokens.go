package executorauth

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// AddToken makes a token of a group, which is made when it does not exist. The
// secret is seen here and never again. One that is brought along, because the
// group's executors have it already, is taken and not returned. Kinds: Invalid,
// Conflict for one that is somebody's already, Full, Unavailable.
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

// hashOf returns by which hash a token of a group is kept. One that is shared is not
// that of one group alone when executors show it, so that it is not found by it; the
// group has it to show it to executors that were entered by hand.
func (g *Groups) hashOf(group string, t redacted.Text) string {
	if !g.config.Shared.IsZero() && g.config.Shared.Equal(t) {
		return credential.Hash(redacted.New(group + " shares " + t.Reveal()))
	}
	return credential.Hash(t)
}

// RemoveToken removes a token of a group: on this server it counts no more when
// this returns, on others within five seconds. Kinds: NotFound, Unavailable, and
// Conflict while executors that are alive showed it last, unless it is forced.
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

// GroupTokens returns the tokens of a group, never their secrets, and whether it
// takes no others. Kinds: Invalid, NotFound, Unavailable.
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

// ChangeGroup changes what people say of a group, and whether it takes no tokens but
// its own: all of it or nothing. Kinds: Invalid with the field at fault, NotFound,
// Conflict when it has another version, or shall take no others and has none,
// Unavailable.
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
