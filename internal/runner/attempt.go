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
	"github.com/orthd/orth/job"
)

// errTimeout ends a context whose task's time is up.
var errTimeout = errors.New("the task's time is up")

// attempt brings one task to its outcome.
func (r *Runner) attempt(l *lane, a *attempt) {
	failpoint.Hit("runner/accepted")
	task, ok := r.load(a)
	if !ok {
		return
	}
	if stop, ok := errors.AsType[*cancelled](context.Cause(a.ctx)); ok {
		if stop.shutdown { // another time
			r.putBack(task.AttemptID)
			return
		}
		r.finish(r.outcome(task, stop.state(), stop.reason+queuedKilled), 0)
		return
	}
	began := time.Now()
	state, message := r.execute(l, a, task)
	r.finish(r.outcome(task, state, message), time.Since(began))
}

// load moves the task into processing and returns it. It returns false when
// the task is not there any more, or the store cannot be reached until the end.
func (r *Runner) load(a *attempt) (job.Task, bool) {
	if a.task != nil {
		return *a.task, true
	}
	var item queue.Item
	var place queue.Place
	err := r.insist("start a task", a.key, func(tx *queue.Tx) error {
		var err error
		item, place, _, err = r.config.Tasks.Find(tx, a.key)
		if err == nil && place == queue.Scheduled {
			err = r.config.Tasks.Start(tx, a.key)
		}
		return err
	})
	switch {
	case err != nil:
		return job.Task{}, false
	case place == 0:
		r.finish(r.outcome(job.Task{AttemptID: a.key}, job.Failed, damagedText), 0)
		return job.Task{}, false
	case place != queue.Scheduled && place != queue.Processing: // it has ended
		r.forget(a.key)
		return job.Task{}, false
	}
	task, err := decode(item.Body)
	if err != nil {
		r.bury(a.key, fmt.Sprintf(unreadableText, err))
		return job.Task{}, false
	}
	return task, true
}

// execute runs the handler and returns how that ended.
func (r *Runner) execute(l *lane, a *attempt, task job.Task) (job.State, string) {
	log, err := r.config.Logs.Create(task.AttemptID, task.TriggeredAt)
	if err != nil {
		return job.Failed, fmt.Sprintf(logText, err)
	}
	defer func() {
		if err := log.Close(); err != nil {
			r.config.Logger.Warn("a run log was not closed", "attempt_id", task.AttemptID, "error", err)
		}
	}()
	c := handler.TaskConfig{Task: task, Output: log, Zone: r.config.Zone}
	ctx := a.ctx
	if task.Timeout > 0 {
		c.Deadline = time.Now().Add(task.Timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, c.Deadline, errTimeout)
		defer cancel()
	}
	t := handler.NewTask(c)
	ctx = handler.NewContext(ctx, t)
	t.Log(startLine, task.Param)
	e := r.call(ctx, l, a, task, t)
	if e.inited != nil {
		l.handler, l.code = e.inited, codeOf(task.Handler)
	}
	state, message := e.judge(t.ResultText())
	r.tell(t, e, state, message)
	return state, message
}

// ended is how a call of a handler ended.
type ended struct {
	err      error
	cause    error // why the context was done when the handler returned
	panicked any
	stack    []byte
	exited   bool // by runtime.Goexit
	stuck    bool // it has not ended at all
	inited   handler.Handler
}

// call runs the handler in a goroutine of its own, so that the lane can go on
// without a handler that ignores its context.
func (r *Runner) call(ctx context.Context, l *lane, a *attempt, task job.Task, t *handler.Task) ended {
	found, err := r.find(l, task.Handler)
	if err != nil {
		return ended{err: err}
	}
	current := l.handler // the goroutine must not touch the lane
	done := make(chan ended, 1)
	go func() {
		e := ended{exited: true}
		defer func() {
			e.cause = context.Cause(ctx)
			if v := recover(); v != nil {
				e.panicked, e.stack, e.exited = v, debug.Stack(), false
			}
			r.ended(a, e, done)
		}()
		if current == nil {
			if i, ok := found.(handler.Initer); ok {
				if err := i.Init(ctx); err != nil {
					e.err, e.exited = fmt.Errorf("prepare the handler: %w", err), false
					return
				}
			}
		}
		e.inited = found
		failpoint.Hit("runner/started")
		r.config.Hooks.Started(task)
		e.err = found.Handle(ctx, t)
		e.exited = false
	}()
	select {
	case e := <-done:
		return e
	case <-ctx.Done():
		return r.await(ctx, a, done)
	}
}

// await waits for a cancelled handler for no longer than the grace.
func (r *Runner) await(ctx context.Context, a *attempt, done <-chan ended) ended {
	grace := time.NewTimer(r.config.Grace)
	defer grace.Stop()
	select {
	case e := <-done:
		return e
	case <-grace.C:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case e := <-done:
		return e
	default:
	}
	a.abandoned = true
	r.stuck++
	r.config.Hooks.Stuck(r.stuck)
	return ended{cause: context.Cause(ctx), stuck: true}
}

// ended hands a handler's end to its lane, if the lane still waits for it.
func (r *Runner) ended(a *attempt, e ended, done chan<- ended) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done <- e
	if a.abandoned {
		r.stuck--
		r.config.Hooks.Stuck(r.stuck)
	}
}

// find returns the handler for h: the lane's own while that is the right one.
// Otherwise the lane's is destroyed and the new one must be prepared.
func (r *Runner) find(l *lane, h job.Handler) (handler.Handler, error) {
	if l.handler != nil && l.code == codeOf(h) {
		return l.handler, nil
	}
	r.destroy(l)
	return r.config.Handlers.Handler(h)
}

func codeOf(h job.Handler) code { return code{kind: h.Kind, name: h.Name} }

// judge decides what an end means. Why the context was done when the handler
// returned counts more than what it returned.
func (e ended) judge(result string) (job.State, string) {
	stop, stopped := errors.AsType[*cancelled](e.cause)
	switch {
	case stopped:
		return stop.state(), stop.reason + runningKilled
	case e.cause != nil:
		return job.TimedOut, timeoutText
	case e.panicked != nil:
		return job.Failed, fmt.Sprintf("panic: %v", e.panicked)
	case e.exited:
		return job.Failed, exitText
	case e.err == nil:
		return job.Succeeded, result
	}
	if text := e.err.Error(); text != "" {
		return job.Failed, text
	}
	return job.Failed, emptyErrorText
}

// tell writes the end of the run into its log, and an end that needs an
// operator into the executor's.
func (r *Runner) tell(t *handler.Task, e ended, state job.State, message string) {
	if stop, ok := errors.AsType[*cancelled](e.cause); ok {
		t.Log(stoppedLine, stop.reason)
	} else if e.cause != nil {
		t.Log(timeoutLine)
	}
	switch {
	case e.stuck:
		r.config.Logger.Warn("a handler ignores that it was cancelled",
			"job_id", t.JobID, "attempt_id", t.AttemptID)
		t.Log(stuckLine, r.config.Grace)
	case e.panicked != nil:
		t.Log(exceptionLine, fmt.Sprintf("panic: %v\n%s", e.panicked, e.stack))
	case e.err != nil:
		t.Log(exceptionLine, e.err.Error())
	}
	line := finishLine
	if e.err != nil || e.panicked != nil || e.exited {
		line = errorLine
	}
	t.Log(line, state, message)
}
