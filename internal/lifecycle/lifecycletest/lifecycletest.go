// Package lifecycletest runs the loops of tests.
//
// It knows how a loop is begun and how it has to end. It must never know what the loop
// does. A test and a loop come in; the loop's end goes out.
package lifecycletest

import (
	"context"
	"sync"
	"testing"
)

// Start runs a loop until stop is called or the test is over, and then waits until it has
// ended, which must be without an error. stop may be called often; it is safe for
// concurrent use.
func Start(tb testing.TB, run func(ctx context.Context) error) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context())) // it ends in the order of the cleanups
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Errorf("Run: %v", err)
		}
	})
	tb.Cleanup(stop)
	return stop
}
