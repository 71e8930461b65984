package sqlstore

import (
	"encoding/json"

	"github.com/orthd/orth/job"
)

// List is how a database carries a statement out for many rows of arguments, in its own
// words. Which and Do have one placeholder, for a text in JSON: an array of the rows,
// each an array of its arguments.
type List struct {
	// Which is a query for the numbers of the rows that will take effect, from 1 on; empty
	// when all of them do. Do carries those out. Both are empty when there is Values alone.
	Which, Do string
	// Many does the same as Do for [ManyRows] rows, whose arguments are its placeholders,
	// which is quicker to read than a text; empty when there is no such statement.
	Many string
	// Values returns a statement that does the same as Do for a number of rows with
	// different keys, whose arguments are its placeholders: each placeholder of the
	// statement is replaced as its [Place] describes. It is empty when it cannot carry out
	// these rows, and Values nil when it can carry out none. WhichValues is the query for
	// the keys of the rows that will take effect, with the placeholders from Where on,
	// counted from 0.
	Values, WhichValues func(rows int, places []Place) string
	Where               int
}

// Place is what stands in the place of a placeholder when a statement is carried out for
// many rows at once.
type Place byte

// The places. Keys are in ascending order, and values in the order of their keys.
const (
	// PlaceKeys: the key is one of these, a placeholder for each row.
	PlaceKeys Place = iota
	// PlaceKey: each row has its key there. No placeholder.
	PlaceKey
	// PlaceSame: all rows have the same there. One placeholder.
	PlaceSame
	// PlaceOwn: each row has its own. The keys of all rows, then their values.
	PlaceOwn
)

// ManyRows is the number of rows of [List.Many].
const ManyRows = 100

// maxList bounds the texts of one list, in bytes: what a database takes at once is
// limited. The rows of longer ones are carried out one by one.
const maxList = 4 << 20

// byList carries out rows with different keys by lists as far as the database knows how,
// the others one by one, and notes which of them took effect.
func (t *tx) byList(b *batch, rows [][]any, done []bool) error {
	if t.dialect.ByList == nil || len(rows) < 2 {
		return t.inTurn(b, rows, done)
	}
	list, known := t.dialect.ByList(b.query, b.kinds, b.key)
	if !known {
		return t.inTurn(b, rows, done)
	}
	for list.Many != "" && len(rows) >= ManyRows {
		if err := t.many(b, list.Many, rows[:ManyRows], done[:ManyRows]); err != nil {
			return err
		}
		rows, done = rows[ManyRows:], done[ManyRows:]
	}
	if list.Values != nil {
		for len(rows) > maxValues {
			if err := t.part(b, &list, rows[:maxValues], done[:maxValues]); err != nil {
				return err
			}
			rows, done = rows[maxValues:], done[maxValues:]
		}
	}
	return t.part(b, &list, rows, done)
}

// part carries out rows at once if there are some and they fit.
func (t *tx) part(b *batch, list *List, rows [][]any, done []bool) error {
	if len(rows) > 1 {
		if listed, err := t.listed(b, list, rows, done); err != nil || listed {
			return err
		}
	}
	return t.inTurn(b, rows, done)
}

