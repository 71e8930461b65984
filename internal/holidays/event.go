package holidays

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/orthd/orth/schedule/calendar"
)

const dayLength = 24 * time.Hour

// event is a VEVENT's description of days. Its times are those of its own zone, written as
// UTC.
type event struct {
	line      int
	uid       string
	start     time.Time
	timed     bool          // start has a time of day
	end       time.Time     // zero when there is none
	duration  time.Duration // zero when there is none
	rules     []repetition
	more      []time.Time     // RDATE
	without   []calendar.Date // EXDATE, and what other events replace
	replaces  calendar.Date   // RECURRENCE-ID; zero when there is none
	cancelled bool
	name      string
	work      bool
	unread    bool // it has an EXRULE
}

// repetition is an RRULE.
type repetition struct {
	line int
	text string
}

// setProperty takes over a property.
func (e *event) setProperty(line int, p *ics.BaseProperty) (err error) {
	switch p.IANAToken {
	case "UID":
		e.uid = p.Value
	case "DTSTART":
		e.timed = strings.Contains(p.Value, "T")
		e.start, err = readTime(line, p)
	case "DTEND":
		e.end, err = readTime(line, p)
	case "DURATION":
		e.duration, err = readDuration(line, p.Value)
	case "RRULE":
		e.rules = append(e.rules, repetition{line, p.Value})
	case "RDATE":
		return eachTime(line, p, func(t time.Time) { e.more = append(e.more, t) })
	case "EXDATE":
		return eachTime(line, p, func(t time.Time) { e.without = append(e.without, calendar.DateOf(t)) })
	case "EXRULE":
		e.unread = true
	case "RECURRENCE-ID":
		var t time.Time
		t, err = readTime(line, p)
		e.replaces = calendar.DateOf(t)
	case "STATUS":
		e.cancelled = strings.EqualFold(p.Value, "CANCELLED")
	case "SUMMARY":
		e.name = cleanName(p.Value)
		e.work = e.work || strings.Contains(p.Value, "班") || strings.Contains(strings.ToLower(p.Value), "(workday)")
	case "CATEGORIES":
		e.work = e.work || slices.ContainsFunc(strings.Split(p.Value, ","), func(category string) bool {
			category = strings.TrimSpace(category)
			return strings.EqualFold(category, "work") || strings.EqualFold(category, "workday")
		})
	}
	return err
}

// addTo adds the days of all occurrences.
func (e *event) addTo(g *gathering) error {
	if e.timed {
		g.warnf(e.line, "%q has a time of day; the whole days that it touches are taken", e.name)
	}
	if e.unread {
		g.warnf(e.line, "the EXRULE of %q is not read; check its days", e.name)
	}
	length := e.duration
	if !e.end.IsZero() {
		length = e.end.Sub(e.start)
	}
	if length < 0 {
		return lineErrorf(e.line, "the event %.40q ends before it begins: exchange DTSTART and DTEND", e.name)
	}
	without := map[calendar.Date]bool{}
	for _, d := range e.without {
		without[d] = true
	}
	add := func(starts []time.Time) error {
		for _, start := range starts {
			s := stretchOf(start, length)
			if without[s.from] {
				continue
			}
			s.name, s.work = e.name, e.work
			if err := g.addStretch(e.line, s); err != nil {
				return err
			}
		}
		return nil
	}
	if len(e.rules) == 0 {
		e.more = append(e.more, e.start)
	}
	for _, r := range e.rules {
		starts, err := r.expand(e.start, length, g)
		if err != nil {
			return err
		}
		if err := add(starts); err != nil {
			return err
		}
	}
	return add(e.more)
}

// stretchOf returns the days that an occurrence touches. Its end itself is no
// part of it.
func stretchOf(start time.Time, length time.Duration) stretch {
	from, last := calendar.DateOf(start), start
	if length > 0 {
		last = start.Add(length - 1)
	}
	return stretch{from: from, days: daysBetween(from, calendar.DateOf(last)) + 1}
}

func eachTime(line int, p *ics.BaseProperty, take func(time.Time)) error {
	for text := range strings.SplitSeq(p.Value, ",") {
		// A period is a time and, after a slash, how long it is.
		start, _, _ := strings.Cut(text, "/")
		one := *p
		one.Value = start
		t, err := readTime(line, &one)
		if err != nil {
			return err
		}
		take(t)
	}
	return nil
}

// readTime reads a day or a time as its own zone shows it.
func readTime(line int, p *ics.BaseProperty) (time.Time, error) {
	text := strings.TrimSpace(p.Value)
	for _, layout := range []string{"20060102", "20060102T150405", "20060102T150405Z"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 0 {
			return t, nil
		}
	}
	return time.Time{}, lineErrorf(line, "%s has %.40q, which is no date: write it such as 20261001 or 20261001T090000", p.IANAToken, text)
}

// readDuration reads weeks, or days and a time; parts of a day count as they are.
func readDuration(line int, text string) (time.Duration, error) {
	form := regexp.MustCompile(`^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$`)
	parts := form.FindStringSubmatch(strings.ToUpper(text))
	var total time.Duration
	if parts != nil {
		for i, unit := range []time.Duration{7 * dayLength, dayLength, time.Hour, time.Minute, time.Second} {
			if n, err := strconv.Atoi(parts[i+1]); err == nil {
				total += time.Duration(n) * unit
			}
		}
	}
	if total == 0 {
		return 0, lineErrorf(line, "DURATION has %.40q, which is no length: write it such as P2D or PT8H", text)
	}
	return total, nil
}
