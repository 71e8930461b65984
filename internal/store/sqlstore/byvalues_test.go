package sqlstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestValues(t *testing.T) {
	t.Parallel()
	b := batch{query: "UPDATE a SET b = ?, c = ?, d = ? WHERE id = ?", kinds: "tiii", key: 3}
	const same, own, key, keys = PlaceSame, PlaceOwn, PlaceKey, PlaceKeys
	for name, c := range map[string]struct {
		rows   [][]any
		from   int
		places []Place
		want   []any
	}{
		"in the order of keys": {
			[][]any{{"x", int64(1), nil, int64(9)}, {"x", int64(2), nil, int64(7)}},
			0,
			[]Place{same, own, same, keys},
			[]any{"x", int64(7), int64(7), int64(7), int64(9), nil, nil, int64(2), int64(1), nil, int64(7), int64(7), int64(7), int64(9)},
		},
		"the key elsewhere": {
			[][]any{{"x", int64(4), int64(1), int64(4)}, {"y", int64(5), int64(1), int64(5)}},
			1,
			[]Place{own, key, same, keys},
			[]any{int64(1), int64(4), int64(4), int64(4), int64(5)},
		},
		"one row, and some that are nil": {
			[][]any{{nil, 3, int64(1), 2}}, 0, []Place{same, same, same, keys}, []any{nil, 3, int64(1), 2, 2, 2, 2},
		},
		"nil and not": {
			[][]any{{nil, nil, 1, 1}, {"", nil, 1, 2}}, 0, []Place{own, same, same, keys}, []any{1, 1, 1, 2, nil, nil, nil, "", nil, 1, 1, 1, 1, 2},
		},
	} {
		rows, err := b.sorted(c.rows)
		if err != nil {
			t.Fatal(err)
		}
		places := b.placesOf(rows)
		if diff := cmp.Diff(c.places, places); diff != "" {
			t.Errorf("%s: places (-want +got)\n%s", name, diff)
		}
		got := b.valuesOf(rows, minValues, places, c.from)
		if diff := cmp.Diff(c.want, got); diff != "" || len(got) != placedBy(minValues, places[c.from:]) {
			t.Errorf("%s: %d placeholders (-want +got)\n%s", name, placedBy(minValues, places[c.from:]), diff)
		}
	}
	if _, err := b.sorted([][]any{{"x", 1, 1, "1"}}); !job.Is(err, job.Internal) {
		t.Errorf("a key that is none: %v", err)
	}
}
