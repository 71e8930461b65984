package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// By the primary keys of run_logs, in its order, and of log_chunks.
	listOldLogs = `SELECT l.attempt_id, l.triggered_at, l.ended_at, l.expires_at,
		(SELECT SUM(c.size) FROM log_chunks c WHERE c.attempt_id = l.attempt_id), 0
		FROM run_logs l WHERE l.attempt_id > ? ORDER BY l.attempt_id LIMIT ?`
	// By runs' primary key, in its order.
	listOldRunLogs = `SELECT id, COALESCE(triggered_at, created_at), ended_at, log_expires, 0, CASE WHEN log_text IS NULL THEN 1 ELSE 0 END
		FROM runs WHERE id > ? ORDER BY id LIMIT ?`
	// By runs_log, in its order.
	listExpiredRunLogs = `SELECT id FROM runs WHERE log_expires > 0 AND log_expires <= ? ORDER BY log_expires LIMIT ?`
	// By runs' primary key.
	removeRunLog = `UPDATE runs SET log_text = NULL, log_expires = NULL WHERE id = ? AND log_text IS NOT NULL`

	// By run_logs_expires, in its order.
	listExpiredLogs = `SELECT attempt_id FROM run_logs WHERE expires_at > 0 AND expires_at <= ? AND ended_at IS NOT NULL
		ORDER BY expires_at LIMIT ?`

	// By log_chunks' primary key.
	sumChunks = `SELECT SUM(size) FROM log_chunks WHERE attempt_id = ?`
	// By the primary keys of log_packs and log_chunks.
	wearPacks = `UPDATE log_packs SET check_at = CASE WHEN check_at <= ? THEN check_at ELSE ? END
		WHERE id IN (SELECT pack_id FROM log_chunks WHERE attempt_id = ?)`
	// By log_chunks' primary key.
	removeChunks = `DELETE FROM log_chunks WHERE attempt_id = ?`
	// By run_logs' primary key.
	removeLog = `DELETE FROM run_logs WHERE attempt_id = ?`

	// By log_packs_check, in its order.
	listWornPacks = `SELECT p.id, p.name, p.size, p.live, p.created_at FROM log_packs p
		WHERE p.check_at > 0 AND p.check_at <= ? ORDER BY p.check_at LIMIT ?`
	// By log_chunks_pack.
	listPackChunks = `SELECT ` + chunkColumns + ` FROM log_chunks c WHERE c.pack_id = ?`
	// By log_chunks' primary key.
	moveChunk = `UPDATE log_chunks SET pack_id = ?, pos = ? WHERE attempt_id = ? AND first_line = ? AND pack_id = ?`
	// By the primary key of log_packs and log_chunks_pack.
	readEmptyPack = `SELECT p.name, p.size FROM log_packs p WHERE p.id = ?
		AND NOT EXISTS (SELECT 1 FROM log_chunks c WHERE c.pack_id = p.id)`
	// By log_packs' primary key.
	removePack = `DELETE FROM log_packs WHERE id = ?`
	// By the primary key of log_packs and log_chunks_pack.
	settlePack = `UPDATE log_packs SET check_at = NULL,
		live = (SELECT COALESCE(SUM(c.size), 0) FROM log_chunks c WHERE c.pack_id = log_packs.id) WHERE id = ?`
	// By log_total's primary key.
	readTotal = `SELECT bytes FROM log_total WHERE id = 1`
	// By log_packs_name.
	readPackName = `SELECT name FROM log_packs WHERE name = ?`
)

// OldLogs returns up to limit logs with attempts above after, in order of attempt.
func (s *Store) OldLogs(ctx context.Context, after int64, limit int) ([]logbook.Old, error) {
	return s.oldLogs(ctx, listOldLogs, after, limit)
}

// OldRunLogs returns up to limit runs with ids above after, in order of id, with what is known of
// the logs in their rows.
func (s *Store) OldRunLogs(ctx context.Context, after int64, limit int) ([]logbook.Old, error) {
	return s.oldLogs(ctx, listOldRunLogs, after, limit)
}

func (s *Store) oldLogs(ctx context.Context, query string, after int64, limit int) ([]logbook.Old, error) {
	type row struct {
		logbook.Old
		expires time.Time
	}
	fields := func(r *row) []any {
		return []any{
			(*integer)(&r.Attempt), (*instant)(&r.TriggeredAt), (*instant)(&r.EndedAt), (*instant)(&r.expires),
			(*integer)(&r.Stored), (*truth)(&r.None),
		}
	}
	var all []logbook.Old
	take := func(r *row) {
		r.Said = !r.expires.IsZero()
		all = append(all, r.Old)
	}
	err := each(ctx, s.reader, fields, take, query, after, max(limit, 0))
	return all, err
}

