package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/internal/event"
)

const (
	// By changes' primary key. The writers of a database take turns, so ids are in the
	// order of commits.
	insertChanges = `INSERT INTO changes (id, changed_at, changes) SELECT COALESCE(MAX(id), 0) + 1, ?, ? FROM changes`
	// By changes' primary key.
	readLastChange = `SELECT COALESCE(MAX(id), 0) FROM changes`
	// By changes' primary key.
	listChanges = `SELECT id, changed_at, changes FROM changes WHERE id > ? ORDER BY id LIMIT ?`
	// By changes' primary key, from its beginning.
	listOldChanges = `SELECT id, changed_at FROM changes ORDER BY id LIMIT ?`
	// By changes' primary key.
	dropChanges = `DELETE FROM changes WHERE id <= ? AND id < ?`
)

const (
	// maxRecorded is the maximum number of changes of a transaction that are recorded one by
	// one.
	maxRecorded = 2000
	// prunedAtOnce is how many rows of changes are looked at, and removed, in one
	// transaction.
	prunedAtOnce = 5000
)

// record stores the changes of the transaction, if another server watches. gap reports that
// earlier changes were not stored.
func (t *tx) record(gap bool) error {
	changed := t.changed
	switch {
	case len(changed) > maxRecorded:
		changed = []event.Change{{Kind: event.Many}}
	case gap:
		changed = append([]event.Change{{Kind: event.Many}}, changed...)
	}
	raw, err := json.Marshal(changed)
	if err != nil {
		return fmt.Errorf("write changes down: %w", err)
	}
	// The database's own clock, without a way to it for that.
	return t.do(strings.Replace(insertChanges, "?", "("+t.dialect.Now+")", 1), string(raw))
}

// WatchChanges implements [cluster.Store].
func (s *Store) WatchChanges(ctx context.Context, name string, watching time.Duration) (after int64, err error) {
	err = s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		now, err := t.now()
		if err != nil {
			return err
		}
		var watched time.Time
		if _, err := t.read(readWatched, nil, []any{(*instant)(&watched)}); err != nil {
			return err
		}
		if err := t.do(watchServer, now.Add(watching).UnixMilli(), name); err != nil {
			return err
		}
		if !watched.After(now) { // nothing was stored until now: no watcher may continue across this point
			if err := t.do(insertChanges, now.UnixMilli(), `[{"kind":"many"}]`); err != nil {
				return err
			}
		}
		_, err = t.read(readLastChange, nil, []any{(*integer)(&after)})
		return err
	})
	return after, err
}

// ChangesAfter implements [cluster.Store].
func (s *Store) ChangesAfter(ctx context.Context, id int64, limit int) (rows []cluster.Told, whole bool, err error) {
	type row struct {
		id      int64
		at      time.Time
		changes string
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at), (*text)(&r.changes)} }
	found, err := list(ctx, s.reader, fields, listChanges, id, limit)
	if err != nil {
		return nil, false, err
	}
	whole = true
	for i := range found {
		r := &found[i]
		whole = whole && r.id == id+int64(i)+1
		row := cluster.Told{ID: r.id, At: r.at}
		if err := json.Unmarshal([]byte(r.changes), &row.Changes); err != nil { // a newer server's
			row.Changes = []event.Change{{Kind: event.Many}}
		}
		rows = append(rows, row)
	}
	return rows, whole, nil
}

// pruneChanges removes rows from before an instant, but for the last one: its id is the
// place behind which others come.
func (t *tx) pruneChanges(before time.Time) error {
	type row struct {
		id int64
		at time.Time
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at)} }
	var upTo, last int64
	err := readEach(t, fields, func(r *row) {
		last = r.id
		if r.at.Before(before) {
			upTo = last
		}
	}, listOldChanges, prunedAtOnce)
	if err != nil || upTo == 0 {
		return err
	}
	return t.do(dropChanges, upTo, last)
}
