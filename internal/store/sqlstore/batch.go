package sqlstore

import (
	"fmt"
	"slices"

	"github.com/orthd/orth/job"
)

// batch is a statement that is executed for many rows of arguments, each of which changes,
// makes or removes its own rows.
type batch struct {
	query string
	// kinds holds the type of the arguments of each placeholder: i for numbers, t for
	// texts. Any of them may be nil.
	kinds string
	// key is the placeholder by which a row is found, or made: a number. Rows of arguments
	// that have it in common are carried out one after another.
	key int
}

// threeNumbers are the kinds of many statements.
const threeNumbers = "iii"

// maxRows bounds the rows of one statement.
const maxRows = 1000

// each executes the statement for the rows of arguments, in their order, and reports for
// each whether it changed something.
func (t *tx) each(b *batch, rows [][]any) ([]bool, error) {
	done := make([]bool, len(rows))
	if t.dialect.AtOnce == nil && t.dialect.ByList == nil || len(rows) == 1 {
		return done, t.inTurn(b, rows, done)
	}
	for from := 0; from < len(rows); {
		places, err := b.places(rows[from:])
		if err != nil {
			return nil, err
		}
		to := from + len(places)
		if t.dialect.AtOnce != nil {
			err = t.atOnce(b, rows[from:to], places, done[from:to])
		} else {
			err = t.byList(b, rows[from:to], done[from:to])
		}
		if err != nil {
			t.failed = true
			return nil, err
		}
		from = to
	}
	return done, nil
}

// doAll is each for rows whose effects the caller does not need.
func (t *tx) doAll(b *batch, rows [][]any) error {
	if t.dialect.Expects == nil || t.audited {
		_, err := t.each(b, rows)
		return err
	}
	for from := 0; from < len(rows); {
		places, err := b.places(rows[from:])
		if err != nil {
			return err
		}
		part := rows[from : from+len(places)]
		if from += len(places); len(part) == 1 {
			err = t.do(b.query, part[0]...)
		} else {
			err = t.postAll(b, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// postAll queues one statement for rows with different keys.
func (t *tx) postAll(b *batch, rows [][]any) error {
	args, err := b.columns(t.dialect, rows)
	if err != nil {
		return err
	}
	statement, err := t.preparedAtOnce(b, "at once: ", t.dialect.AtOnce)
	if err != nil {
		return err
	}
	return t.post(statement.(Poster), b.query, args)
}

// inTurn carries the rows out one by one.
func (t *tx) inTurn(b *batch, rows [][]any, done []bool) error {
	if len(rows) == 0 {
		return nil
	}
	if len(rows) == 1 && t.assumes(b.query) {
		done[0] = true
		return t.expectOne(b.query, rows[0])
	}
	statement, err := t.prepared(b.query)
	if err != nil {
		return err
	}
	for i, args := range rows {
		n, err := t.run(statement, b.query, b.query, args)
		if err != nil {
			return err
		}
		if done[i] = n > 0; !done[i] {
			t.missed(b.query)
		}
	}
	return nil
}

// places returns where keys stand in the rows, of as many rows from the first on as have
// different ones.
func (b *batch) places(rows [][]any) (map[int64]int, error) {
	places := make(map[int64]int, len(rows))
	for i, args := range rows[:min(len(rows), maxRows)] {
		if len(args) != len(b.kinds) {
			return nil, job.Errorf(job.Internal, "%s: %d arguments for %q", startOf(b.query), len(args), b.kinds)
		}
		key, ok := wholeNumber(args[b.key])
		if !ok {
			return nil, job.Errorf(job.Internal, "%s: the key is a %T", startOf(b.query), args[b.key])
		}
		if _, twice := places[key]; twice {
			break
		}
		places[key] = i
	}
	return places, nil
}

// atOnce carries out the rows by one statement, and notes which of them took effect.
func (t *tx) atOnce(b *batch, rows [][]any, places map[int64]int, done []bool) error {
	args, err := b.columns(t.dialect, rows)
	if err != nil {
		return err
	}
	if t.assumes(b.query) {
		for i := range done {
			done[i] = true
		}
		return t.expectAll(b, args)
	}
	statement, err := t.preparedAtOnce(b, "at once: ", t.dialect.AtOnce)
	if err != nil {
		return err
	}
	took, err := statement.Query(args)
	if err != nil {
		return t.fails(startOf(b.query), err)
	}
	defer func() { _ = took.Close() }() // Err has what went wrong
	for took.Next() {
		var key int64
		if err := took.Scan(&key); err != nil {
			return fmt.Errorf("%s: %w", startOf(b.query), err)
		}
		place, known := places[key]
		if !known {
			return job.Errorf(job.Internal, "%s: the database returned the key %d, which was not requested", startOf(b.query), key)
		}
		done[place] = true
		t.changes++
	}
	if err := took.Err(); err != nil {
		return fmt.Errorf("%s: %w", startOf(b.query), err)
	}
	if slices.Contains(done, false) {
		t.missed(b.query)
	}
	return nil
}

// preparedAtOnce returns the statement that takes arrays as write writes it, prepared once
// for each connection. kind distinguishes it from other statements of the same batch.
func (t *tx) preparedAtOnce(b *batch, kind string, write func(query, kinds string, key int) (string, error)) (Statement, error) {
	name := kind + b.query
	if statement, ok := t.statements[name]; ok {
		return statement, nil
	}
	text, err := write(b.query, b.kinds, b.key)
	if err != nil {
		return nil, err
	}
	return t.prepare(name, text)
}

// columns returns the arguments turned over: an array for each placeholder.
func (b *batch) columns(d *Dialect, rows [][]any) ([]any, error) {
	args := make([]any, len(b.kinds))
	for c, kind := range b.kinds {
		var err error
		if kind == 't' {
			args[c], err = column(rows, c, func(given any) (string, bool) {
				text, ok := given.(string)
				if ok && d.Text != nil {
					text = d.Text(text)
				}
				return text, ok
			})
		} else {
			args[c], err = column(rows, c, wholeNumber)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", startOf(b.query), err)
		}
	}
	return args, nil
}

func wholeNumber(given any) (int64, bool) {
	switch n := given.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	}
	return 0, false
}

// column returns the values of one placeholder: []T or, when one of them is nil, []*T.
func column[T any](rows [][]any, c int, of func(any) (T, bool)) (any, error) {
	values := make([]T, len(rows))
	var some []*T // nil while there is no nil
	for i, args := range rows {
		if args[c] == nil {
			if some == nil {
				some = make([]*T, len(rows))
				for before := range i {
					some[before] = &values[before]
				}
			}
			continue
		}
		var ok bool
		if values[i], ok = of(args[c]); !ok {
			return nil, job.Errorf(job.Internal, "argument %d is a %T", c+1, args[c])
		}
		if some != nil {
			some[i] = &values[i]
		}
	}
	if some != nil {
		return some, nil
	}
	return values, nil
}
