package mysql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

func TestByList(t *testing.T) {
	t.Parallel()
	const number, text = " BIGINT PATH '$[%d]' ERROR ON ERROR", " LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$[%d]' ERROR ON ERROR"
	given := func(columns ...string) string {
		out := "JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY"
		for i, column := range columns {
			if column != "" {
				out += fmt.Sprintf(", c%d"+column, i+1, i)
			}
		}
		return out + ")) given"
	}
	for _, c := range []struct {
		query, kinds string
		want         sqlstore.List // empty: of another shape
	}{
		{
			"INSERT INTO a (b, lines, d)\n\t\tVALUES (?, 'x?', ?) -- keeps the row with the same primary key", "it",
			sqlstore.List{
				Do:   "INSERT INTO a (b, `lines`, d) SELECT given.c1, 'x?', given.c2 FROM " + given(number, text) + " -- keeps the row with the same primary key",
				Many: "INSERT INTO a (b, `lines`, d) VALUES (?, 'x?', ?)" + strings.Repeat(", (?, 'x?', ?)", 99) + " -- keeps the row with the same primary key",
			},
		},
		{
			"INSERT INTO a (b, c) SELECT d.e, ? FROM dd d JOIN ff f ON f.g = d.h WHERE d.e = ? AND f.i = 'x'", "ii",
			sqlstore.List{
				Which: "SELECT given.n FROM " + given("", number) + " STRAIGHT_JOIN dd d FORCE INDEX (PRIMARY) STRAIGHT_JOIN ff f FORCE INDEX (PRIMARY) ON f.g = d.h WHERE d.e = given.c2 AND f.i = 'x'",
				Do: "INSERT INTO a (b, c) SELECT d.e, given.c1 FROM " + given(number, number) +
					" STRAIGHT_JOIN dd d FORCE INDEX (PRIMARY) STRAIGHT_JOIN ff f FORCE INDEX (PRIMARY) ON f.g = d.h WHERE d.e = given.c2 AND f.i = 'x'",
			},
		},
		{
			"UPDATE a SET b = ?, c = COALESCE(c, ?)\n\t\tWHERE id = ? AND b = ? AND (SELECT d FROM e WHERE f = ?) = 1", "tiiti",
			sqlstore.List{
				Which: "SELECT given.n FROM " + given("", "", number, text, number) +
					" STRAIGHT_JOIN a FORCE INDEX (PRIMARY) WHERE id = given.c3 AND b = given.c4 AND (SELECT d FROM e WHERE f = given.c5) = 1",
				Do: "UPDATE " + given(text, number, number, text, number) + " STRAIGHT_JOIN a FORCE INDEX (PRIMARY) SET b = given.c1, c = COALESCE(c, given.c2)" +
					" WHERE id = given.c3 AND b = given.c4 AND (SELECT d FROM e WHERE f = given.c5) = 1",
			},
		},
		{"UPDATE a SET b = (SELECT c FROM d WHERE e = ?) WHERE id = ?", "ii", sqlstore.List{}},
		{"DELETE FROM a WHERE b > ?", "i", sqlstore.List{}},
	} {
		lists := byList("utf8mb4_nopad_bin")
		for range 2 { // the second time it knows
			got, known := lists(c.query, c.kinds, 0)
			if got.Which != c.want.Which || got.Do != c.want.Do || got.Many != c.want.Many || known != (c.want.Do != "") {
				t.Errorf("%s: %t\n got %+v\nwant %+v", c.query, known, got, c.want)
			}
		}
	}
}

