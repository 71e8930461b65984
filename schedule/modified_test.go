package schedule

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/schedule/calendar"
)

// compiledCalendar compiles the rules of a test.
func compiledCalendar(t rapid.TB, rules calendar.Rules) *calendar.Calendar {
	t.Helper()
	c, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// weekends forbids Saturdays and Sundays.
func weekends() calendar.Rules {
	return calendar.Rules{Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday), calendar.Weekday(time.Sunday)}}
}

// shelf is a lookup of calendars.
func shelf(calendars map[string]*calendar.Calendar) Calendars {
	return func(key string) *calendar.Calendar { return calendars[key] }
}

// testShelf has the calendars that tests name.
var testShelf = sync.OnceValue(func() Calendars {
	span := func(from, to, name string) calendar.Rules {
		r := calendar.Range{Name: name}
		if r.From.UnmarshalText([]byte(from)) != nil || r.To.UnmarshalText([]byte(to)) != nil {
			panic(name)
		}
		return calendar.Rules{Ranges: []calendar.Range{r}}
	}
	only := func(day time.Weekday) calendar.Rules {
		return calendar.Rules{Mode: calendar.ModeOnly, Weekdays: []calendar.Weekday{calendar.Weekday(day)}}
	}
	compiled := map[string]*calendar.Calendar{}
	for key, rules := range map[string]calendar.Rules{
		"weekends":   weekends(),
		"may":        span("2026-05-01", "2026-05-01", "Labour Day"),
		"year":       span("2026-01-01", "2026-12-31", "Closed"),
		"sabbatical": span("2026-01-01", "2027-12-31", "Sabbatical"),
		"mondays":    only(time.Monday),
		"tuesdays":   only(time.Tuesday),
	} {
		c, err := rules.Compile()
		if err != nil {
			panic(err)
		}
		compiled[key] = c
	}
	return shelf(compiled)
})

