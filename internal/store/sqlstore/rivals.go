package sqlstore

import (
	"time"

	"github.com/orthd/orth/job"
)

// staleBeat is how long after a process came to an address a beat of the one before may
// have been on its way.
const staleBeat = 5 * time.Second

// nameless stands for the incarnation of processes that tell none.
const nameless = "-"

// leased is a row of executors before a beat.
type leased struct {
	job.Executor
	handlers      string
	former, rival string // incarnations
	rivalAt       int64
}

func (l *leased) fields() []any {
	return []any{
		(*instant)(&l.RegisteredAt), (*truth)(&l.Manual), (*text)(&l.Incarnation), (*instant)(&l.IncarnationAt),
		(*text)(&l.Dialect), (*text)(&l.DialectBy), (*text)(&l.handlers), (*instant)(&l.LeaseUntil),
		(*text)(&l.former), (*text)(&l.rival), (*integer)(&l.rivalAt),
	}
}

// meet decides which process has the address after the beat e: the one that had it before,
// while that is alive. It sets e's IncarnationAt and RivalAt, and what l keeps of other
// processes. A process that comes is taken for the next one of a process that has ended,
// until that beats again; then the newer one is refused, with an error of kind
// [job.Conflict], for as long as the older one has its lease.
func (l *leased) meet(e *job.Executor) error {
	now, was, is := e.SeenAt, nameOf(l.Incarnation), nameOf(e.Incarnation)
	switch living := l.LeaseUntil.After(now); {
	case is == was:
		e.IncarnationAt = l.IncarnationAt
	case !living:
		l.former, l.rival = "", ""
		e.IncarnationAt = now
	case is == l.rival:
		return l.taken(e)
	case is == l.former && now.Sub(l.IncarnationAt) < staleBeat: // it has ended since
		return l.taken(e)
	case is == l.former:
		l.former, l.rival, l.rivalAt = "", was, now.UnixMilli()
		e.IncarnationAt = now
	default:
		l.former = was
		e.IncarnationAt = now
	}
	if e.Incarnation == "" {
		e.IncarnationAt = time.Time{}
	}
	e.RivalAt = job.FromMillis(l.rivalAt)
	return nil
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
