package job

import (
	"encoding/json"
	"slices"
	"strings"
)

// reference is a kind of reference within a text, such as secret. It is written
// ${secret:KEY}, or ${secret:KEY|url} for a place within an address; $${secret: stands for
// the text ${secret: itself.
type reference string

const (
	refURL = "url"
	maxRef = len("${secret:") + MaxKey + len("|"+refURL) + len("}") // of the longest kind
)

const hexDigits = "0123456789ABCDEF"

// begin returns the prefix of a reference.
func (r reference) begin() string { return "${" + string(r) + ":" }

// place is the place of a reference.
type place struct {
	key string
	// whole is set when it is a whole JSON text that is a value, without a filter.
	whole, url bool
}

// expand returns a text with its references replaced; value returns each value. In a JSON
// text they are escaped as the inside of a JSON text; where bare is returned, a value
// replaces the whole text with its quotes. References to the keys in keep stay as they are.
// Kinds: Invalid for a malformed reference, and for a result of more than limit bytes; and
// those of value.
func (r reference) expand(text string, limit int, inJSON bool, keep []string, value func(at place) (filled string, bare bool, err error)) (string, error) {
	begin := r.begin()
	var out []byte
	for rest := text; ; {
		at := strings.Index(rest, begin)
		if at < 0 {
			return string(append(out, rest...)), nil
		}
		if at > 0 && strings.HasPrefix(rest[at-1:], "$"+begin) {
			out = append(append(out, rest[:at-1]...), begin...)
			rest = rest[at+len(begin):]
			continue
		}
		out = append(out, rest[:at]...)
		inside, behind, closed := strings.Cut(rest[at+len(begin):], "}")
		if closed && slices.Contains(keep, inside) {
			out = append(append(append(out, begin...), inside...), '}')
			rest = behind
			continue
		}
		key, filter, filtered := strings.Cut(inside, "|")
		if !closed || CheckKey("", key) != nil || filtered && filter != refURL {
			return "", r.malformed(rest[at:])
		}
		here := place{key: key, url: filtered, whole: inJSON && !filtered && opensText(out) && closesValue(behind)}
		filled, bare, err := value(here)
		if err != nil {
			return "", err
		}
		if filtered {
			filled = EscapeURL(filled)
		}
		switch {
		case bare && here.whole:
			out, behind = out[:len(out)-1], behind[1:] // without the quotes
		case inJSON:
			filled = asJSON(filled)
		}
		// A small text may name a large value thousands of times.
		if len(out)+len(filled) > limit {
			return "", Errorf(Invalid, "it has more than %d bytes with the values of %ss in it: shorten them, or name them less often", limit, r)
		}
		out = append(out, filled...)
		rest = behind
	}
}

// opensText reports whether JSON that goes on with the inside of a text ends with the
// quote that opens it.
func opensText(text []byte) bool {
	if len(text) == 0 || text[len(text)-1] != '"' {
		return false
	}
	backslashes := 0
	for i := len(text) - 2; i >= 0 && text[i] == '\\'; i-- {
		backslashes++
	}
	return backslashes%2 == 0
}

// closesValue reports whether what stands behind the inside of a text of JSON begins with
// the quote that ends it, and the text is no name of a field.
func closesValue(behind string) bool {
	return strings.HasPrefix(behind, `"`) && !strings.HasPrefix(strings.TrimLeft(behind[1:], " \t\r\n"), ":")
}

// malformed is the error for a malformed reference.
func (r reference) malformed(text string) error {
	shown, _, _ := strings.Cut(text, "\n")
	wrong := Errorf(Invalid, "%q is no reference to %s %s", Clean(shown, maxRef), r.article(), r)
	wrong.Hint = "write " + r.begin() + "KEY}, or " + r.begin() + "KEY|url} within an address; for the text itself write $" + r.begin()
	return wrong
}

func (r reference) article() string {
	if r == inputRef {
		return "an"
	}
	return "a"
}

// asJSON escapes a text for the inside of a JSON text.
func asJSON(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil { // A text can always be encoded.
		return ""
	}
	quoted := strings.TrimSuffix(out.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// EscapeURL escapes a text for any part of an address.
func EscapeURL(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; unreserved(c) {
			out.WriteByte(c)
		} else {
			out.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return out.String()
}

// unreserved reports whether a byte needs no escape in any part of an address, RFC 3986.
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
