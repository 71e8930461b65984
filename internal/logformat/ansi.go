package logformat

import "strings"

const escape = '\x1b'

// maxSGR is the longest colour sequence that counts as one, in bytes.
const maxSGR = 64

// sgr returns the length of the colour sequence (ESC [ … m) at the start of text,
// 0 when there is none.
func sgr(text string) int {
	if len(text) < 3 || text[0] != escape || text[1] != '[' {
		return 0
	}
	for i := 2; i < min(len(text), maxSGR); i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// StripANSI removes escape sequences of terminals: colours, moves of the cursor,
// titles and links. An escape that begins no whole sequence in its line is removed
// alone.
func StripANSI(text string) string {
	at := strings.IndexByte(text, escape)
	if at < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for at >= 0 {
		out.WriteString(text[:at])
		text = text[at+max(sequence(text[at:]), 1):]
		at = strings.IndexByte(text, escape)
	}
	out.WriteString(text)
	return out.String()
}

// sequence returns the length of the escape sequence at the start of text, 0 when
// its line ends before it does.
func sequence(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch c := text[1]; {
	case c == '[': // parameters, intermediates, a final byte
		for i := 2; i < len(text) && text[i] >= ' ' && text[i] <= '~'; i++ {
			if text[i] >= '@' {
				return i + 1
			}
		}
	case c == ']', c == 'P', c == '^', c == '_', c == 'X': // a text that BEL or ESC \ ends
		for i := 2; i < len(text) && text[i] != '\n'; i++ {
			if text[i] == '\a' {
				return i + 1
			}
			if text[i] == escape && i+1 < len(text) && text[i+1] == '\\' {
				return i + 2
			}
		}
	case c >= ' ' && c <= '/': // intermediates, a final byte
		for i := 2; i < len(text) && text[i] >= ' ' && text[i] <= '~'; i++ {
			if text[i] >= '0' {
				return i + 1
			}
		}
	case c >= '0' && c <= '~':
		return 2
	}
	return 0
}
