package upkeep

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Some makes of executors always answer that they are idle. An executor that does not
// report its process is queried while it certainly has a task, shortly after it accepted
// one. From then on its answers are trusted.
const (
	askAfter = 200 * time.Millisecond // from the acceptance of a task to the query
	askEvery = time.Second            // between two queries to one executor
	askers   = 4                      // concurrent queries
	maxAsks  = 1000                   // queued queries; further ones are dropped
)

// conduct is the known behaviour of one executor that does not report its process.
type conduct struct {
	honest    bool      // it answered once that it is busy
	askedAt   time.Time // the last query after an acceptance
	refusedAt time.Time // when its address last refused a connection
}

// ask is a query that is due askAfter after at.
type ask struct {
	address string
	jobID   int64
	at      time.Time
}

// conductOf returns the conduct of an executor. The caller holds mu.
func (u *Upkeep) conductOf(address string) *conduct {
	if u.conducts == nil || len(u.conducts) > watchKnown {
		u.conducts = make(map[string]*conduct)
	}
	c := u.conducts[address]
	if c == nil {
		c = new(conduct)
		u.conducts[address] = c
	}
	return c
}

// Taken reports that an executor that does not report its process has accepted a task of
// the job. It may be called from any goroutine and returns at once.
func (u *Upkeep) Taken(address string, jobID int64) {
	if u.config.Watcher == nil {
		return
	}
	now := time.Now()
	u.mu.Lock()
	c := u.conductOf(address)
	due := !c.honest && now.Sub(c.askedAt) >= askEvery
	if due {
		c.askedAt = now
	}
	u.mu.Unlock()
	if !due {
		return
	}
	select {
	case u.asks <- ask{address, jobID, now}:
	default: // one of its next tasks answers the question as well
	}
}

// Refused reports that the address of an executor refused a connection: no process listens
// there, and a later listener is another process. It may be called from any goroutine.
func (u *Upkeep) Refused(address string) {
	u.mu.Lock()
	u.conductOf(address).refusedAt = time.Now()
	u.mu.Unlock()
}

// learn sends the queries that Taken queues until ctx ends.
func (u *Upkeep) learn(ctx context.Context) {
	var asking sync.WaitGroup
	for range askers {
		asking.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case q := <-u.asks:
					u.askNow(ctx, q)
				}
			}
		})
	}
	asking.Wait()
}

func (u *Upkeep) askNow(ctx context.Context, q ask) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Until(q.at.Add(askAfter))):
	}
	busy, err := u.config.Watcher.Busy(ctx, q.address, q.jobID)
	if err == nil && busy {
		u.believe(q.address)
	}
}

// believe records that the executor answered that it is busy.
func (u *Upkeep) believe(address string) {
	u.mu.Lock()
	u.conductOf(address).honest = true
	u.mu.Unlock()
}

// believed reports whether the executor can be trusted when it answers that it is idle, and
// whether no process was there after it had accepted the attempt.
func (u *Upkeep) believed(address string, a *job.Attempt) (idle, away bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.conductOf(address)
	return c.honest, c.refusedAt.After(a.AcceptedAt)
}
