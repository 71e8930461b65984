package jsontext

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// Null is how nothing is written.
const Null = "null"

// maxNesting is how deep a message may nest. The protocols need five levels.
const maxNesting = 32

// Scanner reads one JSON text in one pass, without reflection, and forgives
// what Java peers forgive: numbers in quotes, numbers for strings, null for
// anything, raw control characters in strings. Its slices alias the source. All
// its errors are [job.Invalid], and none quotes the text. The zero Scanner reads
// an empty text.
type Scanner struct {
	src []byte
	pos int
}

// New returns a scanner at the beginning of src, which must not change while it
// is used.
func New(src []byte) Scanner { return Scanner{src: src} }

// Mark returns where the scanner is, for Back.
func (s *Scanner) Mark() int { return s.pos }

// Back returns to a mark: what was consumed since comes again.
func (s *Scanner) Back(mark int) { s.pos = mark }

// wrong returns an Invalid error with the position of the fault. It never quotes the text:
// bodies may hold secrets.
func (s *Scanner) wrong(want string) error {
	if s.pos >= len(s.src) {
		return job.Errorf(job.Invalid, "malformed JSON: it ends where %s is expected", want)
	}
	return job.Errorf(job.Invalid, "malformed JSON at byte %d: %s is expected", s.pos+1, want)
}

// Peek skips white space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	for ; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// accept consumes c, which is never 0, when it comes next.
func (s *Scanner) accept(c byte) bool {
	if s.Peek() != c {
		return false
	}
	s.pos++
	return true
}

// End reports what follows the message as an error.
func (s *Scanner) End() error {
	if s.Peek(); s.pos < len(s.src) {
		return s.wrong("the end")
	}
	return nil
}

// Fields walks an object. field is given each name, which is valid until it
// returns, and must consume the value.
func (s *Scanner) Fields(field func(name []byte) error) error {
	if !s.accept('{') {
		return s.wrong("an object")
	}
	if s.accept('}') {
		return nil
	}
	for {
		if s.Peek() != '"' {
			return s.wrong("a name in quotes")
		}
		name, err := s.quoted()
		if err != nil {
			return err
		}
		if !s.accept(':') {
			return s.wrong("':'")
		}
		if err := field(name); err != nil {
			return err
		}
		if s.accept('}') {
			return nil
		}
		if !s.accept(',') {
			return s.wrong("',' or '}'")
		}
	}
}

// Items walks an array; item must consume one value.
func (s *Scanner) Items(item func() error) error {
	if !s.accept('[') {
		return s.wrong("an array")
	}
	if s.accept(']') {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.accept(']') {
			return nil
		}
		if !s.accept(',') {
			return s.wrong("',' or ']'")
		}
	}
}

// Raw consumes any value and returns its bytes as they stand in the source.
func (s *Scanner) Raw() ([]byte, error) {
	s.Peek()
	start := s.pos
	if err := s.skip(maxNesting); err != nil {
		return nil, err
	}
	return s.src[start:s.pos], nil
}

// Skip consumes any value.
func (s *Scanner) Skip() error { return s.skip(maxNesting) }

// skip consumes any value that nests at most depth levels.
func (s *Scanner) skip(depth int) error {
	switch s.Peek() {
	case '{':
		if depth == 0 {
			return job.Errorf(job.Invalid, "malformed JSON: nested deeper than %d levels", maxNesting)
		}
		return s.Fields(func([]byte) error { return s.skip(depth - 1) })
	case '[':
		if depth == 0 {
			return job.Errorf(job.Invalid, "malformed JSON: nested deeper than %d levels", maxNesting)
		}
		return s.Items(func() error { return s.skip(depth - 1) })
	case '"':
		_, err := s.quoted()
		return err
	}
	_, err := s.literal()
	return err
}

// literal consumes a number, true, false or null.
func (s *Scanner) literal() ([]byte, error) {
	s.Peek()
	start := s.pos
	for s.pos < len(s.src) && literalByte(s.src[s.pos]) {
		s.pos++
	}
	word := s.src[start:s.pos]
	switch string(word) {
	case "true", "false", Null:
		return word, nil
	}
	if !numeric(word) {
		s.pos = start
		return nil, s.wrong("a value")
	}
	return word, nil
}

func literalByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// numeric reports whether word looks like a decimal number; what it is worth
// is for the reader of the value to find out.
func numeric(word []byte) bool {
	digits := 0
	for _, c := range word {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E':
			return false
		}
	}
	return digits > 0
}

