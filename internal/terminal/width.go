// Package terminal is what the command line knows of the screen that it writes on:
// how wide texts are, how wide the screen is, colours, bars and questions that do
// not echo.
//
// It knows cells, escape sequences and the calls of the operating system. It must
// never know what is shown: no job, no run, no state. Writers and texts come in;
// widths, painted texts and typed secrets go out.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width returns how many cells of a screen a text takes: two for each wide
// character of Chinese, Japanese and Korean and for pictures, none for marks that
// are drawn over the character before them.
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

// Cut returns a text that takes at most so many cells: what is longer ends with "…".
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

// Pad returns a text with blanks behind it until it takes so many cells.
func Pad(text string, cells int) string {
	return text + strings.Repeat(" ", max(0, cells-Width(text)))
}
