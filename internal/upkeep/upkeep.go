// Package upkeep finds runs that fell through: attempts whose executor is gone,
// attempts that were sent and never answered, runs over their deadline, and runs
// that users end and whose executor has not said so.
//
// It knows open attempts, leases and how to ask an executor what became of a
// task. It must never know schedules, routes, protocols or SQL. Open attempts
// come in from the store; outcomes (lost) and acceptances go out to the rooms
// that record them.
//
// An attempt without an answer is unknown. Upkeep asks its executor: one that
// has the task, or its log, has accepted it; one that has neither is sent the
// same task again under the same attempt id, which an executor takes at most
// once. While the executor cannot be asked the attempt stays unknown, until
// the lease ends: then it is lost.
//
// A process with another data folder than the one that an attempt was sent to gets it only
// when that one has said that it does not have it: it may have begun it.
//
// Who has an attempt counts, and not where: an executor that restarts under another address
// with its data folder has its attempts still. Before one is lost, the living executors of
// the group are asked for it, and it moves to the address of the one that has it.
//
// An executor without a lease may be one that said farewell and finishes its
// work, or one that no server heard for a while. So it is asked too: only what
// it does not have, or cannot be asked about, is lost.
//
// An executor that restarts without its work keeps its lease. Those that say so
// name what they still have, and the rest is lost. The others are asked whether they are
// busy with a job shortly after they took a task of it, and watched: one that was busy
// once, or not there since, is idle with the job now and reports nothing has forgotten
// the attempt. One that was never busy has it until the job's time limit is over.
//
// A database can be behind its executors: it was restored from a copy, or a standby
// without the last transactions took over. Executors that keep what they have until a
// server has recorded its end are asked what they are rid of, or say so in their beats.
//
// The other end of upkeep is the [Pruner]: it removes runs that are over and
// whose time is up.
package upkeep

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Executors asks executors about attempts. Each call has a time limit of its
// own.
type Executors interface {
	// Holds reports whether the executor has the attempt or had it. An error
	// means that nobody knows: Unreachable or Ambiguous when the executor
	// did not answer, any other kind when it did.
	Holds(ctx context.Context, address string, a job.Attempt) (bool, error)
	// Send brings the task to the executor; see the dispatcher's Sender.
	Send(ctx context.Context, address string, t job.Task) error
}

