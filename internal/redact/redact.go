// Package redact hides secrets in the text of logs.
//
// It knows what secrets look like, and the texts that it is given. It must never know where
// a text comes from or goes to. Lines come in; the same lines, with *** where a secret was,
// go out. Lines are whole when they come: a secret that is cut in two, or a private key of
// which neither its first nor its last line is in the text, is not seen.
//
// A text without secrets is read once and returned as it is; every byte of it is looked up
// in a table, and only those with which something could begin are looked at more closely.
package redact

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync/atomic"

	"github.com/orthd/orth/job"
)

// Masked stands where a secret was.
const Masked = "***"

// Limits.
const (
	// MinLiteral is the shortest literal, in bytes: a shorter one would be found
	// where it is no secret.
	MinLiteral = 8
	// MaxLiterals is the most literals.
	MaxLiterals = 50_000
	// MaxPatterns is the most patterns of one's own, and MaxPattern the bytes of
	// one: each is tried on each line.
	MaxPatterns = 32
	MaxPattern  = 1000
)

// Config sets what is hidden.
type Config struct {
	// Literals are secrets themselves, as in [Mask.SetLiterals].
	Literals []string
	// Patterns are regular expressions (RE2) that are tried on each line. Where one
	// has groups only what they match is hidden.
	Patterns []string
	// NoDefaults leaves out what is known to be secret by its shape: Literals and
	// Patterns remain.
	NoDefaults bool
}

// Mask hides secrets. Its methods are safe for concurrent use.
type Mask struct {
	defaults bool
	patterns []*regexp.Regexp
	book     atomic.Pointer[book]
}

// New returns a mask. Kinds: Invalid for a pattern, Full for too much.
func New(c Config) (*Mask, error) {
	m := &Mask{defaults: !c.NoDefaults}
	if len(c.Patterns) > MaxPatterns {
		return nil, job.Errorf(job.Full, "there are %d patterns for secrets in logs; at most %d are taken", len(c.Patterns), MaxPatterns)
	}
	for _, text := range c.Patterns {
		p, err := compile(text)
		if err != nil {
			return nil, err
		}
		m.patterns = append(m.patterns, p)
	}
	if err := m.SetLiterals(c.Literals); err != nil {
		return nil, err
	}
	return m, nil
}

func compile(text string) (*regexp.Regexp, error) {
	if len(text) > MaxPattern {
		return nil, job.Errorf(job.Invalid, "a pattern for secrets in logs has %d bytes; at most %d are taken", len(text), MaxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the pattern %q for secrets in logs is no regular expression: %w", text, err)
	}
	p, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the pattern %q for secrets in logs is no regular expression: %w", text, err)
	}
	if p.MatchString("") {
		return nil, job.Errorf(job.Invalid, "the pattern %q for secrets in logs matches where there is nothing: all would be secret", text)
	}
	return p, nil
}

// SetLiterals sets the texts that are secrets wherever they stand, in place of those
// before. Those that are shorter than [MinLiteral], or have a line end in them, are left
// out. Kinds: Full, when some behind the first [MaxLiterals] were left out.
func (m *Mask) SetLiterals(literals []string) error {
	var full error
	if len(literals) > MaxLiterals {
		full = job.Errorf(job.Full, "there are %d secrets to look for in logs; the first %d are hidden", len(literals), MaxLiterals)
		literals = literals[:MaxLiterals]
	}
	m.book.Store(newBook(literals, m.defaults))
	return full
}

// Text returns whole lines with their secrets hidden; there are as many lines as
// before. A text without secrets is returned as it is.
func (m *Mask) Text(s string) string {
	b := m.book.Load()
	found := scan{text: s, book: b}
	found.scanText()
	for _, p := range m.patterns {
		found.pattern(p)
	}
	if len(found.spans) == 0 {
		return s
	}
	masked := found.masked()
	for range b.again {
		found = scan{text: masked, book: b, literalsOnly: true}
		if found.scanText(); len(found.spans) == 0 {
			break
		}
		masked = found.masked()
	}
	return masked
}

// pattern finds what a pattern of one's own matches in each line.
func (f *scan) pattern(p *regexp.Regexp) {
	for at := 0; at < len(f.text); {
		line, _, _ := strings.Cut(f.text[at:], "\n")
		for _, match := range p.FindAllStringSubmatchIndex(strings.TrimSuffix(line, "\r"), -1) {
			groups := match[2:]
			if len(groups) == 0 {
				groups = match
			}
			for i := 0; i < len(groups); i += 2 {
				if groups[i] < groups[i+1] {
					f.markSecret(at+groups[i], at+groups[i+1])
				}
			}
		}
		at += len(line) + 1
	}
}
