package dialect

import (
	"math"
	"strings"

	"github.com/orthd/orth/internal/wire/jsontext"
)

// Scanner reads the messages of this dialect.
type Scanner struct{ jsontext.Scanner }

// Scan returns a scanner at the beginning of a message.
func Scan(src []byte) Scanner { return Scanner{jsontext.New(src)} }

// optionalText consumes a text; null is nil.
func (s *Scanner) optionalText() (*string, error) {
	value, null, err := s.Text()
	if err != nil || null {
		return nil, err
	}
	return new(string(value)), nil
}

// optionalInteger consumes a whole number of 32 bits; null is nil.
func (s *Scanner) optionalInteger(name string) (*int64, error) {
	if s.Peek() == 'n' {
		return nil, s.Skip()
	}
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return &n, err
}

// Blank reports whether a text is empty but for white space.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }
