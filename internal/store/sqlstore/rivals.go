package sqlstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// staleBeat is how long after a process came to an address a beat of the one before may
	// be on its way. Two beats that are further apart are no stale ones.
	staleBeat = 5 * time.Second
	// maxOthers bounds the other processes that are kept of an address.
	maxOthers = 4
	// keepFormer is how long the data folder of a process is kept whose lease at the address has
	// ended: longer than an attempt is in doubt that it may have taken elsewhere.
	keepFormer = 15 * time.Minute
)

// nameless stands for the incarnation of processes that report none.
const nameless = "-"

// leased is a row of executors before a beat.
type leased struct {
	job.Executor
	handlers string
	others   []process // of the same address; at most maxOthers
}

// process is one that had an address, or would have it. Instants are in ms since 1970.
type process struct {
	Incarnation string `json:"incarnation"`
	Instance    string `json:"instance,omitempty"`
	// Since is when a server heard of it first, InstanceAt when of its data folder.
	Since      int64 `json:"since"`
	InstanceAt int64 `json:"instance_at"`
	// Until is the end of its right to be thought alive. After that only its Instance counts.
	Until int64 `json:"until"`
	// Again is when it beat first after another process took its place; 0 for not yet.
	Again int64 `json:"again,omitempty"`
	// RefusedAt is when it was refused last because an older process is alive; 0 for never.
	RefusedAt int64 `json:"refused_at,omitempty"`
	// Holds and Whole are what its beat at ListedAt listed; 0 for none since it has not the
	// address.
	Holds    []int64 `json:"holds,omitempty"`
	Whole    bool    `json:"whole,omitempty"`
	ListedAt int64   `json:"listed_at,omitempty"`
}

func (l *leased) fields() []any {
	return []any{
		(*instant)(&l.RegisteredAt), (*truth)(&l.Manual), (*text)(&l.Incarnation), (*instant)(&l.IncarnationAt),
		(*text)(&l.Dialect), (*text)(&l.DialectBy), (*text)(&l.handlers), (*instant)(&l.LeaseUntil), (*instant)(&l.SeenAt),
		(*text)(&l.Instance), (*instant)(&l.InstanceAt),
		document[[]process]{&l.others},
	}
}

// text returns others as it is stored.
func (l *leased) text() (string, error) {
	if len(l.others) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(l.others)
	if err != nil {
		return "", fmt.Errorf("write the processes at %s: %w", l.Address, err)
	}
	return string(raw), nil
}

// meet decides which process has the address after the beat e, and sets what follows from
// that in e and in l's others. A process that comes takes the place of the one before, which
// has most likely ended. One that has not, proves it by two beats: then it has the address
// again, and the newer one is refused, with an error of kind [job.Conflict], for as long as
// the older one has its lease. A process that drains leaves the address to the newer one.
// What a process without the address lists is kept until its lease would end.
func (l *leased) meet(e *job.Executor) error {
	now, was, is := e.SeenAt, nameOf(l.Incarnation), nameOf(e.Incarnation)
	l.others = slices.DeleteFunc(l.others, func(p process) bool { return !p.alive(now) && !p.former(e.Instance, now) })
	at := slices.IndexFunc(l.others, func(p process) bool { return p.Incarnation == is && p.alive(now) })
	var refused error
	switch living := l.LeaseUntil.After(now); {
	case is == was:
		e.IncarnationAt, e.InstanceAt = l.IncarnationAt, l.InstanceAt
	case !living || at < 0:
		if at >= 0 {
			l.others = slices.Delete(l.others, at, at+1)
		}
		if living || e.Instance != l.Instance {
			l.leave()
		}
		e.IncarnationAt, e.InstanceAt = now, now
		if e.Instance != "" && e.Instance == l.Instance {
			e.InstanceAt = l.InstanceAt
		}
	case l.others[at].returns(e, l.since()):
		p := l.others[at]
		l.others = slices.Delete(l.others, at, at+1)
		l.leave().RefusedAt = now.UnixMilli()
		e.IncarnationAt, e.InstanceAt = job.FromMillis(p.Since), job.FromMillis(p.InstanceAt)
	default:
		refused = l.taken(e)
	}
	if e.Incarnation == "" {
		e.IncarnationAt = time.Time{}
	}
	instance := e.Instance
	if refused != nil {
		instance = l.Instance
	}
	e.CrowdedUntil, e.RivalAt = l.crowded(instance, now)
	return refused
}

