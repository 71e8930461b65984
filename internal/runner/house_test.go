package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a Runner with all that it needs, on fake time.
type house struct {
	t       *testing.T
	backend *mem.Disk
	disk    *disk
	store   *queue.Store
	tasks   *queue.Queue
	outbox  *box
	logs    *shelf
	starts  *notches
	code    handlers
	stuck   []int      // written under the Runner's lock
	found   []Recovery // written by Run
	r       *Runner
	stop    func() // ends the Runner, then the store
}

// build returns a house that is not running, on the backend and the logs of a
// former one, or on new ones.
func build(t *testing.T, former *house, change func(c *Config)) *house {
	t.Helper()
	h := &house{t: t, backend: mem.New(), logs: &shelf{logs: map[int64]*scroll{}}, starts: new(notches), code: handlers{}}
	if former != nil {
		h.backend, h.logs, h.code = former.backend.Reopen(), former.logs, former.code
		h.starts = &notches{found: former.starts.slots}
	}
	h.disk = &disk{Disk: h.backend}
	h.backend.Fault(h.disk.fault)
	store, err := queue.Open(h.disk, queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h.store = store
	h.tasks = store.Queue("tasks", queue.QueueConfig{Capacity: 1000})
	h.outbox = &box{queue: store.Queue("outbox", queue.QueueConfig{})}
	c := Config{
		Store: store, Tasks: h.tasks, Outbox: h.outbox, Handlers: h.code, Logs: h.logs, Starts: h.starts, Alarm: nap.Plain,
		Hooks: Hooks{
			Stuck:     func(n int) { h.stuck = append(h.stuck, n) },
			Recovered: func(r Recovery) { h.found = append(h.found, r) },
		},
	}
	if change != nil {
		change(&c)
	}
	if h.r, err = New(c); err != nil {
		t.Fatal(err)
	}
	h.r.boot = "this boot"
	return h
}

// start runs the house until its stop is called.
func (h *house) start() *house {
	ctx, end := context.WithCancel(context.Background())
	storeCtx, endStore := context.WithCancel(context.Background())
	ended, storeEnded := make(chan error, 1), make(chan error, 1)
	go func() { storeEnded <- h.store.Run(storeCtx) }()
	go func() { ended <- h.r.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		end()
		if err := <-ended; err != nil {
			h.t.Errorf("the runner ended with %v", err)
		}
		endStore()
		if err := <-storeEnded; err != nil {
			h.t.Errorf("the store ended with %v", err)
		}
	})
	return h
}

// live runs a test in a bubble with a house that works.
func live(t *testing.T, change func(c *Config), test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, change).start()
		defer h.stop()
		test(h)
	})
}

func (h *house) accept(tasks ...job.Task) {
	h.t.Helper()
	for _, task := range tasks {
		if err := h.r.Accept(h.t.Context(), task); err != nil {
			h.t.Fatalf("attempt %d: %v", task.AttemptID, err)
		}
	}
}

