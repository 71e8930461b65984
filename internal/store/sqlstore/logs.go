package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	logColumns = `l.attempt_id, l.run_id, l.job_id, l.group_id, l.address, l.triggered_at, l.ended_at, l.state, l.lines,
		l.bytes, l.note, COALESCE(l.whole_text, '')`
	// By run_logs' primary key.
	listLogs = `SELECT ` + logColumns + ` FROM run_logs l WHERE l.attempt_id IN (%s)`
	// By run_logs_job, backwards.
	listJobLogs = `SELECT ` + logColumns + ` FROM run_logs l WHERE l.job_id = ? AND l.attempt_id < ?
		ORDER BY l.attempt_id DESC LIMIT ?`
	// Of logs in the rows of runs, each of which has one attempt.
	runLogColumns = `r.id AS attempt_id, r.id AS run_id, r.job_id, r.group_id, r.address, r.triggered_at, r.ended_at, 'whole', 0, 0, '', r.log_text FROM runs r`
	// By runs' primary key.
	listRunLogs = `SELECT ` + runLogColumns + ` WHERE r.id IN (%s) AND r.log_text IS NOT NULL`
	// By runs_job, backwards.
	listJobRunLogs = `SELECT ` + runLogColumns + ` WHERE r.job_id = ? AND r.id < ? AND r.log_text IS NOT NULL ORDER BY r.id DESC LIMIT ?`
	// By runs' primary key.
	listWholeOfRuns = `SELECT id FROM runs WHERE id IN (%s) AND log_text IS NOT NULL`

	chunkColumns = `c.attempt_id, c.first_line, c.lines, c.first_at, c.last_at, c.raw, c.pack_id, c.pos, c.size`
	// By log_chunks' primary key, in its order, from the chunk that has the line.
	listChunks = `SELECT ` + chunkColumns + ` FROM log_chunks c WHERE c.attempt_id = ? AND c.first_line >=
		COALESCE((SELECT MAX(b.first_line) FROM log_chunks b WHERE b.attempt_id = ? AND b.first_line <= ?), 0)
		AND c.first_line + c.lines > ? ORDER BY c.first_line LIMIT ?`
	// By log_chunks' primary key, in its order; the earlier ones of the log are
	// passed over.
	readChunkAt = `SELECT ` + chunkColumns + ` FROM log_chunks c WHERE c.attempt_id = ? AND c.last_at >= ?
		ORDER BY c.first_line LIMIT 1`
	// By log_packs' primary key.
	listPacks = `SELECT p.id, p.name, p.size, p.live, p.created_at FROM log_packs p WHERE p.id IN (%s)`

	insertLog = `INSERT INTO run_logs (attempt_id, run_id, job_id, group_id, address, triggered_at, ended_at, look_at,
		expires_at, lines, bytes, state, note, whole_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By run_logs' primary key. The debt of a log whose end the writer has not seen is
	// kept.
	keepLog = `UPDATE run_logs SET lines = ?, bytes = ?, state = ?, note = ?, expires_at = ?,
		ended_at = COALESCE(ended_at, ?),
		look_at = CASE WHEN ? = 1 THEN ? WHEN ? = 'open' THEN look_at ELSE NULL END
		WHERE attempt_id = ? AND lines = ? AND state = 'open'`
	insertChunk = `INSERT INTO log_chunks (attempt_id, first_line, lines, first_at, last_at, raw, pack_id, pos, size)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertPack = `INSERT INTO log_packs (id, name, size, live, created_at, check_at) VALUES (?, ?, ?, ?, ?, ?)`
	// By log_total's primary key.
	growTotal = `UPDATE log_total SET bytes = bytes + ? WHERE id = 1`
)

// The statements that are carried out for many at once.
var (
	keepLogs     = batch{query: keepLog, kinds: "iittiiiitii", key: 9}
	insertChunks = batch{query: insertChunk, kinds: "iiiiiiiii"}
)

// Logs returns what is known of the logs of attempts, in no order.
func (s *Store) Logs(ctx context.Context, attempts []int64) ([]logbook.Log, error) {
	rows, err := ofIDs(ctx, s, logFields, listLogs, attempts)
	if err != nil {
		return nil, err
	}
	whole, err := ofIDs(ctx, s, logFields, listRunLogs, attempts)
	if err != nil {
		return nil, err
	}
	return oneEach(measured(whole), rows), nil
}