// TestPlansByList asks the database how it carries the statements out that take lists,
// when there is some history and when there is none: each goes from the list to the one
// row that is meant.
func TestPlansByList(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	s, err := look(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	dbtest.Must(t, db, s.forWriter()...)
	dbtest.Must(t, db, "SET SESSION autocommit = 1")
	all := storetest.Statements(t)
	lists := byList(s.collation())
	check := func(name, text string) {
		for _, line := range explained(t, db, name, text) {
			if line.key == "runs_busy" && line.way == "ref" { // of which nearly all are NULL, and counted as alike
				continue
			}
			if line.table != "given" && line.rows > 1 || line.way == "ALL" && line.table != "given" || line.way == "index" {
				t.Errorf("%s: %d rows of %s by %s %s: %s", name, line.rows, line.table, line.way, line.key, text)
			}
		}
	}
	ask := func() {
		for name, key := range map[string]int{
			"hideRun": 1, "endRun": 10, "endRunKnown": 10, "retryRun": 8, "retryRunKnown": 8, "endWaiting": 3, "acceptRun": 2, "acceptStopping": 1, "dispatchRun": 6, "dispatchFree": 6,
			"keepAttempt": 3, "clearAttempt": 0, "requeueDispatched": 3, "requeueWaiting": 3, "endLog": 2, "oweLog": 2, "claimLog": 1, "keepLog": 9, "moveJob": 8, "addStats": 15,
		} {
			kinds := strings.Repeat("i", strings.Count(all[name], "?"))
			if name == "dispatchFree" { // of which more than the plan is asked: its subquery
				kinds = "itiitiitiiiii"
			}
			list, known := lists(all[name], kinds, key)
			if !known || list.Values == nil && strings.HasPrefix(all[name], "UPDATE") {
				t.Errorf("%s is not carried out for many rows at once: %s", name, all[name])
			}
			for _, text := range []string{list.Which, list.Do} {
				if text != "" {
					check(name, strings.Replace(text, "?", "'[[7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7]]'", 1))
				}
			}
			for _, of := range []func(int, []sqlstore.Place) string{list.Values, list.WhichValues} {
				for _, other := range []sqlstore.Place{sqlstore.PlaceSame, sqlstore.PlaceOwn} {
					if of == nil {
						continue
					}
					places := byKinds(kinds, key, other)
					if name == "dispatchFree" {
						places[11] = sqlstore.PlaceSame // its OFFSET
					}
					text := of(4, places)
					if text != "" {
						check(name, text)
					} else if name != "addStats" { // whose day has to be the same
						t.Errorf("%s is not written for %v", name, places)
					}
				}
			}
		}
	}
	ask()
	fill(t, db)
	ask()
	for name, key := range map[string]int{
		"removeLetter": 0, "removeEvidence": 0, "removeBroadcast": 0, "removeTrial": 0, "removeChunks": 0, "removeLog": 0,
		"removePast": 0, "wearPacks": 2, "removeRun": 0,
	} {
		kinds := strings.Repeat("i", strings.Count(all[name], "?"))
		list, known := lists(all[name], kinds, key)
		if !known || list.Values == nil {
			t.Errorf("%s is not carried out for many rows at once: %s", name, all[name])
			continue
		}
		text := list.Values(4, byKinds(kinds, key, sqlstore.PlaceSame))
		if list.WhichValues != nil {
			check(name, list.WhichValues(1, byKinds(kinds, key, sqlstore.PlaceSame)))
		}
		for _, line := range explained(t, db, name, text) {
			if line.rows > 16 {
				t.Errorf("%s: %d rows of %s by %s %s: %s", name, line.rows, line.table, line.way, line.key, text)
			}
		}
	}
}

// TestPartOfAList: of a list some rows are as they have to be, and the others stay as they
// are.
func TestPartOfAList(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	s, db := running(t, address), query(t, address)
	p := storetest.NewPath(t, s, func() time.Duration { return 0 }, storetest.PathBatch)
	p.Plan(t)
	p.Mark(t)
	var all []dispatcher.Accepted
	for _, m := range p.Marks {
		all = append(all, dispatcher.Accepted{AttemptID: m.Attempt.ID, RunID: m.Attempt.RunID, At: time.UnixMilli(2000)})
	}
	early := slices.Clone(all[100:300])
	for i := range early {
		early[i].At = time.UnixMilli(1000)
	}
	for _, accepted := range [][]dispatcher.Accepted{early, all, all} {
		if err := s.MarkAccepted(t.Context(), accepted); err != nil {
			t.Fatal(err)
		}
	}
	got := linesOf(t, db, "SELECT CONCAT(r.started_at, ' ', r.state, ' ', r.accepted_at, ' ', COUNT(*), ' ', MIN(r.id) = "+
		strconv.FormatInt(early[0].AttemptID, 10)+") FROM runs r WHERE r.check_at IS NULL GROUP BY r.started_at, r.accepted_at, r.state ORDER BY r.started_at")
	want := []string{"1000 running 1000 200 1", "2000 running 2000 300 0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
