package executorauth

import (
	"context"

	"github.com/orthd/orth/job"
)

// Named returns who shows a certificate with these names that an authority of the
// server vouches for: a caller of the first group that has one of them as its key,
// as if it had shown a token of it, also where the group takes no others. It looks
// at the rows each time, by an index. Kinds: Unauthorized when no group has such a
// name, Unavailable.
func (g *Groups) Named(ctx context.Context, names []string) (job.Caller, error) {
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	for _, name := range names {
		if job.CheckGroup("group", name) != nil {
			continue
		}
		id, err := g.config.Store.GroupID(ctx, name)
		switch {
		case err == nil:
			return job.Caller{GroupID: id, Group: name, TokenID: job.TokenCertificate, Closed: b.closed}, nil
		case !job.Is(err, job.NotFound):
			g.config.Logger.Error("the group that a certificate names could not be read; its holder is refused", "group", name, "error", err)
			return job.Caller{}, unread()
		}
	}
	return job.Caller{}, job.Errorf(job.Unauthorized, "the certificate shown has the name of no group: "+
		"its common name, or a DNS name in it, must be the key of a group that there is")
}
