package job

import "strings"

// traceLength is the length of a trace context of version 00.
const traceLength = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

// ValidTrace reports whether text is a trace context as the W3C's header traceparent
// has it: a version, the trace, the span that is above, and flags, in lower case.
func ValidTrace(text string) bool {
	if len(text) != traceLength || text[:2] != "00" {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case i == 2 || i == 35 || i == 52:
			if c != '-' {
				return false
			}
		case (c < '0' || '9' < c) && (c < 'a' || 'f' < c):
			return false
		}
	}
	zero := func(part string) bool { return strings.Trim(part, "0") == "" }
	return !zero(text[3:35]) && !zero(text[36:52])
}

// TraceOf returns the id of the trace that a trace context is of, and empty for a text
// that is none.
func TraceOf(text string) string {
	if !ValidTrace(text) {
		return ""
	}
	return text[3:35]
}
