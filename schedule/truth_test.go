package schedule

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// truth is the table of true fire times: what the Quartz implementation in use
// by existing installations answers.
type truth struct {
	Cases []struct {
		Expr  string
		Valid bool
		// Next holds, by zone and by start on the wall, the firings after
		// the start. A null ends a list that has less than eight.
		Next map[string]map[string][]*time.Time
	}
}

// weekdayDefects are the answers of the table that break the rule of W: it
// loses the firings of a day that W has moved after the first of them, and the
// later W entries of that month. For them the rule is asserted here, by the
// zone's wall and the start that the table uses.
var weekdayDefects = map[string]map[string][]string{
	"0 0 12 15W,LW * ?": {
		"2026-01-01T00:00:00": {
			"2026-01-15T12", "2026-01-30T12", "2026-02-16T12", "2026-02-27T12",
			"2026-03-16T12", "2026-03-31T12", "2026-04-15T12", "2026-04-30T12",
		},
		"2026-03-07T22:30:00": {
			"2026-03-16T12", "2026-03-31T12", "2026-04-15T12", "2026-04-30T12",
			"2026-05-15T12", "2026-05-29T12", "2026-06-15T12", "2026-06-30T12",
		},
		"2026-10-31T22:30:00": {
			"2026-11-16T12", "2026-11-30T12", "2026-12-15T12", "2026-12-31T12",
			"2027-01-15T12", "2027-01-29T12", "2027-02-15T12", "2027-02-26T12",
		},
		"2027-12-30T23:59:59": {
			"2027-12-31T12", "2028-01-14T12", "2028-01-31T12", "2028-02-15T12",
			"2028-02-29T12", "2028-03-15T12", "2028-03-31T12", "2028-04-14T12",
		},
	},
	"0 0 8,20 15W * ?": {
		"2026-01-01T00:00:00": {
			"2026-01-15T08", "2026-01-15T20", "2026-02-16T08", "2026-02-16T20",
			"2026-03-16T08", "2026-03-16T20", "2026-04-15T08", "2026-04-15T20",
		},
		"2026-03-07T22:30:00": {
			"2026-03-16T08", "2026-03-16T20", "2026-04-15T08", "2026-04-15T20",
			"2026-05-15T08", "2026-05-15T20", "2026-06-15T08", "2026-06-15T20",
		},
		"2026-10-31T22:30:00": {
			"2026-11-16T08", "2026-11-16T20", "2026-12-15T08", "2026-12-15T20",
			"2027-01-15T08", "2027-01-15T20", "2027-02-15T08", "2027-02-15T20",
		},
		"2027-12-30T23:59:59": {
			"2028-01-14T08", "2028-01-14T20", "2028-02-15T08", "2028-02-15T20",
			"2028-03-15T08", "2028-03-15T20", "2028-04-14T08", "2028-04-14T20",
		},
	},
}

func TestCronGivesTheTrueFireTimes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cron_sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var table truth
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Cases) < 100 {
		t.Fatalf("the table has %d cases, want at least 100", len(table.Cases))
	}
	for _, tc := range table.Cases {
		t.Run(tc.Expr, func(t *testing.T) {
			t.Parallel()
			if _, err := ParseCron(tc.Expr, nil); (err == nil) != tc.Valid {
				t.Fatalf("ParseCron(%q) = %v, valid is %t", tc.Expr, err, tc.Valid)
			}
			for zone, starts := range tc.Next {
				cron := mustParse(t, tc.Expr, zone)
				for start, want := range starts {
					compareTruth(t, cron, start, want)
				}
			}
		})
	}
}

func TestWeekdayDefectsAreDefects(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cron_sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var table truth
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, tc := range table.Cases {
		starts := weekdayDefects[tc.Expr]
		if starts == nil {
			continue
		}
		seen++
		differs := false
		for start, rule := range starts {
			for i, at := range tc.Next["UTC"][start] {
				differs = differs || at == nil || at.Format("2006-01-02T15") != rule[i]
			}
		}
		if !differs {
			t.Errorf("%q is listed as a defect, but the table has the rule's answers", tc.Expr)
		}
	}
	if seen != len(weekdayDefects) {
		t.Errorf("the table has %d of the %d expressions listed as defects", seen, len(weekdayDefects))
	}
}

func compareTruth(t *testing.T, cron *Cron, start string, truth []*time.Time) {
	t.Helper()
	after, err := time.ParseInLocation("2006-01-02T15:04:05", start, cron.zone)
	if err != nil {
		t.Fatal(err)
	}
	var want []time.Time
	for _, at := range truth {
		if at != nil {
			want = append(want, at.UTC())
		}
	}
	if rule, ok := weekdayDefects[cron.expr][start]; ok {
		want = nil
		for _, text := range rule {
			at, err := time.ParseInLocation("2006-01-02T15", text, cron.zone)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, at.UTC())
		}
	}
	if diff := cmp.Diff(want, firings(cron, after, 8)); diff != "" {
		t.Errorf("%q in %s after %s (-want +got):\n%s", cron.expr, cron.zone, start, diff)
	}
}

// firings returns up to n firings after an instant.
func firings(s Schedule, after time.Time, n int) (found []time.Time) {
	for len(found) < n {
		next, ok := s.Next(after)
		if !ok {
			break
		}
		found = append(found, next)
		after = next
	}
	return found
}

func mustParse(t rapid.TB, expr, zone string) *Cron {
	t.Helper()
	cron, err := ParseCron(expr, mustZone(t, zone))
	if err != nil {
		t.Fatalf("ParseCron(%q) = %v", expr, err)
	}
	return cron
}

func mustZone(t rapid.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
