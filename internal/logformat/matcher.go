package logformat

import (
	"context"
	"regexp"
	"strings"

	"github.com/orthd/orth/job"
)

// Limits of a search.
const (
	// MaxPattern is the bytes of what is searched for.
	MaxPattern = 1000
	// maxTried is the bytes of a line in which an expression is looked for.
	maxTried = 64 << 10
	// maxInstructions bounds a compiled expression: each may be tried at each byte.
	maxInstructions = 1000
	// lookAt is how many lines, and lookAtBytes of which size together, are tried before
	// the context is looked at.
	lookAt      = 256
	lookAtBytes = 64 << 10
)

// Pattern is what lines are searched for.
type Pattern struct {
	Text string
	// Regexp: Text is an expression of the RE2 syntax. It is looked for in the first 64 KiB
	// of a line.
	Regexp bool
	// Fold lets capital and small letters match each other.
	Fold bool
}

// Matcher finds lines that match. Its cost is at most that of maxInstructions for each
// byte of the text.
type Matcher struct {
	text       string
	expression *regexp.Regexp // nil: text is looked for
	firsts     string         // for folding: both forms of the first character of an ASCII text
}

// NewMatcher returns the matcher of a pattern. A pattern that is empty, longer than
// [MaxPattern], no expression, or one that compiles into too much, is Invalid and names
// field.
func NewMatcher(field string, p Pattern) (*Matcher, error) {
	switch {
	case p.Text == "":
		return nil, job.FieldErrorf(field, "is missing: set the text to search for")
	case len(p.Text) > MaxPattern:
		return nil, job.FieldErrorf(field, "has %d bytes, at most %d are allowed", len(p.Text), MaxPattern)
	case strings.Contains(p.Text, "\n"):
		return nil, job.FieldErrorf(field, "has a line end: a search looks at one line at a time")
	}
	m := &Matcher{text: p.Text}
	source := p.Text
	switch {
	case p.Regexp:
	case p.Fold && ascii(p.Text):
		m.firsts = strings.ToLower(p.Text[:1]) + strings.ToUpper(p.Text[:1])
		return m, nil
	case p.Fold:
		source = regexp.QuoteMeta(p.Text)
	default:
		return m, nil
	}
	if p.Fold {
		source = "(?i:" + source + ")"
	}
	if n := job.ExpressionSize(source); n > maxInstructions {
		return nil, job.FieldErrorf(field, "compiles into %d instructions, at most %d are allowed: use smaller counts in braces", n, maxInstructions)
	}
	expression, err := regexp.Compile(source)
	if err != nil {
		return nil, job.FieldErrorf(field, "is no expression of the RE2 syntax: %w", err)
	}
	m.expression = expression
	return m, nil
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Find returns where the line matches first, in bytes.
func (m *Matcher) Find(line string) (start, end int, found bool) {
	switch {
	case m.expression != nil:
		place := m.expression.FindStringIndex(line[:min(len(line), maxTried)])
		if place == nil {
			return 0, 0, false
		}
		return place[0], place[1], true
	case m.firsts != "":
		start = m.foldIndex(line)
	default:
		start = strings.Index(line, m.text)
	}
	return start, start + len(m.text), start >= 0
}

// foldIndex finds an ASCII text whatever the case of its letters, -1 when it is not
// there.
func (m *Matcher) foldIndex(line string) int {
	for at := 0; at+len(m.text) <= len(line); at++ {
		next := strings.IndexAny(line[at:], m.firsts)
		if next < 0 || at+next+len(m.text) > len(line) {
			return -1
		}
		at += next
		if strings.EqualFold(line[at:at+len(m.text)], m.text) {
			return at
		}
	}
	return -1
}

// possible reports whether a line of text may match, cheaply. It is right about no.
func (m *Matcher) possible(text string) bool {
	switch {
	case m.expression != nil:
		return true
	case m.firsts != "":
		return m.foldIndex(text) >= 0
	default:
		return strings.Contains(text, m.text)
	}
}

// Scan calls visit with the lines of text that match, without their ends, and how
// many lines stand before each, until it returns false. It returns how many lines it
// has tried, and why when it was not all of them: the context's cause.
func (m *Matcher) Scan(ctx context.Context, text string, visit func(before int, line string) bool) (tried int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if !m.possible(text) {
		return Count(text), nil
	}
	size := 0 // of the lines since the context was looked at
	for line := range strings.Lines(text) {
		if size += min(len(line), maxTried); tried%lookAt == lookAt-1 || size > lookAtBytes {
			size = 0
			if ctx.Err() != nil {
				return tried, context.Cause(ctx)
			}
		}
		line = strings.TrimSuffix(line, "\n")
		if _, _, found := m.Find(line); found && !visit(tried, line) {
			return tried + 1, nil
		}
		tried++
	}
	return tried, nil
}
