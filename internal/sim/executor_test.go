package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/heartbeat"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/job"
)

// machine is where an executor lives: its disk outlives its processes.
type machine struct {
	w           *world
	name, group string
	number      int // from 1 on
	tongue      tongue
	folder      string // of the marks
	logs        *logs
	disk        medium
	dice        *dice
	calm        disturbance

	mu        sync.Mutex
	moves     int       // guarded by mu: how often it got another address
	lives     int       // guarded by mu: how many there were
	rebooted  bool      // guarded by mu: since the last process
	fuse      int       // guarded by mu: after how many commits the next process dies; 0 for not at all
	damagedAt time.Time // guarded by mu: when its files were last damaged; zero for never
	process   *process  // guarded by mu; nil while it is down
	last      *process  // guarded by mu: the one before, while it is down
}

// process is one life of an executor: its rooms, wired as the real one wires them.
type process struct {
	*life
	*machine
	spindle *spindle
	store   *queue.Store
	queues  []*queue.Queue // tasks and outcomes
	starts  *marks.File
	runner  *runner.Runner
	beat    *heartbeat.Heartbeat
	handler http.Handler
	address string
	nth     int // of the lives
	began   time.Time
	stop    context.CancelFunc // asks it to stop in order
	over    chan struct{}      // closed when its parts have ended
	returns atomic.Bool        // it hands back what waits when it stops
	beaten  atomic.Int64       // when a server last took a beat, in nanoseconds since 1970
	dies    bool               // guarded by the journal: what it does now was never done
	diedAt  time.Time          // guarded by the journal
	cut     bool               // guarded by the journal: the power was cut while it was dead
}

// current returns the process that works now, or nil.
func (m *machine) current() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.process
}

// listener implements host.
func (m *machine) listener() (*life, http.Handler) {
	if p := m.current(); p != nil {
		return p.life, p.handler
	}
	return nil, nil
}

// moved is how often the machine has got another address.
func (m *machine) moved() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moves
}

// damagedSince reports whether files of the machine were damaged after an instant: it does
// not know what it did before.
func (m *machine) damagedSince(t time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.damagedAt.IsZero() && !m.damagedAt.Before(t)
}

// kill ends the process at once. What its queue had committed is on the disk, and
// what its handlers do from now on never happened.
func (m *machine) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process != nil {
		m.w.trace.note("%s killed", m.name)
		m.bury(m.process)
	}
}

// bury ends the present process, dead or over. mu is held.
func (m *machine) bury(p *process) {
	m.w.journal.die(p)
	p.life.kill()
	p.spindle.halt(func() {
		if err := m.disk.cut(); err != nil {
			m.w.t.Errorf("keep the disk of %s: %v", m.name, err)
		}
	})
	_ = p.store.Close()
	_ = p.starts.Close()
	m.process, m.last = nil, p
}

// leave has the process stop in order, as a signal does, and waits until it has ended.
// It lets what runs go on for a while, and hands back what waits when that is asked for.
func (m *machine) leave(handsBack bool) {
	p := m.current()
	if p == nil {
		return
	}
	m.w.trace.note("%s stops, and hands back: %v", m.name, handsBack)
	if handsBack {
		p.returns.Store(true)
	}
	p.stop()
	<-p.over
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == p { // it was not killed on the way
		m.w.trace.note("%s has stopped", m.name)
		m.bury(p)
	}
}

func (m *machine) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process != nil {
		return
	}
	m.w.trace.note("%s starts", m.name)
	p, err := m.begin()
	if err != nil {
		m.w.t.Errorf("start %s: %v", m.name, err)
		return
	}
	m.process = p
}

// restart kills the process, if it is there still, and starts another one soon.
func (m *machine) restart(p *process) {
	end := m.calm.begin()
	defer end()
	m.mu.Lock()
	if m.process != p {
		m.mu.Unlock()
		return
	}
	m.w.trace.note("%s dies", m.name)
	m.bury(p)
	m.mu.Unlock()
	time.Sleep(200 * time.Millisecond)
	m.start()
}

