package sqlstore

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By the primary key of stats_deltas.
	listDeltas = `SELECT id, deltas FROM stats_deltas WHERE id > 0 AND version = ? ORDER BY id LIMIT ?`
	// By the primary key of stats_deltas: all rows, of which there are at most as many as
	// maxUnfolded for each server.
	readDeltas = `SELECT deltas FROM stats_deltas WHERE id > 0 AND version = ?`
	// By the primary key of stats_deltas.
	removeDeltas = `DELETE FROM stats_deltas WHERE id >= ? AND id <= ? AND version = ?`
)

const (
	// foldEvery is how long deltas wait to be folded, and foldAt the number of this server's
	// that are folded at once: the more there are of a job, the less each one costs.
	foldEvery = 10 * time.Second
	foldAt    = 50_000
	// foldRows, foldDeltas and foldSums bound the work of one transaction: it begins no
	// further row when it has so many deltas, or adds to so many rows of days.
	foldRows   = 1000
	foldDeltas = 50_000
	foldSums   = 4000
	// maxUnfolded is the number of this server's deltas from which on a transaction writes
	// none and adds to the statistics itself.
	maxUnfolded = 200_000
	// foldAgain is how long a server waits after a fold has failed.
	foldAgain = 10 * time.Second
)

// backlog counts the deltas that a server has written and not folded.
type backlog struct {
	unfolded atomic.Int64 // may count those that another server has folded
	// some has a token when there are any, and many from foldAt on.
	some, many chan struct{}
}

// newBacklog returns one that begins with a token: an earlier process may have left deltas.
func newBacklog() *backlog {
	b := &backlog{some: make(chan struct{}, 1), many: make(chan struct{}, 1)}
	signal(b.some)
	return b
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has a token
	}
}

// committed notes a transaction that has written so many deltas, after it had folded all
// those before when folded is set.
func (b *backlog) committed(deltas int, folded bool) {
	if folded {
		b.unfolded.Store(0)
	}
	if deltas == 0 {
		return
	}
	if n := b.unfolded.Add(int64(deltas)); n >= foldAt {
		signal(b.many)
	}
	signal(b.some)
}

// foldLoop folds deltas some time after they were written, until ctx ends. A server without
// any rests.
func (s *Store) foldLoop(ctx context.Context) {
	b, failing, wait := s.writer.deltas, false, time.NewTimer(foldEvery)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.some:
		}
		many := b.many
		wait.Reset(foldEvery)
		if failing {
			many = nil
			wait.Reset(foldAgain)
		}
		select {
		case <-ctx.Done():
			return
		case <-many:
		case <-wait.C:
		}
		err := s.foldAll(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return
		default:
			if !failing && !job.Is(err, job.Unavailable) { // the writer reports that one
				s.config.Logger.Error("what was counted is not added to the statistics; trying again", "error", err)
			}
			signal(b.some)
		}
		failing = err != nil
	}
}

// foldAll folds what there is, a transaction after the other.
func (s *Store) foldAll(ctx context.Context) error {
	for more := true; more; {
		var err error
		if _, more, err = s.FoldStats(ctx); err != nil {
			return err
		}
	}
	return nil
}

// FoldStats adds the oldest deltas to the rows of the statistics and removes them, in one
// transaction. It returns how many rows of deltas these were, and whether there may be
// more. The store calls it while it runs; servers of one database may do so at the same
// time.
func (s *Store) FoldStats(ctx context.Context) (rows int, more bool, err error) {
	damaged := 0
	err = s.writer.submit(ctx, func(t *tx) (err error) {
		rows, damaged, more, err = t.fold()
		return err
	})
	if err != nil {
		return 0, false, err
	}
	if damaged > 0 {
		s.config.Logger.Error("rows of stats_deltas could not be read and were removed: what they counted is missing in the statistics", "rows", damaged)
	}
	return rows, more, nil
}

// fold folds some deltas. Writers take turns, so no other writer adds or removes any at the
// same time.
func (t *tx) fold() (rows, damaged int, more bool, err error) {
	type row struct {
		id     int64
		deltas octets
	}
	all, first, last, counted, read := newSums(), int64(0), int64(0), 0, 0
	fields := func(r *row) []any { return []any{(*integer)(&r.id), &r.deltas} }
	err = readEach(t, fields, func(r *row) {
		read++
		if counted >= foldDeltas || len(all.days) >= foldSums {
			more = true
			return
		}
		deltas, err := decodeDeltas(r.deltas)
		if err != nil {
			damaged++
		}
		for i := range deltas {
			all.add(&deltas[i])
		}
		if rows == 0 {
			first = r.id
		}
		rows, last, counted = rows+1, r.id, counted+len(deltas)
	}, listDeltas, deltasVersion, foldRows)
	more = more || read == foldRows
	if err == nil && rows > 0 {
		if err = t.do(removeDeltas, first, last, deltasVersion); err == nil {
			err = t.addSums(all)
		}
	}
	t.folded = t.folded || err == nil && !more
	return rows, damaged, more, err
}

// eachUnfolded calls take with each delta that is in no row of the statistics yet. r is a
// snapshot, in which the rows are read too. Damaged rows are passed over, as they are when
// they are folded.
func eachUnfolded(ctx context.Context, r *reader, take func(d *delta)) error {
	fields := func(raw *octets) []any { return []any{raw} }
	return each(ctx, r, fields, func(raw *octets) {
		deltas, err := decodeDeltas(*raw)
		if err != nil {
			return
		}
		for i := range deltas {
			take(&deltas[i])
		}
	}, readDeltas, deltasVersion)
}
