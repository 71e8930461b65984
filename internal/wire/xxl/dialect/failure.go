package dialect

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// HeaderFailures in a callback tells the server what its failures mean for the next try:
// "7=permanent,9=not_ready;after=30000", with the wait in milliseconds. A failure without a
// word may well not happen again. It also lists those that are no failures,
// "8=cancelled,10=skipped": the dialect has no codes for these ends.
const HeaderFailures = "Orth-Failures"

// MaxFailuresText is the bytes of the header that are read: those of a whole
// batch of the longest words.
const MaxFailuresText = MaxSendItems * len("9223372036854775807=not_ready;after=2592000000,")

const afterMark = ";after="

// appendFailure appends one outcome's part of the header's text, which for most is empty.
func appendFailure(dst []byte, o job.Outcome) []byte {
	said := string(o.Class)
	switch {
	case NoFailure(o.State):
		said, o.RetryAfter = string(o.State), 0
	case o.State == job.Succeeded || o.Class == "" || o.Class == retry.ClassTransient || !o.Class.Known():
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = append(strconv.AppendInt(dst, o.AttemptID, 10), '=')
	dst = append(dst, said...)
	if ms := min(o.RetryAfter, retry.MaxDelayCap).Milliseconds(); ms > 0 {
		dst = strconv.AppendInt(append(dst, afterMark...), ms, 10)
	}
	return dst
}

// NoFailure reports whether an end has the code of a failure and is none.
func NoFailure(s job.State) bool { return s == job.Cancelled || s == job.Skipped }

// ReadFailures adds the header's words to the outcomes. It skips what it cannot parse.
func ReadFailures(h http.Header, outcomes []job.Outcome) {
	values := h[HeaderFailures]
	if len(values) == 0 || len(values[0]) > MaxFailuresText {
		return
	}
	words := make(map[int64]failure)
	for word := range strings.SplitSeq(values[0], ",") {
		if attempt, f, ok := parseFailure(word); ok {
			words[attempt] = f
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		f, ok := words[o.AttemptID]
		switch {
		case !ok || o.State == job.Succeeded:
		case f.state == "":
			o.Class, o.RetryAfter = f.class, f.after
		case o.State == job.Failed:
			o.State = f.state
		}
	}
}

// failure is the meaning of a word: how the attempt ended, or what its failure means.
type failure struct {
	state job.State
	class retry.Class
	after time.Duration
}

func parseFailure(word string) (attempt int64, f failure, ok bool) {
	id, class, ok := strings.Cut(strings.TrimSpace(word), "=")
	if !ok {
		return 0, failure{}, false
	}
	class, after, hasAfter := strings.Cut(class, afterMark)
	f.class = retry.Class(class)
	attempt, err := strconv.ParseInt(id, 10, 64)
	switch state := job.State(class); {
	case err != nil || attempt <= 0:
		return 0, failure{}, false
	case NoFailure(state) && !hasAfter:
		return attempt, failure{state: state}, true
	case !f.class.Known():
		return 0, failure{}, false
	}
	if hasAfter {
		ms, err := strconv.ParseInt(after, 10, 64)
		if err != nil || ms < 0 {
			return 0, failure{}, false
		}
		f.after = time.Duration(min(ms, retry.MaxDelayCap.Milliseconds())) * time.Millisecond
	}
	return attempt, f, true
}

// FailureFields returns the headers that go with a callback of these outcomes.
func FailureFields(batch []job.Outcome) post.Fields {
	text := AppendFailures(batch)
	if len(text) == 0 {
		return nil
	}
	return post.Fields(nil).Add(HeaderFailures, string(text))
}

// AppendFailures writes what the failures of a batch mean for the next try.
func AppendFailures(batch []job.Outcome) (text []byte) {
	for _, o := range batch {
		text = appendFailure(text, o)
	}
	return text
}