// begin opens the disk, wires the rooms and runs their parts. mu is held.
func (m *machine) begin() (*process, error) {
	m.lives++
	p := &process{life: newLife(), machine: m, nth: m.lives, began: time.Now(), over: make(chan struct{})}
	p.spindle = &spindle{Disk: m.disk.open(), bad: func() disk { return disk{} }, dice: m.dice}
	p.address = m.addressAfter(m.moves)
	if m.rebooted {
		m.rebooted = false
		if err := forgetBoot(p.spindle); err != nil {
			return nil, err
		}
	}
	var err error
	if p.store, err = queue.Open(p.spindle, queueConfig(m.w.logger)); err != nil {
		return nil, err
	}
	p.spindle.bad = m.w.platter
	p.spindle.fuse, m.fuse = m.fuse, 0
	p.spindle.burn = func() { m.w.background.Go(func() { m.restart(p) }) }
	if p.starts, err = marks.Open(m.marks()); err != nil {
		return nil, err
	}
	parts, err := p.wire()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(p)
	p.stop = stop
	group := lifecycle.New(lifecycle.Config{DrainFor: drainFor, StopFor: 15 * time.Second, Logger: m.w.logger}, parts...)
	m.w.background.Go(func() {
		defer close(p.over)
		err := group.Run(ctx)
		switch {
		case err == nil || p.Err() != nil:
		case m.w.scratched(p.began, time.Now()): // it could not recover, and ended: something starts it again
			m.w.background.Go(func() { m.restart(p) })
		default:
			m.w.t.Errorf("a part of %s ended: %v", m.name, err)
		}
	})
	return p, nil
}

// queueConfig has files that are small, and are cleaned all the time.
func queueConfig(logger *slog.Logger) queue.Config {
	return queue.Config{Segment: segmentBytes, Age: 2 * time.Second, Logger: logger}
}

// drainFor is how long a process that stops lets go on what runs.
const drainFor = 3 * time.Second

// marks is the file of what has started.
func (m *machine) marks() string { return filepath.Join(m.folder, m.name) }

// wire connects the rooms in the order of the real one: what others need comes first.
func (p *process) wire() ([]lifecycle.Part, error) {
	m, store := p.machine, p.store
	tasks, outcomes := store.Queue("tasks", queue.QueueConfig{}), store.Queue("outbox", queue.QueueConfig{Remember: -1})
	p.queues = []*queue.Queue{tasks, outcomes}
	calls, err := p.calls()
	if err != nil {
		return nil, err
	}
	out, err := outbox.New(outbox.Config{
		Store: store, Queue: outcomes, Send: calls, Logger: m.w.logger,
		Last: -1, // a process that was killed says no more
	})
	if err != nil {
		return nil, err
	}
	p.runner, err = runner.New(runner.Config{
		Store: store, Tasks: tasks, Outbox: out, Handlers: p, Logs: m.logs, Starts: p.starts, Grace: time.Second, Alarm: nap.Plain,
		Zone: time.UTC, Logger: m.w.logger.With("executor", m.name),
	})
	if err != nil {
		return nil, err
	}
	doors, err := p.door()
	if err != nil {
		return nil, err
	}
	p.beat = heartbeat.New(heartbeat.Config{
		Servers: calls, Group: m.group, Address: p.address, Every: beatEvery, Keeps: p.keeps, Logger: m.w.logger,
		Beaten: func(err error) {
			if err == nil {
				p.beaten.Store(time.Now().UnixNano())
				out.Answers()
			}
		},
	})
	parts := []lifecycle.Part{
		{Name: "queue", Run: store.Run},
		{Name: "heartbeat", Run: p.beat.Run},
		{Name: "outbox", Run: func(ctx context.Context) error {
			err := out.Run(ctx)
			last, cancel := p.within(context.WithTimeout(p, lastFlush))
			defer cancel()
			_ = out.Flush(last)
			return err
		}},
		{Name: "runner", Run: p.runner.Run, Drain: func(ctx context.Context) error {
			ctx, cancel := p.within(context.WithCancel(ctx))
			defer cancel()
			if p.returns.Load() {
				p.runner.Return(ctx)
			}
			return p.runner.Wait(ctx)
		}},
	}
	for _, run := range doors {
		parts = append(parts, lifecycle.Part{Name: "door", Run: run, Drain: func(context.Context) error { p.runner.Drain(); return nil }})
	}
	return append(parts, lifecycle.Part{
		Name: "registration",
		Run:  func(ctx context.Context) error { <-ctx.Done(); return nil },
		Drain: func(ctx context.Context) error {
			ctx, cancel := p.within(context.WithCancel(ctx))
			defer cancel()
			p.runner.Drain()
			return p.beat.Leave(ctx)
		},
	}), nil
}

