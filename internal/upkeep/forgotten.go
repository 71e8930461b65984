package upkeep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Watcher queries executors: Busy and LastLine those that do not report restarts, Rid and
// Has the others. Each call has its own time limit.
type Watcher interface {
	// Busy reports whether the job runs on the executor, or waits there.
	Busy(ctx context.Context, address string, jobID int64) (bool, error)
	// LastLine returns the number of the last line of the attempt's log. It returns less
	// than from when there is no line from there on, and 0 when there is no log.
	LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error)
	// Rid reports, for each of the attempts, in their order, whether the executor has
	// released it: a server recorded its end, or its end was given up, or the executor does
	// not know it. An executor that cannot report this has released none.
	Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error)
	// Has reports, for each of the attempts, in their order, whether the executor has it,
	// or its outcome. An executor that cannot report this is an error.
	Has(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error)
}

// Limits for watching executors that do not report their process. An idle attempt is not
// lost yet: those executors repeat an undelivered outcome every 30 s.
const (
	watchEvery    = 30 * time.Second
	watchAfter    = 10 * time.Second // the age from which attempts are watched
	watchAttempts = 2000             // in one pass; the next one continues after them
	watchEach     = 200              // of one executor
	watchLogs     = 20               // logs of one job that one pass reads
	watchKnown    = 20_000           // remembered executors
	idleFor       = 60 * time.Second
	idleLooks     = 3
	overLimit     = time.Minute // an idle attempt is lost so long after its job's time limit
	maxDoubts     = 20          // warnings about executors
)

// watched is the known state of the attempts of one executor.
type watched struct {
	at       time.Time        // of the last pass
	attempts map[int64]idling // of jobs that it is idle with
}

// idling is an attempt whose job its executor does not run.
type idling struct {
	since time.Time // since when it is idle and its log has no new line
	looks int
	line  int  // the last one of its log
	gone  bool // its log had lines and no longer exists
}

// quiet returns the idling after a pass at now that found the executor idle with the job,
// and reports whether the attempt is lost if the executor is trusted.
func (i idling) quiet(line int, now time.Time) (idling, bool) {
	gone := !i.gone && line == 0 && i.line > 0
	if i.looks == 0 || line > i.line || gone {
		return idling{since: now, looks: 1, line: max(line, i.line), gone: i.gone || gone}, false
	}
	i.looks++
	return i, i.looks >= idleLooks && now.Sub(i.since) >= idleFor
}

// doubt is one query: whether the executor is busy with the job of these attempts.
type doubt struct {
	address  string
	attempts []job.Attempt // all of one job
	busy     bool
	lines    map[int64]int // by attempt: the last line of its log
}

// forgotten ends attempts that their executor has forgotten without a report.
func (u *Upkeep) forgotten(ctx context.Context) error {
	now := time.Now()
	if now.Before(u.watchAt) {
		return nil
	}
	u.watchAt = now.Add(watchEvery - u.config.Every/2) // passes come in steps
	if len(u.watched) > watchKnown {
		u.watched = nil
	}
	defer u.keepDoubts(now)
	doubts, err := u.doubts(ctx, now)
	if err != nil || len(doubts) == 0 {
		return err
	}
	addresses := make([]string, len(doubts))
	for i := range doubts {
		addresses[i] = doubts[i].address
	}
	answers := byExecutor(addresses, func(i int) error { return u.clear(ctx, &doubts[i]) })
	if err := ctx.Err(); err != nil {
		return err
	}
	var outcomes []job.Outcome
	var silent []job.Attempt
	for i := range doubts {
		if answers[i].asked && answers[i].err == nil {
			lost, idle := u.settle(&doubts[i], now)
			outcomes, silent = append(outcomes, lost...), append(silent, idle...)
		}
	}
	over, err := u.overLimits(ctx, silent, now)
	if err != nil {
		return err
	}
	outcomes = append(outcomes, over...)
	if len(outcomes) == 0 {
		return nil
	}
	u.config.Logger.Warn("attempts are lost: their executors have forgotten them", "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return fmt.Errorf("record %s: %w", plural.Count(len(outcomes), "forgotten attempt"), err)
	}
	return nil
}

// doubts returns the queries to send, continuing where the last pass ended.
func (u *Upkeep) doubts(ctx context.Context, now time.Time) (all []doubt, err error) {
	err = u.holders(ctx, now, &u.watchFrom, u.config.Running.NextNameless, func(address string, attempts []job.Attempt) {
		u.remember(address, attempts, now)
		all = append(all, byJob(address, attempts)...)
	})
	return all, err
}

// remember keeps the state of the attempts that are still open.
func (u *Upkeep) remember(address string, attempts []job.Attempt, now time.Time) {
	if u.watched == nil {
		u.watched = make(map[string]*watched)
	}
	w := u.watched[address]
	if w == nil {
		w = new(watched)
		u.watched[address] = w
	}
	w.at = now
	kept := make(map[int64]idling)
	for _, a := range attempts {
		if i, known := w.attempts[a.ID]; known {
			kept[a.ID] = i
		}
	}
	w.attempts = kept
}

// byJob makes one doubt of the attempts of each job.
func byJob(address string, attempts []job.Attempt) []doubt {
	var doubts []doubt
	index := make(map[int64]int) // by job
	for _, a := range attempts {
		i, known := index[a.JobID]
		if !known {
			i = len(doubts)
			index[a.JobID] = i
			doubts = append(doubts, doubt{address: address})
		}
		doubts[i].attempts = append(doubts[i].attempts, a)
	}
	return doubts
}

