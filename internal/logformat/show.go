package logformat

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxShown is the bytes of a line that [Show] leaves.
const MaxShown = 16 << 10

// Show makes lines safe for a screen. Control characters other than tabs become visible,
// such as \x00, and so do bytes that are no UTF-8 and characters that turn the direction of
// text; colours (SGR sequences) stay. A line of more than [MaxShown] bytes is cut, with a
// mark that states how much is missing and how to get it. A carriage return before a line's
// end is left out.
func Show(text string) string {
	if harmless(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		showLine(&out, strings.TrimSuffix(body, "\r"))
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// harmless reports whether text can be shown as it is: the most text can.
func harmless(text string) bool {
	begin := 0 // of the line
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n':
			begin = i + 1
		case c < ' ' && c != '\t' || c > '~' || i-begin >= MaxShown:
			return false
		}
	}
	return true
}

func showLine(out *strings.Builder, line string) {
	gone := 0
	if len(line) > MaxShown {
		end := MaxShown
		for end > MaxShown-utf8.UTFMax && !utf8.RuneStart(line[end]) {
			end--
		}
		gone = len(line) - end
		line = line[:end]
	}
	coloured := false
	for i := 0; i < len(line); {
		if n := sgr(line[i:]); n > 0 {
			out.WriteString(line[i : i+n])
			i += n
			coloured = true
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(out, `\x%02x`, line[i])
		case r == '\r':
			out.WriteString(`\r`)
		case r < ' ' && r != '\t', r == 0x7f:
			fmt.Fprintf(out, `\x%02x`, r)
		case misleading(r):
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteString(line[i : i+size])
		}
		i += size
	}
	if gone > 0 {
		if coloured {
			out.WriteString("\x1b[0m")
		}
		fmt.Fprintf(out, "… [%d more bytes of this line: download the log to get them]", gone)
	}
}

// misleading reports whether a character changes how those around it are shown:
// controls beyond ASCII, line breaks that are none, and marks of direction.
func misleading(r rune) bool {
	return r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
