package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/orthd/orth/job"
)

// List is how a database carries a statement out for many rows of arguments, in its own
// words. Which and Do have one placeholder, for a text in JSON: an array of the rows,
// each an array of its arguments.
type List struct {
	// Which is a query for the numbers of the rows that will take effect, from 1 on; empty
	// when all of them do. Do carries those out.
	Which, Do string
	// Many does the same as Do for [ManyRows] rows, whose arguments are its placeholders,
	// which is quicker to read than a text; empty when nobody knows how.
	Many string
}

// ManyRows is the number of rows of [List.Many].
const ManyRows = 100

// askFor is how many lists of a statement ask first which rows will take effect, after one
// of which some did not. Nearly all lists take effect as a whole, and the question costs as
// much as finding the rows once more.
const askFor = 50

// maxList bounds the text of one list, in bytes: what a database takes at once is
// limited. The rows of longer ones are carried out one by one.
const maxList = 4 << 20

// byList carries out rows with different keys by lists as far as the database knows how,
// the others one by one, and notes which of them took effect.
func (t *tx) byList(b *batch, rows [][]any, done []bool) error {
	if t.dialect.ByList == nil || len(rows) < 2 {
		return t.inTurn(b, rows, done)
	}
	list, known := t.dialect.ByList(b.query, b.kinds)
	if !known {
		return t.inTurn(b, rows, done)
	}
	for list.Many != "" && len(rows) >= ManyRows {
		if err := t.many(b, list.Many, rows[:ManyRows], done[:ManyRows]); err != nil {
			return err
		}
		rows, done = rows[ManyRows:], done[ManyRows:]
	}
	if len(rows) > 1 {
		if listed, err := t.listed(b, &list, rows, done); err != nil || listed {
			return err
		}
	}
	return t.inTurn(b, rows, done)
}

// many carries out rows whose arguments are those of one statement; one by one when there
// is a row that an INSERT leaves out, or when they are long.
func (t *tx) many(b *batch, text string, rows [][]any, done []bool) error {
	args, size := make([]any, 0, len(rows)*len(b.kinds)), 0
	for _, row := range rows {
		for _, arg := range row {
			if of, ok := arg.(string); ok {
				size += len(of)
			}
		}
		args = append(args, row...)
	}
	if size > maxList {
		return t.inTurn(b, rows, done)
	}
	if err := t.known(text); err != nil {
		return err
	}
	n, err := t.exec(text, args...)
	switch {
	case err != nil:
		return err
	case n == 0: // the first row that is there undoes the statement
		return t.inTurn(b, rows, done)
	}
	return t.allDone(b, n, done)
}

// allDone notes that all rows took effect, of which n were changed.
func (t *tx) allDone(b *batch, n int64, done []bool) error {
	if n != int64(len(done)) {
		t.failed = true
		return job.Errorf(job.Internal, "%s: %d rows were changed, not %d", startOf(b.query), n, len(done))
	}
	for i := range done {
		done[i] = true
	}
	return nil
}

// listed carries out rows by a list, and reports whether it did so: not when there is a
// row that an INSERT leaves out, or when they are long.
func (t *tx) listed(b *batch, list *List, rows [][]any, done []bool) (bool, error) {
	text, err := t.listOf(rows)
	if err != nil || len(text) > maxList {
		return false, err
	}
	if list.Which != "" {
		return t.asked(b, list, text, rows, done)
	}
	if err := t.known(list.Do); err != nil {
		return false, err
	}
	n, err := t.exec(list.Do, text)
	if err != nil || n == 0 { // the first row that is there undoes the statement
		return false, err
	}
	return true, t.allDone(b, n, done)
}

// asked carries out those rows of a list that take effect.
func (t *tx) asked(b *batch, list *List, text string, rows [][]any, done []bool) (bool, error) {
	if all, err := t.allAtOnce(b.query, list.Do, text, done); err != nil || all {
		return all, err
	}
	took, err := t.which(list.Which, text, rows, done)
	if err != nil || len(took) == 0 {
		return err == nil, err
	}
	if len(took) < len(rows) {
		if text, err = t.listOf(took); err != nil {
			return false, err
		}
	}
	if err := t.known(list.Do); err != nil {
		return false, err
	}
	n, err := t.exec(list.Do, text)
	if err != nil {
		return false, err
	}
	return true, t.allDone(b, n, make([]bool, len(took)))
}

// allAtOnce carries a list out and reports whether all of its rows took effect, which it
// notes. Otherwise it undoes what it did, and the next lists of the statement ask first.
func (t *tx) allAtOnce(query, do, text string, done []bool) (bool, error) {
	if t.asks[query] > 0 {
		t.asks[query]--
		return false, nil
	}
	if err := t.known(do); err != nil {
		return false, err
	}
	if _, err := t.exec("SAVEPOINT list"); err != nil {
		return false, err
	}
	n, err := t.exec(do, text)
	if err != nil {
		return false, err
	}
	if n == int64(len(done)) {
		for i := range done {
			done[i] = true
		}
		return true, nil
	}
	t.asks[query] = askFor
	t.changes -= n
	_, err = t.exec("ROLLBACK TO SAVEPOINT list")
	return false, err
}

// which notes and returns the rows that a query about a list names.
func (t *tx) which(query, list string, rows [][]any, done []bool) (took [][]any, err error) {
	if err := t.known(query); err != nil {
		return nil, err
	}
	found, err := t.statements[query].QueryContext(context.Background(), list)
	if err != nil {
		t.failed = true
		return nil, fmt.Errorf("%s: %w", startOf(query), err)
	}
	defer found.Close()
	for found.Next() {
		var n int
		if err = found.Scan(&n); err != nil {
			break
		}
		if n < 1 || n > len(rows) || done[n-1] {
			err = job.Errorf(job.Internal, "the database speaks of row %d of %d", n, len(rows))
			break
		}
		done[n-1] = true
		took = append(took, rows[n-1])
	}
	if err == nil {
		err = found.Err()
	}
	if err != nil {
		t.failed = true
		return nil, fmt.Errorf("%s: %w", startOf(query), err)
	}
	return took, nil
}

// known prepares a statement in the database's own words, once for each connection.
func (t *tx) known(text string) error {
	if _, ok := t.statements[text]; ok {
		return nil
	}
	_, err := t.prepare(text, text) //nolint:sqlclosecheck // The session closes it.
	return err
}

// listOf returns rows of arguments as a text in JSON.
func (t *tx) listOf(rows [][]any) (string, error) {
	clean := make([][]any, len(rows))
	for i, args := range rows {
		clean[i] = t.dialect.storable(args)
	}
	text, err := json.Marshal(clean)
	if err != nil {
		return "", job.Errorf(job.Internal, "write a list of arguments: %v", err)
	}
	return string(text), nil
}
