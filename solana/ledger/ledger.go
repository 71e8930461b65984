package ledger

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/solana/thread"
)

// Config is the limits of a ledger. They may differ from one start to the next; what is stored already is kept.
type Config struct {
	// Capacity is the most tasks scheduled and processing together; an offer beyond it is refused with job.Full. Defaults to 100,000.
	Capacity int
	// Remember is of how many executions it is known that they were done, and RememberFor how long. Default to 100,000 and 24 h.
	Remember    int
	RememberFor time.Duration
	// KeepDead is the most dead letters kept: the oldest makes room for a new one. DeadFor is after how long they expire.
	// Default to 10,000 and 30 days.
	KeepDead int
	DeadFor  time.Duration
	// Accounts is how many threads have an account of profit and loss of their own. Defaults to 10,000.
	Accounts int
	// Logger hears of records that cannot be read. Defaults to none.
	Logger *slog.Logger
}

// Ledger is a durable file of tasks. Its methods may be called from any goroutine. Kinds of error, beside those named: job.NotFound
// when a task is not in the place that the method starts from, job.Unavailable when the file cannot be written. After the latter
// the change may have been made all the same.
type Ledger struct{}

// Answer is what became of an offer.
type Answer uint8

// The answers.
const (
	Added Answer = iota // it is scheduled
	Known               // it is here already, or was done
	Late                // a later execution of the thread is wanted already
)

// Offered is what became of one task that was offered.
type Offered struct {
	ID     ID
	Answer Answer
	// Place is where a known task is; 0: it was done, or the answer is another.
	Place Place
	// Superseded are earlier executions of the thread, which were scheduled and are wanted no more.
	Superseded []Task
}

// Postponement is how a task goes back to scheduled, or waits there for something else.
type Postponement struct {
	// Due is the local time before which it is not tried again.
	Due time.Time
	// Failed is what was in the way.
	Failed Failure
	// Try says that a try was used up.
	Try bool
	// Units is the limit of compute units to begin with next time; 0: as before.
	Units uint32
	// Cost is of a transaction that landed and failed.
	Cost Cost
}

// Stats is what a ledger holds.
type Stats struct {
	Scheduled  int
	Processing int
	Dead       int
	Remembered int // executions that are known to be done
	Evicted    int // dead letters that made room for others, ever
	Damaged    int // records that were set aside, ever
	Unknown    int // records of a newer version, which are kept
	Accounts   int // threads with an account of their own
}

// Open opens a ledger on a back end, which belongs to it from then on; after an error it is the caller's to close. A file of a newer
// version is job.Conflict. Tasks in processing stay there: see the package.
func Open(b queue.Backend, c Config) (*Ledger, error) { return nil, errors.ErrUnsupported }

// Run writes what the other methods change until ctx ends and what was submitted is done, and returns nil. It may be called once.
func (l *Ledger) Run(ctx context.Context) error { return errors.ErrUnsupported }

// Close releases the file. Call it after Run has returned.
func (l *Ledger) Close() error { return errors.ErrUnsupported }

// Backup writes a consistent copy of the file while the ledger is in use.
func (l *Ledger) Backup(w io.Writer) error { return errors.ErrUnsupported }

// Offer adds tasks in one transaction, unless they are known, and supersedes earlier ones of the same thread that are scheduled.
// Of each task it takes Thread, State, ExecCount, ByTime, TriggerTime and Due; 1,000 at most are job.Invalid. When there is room
// for less than all, none is added: job.Full.
func (l *Ledger) Offer(ctx context.Context, now time.Time, tasks ...Task) ([]Offered, error) {
	return nil, errors.ErrUnsupported
}

// Start writes the transaction of a scheduled task, which may be sent as soon as Start has returned.
func (l *Ledger) Start(ctx context.Context, id ID, f Flight) error { return errors.ErrUnsupported }

// Postpone moves a scheduled or processing task to scheduled, and returns it as it is then. Of one in processing it must be
// certain that its transaction has failed, or cannot land any more.
func (l *Ledger) Postpone(ctx context.Context, id ID, p Postponement) (Task, error) {
	return Task{}, errors.ErrUnsupported
}

// Bury gives a scheduled or processing task up, under the same condition, and returns the dead letter.
func (l *Ledger) Bury(ctx context.Context, now time.Time, id ID, f Failure, cost Cost) (Task, error) {
	return Task{}, errors.ErrUnsupported
}

// Settle ends a scheduled or processing task. What was executed is remembered; what was not, because it was superseded, may be
// offered again: a fork may take the reason back.
func (l *Ledger) Settle(ctx context.Context, now time.Time, id ID, executed bool, cost Cost) error {
	return errors.ErrUnsupported
}

// Redrive moves dead letters to scheduled, with their tries set to zero, in one transaction. It is job.NotFound when one is none,
// job.Full when there is no room, and then nothing is moved.
func (l *Ledger) Redrive(ctx context.Context, now time.Time, ids ...ID) error {
	return errors.ErrUnsupported
}

// Purge removes dead letters, in one transaction; job.NotFound when one is none, and then nothing is removed.
func (l *Ledger) Purge(ctx context.Context, ids ...ID) error { return errors.ErrUnsupported }

// Expire removes up to n dead letters that are older than DeadFor, and returns how many. It reads all of them: for now and then.
func (l *Ledger) Expire(ctx context.Context, now time.Time, n int) (int, error) {
	return 0, errors.ErrUnsupported
}

// Task returns a task. One that is nowhere is job.NotFound; so is one that was done, which the error says.
func (l *Ledger) Task(ctx context.Context, id ID) (Task, error) {
	return Task{}, errors.ErrUnsupported
}

// Tasks returns up to limit tasks of a place that arrived after one, in the order of arrival. To page, pass the last one's Seq.
func (l *Ledger) Tasks(ctx context.Context, where Place, after uint64, limit int) ([]Task, error) {
	return nil, errors.ErrUnsupported
}

// Stats returns what the ledger holds; it is kept, not counted.
func (l *Ledger) Stats(ctx context.Context) (Stats, error) { return Stats{}, errors.ErrUnsupported }

// Retry returns how what failed is tried again.
func (l *Ledger) Retry() Retry { return DefaultRetry() }

// SetRetry changes it, for all that fails from then on, and keeps it in the file. A value outside its bounds is job.Invalid.
func (l *Ledger) SetRetry(ctx context.Context, r Retry) error { return errors.ErrUnsupported }

// Profit returns what all have brought, and up to limit threads' own accounts behind that of a thread; the zero key: from the first.
func (l *Ledger) Profit(ctx context.Context, after thread.Key, limit int) (Profit, error) {
	return Profit{}, errors.ErrUnsupported
}
