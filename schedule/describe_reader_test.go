package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reader understands the English sentences as a person does who has never seen
// the expression.
var reader = regexp.MustCompile(strings.NewReplacer(
	"{num}", `\d+(?: to \d+)?`, "{time}", `\d\d:\d\d(?::\d\d)?`, "{nth}", `\d+(?:st|nd|rd|th)`,
	"{nums}", `\d+(?: to \d+)?(?:, \d+(?: to \d+)?)*(?: and \d+(?: to \d+)?)?`,
	"{month}", `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`,
	"{day}", `[A-Z][a-z]+day`,
	"\n", "", "\t", "",
).Replace(strings.NewReplacer(
	"{week}", `every day except {day}|every {day}(?:, {day})*(?: and {day})?|{day} to {day}`,
	"{months}", `,? (?:in {month}(?:, {month})*(?: and {month})?|from {month} to {month})`,
	"{windows}", `from {time} to {time}(?:(?:, | and )from {time} to {time})*`,
).Replace(`^(?:
	At (?P<times>{time}(?:, {time})*(?: and {time})?)|
	(?:At second (?P<only>\d+), e|E)very (?:(?P<n>\d+) )?(?P<unit>second|minute|hour)s?(?: on the hour)?
		(?: from (?:second|minute) (?P<from>\d+)(?: to (?P<to>\d+))?)?|
	At (?P<at>second|minute)s? (?P<values>{nums})
)
(?: of every minute)?
(?: (?:of|during) (?:minutes? (?P<minutes>{nums})|every (?P<k>{nth}) minute from minute (?P<kfrom>\d+) to (?P<kto>\d+)))?
(?: of every hour)?(?: of the hour)?
(?:,? (?P<windows>{windows}))?
(?:,? (?:of|during) hours (?P<hours>{nums}))?
(?:,? every day(?P<daily>{months})?|
	, (?P<week>{week})(?P<weekmonths>{months})?|
	,? (?:on (?P<items>the .+?)|from the (?P<a>{nth}) to the (?P<b>{nth})|every (?P<days>\d+) days from the (?P<c>{nth}) to the (?P<d>{nth})) of 
		(?:the month|each month(?P<run>{months})|(?P<list>{month}(?:, {month})*(?: and {month})?))
		(?:, and also (?P<also>{week})(?:{months})?|, only when it is (?P<cond>{day} to {day}|{day}(?:, {day})*(?: or {day})?))?
)?
(?:, (?:in (?P<years>{nums})|(?:every (?P<y>\d+) years )?from (?P<yfrom>\d{4}) to (?P<yto>\d{4})))?$`)))

// parts are the named parts of a sentence; those that are absent are empty.
type parts map[string]string

func readParts(t rapid.TB, text string) parts {
	t.Helper()
	match := reader.FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("%q is no sentence", text)
	}
	p := parts{}
	for i, name := range reader.SubexpNames() {
		p[name] = match[i]
	}
	return p
}

// number reads the number that a text begins with, or returns the default.
func number(text string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimRight(text, "stndrh"))
	if err != nil {
		return otherwise
	}
	return n
}

// split separates the items of a list.
func split(list string) []string {
	return strings.Split(strings.NewReplacer(" and ", ", ", " or ", ", ").Replace(list), ", ")
}

var windowText = regexp.MustCompile(`from (\S+) to ([0-9:]+)`)

// within reports whether n is in a list such as "1, 5 to 7 and 9". item turns
// the words into numbers; in a run that wraps, high is followed by low.
func within(n int, list string, item func(string) int) bool {
	for _, part := range split(list) {
		from, to, run := strings.Cut(part, " to ")
		if !run {
			to = from
		}
		a, b := item(from), item(to)
		if a <= n && n <= b || b < a && (n >= a || n <= b) {
			return true
		}
	}
	return false
}

func plain(text string) int { return number(text, -1) }

