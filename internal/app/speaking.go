package app

import (
	"github.com/orthd/orth/internal/auth"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/internal/wire/orth"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// speaking tells how executors are spoken to: in the dialect of their lease, with the
// token that they know.
type speaking struct {
	leases *registry.Registry
	groups *auth.Groups
	own    secret.Text
}

// to returns how the executor at an address is spoken to.
func (s *speaking) to(address string) xxl.Peer {
	e, known := s.leases.At(address)
	peer := xxl.Peer{Dialect: e.Dialect, Group: e.Group, Token: s.own.Reveal()}
	if !known {
		return peer
	}
	if token, ok := s.groups.Outbound(e.Group, e.TokenID); ok {
		peer.Token = token
	}
	return peer
}

// heard passes on which dialect an executor's answers told.
func (s *speaking) heard(address string, d job.Dialect) { s.leases.Heard(address, d) }

// speeches are the dialects that are not XXL-JOB's own.
func speeches() []xxl.Speech { return []xxl.Speech{orth.Speech()} }
