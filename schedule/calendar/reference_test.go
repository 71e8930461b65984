package calendar

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// easters are the two Easter Sundays of each year, from another program.
type easters struct{ western, orthodox map[int]time.Time }

func readEasters(t *testing.T) easters {
	t.Helper()
	file, err := os.Open("testdata/easter.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	e := easters{map[int]time.Time{}, map[int]time.Time{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		west, east, _ := strings.Cut(lines.Text(), " ")
		for into, text := range map[*map[int]time.Time]string{&e.western: west, &e.orthodox: east} {
			day, err := time.Parse(time.DateOnly, text)
			if err != nil {
				t.Fatal(err)
			}
			(*into)[day.Year()] = day
		}
	}
	if len(e.western) != MaxYear-MinYear+3 { // and the years beside the known ones
		t.Fatalf("testdata/easter.txt has %d years", len(e.western))
	}
	return e
}

// slowAllows is what Allows must be: it asks of one day whether a rule names it,
// without day numbers, sets or arithmetic in months.
func slowAllows(r Rules, e easters, day time.Time) bool {
	return slowNamed(r, e, day) == (r.Mode == ModeOnly)
}

func slowNamed(r Rules, e easters, day time.Time) bool {
	same := func(d Date) bool { return d.String() == day.Format(time.DateOnly) }
	for _, d := range r.Except {
		if same(d.Date) {
			return false
		}
	}
	for _, w := range r.Weekdays {
		if time.Weekday(w) == day.Weekday() {
			return true
		}
	}
	for _, d := range r.Dates {
		if same(d.Date) {
			return true
		}
	}
	for _, s := range r.Ranges {
		if text := day.Format(time.DateOnly); s.From.String() <= text && text <= s.To.String() {
			return true
		}
	}
	for _, y := range r.Yearly {
		if slowKept(y, e, day) {
			return true
		}
	}
	return false
}

// slowKept reports whether a yearly day is kept on a day.
func slowKept(y Yearly, e easters, day time.Time) bool {
	on := func(days int) bool { return slowFalls(y, e, day.AddDate(0, 0, days)) }
	switch weekday := day.Weekday(); {
	case y.Observed == "":
		return on(0)
	case weekday == time.Saturday || weekday == time.Sunday:
		return false
	case y.Observed == ObservedNearest:
		return on(0) || weekday == time.Friday && on(1) || weekday == time.Monday && on(-1)
	default:
		return on(0) || weekday == time.Monday && (on(-1) || on(-2))
	}
}

// slowFalls reports whether a yearly day falls on a day before it is moved.
func slowFalls(y Yearly, e easters, day time.Time) bool {
	for feast, table := range map[string]map[int]time.Time{"easter": e.western, "orthodox": e.orthodox} {
		offset, found := strings.CutPrefix(y.Rule, feast)
		if !found {
			continue
		}
		days, _ := strconv.Atoi("0" + strings.TrimLeft(offset, "+-"))
		if strings.HasPrefix(offset, "-") {
			days = -days
		}
		sunday := day.AddDate(0, 0, -days)
		return table[sunday.Year()].Equal(sunday) && slowYear(y, sunday.Year())
	}
	rest, found := strings.CutPrefix(y.Rule, day.Format("01-"))
	if !found || !slowYear(y, day.Year()) {
		return false
	}
	if rest == day.Format("02") {
		return true
	}
	weekday := strings.ToUpper(day.Format("Mon"))
	last := day.AddDate(0, 0, 7).Month() != day.Month()
	return rest == weekday+"#"+strconv.Itoa((day.Day()-1)/7+1) || rest == weekday+"L" && last
}

func slowYear(y Yearly, year int) bool {
	return (y.FromYear == 0 || y.FromYear <= year) && (y.ToYear == 0 || year <= y.ToYear)
}

// someDates draws from a short stretch, so that rules meet.
func someDates() *rapid.Generator[Date] {
	return rapid.Custom(func(t *rapid.T) Date {
		start := rapid.SampledFrom([]string{"1970-01-01", "2024-02-10", "2099-12-20", "2126-11-01"}).Draw(t, "start")
		d, err := ParseDate(start)
		if err != nil {
			t.Fatal(err)
		}
		return d.Add(rapid.IntRange(0, 60).Draw(t, "days"))
	})
}

func someRules() *rapid.Generator[Rules] {
	names := rapid.SampledFrom([]string{"", "Fair", "Rest", "国庆节"})
	day := rapid.Custom(func(t *rapid.T) Day { return Day{someDates().Draw(t, "date"), names.Draw(t, "name")} })
	spans := rapid.Custom(func(t *rapid.T) Range {
		from := someDates().Draw(t, "from")
		days := rapid.IntRange(0, 200).Draw(t, "days")
		to := from.Add(days)
		if to.Year > MaxYear {
			to = Date{MaxYear, 12, 31}
		}
		return Range{from, to, names.Draw(t, "name")}
	})
	yearly := rapid.Custom(func(t *rapid.T) Yearly {
		y := Yearly{
			Rule: rapid.OneOf(
				rapid.StringMatching(`(01|03|05|12)-([01][1-9]|2[0-9]|30|31)`),
				rapid.Just("02-29"),
				rapid.StringMatching(`(0[1-9]|1[0-2])-(MON|TUE|WED|THU|FRI|SAT|SUN)(#[1-5]|L)`),
				rapid.StringMatching(`(easter|orthodox)([+-](300|[12]?[0-9]{1,2}))?`),
			).Draw(t, "rule"),
			Name:     names.Draw(t, "name"),
			Observed: rapid.SampledFrom([]Observed{"", ObservedNearest, ObservedMonday}).Draw(t, "observed"),
		}
		if rapid.Bool().Draw(t, "from") {
			y.FromYear = rapid.IntRange(MinYear, 2030).Draw(t, "from_year")
		}
		if rapid.Bool().Draw(t, "to") {
			y.ToYear = rapid.IntRange(2030, MaxYear).Draw(t, "to_year")
		}
		return y
	})
	weekday := rapid.Custom(func(t *rapid.T) Weekday { return Weekday(rapid.IntRange(0, 6).Draw(t, "weekday")) })
	return rapid.Custom(func(t *rapid.T) Rules {
		return Rules{
			Mode:     rapid.SampledFrom([]Mode{"", ModeExclude, ModeOnly}).Draw(t, "mode"),
			Weekdays: rapid.SliceOfNDistinct(weekday, 0, 3, rapid.ID).Draw(t, "weekdays"),
			Dates:    rapid.SliceOfN(day, 0, 5).Draw(t, "dates"),
			Ranges:   rapid.SliceOfN(spans, 0, 3).Draw(t, "ranges"),
			Yearly:   rapid.SliceOfN(yearly, 0, 4).Draw(t, "yearly"),
			Except:   rapid.SliceOfN(day, 0, 5).Draw(t, "except"),
		}
	})
}
