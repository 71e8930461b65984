// Package upkeep recovers runs that would otherwise never end: attempts whose executor is
// gone, attempts that were sent and never answered, runs past their deadline, and stopped
// runs whose executor has not confirmed the stop.
//
// It knows open attempts, leases and how to ask an executor about a task. It must never
// know schedules, routes, protocols or SQL. It reads open attempts from the store, and
// passes outcomes (lost) and acceptances to the packages that record them.
//
// An attempt without an answer is unknown. Upkeep queries its executor. An executor that
// has the task, or its log, has accepted it. One that has neither is sent the same task
// again under the same attempt id, which an executor takes at most once. While the executor
// cannot be queried the attempt stays unknown, until the lease ends: then it is lost.
//
// An attempt may have started in the data folder that it was sent to. So upkeep sends it to
// a process with another data folder only when the first one has reported that it does not
// have the attempt.
//
// The executor that holds an attempt counts, not its address: an executor that restarts
// under another address with its data folder still has its attempts. Before an attempt is
// lost, upkeep asks the living executors of the group for it, and moves it to the address
// of the one that has it.
//
// An executor without a lease may have deregistered and be finishing its work, or may have
// reached no server for a while. So upkeep queries it too: only attempts that it does not
// have, or cannot be queried about, are lost.
//
// An executor that restarts without its work keeps its lease. Executors that report
// restarts list the attempts that they still have, and the rest is lost. Upkeep asks the
// others whether they are busy with a job shortly after they accepted a task of it, and
// watches them. An executor has forgotten the attempt if it was busy once, or was away
// since, and is now idle with the job and reports nothing. One that was never busy keeps
// the attempt until the job's time limit is over.
//
// A database can be behind its executors: it was restored from a copy, or a standby without
// the last transactions took over. Some executors keep an attempt until a server has
// recorded its end. Upkeep asks them which attempts they have released, or reads it from
// their heartbeats.
//
// The package also contains the [Pruner]: it removes runs whose retention has ended.
package upkeep

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Executors queries executors about attempts. Each call has its own time limit.
type Executors interface {
	// Holds reports whether the executor has the attempt or had it. An error means that
	// this is unknown: Unreachable or Ambiguous when the executor did not answer, any other
	// kind when it did.
	Holds(ctx context.Context, address string, a job.Attempt) (bool, error)
	// Send sends the task to the executor; see the dispatcher's Sender.
	Send(ctx context.Context, address string, t job.Task) error
}

