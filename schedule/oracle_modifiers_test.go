package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// rulesOfDays draws a calendar for the days around an instant. Some of those that
// may be narrow allow nothing but what they name.
func (d dice) rulesOfDays(around int64, narrow bool) calendar.Rules {
	day := func() calendar.Date {
		at := around + d.between(-600, 900)*secondsPerDay
		return calendar.DateOf(time.Unix(min(max(at, 0), daysBefore(MaxYear, 12)*secondsPerDay), 0).UTC())
	}
	var r calendar.Rules
	for _, weekday := range d.Perm(7)[:d.IntN(3)] {
		r.Weekdays = append(r.Weekdays, calendar.Weekday(weekday))
	}
	for range d.IntN(60) {
		r.Dates = append(r.Dates, calendar.Day{Date: day()})
	}
	for range d.IntN(4) {
		from := day()
		to := time.Date(from.Year, from.Month, from.Day+d.IntN(30), 0, 0, 0, 0, time.UTC)
		r.Ranges = append(r.Ranges, calendar.Range{From: from, To: calendar.DateOf(to)})
	}
	for range d.IntN(20) {
		r.Except = append(r.Except, calendar.Day{Date: day()})
	}
	if narrow && d.oneIn(3) {
		r.Mode = calendar.ModeOnly
		r.Weekdays = []calendar.Weekday{calendar.Weekday(d.IntN(7))}
	}
	return r
}

// walked is what becomes of the slots of a schedule, one by one.
type walked struct{ firings, dropped []time.Time }

// walkSlots asks each slot whether its day is allowed, and moves it day by day when
// it is to move. The slots lie within the bounds of the Spec.
func walkSlots(s Spec, slots []time.Time, zone *time.Location, eras []era, calendars []*calendar.Calendar) (w walked) {
	allowed := func(day time.Time) bool {
		first, last := instantsOf(eras, day.Unix(), GapSkip, OverlapBoth), instantsOf(eras, day.Unix()+secondsPerDay-1, GapSkip, OverlapBoth)
		if len(first)+len(last) == 0 || day.Year() > MaxYear { // the clock jumps over the day, or nothing fires any more
			return false
		}
		return !slices.ContainsFunc(calendars, func(c *calendar.Calendar) bool { return !c.Allows(calendar.DateOf(day)) })
	}
	for _, at := range slots {
		day := at.In(zone)
		clock := int64(day.Hour()*3600 + day.Minute()*60 + day.Second())
		day = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
		moved := 0
		for moved <= 366 && !allowed(day) {
			day = day.AddDate(0, 0, 1)
			moved++
		}
		switch {
		case moved == 0:
			w.firings = append(w.firings, at)
		case s.Excluded != ExcludedShift || moved > 366:
			w.dropped = append(w.dropped, at)
		default:
			if to := time.Unix(instantsOf(eras, day.Unix()+clock, GapAfter, OverlapFirst)[0], 0).UTC(); s.End.IsZero() || to.Before(s.End) {
				w.firings = append(w.firings, to)
			}
		}
	}
	slices.SortFunc(w.firings, time.Time.Compare)
	w.firings = slices.Compact(w.firings)
	return w
}

// Bounds, calendars and jitter around 1,080 expressions do to each firing what
// their words say, in each odd zone.
func TestModifiersAgreeWithTheCalendar(t *testing.T) {
	t.Parallel()
	const places, each = 3, 6
	inOddZones(t, func(t *testing.T, zone *time.Location, d dice) {
		t.Helper()
		for _, at := range d.places(zone, *oracleTimes*places) {
			from := max(at.Unix(), 500*secondsPerDay) - d.between(0, 200)*secondsPerDay
			to := from + 400*secondsPerDay
			eras := erasOf(zone, from-500*secondsPerDay, to+400*secondsPerDay)
			for range (each + oracleShare - 1) / oracleShare {
				checkModified(t, zone, d, eras, from, to)
			}
		}
	})
}

