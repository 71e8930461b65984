package schedule

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPresetDST(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]DST{"quartz": Quartz(), "wall": Wall()} {
		got, err := PresetDST(name)
		if err != nil || got != want {
			t.Errorf("PresetDST(%q) = %v, %v; want %v", name, got, err, want)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("the rules of %q: %v", name, err)
		}
	}
	_, err := PresetDST("sun")
	wrong, ok := errors.AsType[*Error](err)
	if !ok || wrong.Input != "dst" || !strings.Contains(wrong.Message, `"sun"`) || wrong.Hint != "use quartz or wall" {
		t.Errorf(`PresetDST("sun") = %v`, err)
	}
}

func TestDSTValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		dst   DST
		input string // of the error, empty when there is none
	}{
		{DST{}, ""},
		{DST{Gap: GapBefore, Overlap: OverlapBoth}, ""},
		{DST{Gap: GapAfter, Overlap: OverlapFirst}, ""},
		{DST{Gap: GapSkip, Overlap: OverlapSecond, Straight: true}, ""},
		{DST{Gap: "after"}, "dst.gap"},
		{DST{Overlap: "twice"}, "dst.overlap"},
	}
	for _, tc := range tests {
		_, err := ParseCronWith("@daily", CronOptions{DST: tc.dst})
		wrong, _ := errors.AsType[*Error](err)
		switch {
		case tc.input == "" && err != nil:
			t.Errorf("%v: %v", tc.dst, err)
		case tc.input != "" && (wrong == nil || wrong.Input != tc.input || wrong.Hint == ""):
			t.Errorf("%v: %v, want an error about %s with a hint", tc.dst, err, tc.input)
		}
	}
}

func TestWhatKeepsAPace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr string
		want bool
	}{
		{"* * * * * ?", true},
		{"0 */15 * * * ?", true},
		{"0 0 * * * ?", true},
		{"@hourly", true},
		{"*/10 * * * *", true},
		{"0 */15 0-5 * * ?", true},
		{"0 */15 9-17 * * MON-FRI", true},
		{"0/30 0 22-2 * * ?", true},    // 23 and 0 are neighbours
		{"0 0,30 23,0 * * ?", true},    // and so are these two alone
		{"0 0,30 1,2,14 * * ?", false}, // 14 stands alone
		{"0 0,30 2 * * ?", false},
		{"0 0 */2 * * ?", false},
		{"0 */15 */2 * * ?", false},
		{"0 0 0-5 * * ?", false}, // once in each hour
		{"@daily", false},
	}
	for _, tc := range tests {
		text := strings.Replace(tc.expr, "* * MON-FRI", "? * MON-FRI", 1)
		cron, err := ParseCronWith(text, CronOptions{DST: Wall()})
		if err != nil {
			t.Errorf("ParseCronWith(%q) = %v", text, err)
			continue
		}
		if got := cron.paced(); got != tc.want {
			t.Errorf("%q keeps a pace: %t, want %t", text, got, tc.want)
		}
		if straight := cron.gap == GapSkip && cron.overlap == OverlapBoth; straight != tc.want {
			t.Errorf("%q follows the rules %s and %s", text, cron.gap, cron.overlap)
		}
	}
}

// A Spec without rules is a Spec of before there were rules.
func TestSpecDST(t *testing.T) {
	t.Parallel()
	wall := Wall()
	spec := Spec{Kind: KindCron, Cron: "0 30 2 * * ?", Zone: "America/New_York"}
	from := time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		dst  *DST
		want time.Time
		json string
	}{
		{nil, time.Date(2026, 3, 9, 6, 30, 0, 0, time.UTC), `{"kind":"cron","cron":"0 30 2 * * ?","zone":"America/New_York"}`},
		{&DST{}, time.Date(2026, 3, 9, 6, 30, 0, 0, time.UTC), `{"kind":"cron","cron":"0 30 2 * * ?","zone":"America/New_York","dst":{}}`},
		{
			&wall, time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC),
			`{"kind":"cron","cron":"0 30 2 * * ?","zone":"America/New_York",` +
				`"dst":{"gap":"fire_after","overlap":"first","straight":true}}`,
		},
	}
	for _, tc := range tests {
		spec.DST = tc.dst
		if err := spec.Validate(); err != nil {
			t.Errorf("Validate() = %v", err)
		}
		s, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Next(from); !got.Equal(tc.want) {
			t.Errorf("under %v the next firing is %s, want %s", tc.dst, got, tc.want)
		}
		text, err := json.Marshal(spec)
		if err != nil || string(text) != tc.json {
			t.Errorf("Marshal = %s, %v; want %s", text, err, tc.json)
		}
		var back Spec
		if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(back, spec) {
			t.Errorf("Unmarshal(%s) = %v, %v", text, back, err)
		}
	}

	// What the clock always jumps over fires when the rules move it.
	spec = Spec{Kind: KindCron, Cron: "0 30 2 ? 3 1#2 2007-2126", Zone: "America/New_York", DST: &wall}
	if err := spec.Validate(); err != nil {
		t.Errorf("%s under the rules of wall: %v", spec, err)
	}
	for _, tc := range []struct {
		spec  Spec
		input string
	}{
		{Spec{Kind: KindCron, Cron: "@daily", DST: &DST{Gap: "x"}}, "dst.gap"},
		{Spec{Kind: KindCron, Cron: "@every 1m", DST: &DST{Overlap: "x"}}, "dst.overlap"},
		{Spec{Kind: KindEvery, Every: time.Minute, DST: &wall}, "dst"},
		{Spec{Kind: KindManual, DST: &wall}, "dst"},
	} {
		if wrong, ok := errors.AsType[*Error](tc.spec.Validate()); !ok || wrong.Input != tc.input || wrong.Hint == "" {
			t.Errorf("%v: Validate() = %v, want an error about %s", tc.spec, wrong, tc.input)
		}
	}
}

