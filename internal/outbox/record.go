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

// storedOutcome is the stored form of an outcome. Names never change; a new field must be optional
// in old files.
type storedOutcome struct {
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
	r := storedOutcome{
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
		if body, err = r.appendAny(nil); err != nil {
			return queue.Item{}, fmt.Errorf("encode the outcome of attempt %d: %w", out.AttemptID, err)
		}
	}
	return queue.Item{Key: out.AttemptID, AddedAt: out.EndedAt, Body: body}, nil
}

// appendAny appends the stored form of any outcome.
func (r *storedOutcome) appendAny(b []byte) ([]byte, error) {
	to := bytes.NewBuffer(b)
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false) // each line that a runner writes has a <br>
	err := encoder.Encode(r)
	return bytes.TrimSuffix(to.Bytes(), []byte{'\n'}), err // which Encode adds
}

// appendPlain appends the stored form of an outcome that has no text but a simple message
// and a log of simple lines, as nearly all are, byte for byte as appendAny does; ok is
// false for any other.
func (r *storedOutcome) appendPlain(b []byte) (_ []byte, ok bool) {
	if r.Class != "" || r.RetryAfter != 0 || !simple(r.Message) || !simple(string(r.State)) {
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
			if !simple(text) {
				return nil, false
			}
			if b = append(b, text...); ended {
				b = append(b, `\n`...)
			}
		}
		b = append(b, '"')
	}
	return append(b, '}'), true
}

// simple reports whether a text is ASCII and the same within the quotes of JSON.
func simple(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		w := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		// The highest bit of each byte that is none: itself, below a blank, or what is 0 after
		// the exclusive or with a quote or a backslash.
		if (w|(w-0x20*each)|(w^'"'*each-each)|(w^'\\'*each-each))&(0x80*each) != 0 {
			return false
		}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// each has a 1 in each byte.
const each = 0x0101010101010101

// plain reads the stored form of an outcome that has no text but a simple message and
// a log, as nearly all are; ok is false for any other.
func plain(b []byte) (r storedOutcome, ok bool) {
	in := scanner{rest: b, ok: true}
	r.TriggeredAt = in.number(`{"triggered_at":`)
	r.State = state(in.readWord(`,"state":"`))
	if in.peekWord(`,"message":"`) {
		r.Message = in.readText(`,"message":"`)
	}
	r.EndedAt = in.number(`,"ended_at":`)
	if in.peekWord(`,"log":"`) {
		r.Log = in.lines(`,"log":"`)
	}
	return r, in.ok && string(in.rest) == "}"
}

// scanner reads values behind fixed words.
type scanner struct {
	rest []byte
	ok   bool
}

// peekWord reports whether a word comes next.
func (s *scanner) peekWord(word string) bool {
	return len(s.rest) >= len(word) && string(s.rest[:len(word)]) == word
}

func (s *scanner) skipWord(word string) {
	if !s.peekWord(word) {
		s.rest, s.ok = nil, false
		return
	}
	s.rest = s.rest[len(word):]
}

func (s *scanner) number(word string) (n int64) {
	s.skipWord(word)
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
	raw := s.quoted(word)
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return string(raw)
	}
	var text strings.Builder
	text.Grow(len(raw))
	for ; at >= 0; at = bytes.IndexByte(raw, '\\') {
		if at+1 == len(raw) || raw[at+1] != 'n' {
			s.ok = false
			return ""
		}
		text.Write(raw[:at])
		text.WriteByte('\n')
		raw = raw[at+2:]
	}
	text.Write(raw)
	return text.String()
}

func (s *scanner) readText(word string) string { return string(s.readWord(word)) }

// readWord reads a text without escapes.
func (s *scanner) readWord(word string) []byte {
	raw := s.quoted(word)
	s.ok = s.ok && bytes.IndexByte(raw, '\\') < 0
	return raw
}

// quoted reads up to a quote. A text that has one, or that is no UTF-8, is for the decoder
// of JSON.
func (s *scanner) quoted(word string) []byte {
	s.skipWord(word)
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 || !utf8.Valid(s.rest[:end]) {
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
		var err error
		if r, err = decoded(it.Body); err != nil {
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

// decoded reads the stored form of any outcome.
func decoded(b []byte) (r storedOutcome, err error) {
	err = json.Unmarshal(b, &r)
	return r, err
}
