package sqlstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

const auditColumns = `seq, at, actor_kind, actor_id, credential, actor, address, operation, right_used, kind, namespace, group_key,
	object_key, was, became, previous, digest`

// auditRest are the conditions that only pass rows over.
const auditRest = ` AND (? = '' OR actor = ?) AND (? = '' OR operation = ?) AND (? = '' OR namespace = ?) AND (? = '' OR kind = ?)
	AND (? = '' OR object_key = ?) `

const (
	insertLine = `INSERT INTO audit (` + auditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By audit's primary key, backwards.
	readHead = `SELECT seq, at, digest FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1`
	// By audit_at.
	readLineFrom = `SELECT seq FROM audit WHERE at >= ? ORDER BY at, seq LIMIT 1`

	// By audit's primary key.
	listLines = `SELECT ` + auditColumns + ` FROM audit WHERE seq > ? AND seq < ?` + auditRest + `ORDER BY seq LIMIT ?`
	// By audit's primary key, backwards.
	listLinesBack = `SELECT ` + auditColumns + ` FROM audit WHERE seq > ? AND seq < ?` + auditRest + `ORDER BY seq DESC LIMIT ?`
	// By audit_actor, backwards.
	listLinesOfActor = `SELECT ` + auditColumns + ` FROM audit WHERE actor = ? AND seq > ? AND seq < ?` + auditRest + `ORDER BY seq DESC LIMIT ?`
	// By audit_object, backwards.
	listLinesOfObject = `SELECT ` + auditColumns + ` FROM audit WHERE kind = ? AND object_key = ? AND seq > ? AND seq < ?` + auditRest +
		`ORDER BY seq DESC LIMIT ?`
	// By audit_operation, backwards.
	listLinesOfOperation = `SELECT ` + auditColumns + ` FROM audit WHERE operation = ? AND seq > ? AND seq < ?` + auditRest + `ORDER BY seq DESC LIMIT ?`
	// By audit_namespace, backwards.
	listLinesOfNamespace = `SELECT ` + auditColumns + ` FROM audit WHERE namespace = ? AND seq > ? AND seq < ?` + auditRest + `ORDER BY seq DESC LIMIT ?`

	// By audit's primary key.
	readFirstLine = `SELECT seq FROM audit WHERE seq > 0 ORDER BY seq LIMIT 1`
	// By audit's primary key.
	readDigest = `SELECT digest FROM audit WHERE seq = ?`
	// By audit's primary key.
	deleteLines = `DELETE FROM audit WHERE seq <= ?`
)

func lineFields(l *audit.Line) []any {
	return []any{
		(*integer)(&l.Seq), (*instant)(&l.At), (*text)(&l.Actor.Kind), (*integer)(&l.Actor.ID), (*integer)(&l.Actor.Credential), (*text)(&l.Actor.Name),
		(*text)(&l.Address), (*text)(&l.Operation), (*text)(&l.Right), (*text)(&l.Kind), (*text)(&l.Namespace), (*text)(&l.Group), (*text)(&l.Key),
		(*text)(&l.Before), (*text)(&l.After), (*text)(&l.Previous), (*text)(&l.Digest),
	}
}

// appendLine puts a line at the end of the audit, and gives it its number.
func (t *tx) appendLine(l *audit.Line) error {
	var last audit.Line
	if _, err := t.read(readHead, nil, []any{(*integer)(&last.Seq), (*instant)(&last.At), (*text)(&last.Digest)}); err != nil {
		return err
	}
	l.Follow(&last)
	if err := t.do(insertLine, l.Seq, l.At.UnixMilli(), l.Actor.Kind, l.Actor.ID, l.Actor.Credential, l.Actor.Name, l.Address, l.Operation, l.Right,
		l.Kind, l.Namespace, l.Group, l.Key, l.Before, l.After, l.Previous, l.Digest); err != nil {
		return err
	}
	t.lines = append(t.lines, *l)
	return nil
}

