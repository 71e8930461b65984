package job

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxFacts bounds the bytes of an executor's facts.
const MaxFacts = 64 << 10

// FactsEvery is the least time between two documents of one executor that a server
// takes.
const FactsEvery = time.Second

var factsKind = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Facts are a document of an executor about itself, whose content only readers of its kind
// understand. It replaces the one before, and is removed with the executor.
type Facts struct {
	// Kind is the subject of the document: 1..32 lower-case letters, digits and dashes,
	// beginning with a letter.
	Kind string
	// At is when a server received it; zero in incoming ones.
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
