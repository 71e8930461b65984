package executors

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// ByDialect reaches executors for the rooms that need to, each by its protocol:
// each room sees the few methods that it declares.
type ByDialect struct {
	Xxl    *xxl.ExecutorClient
	Native *native.ExecutorClient
	// Natively reports whether the executor speaks the native protocol.
	Natively func(address string) bool
	// Refused is called when the address of an executor of the XXL-JOB family refuses a
	// connection. Defaults to nothing.
	Refused func(address string)
	// Settled is [registry.Registry.Settled].
	Settled func(address string, attempts []job.Attempt) []bool
	// MayHave reports why an address must not have tasks.
	MayHave func(address string) error
}

// noted passes the error of a call on, and reports a connection that was refused.
func (e ByDialect) noted(address string, err error) error {
	if e.Refused != nil && errors.Is(err, syscall.ECONNREFUSED) {
		e.Refused(address)
	}
	return err
}

// Together returns how many tasks a call to the executor may have.
func (e ByDialect) Together(address string) int {
	if e.Natively(address) {
		return e.Native.Together(address)
	}
	return 1
}

// SendAll brings tasks to an executor that has a lease, and returns what became of each.
func (e ByDialect) SendAll(ctx context.Context, address string, tasks []job.Task) []error {
	err := e.MayHave(address)
	if err == nil && e.Natively(address) {
		return e.Native.SendAll(ctx, address, tasks)
	}
	answers := make([]error, len(tasks))
	for i := range tasks {
		if answers[i] = err; err == nil {
			answers[i] = e.noted(address, e.Xxl.Run(ctx, address, tasks[i]))
		}
	}
	return answers
}

// Send brings a task to an executor that has a lease.
func (e ByDialect) Send(ctx context.Context, address string, t job.Task) error {
	return e.SendAll(ctx, address, []job.Task{t})[0]
}

// Beat asks whether the executor is there.
func (e ByDialect) Beat(ctx context.Context, address string) error {
	if e.Natively(address) {
		return e.Native.Beat(ctx, address)
	}
	return e.noted(address, e.Xxl.Beat(ctx, address))
}

// IdleBeat asks whether the job runs on the executor, or waits there.
func (e ByDialect) IdleBeat(ctx context.Context, address string, jobID int64) (bool, error) {
	if e.Natively(address) {
		return e.Native.Busy(ctx, address, jobID)
	}
	busy, err := e.Xxl.IdleBeat(ctx, address, jobID)
	return busy, e.noted(address, err)
}

// KillAttempt ends one attempt, and on an executor that cannot tell attempts apart all of
// its job.
func (e ByDialect) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	if e.Natively(address) {
		return e.Native.Cancel(ctx, address, attempt, "the server ends it")
	}
	return e.Xxl.KillAttempt(ctx, address, jobID, attempt)
}

// ReadLog returns a page of an attempt's log, from a line on.
func (e ByDialect) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	if e.Natively(address) {
		return e.Native.ReadLog(ctx, address, attempt, at, fromLine)
	}
	page, err := e.Xxl.ReadLog(ctx, address, attempt, at, fromLine)
	return page, e.noted(address, err)
}

// Drain drains an executor, or ends its drain, and returns its state afterwards.
func (e ByDialect) Drain(ctx context.Context, address string, on bool) (bool, error) {
	if e.Natively(address) {
		return e.Native.Drain(ctx, address, on)
	}
	return false, job.Errorf(job.Conflict, "executor %s does not speak the native protocol, and the one that it speaks has no word for this", address)
}

// Holds asks whether the executor has the attempt, or had it. One of another make that
// speaks the XXL-JOB dialect cannot be asked that: there a log of the
// attempt is proof that it has; an idle job without one is proof that it never
// had. A busy job without a log may have the attempt in its queue, or may be
// busy with others: that is an Unavailable error, and the question is asked
// again.
func (e ByDialect) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	if e.Natively(address) {
		return e.Native.Holds(ctx, address, a.ID, a.TriggeredAt)
	}
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, 1)
	if err != nil {
		return false, fmt.Errorf("ask for the log of attempt %d: %w", a.ID, err)
	}
	if page.To >= 1 {
		return true, nil
	}
	knows, told, busy, err := e.Xxl.Knows(ctx, address, a.JobID, a.ID)
	switch {
	case err != nil:
		return false, fmt.Errorf("ask whether job %d is busy: %w", a.JobID, err)
	case told:
		return knows, nil
	case busy:
		return false, job.Errorf(job.Unavailable, "executor %s is busy with job %d and has no log of attempt %d yet",
			address, a.JobID, a.ID)
	}
	return false, nil
}

// Busy asks whether the job runs on the executor, or waits there.
func (e ByDialect) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	return e.IdleBeat(ctx, address, jobID)
}

// LastLine asks for the number of the last line of an attempt's log; 0 when there is no
// log.
func (e ByDialect) LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error) {
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, from)
	if page.Text == "" { // some makes name the line that was asked for all the same
		return from - 1, err
	}
	return page.To, err
}

// Rid asks an executor of Orth for the attempts that it no longer has. An executor of the
// XXL-JOB family reports them in its heartbeats.
func (e ByDialect) Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !e.Natively(address) {
		return e.Settled(address, attempts), nil
	}
	return e.Native.Rid(ctx, address, attempts)
}

// Has asks an executor of Orth which of the attempts it has, or their outcomes.
func (e ByDialect) Has(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !e.Natively(address) {
		return nil, job.Errorf(job.Unavailable, "executor %s cannot be asked for attempts", address)
	}
	has, err := e.Native.Rid(ctx, address, attempts)
	for i := range has {
		has[i] = !has[i]
	}
	return has, err
}