// allRules are rules of every kind.
var allRules = []DST{
	Quartz(), Wall(), {Gap: GapBefore, Overlap: OverlapBoth}, {Gap: GapAfter, Overlap: OverlapSecond}, {Gap: GapSkip, Overlap: OverlapFirst},
}

// Whatever the rules, an answer comes soon, from the ends of time too.
func TestPrevAndNextAtTheEndsOfTime(t *testing.T) {
	t.Parallel()
	ends := []time.Time{
		{}, time.Unix(-1<<63, 0), time.Unix(-1, 999), time.Unix(0, 0), time.Unix(1<<33, 0), time.Unix(1<<60, 0),
	}
	exprs := []string{"* * * * * ?", "0 0 0 1 1 ?", "0 0 0 30 2 ?", "59 59 23 31 12 ? 2126", "0 0 0 1 1 ? 1970", "0 30 2 ? 3 1#2 2007-2126"}
	for _, expr := range exprs {
		for _, zone := range []string{"", "Pacific/Kiritimati", "America/New_York", "Africa/Casablanca"} {
			for _, rules := range allRules {
				cron, err := ParseCronWith(expr, CronOptions{Zone: mustZone(t, zone), DST: rules})
				if err != nil {
					t.Fatal(err)
				}
				for _, end := range ends {
					var next, prev time.Time
					var later, earlier bool
					if took := quickest(func() {
						next, later = cron.Next(end)
						prev, earlier = cron.Prev(end)
					}); took > 50*time.Millisecond {
						t.Errorf("%q in %q at %s: the answers took %s", expr, zone, end, took)
					}
					if later && !next.After(end) || earlier && !prev.Before(end) {
						t.Errorf("%q in %q: Next(%s) = %s, Prev = %s", expr, zone, end, next, prev)
					}
					first, fires := cron.Next(time.Time{})
					if fires != (later || earlier) && !first.Equal(end) {
						t.Errorf("%q in %q: fires is %t, but not before nor after %s", expr, zone, fires, end)
					}
				}
			}
		}
	}
}

func TestPrevAllocatesNothing(t *testing.T) {
	cron, err := ParseCronWith("0 0/5 14,18 LW * ?", CronOptions{Zone: mustZone(t, "America/New_York"), DST: Wall()})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(100, func() {
		at, _ = cron.Prev(at)
		at, _ = cron.Prev(at)
		at, _ = cron.Next(at)
	}); n != 0 {
		t.Errorf("Prev and Next make %v allocations, want 0", n)
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	minute := rate{period: time.Minute.Milliseconds()}
	tests := []struct {
		name     string
		schedule Schedule
		to       time.Time
		max      int
		want     []time.Time
	}{
		{"from is included", minute, from.Add(time.Minute), 10, []time.Time{from}},
		{"to is not", minute, from.Add(time.Minute + 1), 10, []time.Time{from, from.Add(time.Minute)}},
		{"max", minute, from.Add(time.Hour), 2, []time.Time{from, from.Add(time.Minute)}},
		{"no room", minute, from.Add(time.Hour), 0, nil},
		{"less than no room", minute, from.Add(time.Hour), -1, nil},
		{"no time", minute, from, 10, nil},
		{"less than no time", minute, from.Add(-time.Hour), 10, nil},
		{"it ends", single{from.Add(time.Second)}, from.Add(time.Hour), 10, []time.Time{from.Add(time.Second)}},
		{"never", never{}, from.Add(time.Hour), 10, nil},
	}
	for _, tc := range tests {
		if diff := cmp.Diff(tc.want, Between(tc.schedule, from, tc.to, tc.max)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	if n := len(Between(minute, from, from.AddDate(1, 0, 0), 1<<40)); n != maxWalk {
		t.Errorf("Between gives %d firings, want %d", n, maxWalk)
	}
	daily := mustParse(t, "0 0 12 * * ?", "")
	if n, more := daily.Count(from, from.AddDate(1, 0, 0), -1); n != 0 || !more {
		t.Errorf("Count up to -1 = %d, %t", n, more)
	}
	if n, more := daily.Count(from, from.AddDate(1, 0, 0), 365); n != 365 || more {
		t.Errorf("Count = %d, %t; want 365, false", n, more)
	}
}

func BenchmarkPrev(b *testing.B) {
	for _, bm := range []struct{ name, zone, expr string }{
		{"five-minutes", "UTC", "0 */5 * * * ?"},
		{"workdays-london", "Europe/London", "0 30 8 ? * MON-FRI"},
		{"leap-day", "UTC", "0 0 0 29 2 ?"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			cron := mustParse(b, bm.expr, bm.zone)
			start := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC)
			at := start
			b.ReportAllocs()
			for b.Loop() {
				prev, ok := cron.Prev(at)
				if at = prev; !ok || at.Year() < 2026 {
					at = start
				}
			}
		})
	}
}

func BenchmarkNextUnderWall(b *testing.B) {
	for _, expr := range []string{"0 */5 * * * ?", "0 30 2 * * ?", "0 30 8 ? * MON-FRI"} {
		b.Run(strings.ReplaceAll(expr, " ", "_"), func(b *testing.B) {
			cron, err := ParseCronWith(expr, CronOptions{Zone: mustZone(b, "America/New_York"), DST: Wall()})
			if err != nil {
				b.Fatal(err)
			}
			at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			b.ReportAllocs()
			for b.Loop() {
				if at, _ = cron.Next(at); at.Year() > 2030 {
					at = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
				}
			}
		})
	}
}
