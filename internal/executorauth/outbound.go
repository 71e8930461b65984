package executorauth

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

// Outbound returns what an executor of the group is shown that showed a token last, or
// was entered by hand. It looks at no rows, but for the very first time. Nobody is
// shown more than it has: not what another group has, and no newer token whose own was
// removed, perhaps because it leaked. Whoever enters an address sees what the group has.
//
//	it showed                         it is shown
//	nothing: entered by hand          the newest token of its group; without one, that made of the server's key
//	the one made of the server's key  the same
//	a token of its group              the same
//	- that cannot be opened           nothing
//	- that is gone                    nothing
//	one that is shared or admitted    the same
//	- that is so no more              nothing
//	a certificate of its group        nothing
func (g *Groups) Outbound(group string, token int64) string {
	switch {
	case token == job.TokenDerived:
		return g.deriveToken(group)
	case token == job.TokenShared:
		return g.config.Shared.Reveal()
	case token < 0:
		if i := job.TokenAdmitted - token; i < int64(len(g.admitted)) {
			return g.admitted[i]
		}
		return ""
	}
	b := g.book.Load()
	if b == nil {
		if b, _ = g.fresh(context.Background()); b == nil {
			return ""
		}
	}
	if token == job.TokenNone {
		if newest := b.newest[group]; newest != nil {
			return newest.text.Reveal()
		}
		return g.deriveToken(group)
	}
	e := b.byID[token]
	if e == nil || e.caller.Group != group {
		return ""
	}
	return e.text.Reveal()
}

// deriveToken returns the derived token of a group.
func (g *Groups) deriveToken(group string) string {
	if g.config.Key.IsZero() {
		return ""
	}
	return credential.OfGroup(g.config.Key, group).Reveal()
}

// Key returns the token with this [credential.KeyID], of a group or a shared one, and
// who signs with it: [Groups.Confirm] completes that once the signature is right.
// Well-known ones are keys to nothing, whether they are
// admitted or not. Kinds: Unauthorized for a key that nobody has or that cannot be
// opened, Unavailable, Full after too many wrong ones.
func (g *Groups) Key(ctx context.Context, id string) (key string, caller job.Caller, err error) {
	if g.shared != "" && credential.SameHash(id, g.shared) {
		if err = g.wrong.mayShow(ctx, g.weak, job.TokenShared); err != nil {
			return "", job.Caller{}, err
		}
		caller, err = g.everyone(ctx, job.TokenShared)
		if err != nil {
			return "", job.Caller{}, err
		}
		return g.config.Shared.Reveal(), caller, nil
	}
	if group, ok := credential.GroupOf(id); ok {
		key = g.deriveToken(group)
		if key == "" || id != credential.KeyID(key) {
			return "", job.Caller{}, unknown()
		}
		return key, derived(group), nil
	}
	e, err := g.findEntry(ctx, func(b *book) *tokenEntry { return b.byKey[id] })
	switch {
	case job.Is(err, job.Unauthorized):
		return "", job.Caller{}, g.Wrong(ctx, id)
	case err != nil:
		return "", job.Caller{}, err
	case e.text.IsZero():
		return "", job.Caller{}, job.Errorf(job.Unauthorized, "token %d of group %s cannot be opened by this server, "+
			"so what is signed with it cannot be checked: make a new one with 'orth group token add %s'", e.id, e.caller.Group, e.caller.Group)
	}
	if err := g.wrong.mayShow(ctx, e.weak, e.id); err != nil {
		return "", job.Caller{}, err
	}
	g.noteUse(e, time.Now())
	return e.text.Reveal(), e.caller, nil
}
