package alarmtext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// colours are the sequences by which programs move and colour a terminal.
var colours = regexp.MustCompile("\x1b(?:\\[[0-9;:<=>?]*[\\x20-\\x2f]*[\\x40-\\x7e]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[\\x40-\\x5a\\\\^_])")

// Clean removes from a text what no reader should meet: sequences for terminals, control
// characters besides tabs and ends of lines, characters that turn the direction of what
// follows, and bytes that are no UTF-8.
func Clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if strings.ContainsRune(s, '\x1b') {
		s = colours.ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsControl(r), turns(r):
			return -1
		default:
			return r
		}
	}, s)
}

// turns reports whether r changes the direction of the text behind it, by which
// words can be made to look like others.
func turns(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' || r == '\u200E' || r == '\u200F' || r == '\u061C'
}

// Line returns a clean text as one line: every run of blanks is one space.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Cut returns at most limit bytes of s. What is cut ends with a mark, and never
// inside a character.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if limit < len(mark) {
		return s[:end]
	}
	return s[:end] + mark
}

// gap is a space of no width, which shows nothing and means nothing. The services
// document no way to escape, so that nothing else works in all of them.
const gap = "\u200b"

// parted reports whether markup of chat services may begin with a and b side by side.
func parted(a, b rune) bool {
	switch a {
	case '<', '@', '`', '\\':
		return true
	case '*', '_', '~':
		return a == b
	case ']':
		return b == '(' || b == '['
	case '!':
		return b == '['
	default:
		return false
	}
}

// loosen returns a text with a [gap] wherever markup may begin.
func loosen(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		if parted(last, r) {
			b.WriteString(gap)
		}
		b.WriteRune(r)
		last = r
	}
	if parted(last, 0) {
		b.WriteString(gap)
	}
	return b.String()
}

// Unmarked returns a clean text in which the Markdown of chat services finds no
// link, no mention, no tag and no heading. It looks as it was, and is longer by the
// bytes of some invisible characters.
func Unmarked(s string) string {
	lines := strings.Split(loosen(Clean(s)), "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if text != "" && strings.ContainsRune("#>-+*=|", rune(text[0])) {
			lines[i] = line[:len(line)-len(text)] + gap + text
		}
	}
	return strings.Join(lines, "\n")
}
