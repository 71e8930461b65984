package executors

import (
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/orth"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// Dialects determines the protocol of executors: the dialect of their lease, with the token
// that they know.
type Dialects struct {
	Leases *registry.Registry
	Groups *executorauth.Groups
	gone   formers
}

// To returns how the executor at an address is spoken to. An address without a lease
// is shown nothing: who listens there now may be anybody.
func (s *Dialects) To(address string) xxl.Peer {
	e, known := s.Leases.At(address)
	if !known {
		return xxl.Peer{}
	}
	return xxl.Peer{Dialect: e.Dialect, Group: e.Group, Token: s.Groups.Outbound(e.Group, e.TokenID)}
}

// MayHave reports why nothing that is for executors alone, such as a task with its
// secrets, is sent to an address: Unreachable, it has no lease.
func (s *Dialects) MayHave(address string) error {
	if _, known := s.Leases.At(address); !known {
		return job.Errorf(job.Unreachable, "executor %s has no lease any more, and nothing is sent there: it can be anybody's", address)
	}
	return nil
}

// Heard reports the dialect that an executor's answers revealed.
func (s *Dialects) Heard(address string, d job.Dialect) { s.Leases.Heard(address, d) }

// Forks are the dialects that are not XXL-JOB's own.
func Forks() []dialect.Speech { return []dialect.Speech{orth.Speech()} }
