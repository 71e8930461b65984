// Package call makes the HTTP requests of channels.
//
// It knows how long a request may take, how much of an answer is read, and which
// answers mean that another try may help. It must never know what is sent, or to
// whom. A request comes in; the answer goes out, or an error without the address,
// which is often as good as a password.
//
// Every request has a connection of its own: messages are rare, and a connection
// that waits for the next one would only be a thing to close.
package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

const (
	maxAnswer  = 64 << 10 // bytes that are read of a response
	maxExcerpt = 200      // bytes of a response in an error
)

// Client makes requests within the operator's rules. It must not follow redirects: data of
// a channel is sent only to the channel's address.
type Client interface {
	Do(req *http.Request) (*http.Response, error)
}

// Request is an HTTP request.
type Request struct {
	Method string // defaults to POST
	URL    string
	Header http.Header // may be nil
	Body   []byte
}

// Answer is an HTTP response.
type Answer struct {
	Status int
	Body   []byte // at most 64 KiB
}

// Do sends a request once. Kinds: Unreachable when it certainly did not arrive, Unavailable
// when that is unknown, Refused when the operator does not allow the address, Invalid when
// the request is malformed.
func Do(ctx context.Context, client Client, r Request) (Answer, error) {
	if r.Method == "" {
		r.Method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, job.Errorf(job.Invalid, "no request can be made of the channel's address and method")
	}
	maps.Copy(req.Header, r.Header)
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("User-Agent", "Orth")
	req.Close = true
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, failed(ctx, req.URL, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, job.Errorf(job.Unavailable, "%s began to answer with %d and broke off", req.URL.Host, res.StatusCode)
	}
	return Answer{Status: res.StatusCode, Body: body}, nil
}

// PostJSON sends a value as JSON.
func PostJSON(ctx context.Context, client Client, address string, value any) (Answer, error) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // escaping protects nothing here, and takes six times the space
	if err := e.Encode(value); err != nil {
		return Answer{}, err
	}
	return Do(ctx, client, Request{URL: address, Body: body.Bytes()})
}

// failed converts an error of the client. It names the host, never the rest of the address.
func failed(ctx context.Context, address *url.URL, err error) error {
	if e, known := errors.AsType[*job.Error](err); known {
		return e // the operator's rules: the error names the host
	}
	if e, wrapped := errors.AsType[*url.Error](err); wrapped {
		err = e.Err
	}
	op, dialled := errors.AsType[*net.OpError](err)
	var name *net.DNSError
	switch {
	case ctx.Err() != nil:
		return job.Errorf(job.Unavailable, "%s did not answer in time", address.Host)
	case errors.As(err, &name):
		return job.Errorf(job.Unreachable, "no address is known for %s", address.Hostname())
	case dialled && op.Op == "dial":
		return job.Errorf(job.Unreachable, "%s cannot be reached: %v", address.Host, op.Err)
	default:
		return job.Errorf(job.Unavailable, "%s gave no answer: %v", address.Host, err)
	}
}

// Judge returns nil for a success. A response that asks for a later retry is Unavailable,
// or Full when the limit was exceeded; any other is Refused.
func (a Answer) Judge() error {
	switch {
	case a.Status >= 200 && a.Status <= 299:
		return nil
	case a.Status == http.StatusTooManyRequests:
		return job.Errorf(job.Full, "the other side has had too many messages (%s)", a.excerpt())
	case a.Status == http.StatusRequestTimeout, a.Status == http.StatusTooEarly, a.Status >= 500:
		return job.Errorf(job.Unavailable, "the other side is in trouble (%s)", a.excerpt())
	case a.Status >= 300 && a.Status <= 399:
		return job.Errorf(job.Refused, "the other side wants the message elsewhere (%d): give the final address", a.Status)
	default:
		return job.Errorf(job.Refused, "the other side refuses the message (%s)", a.excerpt())
	}
}

// JSON decodes the body, and reports false when it has another form.
func (a Answer) JSON(into any) bool { return json.Unmarshal(a.Body, into) == nil }

// excerpt returns the status and the start of the body. The body may contain anything; the
// caller must clean it.
func (a Answer) excerpt() string {
	text := strings.Join(strings.Fields(string(a.Body[:min(len(a.Body), maxExcerpt)])), " ")
	if text == "" {
		return strconv.Itoa(a.Status)
	}
	if len(a.Body) > maxExcerpt {
		text += "…"
	}
	return strconv.Itoa(a.Status) + ": " + text
}
