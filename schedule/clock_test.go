package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tick is an instant and what the clock on the wall shows at it.
type tick struct {
	at          int64
	wall        int64 // in seconds, as if the wall were in UTC
	first, last bool  // of the ticks that show this time
}

// timeline is each tick of a zone's clock in a window, found by looking at the
// clock alone.
type timeline struct {
	zone  *time.Location
	step  int64
	ticks []tick
}

// newTimeline looks at the clock every step seconds, for span seconds before and
// after an instant. It looks further for times that come twice: no clock has
// been put back by more than three hours since 1970.
func newTimeline(zone *time.Location, at time.Time, span, step int64) *timeline {
	const margin = 200 * 60
	l := &timeline{zone: zone, step: step}
	begin, end := at.Unix()-span, at.Unix()+span
	offsets := make([]int64, 0, (end-begin+2*margin)/step)
	var known []int64 // the different offsets
	for u := begin - margin; u < end+margin; u += step {
		_, offset := time.Unix(u, 0).In(zone).Zone()
		offsets = append(offsets, int64(offset))
		if !slices.Contains(known, int64(offset)) {
			known = append(known, int64(offset))
		}
	}
	for i, offset := range offsets {
		t := tick{at: begin - margin + int64(i)*step, first: true, last: true}
		if t.wall = t.at + offset; t.at < begin || t.at >= end {
			continue
		}
		for _, other := range known {
			again := t.wall - other
			j := (again - begin + margin) / step
			if j < 0 || j >= int64(len(offsets)) || offsets[j] != other {
				continue
			}
			t.first = t.first && again >= t.at
			t.last = t.last && again <= t.at
		}
		l.ticks = append(l.ticks, t)
	}
	return l
}

func (l *timeline) from() time.Time { return time.Unix(l.ticks[0].at, 0).UTC() }
func (l *timeline) to() time.Time   { return time.Unix(l.ticks[len(l.ticks)-1].at+l.step, 0).UTC() }

// matcher says which wall times an expression names. It is made of the meaning
// that the drawn terms have, and the package has no part in it.
type matcher struct {
	expr                   string
	hours, minutes, second [60]bool
	day                    func(day int64) bool // from 1970-01-01 on
}

func (m *matcher) names(wall int64) bool {
	return wall >= 0 && m.hours[wall/3600%24] && m.minutes[wall/60%60] && m.second[wall%60] && m.day(wall/secondsPerDay)
}

// paced is the rule of DST.Straight, said again.
func (m *matcher) paced() bool {
	hours, lonely, times := 0, false, 0
	for h := range 24 {
		if m.hours[h] {
			hours++
			lonely = lonely || !m.hours[(h+1)%24] && !m.hours[(h+23)%24]
		}
	}
	for n := range 3600 {
		if m.minutes[n/60] && m.second[n%60] {
			times++
		}
	}
	return hours == 24 || times > 1 && !lonely
}

