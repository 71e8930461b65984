package executor

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/heartbeat"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/redact"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/internal/wire/fastpath"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// opened is what a run of an executor has opened, and must close.
type opened struct {
	store    *queue.Store
	logs     *runlog.Logs
	starts   *marks.File
	library  *library
	mask     *redact.Mask         // hides secrets in messages of failures
	listener net.Listener         // nil for an executor that pulls
	instance string               // empty when it never speaks Orth's own protocol
	follower *native.Follower     // nil when it never speaks Orth's own protocol; set before anything runs
	own      *native.ServerClient // as follower
	control  net.Listener
	callTLS  *tls.Config
	closers  []func() // the last one first
}

func (o *opened) close() {
	for _, closer := range slices.Backward(o.closers) {
		closer()
	}
}

func (o *opened) closing(logger *slog.Logger, what string, closer func() error) {
	o.closers = append(o.closers, func() {
		if err := closer(); err != nil {
			logger.Error("closing was not clean", "what", what, "error", err)
		}
	})
}

// openAll opens the data folder and the listeners. What it has opened when it
// fails is closed.
func (e *Executor) openAll(ctx context.Context) (_ *opened, err error) {
	c := &e.config
	o := new(opened)
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, job.Errorf(job.Unavailable, "make the data folder %s: %w", c.Data, err)
	}
	if err := e.openStore(o); err != nil {
		return nil, err
	}
	o.logs, err = runlog.Open(c.dataPath("logs"), runlog.Config{
		Days: c.LogDays, MaxTotal: c.LogBytes, MaxFile: c.LogFileBytes, Changed: o.changed,
	})
	if err != nil {
		return nil, err
	}
	o.closing(c.Logger, "run logs", o.logs.Close)
	if o.starts, err = marks.Open(c.dataPath("started")); err != nil {
		return nil, err
	}
	o.closing(c.Logger, "started tasks", o.starts.Close)
	if o.mask, err = c.newMask(); err != nil {
		return nil, err
	}
	if o.library, err = e.openLibrary(ctx, o.mask.Text); err != nil {
		return nil, err
	}
	o.closing(c.Logger, "child processes", o.library.Close)
	if o.control, err = control.Listen(c.Data); err != nil {
		return nil, err
	}
	o.closers = append(o.closers, func() { _ = o.control.Close() })
	return o, e.listen(ctx, o)
}

// openStore opens the durable queue.
func (e *Executor) openStore(o *opened) error {
	c := &e.config
	var err error
	o.store, err = queue.Open(queue.Folder(c.dataPath("queue")), queue.Config{Logger: c.Logger.With("room", "queue"), Hooks: e.meter.queue()})
	if err != nil {
		return err
	}
	o.closing(c.Logger, "queue", o.store.Close)
	return nil
}

// listen binds the port and fixes the address under which servers reach it.
func (e *Executor) listen(ctx context.Context, o *opened) error {
	c := &e.config
	serve, call, err := c.TLS.loadConfigs(c.Logger.With("room", "wire"))
	if err != nil {
		return err
	}
	o.callTLS = call
	if c.native() || c.found() {
		if o.instance, err = openInstance(c.dataPath("instance")); err != nil {
			return err
		}
	}
	if c.Pull {
		e.address = message.PullAddress(c.Group, o.instance)
		close(e.bound)
		return nil
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return job.Errorf(job.Conflict, "listen on %s: %w", c.Listen, err)
	}
	o.closers = append(o.closers, func() { _ = listener.Close() })
	o.listener = listener
	scheme := "http"
	if serve != nil {
		o.listener, scheme = tls.NewListener(listener, serve), "https"
	}
	e.address = c.Address
	if e.address == "" {
		if e.address, err = address(scheme, listener.Addr()); err != nil {
			return fmt.Errorf("find the executor's address: %w", err)
		}
	}
	close(e.bound)
	return nil
}

