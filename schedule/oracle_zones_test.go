package schedule

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	oracleSeed  = flag.Uint64("oracle-seed", 1, "seed of the expressions that the oracles draw")
	oracleTimes = flag.Int("oracle-times", 1, "how many times as many expressions the oracles draw")
)

// oddZones are sixty zones whose clocks did odd things since 1970, or do them
// still: half hours, quarters and hours at midnight, at 00:01 and at 24:00, steps
// of two and three hours, days that never were, Ramadan, daylight saving that is
// "negative" or all the year, and rules that go on for ever.
const oddZones = `UTC Africa/Cairo Africa/Casablanca Africa/El_Aaiun Africa/Juba Africa/Khartoum Africa/Monrovia Africa/Sao_Tome
Africa/Tripoli Africa/Windhoek America/Asuncion America/Bogota America/Caracas America/Chicago America/Danmarkshavn
America/Godthab America/Guyana America/Havana America/Los_Angeles America/Metlakatla America/Montevideo America/New_York
America/Paramaribo America/Santiago America/Sao_Paulo America/Scoresbysund America/St_Johns Antarctica/Casey
Antarctica/Macquarie Antarctica/Troll Antarctica/Vostok Asia/Amman Asia/Anadyr Asia/Beirut Asia/Dhaka Asia/Gaza
Asia/Hong_Kong Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Asia/Shanghai Asia/Tehran Asia/Ulaanbaatar Atlantic/Azores
Australia/Eucla Australia/Lord_Howe Europe/Dublin Europe/Istanbul Europe/Kaliningrad Europe/Lisbon Europe/London Europe/Moscow
Europe/Volgograd Pacific/Apia Pacific/Chatham Pacific/Easter Pacific/Fakaofo Pacific/Kiritimati Pacific/Kwajalein Pacific/Norfolk`

// ends are instants near which calendars are odd: leap days, the century that
// has none, ends of years, the first and the last year, and the place where
// zones go over from tables to rules.
const ends = `1970-01-01 1970-12-31 1972-02-29 1999-12-31 2000-02-29 2026-12-31 2028-02-29 2037-12-31 2040-12-31 2096-02-29
2099-12-31 2100-02-28 2100-03-01 2104-02-29 2125-12-31 2126-02-28 2126-12-31`

// clockChanges lists the instants in MinYear..MaxYear at which a zone's clock
// steps.
func clockChanges(zone *time.Location) (found []time.Time) {
	at := time.Date(MinYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() <= MaxYear {
		_, next := at.In(zone).ZoneBounds()
		if next.IsZero() {
			break
		}
		if next = next.UTC(); !next.After(at) {
			at = at.AddDate(0, 0, 1) // the 366th day of a year beyond the tables
			continue
		}
		if offsetAt(zone, next.Unix()) != offsetAt(zone, next.Unix()-1) {
			found = append(found, next)
		}
		at = next
	}
	return found
}

// places draws n instants: most are changes of the clock, the others ends or
// anywhere.
func (d dice) places(zone *time.Location, n int) (found []time.Time) {
	steps, odd := clockChanges(zone), strings.Fields(ends)
	for i := range n {
		at := time.Unix(d.between(0, lastWall-secondsPerDay), 0)
		if i%4 == 3 {
			at, _ = time.Parse(time.DateOnly, pickOf(d, odd...))
		} else if i%4 < 2 && len(steps) > 0 {
			at = pickOf(d, steps...)
		}
		found = append(found, at.Truncate(30*time.Second).UTC())
	}
	return found
}

// inOddZones runs a test in each odd zone, with dice of its own.
func inOddZones(t *testing.T, check func(t *testing.T, zone *time.Location, d dice)) {
	t.Helper()
	names := strings.Fields(oddZones)
	if len(names) != 60 {
		t.Fatalf("there are %d odd zones, want 60", len(names))
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("drawn with -oracle-seed=%d", *oracleSeed)
				}
			}()
			check(t, mustZone(t, name), dice{rand.New(rand.NewPCG(*oracleSeed, uint64(i)))})
		})
	}
}

// compileRead compiles an expression with the package and reads it with the
// reader.
func compileRead(t *testing.T, expr string, zone *time.Location, rules DST) (*Cron, *reading) {
	t.Helper()
	cron, err := ParseCronWith(expr, CronOptions{Zone: zone, DST: rules})
	if err != nil {
		t.Fatalf("ParseCronWith(%q) = %v", expr, err)
	}
	return cron, readText(expr)
}

// Next, Prev, Count and Between say of 10,800 expressions, 180 in each odd zone,
// what one sees who reads the expression's text and looks at the clock all the
// time: no firing more, none less, in order.
func TestSixtyZonesAgreeWithTheClock(t *testing.T) {
	t.Parallel()
	const places, each, most = 6, 30, 300
	inOddZones(t, func(t *testing.T, zone *time.Location, d dice) {
		t.Helper()
		for i, at := range d.places(zone, *oracleTimes*places) {
			l := newTimeline(zone, at, 36*60*60, 30)
			if i%3 == 1 {
				l = newTimeline(zone, at, 75*60, 1)
			}
			for range each / oracleShare {
				expr, rules := d.expression(l.step), d.rules()
				cron, read := compileRead(t, expr, zone, rules)
				want := read.matcher(expr).firings(l, rules)
				from, to := l.from(), l.to()
				if n := len(want); n > most { // the middle, where the change is
					from, to = want[(n-most)/2], want[(n+most)/2]
					want = want[(n-most)/2 : (n+most)/2]
				}
				checkFirings(t, cron, from, to, want, d.between)
			}
		}
	})
}

