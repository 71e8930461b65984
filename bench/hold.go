package main

import (
	"context"
	"time"
)

// heldJobs is the number of idle jobs whose memory is measured.
const heldJobs = 100_000

// hold measures what a job costs that is enabled and not due: the server's
// resident memory with heldJobs of them, less what it was before, by job. They
// are made by commands, which may remember them.
func hold(ctx context.Context, o options) ([]figure, error) {
	o.Jobs, o.Every, o.Alone, o.Profile = heldJobs, 24*time.Hour, true, ""
	r, err := newRig(o, "hold")
	if err != nil {
		return nil, err
	}
	defer r.end()
	if err := r.startServer(ctx); err != nil {
		return nil, err
	}
	before := r.server.memory()
	if err := r.server.says(); err != nil { // ready
		return nil, err
	}
	if err := wait(ctx, 5*time.Second); err != nil {
		return nil, err
	}
	after := r.server.memory()
	return []figure{
		atMost("resident memory of each", float64((after-before)/heldJobs), bytesOf, 8192),
		plain("resident memory of 100,000", float64(after)/(1<<20), mebi),
	}, nil
}