// compiledWith compiles a Spec of a test with the calendars of tests.
func compiledWith(t rapid.TB, spec Spec) Schedule {
	t.Helper()
	if err := spec.ValidateWith(testShelf()); err != nil {
		t.Fatalf("%+v: %v", spec, err)
	}
	s, err := spec.CompileWith(testShelf())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// texts are instants in a zone as tests write them.
func texts(found []time.Time, zone *time.Location) (lines []string) {
	for _, at := range found {
		lines = append(lines, at.In(zone).Format("2006-01-02 15:04:05.999"))
	}
	return lines
}

// utcOf reads an instant as tests write it.
func utcOf(t rapid.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestModifiers(t *testing.T) {
	t.Parallel()
	utc := func(text string) time.Time { return utcOf(t, text) }
	noon := Spec{Kind: KindCron, Cron: "0 0 12 * * ?"}
	tests := []struct {
		name  string
		spec  func(*Spec)
		after string
		want  []string
	}{
		{"start is included", func(s *Spec) { s.Start = utc("2026-05-04 12:00:00") }, "2026-01-01 00:00:00", []string{"2026-05-04 12:00:00", "2026-05-05 12:00:00"}},
		{"start between firings", func(s *Spec) { s.Start = utc("2026-05-04 12:00:01") }, "2026-01-01 00:00:00", []string{"2026-05-05 12:00:00", "2026-05-06 12:00:00"}},
		{"end is not", func(s *Spec) { s.End = utc("2026-05-04 12:00:00") }, "2026-05-03 00:00:00", []string{"2026-05-03 12:00:00"}},
		{"behind the end", func(s *Spec) { s.End = utc("2026-05-04 12:00:00") }, "2026-05-03 12:00:00", nil},
		{"skip", func(s *Spec) { s.Calendars = []string{"weekends"} }, "2026-05-01 00:00:00", []string{"2026-05-01 12:00:00", "2026-05-04 12:00:00"}},
		{"two calendars", func(s *Spec) { s.Calendars = []string{"weekends", "may"} }, "2026-04-30 00:00:00", []string{"2026-04-30 12:00:00", "2026-05-04 12:00:00"}},
		{"a year of closed days", func(s *Spec) { s.Calendars, s.Cron = []string{"year"}, "* * * * * ?" }, "2026-01-01 00:00:00", []string{"2027-01-01 00:00:00", "2027-01-01 00:00:01"}},
		{"count does not end it", func(s *Spec) { s.Count = 1 }, "2026-05-01 00:00:00", []string{"2026-05-01 12:00:00", "2026-05-02 12:00:00"}},
		{
			"days of the zone", func(s *Spec) { s.Zone, s.Cron, s.Calendars = "Asia/Shanghai", "0 0 0,23 * * ?", []string{"weekends"} },
			"2026-05-01 00:00:00",
			[]string{"2026-05-01 15:00:00", "2026-05-03 16:00:00", "2026-05-04 15:00:00"},
		},
		{
			"every in days of the zone",
			func(s *Spec) {
				*s = Spec{Kind: KindEvery, Every: 8 * time.Hour, Zone: "Asia/Shanghai", Calendars: []string{"weekends"}}
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-01 08:00:00", "2026-05-03 16:00:00", "2026-05-04 00:00:00"},
		},
		{
			"shift joins what meets", func(s *Spec) { s.Calendars, s.Excluded = []string{"weekends"}, ExcludedShift },
			"2026-05-01 00:00:00",
			[]string{"2026-05-01 12:00:00", "2026-05-04 12:00:00", "2026-05-05 12:00:00"},
		},
		{
			"shift among the firings of the day",
			func(s *Spec) {
				s.Cron, s.Calendars, s.Excluded = "0 0 9,15 ? * SUN,MON", []string{"mondays"}, ExcludedShift
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-04 09:00:00", "2026-05-04 15:00:00", "2026-05-11 09:00:00"},
		},
		{
			"shift keeps the times apart",
			func(s *Spec) {
				*s = Spec{Kind: KindSeveral, Of: []Spec{{Kind: KindCron, Cron: "0 0 9 ? * SAT"}, {Kind: KindCron, Cron: "0 0 8 ? * SUN"}, {Kind: KindCron, Cron: "0 30 8 ? * MON"}}}
				s.Calendars, s.Excluded = []string{"weekends"}, ExcludedShift
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-04 08:00:00", "2026-05-04 08:30:00", "2026-05-04 09:00:00", "2026-05-11 08:00:00"},
		},
		{
			"shift by more than a year",
			func(s *Spec) {
				s.Cron, s.Calendars, s.Excluded = "0 0 12 1 * ?", []string{"sabbatical"}, ExcludedShift
			},
			"2025-12-31 12:00:00",
			[]string{"2028-01-01 12:00:00", "2028-02-01 12:00:00"},
		},
		{
			"shift from the front of a long time",
			func(s *Spec) {
				s.Cron, s.Calendars, s.Excluded = "0 0 12 1 12 ? 2026", []string{"year"}, ExcludedShift
			},
			"2025-12-31 12:00:00",
			[]string{"2027-01-01 12:00:00"},
		},
		{
			"shift behind the end falls away",
			func(s *Spec) {
				s.Calendars, s.Excluded, s.End = []string{"weekends"}, ExcludedShift, utc("2026-05-03 18:00:00")
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-01 12:00:00"},
		},
		{
			"what is named before the start does not shift behind it",
			func(s *Spec) {
				s.Cron, s.Calendars, s.Excluded, s.Start = "0 0 9 ? * SAT", []string{"weekends"}, ExcludedShift, utc("2026-05-03 00:00:00")
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-11 09:00:00"},
		},
		{
			"shift into a gap",
			func(s *Spec) {
				s.Zone, s.Cron, s.Calendars, s.Excluded = "America/New_York", "0 30 2 ? * SAT", []string{"weekends"}, ExcludedShift
			},
			"2026-03-06 12:00:00",
			[]string{"2026-03-09 06:30:00", "2026-03-16 06:30:00"},
		},
		{
			"after from the begin of the next allowed day",
			func(s *Spec) { *s = Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}} },
			"2026-05-01 23:30:00",
			[]string{"2026-05-04 00:00:00", "2026-05-04 01:00:00"},
		},
		{
			"after at the same time of the next allowed day",
			func(s *Spec) {
				*s = Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}, Excluded: ExcludedShift}
			},
			"2026-05-01 23:30:00",
			[]string{"2026-05-04 00:30:00", "2026-05-04 01:30:00"},
		},
		{
			"after within bounds",
			func(s *Spec) {
				*s = Spec{Kind: KindAfter, After: time.Hour, Start: utc("2026-05-01 10:15:00"), End: utc("2026-05-01 12:00:00")}
			},
			"2026-05-01 00:00:00",
			[]string{"2026-05-01 10:15:00", "2026-05-01 11:15:00"},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			spec := noon
			tc.spec(&spec)
			got := texts(firings(compiledWith(t, spec), utcOf(t, tc.after), max(len(tc.want), 1)), time.UTC)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The days of these zones come with steps of the clock of all sorts: over
// midnight, back over midnight, half an hour, a whole day.
func clockSteps(t rapid.TB) []clockStep {
	return []clockStep{
		{mustZone(t, "UTC"), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)},
		{mustZone(t, "America/New_York"), time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC)},
		{mustZone(t, "America/New_York"), time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)},
		{mustZone(t, "America/St_Johns"), time.Date(2009, 3, 8, 3, 31, 0, 0, time.UTC)},
		{mustZone(t, "America/St_Johns"), time.Date(2009, 11, 1, 2, 31, 0, 0, time.UTC)},
		{mustZone(t, "America/Sao_Paulo"), time.Date(2017, 10, 15, 3, 0, 0, 0, time.UTC)},
		{mustZone(t, "America/Sao_Paulo"), time.Date(2018, 2, 18, 2, 0, 0, 0, time.UTC)},
		{mustZone(t, "Australia/Lord_Howe"), time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC)},
		{mustZone(t, "Australia/Lord_Howe"), time.Date(2026, 10, 3, 15, 30, 0, 0, time.UTC)},
		{mustZone(t, "Pacific/Apia"), time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC)},
		{mustZone(t, "Pacific/Kwajalein"), time.Date(1993, 8, 21, 12, 0, 0, 0, time.UTC)},
	}
}

// clockStep is a zone and an instant at which its clock may step.
type clockStep struct {
	zone *time.Location
	at   time.Time
}

// slowWall is a wall time, as an instant in UTC.
func slowWall(at time.Time, zone *time.Location) time.Time {
	_, offset := at.In(zone).Zone()
	return at.Add(time.Duration(offset) * time.Second).UTC()
}

// slowLand looks at every minute for the first one whose wall time is not before
// the given one.
func slowLand(zone *time.Location, wall time.Time) time.Time {
	minute := wall.Truncate(time.Minute)
	_, before := wall.Add(-30 * time.Hour).In(zone).Zone()
	_, after := wall.Add(30 * time.Hour).In(zone).Zone()
	at := minute.Add(-time.Duration(max(before, after))*time.Second - 90*time.Minute).Truncate(time.Minute)
	for slowWall(at, zone).Before(minute) {
		at = at.Add(time.Minute)
	}
	if slowWall(at, zone).Equal(minute) {
		at = at.Add(wall.Sub(minute))
	}
	return at
}

// slowDay is the day of an instant.
func slowDay(at time.Time, zone *time.Location) calendar.Date { return calendar.DateOf(at.In(zone)) }

// slowFirings moves or drops each of the slots by itself.
func slowFirings(slots []time.Time, zone *time.Location, cal *calendar.Calendar, shift bool, end time.Time) (fired, dropped []time.Time) {
	exists := func(d calendar.Date) bool {
		start := slowLand(zone, time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC))
		return slowDay(start, zone) == d
	}
	for _, slot := range slots {
		day := slowDay(slot, zone)
		if cal.Allows(day) {
			fired = append(fired, slot)
			continue
		}
		if !shift {
			dropped = append(dropped, slot)
			continue
		}
		moved := false
		for n := 1; n <= maxShift; n++ {
			later := day.Add(n)
			if !cal.Allows(later) || !exists(later) {
				continue
			}
			clock := slowWall(slot, zone)
			at := slowLand(zone, time.Date(later.Year, later.Month, later.Day, clock.Hour(), clock.Minute(), clock.Second(), 0, time.UTC))
			if end.IsZero() || at.Before(end) {
				fired = append(fired, at.UTC())
				moved = true
			}
			break
		}
		if !moved {
			dropped = append(dropped, slot)
		}
	}
	slices.SortFunc(fired, time.Time.Compare)
	return slices.CompactFunc(fired, time.Time.Equal), dropped
}

