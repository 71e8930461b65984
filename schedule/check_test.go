package schedule

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever is wrong is said at once, with its place and what is allowed.
func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	cron := Spec{Kind: KindCron, Cron: "0 0 12 * * ?"}
	with := func(s Spec, change func(*Spec)) Spec {
		change(&s)
		return s
	}
	several := func(of ...Spec) Spec { return Spec{Kind: KindSeveral, Of: of} }
	tests := []struct {
		name           string
		spec           Spec
		input, message string
	}{
		{"no delay", Spec{Kind: KindAfter}, "after", "the delay 0s is out of range"},
		{"a negative delay", Spec{Kind: KindAfter, After: -time.Minute}, "after", "the delay -1m is out of range"},
		{"a fine delay", Spec{Kind: KindAfter, After: time.Second + 1}, "after", "whole number of milliseconds"},
		{"a delay of centuries", Spec{Kind: KindAfter, After: 1<<63 - 1}, "after", "out of range"},
		{"jitter after a run", Spec{Kind: KindAfter, After: time.Minute, Jitter: time.Second}, "jitter", "the kind is after"},
		{"no window", Spec{Kind: KindDaily}, "daily", "a time of day is expected"},
		{"a strange rule for a window", Spec{Kind: KindDaily, Daily: "09:00-18:00 every 5m", DST: &DST{Gap: "jump"}}, "dst.gap", `"jump"`},
		{"10 kB of days", Spec{Kind: KindDaily, Daily: "09:00-18:00 " + strings.Repeat("MON,", 2500)}, "daily", "at most 1024"},
		{"10 kB of hours", Spec{Kind: KindCron, Cron: "0 0 " + strings.Repeat("1,", 5000) + "2 * * ?"}, "cron", "has 10011 bytes"},
		{"once without anything", Spec{Kind: KindOnce}, "at", "is missing"},
		{"once before now", Spec{Kind: KindOnce, Delay: -time.Second}, "delay", "-1s is out of range"},
		{"once in a microsecond", Spec{Kind: KindOnce, Delay: time.Microsecond}, "delay", "out of range"},
		{"once after a fraction", Spec{Kind: KindOnce, Delay: 1500 * time.Microsecond}, "delay", "whole number of milliseconds"},
		{"once after centuries", Spec{Kind: KindOnce, Delay: MaxEvery + time.Second}, "delay", "out of range"},
		{"once in 2199", Spec{Kind: KindOnce, At: noon.AddDate(173, 0, 0)}, "at", "2199"},

		{"several of none", several(), "of", "0 schedules"},
		{"several of one", several(cron), "of", "1 schedule in it"},
		{"several of many", several(slices.Repeat([]Spec{cron}, MaxSeveral+1)...), "of", "17 schedules"},
		{"several in several", several(cron, several(cron, cron)), "of[1].kind", "cannot stand in several"},
		{"several with after", several(cron, Spec{Kind: KindAfter, After: time.Minute}), "of[1].kind", "follows the end of each run"},
		{"several with manual", several(Spec{Kind: KindManual}, cron), "of[0].kind", "never fires"},
		{"several with a strange kind", several(cron, Spec{Kind: "weekly"}), "of[1].kind", `"weekly"`},
		{"several with a delay", several(cron, Spec{Kind: KindOnce, Delay: time.Minute}), "of[1].delay", "counts from the start"},
		{"several with a count", several(cron, with(cron, func(s *Spec) { s.Count = 1 })), "of[1].count", "one of several"},
		{"several with a jitter", several(cron, with(cron, func(s *Spec) { s.Jitter = 1 })), "of[1].jitter", "one of several"},
		{"several with a seed", several(cron, with(cron, func(s *Spec) { s.Seed = 1 })), "of[1].seed", "one of several"},
		{"several with a wrong field", several(cron, cron, Spec{Kind: KindCron, Cron: "0 0 25 * * ?"}), "of[2].cron", "25"},
		{"several with a wrong zone", several(cron, with(cron, func(s *Spec) { s.Zone = "Mars" })), "of[1].zone", `"Mars"`},
		{"several with a stranger", several(cron, with(cron, func(s *Spec) { s.At = noon })), "of[1].at", "the kind is cron"},
		{"several of which one never fires", several(cron, Spec{Kind: KindCron, Cron: "0 0 0 31 2 ?"}), "of[1].cron", "never fires"},
		{"several of which one knows no calendar", several(cron, with(cron, func(s *Spec) { s.Calendars = []string{"x"} })), "of[1].calendars", `no calendar "x"`},
		{"rules for several", with(several(cron, cron), func(s *Spec) { s.DST = &DST{} }), "dst", "the kind is several"},
		{"schedules in cron", with(cron, func(s *Spec) { s.Of = []Spec{cron} }), "of", "the kind is cron"},
		{"a window in cron", with(cron, func(s *Spec) { s.Daily = "x" }), "daily", "the kind is cron"},
		{"a delay in cron", with(cron, func(s *Spec) { s.Delay = 1 }), "delay", "the kind is cron"},
		{"an after in cron", with(cron, func(s *Spec) { s.After = 1 }), "after", "the kind is cron"},

		{"start in 2199", with(cron, func(s *Spec) { s.Start = noon.AddDate(173, 0, 0) }), "start", "2199"},
		{"end in 1926", with(cron, func(s *Spec) { s.End = noon.AddDate(-100, 0, 0) }), "end", "1926"},
		{"end at the start", with(cron, func(s *Spec) { s.Start, s.End = noon, noon }), "end", "is not after the start"},
		{"end before the start", with(cron, func(s *Spec) { s.Start, s.End = noon, noon.Add(-1) }), "end", "is not after the start"},
		{"nothing between them", with(cron, func(s *Spec) { s.Start, s.End = noon.Add(1), noon.Add(time.Hour) }), "end", "none of its firings lies between"},
		{"nothing behind the start", with(Spec{Kind: KindOnce, At: noon}, func(s *Spec) { s.Start = noon.Add(time.Hour) }), "start", "none of its firings lies between"},
		{"a negative count", with(cron, func(s *Spec) { s.Count = -1 }), "count", "-1 is out of range"},
		{"a large count", with(cron, func(s *Spec) { s.Count = MaxCount + 1 }), "count", "out of range"},
		{"a negative jitter", with(cron, func(s *Spec) { s.Jitter = -time.Second }), "jitter", "-1s is out of range"},
		{"a large jitter", with(cron, func(s *Spec) { s.Jitter = MaxJitter + time.Millisecond }), "jitter", "out of range"},
		{"a fine jitter", with(cron, func(s *Spec) { s.Jitter = time.Microsecond }), "jitter", "whole number of milliseconds"},
		{"an unknown calendar", with(cron, func(s *Spec) { s.Calendars = []string{"may", "june"} }), "calendars", `no calendar "june"`},
		{"a calendar of 10 kB", with(cron, func(s *Spec) { s.Calendars = []string{strings.Repeat("x", 10_000)} }), "calendars", "x…"},
		{"a calendar without a name", with(cron, func(s *Spec) { s.Calendars = []string{""} }), "calendars", "empty"},
		{"a calendar twice", with(cron, func(s *Spec) { s.Calendars = []string{"may", "may"} }), "calendars", "twice"},
		{"many calendars", with(cron, func(s *Spec) { s.Calendars = strings.Split("123456789", "") }), "calendars", "there are 9"},
		{"a strange way", with(cron, func(s *Spec) { s.Calendars, s.Excluded = []string{"may"}, "move" }), "excluded", `"move"`},
		{"a shift from nothing", with(cron, func(s *Spec) { s.Excluded = ExcludedShift }), "excluded", "no calendar excludes a day"},
		{"only on excluded days", with(cron, func(s *Spec) { s.Cron, s.Calendars = "0 0 12 ? * SUN", []string{"weekends"} }), "calendars", "never fires"},
		{"each second of excluded days", with(cron, func(s *Spec) { s.Cron, s.Calendars = "* * * ? * SUN", []string{"weekends"} }), "calendars", "never fires"},
		{"calendars that agree on no day", with(cron, func(s *Spec) { s.Calendars = []string{"mondays", "tuesdays"} }), "calendars", "never fires"},
		{"calendars that agree on no day to shift to", with(cron, func(s *Spec) { s.Calendars, s.Excluded = []string{"mondays", "tuesdays"}, ExcludedShift }), "calendars", "never fires"},
		{"a shift of more than a year", with(cron, func(s *Spec) {
			s.Cron, s.Calendars, s.Excluded = "0 0 12 1 5 ? 2026", []string{"sabbatical"}, ExcludedShift
		}), "calendars", "never fires"},
		{"a shift behind the end", with(cron, func(s *Spec) {
			s.Cron, s.Calendars, s.Excluded, s.End = "0 0 12 1 5 ? 2026", []string{"year"}, ExcludedShift, noon.AddDate(0, 1, 0)
		}), "calendars", "never fires"},
		{"bounds of manual", Spec{Kind: KindManual, Start: noon}, "start", "the kind is manual"},
		{"an end of manual", Spec{Kind: KindManual, End: noon}, "end", "the kind is manual"},
		{"a count of manual", Spec{Kind: KindManual, Count: 1}, "count", "the kind is manual"},
		{"a jitter of manual", Spec{Kind: KindManual, Jitter: time.Second}, "jitter", "the kind is manual"},
		{"a calendar of manual", Spec{Kind: KindManual, Calendars: []string{"may"}}, "calendars", "the kind is manual"},
		{"a way of manual", Spec{Kind: KindManual, Excluded: ExcludedSkip}, "excluded", "the kind is manual"},
	}
	calendars := testShelf()
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := tc.spec.ValidateWith(calendars)
			wrong, ok := errors.AsType[*Error](err)
			if !ok || wrong.Input != tc.input || wrong.Hint == "" || !strings.Contains(wrong.Message, tc.message) {
				t.Errorf("ValidateWith = %#v, want %q about %s", err, tc.message, tc.input)
			}
			if ok && len(wrong.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(wrong.Error()))
			}
			if took := quickest(func() { err = tc.spec.ValidateWith(calendars) }); took > 50*time.Millisecond {
				t.Errorf("the answer took %s", took)
			}
			_ = tc.spec.Describe(English)
			_ = tc.spec.String()
		})
	}
}