// Text consumes a value meant as a string. isNull is true for null, which leaves
// the slice empty; numbers, objects and arrays come as they are written.
func (s *Scanner) Text() (value []byte, isNull bool, err error) {
	switch s.Peek() {
	case '"':
		value, err = s.quoted()
		return value, false, err
	case '{', '[':
		value, err = s.Raw()
		return value, false, err
	}
	value, err = s.literal()
	if err != nil || string(value) == Null {
		return nil, err == nil, err
	}
	return value, false, nil
}

// Str is text for those who make no difference between null and empty.
func (s *Scanner) Str() (string, error) {
	value, _, err := s.Text()
	return string(value), err
}

// Integer consumes a whole number between low and high, in quotes or not; null
// is 0. name is for the error.
func (s *Scanner) Integer(name string, low, high int64) (int64, error) {
	var word []byte
	var err error
	if s.Peek() == '"' {
		word, err = s.quoted()
	} else {
		word, err = s.literal()
	}
	if err != nil {
		return 0, err
	}
	if string(word) == Null {
		return 0, nil
	}
	n, ok := parseInteger(word)
	if !ok || n < low || n > high {
		return 0, job.Errorf(job.Invalid, "%s must be a whole number from %d to %d", name, low, high)
	}
	return n, nil
}

func parseInteger(word []byte) (int64, bool) {
	if len(word) > 0 && len(word) <= 18 {
		n := int64(0)
		for i, c := range word {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int64(c-'0')
			if i == len(word)-1 {
				return n, true
			}
		}
	}
	if !numeric(word) || len(word) > 64 {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(word), 10, 64); err == nil {
		return n, true
	}
	// 2 is also 2.0 and 2e0 to the peers.
	f, err := strconv.ParseFloat(string(word), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Boolean consumes a truth value, in quotes or not; null is false.
func (s *Scanner) Boolean(name string) (bool, error) {
	word, _, err := s.Text()
	if err != nil {
		return false, err
	}
	switch string(word) {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	}
	return false, job.Errorf(job.Invalid, "%s must be true or false", name)
}

// quoted consumes a string. The result aliases the source when nothing had to
// be replaced.
func (s *Scanner) quoted() ([]byte, error) {
	s.pos++ // the opening quote
	start := s.pos
	ascii := true
	for ; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '"':
			value := s.src[start:s.pos]
			s.pos++
			if ascii || utf8.Valid(value) {
				return value, nil
			}
			return appendValid(nil, value), nil
		case c == '\\':
			return s.unescape(start)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, s.wrong("'\"'")
}

// unescape is quoted from its first backslash on.
func (s *Scanner) unescape(start int) ([]byte, error) {
	value := make([]byte, 0, len(s.src[start:s.pos])+64)
	plain := start // where the part not yet taken over begins
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			value = appendValid(value, s.src[plain:s.pos])
			s.pos++
			return value, nil
		case '\\':
			value = appendValid(value, s.src[plain:s.pos])
			s.pos++
			r, err := s.escape()
			if err != nil {
				return nil, err
			}
			value = utf8.AppendRune(value, r)
			plain = s.pos
		default:
			s.pos++
		}
	}
	return nil, s.wrong("'\"'")
}

// escape consumes what follows a backslash.
func (s *Scanner) escape() (rune, error) {
	if s.pos >= len(s.src) {
		return 0, s.wrong("an escape")
	}
	c := s.src[s.pos]
	switch c {
	case '"', '\\', '/', '\'':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, ok := s.hex(s.pos + 1)
		if !ok {
			return 0, s.wrong("four hexadecimal digits after \\u")
		}
		s.pos += 5
		if !utf16.IsSurrogate(r) {
			return r, nil
		}
		if s.pos+1 < len(s.src) && s.src[s.pos] == '\\' && s.src[s.pos+1] == 'u' {
			if low, ok := s.hex(s.pos + 2); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					s.pos += 6
					return pair, nil
				}
			}
		}
		return utf8.RuneError, nil
	default:
		return 0, s.wrong("an escape")
	}
	s.pos++
	return rune(c), nil
}

// hex reads four hexadecimal digits at offset at.
func (s *Scanner) hex(at int) (rune, bool) {
	if at+4 > len(s.src) {
		return 0, false
	}
	var r rune
	for _, c := range s.src[at : at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendValid appends text with U+FFFD in place of each byte that is not UTF-8.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
