package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/saying"
	"github.com/orthd/orth/job"
)

// Watcher asks executors what they are doing: Busy and LastLine those that do not say
// when they restart, Rid the others. Each call has a time limit of its own.
type Watcher interface {
	// Busy reports whether the job runs on the executor, or waits there.
	Busy(ctx context.Context, address string, jobID int64) (bool, error)
	// LastLine returns the number of the last line of the attempt's log, and
	// less than from when there is none from there on.
	LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error)
	// Rid reports, for each of the attempts, in their order, whether the executor has
	// nothing of it any more: its end was taken by a server, or is given up, or the
	// executor does not know it. None is, of one that cannot tell.
	Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error)
}

// How executors that do not say when they restart are watched. An executor is
// believed to be idle only after it was once seen busy: some makes always say
// that they are idle. Idle is not lost yet: those executors repeat an outcome
// that was not delivered each 30 s.
const (
	watchEvery    = 30 * time.Second
	watchAfter    = 10 * time.Second // the age from which attempts are watched
	watchAttempts = 2000             // in one look; the next goes on behind them
	watchEach     = 200              // of one executor
	watchLogs     = 20               // logs of one job that are read in one look
	watchKnown    = 20_000           // executors that are remembered
	idleFor       = 60 * time.Second
	idleLooks     = 3
)

// watched is what is known of one executor.
type watched struct {
	honest   bool             // it was busy once
	attempts map[int64]idling // of jobs that it is idle with
}

// idling is an attempt whose job its executor does not run.
type idling struct {
	since time.Time // when it was found so, and wrote nothing since
	looks int
	line  int // the last one of its log
}

// quiet returns the idling after a look at now that found the executor idle with
// the job, and reports whether the attempt is lost.
func (i idling) quiet(line int, now time.Time) (idling, bool) {
	if i.looks == 0 || line > i.line {
		return idling{since: now, looks: 1, line: max(line, i.line)}, false
	}
	i.looks++
	return i, i.looks >= idleLooks && now.Sub(i.since) >= idleFor
}

// doubt is one question: is the executor busy with the job of these attempts.
type doubt struct {
	address  string
	attempts []job.Attempt // all of one job
	busy     bool
	lines    map[int64]int // by attempt: the last line of its log
}

// forgotten ends attempts that their executor has forgotten without saying so.
func (u *Upkeep) forgotten(ctx context.Context) error {
	now := time.Now()
	if now.Before(u.watchAt) {
		return nil
	}
	u.watchAt = now.Add(watchEvery - u.config.Every/2) // looks come in steps
	if len(u.watched) > watchKnown {
		u.watched = nil
	}
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
	for i := range doubts {
		if answers[i].asked && answers[i].err == nil {
			outcomes = append(outcomes, u.settle(&doubts[i], now)...)
		}
	}
	if len(outcomes) == 0 {
		return nil
	}
	u.config.Logger.Warn("attempts are lost: their executors have forgotten them", "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return fmt.Errorf("record %s: %w", saying.Count(len(outcomes), "forgotten attempt"), err)
	}
	return nil
}

// doubts returns what is to be asked, from where the last look ended.
func (u *Upkeep) doubts(ctx context.Context, now time.Time) (all []doubt, err error) {
	err = u.holders(ctx, now, &u.watchFrom, u.config.Running.NextNameless, func(address string, attempts []job.Attempt) {
		u.remember(address, attempts)
		all = append(all, byJob(address, attempts)...)
	})
	return all, err
}

// remember keeps what is known of the attempts that are still open.
func (u *Upkeep) remember(address string, attempts []job.Attempt) {
	if u.watched == nil {
		u.watched = make(map[string]*watched)
	}
	w := u.watched[address]
	if w == nil {
		w = new(watched)
		u.watched[address] = w
	}
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

// clear asks the executor. It reads logs only when they matter. It runs beside
// others and writes nothing but d.
func (u *Upkeep) clear(ctx context.Context, d *doubt) error {
	var err error
	if d.busy, err = u.config.Watcher.Busy(ctx, d.address, d.attempts[0].JobID); err != nil || d.busy {
		return err
	}
	known := u.watched[d.address]
	if !known.honest {
		return nil
	}
	d.lines = make(map[int64]int)
	for _, a := range d.attempts[:min(len(d.attempts), watchLogs)] {
		line, err := u.config.Watcher.LastLine(ctx, d.address, a, known.attempts[a.ID].line+1)
		switch {
		case silent(err):
			return err
		case err == nil:
			d.lines[a.ID] = line
		}
	}
	return nil
}

// settle notes what the executor answered, and returns the attempts that are
// lost.
func (u *Upkeep) settle(d *doubt, now time.Time) (outcomes []job.Outcome) {
	known := u.watched[d.address]
	if d.busy {
		known.honest = true
		for _, a := range d.attempts {
			delete(known.attempts, a.ID)
		}
		return nil
	}
	for _, a := range d.attempts {
		line, read := d.lines[a.ID]
		if !read {
			continue
		}
		next, lost := known.attempts[a.ID].quiet(line, now)
		known.attempts[a.ID] = next
		if !lost {
			continue
		}
		outcomes = append(outcomes, job.Outcome{
			AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Lost, EndedAt: now,
			Message: fmt.Sprintf("executor %s has been idle with the job for %s and no result came: it restarted, or forgot the attempt",
				d.address, now.Sub(next.since).Round(time.Second)),
		})
	}
	return outcomes
}
