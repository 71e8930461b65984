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
	now, former string    // incarnations
	judged      bool      // what the present one does not hold was announced
	sharedAt    time.Time // when a former one came again, last

	heardAt time.Time // when the last beat came
	// holds are the attempts that the last beat named, sorted. They are all that the process
	// had of those that were accepted before settledAt: the beat before came then. Zero is
	// when nothing is known.
	holds     []int64
	settledAt time.Time
}

// sharedFor is how long an address counts as that of several executors after
// they were noticed.
const sharedFor = time.Hour

// follow notices a restart, and announces once what the new process does not
// hold: as soon as it has been alone on the address for some time.
func (r *Registry) follow(e *job.Executor, l *job.Life, now time.Time) {
	if l.Incarnation == "" {
		return
	}
	r.mu.Lock()
	known := r.lives[e.Address]
	if known == nil {
		known = new(life)
		r.lives[e.Address] = known
	}
	restarted, shared := known.come(l.Incarnation, now)
	alone := now.Sub(known.sharedAt) > sharedFor && now.Sub(e.IncarnationAt) >= r.config.RestartGrace
	known.settle(l, alone, now)
	judge := !known.judged && l.Whole && alone
	r.mu.Unlock()
	switch {
	case shared:
		r.config.Logger.Warn("several executors register one address: their attempts cannot be told apart",
			"address", e.Address, "group", e.Group, "hint", "give each of them an address of its own")
	case restarted:
		r.config.Logger.Info("executor restarted", "address", e.Address, "group", e.Group)
		r.askAgain(e.Address)
	}
	if judge && r.config.Hooks.Restarted(e.Address, e.IncarnationAt, l.Holds) {
		r.mu.Lock()
		known.judged = known.now == l.Incarnation
		r.mu.Unlock()
	}
}

// come notes which process beats. It reports whether it is another one than
// before, and whether several are noticed that beat in turn.
func (l *life) come(incarnation string, now time.Time) (restarted, shared bool) {
	if incarnation == l.now {
		return false, false
	}
	restarted = l.now != ""
	if incarnation == l.former {
		shared = now.Sub(l.sharedAt) > sharedFor
		l.sharedAt = now
	}
	l.now, l.former, l.judged, l.heardAt, l.settledAt = incarnation, l.now, false, time.Time{}, time.Time{}
	return restarted, shared
}

// settle notes what a beat that came at now says of attempts. A process makes a beat after
// the one before was answered: a second one names all that were accepted before the first.
func (l *life) settle(said *job.Life, alone bool, now time.Time) {
	before := l.heardAt
	if !now.After(before) {
		return // it was overtaken
	}
	l.heardAt, l.holds, l.settledAt = now, nil, time.Time{}
	if said.Whole && alone {
		l.holds, l.settledAt = slices.Sorted(slices.Values(said.Holds)), before
	}
}

// settleSlack is how much earlier than a beat an attempt was accepted that the beat after it
// must name: servers' clocks differ, and a beat may be delayed on its way.
const settleSlack = 10 * time.Second

// Settled reports, for each of the attempts, in their order, whether the executor has
// nothing of it any more, as its beats say: it neither runs nor waits, and a server took
// its outcome. None is when the executor does not name all that it has.
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
	l.Every = max(l.Every, 0)
	if len(l.Holds) > job.MaxHolds {
		l.Holds, l.Whole = nil, false
	}
	return l
}