// drawClosing draws the days around an instant that are not allowed.
func drawClosing(t *rapid.T, at time.Time) *calendar.Calendar {
	rules := calendar.Rules{}
	for range rapid.IntRange(0, 5).Draw(t, "closed") {
		from := calendar.DateOf(at).Add(rapid.IntRange(-9, 9).Draw(t, "day"))
		to := from.Add(rapid.IntRange(0, 4).Draw(t, "length"))
		rules.Ranges = append(rules.Ranges, calendar.Range{From: from, To: to, Name: from.String()})
	}
	if rapid.Bool().Draw(t, "weekends") {
		rules.Weekdays = weekends().Weekdays
	}
	return compiledCalendar(t, rules)
}

// drawInner draws a schedule that fires at whole minutes.
func drawInner(t *rapid.T, zone string) Spec {
	minute := rapid.SampledFrom([]string{"0", "30", "*/10", "1", "59"}).Draw(t, "minute")
	hour := rapid.SampledFrom([]string{"*", "0", "2", "23", "0-3", "1,22"}).Draw(t, "hour")
	dst := rapid.SampledFrom(allRules).Draw(t, "dst")
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return Spec{Kind: KindEvery, Every: time.Duration(rapid.IntRange(10, 5000).Draw(t, "every")) * time.Minute, Zone: zone}
	case 1:
		return Spec{Kind: KindDaily, Daily: "22:00-03:00 every 37m", Zone: zone}
	}
	return Spec{Kind: KindCron, Cron: fmt.Sprintf("0 %s %s * * ?", minute, hour), Zone: zone, DST: &dst}
}

