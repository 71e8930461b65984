package app

import (
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/orth"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// speaking determines the protocol of executors: the dialect of their lease, with the token
// that they know.
type speaking struct {
	leases *registry.Registry
	groups *executorauth.Groups
	gone   formers
}

// to returns how the executor at an address is spoken to. An address without a lease
// is shown nothing: who listens there now may be anybody.
func (s *speaking) to(address string) xxl.Peer {
	e, known := s.leases.At(address)
	if !known {
		return xxl.Peer{}
	}
	return xxl.Peer{Dialect: e.Dialect, Group: e.Group, Token: s.groups.Outbound(e.Group, e.TokenID)}
}

// mayHave reports why nothing that is for executors alone, such as a task with its
// secrets, is sent to an address: Unreachable, it has no lease.
func (s *speaking) mayHave(address string) error {
	if _, known := s.leases.At(address); !known {
		return job.Errorf(job.Unreachable, "executor %s has no lease any more, and nothing is sent there: it can be anybody's", address)
	}
	return nil
}

// heard reports the dialect that an executor's answers revealed.
func (s *speaking) heard(address string, d job.Dialect) { s.leases.Heard(address, d) }

// speeches are the dialects that are not XXL-JOB's own.
func speeches() []dialect.Speech { return []dialect.Speech{orth.Speech()} }
