package native

import (
	"errors"
	"net/http"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// The kinds of problems.
const (
	kindInvalid      = "invalid"
	kindUnauthorized = "unauthorized"
	kindRefused      = "refused"
	kindNotFound     = "not_found"
	kindFull         = "full"
	kindUnavailable  = "unavailable"
)

// textInternal is what a caller reads of an error whose text is for the log.
const textInternal = "an internal error: the log of the other side has the reason"

// problem is what a request is answered with that is not carried out.
type problem struct {
	status  int
	kind    string
	message string
}

// problemOf translates an error. known is false for one whose text is for the log
// only.
func problemOf(err error) (p problem, known bool) {
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Kind == job.Internal {
		return problem{http.StatusServiceUnavailable, kindUnavailable, textInternal}, false
	}
	p.message = e.Message
	if e.Field != "" {
		p.message = e.Field + ": " + e.Message
	}
	if e.Hint != "" {
		p.message += "; " + e.Hint
	}
	switch e.Kind {
	case job.Invalid:
		p.status, p.kind = http.StatusBadRequest, kindInvalid
		if errors.Is(err, errTooMuch) {
			p.status = http.StatusRequestEntityTooLarge
		}
	case job.Unauthorized:
		p.status, p.kind = http.StatusUnauthorized, kindUnauthorized
	case job.Forbidden, job.Refused, job.Conflict, job.Duplicate:
		p.status, p.kind = http.StatusForbidden, kindRefused
	case job.NotFound:
		p.status, p.kind = http.StatusNotFound, kindNotFound
	case job.Full:
		p.status, p.kind = http.StatusTooManyRequests, kindFull
	default:
		p.status, p.kind = http.StatusServiceUnavailable, kindUnavailable
	}
	return p, true
}

func appendProblem(dst []byte, p problem) []byte {
	dst = jsontext.AppendTextField(dst, `{"kind":`, p.kind)
	return append(jsontext.AppendTextField(dst, `,"message":`, p.message), '}')
}

// decodeProblem reads one. Errors are Invalid.
func decodeProblem(status int, body []byte) (problem, error) {
	p := problem{status: status}
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "kind":
			p.kind, err = s.Str()
		case "message":
			p.message, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && p.kind == "" {
		err = missing("kind")
	}
	return p, err
}

// err returns the problem as an error, by its status: a later minor version may have
// kinds that are not known here. Kinds: Invalid, the request is wrong; Refused; Full;
// Unavailable.
func (p problem) err() error {
	kind := job.Unavailable
	switch p.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		kind = job.Invalid
	case http.StatusForbidden, http.StatusNotFound, http.StatusUnauthorized:
		kind = job.Refused
	case http.StatusTooManyRequests:
		kind = job.Full
	}
	text := job.Clean(p.message, job.MaxMessage)
	if text == "" {
		text = "it answered " + short(p.kind) + " and no reason"
	}
	return &job.Error{Kind: kind, Message: text}
}
