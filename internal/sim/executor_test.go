package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/heartbeat"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
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

	mu      sync.Mutex
	disk    *mem.Backend // guarded by mu
	lives   int          // guarded by mu: how many there were
	process *process     // guarded by mu; nil while it is down
}

// process is one life of an executor: its rooms, wired as the real one wires them.
type process struct {
	*life
	*machine
	backend *mem.Backend
	store   *queue.Store
	queues  []*queue.Queue // tasks and outcomes
	starts  *marks.File
	runner  *runner.Runner
	handler http.Handler
	nth     int // of the lives
	began   time.Time
	dies    bool      // guarded by the journal: what it does now was never done
	diedAt  time.Time // guarded by the journal
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

// kill ends the process at once. What its queue had committed is on the disk, and
// what its handlers do from now on never happened.
func (m *machine) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return
	}
	m.w.trace.note("%s killed", m.name)
	m.w.journal.die(m.process)
	_ = m.process.backend.Close()
	_ = m.process.starts.Close()
	m.process.kill()
	m.process = nil
}

func (p *process) kill() { p.life.kill() }

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

// begin opens the disk, wires the rooms and runs their loops. mu is held.
func (m *machine) begin() (*process, error) {
	m.disk = m.disk.Reopen()
	m.lives++
	p := &process{life: newLife(), machine: m, backend: m.disk, nth: m.lives, began: time.Now()}
	store, err := queue.Open(p.backend, queue.Config{Logger: m.w.logger})
	if err != nil {
		return nil, err
	}
	if p.starts, err = marks.Open(filepath.Join(m.folder, m.name)); err != nil {
		return nil, err
	}
	tasks, outcomes := store.Queue("tasks", queue.QueueConfig{}), store.Queue("outbox", queue.QueueConfig{Remember: -1})
	p.store, p.queues = store, []*queue.Queue{tasks, outcomes}
	calls, err := p.calls()
	if err != nil {
		return nil, err
	}
	out, err := outbox.New(outbox.Config{
		Store: store, Queue: outcomes, Send: calls, Logger: m.w.logger,
	})
	if err != nil {
		return nil, err
	}
	p.runner, err = runner.New(runner.Config{
		Store: store, Tasks: tasks, Outbox: out, Handlers: p, Logs: m.logs, Starts: p.starts, Grace: time.Second,
		Zone: time.UTC, Logger: m.w.logger.With("executor", m.name),
	})
	if err != nil {
		return nil, err
	}
	loops, err := p.door()
	if err != nil {
		return nil, err
	}
	beat := heartbeat.New(heartbeat.Config{
		Servers: calls, Group: m.group, Address: m.address(), Every: beatEvery, Logger: m.w.logger,
		Beaten: func(err error) {
			if err == nil {
				out.Answers()
			}
		},
	})
	for _, loop := range append(loops, store.Run, out.Run, p.runner.Run, beat.Run) {
		m.w.background.Go(func() {
			if err := loop(p); err != nil && p.Err() == nil {
				m.w.t.Errorf("a loop of %s ended: %v", m.name, err)
			}
		})
	}
	return p, nil
}

// says is what a beat says of the process.
func (p *process) says() job.Life {
	l := job.Life{Incarnation: fmt.Sprintf("%s-%d", p.name, p.nth), StartedAt: p.began, Holds: p.runner.Running()}
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
