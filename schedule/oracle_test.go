package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// term is a member of a field's list together with its meaning, said a second
// time and in another way than the package says it.
type term struct {
	text  string
	holds func(t time.Time) bool
}

// terms draws a list of one to three terms.
func terms(t *rapid.T, label string, one func(*rapid.T) term) term {
	list := rapid.SliceOfN(rapid.Custom(one), 1, 3).Draw(t, label)
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.text
	}
	return term{strings.Join(texts, ","), func(t time.Time) bool {
		for _, m := range list {
			if m.holds(t) {
				return true
			}
		}
		return false
	}}
}

// numbers draws a term of a field whose values are low..high.
func numbers(low, high int, of func(time.Time) int) func(*rapid.T) term {
	return func(t *rapid.T) term {
		a := rapid.IntRange(low, high).Draw(t, "a")
		b := rapid.IntRange(low, high).Draw(t, "b")
		step := rapid.IntRange(1, (high-low)/2+1).Draw(t, "step")
		// reach lists the values from a upwards, over the edge when it must.
		reach := func(last, step int) func(time.Time) bool {
			set := map[int]bool{}
			for n, left := a, (last-a+high-low+1)%(high-low+1); left >= 0; left -= step {
				set[n] = true
				for range step {
					if n++; n > high {
						n = low
					}
				}
			}
			return func(t time.Time) bool { return set[of(t)] }
		}
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			return term{fmt.Sprint(a), func(t time.Time) bool { return of(t) == a }}
		case 1:
			return term{fmt.Sprintf("%d-%d", a, b), reach(b, 1)}
		case 2:
			return term{fmt.Sprintf("%d-%d/%d", a, b, step), reach(b, step)}
		case 3:
			return term{fmt.Sprintf("%d/%d", a, step), func(t time.Time) bool {
				return of(t) >= a && (of(t)-a)%step == 0
			}}
		case 4:
			return term{fmt.Sprintf("*/%d", step), func(t time.Time) bool { return (of(t)-low)%step == 0 }}
		}
		return term{"*", func(time.Time) bool { return true }}
	}
}

func daysOf(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// nearest reports whether t is the workday of its month with the least distance
// to a day that the month has.
func nearest(t time.Time, day int) bool {
	if day < 1 || day > daysOf(t) {
		return false
	}
	best, distance := 0, 100
	for d := 1; d <= daysOf(t); d++ {
		w := time.Date(t.Year(), t.Month(), d, 0, 0, 0, 0, time.UTC).Weekday()
		if w != time.Saturday && w != time.Sunday && max(d-day, day-d) < distance {
			best, distance = d, max(d-day, day-d)
		}
	}
	return t.Day() == best
}

func dateTerm(t *rapid.T) term {
	n := rapid.IntRange(1, 31).Draw(t, "n")
	back := rapid.IntRange(0, 30).Draw(t, "back")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return term{"L", func(t time.Time) bool { return t.AddDate(0, 0, 1).Day() == 1 }}
	case 1:
		return term{fmt.Sprintf("L-%d", back), func(t time.Time) bool { return t.Day() == daysOf(t)-back }}
	case 2:
		return term{"LW", func(t time.Time) bool { return nearest(t, daysOf(t)) }}
	case 3:
		return term{fmt.Sprintf("L-%dW", back), func(t time.Time) bool { return nearest(t, daysOf(t)-back) }}
	case 4:
		return term{fmt.Sprintf("%dW", n), func(t time.Time) bool { return nearest(t, n) }}
	}
	return numbers(1, 31, time.Time.Day)(t)
}

func weekdayField(t *rapid.T) term {
	n := rapid.IntRange(1, 7).Draw(t, "weekday")
	nth := rapid.IntRange(1, 5).Draw(t, "nth")
	name := rapid.SampledFrom([]string{fmt.Sprint(n), strings.ToUpper(time.Weekday(n - 1).String()[:3])}).Draw(t, "name")
	same := func(t time.Time) bool { return int(t.Weekday()) == n-1 }
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return term{fmt.Sprintf("%s#%d", name, nth), func(t time.Time) bool { return same(t) && (t.Day()+6)/7 == nth }}
	case 1:
		return term{name + "L", func(t time.Time) bool { return same(t) && t.AddDate(0, 0, 7).Month() != t.Month() }}
	case 2:
		return term{name, same}
	}
	return terms(t, "weekdays", numbers(1, 7, func(t time.Time) int { return int(t.Weekday()) + 1 }))
}

func TestDaysAgreeWithTheCalendar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		date, week := term{"?", nil}, term{"?", nil}
		var day term
		if rapid.Bool().Draw(t, "by week") {
			week = weekdayField(t)
			day = week
		} else {
			date = terms(t, "dates", dateTerm)
			day = date
		}
		month := terms(t, "months", numbers(1, 12, func(t time.Time) int { return int(t.Month()) }))
		start := time.Date(rapid.IntRange(1970, 2120).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		expr := fmt.Sprintf("0 0 0 %s %s %s", date.text, month.text, week.text)
		cron, err := ParseCron(expr, nil)
		if err != nil {
			t.Fatalf("ParseCron(%q) = %v", expr, err)
		}
		var want, got []time.Time
		end := start.AddDate(4, 0, 0)
		for at := start; at.Before(end); at = at.AddDate(0, 0, 1) {
			if day.holds(at) && month.holds(at) {
				want = append(want, at)
			}
		}
		for at, ok := cron.Next(start.Add(-1)); ok && at.Before(end); at, ok = cron.Next(at) {
			got = append(got, at)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q from %s (-calendar +schedule):\n%s", expr, start, diff)
		}
	})
}

