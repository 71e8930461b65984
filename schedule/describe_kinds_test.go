package schedule

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The golden file has three lines for each Spec: its JSON, the English sentence
// and the Chinese one.
func TestDescribeSpecGolden(t *testing.T) {
	t.Parallel()
	const name = "testdata/describe_spec.golden"
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	kinds := map[Kind]bool{}
	for line := range strings.Lines(string(golden)) {
		text := strings.TrimRight(line, "\r\n")
		if text == "" || strings.HasPrefix(text, "\t") {
			continue
		}
		var spec Spec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
		kinds[spec.Kind] = true
		fmt.Fprintf(&got, "%s\n\t%s\n\t%s\n", text, spec.Describe(English), spec.Describe(Chinese))
	}
	if len(kinds) != 7 {
		t.Errorf("%s has %d kinds, want all 7", name, len(kinds))
	}
	if *updateDescriptions {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.ReplaceAll(string(golden), "\r\n", "\n")
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("sentences differ (-want +got):\n%s", diff)
	}
}

// The sentences of many schedules give up the last ones.
func TestDescribeSeveralIsBounded(t *testing.T) {
	t.Parallel()
	long := Spec{Kind: KindCron, Cron: "0 1,3,6,10,12,15,18,22,27,31,34,39 1,3,6 1,5,9,14 1,3,5,9 ? 2026,2028"}
	spec := Spec{Kind: KindSeveral, Of: slices.Repeat([]Spec{long}, MaxSeveral), Count: 3}
	for l, mark := range map[Language]string{English: "more schedules; all of it, at most 3 runs", Chinese: "个计划；以上全部，最多运行 3 次"} {
		text := spec.Describe(l)
		if n := utf8.RuneCountInString(text); n > maxDescription+100 || !strings.HasSuffix(text, mark) {
			t.Errorf("%q has %d characters, want at most %d and %q at its end", text, n, maxDescription+100, mark)
		}
	}
}

func TestSpecStringOfModifiers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 20, 0, 0, 0, time.FixedZone("", 8*60*60))
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{Kind: KindAfter, After: 10 * time.Minute}, "10m after each run"},
		{Spec{Kind: KindDaily, Daily: "09:00-18:00 every 5m"}, `daily "09:00-18:00 every 5m"`},
		{Spec{Kind: KindDaily, Daily: "09:00-18:00 every 5m", Zone: "Asia/Tokyo"}, `daily "09:00-18:00 every 5m" in Asia/Tokyo`},
		{Spec{Kind: KindOnce, Delay: time.Minute}, "once 1m after the start"},
		{Spec{Kind: KindOnce, Delay: time.Minute, At: at}, "once at 2026-05-01T12:00:00Z"},
		{
			Spec{Kind: KindSeveral, Of: []Spec{{Kind: KindCron, Cron: "@daily"}, {Kind: KindEvery, Every: time.Hour}}, Calendars: []string{"cn"}},
			`several: cron "@daily"; every 1h by cn`,
		},
		{
			Spec{Kind: KindEvery, Every: time.Hour, Start: at, End: at.Add(time.Hour), Count: 5, Jitter: time.Minute, Calendars: []string{"cn", "us"}, Excluded: ExcludedShift},
			"every 1h from 2026-05-01T12:00:00Z until 2026-05-01T13:00:00Z at most 5 times by cn, us shifted with jitter 1m",
		},
	}
	for _, tc := range tests {
		if got := tc.spec.String(); got != tc.want {
			t.Errorf("String() = %q, want %q", got, tc.want)
		}
	}
}
