package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// keepDead is how long the row of an executor stays whose lease has ended.
const keepDead = 24 * time.Hour

const (
	// By executors' primary key.
	readLease = `SELECT registered_at FROM executors WHERE group_id = ? AND address = ?`
	// By executors' primary key.
	renewLease = `UPDATE executors SET lease_until = ?, seen_at = ?, features = ? WHERE group_id = ? AND address = ?`
	// By a scan of at most Limits.Executors index entries, for new executors only.
	countLeases = `SELECT COUNT(*) FROM executors`
	insertLease = `INSERT INTO executors (group_id, address, lease_until, registered_at, seen_at, features)
		VALUES (?, ?, ?, ?, ?, ?)`
	// By executors_lease.
	deleteDead = `DELETE FROM executors WHERE lease_until <= ?`
	// By the unique key of executor_groups and executors' primary key.
	deleteLease = `DELETE FROM executors WHERE address = ? AND group_id =
		(SELECT id FROM executor_groups WHERE namespace = ? AND group_key = ?)`
	// By executors_lease and the primary key of executor_groups.
	listLeases = `SELECT e.group_id, g.group_key, e.address, e.lease_until, e.registered_at, e.seen_at, e.features
		FROM executors e JOIN executor_groups g ON g.id = e.group_id WHERE e.lease_until > ?
		ORDER BY g.group_key, e.address`
)

// PutLease writes the executor's lease and returns it with GroupID, and with
// RegisteredAt as it was first written. The group is made when it does not
// exist; the features are those of the last call. Kinds: Full when there are
// too many groups or living executors.
func (s *Store) PutLease(ctx context.Context, e job.Executor) (job.Executor, error) {
	features, err := featuresOf(&e)
	if err != nil {
		return job.Executor{}, err
	}
	err = s.writer.update(ctx, func(t *tx) (err error) {
		if e.GroupID, err = t.group(e.Group, e.SeenAt); err != nil {
			return err
		}
		var registered time.Time
		known, err := t.read(readLease, []any{e.GroupID, e.Address}, []any{(*instant)(&registered)})
		if err != nil {
			return err
		}
		if !known {
			return t.addLease(&e, features)
		}
		e.RegisteredAt = registered
		_, err = t.exec(renewLease, e.LeaseUntil.UnixMilli(), job.Millis(e.SeenAt), features, e.GroupID, e.Address)
		return err
	})
	if err != nil {
		return job.Executor{}, err
	}
	return e, nil
}

// addLease adds a row, and removes rows of executors long dead; of all dead
// ones when there is no room.
func (t *tx) addLease(e *job.Executor, features string) error {
	room := false
	for _, dead := range []time.Time{e.SeenAt.Add(-keepDead), e.SeenAt} {
		if _, err := t.exec(deleteDead, dead.UnixMilli()); err != nil {
			return err
		}
		var n int64
		if _, err := t.read(countLeases, nil, []any{&n}); err != nil {
			return err
		}
		if room = n < int64(t.limits.Executors); room {
			break
		}
	}
	if !room {
		return job.Errorf(job.Full, "executor %s cannot be added: %d executors are alive already",
			e.Address, t.limits.Executors)
	}
	_, err := t.exec(insertLease, e.GroupID, e.Address, e.LeaseUntil.UnixMilli(),
		job.Millis(e.RegisteredAt), job.Millis(e.SeenAt), features)
	return err
}

// featuresOf returns the executor's features as they are stored.
func featuresOf(e *job.Executor) (string, error) {
	if len(e.Features) == 0 {
		return "[]", nil
	}
	return encode(e.Features)
}

// DropLease ends a lease at once by removing its row. An unknown one is no
// error.
func (s *Store) DropLease(ctx context.Context, group, address string) error {
	return s.writer.update(ctx, func(t *tx) error {
		_, err := t.exec(deleteLease, address, job.DefaultNamespace, group)
		return err
	})
}

// Leases returns the executors whose lease ends after now, by group and
// address.
func (s *Store) Leases(ctx context.Context, now time.Time) ([]job.Executor, error) {
	fields := func(e *job.Executor) []any {
		return []any{
			(*integer)(&e.GroupID), (*text)(&e.Group), (*text)(&e.Address),
			(*instant)(&e.LeaseUntil), (*instant)(&e.RegisteredAt), (*instant)(&e.SeenAt),
			document[[]string]{&e.Features},
		}
	}
	return list(ctx, s.reader, fields, listLeases, now.UnixMilli())
}
