package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// heldJobs is the number of idle jobs whose memory is measured.
const heldJobs = 100_000

// hold measures what a job costs that is enabled and not due: the server's
// resident memory with heldJobs of them, less what it was before, by job.
func hold(ctx context.Context, o options) (perJob, total int64, err error) {
	dir, err := os.MkdirTemp(o.Dir, "hold-")
	if err != nil {
		return 0, 0, err
	}
	o.Dir, o.Jobs, o.Every, o.Alone, o.Profile = dir, heldJobs, 24*time.Hour, true, ""
	if o.Server, err = freeAddress(); err != nil {
		return 0, 0, err
	}
	server, err := child(ctx, o, "server")
	if err != nil {
		return 0, 0, err
	}
	defer server.end()
	if err := server.says(); err != nil { // started
		return 0, 0, err
	}
	before := server.memory()
	if err := server.says(); err != nil { // ready
		return 0, 0, err
	}
	if err := wait(ctx, 5*time.Second); err != nil {
		return 0, 0, err
	}
	after := server.memory()
	return (after - before) / heldJobs, after, nil
}

func printHold(perJob, total int64) {
	fmt.Printf("%d idle jobs: %d bytes of resident memory each, %.1f MiB in all\n", heldJobs, perJob, float64(total)/(1<<20))
}