// The firings and the dropped slots are those that a look at each single slot
// finds, in all zones and around steps of the clock.
func TestModifiedAgreesWithEachSlot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scene := rapid.SampledFrom(clockSteps(t)).Draw(t, "scene")
		cal := drawClosing(t, scene.at)
		spec := drawInner(t, scene.zone.String())
		inner, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		from, to := scene.at.AddDate(0, 0, -20), scene.at.AddDate(0, 0, 20)
		spec.Calendars = []string{"c"}
		if rapid.Bool().Draw(t, "shift") {
			spec.Excluded = ExcludedShift
		}
		if rapid.Bool().Draw(t, "bounded") {
			spec.Start = scene.at.AddDate(0, 0, rapid.IntRange(-12, 0).Draw(t, "start"))
			spec.End = spec.Start.Add(time.Duration(rapid.IntRange(1, 15*24*60).Draw(t, "end")) * time.Minute)
		}
		spec.Jitter, spec.Seed = time.Hour, rapid.Uint32().Draw(t, "seed")
		s, err := spec.CompileWith(shelf(map[string]*calendar.Calendar{"c": cal}))
		if err != nil {
			t.Fatal(err)
		}
		offset := jitterOf(spec.Jitter, spec.Seed)

		low, high := from, to.AddDate(0, 0, 10)
		if !spec.Start.IsZero() {
			low, high = spec.Start, spec.End
		}
		fired, dropped := slowFirings(Between(inner, low, high, maxWalk), scene.zone, cal, spec.Excluded == ExcludedShift, spec.End)
		// Far from the edges of what was looked at.
		from, to = from.AddDate(0, 0, 10), to.AddDate(0, 0, -2)
		cut := func(all []time.Time) (found []time.Time) {
			for _, at := range all {
				if at = at.Add(offset); !at.Before(from) && at.Before(to) {
					found = append(found, at.UTC())
				}
			}
			return found
		}
		fired, dropped = cut(fired), cut(dropped)
		got := Between(s, from, to, maxWalk)
		if diff := cmp.Diff(texts(fired, scene.zone), texts(got, scene.zone)); diff != "" {
			t.Fatalf("%s: firings (-want +got):\n%s", spec, diff)
		}
		if n, more := Count(s, from, to, maxWalk); n != len(fired) || more {
			t.Fatalf("%s: Count = %d, %t; want %d", spec, n, more, len(fired))
		}
		gone, more := Dropped(s, from.Add(-1), to, maxWalk)
		if more != 0 {
			t.Fatalf("%d more were dropped", more)
		}
		var at []time.Time
		for _, slot := range gone {
			if !slot.Dropped || slot.Calendar != "c" || !slot.Named.Add(offset).Equal(slot.At) || slot.Day != cal.Name(slowDay(slot.Named, scene.zone)) {
				t.Fatalf("%s: dropped %+v", spec, slot)
			}
			at = append(at, slot.At)
		}
		if diff := cmp.Diff(texts(dropped, scene.zone), texts(at, scene.zone)); diff != "" {
			t.Fatalf("%s: dropped (-want +got):\n%s", spec, diff)
		}
		checkPreview(t, s, from, fired, dropped)
	})
}

