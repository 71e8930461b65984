package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	prefix     = "/api/v1"
	headOnce   = "Idempotency-Key"
	maxAnswer  = 32 << 20         // bytes of an answer, and of the document
	answersFor = 35 * time.Second // a little more than the server's own limit
)

// link makes requests of the server. It is safe for concurrent use.
type link struct {
	base      string // without a slash at the end
	token     redacted.Text
	transport *http.Transport
	http      *http.Client
}

// apiResponse is what a server said.
type apiResponse struct {
	text []byte
	tag  string // its ETag
}

func newLink(c Config) (*link, error) {
	u, err := url.Parse(c.Address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, job.FieldErrorf("server", "%q is no URL of a server: write it such as http://127.0.0.1:8080", c.Address)
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     c.TLS.Clone(),
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: maxAtOnce,
		IdleConnTimeout:     30 * time.Second,
	}
	return &link{
		base: strings.TrimRight(u.String(), "/") + prefix, token: c.Token, transport: transport,
		http: &http.Client{
			Transport: transport, Timeout: answersFor,
			// The token goes to no other address than the one given.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func (l *link) close() { l.transport.CloseIdleConnections() }

// document reads the description of the server's API.
func (l *link) document(ctx context.Context) (document, error) {
	said, err := l.doCall(ctx, apiRequest{method: http.MethodGet, path: "/openapi.json"})
	if err != nil {
		return document{}, err
	}
	var doc document
	if err := json.Unmarshal(said.text, &doc); err != nil || len(doc.Paths) == 0 {
		return document{}, l.stranger("does not describe its API")
	}
	return doc, nil
}

// doCall makes a request. What the server refuses is an error with its words.
func (l *link) doCall(ctx context.Context, c apiRequest) (apiResponse, error) {
	target := l.base + c.path
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, c.method, target, bytes.NewReader(c.body))
	if err != nil {
		return apiResponse{}, job.Errorf(job.Invalid, "%s cannot be called: %w", target, err)
	}
	maps.Copy(request.Header, c.header)
	if c.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if !l.token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+l.token.Reveal())
	}
	response, err := l.http.Do(request)
	if err != nil {
		return apiResponse{}, l.silence(c.method, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return apiResponse{}, l.silence(c.method, err)
	}
	return l.understand(response, text)
}

// silence says what it means that no whole answer came.
func (l *link) silence(method string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the address.
	}
	failed, _ := errors.AsType[*net.OpError](err)
	if method == http.MethodGet || failed != nil && failed.Op == "dial" {
		return job.Errorf(job.Unreachable, "no Orth server answers at %s: %w", l.base, err)
	}
	doubt := job.Errorf(job.Ambiguous, "the server at %s did not answer, and may have done it: %w", l.base, err)
	doubt.Hint = "look before you call again"
	return doubt
}

// understand reads an answer.
func (l *link) understand(response *http.Response, text []byte) (apiResponse, error) {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	status := response.StatusCode
	switch {
	case len(text) > maxAnswer:
		return apiResponse{}, job.Errorf(job.Refused, "the answer is larger than %d MiB: ask for less at once", maxAnswer>>20)
	case status >= 400 && media == api.ProblemType:
		var p api.Problem
		if json.Unmarshal(text, &p) != nil {
			return apiResponse{}, l.stranger("answers with a problem that is not JSON")
		}
		p.Status = status
		return apiResponse{}, p.Err()
	case status >= 300:
		return apiResponse{}, l.stranger(fmt.Sprintf("answers with status %d, and not as an Orth server does", status))
	case len(text) > 0 && media != "application/json" && media != "application/openapi+json":
		return apiResponse{}, l.stranger(fmt.Sprintf("answers with %q where JSON was expected", media))
	}
	return apiResponse{text: bytes.TrimSpace(text), tag: response.Header.Get("ETag")}, nil
}

// stranger says that what answers is no Orth server.
func (l *link) stranger(what string) error {
	return &job.Error{Kind: job.Refused, Message: l.base + " " + what, Hint: "check that the address is the one of an Orth server"}
}
