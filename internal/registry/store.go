package registry

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store keeps groups, leases and users' settings for addresses.
type Store interface {
	Leases
	Addresses
	Rewrites
	Dialects
}

// Leases keeps the leases of executors.
type Leases interface {
	// PutLease writes the executor's lease. A new one keeps RegisteredAt. Of a known one
	// RegisteredAt and Manual do not change, IncarnationAt does not while the Incarnation
	// stays, and the Dialect does not if its source takes precedence. The group is created
	// when it does not exist. A job.Full error means too many groups or executors, a
	// job.Conflict error that another process sends heartbeats from the address and came
	// first. It returns the updated executor.
	PutLease(ctx context.Context, e job.Executor) (job.Executor, error)
	// DropLease ends a lease at once. An unknown one is no error.
	DropLease(ctx context.Context, group, address string) error
	// Leases returns the executors whose lease ends after now and the manual ones, by group
	// and address, without their Handlers.
	Leases(ctx context.Context, now time.Time) ([]job.Executor, error)
}

// Addresses keeps manual addresses.
type Addresses interface {
	// AddAddress adds an address, without a lease, and returns the namespace of its group.
	// An existing address is no error.
	AddAddress(ctx context.Context, group, address string, now time.Time) (namespace string, err error)
	// RemoveAddress removes one, or returns job.NotFound.
	RemoveAddress(ctx context.Context, group, address string) error
	// RenewManual extends their leases and never shortens them.
	RenewManual(ctx context.Context, executors []job.Executor, until, now time.Time) error
}

// Rewrites keeps the rules that replace addresses.
type Rewrites interface {
	// SaveRewrites sets the rules of a group; none removes them.
	SaveRewrites(ctx context.Context, group string, rules []job.Rewrite, now time.Time) error
	// Rewrites returns the rules of all groups that have some.
	Rewrites(ctx context.Context) (map[string][]job.Rewrite, error)
}

// Dialects keeps the dialects of executors.
type Dialects interface {
	// SaveDialect writes a user's setting, by job.DialectSet, or with an empty by resets
	// the dialect to unknown; job.NotFound means that there is no such executor. A dialect
	// detected from answers, by job.DialectProbed, is written unless a source with
	// precedence has set another; an unknown executor is no error then.
	SaveDialect(ctx context.Context, group, address string, d job.Dialect, by job.DialectBy) error
}

// Facts keeps what executors report about themselves.
type Facts interface {
	// PutFacts replaces the last report of an executor. job.NotFound means that there is no
	// such executor, job.Full that its last report is less than job.FactsEvery old.
	PutFacts(ctx context.Context, group, address string, f job.Facts) error
	// Facts returns its last report, or job.NotFound.
	Facts(ctx context.Context, group, address string) (job.Facts, error)
	// Announced returns the executors of a group whose lease ends after now, with their
	// Dialect, Features and Handlers alone.
	Announced(ctx context.Context, group string, now time.Time) ([]job.Executor, error)
}

// Prober checks whether executors are there.
type Prober interface {
	// Beat returns nil when the executor at address answers and takes tasks. It has its own
	// time limit.
	Beat(ctx context.Context, address string) error
}
