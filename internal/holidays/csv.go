package holidays

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

const (
	dateHint = "write it such as 2026-10-01, or 2026-10-01..2026-10-07 for several days"
	kindHint = "leave it out or write holiday, or work for a working day that makes up for a holiday"
)

// ParseCSV reads lines of a date, a name and a type, of which only the date is
// needed. It returns the rules and what could not be taken over, in words; an
// error is [job.Invalid] and names the line.
//
//	date,name,type
//	2026-10-01..2026-10-07,国庆节
//	2026-10-10,国庆节补班,work
//
// Fields are set apart by commas, semicolons or tabs, and may be quoted. A first
// line that has no date names the columns, in English or Chinese; without it they
// stand in the order above, and more are not read. Dates are written such as
// 2026-10-01, 2026/10/1 or 20261001. The type work, or one with 班 in it, makes a
// day an exception of the rules: it is a working day whatever else names it.
// KnownUntil is the last day of the text.
func ParseCSV(text []byte, o Options) (calendar.Rules, []string, error) {
	if err := checkSize(text); err != nil {
		return calendar.Rules{}, nil, err
	}
	g, err := gather(o)
	if err != nil {
		return calendar.Rules{}, nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	lines := csv.NewReader(bytes.NewReader(text))
	lines.Comma = separator(text)
	lines.Comment = '#'
	lines.FieldsPerRecord = -1
	lines.TrimLeadingSpace = lines.Comma != '\t'
	lines.ReuseRecord = true
	places := columns{0, 1, 2}
	for first := true; ; first = false {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return g.rules()
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return calendar.Rules{}, nil, lineErrorf(bad.Line, "cannot be split into fields: %v; set quotes around a whole field, and double those within", bad.Err)
		}
		if err != nil {
			return calendar.Rules{}, nil, err
		}
		if first {
			if named, isHead := readHead(fields); isHead {
				places = named
				continue
			}
		}
		line, _ := lines.FieldPos(0)
		if err := g.addFields(line, places, fields); err != nil {
			return calendar.Rules{}, nil, err
		}
	}
}

// separator returns what sets the fields of the first line with content apart.
func separator(text []byte) rune {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, r := range "\t;" {
			if bytes.ContainsRune(line, r) {
				return r
			}
		}
		break
	}
	return ','
}

// columns are the places of the fields in a line; one that is not there is -1.
type columns struct{ date, name, kind int }

// readHead reads a first line that names the columns.
func readHead(fields []string) (columns, bool) {
	c := columns{-1, -1, -1}
	for i, field := range fields {
		switch strings.ToLower(strings.TrimSpace(field)) {
		case "date", "day", "日期":
			c.date = i
		case "name", "title", "holiday", "名称", "节日":
			c.name = i
		case "type", "kind", "类型":
			c.kind = i
		}
	}
	return c, c.date >= 0
}

func (g *gathering) addFields(line int, places columns, fields []string) error {
	field := func(i int) string {
		if i < 0 || i >= len(fields) {
			return ""
		}
		return strings.TrimSpace(fields[i])
	}
	if field(places.date) == "" && strings.TrimSpace(strings.Join(fields, "")) == "" {
		return nil
	}
	fromText, toText, several := strings.Cut(field(places.date), "..")
	from, ok := readDate(fromText)
	if !ok {
		return lineErrorf(line, "%.40q is no date in the years %d-%d: %s", fromText, calendar.MinYear, calendar.MaxYear, dateHint)
	}
	s := stretch{from: from, days: 1, name: cleanName(field(places.name))}
	if several {
		to, ok := readDate(toText)
		if !ok {
			return lineErrorf(line, "%.40q is no date in the years %d-%d: %s", toText, calendar.MinYear, calendar.MaxYear, dateHint)
		}
		if to.Compare(from) < 0 {
			return lineErrorf(line, "%s is before %s: exchange them", to, from)
		}
		s.days = daysBetween(from, to) + 1
	}
	switch kind := strings.ToLower(field(places.kind)); {
	case kind == "work" || kind == "workday" || strings.Contains(kind, "班"):
		s.work = true
	case kind == "" || kind == "holiday" || kind == "off" || kind == "closed" || strings.ContainsAny(kind, "休假"):
	default:
		return lineErrorf(line, "%.40q is no type of a day: %s", field(places.kind), kindHint)
	}
	return g.addStretch(line, s)
}

// readDate reads the forms of a date that cannot be mistaken.
func readDate(text string) (calendar.Date, bool) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.DateOnly, "20060102", "2006/1/2", "2006-1-2"} {
		if t, err := time.Parse(layout, text); err == nil {
			return calendar.DateOf(t), t.Year() >= calendar.MinYear && t.Year() <= calendar.MaxYear
		}
	}
	return calendar.Date{}, false
}

func midnight(d calendar.Date) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}
