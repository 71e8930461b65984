package mysql

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/sqlstore"
)

// byKinds are the places of a statement whose other placeholders are all alike.
func byKinds(kinds string, key int, other sqlstore.Place) []sqlstore.Place {
	places := slices.Repeat([]sqlstore.Place{other}, len(kinds))
	places[key] = sqlstore.PlaceKeys
	return places
}

func TestByValues(t *testing.T) {
	t.Parallel()
	const same, own, key, keys = sqlstore.PlaceSame, sqlstore.PlaceOwn, sqlstore.PlaceKey, sqlstore.PlaceKeys
	for _, c := range []struct {
		query, kinds string
		key          int
		places       []sqlstore.Place
		does, asks   string
	}{
		{
			"UPDATE a SET b = ?, lines = COALESCE(c, ?)\n\t\tWHERE id = ? AND b = ? AND (SELECT d FROM e WHERE f = ?) = 1", "tiiti", 2,
			[]sqlstore.Place{own, same, keys, own, key},
			"UPDATE a FORCE INDEX (PRIMARY) SET b = ELT(INTERVAL(a.id,?,?),?,?), `lines` = COALESCE(c, ?) WHERE id IN (?,?) AND b = ELT(INTERVAL(a.id,?,?),?,?) AND (SELECT d FROM e WHERE f = a.id) = 1",
			"SELECT a.id FROM a FORCE INDEX (PRIMARY) WHERE id IN (?,?) AND b = ELT(INTERVAL(a.id,?,?),?,?) AND (SELECT d FROM e WHERE f = a.id) = 1",
		},
		{
			"UPDATE a SET b = ? WHERE day = ? AND id = ?", "iii", 2,
			[]sqlstore.Place{own, same, keys},
			"UPDATE a FORCE INDEX (PRIMARY) SET b = CAST(ELT(INTERVAL(a.id,?,?),?,?) AS SIGNED) WHERE day = ? AND id IN (?,?)",
			"SELECT a.id FROM a FORCE INDEX (PRIMARY) WHERE day = ? AND id IN (?,?)",
		},
		{"UPDATE a SET b = ? WHERE day = ? AND id = ?", "iii", 2, []sqlstore.Place{same, own, keys}, "", ""},
		{
			"UPDATE a SET b = ? WHERE id = ? AND (SELECT c FROM d LIMIT 1 OFFSET ?) IS NULL", "iii", 1,
			[]sqlstore.Place{same, keys, same},
			"UPDATE a FORCE INDEX (PRIMARY) SET b = ? WHERE id IN (?,?) AND (SELECT c FROM d LIMIT 1 OFFSET ?) IS NULL",
			"SELECT a.id FROM a FORCE INDEX (PRIMARY) WHERE id IN (?,?) AND (SELECT c FROM d LIMIT 1 OFFSET ?) IS NULL",
		},
		{"UPDATE a SET b = ? WHERE id = ? AND (SELECT c FROM d LIMIT 1 OFFSET ?) IS NULL", "iii", 1, []sqlstore.Place{same, keys, own}, "", ""},
		{
			"INSERT INTO a (b, c) SELECT d.e, ? FROM dd d JOIN ff f ON f.g = d.h WHERE d.e = ? AND f.i = 'x' AND NOT EXISTS (SELECT 1 FROM a l WHERE l.b = d.e)", "ii", 1,
			[]sqlstore.Place{own, keys},
			"INSERT INTO a (b, c) SELECT d.e, CAST(ELT(INTERVAL(d.e,?,?),?,?) AS SIGNED) FROM dd d FORCE INDEX (PRIMARY) STRAIGHT_JOIN ff f FORCE INDEX (PRIMARY) ON f.g = d.h " +
				"WHERE d.e IN (?,?) AND f.i = 'x' -- keeps the row with the same primary key",
			"SELECT d.e FROM dd d FORCE INDEX (PRIMARY) STRAIGHT_JOIN ff f FORCE INDEX (PRIMARY) ON f.g = d.h " +
				"WHERE d.e IN (?,?) AND f.i = 'x' AND NOT EXISTS (SELECT 1 FROM a l FORCE INDEX (PRIMARY) WHERE l.b = d.e)",
		},
		{
			"DELETE FROM a WHERE id = ? AND b IS NULL AND NOT EXISTS (SELECT 1 FROM c WHERE c.d = a.id)", "i", 0,
			[]sqlstore.Place{keys},
			"DELETE FROM a WHERE id IN (?,?) AND b IS NULL AND NOT EXISTS (SELECT 1 FROM c WHERE c.d = a.id)",
			"SELECT a.id FROM a FORCE INDEX (PRIMARY) WHERE id IN (?,?) AND b IS NULL AND NOT EXISTS (SELECT 1 FROM c WHERE c.d = a.id)",
		},
		{
			"DELETE FROM a WHERE b = ?", "i", 0, []sqlstore.Place{keys}, "DELETE FROM a WHERE b IN (?,?)", "",
		},
		{
			"DELETE FROM a WHERE b IN (SELECT id FROM c WHERE d = ?)", "i", 0,
			[]sqlstore.Place{keys},
			"DELETE a FROM c STRAIGHT_JOIN a ON a.b = c.id WHERE c.d IN (?,?)", "",
		},
		{
			"UPDATE a SET b = CASE WHEN b <= ? THEN b ELSE ? END\n\t\tWHERE id IN (SELECT e.f FROM c d JOIN ee e ON e.g = d.h WHERE d.i = ?)", "iii", 2,
			[]sqlstore.Place{same, same, keys},
			"UPDATE c d JOIN ee e ON e.g = d.h STRAIGHT_JOIN a ON a.id = e.f SET a.b = CASE WHEN a.b <= ? THEN a.b ELSE ? END WHERE d.i IN (?,?)", "",
		},
	} {
		list, known := byList("utf8mb4_nopad_bin")(c.query, c.kinds, c.key)
		if !known || list.Values == nil {
			t.Errorf("%s: placeholders are not known", c.query)
			continue
		}
		if list.WhichValues == nil {
			list.WhichValues = func(int, []sqlstore.Place) string { return "" }
		}
		if got := list.Values(2, c.places); got != c.does {
			t.Errorf("%s: it does\n     %s\nwant %s", c.query, got, c.does)
		}
		if got := list.WhichValues(2, c.places); got != c.asks {
			t.Errorf("%s: it asks\n     %s\nwant %s", c.query, got, c.asks)
		}
	}
	for query, key := range map[string]int{
		"UPDATE a SET b = ? WHERE c > 0 AND id = ?":                         1,
		"UPDATE a SET b = ? WHERE c = 1 AND (SELECT d FROM e WHERE id = ?)": 1,
		"UPDATE a SET b = ? WHERE c = ? AND d = ? AND id = ?":               3,
		"DELETE FROM a WHERE id > ? AND b IS NULL":                          0,
		"UPDATE a SET b = '?' WHERE id = ?":                                 0,
	} {
		if list, _ := byList("utf8mb4_nopad_bin")(query, strings.Repeat("i", key+1), key); list.Values != nil {
			t.Errorf("%s: %s", query, list.Values(2, byKinds(strings.Repeat("i", key+1), key, own)))
		}
	}
}

