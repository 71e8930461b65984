package app

import (
	"context"

	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// natively reports whether the executor at an address speaks the native protocol, or
// did while it had a lease.
func (s *speaking) natively(address string) bool {
	if message.Pulls(address) {
		return true
	}
	if e, known := s.leases.At(address); known {
		return e.Dialect == job.DialectNative
	}
	_, was := s.gone.at(address)
	return was
}

// sign returns the token that an executor of the native protocol knows, and its
// incarnation.
func (s *speaking) sign(address string) (token, incarnation string) {
	if e, known := s.leases.At(address); known {
		if e.Dialect == job.DialectNative {
			s.gone.note(&e)
		}
		return s.groups.Outbound(e.Group, e.TokenID), e.Incarnation
	}
	if was, known := s.gone.at(address); known {
		return s.groups.Outbound(was.group, was.token), was.incarnation
	}
	return "", ""
}

// taps drains executors.
type taps struct {
	leases *registry.Registry
	peers  executors
}

// Drain drains an executor of a group or ends its drain, and returns whether it drains now.
func (t taps) Drain(ctx context.Context, group, address string, on bool) (bool, error) {
	if _, known := t.leases.Executor(group, address); !known {
		return false, job.Errorf(job.NotFound, "group %s has no executor at %s: 'orth executors' shows those that there are", group, address)
	}
	return t.peers.Drain(ctx, address, on)
}
