package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

const (
	// maxGroup bounds the operations of one transaction.
	maxGroup = 512
	// maxQueued bounds the operations that wait for a transaction; further
	// callers wait until there is room.
	maxQueued = 1024
)

// Where an operation stands.
const (
	stateQueued int32 = iota
	stateTaken        // the writer has it: its caller waits for the result
	stateGone         // its caller has left: the writer passes it over
)

// operation is one caller's part of a transaction.
type operation struct {
	do      func(*tx) error
	patient bool // it can wait for others to share a transaction with
	state   atomic.Int32
	err     error         // written by the writer before done is closed
	done    chan struct{} // closed by the writer
}

func (o *operation) take() bool  { return o.state.CompareAndSwap(stateQueued, stateTaken) }
func (o *operation) leave() bool { return o.state.CompareAndSwap(stateQueued, stateGone) }

func (o *operation) end(err error) {
	o.err = err
	close(o.done)
}

// writer is the one goroutine that writes. Operations that wait share the next
// transaction. A single one is committed at once, unless it is patient and others come often.
type writer struct {
	dialect   *Dialect
	logger    *slog.Logger
	committed func(operations int, took time.Duration, err error)
	released  func()
	told      func()
	changed   func([]event.Change)
	audited   func([]audit.Line)
	watched   func() (time.Time, bool)

	deltas  *backlog
	queue   chan *operation
	started atomic.Bool
	ended   chan struct{} // closed when run has ended

	// Used by run only.
	session *session
	group   []*operation
	hurry   bool // an operation of the group cannot wait
	failing bool // the last transaction failed as a whole
	// wary is how many of the next groups put each operation behind a savepoint although
	// the dialect spares them: one of the last ones had an operation that failed.
	wary int
	// missed is when the last change was made that was not recorded for watchers; zero
	// while all are.
	missed  time.Time
	company company
}

func newWriter(c *Config) *writer {
	return &writer{
		dialect: &c.Dialect, logger: c.Logger, committed: c.Hooks.Committed, released: c.Hooks.Released, told: c.Hooks.Told,
		changed: c.Hooks.Changed, audited: c.Hooks.Audited, watched: c.Hooks.Watched, session: newSession(c),
		deltas: newBacklog(), queue: make(chan *operation, maxQueued), ended: make(chan struct{}),
	}
}

// update runs do in a transaction, as submit does. When the request has an author the line
// of the audit and the key of the request are written with it, and a dry run is undone.
func (w *writer) update(ctx context.Context, do func(*tx) error) error {
	if i := intent.Of(ctx); i != nil {
		return w.updateFor(ctx, i, do)
	}
	return w.submit(ctx, do)
}

// updatePatiently is update for operations that nothing waits for: it may share the
// transaction of operations that arrive within the next few milliseconds.
func (w *writer) updatePatiently(ctx context.Context, do func(*tx) error) error {
	if intent.Of(ctx) != nil {
		return w.update(ctx, do)
	}
	return w.enter(ctx, &operation{do: do, patient: true})
}

// submit runs do in a transaction and returns nil when it is durable. do runs on the
// writer's goroutine and may run together with others in one transaction, of which it sees
// the writes; an error undoes its own writes only. When ctx ends before do has started it
// never starts. After an error none of its writes exist, except after an error of the disk
// during the commit, when that is unknown: the statements compare and set, so that a retry
// is safe.
func (w *writer) submit(ctx context.Context, do func(*tx) error) error {
	return w.enter(ctx, &operation{do: do})
}

// enter waits until the operation is done, as submit does.
func (w *writer) enter(ctx context.Context, op *operation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op.done = make(chan struct{})
	select {
	case w.queue <- op:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		return errStopped()
	}
	select {
	case <-op.done:
		return op.err
	case <-ctx.Done():
		if op.leave() {
			return ctx.Err()
		}
	case <-w.ended:
		if op.leave() {
			return errStopped()
		}
	}
	<-op.done
	return op.err
}

func errStopped() error {
	return job.Errorf(job.Unavailable, "the store takes no writes any more: it is shutting down")
}

// run writes until ctx ends and the operations queued by then are done.
func (w *writer) run(ctx context.Context) error {
	if !w.started.CompareAndSwap(false, true) {
		return job.Errorf(job.Internal, "the store's writer runs already, or has ended")
	}
	defer close(w.ended)
	defer w.session.close()
	for {
		select {
		case op := <-w.queue:
			w.await(ctx, op)
			w.turn()
		case <-ctx.Done():
			w.finish()
			return nil
		}
	}
}

