package xxladmin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// apiPrefix is where the server's own API lives.
const apiPrefix = "/api/v1"

// maxAnswer bounds an answer of the API, in bytes.
const maxAnswer = 8 << 20

// answeredError is what the API has answered to a request that it refused.
type answeredError struct {
	problem *job.Error
	wait    string // the seconds after which to ask again; empty for none
}

// Error returns what was wrong.
func (e answeredError) Error() string { return e.problem.Error() }

// Unwrap returns the problem, with its kind.
func (e answeredError) Unwrap() error { return e.problem }

// request makes a request of the server's own API as who calls. body is sent as JSON
// unless it is nil, and the answer read into unless that is nil.
func (h *Handler) request(ctx context.Context, method, path string, body, into any) (http.Header, error) {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode the request %s %s: %w", method, path, err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, apiPrefix+path, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("make the request %s %s: %w", method, path, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := h.config.API.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("request %s %s: %w", method, path, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		p := api.Problem{Status: answer.StatusCode}
		_ = json.Unmarshal(text, &p) // the status alone determines the kind
		return nil, answeredError{p.Err(), answer.Header.Get("Retry-After")}
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("read the answer to %s %s: %w", method, path, err)
		}
	}
	return answer.Header, nil
}

// jobPath returns the API's path of a job, or of what is below it.
func jobPath(j *job.Job, below string) string {
	return "/jobs/" + url.PathEscape(j.Key) + below + "?namespace=" + url.QueryEscape(j.Namespace)
}

// groupPath returns the API's path of a group, or of what is below it.
func groupPath(key, below string) string { return "/groups/" + url.PathEscape(key) + below }
