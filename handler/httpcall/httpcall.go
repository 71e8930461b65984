// Package httpcall is the handler of jobs whose work is one HTTP call.
//
// It knows how a job's parameter describes a call, which answers count as success, and what
// must not be shown of it. It must never know which hosts may be reached: its client
// decides that. A task comes in; the answer goes to the run log and its beginning becomes
// the result. Failures state whether another try can help.
package httpcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// maxResult is the characters of the body in the result.
const maxResult = 1000

// Client makes the calls.
type Client interface {
	Do(req *http.Request) (*http.Response, error)
}

// Config is what a handler is made of.
type Config struct {
	// Client decides which hosts may be called, follows redirects and bounds the
	// headers of an answer. Required.
	Client Client
	// Secrets are texts that a parameter may name as ${secret:NAME} when it also lists NAME
	// in its field secrets. Editors of jobs may send them to any host that Client reaches.
	// Defaults to none.
	Secrets map[string]string
	// MaxBody is the bytes of a body that are read; the rest is left unread.
	// Defaults to 256 KiB.
	MaxBody int64
}

// Caller makes the calls of jobs. It implements [handler.Handler] and may serve
// many tasks at once.
type Caller struct {
	client  Client
	secrets map[string]string
	maxBody int64
}

// New returns the handler. An Invalid error names what is missing in c.
func New(c Config) (*Caller, error) {
	switch {
	case c.Client == nil:
		return nil, job.FieldErrorf("client", "there is none: give the client that makes the calls")
	case c.MaxBody < 0:
		return nil, job.FieldErrorf("max_body", "%d is negative: give a number of bytes", c.MaxBody)
	case c.MaxBody == 0:
		c.MaxBody = 256 << 10
	}
	return &Caller{client: c.Client, secrets: c.Secrets, maxBody: c.MaxBody}, nil
}

// Handle makes the call that t's parameter describes.
func (c *Caller) Handle(ctx context.Context, t *handler.Task) error {
	call, err := parse(t.Param)
	if err != nil {
		return retry.Permanent(err)
	}
	mask := newMask(c.secrets)
	if err := call.reveal(c.secrets); err != nil {
		return retry.Permanent(err)
	}
	mask.learn(&call)
	if call.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, call.Timeout)
		defer cancel()
	}
	req, err := call.request(ctx)
	if err != nil {
		return retry.Permanent(maskError(mask, err))
	}
	if t.Trace != "" && req.Header.Get("Traceparent") == "" {
		req.Header.Set("Traceparent", t.Trace)
	}
	what := req.Method + " " + mask.address(req.URL)
	t.Log("%s", what)
	if call.DataUnsent {
		t.Log("the field data is not sent with %s: use body to send one all the same", req.Method)
	}
	start := time.Now()
	res, err := c.client.Do(req)
	if err != nil {
		return failed(ctx, what, mask, err)
	}
	defer res.Body.Close()
	text, cut, err := c.readBody(res.Body, mask)
	status := statusLine(res.StatusCode)
	t.Log("%s after %d ms%s", status, time.Since(start).Milliseconds(), headerText(res.Header, mask))
	if call.LogBody && text != "" {
		_, _ = fmt.Fprintln(t.Output(), text)
		if cut {
			t.Log("the body is longer: %d bytes of it were read", c.maxBody)
		}
	}
	if err != nil {
		return failed(ctx, what, mask, err)
	}
	result, failure := status, status
	if call.LogBody && text != "" {
		result += "\n" + job.Clean(text, maxResult)
		if line := bodyLine(text); line != "" {
			failure += ": " + line
		}
	}
	if err := call.judge(res, text, cut, failure, time.Now()); err != nil {
		return wrapError(err, what)
	}
	t.Result(result)
	return nil
}

// statusLine does not use the server's own phrase, which may be anything.
func statusLine(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// readBody returns the masked beginning of a body, as text.
func (c *Caller) readBody(body io.Reader, mask *mask) (text string, cut bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, c.maxBody+1))
	if cut = int64(len(raw)) > c.maxBody; cut {
		raw = raw[:c.maxBody]
	}
	text = string(raw)
	if cut || err != nil {
		text = mask.trimPartial(text) // the end may hold the beginning of a secret
	}
	if !utf8.ValidString(text) {
		if strings.ContainsRune(text, 0) {
			return fmt.Sprintf("(%d bytes that are no text)", len(raw)), cut, err
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return mask.maskText(text), cut, err
}

// headerText returns a header line by line, sorted, each after a line break.
func headerText(h http.Header, mask *mask) string {
	var lines []string
	for name, values := range h {
		if name == "Set-Cookie" {
			continue
		}
		for _, value := range values {
			switch {
			case sensitive(name):
				value = hidden
			case name == "Location" || name == "Content-Location" || name == "Refresh" || name == "Link":
				value = mask.query(value)
			}
			lines = append(lines, "\n"+name+": "+mask.maskText(value))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// failed describes why there is no answer. The client's own text would hold the whole
// address.
func failed(ctx context.Context, what string, mask *mask, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return retry.Transient(handler.TimedOut(what + ": no whole answer in the time allowed: give the field timeout, " +
			"such as \"2m\", when it needs longer"))
	}
	return wrapError(maskError(mask, err), what)
}

// wrapError adds what was tried and keeps the class, which is Transient for a failure of the
// network.
func wrapError(err error, what string) error {
	class, after := retry.ClassOf(err)
	return &retry.Error{Class: class, After: after, Err: fmt.Errorf("%s: %w", what, err)}
}

// maskError returns err with its text masked.
func maskError(mask *mask, err error) error { return masked{mask.maskText(err.Error()), err} }

type masked struct {
	shown string
	err   error
}

func (m masked) Error() string { return m.shown }
func (m masked) Unwrap() error { return m.err }
