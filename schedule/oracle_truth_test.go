package schedule

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readTruth reads the table of true fire times.
func readTruth(t rapid.TB) truth {
	t.Helper()
	text, err := os.ReadFile("testdata/cron_sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var table truth
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

// What the oracles go by is held against the table too: the reader and the
// reckoning of instants give the true fire times, but where the table breaks the
// rule of W, and but for what only a lenient parser makes sense of.
func TestOracleGivesTheTrueFireTimes(t *testing.T) {
	t.Parallel()
	lenient := map[string]bool{
		"0 0 12 1-15W * ?": true, "0 0 12 ? * MON/2": true, "0 0 12 0W * ?": true, "0 0 12 ? * MONDAY": true,
		"*/0 * * * * ?": true, "0 0 12 * * ? 1969": true, "0 0 12 * * ? 2150": true, "0 0 12 5, * ?": true,
	}
	first, last := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(MaxYear+1, 1, 2, 0, 0, 0, 0, time.UTC)
	eras := map[string][]era{}
	valid, lists := 0, 0
	table := readTruth(t)
	for _, tc := range table.Cases {
		if !tc.Valid {
			continue
		}
		valid++
		if len(tc.Next) != 3 {
			t.Errorf("%q has truths in %d zones, want 3", tc.Expr, len(tc.Next))
		}
		if lenient[tc.Expr] {
			continue
		}
		read := readText(tc.Expr)
		for name, starts := range tc.Next {
			zone := mustZone(t, name)
			if eras[name] == nil {
				eras[name] = erasOf(zone, first.Unix()-2*secondsPerDay, last.Unix()+2*secondsPerDay)
			}
			for start, truth := range starts {
				if _, defect := weekdayDefects[tc.Expr][start]; defect {
					continue
				}
				lists++
				after, err := time.ParseInLocation("2006-01-02T15:04:05", start, zone)
				if err != nil {
					t.Fatal(err)
				}
				var want []time.Time
				to := last
				for _, at := range truth {
					if at != nil {
						want = append(want, at.UTC())
					}
				}
				if len(want) == len(truth) && len(want) > 0 {
					to = want[len(want)-1].Add(time.Second)
				}
				if diff := cmp.Diff(want, read.firings(eras[name], after.Unix()+1, to.Unix(), Quartz())); diff != "" {
					t.Errorf("%q in %s after %s (-table +oracle):\n%s", tc.Expr, name, start, diff)
				}
			}
		}
	}
	if len(table.Cases) != 106 || valid != 81 || lists != (valid-len(lenient))*12-2*12 {
		t.Errorf("the table has %d cases, %d of them valid, and %d lists of firings to go by", len(table.Cases), valid, lists)
	}
}