// measured completes logs that were read from the rows of their runs.
func measured(logs []logbook.Log) []logbook.Log {
	for i := range logs {
		l := &logs[i]
		l.Lines, l.Bytes = strings.Count(l.Text, "\n"), int64(len(l.Text))
	}
	return logs
}

// oneEach returns the logs in the rows of runs and those of others: a log that was begun and came
// with the outcome then is in both places.
func oneEach(whole, others []logbook.Log) []logbook.Log {
	seen := make(map[int64]bool, len(whole))
	for i := range whole {
		seen[whole[i].Attempt] = true
	}
	return append(whole, slices.DeleteFunc(others, func(l logbook.Log) bool { return seen[l.Attempt] })...)
}

// LogsOfJob returns up to limit logs of a job with attempts below before, all when
// that is 0, the newest first.
func (s *Store) LogsOfJob(ctx context.Context, jobID, before int64, limit int) ([]logbook.Log, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	limit = page(limit)
	rows, err := list(ctx, s.reader, logFields, listJobLogs, jobID, before, limit)
	if err != nil {
		return nil, err
	}
	whole, err := list(ctx, s.reader, logFields, listJobRunLogs, jobID, before, limit)
	if err != nil {
		return nil, err
	}
	logs := oneEach(measured(whole), rows)
	slices.SortFunc(logs, func(a, b logbook.Log) int { return cmp.Compare(b.Attempt, a.Attempt) })
	return logs[:min(len(logs), limit)], nil
}

// Chunks returns up to limit chunks of a log in order, beginning with the one that
// has fromLine.
func (s *Store) Chunks(ctx context.Context, attempt int64, fromLine, limit int) ([]logbook.Chunk, error) {
	return list(ctx, s.reader, chunkFields, listChunks, attempt, attempt, fromLine, fromLine, page(limit))
}

// ChunkAt returns the first chunk of a log whose last line came not before at.
func (s *Store) ChunkAt(ctx context.Context, attempt int64, at time.Time) (logbook.Chunk, bool, error) {
	return first(ctx, s.reader, chunkFields, readChunkAt, attempt, job.Millis(at))
}

// Packs returns the packs with these ids, in no order.
func (s *Store) Packs(ctx context.Context, ids []int64) ([]logbook.Pack, error) {
	return ofIDs(ctx, s, packFields, listPacks, ids)
}

