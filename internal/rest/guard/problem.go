package guard

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// ProblemError is an api.Problem as huma wants to see an error.
type ProblemError struct {
	api.Problem

	wait string // the seconds after which to ask again; empty for none
}

// Error returns the detail.
func (p *ProblemError) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *ProblemError) GetStatus() int { return p.Status }

// ContentType returns the media type of problems.
func (p *ProblemError) ContentType(string) string { return api.ProblemType }

// GetHeaders returns the headers of the answer.
func (p *ProblemError) GetHeaders() http.Header {
	if p.wait == "" {
		return http.Header{}
	}
	return http.Header{headerRetry: {p.wait}}
}

// retryOf returns after how many seconds to ask again, empty when nothing is known.
func retryOf(p *api.Problem) string {
	if p.Code == job.Unavailable {
		return "1"
	}
	return ""
}

// Problem translates an error of the rooms. What users must not see, and what
// is the server's own trouble, is logged here and nowhere else.
func (g *Guard) Problem(ctx context.Context, operation string, err error) *ProblemError {
	if ctx.Err() != nil && job.KindOf(err) == job.Internal {
		// The end of the request is the reason, not a fault of the server.
		err = &job.Error{Kind: job.Unavailable, Message: context.Cause(ctx).Error(), Hint: "try again later"}
	}
	p := api.NewProblem(err)
	if m := mismatched(err); m != nil {
		changed, _ := errors.AsType[*job.Error](m.Unwrap())
		changed.Kind = job.Conflict
		p = api.NewProblem(changed)
		p.Status = http.StatusPreconditionFailed
	}
	if p.Status >= http.StatusInternalServerError && !errors.Is(ctx.Err(), context.Canceled) {
		p.ID = newErrorID()
		level := slog.LevelWarn
		if p.Code == job.Internal {
			level = slog.LevelError
		}
		g.config.Logger.Log(ctx, level, "request failed",
			"error_id", p.ID, "operation", operation, "kind", string(p.Code), "error", err.Error())
	}
	return &ProblemError{p, retryOf(&p)}
}

// transform replaces huma's own errors, those of requests that never reach them, by
// problems. Their status stays: it distinguishes a malformed request (400), a body too
// large (413) and an unknown media type (415) from invalid input (422).
func (g *Guard) transform(ctx huma.Context, _ string, body any) (any, error) {
	model, ok := body.(*huma.ErrorModel)
	if !ok {
		return body, nil
	}
	if model.Status >= http.StatusInternalServerError {
		details := make([]error, len(model.Errors))
		for i, d := range model.Errors {
			details[i] = d
		}
		return g.Problem(ctx.Context(), ctx.Operation().OperationID, errors.Join(details...)).Problem, nil
	}
	return requestProblem(model), nil
}

// requestProblem describes why a request does not match its schema. The values of the
// request are not repeated.
func requestProblem(model *huma.ErrorModel) api.Problem {
	wrong := make([]api.FieldError, 0, len(model.Errors))
	for _, d := range model.Errors {
		wrong = append(wrong, fieldError(d))
	}
	slices.SortFunc(wrong, func(a, b api.FieldError) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Detail, b.Detail))
	})
	wrong = slices.Compact(wrong)
	p := api.NewProblem(&job.Error{Kind: job.Invalid, Message: model.Detail})
	p.Status = model.Status
	switch {
	case model.Status == http.StatusRequestEntityTooLarge:
		p.Detail = "the body is larger than 1 MiB"
	case model.Status == http.StatusUnsupportedMediaType:
		p.Detail, p.Hint = "the body is of a media type that the API does not know", "send JSON with the header \"Content-Type: application/json\""
	case len(wrong) == 1:
		p.Field, p.Detail = wrong[0].Field, wrong[0].Detail
	case len(wrong) > 1:
		texts := make([]string, len(wrong))
		for i, e := range wrong {
			texts[i] = e.Field + ": " + e.Detail
		}
		p.Detail, p.Errors = strings.Join(texts, "; "), wrong
	}
	return p
}

// fieldError turns huma's words into ours.
func fieldError(d *huma.ErrorDetail) api.FieldError {
	place, field, _ := strings.Cut(d.Location, ".")
	text := d.Message
	if name, ok := strings.CutPrefix(text, "expected required property "); ok {
		name, _, _ = strings.Cut(name, " ")
		field, text = strings.TrimPrefix(field+"."+name, "."), "is missing"
	}
	if field == "" {
		field = place
	}
	for _, row := range phrases {
		if rest, ok := strings.CutPrefix(text, row.huma); ok {
			text = row.ours + strings.ReplaceAll(rest, `"`, "")
			break
		}
	}
	return api.FieldError{Field: field, Detail: text}
}

// phrases maps the prefixes of huma's messages to ours: the first row that matches counts.
// A message without a row is shown as it is.
var phrases = [...]struct{ huma, ours string }{
	{"unexpected property", "is not a field that the API knows"},
	{"unknown query parameter", "is not a parameter that the API knows"},
	{"invalid integer", "must be an integer"},
	{"expected value to be one of ", "must be one of "},
	{"expected string to be RFC 3339", "must be an instant such as 2030-01-31T08:00:00Z, RFC 3339"},
	{"expected string to be ", "must be "},
	{"expected array length ", "must have a length "},
	{"expected length ", "must have a length "},
	{"expected integer", "must be an integer"},
	{"expected number", "must be a number"},
	{"expected boolean", "must be true or false"},
	{"expected string", "must be a text in quotes"},
	{"expected array", "must be a list"},
	{"expected object", "must be an object"},
}

// WriteProblem answers with a problem.
func WriteProblem(w http.ResponseWriter, p api.Problem) {
	w.Header().Set("Content-Type", api.ProblemType)
	if wait := retryOf(&p); wait != "" {
		w.Header().Set(headerRetry, wait)
	}
	w.WriteHeader(p.Status)
	if text, err := json.Marshal(p); err == nil { // A Problem can always be encoded.
		_, _ = w.Write(append(text, '\n'))
	}
}

// newErrorID returns an id that names one error in the log.
func newErrorID() string { return "e-" + strings.ToLower(rand.Text()[:16]) }

// inTime adds the header with the time to retry for programs.
func inTime(err error, p *ProblemError) error {
	if late, ok := errors.AsType[hasty](err); ok {
		p.wait = strconv.FormatInt(int64(late.RetryAfter()/time.Second), 10)
	}
	return p
}

// ReadFields checks fields against a schema, and reads them. noun is what they
// are to be.
func (g *Guard) ReadFields(schema *huma.Schema, noun string, fields map[string]any, wanted any) error {
	path := huma.NewPathBuffer(nil, 0)
	path.Push("body")
	var found huma.ValidateResult
	huma.Validate(g.Schemas(), schema, path, huma.ModeWriteToServer, fields, &found)
	if len(found.Errors) == 0 {
		text, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(text, wanted)
		}
		if err != nil {
			return job.Errorf(job.Invalid, "this is not what a %s looks like: %w", noun, err)
		}
		return nil
	}
	model := huma.ErrorModel{Status: http.StatusUnprocessableEntity, Detail: "the " + noun + " would not be one"}
	for _, err := range found.Errors {
		if detail, ok := err.(*huma.ErrorDetail); ok { //nolint:errorlint // huma wraps none of its own.
			model.Errors = append(model.Errors, detail)
		}
	}
	return &ProblemError{Problem: requestProblem(&model)}
}

// hasty is an error for what came too soon.
type hasty interface {
	error
	// RetryAfter returns when it may come again, in whole seconds.
	RetryAfter() time.Duration
}