// changes are instants near which clocks did something: an hour forward and
// back, half an hour, at midnight, over a whole day, and forward in standard
// time only.
var changes = []struct{ zone, at string }{
	{"UTC", "2026-03-08T07:00:00Z"},
	{"America/New_York", "2026-03-08T07:00:00Z"},
	{"America/New_York", "2026-11-01T06:00:00Z"},
	{"Europe/London", "2026-03-29T01:00:00Z"},
	{"Europe/London", "2026-10-25T01:00:00Z"},
	{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"},
	{"Australia/Lord_Howe", "2026-10-03T15:30:00Z"},
	{"America/Sao_Paulo", "2018-11-04T03:00:00Z"},
	{"America/Sao_Paulo", "2019-02-17T02:00:00Z"},
	{"Asia/Beirut", "2026-03-28T22:00:00Z"},
	{"Asia/Beirut", "2026-10-24T21:00:00Z"},
	{"Pacific/Apia", "2011-12-30T10:00:00Z"},
	{"America/Caracas", "2016-05-01T07:00:00Z"},
	{"Africa/Casablanca", "2026-02-15T02:00:00Z"},
	{"Antarctica/Troll", "2026-03-29T01:00:00Z"},
	{"Antarctica/Troll", "2026-10-25T01:00:00Z"},
	{"Asia/Kathmandu", "1985-12-31T18:30:00Z"},
	// Beyond the tables of zones, where rules take over, and at the ends of
	// years there, of which 2040 is a leap year.
	{"America/New_York", "2044-03-13T07:00:00Z"},
	{"America/New_York", "2044-11-06T06:00:00Z"},
	{"America/New_York", "2040-12-31T00:00:00Z"},
	{"America/New_York", "2041-01-01T00:00:00Z"},
	{"Europe/London", "2040-12-31T00:00:00Z"},
	{"Australia/Lord_Howe", "2044-04-02T15:00:00Z"},
	{"Australia/Lord_Howe", "2040-12-31T00:00:00Z"},
	{"Australia/Lord_Howe", "2042-01-01T00:00:00Z"},
}

func TestTimesAgreeWithTheClock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		change := rapid.SampledFrom(changes).Draw(t, "change")
		zone := mustZone(t, change.zone)
		minute := terms(t, "minutes", numbers(0, 59, time.Time.Minute))
		hour := terms(t, "hours", numbers(0, 23, time.Time.Hour))
		expr := fmt.Sprintf("0,30 %s %s * * ?", minute.text, hour.text)
		cron, err := ParseCron(expr, zone)
		if err != nil {
			t.Fatalf("ParseCron(%q) = %v", expr, err)
		}
		at, err := time.Parse(time.RFC3339, change.at)
		if err != nil {
			t.Fatal(err)
		}
		after := at.Add(time.Duration(rapid.Int64Range(-int64(36*time.Hour), int64(4*time.Hour)).Draw(t, "shift")))
		end := at.Add(30 * time.Hour)
		var want, got []time.Time
		for u := after.Truncate(30 * time.Second).Add(30 * time.Second); u.Before(end); u = u.Add(30 * time.Second) {
			wall := u.In(zone)
			if minute.holds(wall) && hour.holds(wall) && !comesAgain(wall) {
				want = append(want, u.UTC())
			}
		}
		for next, ok := cron.Next(after); ok && next.Before(end); next, ok = cron.Next(next) {
			got = append(got, next)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q in %s after %s (-clock +schedule):\n%s", expr, change.zone, after, diff)
		}
	})
}

// comesAgain reports whether the clock will show the same time once more.
func comesAgain(wall time.Time) bool {
	for d := 15 * time.Minute; d <= 4*time.Hour; d += 15 * time.Minute {
		if wall.Add(d).Format(time.DateTime) == wall.Format(time.DateTime) {
			return true
		}
	}
	return false
}

func TestNextIsMonotone(t *testing.T) {
	t.Parallel()
	exprs := []string{"*/7 * * * * ?", "0 30 1 * * ?", "0 0 0 LW * ?", "0 30 2 ? * SUN", "0 0 0 29 2 ?", "0 0 12 ? * 6#5"}
	rapid.Check(t, func(t *rapid.T) {
		change := rapid.SampledFrom(changes).Draw(t, "change")
		cron, err := ParseCron(rapid.SampledFrom(exprs).Draw(t, "expr"), mustZone(t, change.zone))
		if err != nil {
			t.Fatal(err)
		}
		at, _ := time.Parse(time.RFC3339, change.at)
		earlier := at.Add(time.Duration(rapid.Int64Range(-int64(72*time.Hour), int64(72*time.Hour)).Draw(t, "a")))
		later := earlier.Add(time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "b")))
		first, ok := cron.Next(earlier)
		second, also := cron.Next(later)
		if !ok || !also {
			t.Fatalf("no firing after %s or %s", earlier, later)
		}
		if !first.After(earlier) || !second.After(later) {
			t.Fatalf("Next(%s) = %s, Next(%s) = %s: not after", earlier, first, later, second)
		}
		if second.Before(first) {
			t.Fatalf("Next(%s) = %s is after Next(%s) = %s", earlier, first, later, second)
		}
		if first.After(later) && !first.Equal(second) {
			t.Fatalf("nothing fires in %s..%s, yet %s and %s differ", earlier, later, first, second)
		}
		if again, _ := cron.Next(first.Add(-1)); !again.Equal(first) {
			t.Fatalf("just before %s the next firing is %s", first, again)
		}
	})
}
