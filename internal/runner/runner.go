package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/machine"
	"github.com/orthd/orth/internal/runner/fence"
	"github.com/orthd/orth/internal/runner/texts"
)

// Runner runs tasks. All methods may be called from any goroutine.
type Runner struct {
	config Config
	boot   string

	// ready is closed by Run once the store is recovered, or cannot be.
	ready chan struct{}
	// disk ends when outcomes can no longer wait for the store: some time
	// after the stop.
	disk     context.Context
	giveUp   context.CancelFunc
	routines sync.WaitGroup // all goroutines but those of abandoned handlers
	refused  *fence.Refusals
	fence    *fence.Fence

	mu       sync.Mutex
	lanes    map[int64]*lane // everything below is guarded by mu
	attempts map[int64]*lane // accepted and not finished
	// unsettled is the attempts whose commit failed and may have taken effect.
	unsettled map[int64]bool
	pending   int           // tasks on their way into the store
	running   int           // tasks that run and are waited for
	held      []*lane       // lanes that wait because too much runs
	idlers    idlers        // lanes that wait for their end
	alarms    alarms        // lanes whose first task waits for its time
	workers   workers       // goroutines that wait for work
	stuck     int           // handlers that ignore their cancelled context
	draining  bool          // nothing is accepted, and nothing that waits is begun
	resting   bool          // nothing is accepted
	stopped   bool          // nothing is started
	quiet     chan struct{} // closed when no work is left; nil without a waiter
}

// New returns a Runner for the config. Nothing happens before Run.
func New(c Config) (*Runner, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("runner: %w", err)
	}
	r := &Runner{
		config: c, boot: machine.BootID(), ready: make(chan struct{}),
		refused: fence.NewRefusals(), fence: fence.New(),
		lanes: make(map[int64]*lane), attempts: make(map[int64]*lane), unsettled: make(map[int64]bool),
	}
	r.disk, r.giveUp = context.WithCancel(context.Background())
	return r, nil
}

// Run recovers what a former process left, and then works until ctx ends. Then it cancels
// the running handlers, waits for them for at most the grace, reports their outcomes and
// returns nil. Waiting tasks stay in the store for the next start. A handler that ignores
// its context outlives Run. Run must be called once.
func (r *Runner) Run(ctx context.Context) error {
	defer r.giveUp()
	if err := r.recover(ctx); err != nil {
		r.cancelRunning()
		close(r.ready)
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("recover the tasks: %w", err)
	}
	r.begin()
	<-ctx.Done()
	r.cancelRunning()
	late := time.AfterFunc(2*r.config.Grace, r.giveUp)
	defer late.Stop()
	r.routines.Wait()
	r.destroyAll()
	return nil
}

// Drain stops accepting: Accept answers [job.Unavailable] from now on. Running tasks
// continue; waiting ones stay in the store for the next start.
func (r *Runner) Drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
	r.signalIdle()
}

// Wait returns nil when no work is left: no accepted task is unfinished or, after Drain,
// none runs. It returns ctx's error when ctx ends first.
func (r *Runner) Wait(ctx context.Context) error {
	for {
		quiet := r.quieting()
		if quiet == nil {
			return nil
		}
		select {
		case <-quiet:
		case <-ctx.Done():
			return fmt.Errorf("wait for running tasks: %w", ctx.Err())
		}
	}
}

// Busy reports whether the job runs or has waiting tasks.
func (r *Runner) Busy(jobID int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[jobID]
	return l != nil && l.isBusy()
}

// Running returns the attempts that are accepted and not finished, and those that
// may be, in order.
func (r *Runner) Running() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := slices.AppendSeq(slices.Collect(maps.Keys(r.attempts)), maps.Keys(r.unsettled))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// quieting returns a channel that is closed when nothing is left, and nil when
// that is so already.
func (r *Runner) quieting() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isQuiet() {
		return nil
	}
	if r.quiet == nil {
		r.quiet = make(chan struct{})
	}
	return r.quiet
}

// signalIdle signals the waiters when no work is left. mu is held.
func (r *Runner) signalIdle() {
	if r.quiet != nil && r.isQuiet() {
		close(r.quiet)
		r.quiet = nil
	}
}

// isQuiet reports whether nothing is left to do. mu is held.
func (r *Runner) isQuiet() bool {
	return r.pending == 0 && (len(r.attempts) == 0 || r.draining && r.running == 0)
}

// begin starts the lanes that recovery filled, and accepts tasks.
func (r *Runner) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lanes {
		r.settle(l)
	}
	close(r.ready)
}

// cancelRunning cancels the running tasks and prevents new starts.
func (r *Runner) cancelRunning() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining, r.stopped = true, true
	r.dismissAll()
	if r.idlers.timer != nil {
		r.idlers.timer.Stop()
	}
	r.alarms.stopClocks()
	for _, l := range r.lanes {
		l.endIdle(r)
		for _, a := range l.running {
			r.cancelServed(l, a, &cancelled{reason: texts.StopReason, kind: byStop})
		}
	}
}

// destroyAll ends the lanes that are left. No lane has a goroutine any more but
// for handlers that ignore their context; theirs are left as they are.
func (r *Runner) destroyAll() {
	r.mu.Lock()
	lanes := r.lanes
	r.lanes = make(map[int64]*lane)
	r.mu.Unlock()
	for _, l := range lanes {
		if l.life != nil && l.stuck == 0 {
			r.destroy(l.life)
		}
	}
}

// Load is the load of a Runner.
type Load struct {
	Lanes   int // jobs with a lane
	Idle    int // lanes that only wait for their end
	Running int // tasks whose handlers run
	Waiting int // tasks that are accepted and have not begun
	Stuck   int // handlers that ignore their cancelled context
}

// Load returns the current load.
func (r *Runner) Load() Load {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Load{
		Lanes: len(r.lanes), Idle: r.idlers.count, Running: r.running,
		Waiting: len(r.attempts) - r.running, Stuck: r.stuck,
	}
}

// Suspend stops accepting tasks like Drain, but accepted ones continue; false lets the
// Runner accept again.
func (r *Runner) Suspend(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resting = on
}

// Draining reports whether nothing is accepted, after Drain or Suspend.
func (r *Runner) Draining() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining || r.resting
}