// Recorder writes outcomes and acceptances. It is called from several goroutines.
type Recorder interface {
	// Accepted records that the executor has the attempt.
	Accepted(ctx context.Context, a job.Attempt) error
	// Complete records outcomes.
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// Resolver replaces the references in a task by their values.
type Resolver interface {
	// Resolve returns the task of a job in the form to send. Invalid when a reference
	// cannot be resolved, with the reason; any other kind means that this is unknown now.
	Resolve(ctx context.Context, j *job.Job, t job.Task) (job.Task, error)
}

// Config configures an Upkeep.
type Config struct {
	Store     Store
	Executors Executors
	Recorder  Recorder
	// Resolver puts secrets into tasks. Defaults to none: tasks are sent unchanged.
	Resolver Resolver
	// Deadlines finds runs past their deadline, and Killer ends their attempts on
	// executors. Default to nil: deadlines are not enforced. Both or none.
	Deadlines Deadlines
	Killer    Killer
	// Stops finds runs that users stop; Killer passes the stop to executors. Defaults to
	// nil: there are none.
	Stops Stops
	// Running finds attempts that executors may have forgotten, and Watcher queries the
	// executors that do not report restarts. Default to nil: no executor forgets. Both or
	// none.
	Running Running
	Watcher Watcher
	// Moves finds executors with a new address, and Watcher queries them. Defaults to nil:
	// there are none.
	Moves Moves
	// Doubtful returns the instant from which every attempt sent to an address goes to the
	// process that is there, or to one with its data folder: Moves is queried for earlier
	// attempts. It is now while another process may be there, and zero when it is not
	// known. doubtful means that nothing follows from which of the earlier attempts the
	// process does not have; it must end. Defaults to not known.
	Doubtful func(address string) (doubtful bool, since time.Time)
	// Replaced reports whether the process at an address has another data folder than the
	// one that was there at an instant. Defaults to never.
	Replaced func(address string, at time.Time) bool
	// Doubt is how long an attempt is kept if an executor that may have it sends heartbeats
	// and gives no answer. Then the attempt is lost. Defaults to 10 min.
	Doubt time.Duration
	// Once reports whether an executor of a group takes an attempt at most once whatever
	// happens, and can end it without the others of its job. Then a query about an attempt
	// sends it again. Defaults to false.
	Once func(group, address string) bool
	// Now is the time by which servers agree who has claimed an attempt: that of the
	// database. Defaults to the clock of this machine.
	Now func() time.Time
	// Every is the time between two passes. Defaults to 5 s.
	Every time.Duration
	// Grace is how long after the start, and after an error of the store, no attempt is
	// recorded as lost, because executors could not send heartbeats while no server
	// accepted them. Defaults to 90 s.
	Grace time.Duration
	// Linger is how long an executor without a lease that still answers may take to finish
	// its attempts. Then they are lost. Defaults to 1 h.
	Linger time.Duration
	// Again is the delay before the next check of an attempt whose executor could not be
	// queried. Defaults to 10 s.
	Again time.Duration
	// GiveUp is how long an attempt is sent to an executor whose answers cannot be
	// understood, and which reports each time that it does not have the attempt. Then the
	// attempt has failed. Defaults to 5 min.
	GiveUp time.Duration
	// Forget applies to an executor that, as far as is known, always answers that it is
	// idle. It is how long such an executor may have an attempt of a job without a time
	// limit whose log gets no line. Then the attempt is lost. Defaults to 1 h.
	Forget time.Duration
	// Idle reports whether this server leaves to others what any of them can do. Then it
	// only ends attempts based on what executors reported to it alone. Defaults to never.
	Idle func() bool
	// Batch is the number of attempts in one read. Defaults to 200.
	Batch  int
	Logger *slog.Logger
}

// Upkeep is the loop of one server.
type Upkeep struct {
	config Config
	// lingering holds the attempts that executors without a lease still have, and since
	// when. Used by the loop only, rebuilt by each pass.
	lingering map[int64]time.Time
	// watched is the known state of executors that do not report restarts, by address.
	// watchAt and watchFrom are when and where their next pass begins. Used by the loop
	// only.
	watched   map[string]*watched
	watchAt   time.Time
	watchFrom string
	// ridAt and ridFrom are the same for executors that report restarts.
	ridAt   time.Time
	ridFrom string

	nonsense onsets   // attempts whose executors send answers that cannot be understood
	unsure   onsets   // attempts whose possible executor gives no answer
	asks     chan ask // queries for learn

	mu       sync.Mutex
	restarts map[string]restart  // guarded by mu, by address
	conducts map[string]*conduct // guarded by mu, by address
	warnings []string            // guarded by mu: what Warnings returns
}

// New returns an Upkeep that does nothing until Run.
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

// Run makes passes until ctx ends. It logs errors of the store and tries again with the
// next pass.
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
		if err := u.checkAll(ctx, time.Since(calm) >= u.config.Grace); err != nil && ctx.Err() == nil {
			u.config.Logger.Error("could not check open attempts; trying again", "error", err)
			calm = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// batches bounds the batches of one pass, so that a pass ends even when its writes have no
// effect.
const batches = 50

// checkAll checks, in this order: attempts whose executor has no lease (with mayLose), runs past
// their deadline, unanswered attempts, runs that users stop, attempts that restarted
// executors do not know, released attempts and, with mayLose, forgotten attempts.
func (u *Upkeep) checkAll(ctx context.Context, mayLose bool) error {
	if u.config.Idle() {
		u.lingering, u.watched = nil, nil // state that is not updated is dropped
		u.keepDoubts(time.Now())
		if u.config.Running == nil {
			return nil
		}
		return u.restarted(ctx)
	}
	var err error
	if mayLose { // first, like deadlines: a query about an unanswered attempt hides it until the next one
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

// exhaust calls batch until nothing is left.
func exhaust(ctx context.Context, batch func(context.Context) (more bool, err error)) error {
	for range batches {
		if more, err := batch(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}