// ofIDs returns the rows of a query that has a list of ids.
func ofIDs[T any](ctx context.Context, s *Store, fields func(*T) []any, query string, ids []int64) ([]T, error) {
	var all []T
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, fields, func(row *T) { all = append(all, *row) }, in(query, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// KeepLogs writes, in one transaction, a pack and its parts of each log, and reports for
// each whether it took effect: the log must have the lines that it had when the writer read
// it, and be open. The pack is written when it has a name and something took effect.
func (s *Store) KeepLogs(ctx context.Context, pack logbook.Pack, kept []logbook.Kept) ([]bool, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	done := make([]bool, len(kept))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		clear(done)
		if pack.Name != "" {
			if pack.ID, err = t.reserve(sequencePacks, 1); err != nil {
				return err
			}
		}
		pack.Live = 0
		if err := s.keepAll(t, kept, done); err != nil {
			return err
		}
		var chunks [][]any
		for i := range kept {
			for j := range kept[i].Chunks {
				if c := &kept[i].Chunks[j]; done[i] {
					c.Pack = pack.ID
					pack.Live += c.Size
					chunks = append(chunks, chunkArgs(c))
				}
			}
		}
		if err := t.doAll(&insertChunks, chunks); err != nil {
			return err
		}
		if pack.Live == 0 {
			return nil
		}
		return t.addPack(&pack)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// thinPack is the size below which a pack is put together with others of its day,
// when that is over.
const thinPack = 64 << 10

// addPack writes the row of a pack.
func (t *tx) addPack(p *logbook.Pack) error {
	var check any
	if p.Size < thinPack || p.Live*10 < p.Size*3 {
		check = job.Millis(p.CreatedAt.UTC().Truncate(24 * time.Hour).Add(25 * time.Hour))
	}
	if err := t.do(insertPack, p.ID, p.Name, p.Size, p.Live, job.Millis(p.CreatedAt), check); err != nil {
		return err
	}
	return t.do(growTotal, p.Size)
}

// keepAll writes the rows of logs, and reports for each whether it was as the writer knew
// it.
func (s *Store) keepAll(t *tx, kept []logbook.Kept, done []bool) error {
	rows := make([][]any, len(kept))
	for i := range kept {
		k := &kept[i]
		l, ended := &k.Log, !k.Log.EndedAt.IsZero()
		rows[i] = []any{
			l.Lines, l.Bytes, string(l.State), clean(l.Note), nullable(k.ExpiresAt), nullable(l.EndedAt), bit(ended), lookAt(k),
			string(l.State), l.Attempt, k.Had,
		}
	}
	there, err := t.each(&keepLogs, rows)
	if err != nil {
		return err
	}
	copy(done, there)
	whole, err := t.wholeOfRuns(kept, done)
	if err != nil {
		return err
	}
	var fresh [][]any
	var of []int
	for i := range kept {
		k := &kept[i]
		if l := &k.Log; !done[i] && k.Had == 0 && !whole[l.Attempt] {
			of = append(of, i)
			fresh = append(fresh, []any{
				l.Attempt, l.Run, l.Job, l.Group, l.Address, job.Millis(l.TriggeredAt), nullable(l.EndedAt), lookAt(k),
				nullable(k.ExpiresAt), l.Lines, l.Bytes, string(l.State), clean(l.Note), nil,
			})
		}
	}
	made, err := t.each(&s.insertLogsOnce, fresh)
	if err != nil {
		return err
	}
	for n, i := range of {
		done[i] = made[n]
	}
	return nil
}

// wholeOfRuns returns which of the logs that do not exist yet have come with the outcomes
// of their attempts since.
func (t *tx) wholeOfRuns(kept []logbook.Kept, done []bool) (map[int64]bool, error) {
	var attempts []int64
	for i := range kept {
		if !done[i] && kept[i].Had == 0 {
			attempts = append(attempts, kept[i].Log.Attempt)
		}
	}
	whole := make(map[int64]bool)
	for ids := range slices.Chunk(attempts, maxWide) {
		args := sized(ids)
		err := readEach(t, oneInteger, func(id *int64) { whole[*id] = true }, in(listWholeOfRuns, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// lookAt returns when a log that is kept is looked at next: nil unless it is owed more.
func lookAt(k *logbook.Kept) any {
	if k.Log.State != logbook.Open || k.Log.EndedAt.IsZero() {
		return nil
	}
	return nullable(k.LookAt)
}

func chunkArgs(c *logbook.Chunk) []any {
	return []any{
		c.Attempt, c.FirstLine, c.Lines, job.Millis(c.FirstAt), job.Millis(c.LastAt), c.Raw, c.Pack, c.Offset, c.Size,
	}
}

func logFields(l *logbook.Log) []any {
	return []any{
		(*integer)(&l.Attempt), (*integer)(&l.Run), (*integer)(&l.Job), (*integer)(&l.Group), (*text)(&l.Address),
		(*instant)(&l.TriggeredAt), (*instant)(&l.EndedAt), (*text)(&l.State), (*count)(&l.Lines), (*integer)(&l.Bytes),
		(*text)(&l.Note), (*text)(&l.Text),
	}
}

func chunkFields(c *logbook.Chunk) []any {
	return []any{
		(*integer)(&c.Attempt), (*count)(&c.FirstLine), (*count)(&c.Lines), (*instant)(&c.FirstAt), (*instant)(&c.LastAt),
		(*count)(&c.Raw), (*integer)(&c.Pack), (*integer)(&c.Offset), (*integer)(&c.Size),
	}
}

func packFields(p *logbook.Pack) []any {
	return []any{
		(*integer)(&p.ID), (*text)(&p.Name), (*integer)(&p.Size), (*integer)(&p.Live), (*instant)(&p.CreatedAt),
	}
}