// outcomes returns what is in the outbox, in order.
func (h *house) outcomes() []job.Outcome {
	h.t.Helper()
	var items []queue.Item
	err := h.store.View(context.Background(), func(tx *queue.Tx) error {
		var err error
		items, err = h.outbox.queue.List(tx, queue.Scheduled, 0, 1000)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	outcomes := []job.Outcome{}
	for _, item := range items {
		var o job.Outcome
		if err := json.Unmarshal(item.Body, &o); err != nil {
			h.t.Fatal(err)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// want is an outcome without its times.
func want(attempt int64, state job.State, message string) job.Outcome {
	return job.Outcome{AttemptID: attempt, State: state, Message: message}
}

func (h *house) expect(outcomes ...job.Outcome) {
	h.t.Helper()
	if outcomes == nil {
		outcomes = []job.Outcome{}
	}
	got := h.outcomes()
	if diff := cmp.Diff(outcomes, got, cmpopts.IgnoreFields(job.Outcome{}, "TriggeredAt", "EndedAt", "Class", "RetryAfter")); diff != "" {
		h.t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func (h *house) stats() queue.Stats {
	h.t.Helper()
	var stats queue.Stats
	err := h.store.View(context.Background(), func(tx *queue.Tx) error {
		var err error
		stats, err = h.tasks.Stats(tx)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return stats
}

var triggered = time.UnixMilli(1795225000671).UTC()

func task(attempt, jobID int64, name string) job.Task {
	return job.Task{
		AttemptID: attempt, JobID: jobID, Handler: job.Handler{Kind: job.HandlerNamed, Name: name},
		Param: "p", TriggeredAt: triggered, ShardTotal: 1,
	}
}

// handlers are found by name.
type handlers map[string]handler.Handler

func (h handlers) Handler(wanted job.Handler) (handler.Handler, error) {
	if found := h[wanted.Name]; found != nil {
		return found, nil
	}
	return nil, job.Errorf(job.Refused, "job handler [%s] not found.", wanted.Name)
}

// do is a handler without a Task.
func do(fn func(ctx context.Context) error) handler.Handler {
	return handler.Func(func(ctx context.Context, _ *handler.Task) error { return fn(ctx) })
}

// until is a handler that waits for its context, as it should.
var until = do(func(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
})

// disk is a folder whose commits fail while it is broken.
type disk struct {
	*mem.Disk
	broken atomic.Bool
	kept   atomic.Bool  // what a failed commit wrote is there
	shut   atomic.Bool  // nothing can be written
	after  atomic.Bool  // a commit that fails shuts it
	until  atomic.Int64 // after so many commits it is shut; 0 is never
}

func (d *disk) fault(op, name string) error {
	commit := strings.HasSuffix(name, ".journal")
	switch {
	case op == "read":
		return nil
	case d.shut.Load():
		return errFull
	case !commit || op != "sync" && op != "write":
		return nil
	case d.broken.Load() && d.kept.Load() == (op == "sync"):
		d.shut.Store(d.after.Load())
		return errFull
	case op == "sync" && d.until.Load() > 0 && d.until.Add(-1) == 0:
		d.shut.Store(true)
	}
	return nil
}

// box is an outbox in a queue of its own.
type box struct {
	queue *queue.Queue
	fail  atomic.Pointer[error]
	room  int // 0: without limit
	woken atomic.Int64
}

// Wake counts.
func (b *box) Wake() { b.woken.Add(1) }

func (b *box) refuse(err error) {
	if err == nil {
		b.fail.Store(nil)
		return
	}
	b.fail.Store(&err)
}

func (b *box) Put(tx *queue.Tx, o job.Outcome) error {
	if err := b.fail.Load(); err != nil {
		return *err
	}
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	err = b.queue.Push(tx, queue.Item{Key: o.AttemptID, Body: body})
	if err == nil {
		tx.OnCommit(b.Wake)
	}
	return err
}

// Room looks at the queue's own capacity.
func (b *box) Room(tx *queue.Tx, outcomes int) error {
	held, err := b.queue.Stats(tx)
	if err == nil && b.room > 0 && held.Scheduled+outcomes > b.room {
		err = job.Errorf(job.Full, "%d outcomes wait for a server", held.Scheduled)
	}
	return err
}

// notches remembers starts in memory.
type notches struct {
	mu    sync.Mutex
	slots []int64
	free  []int
	found []int64
	fail  error
}

func (n *notches) Mark(attempt int64) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		return 0, n.fail
	}
	if last := len(n.free) - 1; last >= 0 {
		slot := n.free[last]
		n.free, n.slots[slot] = n.free[:last], attempt
		return slot, nil
	}
	n.slots = append(n.slots, attempt)
	return len(n.slots) - 1, nil
}

func (n *notches) Free(slot int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.free = append(n.free, slot)
}

func (n *notches) Marked(attempt int64) bool { return slices.Contains(n.found, attempt) }

func (n *notches) Reset() error { n.found = nil; return nil }

// used is the slots that are not free.
func (n *notches) used() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.slots) - len(n.free)
}

// shelf keeps run logs in memory.
type shelf struct {
	mu   sync.Mutex
	logs map[int64]*scroll
	full bool
}

var errFull = errors.New("no space left")

func (s *shelf) Create(attempt int64, _ time.Time) (runlog.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return nil, errFull
	}
	if s.logs[attempt] == nil {
		s.logs[attempt] = new(scroll)
	}
	s.logs[attempt].closed = false
	return s.logs[attempt], nil
}

func (s *shelf) text(attempt int64) string {
	s.mu.Lock()
	log := s.logs[attempt]
	s.mu.Unlock()
	if log == nil {
		return ""
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.text.String()
}

type scroll struct {
	mu     sync.Mutex
	text   bytes.Buffer
	closed bool
}

func (s *scroll) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fs.ErrClosed
	}
	return s.text.Write(p)
}

func (s *scroll) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *scroll) Whole() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed || s.text.Len() > job.MaxOutcomeLog {
		return ""
	}
	return s.text.String()
}

// expectLog checks that the texts are in the log, in this order.
func (h *house) expectLog(attempt int64, texts ...string) {
	h.t.Helper()
	log := h.logs.text(attempt)
	rest := log
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			h.t.Errorf("log of attempt %d: no %q at its place in\n%s", attempt, text, log)
			return
		}
		rest = after
	}
}
