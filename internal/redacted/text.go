// Package redacted holds a text that never prints: a token, a password, a key. The text
// is read only through [Text.Reveal], which is easy to search for.
package redacted

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// mask is what every printed Text shows.
const mask = "***"

// Text is a text that prints as "***", however it is printed: by fmt with any
// verb, as JSON or by slog, alone or inside another value. It holds a pointer
// because fmt shows the unexported fields of a struct without asking their
// methods. The zero Text is empty. Compare with [Text.Equal].
type Text struct {
	value *string
	_     [0]func() // refuses ==, which would compare pointers
}

// New returns text as a secret.
func New(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{value: &text}
}

// Reveal returns the text itself. Its result must not be logged, stored or put
// into an error.
func (t Text) Reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.value == nil }

// Equal compares two texts in constant time, whatever their lengths.
func (t Text) Equal(other Text) bool {
	a, b := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// String returns "***".
func (t Text) String() string { return mask }

// GoString returns "***".
func (t Text) GoString() string { return mask }

// Format prints "***" for every verb and flag.
func (t Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText returns "***", also for JSON: a secret goes in and not out.
func (t Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText takes the text, so that configuration can hold a Text.
func (t *Text) UnmarshalText(text []byte) error {
	*t = New(string(text))
	return nil
}

// LogValue shows "***" to slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(mask) }
