package holidays

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// gathering is the days of a text while it is read.
type gathering struct {
	options     Options
	first, last calendar.Date // bounds of the days that are taken
	closed      map[calendar.Date]string
	worked      map[calendar.Date]string
	mentions    int
	outside     int           // days of the text that no calendar can know
	until       calendar.Date // where what comes for ever was cut; zero when nothing was
	warnings    []string
	unsaid      int // warnings beyond maxWarnings
}

func gather(o Options) (*gathering, error) {
	first, last, err := o.window()
	if err != nil {
		return nil, err
	}
	return &gathering{
		options: o, first: first, last: last,
		closed: map[calendar.Date]string{}, worked: map[calendar.Date]string{},
	}, nil
}

// stretch is some days in a row with a name.
type stretch struct {
	from calendar.Date
	days int // at least 1
	name string
	work bool // they are worked, whatever else names them
}

// addStretch takes the days of a stretch that are within the bounds.
func (g *gathering) addStretch(line int, s stretch) error {
	if to := s.from.Add(s.days - 1); s.from.Year < calendar.MinYear || to.Year > calendar.MaxYear {
		g.outside++
	}
	days := g.closed
	if s.work {
		days = g.worked
	}
	day, left := s.from, s.days
	if day.Compare(g.first) < 0 {
		left -= daysBetween(day, g.first)
		day = g.first
	}
	for ; left > 0 && day.Compare(g.last) <= 0; day, left = day.Add(1), left-1 {
		if g.mentions++; g.mentions > maxMentions {
			return lineErrorf(line, "up to here the text names days more than %d times: leave some out", maxMentions)
		}
		days[day] = joinNames(days[day], s.name)
	}
	return nil
}

func (g *gathering) warnf(line int, format string, args ...any) {
	if len(g.warnings) == maxWarnings {
		g.unsaid++
		return
	}
	g.warnings = append(g.warnings, fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

// rules returns what was gathered, and the warnings.
func (g *gathering) rules() (calendar.Rules, []string, error) {
	closed := slices.SortedFunc(maps.Keys(g.closed), calendar.Date.Compare)
	worked := slices.SortedFunc(maps.Keys(g.worked), calendar.Date.Compare)
	if len(closed) == 0 && len(worked) == 0 {
		return calendar.Rules{}, nil, job.FieldErrorf("text", "names no day from %s to %s: give a text with dates in that time", g.first, g.last)
	}
	warnings := g.warnings
	if g.unsaid > 0 {
		warnings = append(warnings, fmt.Sprintf("and %d more of such warnings", g.unsaid))
	}
	if g.outside > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"entries with days outside of the years %d-%d, which were left out: %d", calendar.MinYear, calendar.MaxYear, g.outside))
	}
	var cut bool
	if len(closed) > MaxDays {
		closed, cut = closed[:MaxDays], true
		g.until = earliest(g.until, closed[MaxDays-1])
	}
	if len(worked) > MaxDays {
		worked, cut = worked[:MaxDays], true
		g.until = earliest(g.until, worked[MaxDays-1])
	}
	if cut {
		warnings = append(warnings, fmt.Sprintf("the text names more than %d days; those after %s were left out", MaxDays, g.until))
	}
	r := calendar.Rules{KnownUntil: g.until}
	if g.until.IsZero() {
		r.KnownUntil = slices.MaxFunc(append(lastDay(closed), lastDay(worked)...), calendar.Date.Compare)
	}
	if g.options.Weekends {
		r.Weekdays = weekend()
	}
	r.Dates, r.Ranges = g.packRanges(closed)
	for _, d := range worked {
		r.Except = append(r.Except, calendar.Day{Date: d, Name: g.worked[d]})
	}
	return r, warnings, nil
}

// packRanges makes ranges of days in a row that have one name.
func (g *gathering) packRanges(closed []calendar.Date) (dates []calendar.Day, ranges []calendar.Range) {
	for start := 0; start < len(closed); {
		name := g.closed[closed[start]]
		end := start + 1
		for end < len(closed) && closed[end] == closed[end-1].Add(1) && g.closed[closed[end]] == name {
			end++
		}
		if end-start > 1 && len(ranges) < calendar.MaxRanges {
			ranges = append(ranges, calendar.Range{From: closed[start], To: closed[end-1], Name: name})
		} else {
			for _, d := range closed[start:end] {
				dates = append(dates, calendar.Day{Date: d, Name: name})
			}
		}
		start = end
	}
	return dates, ranges
}

func lastDay(days []calendar.Date) []calendar.Date { return days[max(0, len(days)-1):] }

// earliest returns the earlier of two days, or b when a is zero.
func earliest(a, b calendar.Date) calendar.Date {
	if a.IsZero() || b.Compare(a) < 0 {
		return b
	}
	return a
}

// joinNames returns the name of a day that has one already. What would be too
// long is left out.
func joinNames(a, b string) string {
	switch {
	case b == "" || a == b:
		return a
	case a == "":
		return b
	}
	joined := a + ", " + b
	if slices.Contains(strings.Split(a, ", "), b) || utf8.RuneCountInString(joined) > calendar.MaxName {
		return a
	}
	return joined
}

// cleanName makes a name of one line that is not too long.
func cleanName(text string) string {
	name := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	if len(name) > calendar.MaxName {
		name = append(name[:calendar.MaxName-1], '…')
	}
	return string(name)
}

// daysBetween returns how many days b is after a.
func daysBetween(a, b calendar.Date) int {
	const perDay = 24 * 60 * 60
	return int((midnight(b).Unix() - midnight(a).Unix()) / perDay)
}