// checkPreview checks that a preview shows what fires and what is dropped, in
// order.
func checkPreview(t *rapid.T, s Schedule, from time.Time, fired, dropped []time.Time) {
	expected := len(fired) + len(dropped)
	fires := make(map[time.Time]bool, len(fired))
	for _, at := range fired {
		fires[at] = true
	}
	last := from.Add(-1)
	for _, slot := range Preview(s, from.Add(-1), maxWalk) {
		if !slot.Into.IsZero() { // it is no firing, but one with one
			if next, ok := s.Next(slot.Into.Add(-1)); !ok || !next.Equal(slot.Into) || !slot.Dropped || !slot.At.Before(slot.Into) {
				t.Fatalf("the preview says that %+v is one with a firing, the schedule fires at %s", slot, next)
			}
			if slot.At.Before(last) || fires[slot.At] {
				t.Fatalf("the preview shows %+v after %s", slot, last)
			}
			last = slot.At
			continue
		}
		if expected == 0 {
			break
		}
		expected--
		if slot.At.Before(last) {
			t.Fatalf("the preview goes back from %s to %+v", last, slot)
		}
		last = slot.At
		list := &fired
		if slot.Dropped {
			list = &dropped
		} else if next, ok := s.Next(slot.At.Add(-1)); !ok || !next.Equal(slot.At) {
			t.Fatalf("the preview shows %+v, the schedule fires at %s", slot, next)
		}
		if slot.Named.After(slot.At) {
			t.Fatalf("%+v is moved back", slot)
		}
		if len(*list) == 0 || !(*list)[0].Equal(slot.At) {
			t.Fatalf("the preview shows %+v, left are %v", slot, *list)
		}
		*list = (*list)[1:]
	}
	if len(fired)+len(dropped) != 0 {
		t.Fatalf("the preview lacks %v and %v", fired, dropped)
	}
}