func (p *process) alive(now time.Time) bool { return p.Until > now.UnixMilli() }

// former reports whether the process has ended at the address, lately, and its data folder is
// not the one that is there.
func (p *process) former(instance string, now time.Time) bool {
	return !p.alive(now) && p.Instance != "" && p.Instance != instance && p.Until > now.Add(-keepFormer).UnixMilli()
}

// folders returns the data folder of the process that has the address, which is empty when it
// names none, and those of others that had it lately.
func (l *leased) folders(now time.Time) []string {
	all := []string{l.Instance}
	for i := range l.others {
		p := &l.others[i]
		known := p.Instance != "" && (p.alive(now) || p.former(l.Instance, now))
		if known && !slices.Contains(all, p.Instance) {
			all = append(all, p.Instance)
		}
	}
	return all
}

// since returns when a server heard first of the process that has the address, in ms. One
// that reports no incarnation is known since its last beat.
func (l *leased) since() int64 {
	if l.Incarnation == "" {
		return job.Millis(l.SeenAt)
	}
	return job.Millis(l.IncarnationAt)
}

// leave puts the process that has the address among the others, and returns it.
func (l *leased) leave() *process {
	if len(l.others) == maxOthers {
		least := max(slices.IndexFunc(l.others, func(p process) bool { return p.ListedAt == 0 || !p.alive(l.SeenAt) }), 0)
		l.others = slices.Delete(l.others, least, least+1)
	}
	l.others = append(l.others, process{
		Incarnation: nameOf(l.Incarnation), Instance: l.Instance, Since: l.since(), InstanceAt: job.Millis(l.InstanceAt), Until: job.Millis(l.LeaseUntil),
	})
	return &l.others[len(l.others)-1]
}

// returns accepts a heartbeat of a process whose place another one took since, and reports
// whether it has the address again.
func (p *process) returns(e *job.Executor, since int64) bool {
	now := job.Millis(e.SeenAt)
	first := p.Again
	p.Until, p.ListedAt, p.Holds, p.Whole = job.Millis(e.LeaseUntil), now, e.Holds, e.Whole
	switch stale := staleBeat.Milliseconds(); {
	case p.RefusedAt > 0:
		p.RefusedAt = now
		return false
	case e.Draining || now-since < stale:
		return false
	case first == 0:
		p.Again = now
		return false
	default:
		return now-first >= stale
	}
}

// crowded returns until when one of the others may be alive and have what the process with the
// address and this instance has not, and when one was refused last.
func (l *leased) crowded(instance string, now time.Time) (until, refused time.Time) {
	for i := range l.others {
		p := &l.others[i]
		if !p.alive(now) {
			continue
		}
		if end := job.FromMillis(p.Until); p.mayHave(instance) && end.After(until) {
			until = end
		}
		if at := job.FromMillis(p.RefusedAt); at.After(refused) {
			refused = at
		}
	}
	return until, refused
}

// mayHave reports whether the process may have attempts of its address that the one with
// the address and this instance has not: it is not the one that ended with the same data
// folder.
func (p *process) mayHave(instance string) bool {
	return p.ListedAt > 0 || p.Instance == "" || p.Instance != instance
}

func (l *leased) taken(e *job.Executor) error {
	err := job.Errorf(job.Conflict, "another executor has registered the address %s and is alive (incarnation %s)", e.Address, nameOf(l.Incarnation))
	err.Hint = "give each executor an address of its own"
	return err
}

func nameOf(incarnation string) string {
	if incarnation == "" {
		return nameless
	}
	return incarnation
}
