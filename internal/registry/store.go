package registry

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store keeps groups and leases.
type Store interface {
	// PutLease writes the executor's lease. A new one keeps RegisteredAt, a
	// known one only has its LeaseUntil and SeenAt moved on and its Features
	// replaced. The group is made when it does not exist; a job.Full error
	// says that there are too many groups or executors. It returns the
	// executor with GroupID set.
	PutLease(ctx context.Context, e job.Executor) (job.Executor, error)
	// DropLease ends a lease at once. An unknown one is no error.
	DropLease(ctx context.Context, group, address string) error
	// Leases returns the executors whose lease ends after now, by group and
	// address.
	Leases(ctx context.Context, now time.Time) ([]job.Executor, error)
}
