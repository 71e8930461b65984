package runner

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// cancelled is why a task is ended early.
type cancelled struct {
	reason string
	kind   cancelKind
}

// cancelKind is the cause of an early end.
type cancelKind int

const (
	// byUser: a user cancelled the run, or another one replaces it.
	byUser cancelKind = iota
	// byStop: the executor stops. Tasks that have not started stay in the store.
	byStop
	// byReturn: a stopping executor hands its waiting tasks back.
	byReturn
)

// Error returns the reason.
func (c *cancelled) Error() string { return c.reason }

// state returns the final state of the run. One that ended because the executor stopped is
// failed, so that its job's retry policy applies.
func (c *cancelled) state() job.State {
	if c.kind == byUser {
		return job.Cancelled
	}
	return job.Failed
}

// class returns the retry class of the end: the stop of an executor does not affect another
// one.
func (c *cancelled) class() retry.Class {
	if c.kind == byUser {
		return ""
	}
	return retry.ClassResource
}
