package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/orthd/orth/job"
)

// Problem is the body of every response that is an error: RFC 9457 problem
// details with a stable code.
type Problem struct {
	Title  string       `json:"title" doc:"The kind of problem, in words."`
	Status int          `json:"status" doc:"The HTTP status."`
	Code   job.Kind     `json:"code" enum:"invalid,unauthorized,forbidden,not_found,conflict,duplicate,full,unavailable,refused,unreachable,ambiguous,interrupted,internal" doc:"The kind of problem, for programs; it never changes its meaning."`
	Detail string       `json:"detail" doc:"What was wrong."`
	Field  string       `json:"field,omitempty" doc:"The input at fault."`
	Hint   string       `json:"hint,omitempty" doc:"What to do."`
	ID     string       `json:"id,omitempty" doc:"Names the details in the server's log."`
	Errors []FieldError `json:"errors,omitempty" nullable:"false" doc:"Each input at fault, when there are several."`
}

// FieldError is one input at fault.
type FieldError struct {
	Field  string `json:"field" doc:"The input at fault."`
	Detail string `json:"detail" doc:"What was wrong with it."`
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// statuses pairs the kinds of error with HTTP statuses, both ways: the first
// row that matches counts. So a later row of a kind only translates a status
// back that came without a code, from a proxy or from the HTTP layer itself;
// such a 502 may have come after the request had its effect.
var statuses = [...]struct {
	kind   job.Kind
	status int
}{
	{job.Invalid, http.StatusUnprocessableEntity},
	{job.Unauthorized, http.StatusUnauthorized},
	{job.Forbidden, http.StatusForbidden},
	{job.NotFound, http.StatusNotFound},
	{job.Conflict, http.StatusConflict},
	{job.Conflict, http.StatusPreconditionFailed},
	{job.Duplicate, http.StatusConflict},
	{job.Full, http.StatusTooManyRequests},
	{job.Unavailable, http.StatusServiceUnavailable},
	{job.Ambiguous, http.StatusGatewayTimeout},
	{job.Ambiguous, http.StatusBadGateway},
	{job.Refused, http.StatusBadGateway},
	{job.Unreachable, http.StatusServiceUnavailable},
	{job.Interrupted, http.StatusServiceUnavailable},
	{job.Internal, http.StatusInternalServerError},
	{job.Invalid, http.StatusBadRequest},
	{job.Invalid, http.StatusMethodNotAllowed},
	{job.Invalid, http.StatusRequestEntityTooLarge},
	{job.Invalid, http.StatusUnsupportedMediaType},
	{job.Invalid, http.StatusRequestHeaderFieldsTooLarge},
}

// StatusOf returns the HTTP status of a kind of error, 500 for an unknown one.
func StatusOf(kind job.Kind) int {
	for _, row := range statuses {
		if row.kind == kind {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// KindOf returns the kind of error that an HTTP status means when nothing else
// is known, Internal for a status that is not in the table.
func KindOf(status int) job.Kind {
	for _, row := range statuses {
		if row.status == status {
			return row.kind
		}
	}
	return job.Internal
}

// internalDetail is all that users see of an error of kind Internal.
const internalDetail = "something went wrong inside the server; its log tells more under the id given here"

// NewProblem returns err as a Problem. An error of kind Internal shows nothing of itself;
// others show the operation and the message, but not the cause.
func NewProblem(err error) Problem {
	known, ok := errors.AsType[*job.Error](err)
	if !ok || known.Kind == job.Internal || titleOf(known.Kind) == "" {
		return Problem{
			Title: titleOf(job.Internal), Status: StatusOf(job.Internal),
			Code: job.Internal, Detail: internalDetail,
		}
	}
	detail := known.Message
	if known.Field == "" {
		if tried, ok := strings.CutSuffix(err.Error(), known.Error()); ok {
			detail = tried + detail
		}
	}
	return Problem{
		Title: titleOf(known.Kind), Status: StatusOf(known.Kind), Code: known.Kind,
		Detail: detail, Field: known.Field, Hint: known.Hint,
	}
}

// Err returns the problem as an error, for a client that received it. A code
// that this version does not know is replaced by what the status means.
func (p Problem) Err() *job.Error {
	kind := p.Code
	if titleOf(kind) == "" {
		kind = KindOf(p.Status)
	}
	message, hint := p.Detail, p.Hint
	if message == "" {
		message = strings.ToLower(titleOf(kind))
	}
	if p.ID != "" {
		message += " (" + p.ID + ")"
	}
	return &job.Error{Kind: kind, Field: p.Field, Message: message, Hint: hint}
}

// titleOf returns the kind in words, "" for an unknown one.
func titleOf(kind job.Kind) string {
	switch kind {
	case job.Invalid:
		return "The request is wrong"
	case job.Unauthorized:
		return "The token is missing or wrong"
	case job.Forbidden:
		return "This is not allowed"
	case job.NotFound:
		return "There is no such thing"
	case job.Conflict:
		return "It exists already, or changed meanwhile"
	case job.Duplicate:
		return "It was accepted before"
	case job.Full:
		return "A limit is reached"
	case job.Unavailable:
		return "A part that is needed is away"
	case job.Refused:
		return "The other side refused"
	case job.Unreachable:
		return "The other side could not be reached"
	case job.Ambiguous:
		return "The other side did not answer"
	case job.Interrupted:
		return "The executor stopped"
	case job.Internal:
		return "The server failed"
	}
	return ""
}
