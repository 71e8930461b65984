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
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/handler/script"
	"github.com/orthd/orth/internal/heartbeat"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// Executor is one executor. Register handlers, then call Run once.
type Executor struct {
	config Config

	mu       sync.Mutex
	handlers map[string]handler.Handler // guarded by mu
	bound    chan struct{}              // closed when address is set
	address  string                     // written before bound is closed
}

// New checks the configuration. Nothing is opened before Run. The error is of
// kind job.Invalid and names the field.
func New(c Config) (*Executor, error) {
	c.defaults()
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("executor: %w", err)
	}
	return &Executor{config: c, handlers: make(map[string]handler.Handler), bound: make(chan struct{})}, nil
}

// Handle registers fn under the name that jobs use. A second registration of a
// name replaces the first for tasks that have not started.
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

// Run works until ctx ends, then stops in order: it says farewell to the
// servers, takes no more tasks, lets running ones end for Config.DrainFor,
// cancels the rest, and delivers the outcomes it can. Queued tasks and
// undelivered outcomes stay in the Data folder for the next start. It returns
// nil after such a stop. An error of kind job.Conflict says that another
// executor uses the Data folder.
func (e *Executor) Run(ctx context.Context) error {
	parts, closing, err := e.open(ctx)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	defer closing()
	group := lifecycle.New(lifecycle.Config{DrainFor: e.config.DrainFor, Logger: e.config.Logger}, parts...)
	if err := group.Run(ctx); err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	return nil
}

// open builds the rooms and wires them. closing releases what open took and
// must be called after the parts have ended.
func (e *Executor) open(ctx context.Context) (parts []lifecycle.Part, closing func(), err error) {
	c := e.config
	var closers []func()
	undo := func() {
		for _, closer := range slices.Backward(closers) {
			closer()
		}
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, nil, job.Errorf(job.Unavailable, "make the data folder %s: %w", c.Data, err)
	}
	backend, err := bolt.Open(filepath.Join(c.Data, "queue.db"), bolt.Config{Logger: c.Logger.With("room", "queue")})
	if err != nil {
		return nil, nil, err
	}
	store, err := queue.Open(backend, queue.Config{Logger: c.Logger.With("room", "queue")})
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { closeQuietly(c.Logger, "queue", store.Close) })
	logs, err := runlog.Open(filepath.Join(c.Data, "logs"), runlog.Config{Days: c.LogDays})
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { closeQuietly(c.Logger, "run logs", logs.Close) })
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, nil, job.Errorf(job.Conflict, "listen on %s: %w", c.Listen, err)
	}
	closers = append(closers, func() { _ = listener.Close() })
	if err := e.announce(listener); err != nil {
		return nil, nil, err
	}
	parts, err = e.wire(store, logs, listener)
	return parts, undo, err
}

// announce fixes the address under which servers reach the listener.
func (e *Executor) announce(listener net.Listener) error {
	e.address = e.config.Address
	if e.address == "" {
		var err error
		if e.address, err = address(listener.Addr()); err != nil {
			return fmt.Errorf("find the executor's address: %w", err)
		}
	}
	close(e.bound)
	return nil
}

// wire connects the rooms: the parts list of an executor, in order of need.
func (e *Executor) wire(store *queue.Store, logs *runlog.Logs, listener net.Listener) ([]lifecycle.Part, error) {
	c := e.config
	servers, err := xxl.NewAdminClient(xxl.AdminClientConfig{Addresses: c.Servers, Token: c.Token})
	if err != nil {
		return nil, err
	}
	out, err := outbox.New(outbox.Config{
		Store: store, Queue: store.Queue("outbox", queue.QueueConfig{Capacity: outboxCapacity}),
		Send: servers, Logger: c.Logger.With("room", "outbox"),
	})
	if err != nil {
		return nil, err
	}
	handlers, err := e.library()
	if err != nil {
		return nil, err
	}
	run, err := runner.New(runner.Config{
		Store: store, Tasks: store.Queue("tasks", queue.QueueConfig{}), Outbox: out, Handlers: handlers,
		Logs: logs, Logger: c.Logger.With("room", "runner"),
	})
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler: xxl.NewExecutorHandler(xxl.ExecutorConfig{
			Token: c.Token, Tasks: run, Logs: logs, Logger: c.Logger.With("room", "wire"),
		}),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(c.Logger.Handler(), slog.LevelDebug),
	}
	beat := heartbeat.New(heartbeat.Config{
		Servers: servers, Group: c.Group, Address: e.address, Every: c.Beat, Logger: c.Logger.With("room", "heartbeat"),
	})
	return []lifecycle.Part{
		{Name: "queue", Run: store.Run},
		{Name: "run logs", Run: pruner(logs, c.Logger)},
		{Name: "outbox", Run: flushing(out)},
		{Name: "runner", Run: run.Run, Drain: run.Wait},
		{Name: "wire", Run: lifecycle.Serve(server, listener, lastFlush), Drain: func(context.Context) error { run.Drain(); return nil }},
		{Name: "heartbeat", Run: beat.Run, Drain: beat.Leave},
	}, nil
}

// outboxCapacity bounds the outcomes that wait for a server; at the bound new
// tasks are refused and no outcome is dropped.
const outboxCapacity = 1_000_000

// lastFlush is how long a stopping executor tries to deliver its outcomes.
const lastFlush = 5 * time.Second

// flushing is the outbox's loop, which ends with a last try to deliver.
func flushing(out *outbox.Outbox) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := out.Run(ctx); err != nil {
			return err
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
		defer cancel()
		_ = out.Flush(last) // what cannot be delivered now stays in the outbox
		return nil
	}
}

// pruner deletes old run logs once an hour.
func pruner(logs *runlog.Logs, logger *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticker := time.NewTicker(time.Hour)
		defer ticker.Stop()
		for {
			if _, err := logs.Prune(time.Now()); err != nil {
				logger.Error("old run logs could not be deleted", "error", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
	}
}

func closeQuietly(logger *slog.Logger, what string, closing func() error) {
	if err := closing(); err != nil {
		logger.Error("closing was not clean", "what", what, "error", err)
	}
}

// library finds handlers for the runner.
type library struct {
	e     *Executor
	shell handler.Handler // nil when scripts are not allowed
}

func (e *Executor) library() (*library, error) {
	l := &library{e: e}
	if e.config.Scripts {
		shell, err := script.NewShell(script.Config{Dir: filepath.Join(e.config.Data, "scripts")})
		if err != nil {
			return nil, err
		}
		l.shell = shell
	}
	return l, nil
}

// Handler returns the code for h, or a Refused error that says what is missing.
func (l *library) Handler(h job.Handler) (handler.Handler, error) {
	if h.Kind == job.HandlerShell {
		if l.shell == nil {
			return nil, job.Errorf(job.Refused, "this executor does not run scripts: its operator has to allow them")
		}
		return l.shell, nil
	}
	l.e.mu.Lock()
	defer l.e.mu.Unlock()
	if found, ok := l.e.handlers[h.Name]; ok {
		return found, nil
	}
	return nil, job.Errorf(job.Refused, "job handler [%s] not found.", h.Name)
}
