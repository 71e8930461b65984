package jsontext

import (
	"strconv"
	"unicode/utf8"
)

// AppendText appends s as a JSON string. Like the peers of the XXL-JOB family it leaves <, > and &
// as they are; bytes that are not UTF-8 become U+FFFD.
func AppendText(dst []byte, s string) []byte {
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

// AppendTextField appends key, which ends in a colon, and value as a string.
func AppendTextField(dst []byte, key, value string) []byte {
	return AppendText(append(dst, key...), value)
}

// AppendIntField appends key, which ends in a colon, and value.
func AppendIntField(dst []byte, key string, value int64) []byte {
	return strconv.AppendInt(append(dst, key...), value, 10)
}

// AppendBoolField appends key, which ends in a colon, and value.
func AppendBoolField(dst []byte, key string, value bool) []byte {
	return strconv.AppendBool(append(dst, key...), value)
}
