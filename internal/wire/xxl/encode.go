package xxl

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// The writers of this package append JSON by hand: the messages are few and
// flat, every scheduled run pays for two of them, and encoding/json costs
// several times more.

// appendText appends s as a JSON string. Like the peers it leaves <, > and &
// as they are; bytes that are not UTF-8 become U+FFFD.
func appendText(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029': // line ends to JavaScript
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, digits[r&15])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// appendTextField appends key, which ends in a colon, and value as a string.
func appendTextField(dst []byte, key, value string) []byte {
	return appendText(append(dst, key...), value)
}

// appendIntField appends key, which ends in a colon, and value.
func appendIntField(dst []byte, key string, value int64) []byte {
	return strconv.AppendInt(append(dst, key...), value, 10)
}

// maxMillis is the last millisecond of the year 9999: later ones make no
// folder name.
const maxMillis = 253402300799999

// millis returns t in milliseconds since 1970, and 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// fromMillis is the inverse of millis.
func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