// lastFlush is how long a process that stops tries to deliver its outcomes.
const lastFlush = 5 * time.Second

// within ends a context when the process is dead, too.
func (p *process) within(ctx context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	stop := context.AfterFunc(p, cancel)
	return ctx, func() { stop(); cancel() }
}

// keeps counts what the process has for its next start. Servers of the XXL-JOB family
// understand a farewell only.
func (p *process) keeps() (n int) {
	if p.tongue == family {
		return 0
	}
	err := p.store.View(context.Background(), func(tx *queue.Tx) error {
		n = 0
		for _, q := range p.queues {
			count, err := q.Stats(tx)
			if err != nil {
				return err
			}
			n += count.Scheduled + count.Processing
		}
		return nil
	})
	if err != nil {
		return 1
	}
	return n
}

// bootMeta is where the runner keeps the boot of the machine that it last worked on.
const bootMeta = "runner/boot"

// forgetBoot makes the next process believe that the machine was started since: it is
// the same for it whether its boot has another name, or the one before had.
func forgetBoot(folder queue.Disk) error {
	store, err := queue.Open(folder, queueConfig(nil))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx) }()
	err = store.Update(ctx, func(tx *queue.Tx) error { return tx.SetMeta(bootMeta, []byte("another boot")) })
	cancel()
	return errors.Join(err, <-ended, store.Close())
}

// says is what a beat says of the process.
func (p *process) says() job.Life {
	l := job.Life{
		Incarnation: fmt.Sprintf("%s-%d", p.name, p.nth), StartedAt: p.began, Holds: p.runner.Running(), Draining: p.runner.Draining(),
	}
	err := p.store.View(context.Background(), func(tx *queue.Tx) error {
		for _, q := range p.queues {
			for _, place := range []queue.Place{queue.Scheduled, queue.Processing} {
				items, err := q.List(tx, place, 0, job.MaxHolds)
				if err != nil {
					return err
				}
				for _, it := range items {
					l.Holds = append(l.Holds, it.Key)
				}
			}
		}
		return nil
	})
	slices.Sort(l.Holds)
	l.Holds, l.Whole = slices.Compact(l.Holds), err == nil
	return l
}

// Handler finds the one handler that there is.
func (p *process) Handler(job.Handler) (handler.Handler, error) { return handler.Func(p.handle), nil }

// handle does what the task's param says, and writes it down.
func (p *process) handle(ctx context.Context, t *handler.Task) error {
	if !p.w.journal.start(p, t) {
		return errGone
	}
	do := deedOf(t.Param)
	select {
	case <-time.After(do.takes):
	case <-ctx.Done():
		p.w.journal.end(p, t, false)
		return context.Cause(ctx)
	}
	if do.fails(p.w.seed, t) {
		p.w.journal.end(p, t, false)
		return errors.New("it failed as it was told")
	}
	p.w.journal.end(p, t, true)
	return nil
}
