// Package executor is the SDK: an executor of Orth, and of any server that speaks
// the XXL-JOB protocol, inside a Go program.
//
// It knows how the executor's rooms fit together: wire, queue, runner, outbox,
// heartbeat. It must never know SQL, the server or the console. Handlers come
// in by name; runs of them go out to the servers as outcomes.
//
//	e, err := executor.New(executor.Config{
//		Servers: []string{"http://127.0.0.1:8080"}, Group: "reports", Token: token,
//	})
//	e.Handle("daily", func(ctx context.Context, t *handler.Task) error { … })
//	err = e.Run(ctx)
//
// A task is answered "accepted" only after it is durable in the Data folder.
// After a crash, what had not started runs; what was running is reported as
// failed, and the server's retry policy decides.
package executor

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/lifecycle"
)

// Executor is one executor. Register handlers, then call Run once.
type Executor struct {
	config Config

	meter *meter

	mu       sync.Mutex
	handlers map[string]handler.Handler // guarded by mu
	rooms    *rooms                     // guarded by mu; nil before Run
	bound    chan struct{}              // closed when address is set
	address  string                     // written before bound is closed
}

// New checks the configuration. Nothing is opened before Run. The error is of
// kind job.Invalid and names the field.
func New(c Config) (*Executor, error) {
	c.defaults()
	if err := cmp.Or(c.deriveToken(), c.validate()); err != nil {
		return nil, fmt.Errorf("executor: %w", err)
	}
	c.warnOfDefault()
	return &Executor{
		config: c, meter: newMeter(), handlers: make(map[string]handler.Handler), bound: make(chan struct{}),
	}, nil
}

// Handle registers fn under the name that jobs use. A second registration of a
// name replaces the first for jobs that have no lane: a job keeps its handler
// until it has been idle for Config.IdleAfter.
func (e *Executor) Handle(name string, fn func(ctx context.Context, t *handler.Task) error) {
	e.HandleWith(name, handler.Func(fn))
}

// HandleWith is Handle for a handler that has more than a function, such as an
// Init.
func (e *Executor) HandleWith(name string, h handler.Handler) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handlers[name] = h
}

// Address returns the URL under which this executor registers. It waits until
// Run has bound its port, or ctx ends.
func (e *Executor) Address(ctx context.Context) (string, error) {
	select {
	case <-e.bound:
		return e.address, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Run works until ctx ends, then stops in order: it accepts no more tasks and reports that
// to the servers, lets running ones end for Config.DrainFor, cancels the rest, and delivers
// the outcomes it can. Queued tasks and undelivered outcomes stay in the Data folder for
// the next start, and the executor's lease until its time; without any, the executor
// deregisters. It returns nil after such a stop. An error of kind job.Conflict means that
// another executor uses the Data folder.
func (e *Executor) Run(ctx context.Context) error {
	o, err := e.openAll(ctx)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	defer o.close()
	parts, err := e.connectParts(o)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	group := lifecycle.New(lifecycle.Config{
		DrainFor: e.config.DrainFor, StopFor: e.config.stopFor(), Logger: e.config.Logger,
	}, parts...)
	if err := group.Run(ctx); err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	return nil
}
