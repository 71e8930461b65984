package job

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxFacts is the bytes of what an executor tells about itself.
const MaxFacts = 64 << 10

// FactsEvery is the least time between two documents of one executor that a server
// takes.
const FactsEvery = time.Second

var factsKind = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Facts are a document in which an executor tells about itself what only those
// understand who know its kind. It replaces the one before, and goes with the executor.
type Facts struct {
	// Kind says what the document is about: 1..32 lower-case letters, digits and
	// dashes, with a letter in front.
	Kind string
	// At is when a server took it; zero in those that come.
	At time.Time
	// Text is a JSON object of at most [MaxFacts] bytes.
	Text string
}

// CheckFactsKind reports what is wrong with a kind of facts. The error is Invalid.
func CheckFactsKind(field, kind string) error {
	if !factsKind.MatchString(kind) {
		return FieldErrorf(field, "%q is none: 1 to 32 lower-case letters, digits and dashes, with a letter in front", Clean(kind, 50))
	}
	return nil
}

// Check reports what is wrong with the facts. The error is Invalid and names the field.
func (f *Facts) Check() error {
	if err := CheckFactsKind("kind", f.Kind); err != nil {
		return err
	}
	text := strings.TrimSpace(f.Text)
	switch {
	case len(f.Text) > MaxFacts:
		return FieldErrorf("facts", "have %d bytes: at most %d are taken, so tell less", len(f.Text), MaxFacts)
	case !utf8.ValidString(text) || !json.Valid([]byte(text)):
		return FieldErrorf("facts", "are no JSON text in UTF-8")
	case text[0] != '{':
		return FieldErrorf("facts", "are no JSON object")
	}
	return nil
}
