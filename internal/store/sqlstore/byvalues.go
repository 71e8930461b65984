package sqlstore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orthd/orth/job"
)

// maxValues is the most rows of one statement of [List.Values], and minValues the fewest:
// it is prepared for each power of two between them, and filled up in front with the first
// key: of keys that are alike the last one's value counts.
const (
	minValues = 4
	maxValues = 256
)

// maxPlaced bounds the placeholders of the statements of [List.Values] that a connection
// has prepared: each takes some 550 bytes of the database's memory. What comes then goes as a
// text.
const maxPlaced = 100_000

// every executes the statement for rows whose effects the caller does not need, as
// [tx.each] does. Each of them may change any number of rows.
func (t *tx) every(b *batch, rows [][]any) error {
	if t.dialect.ByList != nil && len(rows) > 1 {
		if list, known := t.dialect.ByList(b.query, b.kinds, b.key); known && list.Values != nil {
			return t.everyValue(b, &list, rows)
		}
	}
	return t.doAll(b, rows)
}

func (t *tx) everyValue(b *batch, list *List, rows [][]any) error {
	for part := range slices.Chunk(rows, maxValues) {
		name, args, err := t.valued(b, placesDo, list.Values, 0, part)
		if err != nil {
			return err
		}
		if name == "" {
			err = t.inTurn(b, part, make([]bool, len(part)))
		} else {
			_, err = t.execAs(name, list.Do, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// What a statement with placeholders for many rows is for.
const (
	placesDo  = "do"
	placesAsk = "ask"
)

// valued returns the name of a prepared statement for rows, as write writes it with the
// placeholders of b from a number on, and its arguments; no name when there is none. what
// distinguishes it from another one with the same placeholders.
func (t *tx) valued(b *batch, what string, write func(int, []Place) string, from int, rows [][]any) (name string, args []any, err error) {
	if write == nil {
		return "", nil, nil
	}
	if rows, err = b.sorted(rows); err != nil {
		return "", nil, err
	}
	places := b.placesOf(rows)
	size := minValues
	for size < len(rows) {
		size *= 2
	}
	letters := make([]byte, len(places))
	for i, p := range places {
		letters[i] = "kvso"[p]
	}
	name = fmt.Sprintf("%s %d %s from %d: %s", what, size, letters, from, b.query)
	if _, ok := t.statements[name]; !ok {
		text, placed := write(size, places), placedBy(size, places[from:])
		if text == "" || t.placed+placed > maxPlaced {
			return "", nil, nil
		}
		if _, err := t.prepare(name, text); err != nil {
			return "", nil, err
		}
		t.placed += placed
	}
	return name, b.valuesOf(rows, size, places, from), nil
}

// sorted returns the rows in the order of their keys.
func (b *batch) sorted(rows [][]any) ([][]any, error) {
	for _, row := range rows {
		if _, ok := wholeNumber(row[b.key]); !ok {
			return nil, job.Errorf(job.Internal, "%s: the key is a %T", startOf(b.query), row[b.key])
		}
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, c []any) int {
		x, _ := wholeNumber(a[b.key])
		y, _ := wholeNumber(c[b.key])
		return cmp.Compare(x, y)
	})
	return rows, nil
}

// placesOf returns the replacement of each placeholder for these rows.
func (b *batch) placesOf(rows [][]any) []Place {
	places := make([]Place, len(b.kinds))
	for c := range places {
		if c == b.key {
			places[c] = PlaceKeys
			continue
		}
		same, key := true, true
		for _, row := range rows {
			same = same && row[c] == rows[0][c]
			key = key && row[c] == row[b.key]
		}
		switch {
		case key:
			places[c] = PlaceKey
		case same:
			places[c] = PlaceSame
		default:
			places[c] = PlaceOwn
		}
	}
	return places
}

// placedBy counts the placeholders of a statement for a number of rows.
func placedBy(rows int, places []Place) (n int) {
	for _, p := range places {
		switch p {
		case PlaceKeys:
			n += rows
		case PlaceKey:
		case PlaceSame:
			n++
		case PlaceOwn:
			n += 2 * rows
		}
	}
	return n
}

// valuesOf returns the arguments of rows for a statement that takes size of them, from a
// placeholder of b on.
func (b *batch) valuesOf(rows [][]any, size int, places []Place, from int) []any {
	args := make([]any, 0, placedBy(size, places[from:]))
	before := size - len(rows)
	keys := func() {
		for i := range size {
			args = append(args, rows[max(i-before, 0)][b.key])
		}
	}
	for c := from; c < len(places); c++ {
		switch places[c] {
		case PlaceKeys:
			keys()
		case PlaceKey:
		case PlaceSame:
			args = append(args, rows[0][c])
		case PlaceOwn:
			keys()
			args = append(args, make([]any, before)...)
			for _, row := range rows {
				args = append(args, row[c])
			}
		}
	}
	return args
}
