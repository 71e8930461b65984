package keeping

import (
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// awayLeast and awayMost bound how long an executor is left alone that could not
	// be reached.
	awayLeast = 2 * time.Second
	awayMost  = time.Minute
	// owedLeast and owedMost bound the time between two looks at a log that is owed,
	// and owedFor is how long it is.
	owedLeast = 5 * time.Second
	owedMost  = 10 * time.Minute
	owedFor   = 24 * time.Hour
	// maxRefusals is how often in a row an executor may answer with something else
	// than a log.
	maxRefusals = 5
	// maxAway bounds the executors that are remembered as away.
	maxAway = 10_000
)

// absence is of an executor that could not be reached.
type absence struct {
	until time.Time
	wait  time.Duration
}

// absent reports whether an executor is left alone, and until when. mu is held.
func (k *Keeper) absent(address string, now time.Time) (time.Time, bool) {
	a, known := k.away[address]
	return a.until, known && now.Before(a.until)
}

// leave has an executor left alone for a while. mu is held.
func (k *Keeper) leave(address string, now time.Time) {
	a, known := k.away[address]
	if !known && len(k.away) >= maxAway {
		clear(k.away)
	}
	if now.Before(a.until) {
		return // several questions were under way
	}
	a.wait = min(max(a.wait*2, awayLeast), awayMost)
	a.until = now.Add(a.wait)
	k.away[address] = a
}

// failed notes that an executor gave no log. mu is held.
func (k *Keeper) failed(h *held, err error, now time.Time) {
	switch job.KindOf(err) {
	case job.Unreachable, job.Ambiguous, job.Unavailable, job.Full:
		k.leave(h.attempt.Address, now)
	default:
		h.refusals++
	}
	switch {
	case h.refusals >= maxRefusals && h.ended:
		k.tear(h, "its executor gives no more of it: "+err.Error())
	case h.ended:
		k.postpone(h, now, err.Error())
	default:
		h.wait = min(max(h.wait, quickLook)*2, slowLook)
		k.schedule(h, now.Add(h.wait))
	}
}

// tear finishes a log whose rest will not come. mu is held.
func (k *Keeper) tear(h *held, why string) {
	k.finish(h, logbook.Torn, why)
}

// postpone releases a log that is owed, once what there is of it is stored: the keeper that
// finds its row goes on. What is owed for too long is given up. mu is held.
func (k *Keeper) postpone(h *held, now time.Time, why string) {
	since := now.Sub(h.endedAt)
	if since >= owedFor {
		k.tear(h, "it could not be copied within a day: "+why)
		return
	}
	if !h.keep {
		k.forget(h)
		return
	}
	h.postponed = now.Add(min(max(since/2, owedLeast), owedMost))
	h.note = job.Clean("not copied yet: "+why, job.MaxMessage)
	k.dirty[h] = true
}
