package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
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
	// Reports is how many reports of executions that ended are kept until they are
	// delivered: then the oldest makes room, and is counted. Defaults to none: they are not
	// kept.
	Reports int
	// Logger hears of records that cannot be read. Defaults to none.
	Logger *slog.Logger
}

const (
	defaultDeadFor  = 30 * 24 * time.Hour
	defaultAccounts = 10_000
	mostOffered     = 1000
	page            = 500
)

// Names in the file.
const (
	tasksQueue    = "tasks"
	accountsQueue = "accounts"
	reportsQueue  = "reports"
	retryMeta     = "retry"
	totalMeta     = "profit-total"
	restMeta      = "profit-rest"
	reportsMeta   = "reports"
)

// Ledger is a durable file of tasks. Its methods may be called from any goroutine. Kinds of
// error, besides those named: job.NotFound when a task is not in the place that the method
// starts from, job.Unavailable when the file cannot be written. After the latter the change
// may have been made all the same.
type Ledger struct {
	config   Config
	store    *queue.Store
	tasks    *queue.Queue
	accounts *queue.Queue
	reports  *queue.Queue

	mu      sync.Mutex
	retry   Retry
	unknown int
	// live are the tasks of each thread that are scheduled or processing, as far as is
	// known: the file decides what is done with them.
	live map[thread.Key][]ID
}

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
	// Tries is how many tries are used up now.
	Tries int
	// Units is the limit of compute units to begin with next time; 0: as before.
	Units uint32
	// Cost is of a transaction that landed and failed; without one in processing it is nothing.
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
	Reports    int // reports that wait
	Dropped    int // reports that made room for others, ever
}

