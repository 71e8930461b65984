package registry

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// life is the process behind an address.
type life struct {
	now      string    // its incarnation
	judged   bool      // the attempts that it does not hold were announced
	warnedAt time.Time // of the last warning about another process

	heardAt time.Time // when the last heartbeat arrived
	// holds are the attempts that the last heartbeat listed, sorted. They are all that the
	// process had of the attempts accepted before settledAt, when the heartbeat before
	// arrived. A zero settledAt means that nothing is known.
	holds     []int64
	settledAt time.Time
}

// sharedFor is how long after the latest of several executors came to an address nothing
// follows from what one of them does not have. It ends because they may stay for ever.
// After it, the answers of the process that responds count.
const sharedFor = 10 * time.Minute

// warnEvery is the time between two warnings about one address.
const warnEvery = 10 * time.Minute

// follow detects a restart, and announces once which attempts the new process does not
// hold: as soon as it has been alone on the address for some time.
func (r *Registry) follow(e *job.Executor, l *job.Life, now time.Time) {
	if l.Incarnation == "" {
		return
	}
	r.mu.Lock()
	known := r.lifeAt(e.Address)
	restarted := known.now != "" && known.now != l.Incarnation
	if known.now != l.Incarnation {
		known.now, known.judged, known.heardAt, known.settledAt = l.Incarnation, false, time.Time{}, time.Time{}
	}
	alone := now.Sub(e.IncarnationAt) >= r.config.RestartGrace && !r.shared(e.Address, now)
	known.settle(l, alone, now)
	judge := !known.judged && l.Whole && alone
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

// lifeAt returns the life of the process at an address. The caller holds mu.
func (r *Registry) lifeAt(address string) *life {
	known := r.lives[address]
	if known == nil {
		known = new(life)
		r.lives[address] = known
	}
	return known
}

// shared reports whether several executors have come to an address lately.
func (r *Registry) shared(address string, now time.Time) bool {
	at, shared := r.view.Load().shared[address]
	return shared && now.Sub(at) < sharedFor
}

// Doubtful returns the instant from which every attempt sent to an address goes to the
// process that is there, or to one with its data folder. It is now while another process of
// the address may be alive, and zero when it is not known. doubtful means that nothing
// follows from which earlier attempts the process does not have, because several executors
// have the address. Both end: the first with the lease of the other process, the second
// after sharedFor.
func (r *Registry) Doubtful(address string) (doubtful bool, since time.Time) {
	e, known := r.At(address)
	now := r.config.Now()
	switch {
	case !known || e.Incarnation == "":
		return false, time.Time{}
	case r.shared(address, now):
		return true, now
	case e.CrowdedUntil.After(now):
		return false, now
	}
	return false, e.InstanceAt
}

// Replaced reports whether the process at an address has another data folder than the one
// that was there at an instant. It is false for a process that does not report its folder,
// and where the earlier process deregistered: then it had no attempts.
func (r *Registry) Replaced(address string, at time.Time) bool {
	e, known := r.At(address)
	return known && e.Instance != "" && e.InstanceAt.After(at) && !e.RegisteredAt.After(at)
}

// refuse warns that another process has the address of a heartbeat.
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

// settle records the attempts of a heartbeat that arrived at now. A process sends a
// heartbeat after the previous one was answered: the second one lists all attempts accepted
// before the first.
func (l *life) settle(said *job.Life, alone bool, now time.Time) {
	before := l.heardAt
	if !now.After(before) {
		return // a newer heartbeat overtook it
	}
	l.heardAt, l.holds, l.settledAt = now, nil, time.Time{}
	if said.Whole && alone {
		l.holds, l.settledAt = slices.Sorted(slices.Values(said.Holds)), before
	}
}

// settleSlack is how much earlier than a heartbeat an attempt must have been accepted for
// the next heartbeat to list it: servers' clocks differ, and a heartbeat may be delayed in
// transit.
const settleSlack = 10 * time.Second

// Settled reports, for each of the attempts, in their order, whether the executor has
// released it, by its heartbeats: it neither runs nor waits, and a server recorded its
// outcome. All are false when the executor does not list all attempts that it has.
func (r *Registry) Settled(address string, attempts []job.Attempt) []bool {
	settled := make([]bool, len(attempts))
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.lives[address]
	if known == nil || known.settledAt.IsZero() {
		return settled
	}
	for i := range attempts {
		_, holds := slices.BinarySearch(known.holds, attempts[i].ID)
		settled[i] = !holds && attempts[i].AcceptedAt.Add(settleSlack).Before(known.settledAt)
	}
	return settled
}

// readable returns the texts that can be stored, in their order: at most so many, each of 1
// to longest bytes of UTF-8 without control characters.
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

// readableLife returns the storable part of an executor's report on its process.
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
