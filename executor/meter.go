package executor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/job"
)

// Sample is one value of an executor at one moment, named as Prometheus names
// metrics, without a prefix.
type Sample struct {
	Name, Help string
	Counter    bool        // it only grows
	Labels     [][2]string // name and value
	Value      float64     // of a histogram the sum
	// Buckets makes it a histogram: how many values there were up to each upper bound.
	// Count is how many there were in all.
	Buckets map[float64]uint64
	Count   uint64
}

// meter counts what happens. Its hooks are called by many goroutines.
type meter struct {
	accepted, started  atomic.Int64
	ended              map[job.State]*atomic.Int64 // never written after newMeter
	took               durations                   // of ended tasks
	interrupted, rerun atomic.Int64
	buried             atomic.Int64
	sent, sendFailures atomic.Int64
	refusedOutcomes    atomic.Int64
	commits, committed atomic.Int64
	damaged            atomic.Int64

	mu         sync.Mutex
	diskError  error // guarded by mu: why the last commit failed
	sendError  error // guarded by mu: why outcomes are not delivered
	sendSince  time.Time
	beatError  error // guarded by mu: why no server knows this executor
	beatSince  time.Time
	commitFail int64
}

func newMeter() *meter {
	m := &meter{ended: make(map[job.State]*atomic.Int64)}
	for _, state := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled} {
		m.ended[state] = new(atomic.Int64)
	}
	return m
}

func (m *meter) runner(around func(context.Context, *handler.Task) (context.Context, func(error))) runner.Hooks {
	return runner.Hooks{
		Handling: around,
		Accepted: func(job.Task) { m.accepted.Add(1) },
		Started:  func(job.Task) { m.started.Add(1) },
		Finished: func(o job.Outcome, took time.Duration) {
			if n := m.ended[o.State]; n != nil {
				n.Add(1)
			}
			m.took.addDuration(took)
		},
		Recovered: func(r runner.Recovery) {
			m.interrupted.Add(int64(r.Interrupted))
			m.rerun.Add(int64(r.Rerun))
			m.buried.Add(int64(r.Buried))
		},
	}
}

func (m *meter) queue() queue.Hooks {
	return queue.Hooks{
		Committed: func(functions int, _ time.Duration) {
			m.commits.Add(1)
			m.committed.Add(int64(functions))
			m.countDiskError(nil)
		},
		Failed:  m.countDiskError,
		Damaged: func(times int) { m.damaged.Add(int64(times)) },
	}
}

func (m *meter) countDiskError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.diskError = err
	if err != nil {
		m.commitFail++
	}
}

func (m *meter) outbox() outbox.Hooks {
	return outbox.Hooks{
		Sent: func(outcomes int) { m.sent.Add(int64(outcomes)); m.delivery(nil) },
		Failed: func(err error, _ time.Duration) {
			m.sendFailures.Add(1)
			m.delivery(err)
		},
		Refused: func(int64, error) { m.refusedOutcomes.Add(1) },
	}
}

func (m *meter) delivery(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.sendSince = time.Time{}
	} else if m.sendError == nil {
		m.sendSince = time.Now()
	}
	m.sendError = err
}

func (m *meter) countBeat(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil && m.beatError == nil {
		m.beatSince = time.Now()
	}
	m.beatError = err
}

// rooms is what samples are taken of, once Run has made them.
type rooms struct {
	runner *runner.Runner
	store  *queue.Store
	tasks  *queue.Queue
	outbox *queue.Queue
}

