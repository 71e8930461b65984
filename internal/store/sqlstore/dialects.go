package sqlstore

import (
	"context"

	"github.com/orthd/orth/job"
)

const (
	// By executor_groups_key and executors' primary key.
	setDialect = `UPDATE executors SET dialect = ?, dialect_by = ? WHERE address = ? AND group_id =
		(SELECT id FROM executor_groups WHERE group_key = ?)`
	// By executor_groups_key and executors' primary key.
	noteDialect = `UPDATE executors SET dialect = ?, dialect_by = 'probed' WHERE address = ? AND dialect_by IN ('', 'probed')
		AND group_id = (SELECT id FROM executor_groups WHERE group_key = ?)`
)

// SaveDialect stores the protocol dialect of an executor. A user's choice (job.DialectSet,
// or the empty value to make it unknown again) takes effect at once; one detected from
// answers (job.DialectProbed) does unless a stronger source contradicts it. Kinds: NotFound
// for a user who names an unknown executor.
func (s *Store) SaveDialect(ctx context.Context, group, address string, d job.Dialect, by job.DialectBy) error {
	return s.writer.update(ctx, func(t *tx) error {
		if by == job.DialectProbed {
			return t.do(noteDialect, string(d), address, group)
		}
		found, err := t.one(setDialect, string(d), string(by), address, group)
		if err != nil || found {
			return err
		}
		missing := job.Errorf(job.NotFound, "group %s has no executor at %s", group, address)
		missing.Hint = "'orth executors' shows their addresses, which must be given as they are there, with or without a slash at the end"
		return missing
	})
}

// keepDialect leaves e with the dialect that was known, unless the source of e's own is as
// strong.
func keepDialect(e *job.Executor, was job.Executor) {
	if e.Dialect == "" || !e.DialectBy.Replaces(was.DialectBy) {
		e.Dialect, e.DialectBy = was.Dialect, was.DialectBy
	}
}
