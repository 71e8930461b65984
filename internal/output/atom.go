package output

import (
	"regexp"
	"strings"

	"github.com/orthd/orth/internal/terminal"
)

// Times and ids are never cut, because a cut one would be wrong. These patterns match them.
const (
	clockPattern = `\d\d:\d\d(?::\d\d(?:\.\d+)?)?`
	zonePattern  = ` ?[+-]\d\d:?\d\d| ?Z\b| [A-Z]{2,5}\b`
	timePattern  = `\d{4}-\d\d-\d\d(?:[ T]` + clockPattern + `(?:` + zonePattern + `)?)?|` + clockPattern
	idPattern    = `\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8,}\b|\d{4,}`
)

// atoms finds the uncuttable parts of cells.
type atoms struct {
	all   *regexp.Regexp // times and ids anywhere in a cell
	whole *regexp.Regexp // cells that consist of one time, id, number, duration or address
	zoned *regexp.Regexp // cells with a time and a zone; groups: time, zone
}

func newAtoms() *atoms {
	return &atoms{
		all:   regexp.MustCompile(timePattern + `|` + idPattern),
		whole: regexp.MustCompile(`^(?:` + timePattern + `|` + idPattern + `|[+-]?\d\S*|[a-z]+://\S+)$`),
		zoned: regexp.MustCompile(`^(\d{4}-\d\d-\d\d ` + clockPattern + `) ([A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)$`),
	}
}

// cutCells shortens a text to a number of screen cells. A shortened text ends with "…", before
// the time or the id that would be cut. A time or id at the start is cut like any word;
// least returns the required cells.
func (a *atoms) cutCells(text string, cells int) string {
	short := terminal.Cut(text, cells)
	if short == text {
		return text
	}
	return a.before(text, len(short)-len("…"))
}

// before returns at most end bytes of a text, followed by "…".
func (a *atoms) before(text string, end int) string {
	if end <= 0 {
		return text[:max(0, end)] + "…"
	}
	for _, atom := range a.all.FindAllStringIndex(text, -1) {
		if kept := strings.TrimRight(text[:atom[0]], " ("); atom[0] < end && end < atom[1] && kept != "" {
			return kept + "…"
		}
	}
	return text[:end] + "…"
}

// Minimum cells of a longer cell: of a text, and of a single word.
const (
	minText = 12
	minWord = 16
)

// least returns the minimum width of a cell.
func (a *atoms) least(cell string) int {
	width := terminal.Width(cell)
	if a.whole.MatchString(cell) {
		return width
	}
	floor := minWord
	if strings.Contains(cell, " ") {
		floor = minText
	}
	if first := a.all.FindStringIndex(cell); first != nil && first[0] == 0 { //nolint:gocritic // a match has two indexes
		floor = max(floor, terminal.Width(cell[:first[1]])+1)
	}
	return min(width, floor)
}

// commonZone returns the common zone of all times in a column; "" for several zones, none, or
// other text after them.
func (a *atoms) commonZone(cells []string) string {
	zone := ""
	for _, cell := range cells {
		if cell == "" || cell[0] < '0' || cell[0] > '9' { // a dash or a word such as never
			continue
		}
		match := a.zoned.FindStringSubmatch(cell)
		if match == nil || zone != "" && zone != match[2] { //nolint:gocritic // a match has all groups
			return ""
		}
		zone = match[2]
	}
	return zone
}
