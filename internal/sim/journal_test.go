package sim

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/handler"
)

// entry is one call of a handler.
type entry struct {
	attempt, run, job int64
	by                *process
	began             time.Time
	ended             time.Time // zero while it runs, and for ever when its process died
	succeeded         bool

	// Set by byAttempt: when it was over, one way or the other, and whether its
	// process died before the outcome was kept.
	over   time.Time
	cutOff bool
}

// moment is how long after its handler returned a process may die without having
// kept the outcome.
const moment = 20 * time.Millisecond

// unforced is how long after its handler returned a power cut may take an outcome that was kept: a
// tenth of a second, and what the clock of a loaded machine takes to say so.
const unforced = 120 * time.Millisecond

// journal is what handlers really did, in the order in which they began.
type journal struct {
	w *world

	mu      sync.Mutex
	entries []*entry            // guarded by mu
	running map[*entry]struct{} // guarded by mu
}

func newJournal(w *world) *journal {
	return &journal{w: w, running: make(map[*entry]struct{})}
}

// die says that what the process does from now on never happened.
func (j *journal) die(p *process) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p.dies, p.diedAt = true, time.Now()
	for e := range j.running {
		if e.by == p {
			delete(j.running, e)
		}
	}
}

// cut says that the power was cut while a process was dead; nil for none.
func (j *journal) cut(p *process) {
	if p == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p.cut = true
}

// start notes a call, and reports false when its process is dead. A serial job that
// runs on the process already is a fault.
func (j *journal) start(p *process, t *handler.Task) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.dies {
		return false
	}
	e := &entry{attempt: t.AttemptID, run: t.RunID, job: t.JobID, by: p, began: time.Now()}
	if j.w.serialJob(t.JobID) {
		for other := range j.running {
			if other.by == p && other.job == e.job {
				j.w.judge.fault("I8: attempts %d and %d of serial job %d run at the same time on %s",
					other.attempt, e.attempt, e.job, p.name)
			}
		}
	}
	j.w.judge.begins(e, slices.Collect(maps.Keys(j.running)))
	j.entries = append(j.entries, e)
	j.running[e] = struct{}{}
	j.w.trace.note("%s: attempt %d of run %d begins", p.name, e.attempt, e.run)
	return true
}

// end notes how the call of the attempt ended, unless its process is dead.
func (j *journal) end(p *process, t *handler.Task, succeeded bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.dies {
		return
	}
	for e := range j.running {
		if e.by == p && e.attempt == t.AttemptID {
			e.ended, e.succeeded = time.Now(), succeeded
			delete(j.running, e)
			j.w.trace.note("%s: attempt %d of run %d ends, %s", p.name, e.attempt, e.run, fmt.Sprint(succeeded))
			return
		}
	}
}

// byAttempt returns the entries of each attempt as they are now.
func (j *journal) byAttempt() map[int64][]entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := make(map[int64][]entry)
	for _, e := range j.entries {
		copied := *e
		copied.over = e.ended
		if e.ended.IsZero() && e.by.dies {
			copied.over = e.by.diedAt
		}
		within := moment
		if e.by.cut {
			within = unforced
		}
		copied.cutOff = e.by.dies && (e.ended.IsZero() || e.by.diedAt.Sub(e.ended) < within || j.w.scratched(e.ended, e.by.diedAt))
		found[e.attempt] = append(found[e.attempt], copied)
	}
	return found
}
