package runner

import (
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// end is the result of a task.
type end struct {
	state   job.State
	message string
	class   retry.Class   // of a failure; empty means transient
	after   time.Duration // the least wait before the next try
}

// endOf returns the end of a task that was ended early. where describes how far it had
// come.
func endOf(stop *cancelled, where string) end {
	return end{state: stop.state(), message: stop.reason + where, class: stop.class()}
}

// judge returns the end of a call. The cause of the context's end at the return of the
// handler takes precedence over what the handler returned.
func (e called) judge(result string) end {
	stop, stopped := errors.AsType[*cancelled](e.cause)
	switch {
	case stopped:
		return e.still(endOf(stop, texts.RunningKilled))
	case e.cause != nil:
		return e.still(end{state: job.TimedOut, message: texts.TimeoutText})
	case e.panicked != nil:
		return end{state: job.Failed, message: fmt.Sprintf("panic: %v", e.panicked)}
	case e.exited:
		return end{state: job.Failed, message: texts.ExitText}
	case e.err == nil:
		return end{state: job.Succeeded, message: result}
	}
	verdict := end{state: job.Failed, message: e.err.Error()}
	if handler.IsTimedOut(e.err) {
		verdict.state = job.TimedOut
	}
	if class, after := retry.ClassOf(e.err); class != retry.ClassTransient {
		verdict.class, verdict.after = class, after
	}
	if verdict.message == "" {
		verdict.message = texts.EmptyErrorText
	}
	return verdict
}

// still adds that a handler could not be stopped.
func (e called) still(verdict end) end {
	if e.stuck {
		verdict.message += texts.StillText
	}
	return verdict
}

// writeEnd writes the end of the run into its log, and an end that needs an operator into the
// executor's.
func (r *Runner) writeEnd(t *handler.Task, e called, verdict end) {
	if stop, ok := errors.AsType[*cancelled](e.cause); ok {
		t.Log(texts.StoppedLine, stop.reason)
	} else if e.cause != nil {
		t.Log(texts.TimeoutLine)
	}
	switch {
	case e.stuck:
		r.config.Logger.Warn("a handler ignores that it was cancelled and cannot be stopped",
			"job_id", t.JobID, "attempt_id", t.AttemptID)
		t.Log(texts.StuckLine, r.config.Grace)
	case e.panicked != nil:
		t.Log(texts.ExceptionLine, fmt.Sprintf("panic: %v\n%s", e.panicked, e.stack))
	case e.err != nil:
		t.Log(texts.ExceptionLine, e.err.Error())
	}
	line := texts.FinishLine
	if e.err != nil || e.panicked != nil || e.exited {
		line = texts.ErrorLine
	}
	t.Log(line, string(verdict.state), verdict.message)
}
