package sqlstore

import (
	"math"
	"time"
)

// keptRevisions is how many revisions of a job are kept however old they are, and
// deletedKeptFor how long those of a job that was deleted are.
const (
	keptRevisions  = 100
	deletedKeptFor = 30 * 24 * time.Hour
)

const (
	// By job_revisions' primary key, backwards: the first one that is one too many.
	readSpareRevision = `SELECT number FROM job_revisions WHERE job_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?`
	// By job_revisions' primary key.
	pruneRevisions = `DELETE FROM job_revisions WHERE job_id = ? AND number <= ? AND saved_at < ?`
	// By job_revisions' primary key.
	readFirstCode = `SELECT MIN(code) FROM job_revisions WHERE job_id = ? AND code > 0`
	// By job_codes' primary key.
	pruneCodes = `DELETE FROM job_codes WHERE job_id = ? AND number < ?`
	// By job_revisions_deleted, its first entry.
	readLongDeleted = `SELECT job_id FROM job_revisions WHERE deleted > 0 AND saved_at < ? ORDER BY saved_at LIMIT 1`
)

// pruneRevisions removes what is too much of a job: what is old behind the newest
// ones, and what stands behind the most that are kept at all. It also removes the
// revisions of one job that was deleted long ago.
func (t *tx) pruneRevisions(id int64, now time.Time) error {
	old := now.Add(-t.limits.RevisionsFor).UnixMilli()
	if err := t.dropRevisions(id, min(keptRevisions, t.limits.Revisions), old); err != nil {
		return err
	}
	if err := t.dropRevisions(id, t.limits.Revisions, math.MaxInt64); err != nil {
		return err
	}
	var gone int64
	found, err := t.read(readLongDeleted, []any{now.Add(-deletedKeptFor).UnixMilli()}, []any{&gone})
	if err != nil || !found {
		return err
	}
	return t.dropRevisions(gone, 0, math.MaxInt64)
}

// dropRevisions removes the revisions of a job that were saved before an instant, but
// for the newest ones, and the sources that no other has.
func (t *tx) dropRevisions(id int64, keep int, before int64) error {
	var spare int64
	found, err := t.read(readSpareRevision, []any{id, keep}, []any{&spare})
	if err != nil || !found {
		return err
	}
	n, err := t.exec(pruneRevisions, id, spare, before)
	if err != nil || n == 0 {
		return err
	}
	var first int64
	if _, err := t.read(readFirstCode, []any{id}, []any{(*integer)(&first)}); err != nil {
		return err
	}
	if first == 0 {
		first = math.MaxInt64
	}
	return t.do(pruneCodes, id, first)
}
