package registry

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// life is the process behind an address.
type life struct {
	now      string    // its incarnation
	judged   bool      // what it does not hold was announced
	warnedAt time.Time // of the last warning about another process
}

// sharedFor is how long an address counts as that of several executors after
// they were noticed.
const sharedFor = time.Hour

// warnEvery is the time between two warnings about one address.
const warnEvery = 10 * time.Minute

// follow notices a restart, and announces once what the new process does not
// hold: as soon as it has been alone on the address for some time.
func (r *Registry) follow(e *job.Executor, l *job.Life, now time.Time) {
	if l.Incarnation == "" {
		return
	}
	r.mu.Lock()
	known := r.lifeAt(e.Address)
	restarted := known.now != "" && known.now != l.Incarnation
	if known.now != l.Incarnation {
		known.now, known.judged = l.Incarnation, false
	}
	judge := !known.judged && l.Whole && !r.doubtful(e, now)
	r.mu.Unlock()
	if restarted {
		r.config.Logger.Info("executor restarted", "address", e.Address, "group", e.Group)
		r.askAgain(e.Address)
	}
	if judge && r.config.Hooks.Restarted(e.Address, e.IncarnationAt, l.Holds) {
		r.mu.Lock()
		known.judged = known.now == l.Incarnation
		r.mu.Unlock()
	}
}

// lifeAt returns what is known of the process at an address. The caller holds mu.
func (r *Registry) lifeAt(address string) *life {
	known := r.lives[address]
	if known == nil {
		known = new(life)
		r.lives[address] = known
	}
	return known
}

// doubtful reports whether nothing follows from what the process at an address does not
// have: it came just now, or is not the only one that registers the address.
func (r *Registry) doubtful(e *job.Executor, now time.Time) bool {
	_, shared := r.view.Load().shared[e.Address]
	return shared || now.Sub(e.RivalAt) <= sharedFor || now.Sub(e.IncarnationAt) < r.config.RestartGrace
}

// Doubtful reports whether nothing follows from what the executor at an address does not have
// of what came before it, and since when its process is there: zero when that is not known,
// and now when several have the address.
func (r *Registry) Doubtful(address string) (doubtful bool, since time.Time) {
	e, known := r.At(address)
	if !known || e.Incarnation == "" {
		return false, time.Time{}
	}
	if _, shared := r.view.Load().shared[address]; shared {
		return true, time.Now()
	}
	return r.doubtful(&e, time.Now()), e.IncarnationAt
}

// refuse warns that another process has the address of a beat.
func (r *Registry) refuse(e *job.Executor, now time.Time, why error) {
	r.mu.Lock()
	known := r.lifeAt(e.Address)
	warn := now.Sub(known.warnedAt) >= warnEvery
	if warn {
		known.warnedAt = now
	}
	r.mu.Unlock()
	if warn {
		r.config.Logger.Warn("an executor is refused: another one has its address", "address", e.Address, "group", e.Group,
			"incarnation", e.Incarnation, "error", why)
	}
}

// readable returns the texts that can be kept, in their order: at most so many, each of
// 1 to longest bytes of UTF-8 without control characters.
func readable(texts []string, most, longest int) []string {
	var kept []string
	for _, text := range texts {
		if len(kept) == most {
			break
		}
		if text == "" || len(text) > longest || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			continue
		}
		kept = append(kept, text)
	}
	return kept
}

// readableLife returns what can be kept of what an executor says of its process.
func readableLife(l job.Life) job.Life {
	if len(l.Incarnation) > job.MaxIncarnation || strings.ContainsFunc(l.Incarnation, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return job.Life{}
	}
	if l.Load != nil && (l.Load.Running < 0 || l.Load.Waiting < 0) {
		l.Load = nil
	}
	if len(l.Instance) > job.MaxIncarnation || strings.ContainsFunc(l.Instance, func(c rune) bool { return c <= ' ' || c > '~' }) {
		l.Instance = ""
	}
	l.Every = max(l.Every, 0)
	if len(l.Holds) > job.MaxHolds {
		l.Holds, l.Whole = nil, false
	}
	return l
}
