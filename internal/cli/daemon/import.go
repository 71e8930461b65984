package daemon

import (
	"context"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/reconcile/imports"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
)

// newImporter returns the importer of other schedulers' databases. It can reach private
// networks, because only administrators may use it; cloud metadata addresses are blocked.
func newImporter() (*imports.Importer, error) {
	reach, err := egress.New(egress.Config{Private: true})
	if err != nil {
		return nil, err
	}
	return &imports.Importer{Read: func(ctx context.Context, wanted *api.NewImport) (xxlimport.Contents, error) {
		source, err := database.Open(wanted.Address, wanted.User, redacted.New(wanted.Password), reach.Dial)
		if err != nil {
			return xxlimport.Contents{}, err
		}
		defer func() { _ = source.Close() }()
		return source.Read(ctx, wanted.TablePrefix, wanted.Users)
	}}, nil
}
