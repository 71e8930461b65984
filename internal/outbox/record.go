package outbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// record is an outcome as it is stored. Names never change; a new field must
// do without in old files.
type record struct {
	TriggeredAt int64       `json:"triggered_at"` // milliseconds; zero time as its own value
	State       job.State   `json:"state"`
	Message     string      `json:"message,omitempty"`
	EndedAt     int64       `json:"ended_at"`
	Class       retry.Class `json:"class,omitempty"`
	RetryAfter  int64       `json:"retry_after,omitempty"` // milliseconds
	Log         string      `json:"log,omitempty"`
}

// itemOf makes the item of an outcome. The attempt's id is the key.
func itemOf(out job.Outcome) (queue.Item, error) {
	if !out.State.Final() {
		return queue.Item{}, job.FieldErrorf("state", "%q of attempt %d is not an outcome", out.State, out.AttemptID)
	}
	if out.AttemptID <= 0 {
		return queue.Item{}, job.FieldErrorf("attempt_id", "%d is not an attempt", out.AttemptID)
	}
	r := record{
		TriggeredAt: out.TriggeredAt.UnixMilli(),
		State:       out.State,
		Message:     job.Clean(out.Message, MaxMessage),
		EndedAt:     out.EndedAt.UnixMilli(),
		Class:       out.Class,
		RetryAfter:  out.RetryAfter.Milliseconds(),
		Log:         out.Log,
	}
	body, ok := r.appendPlain(nil)
	if !ok {
		var err error
		if body, err = json.Marshal(r); err != nil {
			return queue.Item{}, fmt.Errorf("encode the outcome of attempt %d: %w", out.AttemptID, err)
		}
	}
	return queue.Item{Key: out.AttemptID, AddedAt: out.EndedAt, Body: body}, nil
}

// appendPlain appends the stored form of an outcome that has no text but a simple
// message and a log of simple lines, as nearly all are, byte for byte as encoding/json
// does; ok is false for any other.
func (r *record) appendPlain(b []byte) (_ []byte, ok bool) {
	if r.Class != "" || r.RetryAfter != 0 || !simple(r.Message, 0) || !simple(string(r.State), 0) || !simple(r.Log, '\n') {
		return nil, false
	}
	b = slices.Grow(b, 96+len(r.Message)+len(r.Log)+len(r.Log)/16)
	b = strconv.AppendInt(append(b, `{"triggered_at":`...), r.TriggeredAt, 10)
	b = append(append(append(b, `,"state":"`...), r.State...), '"')
	if r.Message != "" {
		b = append(append(append(b, `,"message":"`...), r.Message...), '"')
	}
	b = strconv.AppendInt(append(b, `,"ended_at":`...), r.EndedAt, 10)
	if r.Log != "" {
		b = append(b, `,"log":"`...)
		for line := range strings.Lines(r.Log) {
			text, ended := strings.CutSuffix(line, "\n")
			if b = append(b, text...); ended {
				b = append(b, `\n`...)
			}
		}
		b = append(b, '"')
	}
	return append(b, '}'), true
}

// simple reports whether a text is the same within the quotes of JSON, but for one
// character.
func simple(text string, but byte) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c == but && c != 0:
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// plain reads the stored form of an outcome that has no text but a simple message and
// a log, as nearly all are; ok is false for any other.
func plain(b []byte) (r record, ok bool) {
	in := scanner{rest: b, ok: true}
	r.TriggeredAt = in.number(`{"triggered_at":`)
	r.State = state(in.word(`,"state":"`))
	if bytes.HasPrefix(in.rest, []byte(`,"message":"`)) {
		r.Message = in.text(`,"message":"`)
	}
	r.EndedAt = in.number(`,"ended_at":`)
	if bytes.HasPrefix(in.rest, []byte(`,"log":"`)) {
		r.Log = in.lines(`,"log":"`)
	}
	return r, in.ok && string(in.rest) == "}"
}

// scanner reads values behind fixed words.
type scanner struct {
	rest []byte
	ok   bool
}

func (s *scanner) skip(word string) {
	rest, found := bytes.CutPrefix(s.rest, []byte(word))
	s.rest, s.ok = rest, s.ok && found
}

func (s *scanner) number(word string) (n int64) {
	s.skip(word)
	end := 0
	for end < len(s.rest) && (s.rest[end] == '-' || s.rest[end] >= '0' && s.rest[end] <= '9') {
		end++
	}
	n, err := strconv.ParseInt(string(s.rest[:end]), 10, 64)
	s.rest, s.ok = s.rest[end:], s.ok && err == nil
	return n
}

// state returns the state of a name, mostly without a copy of the name.
func state(name []byte) job.State {
	switch job.State(name) {
	case job.Succeeded:
		return job.Succeeded
	case job.Failed:
		return job.Failed
	default:
		return job.State(name)
	}
}

// lines reads a text whose only escapes are the ends of lines.
func (s *scanner) lines(word string) string {
	s.skip(word)
	var text strings.Builder
	for s.ok {
		end := bytes.IndexAny(s.rest, "\"\\")
		if end < 0 || !utf8.Valid(s.rest[:end]) {
			break
		}
		text.Write(s.rest[:end])
		if s.rest[end] == '"' {
			s.rest = s.rest[end+1:]
			return text.String()
		}
		if end+1 == len(s.rest) || s.rest[end+1] != 'n' {
			break
		}
		text.WriteByte('\n')
		s.rest = s.rest[end+2:]
	}
	s.ok = false
	return ""
}

func (s *scanner) text(word string) string { return string(s.word(word)) }

// word reads up to a quote. One with escapes, or that is no UTF-8, is for the
// decoder of JSON.
func (s *scanner) word(word string) []byte {
	s.skip(word)
	end := bytes.IndexAny(s.rest, "\"\\")
	if end < 0 || s.rest[end] != '"' || !utf8.Valid(s.rest[:end]) {
		s.ok = false
		return nil
	}
	text := s.rest[:end]
	s.rest = s.rest[end+1:]
	return text
}

// outcomeOf reads an item that itemOf made.
func outcomeOf(it queue.Item) (job.Outcome, error) {
	r, ok := plain(it.Body)
	if !ok {
		r = record{}
		if err := json.Unmarshal(it.Body, &r); err != nil {
			return job.Outcome{}, job.Errorf(job.Invalid, "read the stored outcome of attempt %d: %w", it.Key, err)
		}
	}
	return job.Outcome{
		AttemptID:   it.Key,
		TriggeredAt: time.UnixMilli(r.TriggeredAt).UTC(),
		State:       r.State,
		Message:     r.Message,
		EndedAt:     time.UnixMilli(r.EndedAt).UTC(),
		Class:       r.Class,
		RetryAfter:  time.Duration(r.RetryAfter) * time.Millisecond,
		Log:         r.Log,
	}, nil
}
