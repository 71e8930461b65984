package client

import (
	"bytes"
	"context"
	"crypto/tls"
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

// doRequest makes a call that has no key. in, when it is not nil, is sent as JSON; the
// answer is read into out, when that is not nil.
func (c *Client) doRequest(ctx context.Context, method, path string, query url.Values, in, out any) error {
	return c.calls(ctx, &wanted{method: method, path: path, query: query, in: in, out: out})
}

// attempt makes one request of a call.
func (c *Client) attempt(ctx context.Context, w *wanted) (retryVerdict, error) {
	request, err := c.request(ctx, w.method, w.path, dryRun(ctx, w.method, w.query), w.in)
	if err != nil {
		return retryVerdict{}, err
	}
	if w.key != "" {
		request.Header.Set(headerOnce, w.key)
	}
	var sent atomic.Bool
	request = request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
	}))
	response, err := c.http.Do(request)
	if err != nil {
		_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return retryVerdict{again: !distrusted}, c.silence(err, sent.Load())
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return retryVerdict{again: true}, c.silence(err, true)
	}
	if err := c.understand(response, body, w.out); err != nil {
		return verdictOn(response, err), err
	}
	return retryVerdict{}, nil
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
	if c.session != nil {
		c.session.addToRequest(request)
	}
	return request, nil
}

// speaksTLS begins what a server of Go answers to plain HTTP where it serves HTTPS.
const speaksTLS = "Client sent an HTTP request to an HTTPS server"

// silence returns the error for a request without a complete response.
func (c *Client) silence(err error, sent bool) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the address.
	}
	if doubt, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		distrust := job.Errorf(job.Unreachable, "%s shows a certificate that is not trusted: %w", c.base, doubt.Err)
		distrust.Hint = "trust the authority that signed it: --ca FILE or ORTH_CA on the command line, Config.TLS in a program; and call the server by a name that is in it"
		return distrust
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

// mediaOf returns the media type of an answer.
func mediaOf(response *http.Response) string {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return media
}

// understand reads an answer.
func (c *Client) understand(response *http.Response, body []byte, out any) error {
	media := mediaOf(response)
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
	case status == http.StatusBadRequest && bytes.HasPrefix(body, []byte(speaksTLS)):
		return &job.Error{
			Kind: job.Refused, Message: c.base + " speaks TLS", Hint: "write its address with https://",
		}
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

// stranger returns the error for a response that is not from an Orth server.
func (c *Client) stranger(what string) error {
	return &job.Error{
		Kind: job.Refused, Message: fmt.Sprintf("%s %s", c.base, what),
		Hint: "check that the address is the one of an Orth server",
	}
}
