package registry

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store keeps groups, leases and what users say about addresses.
type Store interface {
	Leases
	Addresses
	Rewrites
	Dialects
}

// Leases keeps who is alive.
type Leases interface {
	// PutLease writes the executor's lease. A new one keeps RegisteredAt; of a
	// known one only RegisteredAt and Manual stay, IncarnationAt while the
	// Incarnation does, and a Dialect that something stronger tells. The group is made when it does not exist; a job.Full
	// error says that there are too many groups or executors, a job.Conflict error
	// that another process beats from the address and came first. It returns the
	// executor as it stands.
	PutLease(ctx context.Context, e job.Executor) (job.Executor, error)
	// DropLease ends a lease at once. An unknown one is no error.
	DropLease(ctx context.Context, group, address string) error
	// Leases returns the executors whose lease ends after now and those that
	// were entered by hand, by group and address, without their Handlers.
	Leases(ctx context.Context, now time.Time) ([]job.Executor, error)
}

// Addresses keeps addresses that were entered by hand.
type Addresses interface {
	// AddAddress enters an address, without a lease, and returns the namespace of its
	// group. One that is there already is no error.
	AddAddress(ctx context.Context, group, address string, now time.Time) (namespace string, err error)
	// RemoveAddress removes one, or returns job.NotFound.
	RemoveAddress(ctx context.Context, group, address string) error
	// RenewManual moves their leases on, never back.
	RenewManual(ctx context.Context, executors []job.Executor, until, now time.Time) error
}

// Rewrites keeps the rules by which addresses are replaced.
type Rewrites interface {
	// SaveRewrites sets the rules of a group; none removes them.
	SaveRewrites(ctx context.Context, group string, rules []job.Rewrite, now time.Time) error
	// Rewrites returns the rules of all groups that have some.
	Rewrites(ctx context.Context) (map[string][]job.Rewrite, error)
}

// Dialects keeps how executors are spoken to.
type Dialects interface {
	// SaveDialect writes what a person says, by job.DialectSet or, to make it
	// unknown again, by nothing: job.NotFound says that there is no such executor.
	// What its answers tell, by job.DialectProbed, is written unless something
	// stronger tells another; an unknown executor is no error then.
	SaveDialect(ctx context.Context, group, address string, d job.Dialect, by job.DialectBy) error
}

// Facts keeps what executors tell about themselves.
type Facts interface {
	// PutFacts keeps what an executor tells, in place of what it told before.
	// job.NotFound says that there is no such executor, job.Full that it told something
	// less than job.FactsEvery before.
	PutFacts(ctx context.Context, group, address string, f job.Facts) error
	// Facts returns what it told last, or job.NotFound.
	Facts(ctx context.Context, group, address string) (job.Facts, error)
	// Announced returns the executors of a group whose lease ends after now, with their
	// Dialect, Features and Handlers alone.
	Announced(ctx context.Context, group string, now time.Time) ([]job.Executor, error)
}

// Prober asks executors whether they are there.
type Prober interface {
	// Beat returns nil when the executor at address answers and takes tasks.
	// Its time limit is its own.
	Beat(ctx context.Context, address string) error
}
