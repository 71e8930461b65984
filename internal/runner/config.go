package runner

import (
	"log/slog"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/job"
)

// Outbox keeps outcomes until a server has them. Put runs inside the
// transaction that ends the task. An error, for example because the outbox is
// full, makes the lane wait and try again.
type Outbox interface {
	Put(tx *queue.Tx, o job.Outcome) error
	// Room returns a job.Full error when the outbox could not hold so many
	// more outcomes. A task is accepted only when its outcome has a place.
	Room(tx *queue.Tx, outcomes int) error
}

// Handlers finds the code for a task: by name, or by kind. An unknown one is a
// [job.Refused] error whose message is for the server. It must answer at once.
type Handlers interface {
	Handler(h job.Handler) (handler.Handler, error)
}

// Logs keeps run logs. Create opens the log of an attempt for appending; the
// writer must be safe for many goroutines, and refuse writes once it is closed.
type Logs interface {
	Create(attempt int64, at time.Time) (runlog.Log, error)
}

// Starts remembers which tasks have started, across the death of the process.
// It must share the fate of the store: with marks that are lost alone, tasks
// that were cut off would run twice.
type Starts interface {
	// Mark is called before the handler. Free is called with its slot when the
	// task has ended.
	Mark(attempt int64) (slot int, err error)
	Free(slot int)
	// Marked reports whether the attempt was, or may have been, marked by a
	// former process; Reset forgets those marks.
	Marked(attempt int64) bool
	Reset() error
}

// Config is what a [Runner] needs. The first six fields are required.
type Config struct {
	// Store holds Tasks and the outbox, so that one transaction reaches both.
	// It must run for as long as the Runner does.
	Store *queue.Store
	// Tasks is the queue of accepted tasks. The Runner owns it.
	Tasks    *queue.Queue
	Outbox   Outbox
	Handlers Handlers
	Logs     Logs
	Starts   Starts
	// IdleAfter is how long a lane without work lives on. Defaults to 90 s.
	IdleAfter time.Duration
	// Grace is how long a cancelled handler may take to return; then its
	// outcome is reported without it. It must be longer than what handlers
	// grant their own children. Defaults to 10 s.
	Grace time.Duration
	// LaneQueue is how many tasks of one job may wait. Defaults to 10,000.
	LaneQueue int
	// Lanes is how many jobs may have a lane at the same time. Defaults to
	// 1,000,000: an idle lane is a few hundred bytes.
	Lanes int
	// Running is how many tasks may run at the same time, of all jobs. Others
	// wait in their lanes. Defaults to 1,000.
	Running int
	// Alarm creates the alarm that wakes the Runner when a task is due. Defaults to
	// [nap.NewAlarm].
	Alarm func() nap.Alarm
	// Mask hides secrets in the messages of failures, in whole lines. Results of
	// successes stay as they are: other jobs work with them. Defaults to none.
	Mask func(text string) string
	// Zone is the zone of the times in run logs. Defaults to time.Local.
	Zone *time.Location
	// Logger logs events that need an operator. Defaults to none.
	Logger *slog.Logger
	// Hooks default to none.
	Hooks Hooks
}

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Store == nil || c.Tasks == nil:
		return c, job.FieldErrorf("store", "and tasks are needed to keep tasks in")
	case c.Outbox == nil:
		return c, job.FieldErrorf("outbox", "is needed to report outcomes")
	case c.Handlers == nil:
		return c, job.FieldErrorf("handlers", "are needed to run anything")
	case c.Logs == nil:
		return c, job.FieldErrorf("logs", "are needed to keep run logs in")
	case c.Starts == nil:
		return c, job.FieldErrorf("starts", "are needed to know after a crash what had started")
	}
	if c.IdleAfter <= 0 {
		c.IdleAfter = 90 * time.Second
	}
	if c.Grace <= 0 {
		c.Grace = 10 * time.Second
	}
	if c.LaneQueue <= 0 {
		c.LaneQueue = 10_000
	}
	if c.Lanes <= 0 {
		c.Lanes = 1_000_000
	}
	if c.Running <= 0 {
		c.Running = 1_000
	}
	if c.Alarm == nil {
		c.Alarm = nap.NewAlarm
	}
	if c.Mask == nil {
		c.Mask = func(text string) string { return text }
	}
	if c.Zone == nil {
		c.Zone = time.Local
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Hooks.setDefaults()
	return c, nil
}
