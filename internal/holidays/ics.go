package holidays

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strings"

	ics "github.com/arran4/golang-ical"

	"github.com/orthd/orth/schedule/calendar"
)

// maxLine bounds a line that describes an event, unfolded, in bytes.
const maxLine = 16 << 10

// ParseICS reads the events of an iCalendar text (RFC 5545). It returns the rules
// and what could not be taken over, in words; an error is [job.Invalid] and names
// the line.
//
// An event names the days that it touches, in its own zone, and its SUMMARY is
// their name. One with times of day gives a warning. Cancelled events are left
// out. Repeated events are written out, each for at most 100 years. An event is a
// working day, and so an exception of the rules, when its SUMMARY has "班" or
// "(workday)" in it or its CATEGORIES have "work" or "workday". KnownUntil is the
// last day of the text, or the day up to which repeated events were written out.
func ParseICS(text []byte, o Options) (calendar.Rules, []string, error) {
	if err := checkSize(text); err != nil {
		return calendar.Rules{}, nil, err
	}
	g, err := gather(o)
	if err != nil {
		return calendar.Rules{}, nil, err
	}
	events, err := readEvents(text)
	if err != nil {
		return calendar.Rules{}, nil, err
	}
	if err := g.addEvents(events); err != nil {
		return calendar.Rules{}, nil, err
	}
	return g.rules()
}

// readEvents returns the events in the order of the text.
func readEvents(text []byte) ([]*event, error) {
	var (
		events []*event
		open   []string // components around the line, the outermost first
		line   int
	)
	for number, content := range contentLines(text) {
		line = number
		p, err := readProperty(number, content)
		if err != nil {
			return nil, err
		}
		if len(open) == 0 && (p == nil || p.IANAToken != "BEGIN" || !strings.EqualFold(p.Value, "VCALENDAR")) {
			return nil, lineErrorf(number, "is no iCalendar text: it must begin with BEGIN:VCALENDAR")
		}
		if p == nil {
			continue
		}
		switch component := strings.ToUpper(p.Value); {
		case p.IANAToken == "BEGIN":
			open = append(open, component)
			if component == "VEVENT" {
				events = append(events, &event{line: number})
			}
		case p.IANAToken == "END":
			if innermost := open[len(open)-1]; component != innermost {
				return nil, lineErrorf(number, "END:%.40s stands where END:%.40s must", component, innermost)
			}
			open = open[:len(open)-1]
		case open[len(open)-1] == "VEVENT":
			if err := events[len(events)-1].setProperty(number, p); err != nil {
				return nil, err
			}
		}
	}
	if len(open) > 0 {
		return nil, lineErrorf(line, "the text ends within %.40s: its END is missing", open[len(open)-1])
	}
	return events, nil
}

// contentLines returns the lines of the text by the number of their first one:
// a line that begins with a space or a tab goes on the one before.
func contentLines(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		var content []byte
		first, number := 0, 0
		for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\uFEFF"))) {
			number++
			line = bytes.TrimRight(line, "\r\n")
			if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') && len(content) > 0 {
				content = append(content, line[1:]...)
				continue
			}
			if len(content) > 0 && !yield(first, content) {
				return
			}
			first, content = number, append(content[:0], line...)
		}
		if len(content) > 0 {
			yield(first, content)
		}
	}
}

// readProperty reads a line that matters, and returns nil for another.
func readProperty(number int, content []byte) (*ics.BaseProperty, error) {
	matter := []string{
		"BEGIN", "END", "UID", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXRULE", "EXDATE",
		"RECURRENCE-ID", "STATUS", "SUMMARY", "CATEGORIES",
	}
	end := bytes.IndexAny(content, ":;")
	if end < 0 {
		if len(bytes.TrimSpace(content)) == 0 {
			return nil, nil //nolint:nilnil // an empty line holds nothing
		}
		return nil, lineErrorf(number, "%.40q has no colon: write NAME:VALUE", content)
	}
	name := strings.ToUpper(string(content[:min(end, 20)]))
	if !slices.Contains(matter, name) {
		return nil, nil //nolint:nilnil // a line that does not matter
	}
	if len(content) > maxLine {
		return nil, lineErrorf(number, "%s has %d bytes: at most %d are allowed", name, len(content), maxLine)
	}
	p, err := ics.ParseProperty(ics.ContentLine(name + string(content[end:])))
	if err == nil && p == nil {
		err = errors.New("write NAME;PARAMETER=VALUE:VALUE")
	}
	if err != nil {
		return nil, lineErrorf(number, "%s cannot be read: %v", name, err)
	}
	p.Value = strings.TrimSpace(p.Value)
	return p, nil
}

// addEvents adds the days of all events.
func (g *gathering) addEvents(events []*event) error {
	// An event with a RECURRENCE-ID stands for one occurrence of another.
	replaced := map[string][]calendar.Date{}
	for _, e := range events {
		if e.uid != "" && !e.replaces.IsZero() {
			replaced[e.uid] = append(replaced[e.uid], e.replaces)
		}
	}
	rules := 0
	for _, e := range events {
		if e.cancelled {
			continue
		}
		if e.start.IsZero() {
			return lineErrorf(e.line, "the event has no DTSTART: give it the day that it begins")
		}
		if rules += len(e.rules); rules > maxRules {
			return lineErrorf(e.line, "up to here the text has more than %d rules of repetition: leave some out", maxRules)
		}
		if e.replaces.IsZero() {
			e.without = append(e.without, replaced[e.uid]...)
		}
		if err := e.addTo(g); err != nil {
			return err
		}
	}
	return nil
}