// connectParts connects the rooms: the parts list of an executor, in order of need.
func (e *Executor) connectParts(o *opened) ([]lifecycle.Part, error) {
	c := &e.config
	var me *self // made below: it is asked when the heartbeat runs
	known, err := c.servers()
	if err != nil {
		return nil, err
	}
	servers, err := e.servers(o, known, func() job.Life { return me.newLife() })
	if err != nil {
		return nil, err
	}
	tasks := o.store.Queue("tasks", queue.QueueConfig{
		Remember: c.Remember, RememberFor: c.RememberFor, DeadFor: c.DeadFor,
	})
	outcomes := o.store.Queue("outbox", queue.QueueConfig{
		Capacity: c.Outcomes, Remember: -1, DeadFor: c.DeadFor,
	})
	out, err := outbox.New(outbox.Config{
		Store: o.store, Queue: outcomes, Capacity: c.Outcomes, Send: servers,
		Logger: c.Logger.With("room", "outbox"), Hooks: e.meter.outbox(),
	})
	if err != nil {
		return nil, err
	}
	run, err := runner.New(runner.Config{
		Store: o.store, Tasks: tasks, Outbox: out, Handlers: o.library, Logs: o.logs, Starts: o.starts,
		IdleAfter: c.IdleAfter, Grace: c.Grace, LaneQueue: c.Waiting, Running: c.Running, Mask: o.mask.Text,
		Logger: c.Logger.With("room", "runner"), Hooks: o.ending(e.meter.runner(c.Around)),
	})
	if err != nil {
		return nil, err
	}
	me = newSelf(c.Beat, run, o.store, tasks, outcomes)
	queues, err := e.queues(o, run, out, tasks, outcomes)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.rooms = &rooms{runner: run, store: o.store, tasks: tasks, outbox: outcomes}
	e.mu.Unlock()
	tell := e.teller(o)
	beaten := func(err error) {
		e.meter.countBeat(err)
		if tell != nil {
			tell.beaten(err)
		}
		if err == nil {
			out.Answers()
		}
	}
	beat := heartbeat.New(heartbeat.Config{
		Servers: servers, Group: c.Group, Address: e.address, Every: c.Beat, Keeps: keeps(servers, me), Beaten: beaten,
		Logger: c.Logger.With("room", "heartbeat"),
	})
	doors, err := e.doors(o, me, known)
	if err != nil {
		return nil, err
	}
	listening := make(chan struct{}) // closed when the doors are open
	parts := []lifecycle.Part{
		{Name: "queue", Run: o.store.Run},
		// It ends after the rooms that empty the queues, and so knows what is kept.
		{Name: "heartbeat", Run: func(ctx context.Context) error {
			select {
			case <-listening:
			case <-ctx.Done():
			}
			return beat.Run(ctx)
		}},
	}
	if o.library.groovy != nil {
		parts = append(parts, lifecycle.Part{Name: "groovy", Run: o.library.groovy.findRuntime(c.Logger)})
	}
	parts = append(parts, []lifecycle.Part{
		{Name: "run logs", Run: pruner(o.logs, c.Logger)},
		{Name: "dead letters", Run: expirer(o.store, c.Logger, tasks, outcomes)},
		{Name: "outbox", Run: flushing(out)},
		{Name: "control", Run: lifecycle.Serve(control.NewServer(queues, c.Logger), o.control, lastFlush)},
	}...)
	if o.follower != nil { // it brings the last lines of what the runner ends
		parts = append(parts, lifecycle.Part{Name: "followed logs", Run: o.follower.Run})
	}
	if tell != nil {
		parts = append(parts, tell.newPart())
	}
	parts = append(parts, lifecycle.Part{Name: "runner", Run: run.Run, Drain: e.drain(run)})
	var left atomic.Bool
	leave := func(ctx context.Context) error {
		run.Drain() // the beat reports it
		err := beat.Leave(ctx)
		left.Store(err == nil)
		return err
	}
	return append(append(parts, doors...), lifecycle.Part{
		Name: "registration",
		Run: func(ctx context.Context) error {
			close(listening)
			<-ctx.Done()
			if left.Load() {
				return nil
			}
			// There was no time for it. Servers learn it before they learn what the stop ends.
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLeave)
			defer cancel()
			if err := leave(last); err != nil {
				c.Logger.Warn("the servers did not receive the notice of the stop", "error", err)
			}
			return nil
		},
		Drain: leave,
	}), nil
}

// lastLeave bounds how long a stop waits for the beat that is under way.
const lastLeave = 5 * time.Second

// keeps returns what the executor has and will go on with, as [heartbeat.Config] asks.
// Servers of the XXL-JOB family learn from a farewell alone that an executor takes no more
// tasks.
func keeps(servers upward, me *self) func() int {
	return func() int {
		way := servers
		if f, ok := servers.(*found); ok {
			way = f.protocol()
		}
		if _, family := way.(*xxl.AdminClient); family {
			return 0
		}
		return me.keeps()
	}
}

// upward are an executor's calls to its servers.
type upward interface {
	heartbeat.Servers
	outbox.Sender
}

