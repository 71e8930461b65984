package sqlstore

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

const (
	insertRevision = `INSERT INTO job_revisions (job_id, number, saved_at, recoded, deleted, code, digest, by_kind, by_name,
		operation, note, changed, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertCode = `INSERT INTO job_codes (job_id, number, source) VALUES (?, ?, ?)`
	// By job_revisions' primary key, its last entry.
	readLastRevision = `SELECT number, code, digest, document FROM job_revisions WHERE job_id = ? ORDER BY number DESC LIMIT 1`
	// By jobs' primary key, and those of fromJobs.
	readSavedJob = `SELECT ` + jobColumns + fromJobs + `WHERE j.id = ?`

	revisionColumns = `r.job_id, r.number, r.saved_at, r.by_kind, r.by_name, r.operation, r.note, r.changed, r.recoded, r.deleted`
	// By job_revisions' primary key, backwards.
	listRevisions = `SELECT ` + revisionColumns + ` FROM job_revisions r WHERE r.job_id = ? AND r.number < ? ORDER BY r.number DESC LIMIT ?`
	// By job_revisions_code, backwards.
	listRecoded = `SELECT ` + revisionColumns + ` FROM job_revisions r
		WHERE r.job_id = ? AND r.recoded > 0 AND r.number < ? ORDER BY r.number DESC LIMIT ?`
	// By the primary keys of job_revisions and job_codes.
	readRevision = `SELECT ` + revisionColumns + `, r.document, c.source FROM job_revisions r
		LEFT JOIN job_codes c ON c.job_id = r.job_id AND c.number = r.code WHERE r.job_id = ? AND r.number = ?`
	// By jobs_key.
	readJobID = `SELECT id FROM jobs WHERE namespace = ? AND job_key = ? AND tombstone = 0`
	// By jobs_buried_key, backwards, and job_revisions' primary key.
	readBuriedID = `SELECT id FROM jobs WHERE namespace = ? AND job_key = ? AND tombstone > 0
		AND EXISTS (SELECT 1 FROM job_revisions r WHERE r.job_id = jobs.id) ORDER BY tombstone DESC LIMIT 1`
)

// Revisions returns the revisions of a query, the newest first.
func (s *Store) Revisions(ctx context.Context, q jobrows.RevisionQuery) ([]job.Revision, error) {
	before, query := q.Before, listRevisions
	if before <= 0 {
		before = math.MaxInt64
	}
	if q.Recoded {
		query = listRecoded
	}
	return list(ctx, s.reader, revisionFields, query, q.JobID, before, page(q.Limit))
}

// Revision returns a revision of a job with what was saved, or NotFound.
func (s *Store) Revision(ctx context.Context, jobID, number int64) (job.Revision, error) {
	type row struct {
		job.Revision
		source string
	}
	fields := func(r *row) []any {
		return append(revisionFields(&r.Revision), document[job.Job]{&r.Job}, (*inflated)(&r.source))
	}
	r, found, err := first(ctx, s.reader, fields, readRevision, jobID, number)
	if err == nil && !found {
		err = noRevision(number)
	}
	r.Job.Handler.Source = r.source
	return r.Revision, err
}

// JobIDOf returns the job that has the key, or else the last one deleted that had it
// and whose revisions are still kept, or NotFound.
func (s *Store) JobIDOf(ctx context.Context, namespace, key string) (id int64, deleted bool, err error) {
	fields := func(id *int64) []any { return []any{(*integer)(id)} }
	for _, query := range [...]string{readJobID, readBuriedID} {
		var found bool
		if id, found, err = first(ctx, s.reader, fields, query, namespace, key); err != nil || found {
			return id, deleted, err
		}
		deleted = true
	}
	return 0, false, job.Errorf(job.NotFound, "job %s does not exist in namespace %s", key, namespace)
}

func noRevision(number int64) error {
	wrong := job.Errorf(job.NotFound, "the job has no revision %d", number)
	wrong.Hint = "'orth job history' lists those that are kept"
	return wrong
}

func revisionFields(r *job.Revision) []any {
	return []any{
		(*integer)(&r.JobID), (*integer)(&r.Number), (*instant)(&r.At), (*text)(&r.By.Kind), (*text)(&r.By.Name),
		(*text)(&r.Operation), (*text)(&r.Note),
		document[[]string]{&r.Changed},
		(*truth)(&r.Recoded), (*truth)(&r.Deleted),
	}
}

// revision is a revision as it is stored: its Job is without the source.
type revision struct {
	job.Revision
	digest string // of the source
	code   int64  // the revision that brought the source
}

// baseline keeps a job as it stands, if it was never kept because it is older than
// revisions. It comes before the job is changed.
func (t *tx) baseline(id int64) error {
	last, err := t.lastRevision(id)
	if err != nil || last != nil {
		return err
	}
	var j job.Job
	found, err := t.read(readSavedJob, []any{id}, jobFields(&j))
	if err != nil || !found {
		return err
	}
	return t.keepRevision(&revision{Revision: job.Revision{
		JobID: id, Number: j.Version, At: j.UpdatedAt, By: job.Author{Kind: job.AuthorServer}, Job: j.Written(),
	}}, nil)
}

// revise stores the job as it was saved, in the transaction that saves it. enabled is
// whether it was before: the server may have disabled it, which no revision records.
func (t *tx) revise(ctx context.Context, j job.Job, enabled, deleted bool) error {
	last, err := t.lastRevision(j.ID)
	if err != nil {
		return err
	}
	if last != nil {
		last.Job.Enabled = enabled
	}
	r := revision{Revision: job.Revision{
		JobID: j.ID, Number: j.Version, At: j.UpdatedAt, By: authorOf(ctx), Deleted: deleted, Job: j.Written(),
	}}
	if i := intent.Of(ctx); i != nil {
		r.Operation, r.Note = i.Operation, i.Note
	}
	if err := t.keepRevision(&r, last); err != nil {
		return err
	}
	return t.pruneRevisions(j.ID, j.UpdatedAt)
}

// authorOf returns the author of the request.
func authorOf(ctx context.Context) job.Author {
	caller := intent.Caller(ctx)
	if caller.Kind == "" {
		return job.Author{Kind: job.AuthorServer}
	}
	return job.Author{Kind: string(caller.Kind), Name: caller.Name}
}

// lastRevision returns the newest revision of a job, nil when there is none.
func (t *tx) lastRevision(id int64) (*revision, error) {
	var r revision
	found, err := t.read(readLastRevision, []any{id}, []any{&r.Number, &r.code, &r.digest, document[job.Job]{&r.Job}})
	if err != nil || !found {
		return nil, err
	}
	return &r, nil
}

// keepRevision writes a revision; last is the one before, nil for none.
func (t *tx) keepRevision(r, last *revision) error {
	source := r.Job.Handler.Source
	r.Job.Handler.Source, r.Recoded = "", true
	if source != "" {
		sum := sha256.Sum256([]byte(source))
		r.digest, r.code = hex.EncodeToString(sum[:]), r.Number
	}
	r.Changed = []string{}
	if last != nil {
		if err := r.compare(last); err != nil {
			return err
		}
	}
	if r.code == r.Number {
		packed, err := deflate(source)
		if err != nil {
			return err
		}
		if err := t.do(insertCode, r.JobID, r.Number, packed); err != nil {
			return err
		}
	}
	changed, err := encode(r.Changed)
	if err != nil {
		return err
	}
	whole, err := encode(r.Job)
	if err != nil {
		return err
	}
	return t.do(insertRevision, r.JobID, r.Number, job.Millis(r.At), bit(r.Recoded), bit(r.Deleted), r.code, r.digest,
		r.By.Kind, r.By.Name, r.Operation, r.Note, changed, whole)
}

// compare records the differences from the revision before. A source that is the same is
// stored once.
func (r *revision) compare(last *revision) error {
	changed, err := job.ChangedFields(&last.Job, &r.Job)
	if err != nil {
		return err
	}
	rewritten := r.digest != last.digest
	if rewritten && !slices.Contains(changed, "handler") {
		changed = append(changed, "handler")
		slices.Sort(changed)
	}
	if !rewritten {
		r.code = last.code
	}
	r.Changed, r.Recoded = changed, rewritten || !job.SameCode(&last.Job, &r.Job)
	return nil
}

// deflate compresses a source.
func deflate(source string) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = io.WriteString(w, source)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("compress a source: %w", err)
	}
	return out.Bytes(), nil
}

// inflated receives what deflate has made; NULL becomes the empty text.
type inflated string

// Scan implements sql.Scanner. A source is never larger than a job can have.
func (i *inflated) Scan(src any) error {
	if src == nil {
		*i = ""
		return nil
	}
	packed, isBytes := src.([]byte)
	if !isBytes {
		return fmt.Errorf("column holds a %T, not bytes", src)
	}
	source, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), job.MaxSource+1))
	if err == nil && len(source) > job.MaxSource {
		err = fmt.Errorf("it is larger than %d bytes", job.MaxSource)
	}
	if err != nil {
		return fmt.Errorf("column holds no source: %w", err)
	}
	*i = inflated(source)
	return nil
}