func checkModified(t *testing.T, zone *time.Location, d dice, eras []era, from, to int64) {
	t.Helper()
	rules := d.rules()
	s := Spec{Kind: KindCron, Cron: d.rareExpression(), Zone: zone.String(), DST: &rules}
	known := map[string]*calendar.Calendar{}
	var calendars []*calendar.Calendar
	keys := []string{"one", "two"}[:d.number(0, 2)]
	for _, key := range keys {
		of := d.rulesOfDays(from, len(keys) == 1)
		c, err := of.Compile()
		if err != nil {
			t.Fatal(err)
		}
		known[key], calendars, s.Calendars = c, append(calendars, c), append(s.Calendars, key)
		s.Excluded = pickOf(d, "", ExcludedSkip, ExcludedShift)
	}
	first, last := from-450*secondsPerDay, to
	if d.oneIn(2) {
		first = from + d.between(-100, 200)*secondsPerDay + d.between(0, secondsPerDay)
		s.Start = time.Unix(first, 0)
	}
	if d.oneIn(2) {
		last = to - d.between(0, 200)*secondsPerDay + d.between(0, secondsPerDay)
		s.End = time.Unix(last, 0)
	}
	if d.oneIn(2) {
		s.Jitter, s.Seed = time.Duration(d.between(1, MaxJitter.Milliseconds()))*time.Millisecond, d.Uint32()
	}
	if first >= last || s.Start.Year() > MaxYear || s.End.Year() > MaxYear {
		return
	}
	compiled, err := s.CompileWith(func(key string) *calendar.Calendar { return known[key] })
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	want := walkSlots(s, readText(s.Cron).firings(eras, first, last, rules), zone, eras, calendars)
	var offset time.Duration // of the jitter, for all firings the same
	begin, end := time.Unix(from, 0), time.Unix(to, 0)
	i, _ := slices.BinarySearchFunc(want.firings, begin, time.Time.Compare)
	want.firings = want.firings[i:]
	i, _ = slices.BinarySearchFunc(want.firings, end, time.Time.Compare)
	want.firings = want.firings[:i]
	if s.Jitter > 0 {
		offset = jitterOf(s.Jitter, s.Seed)
		if offset < 0 || offset >= s.Jitter || offset%time.Millisecond != 0 {
			t.Fatalf("the jitter %s moves by %s", s.Jitter, offset)
		}
	}
	for i := range want.firings {
		want.firings[i] = want.firings[i].Add(offset)
	}
	got := Between(compiled, begin.Add(offset), end.Add(offset), maxWalk)
	if !slices.Equal(want.firings, got) {
		t.Fatalf("%+v\nbetween %s and %s, first difference %s\nwant %d: %s\ngot  %d: %s", s, begin.UTC(), end.UTC(),
			firstDifference(want.firings, got), len(want.firings), want.firings, len(got), got)
	}
	if s.Excluded == ExcludedShift {
		return
	}
	dropped, more := Dropped(compiled, begin.Add(offset-1), end.Add(offset), maxWalk)
	var lost []time.Time
	for _, slot := range dropped {
		lost = append(lost, slot.At.Add(-offset))
		if c := known[slot.Calendar]; !slot.Dropped || c == nil || c.Allows(calendar.DateOf(slot.Named.In(zone))) {
			t.Fatalf("%+v: %+v is no slot that a calendar dropped", s, slot)
		}
	}
	want.dropped = slices.DeleteFunc(want.dropped, func(at time.Time) bool { return at.Before(begin) || !at.Before(end) })
	if !slices.Equal(want.dropped, lost) || more != 0 {
		t.Fatalf("%+v: dropped\n%s, and %d more, want\n%s", s, lost, more, want.dropped)
	}
}

// firstDifference returns the first instant that is in one list alone.
func firstDifference(a, b []time.Time) time.Time {
	for i := range min(len(a), len(b)) {
		if a[i].Before(b[i]) {
			return a[i]
		} else if b[i].Before(a[i]) {
			return b[i]
		}
	}
	if len(a) < len(b) {
		return b[len(a)]
	}
	return a[len(b)]
}
