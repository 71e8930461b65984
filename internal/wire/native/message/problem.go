package message

import (
	"errors"
	"net/http"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// The kinds of problems.
const (
	KindInvalid      = "invalid"
	KindUnauthorized = "unauthorized"
	kindRefused      = "refused"
	KindNotFound     = "not_found"
	kindFull         = "full"
	kindUnavailable  = "unavailable"
)

// TextInternal is what a caller reads of an error whose text is for the log.
const TextInternal = "an internal error: the log of the other side has the reason"

// Problem is what a request is answered with that is not carried out.
type Problem struct {
	Status  int
	Kind    string
	Message string
}

// ProblemOf translates an error. known is false for one whose text is for the log
// only.
func ProblemOf(err error) (p Problem, known bool) {
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Kind == job.Internal {
		return Problem{http.StatusServiceUnavailable, kindUnavailable, TextInternal}, false
	}
	p.Message = e.Message
	if e.Field != "" {
		p.Message = e.Field + ": " + e.Message
	}
	if e.Hint != "" {
		p.Message += "; " + e.Hint
	}
	switch e.Kind {
	case job.Invalid:
		p.Status, p.Kind = http.StatusBadRequest, KindInvalid
		if errors.Is(err, ErrTooMuch) {
			p.Status = http.StatusRequestEntityTooLarge
		}
	case job.Unauthorized:
		p.Status, p.Kind = http.StatusUnauthorized, KindUnauthorized
	case job.Forbidden, job.Refused, job.Conflict, job.Duplicate:
		p.Status, p.Kind = http.StatusForbidden, kindRefused
	case job.NotFound:
		p.Status, p.Kind = http.StatusNotFound, KindNotFound
	case job.Full:
		p.Status, p.Kind = http.StatusTooManyRequests, kindFull
	default:
		p.Status, p.Kind = http.StatusServiceUnavailable, kindUnavailable
	}
	return p, true
}

// AppendProblem writes the answer to a request that is not carried out.
func AppendProblem(dst []byte, p Problem) []byte {
	dst = jsontext.AppendTextField(dst, `{"kind":`, p.Kind)
	return append(jsontext.AppendTextField(dst, `,"message":`, p.Message), '}')
}

// DecodeProblem reads one. Errors are Invalid.
func DecodeProblem(status int, body []byte) (Problem, error) {
	p := Problem{Status: status}
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "kind":
			p.Kind, err = s.Str()
		case "message":
			p.Message, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && p.Kind == "" {
		err = missing("kind")
	}
	return p, err
}

// Err returns the problem as an error, by its status: a later minor version may have
// kinds that are not known here. Kinds: Invalid, the request is wrong; Refused; Full;
// Unavailable.
func (p Problem) Err() error {
	kind := job.Unavailable
	switch p.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		kind = job.Invalid
	case http.StatusForbidden, http.StatusNotFound, http.StatusUnauthorized:
		kind = job.Refused
	case http.StatusTooManyRequests:
		kind = job.Full
	}
	text := job.Clean(p.Message, job.MaxMessage)
	if text == "" {
		text = "it answered " + Shorten(p.Kind) + " and no reason"
	}
	return &job.Error{Kind: kind, Message: text}
}