func TestValidateAllows(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	wall := Wall()
	for _, spec := range []Spec{
		{Kind: KindAfter, After: 30 * 24 * time.Hour},
		{Kind: KindAfter, After: 10 * 365 * 24 * time.Hour, Count: MaxCount},
		{Kind: KindAfter, After: time.Minute, Start: noon, End: noon.Add(time.Second)},
		{Kind: KindEvery, Every: 10 * 365 * 24 * time.Hour},
		{Kind: KindDaily, Daily: "09:00-18:00 every 5m", Zone: "Asia/Shanghai", DST: &wall},
		{Kind: KindOnce, Delay: time.Millisecond},
		{Kind: KindOnce, Delay: 30 * 24 * time.Hour, Calendars: []string{"weekends"}, Start: noon, Jitter: MaxJitter, Seed: 1},
		{Kind: KindOnce, Delay: time.Minute, At: noon},
		{Kind: KindOnce, At: noon, Start: noon, End: noon.Add(1)},
		{Kind: KindSeveral, Of: []Spec{
			{Kind: KindCron, Cron: "@daily", DST: &wall, Zone: "Asia/Tokyo", Start: noon, Calendars: []string{"may"}, Excluded: ExcludedShift},
			{Kind: KindEvery, Every: time.Hour, Anchor: noon, End: noon},
			{Kind: KindDaily, Daily: "09:00-18:00 every 5m"},
			{Kind: KindOnce, At: noon},
		}, Zone: "Asia/Shanghai", Count: 3, Jitter: time.Second, Calendars: []string{"weekends"}},
		{Kind: KindCron, Cron: "@daily", Calendars: []string{"weekends"}, Excluded: ExcludedSkip},
		{Kind: KindCron, Cron: "0 0 12 1 5 ? 2026", Calendars: []string{"year"}, Excluded: ExcludedShift},
		{Kind: KindManual, Seed: 7, Zone: "Asia/Shanghai"},
	} {
		if err := spec.ValidateWith(testShelf()); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Without a lookup no calendar is known.
func TestCalendarsNeedALookup(t *testing.T) {
	t.Parallel()
	spec := Spec{Kind: KindCron, Cron: "@daily", Calendars: []string{"cn"}}
	_, err := spec.Compile()
	for _, err := range []error{err, spec.Validate()} {
		if wrong, ok := errors.AsType[*Error](err); !ok || wrong.Input != "calendars" || !strings.Contains(wrong.Message, `"cn"`) {
			t.Errorf("%v, want an error about the calendar", err)
		}
	}
}

// What needs no wrapping is not wrapped, so that it keeps its speed.
func TestPlainStaysPlain(t *testing.T) {
	t.Parallel()
	for _, spec := range []Spec{
		{Kind: KindCron, Cron: "@daily", Count: 5, Seed: 7},
		{Kind: KindEvery, Every: time.Minute, Zone: "Asia/Shanghai"},
	} {
		s, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if _, wrapped := s.(*modified); wrapped {
			t.Errorf("%s is wrapped", spec)
		}
	}
}

// Any JSON is refused with a place, or fires in order.
func FuzzSpec(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"cron","cron":"0 0 12 * * ?","calendars":["weekends"],"excluded":"shift","jitter":1000000,"seed":9}`,
		`{"kind":"daily","daily":"22:00-05:00 SAT every 7m","zone":"Europe/Berlin","start":"2026-01-01T00:00:00Z"}`,
		`{"kind":"after","after":1000000000,"calendars":["year"]}`,
		`{"kind":"once","delay":1000000000}`,
		`{"kind":"several","of":[{"kind":"every","every":60000000000,"calendars":["may"]},{"kind":"cron","cron":"@hourly"}],"end":"2027-01-01T00:00:00Z","calendars":["mondays"]}`,
		`{"kind":"manual"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var spec Spec
		if json.Unmarshal([]byte(text), &spec) != nil {
			return
		}
		_, _ = spec.Describe(English), spec.Describe(Chinese)
		if err := spec.ValidateWith(testShelf()); err != nil {
			if wrong, ok := errors.AsType[*Error](err); !ok || wrong.Input == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		s, err := spec.CompileWith(testShelf())
		if err != nil {
			t.Fatalf("%q is valid and does not compile: %v", text, err)
		}
		for _, at := range []time.Time{{}, time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)} {
			for range 20 {
				next, ok := s.Next(at)
				if !ok {
					break
				}
				if !next.After(at) {
					t.Fatalf("%q: Next(%s) = %s", text, at, next)
				}
				at = next
			}
		}
		last := time.Time{}
		for _, slot := range Preview(s, time.Time{}, 20) {
			if slot.At.Before(last) {
				t.Fatalf("%q: the preview goes back to %+v", text, slot)
			}
			last = slot.At
		}
	})
}