// await takes an operation into the group, and while all of that can wait, those that come
// soon.
func (w *writer) await(ctx context.Context, op *operation) {
	if w.gather(op); !w.hurry {
		w.linger(ctx, w.company.wait(time.Now()))
	}
	if w.hurry {
		w.company.came(time.Now())
	}
}

// linger takes operations into the group for a while, until one comes that cannot wait.
func (w *writer) linger(ctx context.Context, wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !w.hurry && len(w.group) < maxGroup {
		select {
		case op := <-w.queue:
			w.gather(op)
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// finish does what is queued, at most what the queue holds.
func (w *writer) finish() {
	for range cap(w.queue) {
		select {
		case op := <-w.queue:
			w.gather(op)
			w.turn()
		default:
			return
		}
	}
}

// turn commits the group.
func (w *writer) turn() {
	if len(w.group) == 0 {
		return
	}
	began := time.Now()
	results, err := w.commit()
	w.committed(len(w.group), time.Since(began), err)
	w.note(err)
	for i, op := range w.group {
		switch {
		case err != nil:
			op.end(err)
		default:
			op.end(results[i])
		}
	}
	clear(w.group)
	w.group, w.hurry = w.group[:0], false
}

// gather adds operations to the group, and what waits.
func (w *writer) gather(given ...*operation) {
	for _, op := range given {
		w.join(op)
	}
	for len(w.group) < maxGroup {
		select {
		case op := <-w.queue:
			w.join(op)
		default:
			return
		}
	}
}

// join adds an operation to the group, unless its caller has left.
func (w *writer) join(op *operation) {
	if op.take() {
		w.group, w.hurry = append(w.group, op), w.hurry || !op.patient
	}
}

const (
	// maxTries bounds how often a group is done that the database has undone.
	maxTries = 4
	// waryFor is how many groups put their operations behind savepoints after an
	// operation of a group has failed. Few do, and a savepoint costs two statements.
	waryFor = 100
)

// errMistaken means that operations received a wrong result: the group is to be done again,
// without assumptions.
var errMistaken = errors.New("a statement that was expected to take effect did not")

// errGroupFailed means that an operation failed whose writes cannot be separated from those of
// the others: the group is to be done again with savepoints.
var errGroupFailed = errors.New("an operation of a group has failed")

// commit runs the group in one transaction and returns the result of each operation. After
// an error none of them must be acknowledged. A transaction that the database rolled back
// in favour of others is retried, as long as it is certain that none of it was committed.
// So is a group without savepoints in which an operation fails, or receives a wrong result:
// an operation may therefore run more than once.
func (w *writer) commit() (results []error, err error) {
	defer func() { w.session.asking = false }()
	for tries := 0; tries < maxTries; tries++ {
		results, err = w.commitOnce()
		switch {
		case errors.Is(err, errMistaken) && !w.session.asking:
			w.session.asking = true
			tries--
		case errors.Is(err, errGroupFailed):
			w.wary = waryFor
			tries--
		case err == nil:
			w.wary = max(w.wary-1, 0)
			return results, nil
		case w.dialect.Fault(err) != FaultLost:
			return nil, err
		}
	}
	return nil, err
}

// sparing reports whether operations share a transaction without savepoints.
func (w *writer) sparing() bool { return w.dialect.Sparing && w.wary == 0 }

func (w *writer) commitOnce() ([]error, error) {
	if err := w.session.begin(); err != nil {
		return nil, w.dialect.translate(fmt.Errorf("begin a transaction: %w", err))
	}
	if err := w.settle(); err != nil {
		return nil, w.undone(err)
	}
	w.gather() // what has come while other servers had their turn
	results, err := w.operate()
	if err != nil {
		return nil, err
	}
	if err := w.session.count(w.deltas); err != nil {
		return nil, w.undone(fmt.Errorf("write down what was counted: %w", err))
	}
	written, err := w.record()
	if err != nil {
		return nil, w.undone(fmt.Errorf("write down what has changed: %w", err))
	}
	if err := w.session.commit(); err != nil {
		return nil, w.undone(fmt.Errorf("commit a transaction: %w", err))
	}
	w.callHooks(written)
	return results, nil
}

// operate runs the operations of the group, and returns the result of each. After an error
// the transaction is over.
func (w *writer) operate() (results []error, err error) {
	s := w.session
	for i := 0; i < len(w.group); i++ { //nolint:intrange // The group may grow.
		err := w.attempt(w.group[i])
		if s.mistaken || s.unbegun != nil || err != nil && (len(w.group) == 1 || w.dialect.Fault(err) == FaultLost) {
			return nil, w.undone(err)
		}
		elsewhere := err != nil && w.dialect.Elsewhere(err)
		s.broken = s.broken || elsewhere
		if w.sparing() && len(w.group) > 1 && (err != nil || s.failed) {
			s.rollback()
			return nil, errGroupFailed
		}
		if s.broken {
			s.rollback()
			return nil, job.Errorf(job.Unavailable, "the transaction was lost: %w", err)
		}
		if results = append(results, err); i == 0 && w.sparing() {
			w.gather() // a queued beginning has waited for its turn only now
		}
	}
	return results, nil
}

// undone rolls the transaction back after an error, and returns the error for each
// operation, or why the group is to be done again.
func (w *writer) undone(err error) error {
	s := w.session
	if err == nil {
		err = s.unbegun
	}
	_, posted := errors.AsType[*PostedError](err)
	// Another connection may lead to a database that can do it.
	s.broken = s.broken || err != nil && w.dialect.Elsewhere(err)
	s.rollback()
	switch {
	case s.mistaken:
		return errMistaken
	case s.unbegun != nil:
		return w.dialect.translate(fmt.Errorf("begin a transaction: %w", s.unbegun))
	case posted && w.sparing() && len(w.group) > 1 && w.dialect.Fault(err) != FaultLost:
		return errGroupFailed
	}
	return w.dialect.translate(err)
}

// callHooks calls the hooks about a committed transaction, whose changes may have been recorded.
func (w *writer) callHooks(written bool) {
	s := w.session
	w.deltas.committed(len(s.deltas), s.folded)
	s.spans.committed()
	if len(s.lines) > 0 {
		w.audited(s.lines)
	}
	if s.released {
		s.released = false
		w.released()
	}
	if s.wroteEvents {
		s.wroteEvents = false
		w.told()
	}
	if len(s.changed) > 0 {
		w.missed = time.Time{}
		if !written {
			w.missed = time.Now()
		}
		w.changed(s.changed)
	}
}

// record stores the changes of the transaction, if another server watches.
func (w *writer) record() (written bool, err error) {
	if len(w.session.changed) == 0 {
		return false, nil
	}
	since, watched := w.watched()
	if !watched {
		return false, nil
	}
	return true, w.session.record(!w.missed.IsZero() && !w.missed.Before(since))
}

// attempt runs one operation. In a group it may stand behind a savepoint, so that
// its error undoes its own writes and nothing else.
func (w *writer) attempt(op *operation) error {
	alone, known, lines, deltas := len(w.group) == 1 || w.sparing(), len(w.session.changed), len(w.session.lines), len(w.session.deltas)
	if !alone {
		if err := w.session.savepoint(); err != nil {
			return w.dialect.translate(err)
		}
	}
	fresh := len(w.session.spans.fresh)
	err := w.guard(op)
	if err == nil {
		err = w.session.addSpans(fresh)
	}
	if !alone || err != nil && w.session.assumed {
		// An error of what it has queued is its own, and its own one may come of what was assumed.
		if failed := w.session.flush(); err == nil {
			err = failed
		}
	}
	if err = w.dialect.translate(err); err != nil {
		w.session.changed, w.session.lines, w.session.deltas = w.session.changed[:known], w.session.lines[:lines], w.session.deltas[:deltas]
		w.session.spans.fresh = w.session.spans.fresh[:fresh]
	}
	switch {
	case alone:
	case err != nil:
		w.session.undo()
	default:
		err = w.dialect.translate(w.session.release())
	}
	return err
}

// guard turns a panic of an operation into an error.
func (w *writer) guard(op *operation) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.logger.Error("a write panicked", "panic", p, "stack", string(debug.Stack()))
			err = job.Errorf(job.Internal, "a write panicked: %v", p)
		}
	}()
	return op.do(&w.session.tx)
}

// note logs when writes stop working and when they work again, once each. The
// error of an operation that was alone is its caller's matter.
func (w *writer) note(err error) {
	switch away := job.Is(err, job.Unavailable); {
	case away && !w.failing:
		w.logger.Error("the database takes no writes; each write is refused until it does", "error", err)
		w.failing = true
	case err == nil && w.failing:
		w.logger.Info("the database takes writes again")
		w.failing = false
	}
}