// firings lists what fires on a timeline, in the order of time.
func (m *matcher) firings(l *timeline, d DST) []time.Time {
	if d.Straight && m.paced() {
		d.Gap, d.Overlap = GapSkip, OverlapBoth
	}
	var found []int64
	for i, t := range l.ticks {
		if m.names(t.wall) && (d.Overlap == OverlapBoth || d.Overlap == OverlapFirst && t.first ||
			d.Overlap != OverlapFirst && t.last) {
			found = append(found, t.at)
		}
		if i == 0 {
			continue
		}
		for lost := l.ticks[i-1].wall + l.step; lost < t.wall; lost += l.step {
			if m.names(lost) {
				switch d.Gap {
				case GapAfter:
					found = append(found, t.at)
				case GapBefore:
					found = append(found, t.at-1)
				case GapSkip: // lost
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

// drawMatcher draws an expression of the Quartz or the Unix dialect whose seconds
// are those that a timeline of the step has.
func drawMatcher(t *rapid.T, step int64) *matcher {
	second := term{"0", func(t time.Time) bool { return t.Second() == 0 }}
	unix := rapid.IntRange(0, 3).Draw(t, "dialect") == 0
	switch {
	case unix:
	case step == 1:
		second = terms(t, "seconds", numbers(0, 59, time.Time.Second))
	case rapid.Bool().Draw(t, "half minutes"):
		second = term{"0/30", func(t time.Time) bool { return t.Second()%30 == 0 }}
	}
	minute := terms(t, "minutes", numbers(0, 59, time.Time.Minute))
	hour := terms(t, "hours", numbers(0, 23, time.Time.Hour))
	days, day := "* * ?", func(time.Time) bool { return true }
	if unix {
		days, day = drawUnixDays(t)
	} else if rapid.IntRange(0, 2).Draw(t, "days") == 0 {
		week := terms(t, "weekdays", numbers(1, 7, func(t time.Time) int { return int(t.Weekday()) + 1 }))
		days, day = "? * "+week.text, week.holds
	}
	m := &matcher{expr: strings.TrimSpace(fmt.Sprintf("%s %s %s %s", second.text, minute.text, hour.text, days))}
	if unix {
		m.expr = strings.TrimPrefix(m.expr, "0 ")
	}
	for n := range 60 {
		at := time.Date(2026, 1, 1, 0, n, n, 0, time.UTC)
		m.minutes[n], m.second[n] = minute.holds(at), second.holds(at)
		m.hours[n] = n < 24 && hour.holds(at.Add(time.Duration(n)*time.Hour))
	}
	memo := map[int64]bool{}
	m.day = func(n int64) bool {
		holds, ok := memo[n]
		if !ok {
			holds = day(time.Unix(n*secondsPerDay, 0).UTC())
			memo[n] = holds
		}
		return holds
	}
	return m
}

// drawUnixDays draws the last three fields of a Unix expression.
func drawUnixDays(t *rapid.T) (text string, holds func(time.Time) bool) {
	date := terms(t, "dates", numbers(1, 31, time.Time.Day))
	month := terms(t, "months", numbers(1, 12, func(t time.Time) int { return int(t.Month()) }))
	if rapid.IntRange(0, 3).Draw(t, "every month") > 0 {
		month = term{"*", func(time.Time) bool { return true }}
	}
	week := terms(t, "weekdays", numbers(0, 6, func(t time.Time) int { return int(t.Weekday()) }))
	if rapid.Bool().Draw(t, "sunday is 7") {
		week.text = strings.ReplaceAll(week.text, "0-", "7-")
	}
	return date.text + " " + month.text + " " + week.text, func(t time.Time) bool {
		free := date.text[0] == '*' || week.text[0] == '*'
		if free {
			return month.holds(t) && date.holds(t) && week.holds(t)
		}
		return month.holds(t) && (date.holds(t) || week.holds(t))
	}
}

func drawDST(t *rapid.T) DST {
	return DST{
		Gap:      rapid.SampledFrom([]GapRule{"", GapSkip, GapAfter, GapBefore}).Draw(t, "gap"),
		Overlap:  rapid.SampledFrom([]OverlapRule{"", OverlapFirst, OverlapSecond, OverlapBoth}).Draw(t, "overlap"),
		Straight: rapid.Bool().Draw(t, "straight"),
	}
}

// What Next, Prev, Count and Between say of random expressions, around each
// change and under random rules, is what one sees who looks at the clock all the
// time. Run with -rapid.checks=10000 for more draws.
func TestFiringsAgreeWithTheClock(t *testing.T) {
	t.Parallel()
	for _, change := range changes {
		t.Run(change.zone+" "+change.at, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339, change.at)
			if err != nil {
				t.Fatal(err)
			}
			zone := mustZone(t, change.zone)
			coarse, fine := newTimeline(zone, at, 36*60*60, 30), newTimeline(zone, at, 75*60, 1)
			rapid.Check(t, func(t *rapid.T) {
				l := coarse
				if rapid.IntRange(0, 3).Draw(t, "timeline") == 0 {
					l = fine
				}
				m, d := drawMatcher(t, l.step), drawDST(t)
				cron, err := ParseCronWith(m.expr, CronOptions{Zone: zone, DST: d})
				if err != nil {
					t.Fatalf("ParseCronWith(%q) = %v", m.expr, err)
				}
				checkFirings(t, cron, l.from(), l.to(), m.firings(l, d), func(low, high int64) int64 {
					return rapid.Int64Range(low, high).Draw(t, "n")
				})
			})
		})
	}
}

// checkFirings compares all that a Cron says of a window with its true firings
// there. pick draws a number of a range.
func checkFirings(t rapid.TB, cron *Cron, from, to time.Time, want []time.Time, pick func(low, high int64) int64) {
	t.Helper()
	next := make([]time.Time, 0, len(want))
	for at, ok := cron.Next(from.Add(-1)); ok && at.Before(to); at, ok = cron.Next(at) {
		if next = append(next, at); len(next) > len(want) {
			break // as many as it takes to be wrong
		}
	}
	prev := make([]time.Time, 0, len(want))
	for at, ok := cron.Prev(to); ok && !at.Before(from); at, ok = cron.Prev(at) {
		if prev = append(prev, at); len(prev) > len(want) {
			break
		}
	}
	slices.Reverse(prev)
	compareInstants(t, "Next", cron, want, next)
	compareInstants(t, "Prev", cron, want, prev)
	compareInstants(t, "Between", cron, want[:min(len(want), 50)], Between(cron, from, to, 50))
	if n, more := cron.Count(from, to, len(want)); n != len(want) || more {
		t.Fatalf("%q: Count = %d, %t; want %d, false", cron, n, more, len(want))
	}
	if len(want) == 0 {
		return
	}
	if n, more := cron.Count(from, to, len(want)-1); n != len(want)-1 || !more {
		t.Fatalf("%q: Count = %d, %t; want %d, true", cron, n, more, len(want)-1)
	}
	i := pick(0, int64(len(want))-1)
	between := want[i].Add(time.Duration(pick(-int64(2*time.Hour), int64(2*time.Hour))))
	if between.Before(from) || !between.Before(to) {
		return
	}
	after, _ := slices.BinarySearchFunc(want, between, func(a, b time.Time) int { return a.Compare(b.Add(1)) })
	before, _ := slices.BinarySearchFunc(want, between, time.Time.Compare)
	if got, ok := cron.Next(between); after < len(want) && (!ok || !got.Equal(want[after])) {
		t.Fatalf("%q: Next(%s) = %s, want %s", cron, between, got, want[after])
	}
	if got, ok := cron.Prev(between); before > 0 && (!ok || !got.Equal(want[before-1])) {
		t.Fatalf("%q: Prev(%s) = %s, want %s", cron, between, got, want[before-1])
	}
}

func compareInstants(t rapid.TB, what string, cron *Cron, want, got []time.Time) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Fatalf("%s of %q in %s, gap %s, overlap %s (-clock +schedule):\n%s", what, cron, cron.zone, cron.gap, cron.overlap,
			cmp.Diff(want, got))
	}
}

// Prev leads back over whatever distance Next has gone, for expressions whose
// firings are rare.
func TestPrevInvertsNext(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Asia/Shanghai"}
	rapid.Check(t, func(t *rapid.T) {
		date, week := term{"?", nil}, term{"?", nil}
		if rapid.Bool().Draw(t, "by week") {
			week = weekdayField(t)
		} else {
			date = terms(t, "dates", dateTerm)
		}
		month := terms(t, "months", numbers(1, 12, func(t time.Time) int { return int(t.Month()) }))
		hour := rapid.IntRange(0, 23).Draw(t, "hour")
		year := rapid.SampledFrom([]string{"", "*/4", "1980-2100/7", "1971,2011,2026,2125"}).Draw(t, "years")
		expr := fmt.Sprintf("0 30 %d %s %s %s %s", hour, date.text, month.text, week.text, year)
		zone := mustZone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		cron, err := ParseCronWith(expr, CronOptions{Zone: zone, DST: drawDST(t)})
		if err != nil {
			t.Fatalf("ParseCronWith(%q) = %v", expr, err)
		}
		after := time.Unix(rapid.Int64Range(-secondsPerDay, lastWall).Draw(t, "after"), rapid.Int64Range(0, 1).Draw(t, "ns"))
		first, ok := cron.Next(after)
		if !ok {
			if last, ok := cron.Prev(time.Unix(1<<40, 0)); ok && last.After(after) {
				t.Fatalf("%q: nothing fires after %s, yet %s does", expr, after, last)
			}
			return
		}
		if back, ok := cron.Prev(first); ok && back.After(after) {
			t.Fatalf("%q: Next(%s) = %s, but %s lies between", expr, after, first, back)
		}
		second, ok := cron.Next(first)
		if back, _ := cron.Prev(second); ok && !back.Equal(first) {
			t.Fatalf("%q: Next(%s) = %s, and Prev leads back to %s", expr, first, second, back)
		}
		if last, found := cron.Prev(time.Unix(1<<40, 0)); !ok && (!found || !last.Equal(first)) {
			t.Fatalf("%q: %s is the last firing, and Prev finds %s, %t", expr, first, last, found)
		}
	})
}
