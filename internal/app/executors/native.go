package executors

import (
	"context"

	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// Natively reports whether the executor at an address speaks the native protocol, or
// did while it had a lease.
func (s *Dialects) Natively(address string) bool {
	if message.Pulls(address) {
		return true
	}
	if e, known := s.Leases.At(address); known {
		return e.Dialect == job.DialectNative
	}
	_, was := s.gone.at(address)
	return was
}

// Sign returns the token that an executor of the native protocol knows, and its
// incarnation.
func (s *Dialects) Sign(address string) (token, incarnation string) {
	if e, known := s.Leases.At(address); known {
		if e.Dialect == job.DialectNative {
			s.gone.note(&e)
		}
		return s.Groups.Outbound(e.Group, e.TokenID), e.Incarnation
	}
	if was, known := s.gone.at(address); known {
		return s.Groups.Outbound(was.group, was.token), was.incarnation
	}
	return "", ""
}

// Drainer drains executors.
type Drainer struct {
	Leases *registry.Registry
	Peers  ByDialect
}

// Drain drains an executor of a group or ends its drain, and returns whether it drains now.
func (t Drainer) Drain(ctx context.Context, group, address string, on bool) (bool, error) {
	if _, known := t.Leases.Executor(group, address); !known {
		return false, job.Errorf(job.NotFound, "group %s has no executor at %s: 'orth executors' shows those that there are", group, address)
	}
	return t.Peers.Drain(ctx, address, on)
}