func seconds(text string) int {
	var h, m, s int
	_, _ = fmt.Sscanf(text+":00", "%d:%d:%d", &h, &m, &s)
	return h*3600 + m*60 + s
}

// firesAt reports whether the sentence names a time of day, in seconds.
func (p parts) firesAt(clock int) bool {
	hour, minute, second := clock/3600, clock/60%60, clock%60
	if p["times"] != "" {
		for _, text := range split(p["times"]) {
			if seconds(text) == clock {
				return true
			}
		}
		return false
	}
	if p["hours"] != "" && !within(hour, p["hours"], plain) ||
		p["minutes"] != "" && !within(minute, p["minutes"], plain) ||
		p["k"] != "" && (minute < number(p["kfrom"], 0) || minute > number(p["kto"], 0) || (minute-number(p["kfrom"], 0))%number(p["k"], 1) != 0) {
		return false
	}
	start, open := 0, p["windows"] == ""
	for _, window := range windowText.FindAllStringSubmatch(p["windows"], -1) {
		from, to := seconds(window[1]), seconds(window[2])
		if len(window[2]) == len("00:00") {
			to += 59 // the whole minute
		}
		const day = 24 * 60 * 60
		if (clock-from+day)%day <= (to-from+day)%day {
			start, open = from, true
		}
	}
	if !open {
		return false
	}
	if p["at"] == "second" {
		return within(second, p["values"], plain)
	}
	if p["at"] == "minute" {
		return second == 0 && within(minute, p["values"], plain)
	}
	const day = 24 * 60 * 60
	n, since := number(p["n"], 1), (clock-start-number(p["only"], 0)+day)%day
	value := map[string]int{"second": second, "minute": minute}[p["unit"]]
	if p["from"] != "" {
		from := number(p["from"], 0)
		if value < from || value > number(p["to"], 59) || (value-from)%n != 0 {
			return false
		}
		return p["unit"] == "second" || second == number(p["only"], 0)
	}
	return since%(n*map[string]int{"second": 1, "minute": 60, "hour": 3600}[p["unit"]]) == 0
}

// firesOn reports whether the sentence names a day.
func (p parts) firesOn(t time.Time) bool {
	if p["years"] != "" && !within(t.Year(), p["years"], plain) {
		return false
	}
	if from := number(p["yfrom"], 0); from > 0 &&
		(t.Year() < from || t.Year() > number(p["yto"], 0) || (t.Year()-from)%number(p["y"], 1) != 0) {
		return false
	}
	months := p["daily"] + p["weekmonths"] + p["run"] + p["list"]
	months = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(months, ", "), "in "), "from ")
	if months != "" && !within(int(t.Month()), months, func(name string) int {
		month, err := time.Parse("January", name)
		if err != nil {
			return -1
		}
		return int(month.Month())
	}) {
		return false
	}
	switch {
	case p["week"] != "":
		return inWeek(t, p["week"])
	case p["also"] != "" && inWeek(t, p["also"]):
		return true
	case p["cond"] != "" && !inWeek(t, p["cond"]):
		return false
	case p["a"] != "":
		return t.Day() >= number(p["a"], 0) && t.Day() <= number(p["b"], 0)
	case p["c"] != "":
		from := number(p["c"], 0)
		return t.Day() >= from && t.Day() <= number(p["d"], 0) && (t.Day()-from)%number(p["days"], 0) == 0
	case p["items"] != "":
		for _, item := range split(p["items"]) {
			if isItem(t, item) {
				return true
			}
		}
		return false
	}
	return true
}

func inWeek(t time.Time, text string) bool {
	weekday := func(name string) int {
		for day := time.Sunday; day <= time.Saturday; day++ {
			if day.String() == name {
				return int(day)
			}
		}
		return -1
	}
	if name, ok := strings.CutPrefix(text, "every day except "); ok {
		return t.Weekday().String() != name
	}
	return within(int(t.Weekday()), strings.TrimPrefix(text, "every "), weekday)
}