// AppendAudit writes lines that belong to no change, such as those about tries to sign
// in that failed, in one transaction.
func (s *Store) AppendAudit(ctx context.Context, lines []audit.Line) error {
	err := s.writer.submit(ctx, func(t *tx) error {
		for i := range lines {
			l := lines[i]
			if err := t.appendLine(&l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write lines of the audit: %w", err)
	}
	return nil
}

// AuditLines returns the lines of a query. Filters by an object's kind and key
// together, by actor, operation and namespace each have an index when the newest come
// first; the other filters are applied to those.
func (s *Store) AuditLines(ctx context.Context, q audit.Query) ([]audit.Line, error) {
	low, high, err := s.auditBounds(ctx, &q)
	if err != nil {
		return nil, err
	}
	limit := min(q.Limit, audit.MaxPage)
	if limit <= 0 {
		limit = 100
	}
	rest := []any{low, high, q.Actor, q.Actor, q.Operation, q.Operation, q.Namespace, q.Namespace, q.Kind, q.Kind, q.Key, q.Key, limit}
	query, by := listLinesBack, []any(nil)
	switch {
	case q.Oldest:
		query = listLines
	case q.Kind != "" && q.Key != "":
		query, by = listLinesOfObject, []any{q.Kind, q.Key}
	case q.Actor != "":
		query, by = listLinesOfActor, []any{q.Actor}
	case q.Operation != "":
		query, by = listLinesOfOperation, []any{q.Operation}
	case q.Namespace != "":
		query, by = listLinesOfNamespace, []any{q.Namespace}
	}
	return list(ctx, s.reader, lineFields, query, append(by, rest...)...)
}

// auditBounds returns the numbers between which the lines of a query are.
func (s *Store) auditBounds(ctx context.Context, q *audit.Query) (low, high int64, err error) {
	low, high = 0, math.MaxInt64
	if q.After > 0 && q.Oldest {
		low = q.After
	} else if q.After > 0 {
		high = q.After
	}
	if !q.From.IsZero() {
		from, err := s.lineFrom(ctx, q.From)
		if err != nil {
			return 0, 0, err
		}
		low = max(low, from-1)
	}
	if !q.Until.IsZero() {
		until, err := s.lineFrom(ctx, q.Until)
		if err != nil {
			return 0, 0, err
		}
		high = min(high, until)
	}
	return low, high, nil
}

// lineFrom returns the number of the first line at an instant or after it.
func (s *Store) lineFrom(ctx context.Context, at time.Time) (int64, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	seq, found, err := first(ctx, s.reader, number, readLineFrom, job.Millis(at))
	if err == nil && !found {
		seq = math.MaxInt64
	}
	return seq, err
}

// maxPruned bounds the lines that one transaction removes.
const maxPruned = 10_000

// PruneAudit removes the oldest lines, those from before an instant, at most 10,000 at
// once, and returns what was removed; the zero value for nothing. It requires a context
// with an author: the line about the removal keeps the rest of the chain verifiable.
func (s *Store) PruneAudit(ctx context.Context, before time.Time) (audit.Removed, error) {
	var r audit.Removed
	if i := intent.Of(ctx); i == nil || i.Operation != audit.PruneOperation || i.Written() > 0 {
		return r, job.Errorf(job.Internal, "lines of the audit must not be removed without an author")
	}
	until, err := s.lineFrom(ctx, before)
	if err != nil {
		return r, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		r = audit.Removed{} // it may be done again
		var head int64
		var at time.Time
		if found, err := t.read(readHead, nil, []any{(*integer)(&head), (*instant)(&at), new(text)}); err != nil || !found {
			return err
		}
		if _, err := t.read(readFirstLine, nil, []any{(*integer)(&r.First)}); err != nil {
			return err
		}
		r.Last = min(until-1, head, r.First+maxPruned-1)
		if r.Last < r.First {
			r = audit.Removed{}
			return nil
		}
		if _, err := t.read(readDigest, []any{r.Last}, []any{(*text)(&r.Digest)}); err != nil {
			return err
		}
		if r.Lines, err = t.exec(deleteLines, r.Last); err != nil {
			return err
		}
		return t.noteReport(r)
	})
	if err != nil {
		return audit.Removed{}, fmt.Errorf("remove lines of the audit: %w", err)
	}
	return r, nil
}