// Samples returns what this executor does and has done, for a program's own metrics. Before
// Run there are none.
func (e *Executor) Samples(ctx context.Context) []Sample {
	e.mu.Lock()
	r := e.rooms
	e.mu.Unlock()
	if r == nil {
		return nil
	}
	m, load := e.meter, r.runner.Load()
	gauge := func(name, help string, n int) Sample { return Sample{Name: name, Help: help, Value: float64(n)} }
	counter := func(name, help string, n int64) Sample {
		return Sample{Name: name, Help: help, Counter: true, Value: float64(n)}
	}
	samples := []Sample{
		gauge("lanes", "Jobs with a lane.", load.Lanes),
		gauge("lanes_idle", "Lanes without work.", load.Idle),
		gauge("tasks_running", "Tasks whose handlers run.", load.Running),
		gauge("tasks_waiting", "Accepted tasks that have not begun.", load.Waiting),
		gauge("handlers_stuck", "Handlers that ignore their cancelled context and keep their slots.", load.Stuck),
		counter("tasks_accepted_total", "Tasks accepted.", m.accepted.Load()),
		counter("tasks_started_total", "Handlers called.", m.started.Load()),
		counter("tasks_interrupted_total", "Tasks that a crash cut off.", m.interrupted.Load()),
		counter("tasks_rerun_total", "Tasks run again after a crash.", m.rerun.Load()),
		counter("tasks_buried_total", "Tasks given up at a start.", m.buried.Load()),
		counter("outcomes_sent_total", "Outcomes that a server has accepted.", m.sent.Load()),
		counter("outcomes_refused_total", "Outcomes that a server has refused: dead letters.", m.refusedOutcomes.Load()),
		counter("outbox_failures_total", "Batches of outcomes that could not be delivered.", m.sendFailures.Load()),
		counter("queue_commits_total", "Durable commits.", m.commits.Load()),
		counter("queue_transactions_total", "Transactions in those commits.", m.committed.Load()),
		counter("queue_damage_total", "How often something in the files of the queue was found damaged and set aside.", m.damaged.Load()),
		m.took.sample("task_seconds", "Time from the start of tasks to their ends."),
	}
	for state, n := range m.ended {
		samples = append(samples, Sample{
			Name: "tasks_ended_total", Help: "Tasks ended, by outcome.", Counter: true,
			Labels: [][2]string{{"state", string(state)}}, Value: float64(n.Load()),
		})
	}
	m.mu.Lock()
	samples = append(samples, counter("queue_commit_failures_total", "Commits that failed.", m.commitFail))
	m.mu.Unlock()
	return append(samples, r.countHeld(ctx)...)
}

// countHeld counts what the queues hold.
func (r *rooms) countHeld(ctx context.Context) []Sample {
	var samples []Sample
	_ = r.store.View(ctx, func(tx *queue.Tx) error {
		for name, q := range map[string]*queue.Queue{"tasks": r.tasks, "outbox": r.outbox} {
			held, err := q.Stats(tx)
			if err != nil {
				return err
			}
			for place, n := range map[string]int{
				"scheduled": held.Scheduled, "processing": held.Processing, "dead": held.Dead, "remembered": held.Remembered,
			} {
				samples = append(samples, Sample{
					Name: "queue_items", Help: "Items of the durable queues, by place.",
					Labels: [][2]string{{"queue", name}, {"place", place}}, Value: float64(n),
				})
			}
		}
		return nil
	})
	return samples
}

// silence is how long outcomes may be undelivered before Healthy reports it.
const silence = time.Minute

// Healthy returns why this executor should get no work, or nil: it has not
// begun, is stopping, cannot write to its disk, or has reached no server for a
// minute.
func (e *Executor) Healthy() error {
	e.mu.Lock()
	r := e.rooms
	e.mu.Unlock()
	if r == nil {
		return job.Errorf(job.Unavailable, "the executor has not begun")
	}
	if r.runner.Draining() {
		return job.Errorf(job.Unavailable, "the executor is stopping, or drained")
	}
	return e.meter.healthy()
}

// healthy returns what keeps the disk or the servers away, or nil.
func (m *meter) healthy() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.diskError != nil:
		return job.Errorf(job.Unavailable, "the data folder cannot be written: %w", m.diskError)
	case m.sendError != nil && time.Since(m.sendSince) > silence:
		return job.Errorf(job.Unavailable, "no server has taken outcomes since %s: %w",
			m.sendSince.Format(time.RFC3339), m.sendError)
	case m.beatError != nil && time.Since(m.beatSince) > silence:
		return job.Errorf(job.Unavailable, "no server has taken the registration since %s: %w",
			m.beatSince.Format(time.RFC3339), m.beatError)
	}
	return nil
}
