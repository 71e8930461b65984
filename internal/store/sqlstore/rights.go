package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By leases' primary key.
	readRight = `SELECT holder, until, fence FROM leases WHERE name = ?`
	// By leases' primary key.
	renewRight = `UPDATE leases SET until = ? WHERE name = ? AND holder = ?`
	// By leases' primary key.
	takeRight   = `UPDATE leases SET holder = ?, until = ?, fence = fence + 1 WHERE name = ? AND fence = ?`
	insertRight = `INSERT INTO leases (name, holder, until, fence) VALUES (?, ?, ?, 1)`
)

// right is the lease of the work that only one server at a time may do.
type right struct {
	holder string
	until  time.Time
	fence  int64
}

func rightFields(r *right) []any {
	return []any{(*text)(&r.holder), (*instant)(&r.until), (*integer)(&r.fence)}
}

// TakeLease acquires or renews the lease of a name until an instant, and returns its fence;
// held is false when another holder has it. Another holder gets another fence. It writes
// nothing when another holder has it.
func (s *Store) TakeLease(ctx context.Context, name, holder string, now, until time.Time) (fence int64, held bool, err error) {
	r, found, err := first(ctx, s.reader, rightFields, readRight, name)
	if err != nil || found && r.holder != holder && r.until.After(now) {
		return 0, false, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		fence, held, err = t.takeLease(name, holder, now, until)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	return fence, held, nil
}

func (t *tx) takeLease(name, holder string, now, until time.Time) (fence int64, held bool, err error) {
	var r right
	found, err := t.read(readRight, []any{name}, rightFields(&r))
	switch {
	case err != nil:
		return 0, false, err
	case !found:
		err = t.do(insertRight, name, holder, job.Millis(until))
		return 1, err == nil, err
	case r.holder == holder:
		err = t.do(renewRight, job.Millis(until), name, holder)
		return r.fence, err == nil, err
	case r.until.After(now):
		return 0, false, nil
	}
	held, err = t.one(takeRight, holder, job.Millis(until), name, r.fence)
	return r.fence + 1, held, err
}

// fenced is a Conflict when the fence of a lease is another one by now.
func (t *tx) fenced(name string, fence int64) error {
	var r right
	found, err := t.read(readRight, []any{name}, rightFields(&r))
	if err == nil && (!found || r.fence != fence) {
		err = job.Errorf(job.Conflict, "the lease %q is somebody else's by now", name)
	}
	return err
}