// servers speaks to the servers in their protocol. life is asked at each beat.
func (e *Executor) servers(o *opened, known []server, life func() job.Life) (upward, error) {
	c := &e.config
	if c.native() {
		return e.nativeClient(o, known, life)
	}
	family, err := xxl.NewAdminClient(xxl.AdminClientConfig{
		Addresses: addresses(known), Dialect: dialectAt(known), Speeches: forks(),
		Group: c.Group, Token: cmp.Or(c.GroupToken, c.Token), TLS: o.callTLS,
		Features: e.features(o), Life: life,
	})
	if err != nil || !c.found() {
		return family, err
	}
	own, err := e.nativeClient(o, known, life)
	if err != nil {
		return nil, err
	}
	return &found{own: own, family: family, logger: c.Logger.With("room", "wire")}, nil
}

// features returns a function that lists what the executor can run.
func (e *Executor) features(o *opened) func() []string {
	return func() []string { return append(labelFeatures(e.config.Labels), o.library.features()...) }
}

// doors are the parts through which servers reach the executor.
func (e *Executor) doors(o *opened, me *self, known []server) ([]lifecycle.Part, error) {
	if e.config.Pull {
		return e.pullers(o, me, known)
	}
	door := e.newHandler(o, me.runner, known)
	if e.config.native() || e.config.found() {
		door = bothDoors(e.nativeDoor(o, me, known), door)
	}
	server := e.server(door)
	front := fastpath.New(fastpath.Config{HTTP: server})
	return []lifecycle.Part{{
		Name: "wire", Run: lifecycle.ServeBy(front, server, o.listener, lastFlush),
		Drain: func(context.Context) error { me.runner.Drain(); return nil },
	}}, nil
}

// drain lets running tasks end, and hands waiting ones back when that is asked
// for.
func (e *Executor) drain(run *runner.Runner) func(context.Context) error {
	return func(ctx context.Context) error {
		if e.config.Return {
			if n := run.Return(ctx); n > 0 {
				e.config.Logger.Info("waiting tasks are handed back to the servers", "tasks", n)
			}
		}
		return run.Wait(ctx)
	}
}

// newHandler serves the servers' requests.
func (e *Executor) newHandler(o *opened, run *runner.Runner, known []server) http.Handler {
	return xxl.NewExecutorHandler(xxl.ExecutorConfig{
		Token: e.config.Token, Tokens: []string{e.config.GroupToken},
		Group: e.config.Group, Dialect: dialectOfAll(known), Speeches: forks(),
		Tasks: run, Logs: o.logs, Kinds: e.config.kinds(), Logger: e.config.Logger.With("room", "wire"),
	})
}

func (e *Executor) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(e.config.Logger.Handler(), slog.LevelDebug),
	}
}

// queues is what operators see of the queues, through the control socket.
func (e *Executor) queues(o *opened, run *runner.Runner, out *outbox.Outbox, tasks, outcomes *queue.Queue) (*control.Queues, error) {
	return control.NewQueues(control.Config{
		Store: o.store, Queues: map[string]*queue.Queue{"tasks": tasks, "outbox": outcomes},
		Redriven: func(name string, keys []int64) {
			if name == "outbox" {
				out.Wake()
				return
			}
			if err := run.Adopt(context.Background(), keys); err != nil {
				e.config.Logger.Error("tasks that were driven again wait for the next start", "error", err)
			}
		},
	})
}

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

// expirePage is how many dead letters one transaction removes.
const expirePage = 256

// expirer removes dead letters that are too old, once an hour.
func expirer(store *queue.Store, logger *slog.Logger, queues ...*queue.Queue) func(context.Context) error {
	expire := func(ctx context.Context, q *queue.Queue) error {
		for removed := expirePage; removed == expirePage; {
			err := store.Update(ctx, func(tx *queue.Tx) (err error) {
				removed, err = q.Expire(tx, time.Now(), expirePage)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	return func(ctx context.Context) error {
		ticker := time.NewTicker(time.Hour)
		defer ticker.Stop()
		for {
			for _, q := range queues {
				if err := expire(ctx, q); err != nil && ctx.Err() == nil {
					logger.Error("old dead letters could not be removed", "error", err)
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
	}
}

// pruner deletes old run logs: once a minute, because logs that take too much
// space cannot wait; it is cheap while they do not.
func pruner(logs *runlog.Logs, logger *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticker := time.NewTicker(time.Minute)
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
