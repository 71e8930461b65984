package sqlstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	dialect := Dialect{Text: func(text string) string { return text + "!" }}
	b := batch{query: "UPDATE a SET b = ?, c = ? WHERE id = ?", kinds: "tii", key: 2}
	one, two := "x!", "y!"
	four := int64(4)
	for name, c := range map[string]struct {
		rows [][]any
		want []any // nil: refused
	}{
		"all there":        {[][]any{{"x", 1, int64(2)}, {"y", int64(3), 4}}, []any{[]string{"x!", "y!"}, []int64{1, 3}, []int64{2, 4}}},
		"a nil at the end": {[][]any{{"x", 4, 2}, {nil, nil, 3}}, []any{[]*string{&one, nil}, []*int64{&four, nil}, []int64{2, 3}}},
		"a nil at first":   {[][]any{{nil, nil, 2}, {"y", 4, 3}}, []any{[]*string{nil, &two}, []*int64{nil, &four}, []int64{2, 3}}},
		"a wrong text":     {[][]any{{1, 1, 2}}, nil},
		"a wrong number":   {[][]any{{"x", "1", 2}}, nil},
	} {
		got, err := b.columns(&dialect, c.rows)
		if diff := cmp.Diff(c.want, got); diff != "" || (c.want == nil) != job.Is(err, job.Internal) {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	b := batch{query: "UPDATE a SET b = ? WHERE id = ?", kinds: "ti", key: 1}
	many := make([][]any, maxRows+5)
	for i := range many {
		many[i] = []any{"x", i}
	}
	for name, c := range map[string]struct {
		rows [][]any
		want int // -1: refused
	}{
		"none":               {nil, 0},
		"all different":      {[][]any{{"x", 1}, {"x", int64(2)}}, 2},
		"one twice":          {[][]any{{"x", 1}, {"y", 2}, {"z", int64(1)}, {"x", 3}}, 2},
		"too many":           {many, maxRows},
		"too few arguments":  {[][]any{{"x"}}, -1},
		"a key that is none": {[][]any{{"x", "1"}}, -1},
	} {
		places, err := b.places(c.rows)
		if got := len(places); got != max(c.want, 0) || (c.want < 0) != job.Is(err, job.Internal) {
			t.Errorf("%s: %d, %v, want %d", name, got, err, c.want)
		}
		for key, place := range places {
			if at, _ := wholeNumber(c.rows[place][1]); at != key {
				t.Errorf("%s: %d stands at %d", name, key, place)
			}
		}
	}
}
