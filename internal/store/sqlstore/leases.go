package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// keepDead is how long the row of an executor is kept after its lease has ended.
const keepDead = 24 * time.Hour

const (
	// By executors' primary key.
	readLease = `SELECT registered_at, manual, incarnation, incarnation_at, dialect, dialect_by, handlers, lease_until, seen_at, instance, instance_at, others FROM executors
		WHERE group_id = ? AND address = ?`
	// By executors' primary key.
	renewLease = `UPDATE executors SET lease_until = ?, seen_at = ?, features = ?, registered_as = ?, incarnation = ?,
		incarnation_at = ?, started_at = ?, workload = ?, dialect = ?, dialect_by = ?, token_id = ?, draining = ?, instance = ?, instance_at = ?, others = ?, crowded_until = ?, rival_at = ?
		WHERE group_id = ? AND address = ?`
	// By executors' primary key. Handlers change seldom and may be long: a beat that
	// announces the same ones does not write them again.
	saveHandlers = `UPDATE executors SET handlers = ? WHERE group_id = ? AND address = ?`
	// By a scan of at most Limits.Executors index entries, for new executors only.
	countLeases = `SELECT COUNT(*) FROM executors`
	insertLease = `INSERT INTO executors (group_id, address, lease_until, registered_at, seen_at, features, registered_as,
		incarnation, incarnation_at, started_at, workload, manual, dialect, dialect_by, token_id, draining, handlers, instance, instance_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By executors' primary key.
	saveOthers = `UPDATE executors SET others = ?, crowded_until = ?, rival_at = ? WHERE group_id = ? AND address = ?`
	// By executors_lease.
	deleteDead = `DELETE FROM executors WHERE lease_until <= ? AND manual = 0 AND dialect_by <> 'set'`
	// By executor_groups_key and executors' primary key.
	deleteLease = `DELETE FROM executors WHERE address = ? AND manual = 0 AND dialect_by <> 'set' AND group_id =
		(SELECT id FROM executor_groups WHERE group_key = ?)`
	// By executor_groups_key and executors' primary key.
	endLease = `UPDATE executors SET lease_until = 0 WHERE address = ? AND (manual = 1 OR dialect_by = 'set') AND group_id =
		(SELECT id FROM executor_groups WHERE group_key = ?)`
	// By executors_lease, executors_manual and the primary keys of executor_groups and
	// executor_facts.
	listLeases = `SELECT ` + leaseColumns + ` FROM executors e JOIN executor_groups g ON g.id = e.group_id` + joinFacts + `
		WHERE e.lease_until > ? AND e.manual = 0
		UNION ALL SELECT ` + leaseColumns + ` FROM executors e JOIN executor_groups g ON g.id = e.group_id` + joinFacts + ` WHERE e.manual = 1
		ORDER BY group_key, address`
	// By executor_groups_key and executors' primary key.
	listAnnounced = `SELECT e.dialect, e.features, e.handlers FROM executor_groups g JOIN executors e ON e.group_id = g.id
		WHERE g.group_key = ? AND e.lease_until > ?`
	leaseColumns = `e.group_id, g.namespace, g.group_key AS group_key, e.address AS address, e.registered_as, e.manual, e.lease_until,
		e.registered_at, e.seen_at, e.features, e.incarnation, e.incarnation_at, e.started_at, e.workload,
		e.dialect, e.dialect_by, e.token_id, e.draining, e.instance, e.instance_at, e.crowded_until, e.rival_at, f.kind, f.told_at`
	joinFacts = ` LEFT JOIN executor_facts f ON f.group_id = e.group_id AND f.address = e.address`
)

// PutLease writes the executor's lease and returns it with GroupID and Namespace, with
// RegisteredAt and Manual as they were first written, and with IncarnationAt and InstanceAt:
// SeenAt, or what they were when the lease has the same incarnation or instance already. A
// Dialect that is known by something stronger stays. The group is made when it
// does not exist; everything else is that of the last call. Kinds: Full when there are too many groups or living executors;
// Conflict when another process has the address, see meet.
func (s *Store) PutLease(ctx context.Context, e job.Executor) (job.Executor, error) {
	texts, err := textsOf(&e)
	if err != nil {
		return job.Executor{}, err
	}
	given := e
	var refused error
	err = s.writer.updatePatiently(ctx, func(t *tx) (err error) {
		e, refused = given, nil // it may be done again
		if e.GroupID, e.Namespace, err = t.groupAt(e.Group, e.SeenAt); err != nil {
			return err
		}
		var was leased
		known, err := t.read(readLease, []any{e.GroupID, e.Address}, was.fields())
		if err != nil {
			return err
		}
		e.Manual = was.Manual
		keepDialect(&e, was.Executor)
		refused = was.meet(&e)
		others, err := was.text()
		switch {
		case err != nil:
			return err
		case refused != nil:
			return t.do(saveOthers, others, job.Millis(e.CrowdedUntil), job.Millis(e.RivalAt), e.GroupID, e.Address)
		case known:
			return t.renewLease(&e, &was, texts, others)
		}
		return t.addLease(&e, texts)
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return job.Executor{}, err
	}
	return e, nil
}

// renewLease writes the beat of a process to a known row.
func (t *tx) renewLease(e *job.Executor, was *leased, texts leaseTexts, others string) error {
	e.RegisteredAt = was.RegisteredAt
	err := t.do(renewLease, e.LeaseUntil.UnixMilli(), job.Millis(e.SeenAt), texts.features, e.RegisteredAs, e.Incarnation,
		job.Millis(e.IncarnationAt), job.Millis(e.StartedAt), texts.workload, string(e.Dialect), string(e.DialectBy), e.TokenID, bit(e.Draining),
		e.Instance, job.Millis(e.InstanceAt), others, job.Millis(e.CrowdedUntil), job.Millis(e.RivalAt), e.GroupID, e.Address)
	if err == nil && was.handlers != texts.handlers {
		err = t.do(saveHandlers, texts.handlers, e.GroupID, e.Address)
	}
	return err
}

// addLease adds a row, and removes rows of executors long dead; of all dead
// ones when there is no room.
func (t *tx) addLease(e *job.Executor, texts leaseTexts) error {
	room := false
	for _, dead := range []time.Time{e.SeenAt.Add(-keepDead), e.SeenAt} {
		if err := t.do(deleteDead, dead.UnixMilli()); err != nil {
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
	var until int64
	if !e.LeaseUntil.IsZero() {
		until = e.LeaseUntil.UnixMilli()
	}
	return t.do(insertLease, e.GroupID, e.Address, until, job.Millis(e.RegisteredAt), job.Millis(e.SeenAt), texts.features,
		e.RegisteredAs, e.Incarnation, job.Millis(e.IncarnationAt), job.Millis(e.StartedAt), texts.workload, bit(e.Manual),
		string(e.Dialect), string(e.DialectBy), e.TokenID, bit(e.Draining), texts.handlers, e.Instance, job.Millis(e.InstanceAt))
}

// leaseTexts are the documents of an executor as they are stored.
type leaseTexts struct{ features, handlers, workload string }

func textsOf(e *job.Executor) (texts leaseTexts, err error) {
	texts = leaseTexts{features: "[]", handlers: "[]"}
	if len(e.Features) > 0 {
		if texts.features, err = encode(e.Features); err != nil {
			return leaseTexts{}, err
		}
	}
	if len(e.Handlers) > 0 {
		if texts.handlers, err = encode(e.Handlers); err != nil {
			return leaseTexts{}, err
		}
	}
	if e.Load != nil {
		texts.workload, err = encode(e.Load)
	}
	return texts, err
}

// DropLease ends a lease at once: it removes the row, unless a user entered the
// address or set its dialect. An unknown one is no error.
func (s *Store) DropLease(ctx context.Context, group, address string) error {
	return s.writer.update(ctx, func(t *tx) error {
		for _, end := range []string{deleteLease, endLease} {
			if err := t.do(end, address, group); err != nil {
				return err
			}
		}
		return nil
	})
}

// Leases returns the executors whose lease ends after now and those that a user
// entered, by group and address, without their Handlers.
func (s *Store) Leases(ctx context.Context, now time.Time) ([]job.Executor, error) {
	fields := func(e *job.Executor) []any {
		return []any{
			(*integer)(&e.GroupID), (*text)(&e.Namespace), (*text)(&e.Group), (*text)(&e.Address), (*text)(&e.RegisteredAs), (*truth)(&e.Manual),
			(*instant)(&e.LeaseUntil), (*instant)(&e.RegisteredAt), (*instant)(&e.SeenAt),
			document[[]string]{&e.Features},
			(*text)(&e.Incarnation), (*instant)(&e.IncarnationAt), (*instant)(&e.StartedAt),
			document[*job.Load]{&e.Load},
			(*text)(&e.Dialect), (*text)(&e.DialectBy), (*integer)(&e.TokenID), (*truth)(&e.Draining), (*text)(&e.Instance),
			(*instant)(&e.InstanceAt), (*instant)(&e.CrowdedUntil), (*instant)(&e.RivalAt),
			(*text)(&e.Kind), (*instant)(&e.FactsAt),
		}
	}
	return list(ctx, s.reader, fields, listLeases, now.UnixMilli())
}

// Announced returns the executors of a group whose lease ends after now, with their
// Dialect, Features and Handlers alone.
func (s *Store) Announced(ctx context.Context, group string, now time.Time) ([]job.Executor, error) {
	fields := func(e *job.Executor) []any {
		return []any{(*text)(&e.Dialect), document[[]string]{&e.Features}, document[[]string]{&e.Handlers}}
	}
	return list(ctx, s.reader, fields, listAnnounced, group, now.UnixMilli())
}
