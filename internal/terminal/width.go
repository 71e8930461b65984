// Package terminal handles the terminal of the command line: the width of texts and of the
// screen, colors, progress bars and input without echo.
//
// It knows screen cells, escape sequences and operating system calls. It must not know the
// displayed content: no job, no run, no state. Input is writers and texts; output is
// widths, colored texts and typed secrets.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width returns the number of screen cells of a text: two for wide Chinese, Japanese and
// Korean characters and pictograms, zero for combining marks.
func Width(text string) int {
	cells := 0
	for _, r := range text {
		cells += runeWidth(r)
	}
	return cells
}

func runeWidth(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
	}
	return 1
}

// Cut shortens a text to a number of cells; a shortened text ends with "…".
func Cut(text string, cells int) string {
	if Width(text) <= cells {
		return text
	}
	if cells < 1 {
		return ""
	}
	taken := 0
	for i, r := range text {
		if taken += runeWidth(r); taken > cells-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// Pad appends spaces to a text up to a number of cells.
func Pad(text string, cells int) string {
	return text + strings.Repeat(" ", max(0, cells-Width(text)))
}