// isItem reports whether a day is one such as "the 1st to the 7th" or "the
// last Friday".
func isItem(t time.Time, item string) bool {
	words := strings.TrimPrefix(item, "the ")
	near := strings.HasPrefix(words, "weekday nearest to the ")
	words = strings.TrimPrefix(words, "weekday nearest to the ")
	back := -1
	switch {
	case words == "last weekday":
		return nearest(t, daysOf(t))
	case words == "last day":
		back = 0
	case words == "day before the last day":
		back = 1
	case strings.HasSuffix(words, " days before the last day"):
		back = number(strings.Fields(words)[1], -1)
	}
	which, name, _ := strings.Cut(words, " ")
	switch {
	case back >= 0 && near:
		return nearest(t, daysOf(t)-back)
	case back >= 0:
		return t.Day() == daysOf(t)-back
	case near:
		return nearest(t, number(words, -1))
	case which == "last":
		return t.Weekday().String() == name && t.Day() > daysOf(t)-7
	case strings.HasSuffix(name, "day"):
		return t.Weekday().String() == name &&
			which == []string{"first", "second", "third", "fourth", "fifth"}[(t.Day()-1)/7]
	}
	return within(t.Day(), strings.ReplaceAll(words, "to the", "to"), plain)
}

func drawUnix(t *rapid.T) string {
	minute := terms(t, "minutes", numbers(0, 59, time.Time.Minute))
	hour := terms(t, "hours", numbers(0, 23, time.Time.Hour))
	date := terms(t, "dates", numbers(1, 31, time.Time.Day))
	week := terms(t, "weekdays", numbers(0, 6, func(t time.Time) int { return int(t.Weekday()) }))
	return fmt.Sprintf("%s %s %s %s %s", minute.text, hour.text, date.text,
		rapid.SampledFrom([]string{"*", "6", "1-3,7", "11-2"}).Draw(t, "months"), week.text)
}

// Whoever reads the sentence knows each day and each second on which the
// expression fires, and no other.
func TestDescribeIsTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawExpression
		if rapid.IntRange(0, 3).Draw(t, "dialect") == 0 {
			draw = drawUnix
		}
		expr := draw(t)
		compiled, err := Spec{Kind: KindCron, Cron: expr}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		cron := compiled.(*Cron)
		text := cron.Describe(English)
		if text == "Never" || strings.Contains(text, " more") {
			t.Skip("the sentence does not tell everything")
		}
		p := readParts(t, text)
		var clocks []int
		some := rapid.IntRange(0, 59).Draw(t, "second")
		named := members(uint64(cron.minutes))
		for minute := range 24 * 60 {
			if m := minute % 60; minute/60%6 == some%6 || m == 0 || m == 59 || m == named[0] || m == named[len(named)-1] {
				clocks = append(clocks, minute*60, minute*60+some)
			}
		}
		for second := range 2 * 60 {
			clocks = append(clocks, some*1200+second)
		}
		for _, clock := range clocks {
			want := cron.hours.has(clock/3600) && cron.minutes.has(clock/60%60) && cron.seconds.has(clock%60)
			if got := p.firesAt(clock); got != want {
				t.Fatalf("%q is said of %q: at second %d of the day it says %t", text, expr, clock, got)
			}
		}
		from := rapid.IntRange(2024, 2032).Draw(t, "from")
		for day := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < from+2; day = day.AddDate(0, 0, 1) {
			first := day.AddDate(0, 0, 1-day.Day()).Weekday()
			year, _ := cron.years.next(day.Year())
			want := year == day.Year() && cron.months.has(int(day.Month())) &&
				cron.days.in(int(first), daysOf(day))>>day.Day()&1 != 0
			if got := p.firesOn(day); got != want {
				t.Fatalf("%q is said of %q: of %s it says %t", text, expr, day.Format(time.DateOnly), got)
			}
		}
	})
}