// many executes rows whose arguments are those of one statement; one by one when there is a
// row that an INSERT leaves out, or when they are long.
func (t *tx) many(b *batch, text string, rows [][]any, done []bool) error {
	if sizeOf(rows) > maxList {
		return t.inTurn(b, rows, done)
	}
	args := make([]any, 0, len(rows)*len(b.kinds))
	for _, row := range rows {
		args = append(args, row...)
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

// sizeOf returns how many bytes the texts of rows have, and their numbers at least.
func sizeOf(rows [][]any) int {
	size := 0
	for _, row := range rows {
		for _, arg := range row {
			size++
			if of, ok := arg.(string); ok {
				size += len(of)
			}
		}
	}
	return size
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
	if sizeOf(rows) > maxList {
		return false, nil
	}
	if list.Which != "" || list.Do == "" {
		return t.asked(b, list, rows, done)
	}
	n, err := t.doList(b, list, rows)
	if err != nil || n == 0 { // the first row that is there undoes the statement
		return false, err
	}
	return true, t.allDone(b, n, done)
}

// asked carries out those rows of a list that take effect. It reports false, and has done
// nothing, when there is no statement for them.
func (t *tx) asked(b *batch, list *List, rows [][]any, done []bool) (bool, error) {
	if list.Do == "" {
		asks, _, err := t.valued(b, placesAsk, list.WhichValues, list.Where, rows)
		if err != nil || asks == "" {
			return false, err
		}
	}
	if all, err := t.allAtOnce(b, list, rows, done); err != nil || all {
		return all, err
	}
	took, err := t.which(b, list, rows, done)
	if err != nil || len(took) == 0 {
		return err == nil, err
	}
	n, err := t.doList(b, list, took)
	if err != nil {
		return false, err
	}
	if n == unknown {
		n = 0
		for _, row := range took {
			one, err := t.exec(b.query, row...)
			if err != nil {
				return false, err
			}
			n += one
		}
	}
	return true, t.allDone(b, n, make([]bool, len(took)))
}

// allAtOnce carries a list out and reports whether all of its rows took effect, which it
// notes. Otherwise it undoes what it did, and the next lists of the statement ask first.
func (t *tx) allAtOnce(b *batch, list *List, rows [][]any, done []bool) (bool, error) {
	if !t.trusts(b.query) {
		return false, nil
	}
	if _, err := t.exec("SAVEPOINT list"); err != nil {
		return false, err
	}
	n, err := t.doList(b, list, rows)
	if err != nil || n == unknown {
		return false, err
	}
	if n == int64(len(done)) {
		for i := range done {
			done[i] = true
		}
		return true, nil
	}
	t.doubts(b.query, askFor)
	t.changes -= n
	_, err = t.exec("ROLLBACK TO SAVEPOINT list")
	return false, err
}

// unknown stands for the number of rows that nothing was done for, since there is no
// statement for them.
const unknown = -1

// doList does a statement for rows at once, as placeholders if the database knows how
// and else as a text, and returns how many were changed.
func (t *tx) doList(b *batch, list *List, rows [][]any) (int64, error) {
	name, args, err := t.valued(b, placesDo, list.Values, 0, rows)
	if err != nil {
		return 0, err
	}
	if name != "" {
		return t.execAs(name, list.Do, args)
	}
	if list.Do == "" {
		return unknown, nil
	}
	text, err := t.listOf(rows)
	if err != nil {
		return 0, err
	}
	if err := t.known(list.Do); err != nil {
		return 0, err
	}
	return t.exec(list.Do, text)
}

// which notes and returns the rows that will take effect.
func (t *tx) which(b *batch, list *List, rows [][]any, done []bool) (took [][]any, err error) {
	name, args, err := t.valued(b, placesAsk, list.WhichValues, list.Where, rows)
	if err != nil {
		return nil, err
	}
	places := map[int64]int{} // by what the query answers with
	if name != "" {
		if places, err = b.places(rows); err != nil {
			return nil, err
		}
	} else {
		text, err := t.listOf(rows)
		if err != nil {
			return nil, err
		}
		if err := t.known(list.Which); err != nil {
			return nil, err
		}
		name, args = list.Which, []any{text}
		for i := range rows {
			places[int64(i)+1] = i
		}
	}
	take := func(answer *int64) {
		place, known := places[*answer]
		if !known {
			err = job.Errorf(job.Internal, "%s: the database returned the key %d, which was not requested", startOf(b.query), *answer)
			return
		}
		delete(places, *answer)
		done[place] = true
		took = append(took, rows[place])
	}
	if failed := readEach(t, func(n *int64) []any { return []any{n} }, take, name, args...); failed != nil {
		return nil, failed
	}
	return took, err
}

// known prepares a statement in the database's own words, once for each connection.
func (t *tx) known(text string) error {
	if _, ok := t.statements[text]; ok {
		return nil
	}
	_, err := t.prepare(text, text)
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
