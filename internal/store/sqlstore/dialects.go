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

// SaveDialect writes how an executor is spoken to. What a person says, by
// job.DialectSet or, to make it unknown again, by nothing, counts at once; what
// answers tell, by job.DialectProbed, unless something stronger tells another. Kinds:
// NotFound for a person who means an unknown executor.
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

// keepDialect leaves e with the dialect that was known, unless what e says of it is
// as strong.
func keepDialect(e *job.Executor, was job.Executor) {
	if e.Dialect == "" || !e.DialectBy.Replaces(was.DialectBy) {
		e.Dialect, e.DialectBy = was.Dialect, was.DialectBy
	}
}
