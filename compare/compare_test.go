package main

import (
	"strings"
	"testing"
	"time"
)

// A comparison is worth nothing when a library is asked in a wrong way, so
// each of them must know the plain things.
func TestLibrariesAreAskedTheRightWay(t *testing.T) {
	t.Parallel()
	table, err := readSample("../schedule/testdata/cron_sample.json")
	if err != nil {
		t.Fatal(err)
	}
	scores, err := judge(table)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if i == 0 && (s.faultless != s.promised || s.right != s.asked || s.rightDST != s.askedDST || s.promised < 60) {
			t.Errorf("%s: %+v, want all", s.library, s)
		}
		if s.promised < 30 || s.asked == 0 || s.askedDST == 0 || s.right*10 < s.asked*9 || s.accepted < s.promised {
			t.Errorf("%s: %+v: it looks as if it were asked in a wrong way", s.library, s)
		}
	}
	start := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) // a Monday
	for _, l := range libraries() {
		for expr, want := range map[string]time.Time{
			"0 0 12 * * ?":       time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
			"0 30 8 ? * 3":       time.Date(2026, 6, 2, 8, 30, 0, 0, time.UTC),
			"0 30 8 ? * 6-7":     time.Date(2026, 6, 5, 8, 30, 0, 0, time.UTC),
			"0 15 10 ? * 6#3":    time.Date(2026, 6, 19, 10, 15, 0, 0, time.UTC),
			"0 15 10 ? * 6L":     time.Date(2026, 6, 26, 10, 15, 0, 0, time.UTC),
			"0 15 10 L * ?":      time.Date(2026, 6, 30, 10, 15, 0, 0, time.UTC),
			"0 0 0 ? JUL MON":    time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC),
			"0 0 12 * * ? 2027":  time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC),
			"30 */20 * * * ?":    time.Date(2026, 6, 1, 0, 0, 30, 0, time.UTC),
			"0 0 9-17/8 ? * MON": time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC),
		} {
			if !l.promises(expr) {
				continue
			}
			find, err := l.compile(l.write(expr), time.UTC)
			if err != nil {
				t.Errorf("%s refuses %q: %v", l.name, l.write(expr), err)
				continue
			}
			if got, ok := find(start); !ok || !got.Equal(want) {
				t.Errorf("%s: %q fires at %s, want %s", l.name, l.write(expr), got, want)
			}
		}
	}
}

func TestWriteAndFeatures(t *testing.T) {
	t.Parallel()
	zero, one := library{sundayIsZero: true}, library{}
	for _, tc := range []struct{ expr, zero, features string }{
		{"0 0 0 ? * 2-6", "0 0 0 ? * 1-5", ""},
		{"0 0 0 ? * 2/2,7", "0 0 0 ? * 1/2,6", ""},
		{"0 0 0 ? * 6#3 2026", "0 0 0 ? * 5#3 2026", "a year 6#3"},
		{"0 0 0 ? * FRIL", "0 0 0 ? * FRIL", "6L"},
		{"0 0 22-2 1,L NOV-FEB ?", "0 0 22-2 1,L NOV-FEB ?", "22-2 L (L or W in a list) 22-2"},
		{"0 /5 0 lw * ?", "0 /5 0 lw * ?", "lw /15 LW"},
		{"0 0 0 15W,L-3 JUL WED", "0 0 0 15W,L-3 JUL WED", "15W (L or W in a list) L-3 (L or W in a list)"},
	} {
		var found []string
		for _, f := range features(tc.expr) {
			found = append(found, string(f))
		}
		if got := strings.Join(found, " "); got != tc.features {
			t.Errorf("features(%q) = %q, want %q", tc.expr, got, tc.features)
		}
		if got := zero.write(tc.expr); got != tc.zero {
			t.Errorf("write(%q) = %q, want %q", tc.expr, got, tc.zero)
		}
		if got := one.write(tc.expr); got != tc.expr {
			t.Errorf("write(%q) = %q where weekdays are as in Quartz", tc.expr, got)
		}
	}
}