// However dense the firings and however long the closed days, an answer comes
// soon.
func TestModifiedIsBounded(t *testing.T) {
	t.Parallel()
	for _, spec := range []Spec{
		{Kind: KindCron, Cron: "* * * * * ?", Calendars: []string{"sabbatical"}, Zone: "America/New_York"},
		{Kind: KindCron, Cron: "* * * * * ?", Calendars: []string{"year"}, Zone: "America/New_York", Excluded: ExcludedShift},
		{Kind: KindEvery, Every: MinEvery, Calendars: []string{"sabbatical", "mondays"}, Zone: "Africa/Casablanca", Excluded: ExcludedShift},
		{Kind: KindCron, Cron: "0 30 2 ? * SUN", Calendars: []string{"weekends"}, Zone: "Europe/Berlin", Excluded: ExcludedShift},
		{Kind: KindDaily, Daily: "00:00-24:00 every 100ms", Calendars: []string{"year"}, Zone: "Australia/Lord_Howe", Excluded: ExcludedShift},
		{Kind: KindAfter, After: MinEvery, Calendars: []string{"sabbatical"}},
	} {
		s := compiledWith(t, spec)
		ends := []time.Time{
			{},
			time.Unix(-1<<63, 0), time.Unix(-1, 999), time.Unix(0, 0), time.Unix(1<<33, 0), time.Unix(1<<60, 0),
			utcOf(t, "2025-12-31 23:59:59"), utcOf(t, "2026-06-01 00:00:00"), utcOf(t, "2027-01-01 12:00:00"), utcOf(t, "2126-12-30 12:00:00"),
		}
		for _, after := range ends {
			var next, dropped time.Time
			if took := quickest(func() {
				next, _ = s.Next(after)
				if slots, _ := Dropped(s, after, after.Add(time.Hour), 1); len(slots) > 0 {
					dropped = slots[0].At
				}
			}); took > 250*time.Millisecond {
				t.Errorf("%s at %s: the answer took %s", spec, after, took)
			}
			if !next.IsZero() && !next.After(after) || !dropped.IsZero() && !dropped.After(after) {
				t.Errorf("%s: Next(%s) = %s, the first that is dropped %s", spec, after, next, dropped)
			}
		}
	}
}

func TestModifiedAllocatesNothing(t *testing.T) {
	for _, excluded := range []Excluded{ExcludedSkip, ExcludedShift} {
		s := compiledWith(t, Spec{
			Kind: KindCron, Cron: "0 */10 9-17 * * ?", Zone: "America/New_York", Calendars: []string{"weekends", "may"}, Excluded: excluded,
			Start: utcOf(t, "2026-01-01 00:00:00"), Jitter: time.Minute, Seed: 3,
		})
		at := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
		if n := testing.AllocsPerRun(200, func() { at, _ = s.Next(at) }); n != 0 {
			t.Errorf("%s: Next makes %v allocations, want 0", excluded, n)
		}
	}
}

func BenchmarkNextModified(b *testing.B) {
	workdays := Spec{Kind: KindCron, Cron: "0 */5 * * * ?", Zone: "America/New_York"}
	change := func(change func(*Spec)) Spec {
		s := workdays
		change(&s)
		return s
	}
	for _, bm := range []struct {
		name string
		spec Spec
	}{
		{"plain", workdays},
		{"jitter", change(func(s *Spec) { s.Jitter, s.Seed = time.Minute, 3 })},
		{"skip", change(func(s *Spec) { s.Calendars = []string{"weekends"} })},
		{"shift", change(func(s *Spec) { s.Calendars, s.Excluded = []string{"weekends"}, ExcludedShift })},
		{"shift-over-a-year", change(func(s *Spec) { s.Cron, s.Calendars, s.Excluded = "* * * * * ?", []string{"year"}, ExcludedShift })},
		{"daily", Spec{Kind: KindDaily, Daily: "09:00-18:00 MON-FRI every 5m", Zone: "America/New_York"}},
		{"several", Spec{Kind: KindSeveral, Of: []Spec{workdays, {Kind: KindEvery, Every: time.Minute}, {Kind: KindCron, Cron: "0 0 9 * * ?"}}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			s := compiledWith(b, bm.spec)
			start := utcOf(b, "2027-01-01 06:00:00")
			at := start
			b.ReportAllocs()
			for b.Loop() {
				if at, _ = s.Next(at); at.Sub(start) > 24*time.Hour {
					at = start
				}
			}
		})
	}
}