// era is a time in which a zone's clock goes straight on, found by looking at
// the clock alone.
type era struct{ begin, end, offset int64 }

// erasOf lists the eras of a zone between two Unix seconds.
func erasOf(zone *time.Location, from, to int64) (eras []era) {
	now := era{begin: from, offset: offsetAt(zone, from)}
	for u := from; u < to; u += 3600 {
		if offsetAt(zone, u+3600) == now.offset {
			continue
		}
		low, high := u, u+3600 // the change is after low and not after high
		for high-low > 1 {
			if mid := (low + high) / 2; offsetAt(zone, mid) == now.offset {
				low = mid
			} else {
				high = mid
			}
		}
		now.end = high
		eras = append(eras, now)
		now = era{begin: high, offset: offsetAt(zone, high)}
	}
	now.end = to
	return append(eras, now)
}

// instantsOf lists when a wall time comes under rules, the first pass first.
func instantsOf(eras []era, wall int64, gap GapRule, overlap OverlapRule) (found []int64) {
	for i, e := range eras {
		if at := wall - e.offset; at >= e.begin && at < e.end {
			found = append(found, at)
		}
		if i > 0 && wall >= e.begin+eras[i-1].offset && wall < e.begin+e.offset { // the clock jumps over it
			switch gap {
			case GapAfter:
				return []int64{e.begin}
			case GapBefore:
				return []int64{e.begin - 1}
			case GapSkip, "":
				return nil
			}
		}
	}
	switch {
	case len(found) < 2 || overlap == OverlapBoth:
		return found
	case overlap == OverlapFirst:
		return found[:1]
	}
	return found[1:]
}

// The same over years, of 1,800 expressions that fire on few days, or never:
// each day is asked whether it is one, and each time of it where it is on the
// zone's line of time.
func TestSixtyZonesAgreeWithTheCalendar(t *testing.T) {
	t.Parallel()
	const places, each = 3, 10
	inOddZones(t, func(t *testing.T, zone *time.Location, d dice) {
		t.Helper()
		for _, at := range d.places(zone, *oracleTimes*places) {
			from := at.Unix() - d.between(0, 1200)*secondsPerDay
			to := from + 1500*secondsPerDay
			eras := erasOf(zone, from-5*secondsPerDay, to+5*secondsPerDay)
			for range each / oracleShare {
				expr, rules := d.rareExpression(), d.rules()
				cron, read := compileRead(t, expr, zone, rules)
				want := read.firings(eras, from, to, rules)
				checkFirings(t, cron, time.Unix(from, 0), time.Unix(to, 0), want, d.between)
			}
		}
	})
}

// firings lists what fires from one Unix second on and before another, day by
// day.
func (r *reading) firings(eras []era, from, to int64, rules DST) []time.Time {
	if rules.Straight && r.matcher("").paced() {
		rules.Gap, rules.Overlap = GapSkip, OverlapBoth
	}
	var clock []int64
	for n := int64(0); n < secondsPerDay; n++ {
		switch {
		case !r.hour[n/3600]:
			n += 3599
		case !r.minute[n/60%60]:
			n += 59
		case r.second[n%60]:
			clock = append(clock, n)
		}
	}
	var found []int64
	for day := max(from/secondsPerDay-3, 0); day <= to/secondsPerDay+3; day++ {
		if !r.onDay(time.Unix(day*secondsPerDay, 0).UTC()) {
			continue
		}
		for _, second := range clock {
			for _, at := range instantsOf(eras, day*secondsPerDay+second, rules.Gap, rules.Overlap) {
				if at >= from && at < to {
					found = append(found, at)
				}
			}
		}
	}
	slices.Sort(found)
	var instants []time.Time
	for _, at := range slices.Compact(found) {
		instants = append(instants, time.Unix(at, 0).UTC())
	}
	return instants
}

// The reader and the walks find a fault when there is one: each of these
// expressions is given out for the other.
func TestOraclesCatch(t *testing.T) {
	t.Parallel()
	zone, at := mustZone(t, "America/New_York"), time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)
	l := newTimeline(zone, at, 36*60*60, 30)
	for _, tc := range []struct{ is, claims string }{
		{"0 30 1 * * ?", "0 30 1,2 * * ?"},
		{"0 30 1,2 * * ?", "0 30 1 * * ?"},
		{"0 30 1 1 * ?", "0 30 1 1W * ?"},
		{"0 0 0 ? * SUN#1", "0 0 0 ? * SUN#2"},
		{"30 1 1 * 1", "30 1 */1 * 1"},
		{"0 30 1 * * ? 2026", "0 30 1 * * ? 2027"},
	} {
		cron, _ := compileRead(t, tc.is, zone, DST{})
		want := readText(tc.claims).matcher(tc.claims).firings(l, DST{})
		if slices.Equal(want, Between(cron, l.from(), l.to(), 1000)) {
			t.Errorf("%q passes for %q", tc.is, tc.claims)
		}
	}
	for _, rules := range [][2]DST{
		{Quartz(), {Overlap: OverlapFirst}}, {Quartz(), {Overlap: OverlapBoth}}, {Quartz(), Wall()},
	} {
		cron, read := compileRead(t, "0 30 1 * * ?", zone, rules[0])
		got := fmt.Sprint(Between(cron, l.from(), l.to(), 1000))
		walked := read.matcher("").firings(l, rules[1])
		reckoned := read.firings(erasOf(zone, l.from().Unix()-secondsPerDay, l.to().Unix()+secondsPerDay), l.from().Unix(), l.to().Unix(), rules[1])
		if got == fmt.Sprint(walked) || got == fmt.Sprint(reckoned) {
			t.Errorf("the rules %v pass for %v", rules[0], rules[1])
		}
	}
}
