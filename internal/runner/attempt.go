package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/runner/taskrecord"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// errTimeout cancels the context of a task whose timeout has passed.
var errTimeout = errors.New("the task's time is up")

// errLeft is how a handler ended that did not return.
var errLeft = errors.New("the handler panicked, or ended its goroutine")

// endedEarly reports whether the task was ended without its handler.
func (r *Runner) endedEarly(a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return a.abandoned
}

// attempt runs one task to its end. It returns false when the watcher did that, because the
// handler ignored its cancelled context for too long; then the watcher owns the slot and
// the count of goroutines as well.
func (r *Runner) attempt(a *attempt) bool {
	failpoint.Hit("runner/accepted")
	task, ok := r.loadTask(a)
	if !ok {
		return true
	}
	if stop, ok := errors.AsType[*cancelled](context.Cause(a.ctx)); ok {
		if stop.kind == byStop { // another time
			r.putBack(task.AttemptID)
			r.freeSlot(a)
			return true
		}
		r.finish(ending{outcome: r.outcome(task, endOf(stop, texts.QueuedKilled)), attempt: a, slot: noSlot})
		return true
	}
	return r.execute(a, task)
}

// freeSlot frees the slot of a task that has no outcome to be stored.
func (r *Runner) freeSlot(a *attempt) {
	a.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave(a)
	r.signalIdle()
}

// loadTask moves the task into processing and returns it. It returns false when the task is not
// there any more, or the store cannot be reached until the end; then the task has left its
// lane or will.
func (r *Runner) loadTask(a *attempt) (*job.Task, bool) {
	if a.processing {
		return a.task, true
	}
	var item queue.Item
	var place queue.Place
	err := r.insist("start a task", a.key, func(tx *queue.Tx) error {
		var err error
		if a.task != nil {
			place, err = r.config.Tasks.Where(tx, a.key)
		} else {
			item, place, _, err = r.config.Tasks.Find(tx, a.key)
		}
		if err == nil && place == queue.Scheduled {
			err = r.config.Tasks.Start(tx, a.key)
		}
		return err
	})
	switch {
	case err != nil:
	case place == 0:
		lost := r.outcome(&job.Task{AttemptID: a.key}, end{state: job.Failed, message: texts.DamagedText})
		r.finish(ending{outcome: lost, attempt: a, slot: noSlot})
		return nil, false
	case place != queue.Scheduled && place != queue.Processing: // it has ended
		r.forget(a.key)
	case a.task != nil:
		return a.task, true
	default:
		task, err := taskrecord.Decode(item.Body)
		if err == nil {
			return &task, true
		}
		r.buryTask(a.key, fmt.Sprintf(texts.UnreadableText, err))
	}
	r.freeSlot(a)
	return nil, false
}

// execute runs the handler and reports how that ended. It returns false when
// the watcher has done so. The report is deferred because a handler may end its
// goroutine.
func (r *Runner) execute(a *attempt, task *job.Task) (mine bool) {
	x, refused := r.beginTask(a, task)
	if x == nil {
		r.finish(ending{outcome: r.outcome(task, refused), attempt: a, slot: noSlot})
		return true
	}
	defer x.release()
	unwatch := r.watchOver(a.lane, a, x)
	defer func() {
		if a.watched.Store(nil); unwatch != nil {
			unwatch()
		}
		if mine = r.returned(a.lane, a); mine {
			r.report(x, x.call, a)
		}
	}()
	r.callHandler(a, x)
	return true
}

// watchOver has watch called when the context of an execution is done. What it returns
// ends that as far as its own time is concerned; nil when it has no limit.
func (r *Runner) watchOver(l *lane, a *attempt, x *execution) (unwatch func() bool) {
	if x.task.Timeout > 0 {
		return context.AfterFunc(x.ctx, func() { r.watch(l, a, x) })
	}
	a.watched.Store(x)
	if a.ctx.Err() != nil { // halt came first
		r.watchNow(l, a)
	}
	return nil
}

// cancelServed cancels a task that a goroutine serves.
func (r *Runner) cancelServed(l *lane, a *attempt, why *cancelled) {
	a.cancel(why)
	r.watchNow(l, a)
}

// watchNow watches what runs, when nothing else does.
func (r *Runner) watchNow(l *lane, a *attempt) {
	if x := a.watched.Swap(nil); x != nil {
		go r.watch(l, a, x)
	}
}

// execution is a task whose handler is called.
type execution struct {
	task    *job.Task // nothing changes it
	began   time.Time
	ctx     context.Context
	release context.CancelFunc // frees the timer of ctx
	view    *handler.Task
	log     runlog.Log
	slot    int    // of the mark that it has started
	call    called // of the goroutine that calls the handler
}

