package auth

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// Outbound returns what an executor of the group is shown that showed a token
// last, or was entered by hand; false says that it is the server's own. It looks
// at no rows, but for the very first time. Nobody is shown more than it has: not
// the server's own who has only a token of a group, and no newer one whose token
// was removed, perhaps because it leaked.
//
//	it showed                         it is shown
//	the server's own, or nothing yet  the server's own; the group's newest where the group takes no other
//	a token of its group              the same
//	- from before they were sealed    the server's own, which it was given too
//	- that cannot be opened           nothing
//	- that is gone                    nothing
//	one that is admitted, or none     the same
//	a certificate of its group        nothing
//	- that is admitted no more        nothing
func (g *Groups) Outbound(group string, token int64) (text string, ok bool) {
	if token < 0 {
		if i := job.TokenAdmitted - token; i < int64(len(g.admitted)) {
			return g.admitted[i], true
		}
		return "", true
	}
	b := g.book.Load()
	if b == nil {
		if b, _ = g.fresh(context.Background()); b == nil {
			return "", token != job.TokenOwn
		}
	}
	if token == job.TokenOwn {
		newest := b.newest[group]
		if newest == nil || b.open(group) {
			return "", false
		}
		return newest.text.Reveal(), true
	}
	e := b.byID[token]
	switch {
	case e == nil || e.caller.Group != group:
		return "", true
	case e.sealed == "":
		return "", false
	}
	return e.text.Reveal(), true
}

// open reports whether the group takes the server's own token.
func (b *book) open(group string) bool {
	return b.closed == nil || job.Caller{Closed: b.closed}.Speaks(group) == nil
}

// Key returns the token with this [secret.KeyID], of a group or of the server, and
// who signs with it. Well-known ones are keys to nothing, whether they are
// admitted or not. Kinds: Unauthorized for a key that nobody has or that cannot be
// opened, Unavailable.
func (g *Groups) Key(ctx context.Context, id string) (key string, caller job.Caller, err error) {
	if g.ownKey != "" && secret.SameHash(id, g.ownKey) {
		caller, err = g.Everyone(ctx)
		if err != nil {
			return "", job.Caller{}, err
		}
		return g.config.Own.Reveal(), caller, nil
	}
	e, err := g.find(ctx, func(b *book) *entry { return b.byKey[id] })
	switch {
	case err != nil:
		return "", job.Caller{}, err
	case e.text.IsZero():
		return "", job.Caller{}, job.Errorf(job.Unauthorized, "token %d of group %s cannot be opened by this server, "+
			"so what is signed with it cannot be checked: make a new one with 'orth group token add %s'", e.id, e.caller.Group, e.caller.Group)
	}
	g.used(e, time.Now())
	return e.text.Reveal(), e.caller, nil
}