// Recorder writes what was found. It is called from several goroutines.
type Recorder interface {
	// Accepted records that the executor has the attempt.
	Accepted(ctx context.Context, a job.Attempt) error
	// Complete records outcomes.
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// Resolver puts into a task what the references in it stand for.
type Resolver interface {
	// Resolve returns the task of a job as it is to be sent. Invalid when something that
	// is referred to cannot be had, with the reason in words; any other kind means that
	// nobody knows now.
	Resolve(ctx context.Context, j *job.Job, t job.Task) (job.Task, error)
}

// Config says how upkeep works.
type Config struct {
	Store     Store
	Executors Executors
	Recorder  Recorder
	// Resolver puts secrets into tasks. Defaults to none: tasks are sent as they are.
	Resolver Resolver
	// Deadlines finds runs that take too long, and Killer ends what they have on
	// executors. Default to nil: no run does. Both or none.
	Deadlines Deadlines
	Killer    Killer
	// Stops finds runs that users end, which Killer tells executors. Defaults to
	// nil: there are none.
	Stops Stops
	// Running finds attempts that executors may have forgotten, and Watcher asks
	// those that do not say when they restart. Default to nil: nobody forgets.
	// Both or none.
	Running Running
	Watcher Watcher
	// Moves finds executors that have another address now, of which Watcher is asked.
	// Defaults to nil: none has.
	Moves Moves
	// Doubtful returns since when all attempts that an address is sent are sent to the process
	// that is there, or to one with its data folder: Moves is asked for those from before. It
	// is now while another process may be there, and zero when it is not known. doubtful says
	// that nothing follows from what the process does not have of those from before; it must
	// end. Defaults to not known.
	Doubtful func(address string) (doubtful bool, since time.Time)
	// Replaced reports whether the process at an address has another data folder than the one
	// that was there at an instant. Defaults to never.
	Replaced func(address string, at time.Time) bool
	// Doubt is how long an attempt is kept that an executor may have which beats and gives
	// no answer. Then it is lost. Defaults to 10 min.
	Doubt time.Duration
	// Once reports whether an executor of a group takes an attempt at most once
	// whatever happens, and can end it without the others of its job: then it is
	// asked about one by sending it again. Defaults to false.
	Once func(group, address string) bool
	// Now is the time by which servers agree when an attempt is whose: that of the
	// database. Defaults to the clock of this machine.
	Now func() time.Time
	// Every is the time between two looks. Defaults to 5 s.
	Every time.Duration
	// Grace is how long after the start, and after an error of the store, no
	// attempt is called lost, because executors could not beat while no
	// server took beats. Defaults to 90 s.
	Grace time.Duration
	// Linger is how long an executor without a lease that still answers may
	// take to finish what it has. Then it is lost. Defaults to 1 h.
	Linger time.Duration
	// Again is when an attempt is looked at again whose executor could not
	// be asked. Defaults to 10 s.
	Again time.Duration
	// GiveUp is how long an attempt is sent to an executor that answers nothing
	// that can be understood, and says each time that it does not have the
	// attempt. Then it has failed. Defaults to 5 min.
	GiveUp time.Duration
	// Forget is how long an executor that always answers that it is idle, as far as is
	// known, may have an attempt of a job without a time limit whose log gets no line.
	// Then the attempt is lost. Defaults to 1 h.
	Forget time.Duration
	// Idle reports whether this server leaves to others what any of them can do: then it
	// only ends what executors have told it alone. Defaults to never.
	Idle func() bool
	// Batch is the number of attempts that are read at once. Defaults to 200.
	Batch  int
	Logger *slog.Logger
}

// Upkeep is the loop of one server.
type Upkeep struct {
	config Config
	// lingering is the attempts of executors without a lease that still have
	// them, and since when. Used by the loop only, made anew at each look.
	lingering map[int64]time.Time
	// watched is what is known of executors that do not say when they restart,
	// by address. watchAt and watchFrom say when and where the next look at
	// them begins. Used by the loop only.
	watched   map[string]*watched
	watchAt   time.Time
	watchFrom string
	// ridAt and ridFrom are the same for executors that do.
	ridAt   time.Time
	ridFrom string

	nonsense onsets   // attempts that executors answer with nothing that can be understood
	unsure   onsets   // attempts that an executor may have which gives no answer
	asks     chan ask // questions for learn

	mu       sync.Mutex
	restarts map[string]restart  // guarded by mu, by address
	conducts map[string]*conduct // guarded by mu, by address
	warnings []string            // guarded by mu: what Warnings returns
}

// New returns an upkeep that does nothing until Run.
func New(c Config) *Upkeep {
	if c.Once == nil {
		c.Once = func(string, string) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Doubtful == nil {
		c.Doubtful = func(string) (bool, time.Time) { return false, time.Time{} }
	}
	if c.Replaced == nil {
		c.Replaced = func(string, time.Time) bool { return false }
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Every <= 0 {
		c.Every = 5 * time.Second
	}
	if c.Grace <= 0 {
		c.Grace = 90 * time.Second
	}
	if c.Linger <= 0 {
		c.Linger = time.Hour
	}
	if c.Again <= 0 {
		c.Again = 10 * time.Second
	}
	if c.GiveUp <= 0 {
		c.GiveUp = 5 * time.Minute
	}
	if c.Doubt <= 0 {
		c.Doubt = 10 * time.Minute
	}
	if c.Forget <= 0 {
		c.Forget = time.Hour
	}
	if c.Batch <= 0 {
		c.Batch = 200
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Upkeep{config: c, asks: make(chan ask, maxAsks)}
}

// Run looks until ctx ends. Errors of the store are logged; the next look
// tries again.
func (u *Upkeep) Run(ctx context.Context) error {
	if u.config.Watcher != nil {
		var learning sync.WaitGroup
		defer learning.Wait()
		learning.Go(func() { u.learn(ctx) })
	}
	calm := time.Now() // since when the store has answered
	ticker := time.NewTicker(u.config.Every)
	defer ticker.Stop()
	for {
		if err := u.look(ctx, time.Since(calm) >= u.config.Grace); err != nil && ctx.Err() == nil {
			u.config.Logger.Error("open attempts could not be looked at; trying again", "error", err)
			calm = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// batches bounds the batches of one look, so that a look ends even when what it
// writes has no effect.
const batches = 50

// look goes through the attempts whose executor has no lease, if it may, those without an
// answer, the runs over their deadline, those that users end, what restarted executors do
// not know and, if it may, the attempts that their executor may have forgotten.
func (u *Upkeep) look(ctx context.Context, mayLose bool) error {
	if u.config.Idle() {
		u.lingering, u.watched = nil, nil // what is not looked at is not known
		u.keepDoubts(time.Now())
		if u.config.Running == nil {
			return nil
		}
		return u.restarted(ctx)
	}
	var err error
	if mayLose { // first, as deadlines: a question about an unanswered attempt hides it until the next one
		err = exhaust(ctx, u.orphans)
	}
	if err == nil && u.config.Deadlines != nil {
		err = exhaust(ctx, u.overdue)
	}
	if err == nil {
		err = exhaust(ctx, u.unanswered)
	}
	if err == nil && u.config.Stops != nil {
		err = exhaust(ctx, u.stopping)
	}
	if err == nil && u.config.Running != nil {
		if err = u.restarted(ctx); err == nil {
			err = u.unreported(ctx)
		}
	}
	if err == nil && mayLose && u.config.Running != nil {
		err = u.forgotten(ctx)
	}
	return err
}

// exhaust calls batch until there is no more.
func exhaust(ctx context.Context, batch func(context.Context) (more bool, err error)) error {
	for range batches {
		if more, err := batch(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}