func text10(n int64) string { return strconv.FormatInt(n, 10) }

// TestValuesOfRows writes values of their own into rows, whose keys are near to each other
// where inexact numbers are not, with texts of all kinds and nothing.
func TestValuesOfRows(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	s, err := look(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Must(t, db, "CREATE TABLE given (id BIGINT PRIMARY KEY, had BIGINT, said LONGTEXT) CHARACTER SET utf8mb4 COLLATE "+s.collation())
	list, known := byList(s.collation())("UPDATE given SET had = ?, said = COALESCE(?, said) WHERE id = ? AND had = ?", "itii", 2)
	if !known {
		t.Fatal("the statement has another shape")
	}
	const big, rows = int64(1) << 53, 16
	// Three stand in front that are filled up.
	keys, old, fresh, texts := []any{big, big, big}, []any{nil, nil, nil}, []any{nil, nil, nil}, []any{nil, nil, nil}
	var want []string
	for i := range int64(rows) {
		keys, old, fresh, texts = append(keys, big+i), append(old, big+2*i), append(fresh, big+3*i), append(texts, strings.Repeat("'é\\ ", int(i)))
		dbtest.Must(t, db, "INSERT INTO given (id, had, said) VALUES ("+text10(big+i)+", "+text10(big+2*i)+", 'as it was')")
		want = append(want, text10(big+i)+" "+text10(big+3*i)+" "+texts[3+i].(string))
	}
	fresh[3+3], texts[3+4], old[3+5] = nil, nil, big+11
	want[3] = text10(big+3) + " NULL " + texts[3+3].(string)
	want[4] = text10(big+4) + " " + text10(big+12) + " as it was"
	want[5] = text10(big+5) + " " + text10(big+10) + " as it was" // it has another value
	own := sqlstore.PlaceOwn
	places := []sqlstore.Place{own, own, sqlstore.PlaceKeys, own}
	var asked []string
	found, err := db.QueryContext(t.Context(), list.WhichValues(rows+3, places), slices.Concat(keys, keys, old)...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var key string
		if err := found.Scan(&key); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, key)
	}
	if err := found.Err(); err != nil || len(asked) != rows-1 || slices.Contains(asked, text10(big+5)) {
		t.Errorf("it will take effect for %q, %v", asked, err)
	}
	took, err := db.ExecContext(t.Context(), list.Values(rows+3, places), slices.Concat(keys, fresh, keys, texts, keys, keys, old)...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := took.RowsAffected(); n != rows-1 || err != nil {
		t.Errorf("%d rows were changed, %v", n, err)
	}
	if got := linesOf(t, db, "SELECT CONCAT(id, ' ', COALESCE(had, 'NULL'), ' ', said) FROM given ORDER BY id"); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