// Open opens the ledger of a folder. One of another version, or that another process has open, is job.Conflict. Tasks in processing stay there: see the package.
func Open(d queue.Disk, c Config) (*Ledger, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.DeadFor <= 0 {
		c.DeadFor = defaultDeadFor
	}
	if c.Accounts <= 0 {
		c.Accounts = defaultAccounts
	}
	store, err := queue.Open(d, queue.Config{Logger: c.Logger})
	if err != nil {
		return nil, err
	}
	l := &Ledger{config: c, store: store, retry: DefaultRetry(), live: make(map[thread.Key][]ID)}
	l.tasks = store.Queue(tasksQueue, queue.QueueConfig{
		Capacity: c.Capacity, Remember: c.Remember, RememberFor: c.RememberFor, KeepDead: c.KeepDead,
	})
	l.accounts = store.Queue(accountsQueue, queue.QueueConfig{Capacity: c.Accounts, Remember: -1})
	l.reports = store.Queue(reportsQueue, queue.QueueConfig{Capacity: max(c.Reports, 1), Remember: -1})
	if err := l.loadState(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return l, nil
}

// loadState reads how things are tried again, and whose tasks there are.
func (l *Ledger) loadState() error {
	//nolint:contextcheck // opening is not cut short
	return l.store.View(context.Background(), func(tx *queue.Tx) error {
		if data, found := tx.Meta(retryMeta); found {
			if r, err := decodeRetry(data); err == nil {
				l.retry = r
			} else {
				l.config.Logger.Warn("how tasks are tried again cannot be read: the defaults hold until they are set", "error", err)
			}
		}
		for _, name := range []string{totalMeta, restMeta} {
			if _, err := readMeta(tx, name); err != nil {
				return err
			}
		}
		for _, p := range Places() {
			if err := l.walkTasks(tx, p, func(t Task) error {
				switch {
				case t.Unknown:
					l.unknown++
				case p != Dead:
					l.live[t.Thread] = append(l.live[t.Thread], t.ID)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if l.unknown > 0 {
			l.config.Logger.Error("tasks of a newer version are kept and not executed: start the version that wrote them", "tasks", l.unknown)
		}
		return nil
	})
}

// walkTasks yields all tasks of a place, by arrival.
func (l *Ledger) walkTasks(tx *queue.Tx, where Place, yield func(Task) error) error {
	after := uint64(0)
	for {
		items, err := l.tasks.List(tx, queue.Place(where), after, page)
		if err != nil {
			return err
		}
		for _, it := range items {
			if err := yield(taskOf(it, queue.Place(where))); err != nil {
				return err
			}
			after = it.Seq
		}
		if len(items) < page {
			return nil
		}
	}
}

// Run writes what the other methods change until ctx ends and what was submitted is done, and returns nil. It may be called once.
func (l *Ledger) Run(ctx context.Context) error { return l.store.Run(ctx) }

// Close releases the file. Call it after Run has returned.
func (l *Ledger) Close() error { return l.store.Close() }

// Backup writes a consistent copy of the file while the ledger is in use.
func (l *Ledger) Backup(w io.Writer) error { return l.store.Backup(w) }

// Task returns a task. An unknown one is job.NotFound; so is one that was done, which the
// error mentions.
func (l *Ledger) Task(ctx context.Context, id ID) (t Task, err error) {
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		it, place, found, err := l.tasks.Find(tx, int64(id))
		switch {
		case err != nil:
			return err
		case !found:
			return job.Errorf(job.NotFound, "there is no task %v", id)
		case place == queue.Remembered:
			return job.Errorf(job.NotFound, "task %v was executed", id)
		}
		t = taskOf(it, place)
		return nil
	})
	return t, err
}

// Tasks returns up to limit tasks of a place that arrived after one, in the order of arrival. To page, pass the last one's Seq.
func (l *Ledger) Tasks(ctx context.Context, where Place, after uint64, limit int) (list []Task, err error) {
	if !slices.Contains(Places(), where) {
		return nil, job.FieldErrorf("place", "%v has no tasks: it is scheduled, processing or dead", where)
	}
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		items, err := l.tasks.List(tx, queue.Place(where), after, min(limit, mostOffered))
		list = make([]Task, 0, len(items))
		for _, it := range items {
			list = append(list, taskOf(it, queue.Place(where)))
		}
		return err
	})
	return list, err
}

// Stats returns what the ledger holds; it is kept, not counted.
func (l *Ledger) Stats(ctx context.Context) (s Stats, err error) {
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		tasks, err := l.tasks.Stats(tx)
		accounts, other := l.accounts.Stats(tx)
		reports, third := l.reports.Stats(tx)
		s = Stats{
			Scheduled: tasks.Scheduled, Processing: tasks.Processing, Dead: tasks.Dead, Remembered: tasks.Remembered,
			Evicted: tasks.Evicted, Damaged: tasks.Damaged + accounts.Damaged + reports.Damaged, Accounts: accounts.Processing,
			Reports: reports.Processing, Dropped: int(min(readReports(tx).dropped, math.MaxInt32)),
		}
		return errors.Join(err, other, third)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Unknown = l.unknown
	return s, err
}

// Retry returns how what failed is tried again.
func (l *Ledger) Retry() Retry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.retry
}

// SetRetry changes it, for all that fails from then on, and keeps it in the file. A value outside its bounds is job.Invalid.
func (l *Ledger) SetRetry(ctx context.Context, r Retry) error {
	if err := r.Check(); err != nil {
		return err
	}
	data, err := r.encode()
	if err != nil {
		return fmt.Errorf("encode how tasks are tried again: %w", err)
	}
	if err := l.store.Update(ctx, func(tx *queue.Tx) error { return tx.SetMeta(retryMeta, data) }); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retry = r
	return nil
}

// known are the tasks of a thread that are scheduled or processing, as far as is known.
func (l *Ledger) known(key thread.Key) []ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.live[key])
}

// noteTask keeps what is known of a thread's tasks up to date.
func (l *Ledger) noteTask(key thread.Key, id ID, lives bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.live[key]
	at := slices.Index(list, id)
	switch {
	case lives && at < 0:
		l.live[key] = append(list, id)
	case !lives && at >= 0 && len(list) == 1:
		delete(l.live, key)
	case !lives && at >= 0:
		l.live[key] = slices.Delete(list, at, at+1)
	}
}