// ExpiredLogs returns up to limit attempts that have ended and whose logs were to be
// kept until now at most.
func (s *Store) ExpiredLogs(ctx context.Context, now time.Time, limit int) ([]int64, error) {
	limit = max(limit, 0)
	ids, err := list(ctx, s.reader, oneInteger, listExpiredLogs, job.Millis(now), limit)
	if err != nil || len(ids) == limit {
		return ids, err
	}
	of, err := list(ctx, s.reader, oneInteger, listExpiredRunLogs, job.Millis(now), limit-len(ids))
	return append(ids, of...), err
}

// RemoveLogs removes the logs of attempts in one transaction, and returns how many
// stored bytes are not wanted any more.
func (s *Store) RemoveLogs(ctx context.Context, attempts []int64) (freed int64, err error) {
	if len(attempts) == 0 {
		return 0, nil
	}
	now := job.Millis(time.Now()) // the contract gives no instant
	err = s.writer.update(ctx, func(t *tx) error {
		freed = 0
		for _, attempt := range attempts {
			var size integer
			if _, err := t.read(sumChunks, []any{attempt}, []any{&size}); err != nil {
				return err
			}
			freed += int64(size)
			if err := t.do(wearPacks, now, now, attempt); err != nil {
				return err
			}
			if err := t.do(removeChunks, attempt); err != nil {
				return err
			}
			if err := t.do(removeLog, attempt); err != nil {
				return err
			}
			if err := t.do(removeRunLog, attempt); err != nil {
				return err
			}
		}
		return nil
	})
	return freed, err
}

// WornPacks returns up to limit packs that are to be looked at by now, each with the
// chunks that are wanted.
func (s *Store) WornPacks(ctx context.Context, now time.Time, limit int) ([]logbook.Worn, error) {
	packs, err := list(ctx, s.reader, packFields, listWornPacks, job.Millis(now), max(limit, 0))
	if err != nil {
		return nil, err
	}
	worn := make([]logbook.Worn, len(packs))
	for i, p := range packs {
		chunks, err := list(ctx, s.reader, chunkFields, listPackChunks, p.ID)
		if err != nil {
			return nil, err
		}
		worn[i] = logbook.Worn{Pack: p, Chunks: chunks}
	}
	return worn, nil
}

// ReplacePacks writes, in one transaction, a pack with chunks that were moved into
// it, and removes those of the old packs that have none left; the others need no
// look any more. It returns the names of those that were removed.
func (s *Store) ReplacePacks(ctx context.Context, pack logbook.Pack, moved []logbook.Moved, old []int64) ([]string, error) {
	var names []string
	err := s.writer.update(ctx, func(t *tx) (err error) {
		names = nil
		if pack.Name != "" {
			if err := t.moveChunks(&pack, moved); err != nil {
				return err
			}
		}
		for _, id := range slices.Clone(old) {
			name, err := t.settlePack(id)
			if err != nil {
				return err
			}
			if name != "" {
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return names, nil
}

// moveChunks writes a pack of chunks of others.
func (t *tx) moveChunks(pack *logbook.Pack, moved []logbook.Moved) (err error) {
	if pack.ID, err = t.reserve(sequencePacks, 1); err != nil {
		return err
	}
	pack.Live = 0
	for i := range moved {
		c := &moved[i].Chunk
		ok, err := t.one(moveChunk, pack.ID, c.Offset, c.Attempt, c.FirstLine, moved[i].From)
		if err != nil {
			return err
		}
		if ok {
			pack.Live += c.Size
		}
	}
	if pack.Live == 0 {
		return nil
	}
	return t.addPack(pack)
}

// settlePack removes a pack that has no chunks, and returns its name; it counts what
// another one has.
func (t *tx) settlePack(id int64) (string, error) {
	var name string
	var size int64
	empty, err := t.read(readEmptyPack, []any{id}, []any{(*text)(&name), (*integer)(&size)})
	if err != nil {
		return "", err
	}
	if !empty {
		err := t.do(settlePack, id)
		return "", err
	}
	if err := t.do(removePack, id); err != nil {
		return "", err
	}
	err = t.do(growTotal, -size)
	return name, err
}

// PackBytes returns the size of all packs together.
func (s *Store) PackBytes(ctx context.Context) (int64, error) {
	fields := func(n *int64) []any { return []any{(*integer)(n)} }
	n, _, err := first(ctx, s.reader, fields, readTotal)
	return n, err
}

// KnownPacks returns those of the names that packs have.
func (s *Store) KnownPacks(ctx context.Context, names []string) ([]string, error) {
	var known []string
	for _, name := range names {
		fields := func(n *string) []any { return []any{(*text)(n)} }
		found, ok, err := first(ctx, s.reader, fields, readPackName, name)
		if err != nil {
			return nil, err
		}
		if ok {
			known = append(known, found)
		}
	}
	return known, nil
}
