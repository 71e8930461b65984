package sqlstore

import (
	"slices"

	"github.com/orthd/orth/job"
)

// Spans is a table of the spans of ids in which jobs have runs. It is for a database that writes
// each page that a transaction touches as a whole: in an index by job and id the newest
// entries of all jobs lie in a page each.
type Spans struct {
	// Bits is how many bits the ids of a span have of their own.
	Bits int
	// Add notes that a job has runs in a span, and does nothing where that is noted.
	Add string
	// Remove forgets the spans of a job from one to another in which it has no runs.
	Remove string
}

// By runs' primary key.
const listJobsOfRuns = `SELECT job_id, id FROM runs WHERE id IN (%s)`

// maxKnownSpans is of how many jobs the writer knows a span.
const maxKnownSpans = 100_000

// jobSpan is a span in which a job has runs.
type jobSpan struct{ job, span int64 }

// spans is what the writer knows of the table.
type spans struct {
	// known has a span of a job that is noted for certain.
	known map[int64]int64
	// fresh are the spans of runs that the transaction has written, but for the known ones, and left are
	// jobs of which it may have removed some.
	fresh []jobSpan
	left  []int64
}

// spanned notes where a run was written.
func (t *tx) spanned(r *job.Run) {
	if t.dialect.Spans == nil {
		return
	}
	of := jobSpan{r.JobID, r.ID >> t.dialect.Spans.Bits}
	if span, ok := t.spans.known[of.job]; !ok || span != of.span {
		t.spans.fresh = append(t.spans.fresh, of)
	}
}

// addSpans writes the fresh spans from one on. An operation that follows in the same transaction
// may list the runs.
func (t *tx) addSpans(from int) error {
	for _, of := range t.spans.fresh[from:] {
		if err := t.do(t.dialect.Spans.Add, of.job, of.span); err != nil {
			return err
		}
	}
	return nil
}

// committed takes over what the transaction has written.
func (s *spans) committed() {
	if len(s.known)+len(s.fresh) > maxKnownSpans {
		clear(s.known)
	}
	for _, of := range s.fresh {
		s.known[of.job] = of.span
	}
	for _, id := range s.left {
		delete(s.known, id)
	}
}

// spansOf returns the first and the last span of runs by job.
func (t *tx) spansOf(runs []int64) (map[int64][2]int64, error) {
	if t.dialect.Spans == nil {
		return nil, nil
	}
	of := make(map[int64][2]int64)
	type row struct{ job, run int64 }
	fields := func(r *row) []any { return []any{(*integer)(&r.job), (*integer)(&r.run)} }
	take := func(r *row) {
		span := r.run >> t.dialect.Spans.Bits
		bounds, ok := of[r.job]
		if !ok {
			bounds = [2]int64{span, span}
		}
		of[r.job] = [2]int64{min(bounds[0], span), max(bounds[1], span)}
	}
	for chunk := range slices.Chunk(runs, maxWide) {
		args := sized(chunk)
		if err := readEach(t, fields, take, in(listJobsOfRuns, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// leaveSpans removes those of the spans in which the jobs have no runs any more.
func (t *tx) leaveSpans(of map[int64][2]int64) error {
	for id, bounds := range of {
		delete(t.spans.known, id)
		t.spans.left = append(t.spans.left, id)
		if err := t.do(t.dialect.Spans.Remove, id, bounds[0], bounds[1]); err != nil {
			return err
		}
	}
	return nil
}
