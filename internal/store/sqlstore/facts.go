package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By executor_groups_key and the primary keys of executors and executor_facts.
	readFactsTime = `SELECT e.group_id, f.told_at FROM executor_groups g JOIN executors e ON e.group_id = g.id AND e.address = ?` + joinFacts + `
		WHERE g.group_key = ?`
	// By executor_facts' primary key.
	updateFacts = `UPDATE executor_facts SET kind = ?, told_at = ?, facts = ? WHERE group_id = ? AND address = ?`
	insertFacts = `INSERT INTO executor_facts (kind, told_at, facts, group_id, address) VALUES (?, ?, ?, ?, ?)`
	// By executor_groups_key and executor_facts' primary key.
	readFacts = `SELECT f.kind, f.told_at, f.facts FROM executor_groups g JOIN executor_facts f ON f.group_id = g.id AND f.address = ?
		WHERE g.group_key = ?`
)

// PutFacts stores the facts that an executor reports about itself, in place of earlier
// ones. Kinds: NotFound when there is no such executor; Full when it reported some less
// than job.FactsEvery before f.At.
func (s *Store) PutFacts(ctx context.Context, group, address string, f job.Facts) error {
	return s.writer.update(ctx, func(t *tx) error {
		var id int64
		var before time.Time
		known, err := t.read(readFactsTime, []any{address, group}, []any{(*integer)(&id), (*instant)(&before)})
		switch {
		case err != nil:
			return err
		case !known:
			missing := job.Errorf(job.NotFound, "group %s has no executor at %s", group, address)
			missing.Hint = "an executor must register before it reports facts"
			return missing
		case !before.IsZero() && f.At.Before(before.Add(job.FactsEvery)) && !f.At.Before(before):
			return job.Errorf(job.Full, "executor %s reported facts less than %s ago: report less often", address, job.FactsEvery)
		}
		return t.upsert(updateFacts, insertFacts, []any{f.Kind, job.Millis(f.At), f.Text, id, address})
	})
}

// Facts returns the facts that an executor has reported about itself. Kinds: NotFound when
// it has reported none, or there is no such executor.
func (s *Store) Facts(ctx context.Context, group, address string) (job.Facts, error) {
	fields := func(f *job.Facts) []any {
		return []any{(*text)(&f.Kind), (*instant)(&f.At), (*text)(&f.Text)}
	}
	f, found, err := first(ctx, s.reader, fields, readFacts, address, group)
	if err == nil && !found {
		missing := job.Errorf(job.NotFound, "no executor at %s in group %s has reported facts", address, group)
		missing.Hint = "'orth executors' shows who does: they have a kind"
		return job.Facts{}, missing
	}
	return f, err
}