// clear queries the executor. It reads logs only when they matter. It runs concurrently
// with others and writes only d.
func (u *Upkeep) clear(ctx context.Context, d *doubt) error {
	var err error
	if d.busy, err = u.config.Watcher.Busy(ctx, d.address, d.attempts[0].JobID); err != nil || d.busy {
		return err
	}
	known := u.watched[d.address]
	d.lines = make(map[int64]int)
	for _, a := range d.attempts[:min(len(d.attempts), watchLogs)] {
		line, err := u.config.Watcher.LastLine(ctx, d.address, a, known.attempts[a.ID].line+1)
		switch {
		case silent(err):
			return err
		case err == nil:
			d.lines[a.ID] = line
		default: // it answered, and shows no line
			d.lines[a.ID] = known.attempts[a.ID].line
		}
	}
	return nil
}

// settle records what the executor answered. It returns the attempts that are lost, and
// those that are idle although the executor may be one that always answers so.
func (u *Upkeep) settle(d *doubt, now time.Time) (lost []job.Outcome, idle []job.Attempt) {
	known := u.watched[d.address]
	if d.busy {
		u.believe(d.address)
		for _, a := range d.attempts {
			delete(known.attempts, a.ID)
		}
		return nil, nil
	}
	for _, a := range d.attempts {
		line, read := d.lines[a.ID]
		if !read {
			continue
		}
		next, over := known.attempts[a.ID].quiet(line, now)
		known.attempts[a.ID] = next
		if !over {
			continue
		}
		if why := u.restartedWhy(&a, next, now); why != "" {
			delete(known.attempts, a.ID)
			lost = append(lost, forgottenAs(&a, now, why))
		} else {
			idle = append(idle, a)
		}
	}
	return lost, idle
}

// restartedWhy returns why an attempt is lost whose executor is idle with its job; empty
// when the executor may be one that always answers so.
func (u *Upkeep) restartedWhy(a *job.Attempt, i idling, now time.Time) string {
	idle := now.Sub(i.since).Round(time.Second)
	switch believed, away := u.believed(a.Address, a); {
	case away:
		return fmt.Sprintf("executor %s was not there after it had taken the attempt, has been idle with the job for %s, and no result came: it restarted", a.Address, idle)
	case i.gone:
		return fmt.Sprintf("executor %s has no log of the attempt any more, has been idle with the job for %s, and no result came: it restarted", a.Address, idle)
	case believed:
		return fmt.Sprintf("executor %s has been idle with the job for %s and no result came: it restarted, or forgot the attempt", a.Address, idle)
	}
	return ""
}

func forgottenAs(a *job.Attempt, now time.Time, message string) job.Outcome {
	return job.Outcome{AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Lost, EndedAt: now, Message: message}
}

// overLimits returns which of the attempts are lost. Their executors answer that they are
// idle, and cannot be trusted, for longer than the job's time limit and a minute, or
// without a limit for longer than [Config.Forget].
func (u *Upkeep) overLimits(ctx context.Context, idle []job.Attempt, now time.Time) (lost []job.Outcome, err error) {
	if len(idle) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(idle))
	for i := range idle {
		ids[i] = idle[i].ID
	}
	limits, err := u.config.Running.TimeLimits(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the time limits of %s: %w", plural.Count(len(ids), "attempt"), err)
	}
	for i := range idle {
		a := &idle[i]
		known := u.watched[a.Address].attempts
		limit := limits[a.ID]
		var why string
		switch {
		case limit > 0 && now.Sub(a.AcceptedAt) > limit+overLimit:
			why = fmt.Sprintf("executor %s answers that it is idle with the job, and the job's time limit of %s has passed without a result", a.Address, brief(limit))
		case limit <= 0 && now.Sub(known[a.ID].since) >= u.config.Forget:
			why = fmt.Sprintf("executor %s has answered for %s that it is idle with the job, the log got no line and no result came; "+
				"a time limit of the job ends such attempts sooner", a.Address, brief(u.config.Forget))
		default:
			continue
		}
		delete(known, a.ID)
		lost = append(lost, forgottenAs(a, now, why))
	}
	return lost, nil
}

// keepDoubts updates the warnings about executors that are idle with open attempts.
func (u *Upkeep) keepDoubts(now time.Time) {
	var doubts []string
	for _, address := range slices.Sorted(maps.Keys(u.watched)) {
		w := u.watched[address]
		if now.Sub(w.at) > 2*watchEvery {
			continue // a pass that ends before it comes back there
		}
		n, since := 0, now
		for _, i := range w.attempts {
			if i.looks >= idleLooks && now.Sub(i.since) >= idleFor {
				n++
				since = earlier(since, i.since)
			}
		}
		if n > 0 && len(doubts) < maxDoubts {
			doubts = append(doubts, fmt.Sprintf("executor %s answers for %s that it is idle, and %s of it %s open: it has restarted without them, "+
				"or it always answers so; 'orth run list --state running' shows them, 'orth run cancel' ends them",
				address, now.Sub(since).Round(time.Second), plural.Count(n, "attempt"), plural.Verb(n, "is", "are")))
		}
	}
	u.mu.Lock()
	u.warnings = doubts
	u.mu.Unlock()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Warnings returns a sentence for each executor that answers that it is idle although it
// has open attempts; at most 20.
func (u *Upkeep) Warnings() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.warnings)
}
