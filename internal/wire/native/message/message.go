package message

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// What all messages share. A field that has no value is left out when it is
// written, and an absent one reads like null.

// ErrTooMuch is the cause of the refusal of a message that is larger, or has more items, than allowed.
var ErrTooMuch = errors.New("too much in one request")

// Fields of many messages.
const (
	fieldAttempt   = "attempt" // its id
	fieldTriggered = "triggered_at"
	fieldGroup     = "group"
	fieldAddress   = "address" // of an executor
	fieldServer    = "server"  // its name, or its version
)

// maxDuration bounds durations: more than thirty years.
const maxDuration = 1_000_000_000_000 // ms

// scanner reads messages.
type scanner struct {
	jsontext.Scanner

	words [32]string // earlier words, in slots by a hash of their bytes
}

// word returns a short text. Those of a message are the same in each of its items, mostly.
func (s *scanner) word(b []byte) string {
	if len(b) == 0 || len(b) > maxWord {
		return string(b)
	}
	known := &s.words[(len(b)+3*int(b[0])+7*int(b[len(b)-1]))%len(s.words)]
	if *known != string(b) {
		*known = string(b)
	}
	return *known
}

// maxWord is the longest text that is remembered.
const maxWord = 64

// wordStr is Str for a text that other items have as well, mostly.
func (s *scanner) wordStr() (string, error) {
	value, _, err := s.Text()
	return s.word(value), err
}

// whole reads a message that is one object. Its errors are Invalid.
func whole(body []byte, field func(s *scanner, name string) error) error {
	s := &scanner{Scanner: jsontext.New(body)}
	if err := s.object(func(name string) error { return field(s, name) }); err != nil {
		return err
	}
	return s.End()
}

// Empty reads a message without any known field.
func Empty(body []byte) error {
	return whole(body, func(s *scanner, _ string) error { return s.Skip() })
}

// object consumes an object, or null, which has no fields.
func (s *scanner) object(field func(name string) error) error {
	if s.Peek() == 'n' {
		return s.Skip()
	}
	return s.Fields(func(name []byte) error { return field(s.word(name)) })
}

// list consumes an array of at most limit items, or null. name is for errors.
func list[T any](s *scanner, name string, limit int, item func() (T, error)) ([]T, error) {
	return listInto(nil, s, name, limit, item)
}

// listInto is list for who has room for the items.
func listInto[T any](out []T, s *scanner, name string, limit int, item func() (T, error)) ([]T, error) {
	if s.Peek() == 'n' {
		return nil, s.Skip()
	}
	err := s.Items(func() error {
		if len(out) == limit {
			return job.Errorf(job.Invalid, "%w: %s has more than %d items", ErrTooMuch, name, limit)
		}
		value, err := item()
		if err != nil {
			return job.Errorf(job.Invalid, "%s[%d]: %w", name, len(out), err)
		}
		out = append(out, value)
		return nil
	})
	return out, err
}

// id consumes the id of an attempt, a job or a run; absent is 0.
func (s *scanner) id(name string) (int64, error) { return s.Integer(name, 0, math.MaxInt64) }

// count consumes a number that is never negative and fits 31 bits.
func (s *scanner) count(name string) (int, error) {
	n, err := s.Integer(name, 0, math.MaxInt32)
	return int(n), err
}

// duration consumes a number of milliseconds.
func (s *scanner) duration(name string) (time.Duration, error) {
	n, err := s.Integer(name, 0, maxDuration)
	return time.Duration(n) * time.Millisecond, err
}

// missing is the error of a message without a field that it needs.
func missing(name string) error { return job.Errorf(job.Invalid, "%s is missing", name) }

// appendText appends a field, unless the value is empty. key begins with the
// comma and ends in the colon, as with the others.
func appendText(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return jsontext.AppendTextField(dst, key, value)
}

func appendNumber(dst []byte, key string, value int64) []byte {
	if value == 0 {
		return dst
	}
	return jsontext.AppendIntField(dst, key, value)
}

func appendTruth(dst []byte, key string, value bool) []byte {
	if !value {
		return dst
	}
	return jsontext.AppendBoolField(dst, key, value)
}

// appendDuration appends whole milliseconds: a part of one counts as one.
func appendDuration(dst []byte, key string, value time.Duration) []byte {
	ms := value.Milliseconds()
	if value > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return appendNumber(dst, key, min(max(ms, 0), maxDuration))
}

func appendInstant(dst []byte, key string, value time.Time) []byte {
	return appendNumber(dst, key, min(max(job.Millis(value), 0), jsontext.MaxMillis))
}

// appendIDs appends a field that is a list of ids.
func appendIDs(dst []byte, key string, ids []int64) []byte {
	dst = append(append(dst, key...), '[')
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, id, 10)
	}
	return append(dst, ']')
}

// ids consumes a list of at most limit ids.
func (s *scanner) ids(name string, limit int) ([]int64, error) {
	return list(s, name, limit, func() (int64, error) { return s.id("the id") })
}

// appendItems appends a field that is a list.
func appendItems[T any](dst []byte, key string, items []T, item func(dst []byte, value T) []byte) []byte {
	dst = append(append(dst, key...), '[')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, items[i])
	}
	return append(dst, ']')
}

// EmptyAnswer is the answer that only acknowledges.
const EmptyAnswer = `{}`