// called is how a call of a handler ended.
type called struct {
	err      error
	cause    error // why the context was done when the handler returned
	panicked any
	stack    []byte
	exited   bool // by runtime.Goexit
	stuck    bool // it has not ended at all
}

// beginTask marks the task as started and opens its log. It returns nil and the end
// of the task when that cannot be done.
func (r *Runner) beginTask(a *attempt, task *job.Task) (*execution, end) {
	slot, err := r.config.Starts.Mark(task.AttemptID)
	if err != nil {
		return nil, end{state: job.Failed, class: retry.ClassResource, message: fmt.Sprintf(texts.MarkText, err)}
	}
	log, err := r.config.Logs.Create(task.AttemptID, task.TriggeredAt)
	if err != nil {
		r.config.Starts.Free(slot)
		return nil, end{state: job.Failed, class: retry.ClassResource, message: fmt.Sprintf(texts.LogText, err)}
	}
	c := handler.TaskConfig{Task: *task, Output: log, Zone: r.config.Zone}
	x := &a.run
	*x = execution{task: task, began: time.Now(), ctx: a.ctx, release: func() {}, log: log, slot: slot}
	if task.Timeout > 0 {
		c.Deadline = x.began.Add(task.Timeout)
		x.ctx, x.release = context.WithDeadlineCause(x.ctx, c.Deadline, errTimeout)
	}
	x.view = handler.NewTask(c)
	x.ctx = handler.NewContext(x.ctx, x.view)
	x.view.Log(texts.StartLine, task.Param)
	return x, end{}
}

// callHandler calls the handler. A panic ends here.
func (r *Runner) callHandler(a *attempt, x *execution) {
	e := &x.call
	e.exited = true
	defer func() {
		e.cause = context.Cause(x.ctx)
		if v := recover(); v != nil {
			e.panicked, e.stack, e.exited = v, debug.Stack(), false
		}
	}()
	found, err := a.life.begin(x.ctx, r.findHandler(x.task.Handler))
	if err != nil {
		e.err, e.exited = err, false
		return
	}
	failpoint.Hit("runner/started")
	r.config.Hooks.Started(*x.task)
	ctx, ended := r.config.Hooks.Handling(x.ctx, x.view)
	defer func() {
		err := e.err
		if e.exited {
			err = errLeft
		}
		ended(err)
	}()
	e.err = found.Handle(ctx, x.view)
	e.exited = false
}

// returned records that a handler has returned, and reports whether it was awaited. If it
// was not, its slot is free only now.
func (r *Runner) returned(l *lane, a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.returned = true
	if a.left != nil {
		close(a.left)
	}
	if a.abandoned {
		l.stuck--
		r.stuck--
		r.config.Hooks.Stuck(r.stuck)
		r.settle(l)
	}
	return !a.abandoned
}

// watch is called when a running task's context is done. When the handler has not returned
// after the grace, watch ends the task without it. The handler keeps its slot, because it
// cannot be stopped.
func (r *Runner) watch(l *lane, a *attempt, x *execution) {
	r.mu.Lock()
	if a.returned {
		r.mu.Unlock()
		return
	}
	a.left = make(chan struct{})
	r.routines.Add(1) // the task's own goroutine is still counted, so Wait has not returned
	r.mu.Unlock()
	defer r.routines.Done()
	grace := time.NewTimer(r.config.Grace)
	defer grace.Stop()
	select {
	case <-a.left:
		return
	case <-grace.C:
	}
	if !r.abandon(l, a) {
		return
	}
	r.report(x, called{cause: context.Cause(x.ctx), stuck: true}, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rouse()
}

// abandon stops waiting for a handler, and reports false when it has returned after all.
// The runner does not track its goroutine from now on.
func (r *Runner) abandon(l *lane, a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.returned {
		return false
	}
	a.abandoned = true
	l.stuck++
	r.stuck++
	r.vacate(l, a)
	r.config.Hooks.Stuck(r.stuck)
	r.routines.Done()
	return true
}

// report writes the end of a task into its log, and stores its outcome. a has the slot that
// becomes free then; nil when it is free.
func (r *Runner) report(x *execution, e called, a *attempt) {
	result := e.judge(x.view.ResultText())
	r.writeEnd(x.view, e, result)
	if err := x.log.Close(); err != nil {
		r.config.Logger.Warn("a run log was not closed", "attempt_id", x.task.AttemptID, "error", err)
	}
	failpoint.Hit("runner/ended")
	o := r.outcome(x.task, result)
	if x.task.RunID > 0 && !x.task.LogsOff { // servers of Orth alone name the run
		o.Log = x.log.Whole()
	}
	r.finish(ending{outcome: o, took: o.EndedAt.Sub(x.began), attempt: a, slot: x.slot})
}
