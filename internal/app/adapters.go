package app

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// executors reaches executors for the rooms that need to, each by its protocol:
// each room sees the few methods that it declares.
type executors struct {
	xxl    *xxl.ExecutorClient
	native *native.ExecutorClient
	// natively reports whether the executor speaks the native protocol.
	natively func(address string) bool
	// refused is called when the address of an executor of the XXL-JOB family refuses a
	// connection. Defaults to nothing.
	refused func(address string)
	// settled is [registry.Registry.Settled].
	settled func(address string, attempts []job.Attempt) []bool
	// mayHave reports why an address must not have tasks.
	mayHave func(address string) error
}

// noted passes the error of a call on, and reports a connection that was refused.
func (e executors) noted(address string, err error) error {
	if e.refused != nil && errors.Is(err, syscall.ECONNREFUSED) {
		e.refused(address)
	}
	return err
}

// Together returns how many tasks a call to the executor may have.
func (e executors) Together(address string) int {
	if e.natively(address) {
		return e.native.Together(address)
	}
	return 1
}

// SendAll brings tasks to an executor that has a lease, and returns what became of each.
func (e executors) SendAll(ctx context.Context, address string, tasks []job.Task) []error {
	err := e.mayHave(address)
	if err == nil && e.natively(address) {
		return e.native.SendAll(ctx, address, tasks)
	}
	answers := make([]error, len(tasks))
	for i := range tasks {
		if answers[i] = err; err == nil {
			answers[i] = e.noted(address, e.xxl.Run(ctx, address, tasks[i]))
		}
	}
	return answers
}

// Send brings a task to an executor that has a lease.
func (e executors) Send(ctx context.Context, address string, t job.Task) error {
	return e.SendAll(ctx, address, []job.Task{t})[0]
}

// Beat asks whether the executor is there.
func (e executors) Beat(ctx context.Context, address string) error {
	if e.natively(address) {
		return e.native.Beat(ctx, address)
	}
	return e.noted(address, e.xxl.Beat(ctx, address))
}

// IdleBeat asks whether the job runs on the executor, or waits there.
func (e executors) IdleBeat(ctx context.Context, address string, jobID int64) (bool, error) {
	if e.natively(address) {
		return e.native.Busy(ctx, address, jobID)
	}
	busy, err := e.xxl.IdleBeat(ctx, address, jobID)
	return busy, e.noted(address, err)
}

// KillAttempt ends one attempt, and on an executor that cannot tell attempts apart all of
// its job.
func (e executors) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	if e.natively(address) {
		return e.native.Cancel(ctx, address, attempt, "the server ends it")
	}
	return e.xxl.KillAttempt(ctx, address, jobID, attempt)
}

// ReadLog returns a page of an attempt's log, from a line on.
func (e executors) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	if e.natively(address) {
		return e.native.ReadLog(ctx, address, attempt, at, fromLine)
	}
	page, err := e.xxl.ReadLog(ctx, address, attempt, at, fromLine)
	return page, e.noted(address, err)
}

// Drain drains an executor, or ends its drain, and returns its state afterwards.
func (e executors) Drain(ctx context.Context, address string, on bool) (bool, error) {
	if e.natively(address) {
		return e.native.Drain(ctx, address, on)
	}
	return false, job.Errorf(job.Conflict, "executor %s does not speak the native protocol, and the one that it speaks has no word for this", address)
}

// Holds asks whether the executor has the attempt, or had it. One of another make that
// speaks the XXL-JOB dialect cannot be asked that: there a log of the
// attempt is proof that it has; an idle job without one is proof that it never
// had. A busy job without a log may have the attempt in its queue, or may be
// busy with others: that is an Unavailable error, and the question is asked
// again.
func (e executors) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	if e.natively(address) {
		return e.native.Holds(ctx, address, a.ID, a.TriggeredAt)
	}
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, 1)
	if err != nil {
		return false, fmt.Errorf("ask for the log of attempt %d: %w", a.ID, err)
	}
	if page.To >= 1 {
		return true, nil
	}
	knows, told, busy, err := e.xxl.Knows(ctx, address, a.JobID, a.ID)
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
func (e executors) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	return e.IdleBeat(ctx, address, jobID)
}

// LastLine asks for the number of the last line of an attempt's log; 0 when there is no
// log.
func (e executors) LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error) {
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, from)
	if page.Text == "" { // some makes name the line that was asked for all the same
		return from - 1, err
	}
	return page.To, err
}

// Rid asks an executor of Orth for the attempts that it no longer has. An executor of the
// XXL-JOB family reports them in its heartbeats.
func (e executors) Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !e.natively(address) {
		return e.settled(address, attempts), nil
	}
	return e.native.Rid(ctx, address, attempts)
}

// Has asks an executor of Orth which of the attempts it has, or their outcomes.
func (e executors) Has(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	if !e.natively(address) {
		return nil, job.Errorf(job.Unavailable, "executor %s cannot be asked for attempts", address)
	}
	has, err := e.native.Rid(ctx, address, attempts)
	for i := range has {
		has[i] = !has[i]
	}
	return has, err
}

// recorder writes what upkeep found.
type recorder struct {
	store dispatcher.Acceptor
	*completer.Completer
}

// Accepted records that an executor has the attempt.
func (r recorder) Accepted(ctx context.Context, a job.Attempt) error {
	return r.store.MarkAccepted(ctx, []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: time.Now()}})
}

// calendars reads calendars that others made.
type calendars struct{}

// ReadICS reads an iCalendar text.
func (calendars) ReadICS(text string, weekends bool) (calendar.Rules, []string, error) {
	return holidays.ParseICS([]byte(text), holidays.Options{Weekends: weekends})
}

// ReadCSV reads lines of days.
func (calendars) ReadCSV(text string, weekends bool) (calendar.Rules, []string, error) {
	return holidays.ParseCSV([]byte(text), holidays.Options{Weekends: weekends})
}

// Load returns shipped holiday data.
func (calendars) Load(key string, weekends bool) (calendar.Rules, bool) {
	return holidays.Load(key, weekends)
}

// Shipped lists shipped holiday data.
func (calendars) Shipped() []catalog.Shipped {
	infos := holidays.Shipped()
	list := make([]catalog.Shipped, len(infos))
	for i, info := range infos {
		list[i] = catalog.Shipped{
			Key: info.Key, Title: info.Title, FirstYear: info.FirstYear, LastYear: info.LastYear, Source: info.Source,
		}
	}
	return list
}
