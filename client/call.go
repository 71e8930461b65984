package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// maxAnswer bounds an answer, in bytes. The server ends the pages of a list long
// before.
const maxAnswer = 32 << 20

// prefix is where the API lives under the address.
const prefix = "/api/v1"

// call makes one request. in, when it is not nil, is sent as JSON; the answer is
// read into out, when that is not nil.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	var sent atomic.Bool
	request = request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
	}))
	response, err := c.http.Do(request)
	if err != nil {
		return c.silence(err, sent.Load())
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return c.silence(err, true)
	}
	return c.understand(response, body, out)
}

// request builds the request.
func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, job.Errorf(job.Invalid, "the request cannot be written as JSON: %w", err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "%s is no address that can be called: %w", c.base, err)
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	if !c.token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	return request, nil
}

// silence says what it means that no whole answer came.
func (c *Client) silence(err error, sent bool) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the address.
	}
	kind, text := job.Unreachable, "no Orth server answers at %s: %w"
	if sent {
		kind, text = job.Ambiguous, "the server at %s took the request and did not answer: %w"
	}
	if errors.Is(err, context.Canceled) {
		text = "the call to %s was given up: %w"
	}
	return job.Errorf(kind, text, c.base, err)
}

// understand reads an answer.
func (c *Client) understand(response *http.Response, body []byte, out any) error {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	status := response.StatusCode
	switch {
	case len(body) > maxAnswer:
		return job.Errorf(job.Refused, "the answer of %s is larger than %d MiB: ask for fewer at once", c.base, maxAnswer>>20)
	case status >= 300 && status < 400:
		return c.stranger(fmt.Sprintf("sends on to %q", response.Header.Get("Location")))
	case status >= 400 && media == api.ProblemType:
		var p api.Problem
		if err := json.Unmarshal(body, &p); err != nil {
			return c.stranger("answers with a problem that is not JSON")
		}
		p.Status = status
		return p.Err()
	case status >= 400:
		return &job.Error{
			Kind:    api.KindOf(status),
			Message: fmt.Sprintf("%s answers with status %d and not as an Orth server does", c.base, status),
			Hint:    "check the address, and what stands between",
		}
	case out == nil:
		return nil
	case media != "application/json":
		return c.stranger(fmt.Sprintf("answers with %q where JSON was expected", media))
	}
	if err := json.Unmarshal(body, out); err != nil {
		return c.stranger(fmt.Sprintf("answers with JSON of another shape (%v)", err))
	}
	return nil
}

// stranger says that what answers is no Orth server.
func (c *Client) stranger(what string) error {
	return &job.Error{
		Kind: job.Refused, Message: fmt.Sprintf("%s %s", c.base, what),
		Hint: "check that the address is the one of an Orth server",
	}
}
