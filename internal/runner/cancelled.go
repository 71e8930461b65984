package runner

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// cancelled is why a task is ended before its time.
type cancelled struct {
	reason string
	kind   cancelKind
}

// cancelKind says who ends a task.
type cancelKind int

const (
	// byUser: somebody cancelled the run, or another one covers it.
	byUser cancelKind = iota
	// byStop: the executor stops. What has not begun stays in the store.
	byStop
	// byReturn: a stopping executor hands its waiting tasks back.
	byReturn
)

// Error returns the reason.
func (c *cancelled) Error() string { return c.reason }

// state returns what the run becomes. One that the executor's stop ended is
// failed, so that its job's retry policy applies.
func (c *cancelled) state() job.State {
	if c.kind == byUser {
		return job.Cancelled
	}
	return job.Failed
}

// class returns what the end means for the next try: a stopping executor says
// nothing about another one.
func (c *cancelled) class() retry.Class {
	if c.kind == byUser {
		return ""
	}
	return retry.ClassResource
}
