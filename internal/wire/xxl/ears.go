package xxl

import (
	"net/http"
	"slices"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// ears detect the dialect that a caller wants to be answered in.
type ears struct {
	base  dialect.Speech   // of callers that show nothing else, servers of ours among them
	named dialect.Speech   // of callers that name the executor's group
	forks []dialect.Speech // of callers that show the token under a fork's name alone
	set   *dialect.Speech  // of all callers; nil when they differ
}

func newEars(d job.Dialect, forks []dialect.Speech) ears {
	e := ears{base: dialect.Classic(), named: dialect.SpeechOf(dialect.Speeches(), job.DialectXXL35), forks: forks}
	if said := dialect.SpeechOf(slices.Concat(dialect.Speeches(), forks), d); said.Dialect == d {
		e.set = &said
	}
	return e
}

// speech returns the dialect of the answer. The headers reveal it, also empty ones: the
// names are there when there is no token to carry.
func (e *ears) speech(h http.Header) *dialect.Speech {
	if e.set != nil {
		return e.set
	}
	if _, ok := h[dialect.HeaderGroupCanonical]; ok {
		return &e.named
	}
	if _, ok := h[dialect.HeaderTokenCanonical]; ok {
		return &e.base
	}
	for i := range e.forks {
		if _, ok := h[http.CanonicalHeaderKey(e.forks[i].TokenHeaders[0])]; ok {
			return &e.forks[i]
		}
	}
	return &e.base
}

// translate returns a text of this executor's rooms, in the words of [Classic], in another
// dialect. A text of no dialect stays as it is.
func (e *ears) translate(to *dialect.Speech, text string) string {
	own, other := &e.base.Answers, &to.Answers
	if to == &e.base {
		return text
	}
	switch text {
	case own.Discarded:
		return other.Discarded
	case own.LogMissing:
		return other.LogMissing
	}
	for _, phrase := range [][2]*dialect.Phrase{
		{&own.NoHandler, &other.NoHandler}, {&own.KindUnknown, &other.KindUnknown}, {&own.KindOff, &other.KindOff},
	} {
		if word, ok := phrase[0].Word(text); ok {
			return phrase[1].With(word)
		}
	}
	return text
}

// first returns the first value of a header, empty when there is none. The name is
// in Go's canonical form.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
