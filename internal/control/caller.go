package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// maxAnswer is the most bytes of an answer: a body of 4 MiB that is no JSON may grow to six times that as a text.
	maxAnswer = 32 << 20
	// callFor ends a call, the reading of its answer included; a little more than a responder's own time.
	callFor = serveFor + 10*time.Second
)

// Peer says whom a client asks, in the words of errors.
type Peer struct {
	Program string // executor
	Folder  string // the data folder on which it runs
	Things  string // what shows whether a change was made when it is listed
	Command string // the one that speaks with it
}

// Unanswered is job.Unavailable: the program runs, as its folder says, and does not answer.
func (p Peer) Unanswered(err error) error {
	return &job.Error{
		Kind: job.Unavailable, Message: fmt.Sprintf("the %s that runs on %s does not answer", p.Program, p.Folder),
		Hint: "it may be starting or stopping: try again; when it stays so, its log tells more", Err: err,
	}
}

// Foreign is job.Forbidden: the program belongs to another user.
func (p Peer) Foreign(err error) error {
	return &job.Error{
		Kind: job.Forbidden, Message: fmt.Sprintf("the %s of %s belongs to another user", p.Program, p.Folder),
		Hint: "run the command as the user who runs the " + p.Program, Err: err,
	}
}

// stranger says that what answers is no such program of this version.
func (p Peer) stranger() error {
	return &job.Error{
		Kind: job.Refused, Message: fmt.Sprintf("what answers for %s does not speak as this version does", p.Folder),
		Hint: fmt.Sprintf("use the %s command of the %s's own version", p.Command, p.Program),
	}
}

// silence says what it means that no whole answer came.
func (p Peer) silence(ctx context.Context, method string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the path.
	}
	op, ok := errors.AsType[*net.OpError](err)
	dialing := ok && op.Op == "dial"
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("call the %s of %s: %w", p.Program, p.Folder, ctx.Err())
	case method != http.MethodGet && !dialing:
		return &job.Error{
			Kind: job.Ambiguous, Message: fmt.Sprintf("the %s of %s took the change and did not answer", p.Program, p.Folder),
			Hint: fmt.Sprintf("list the %s to see whether it was made", p.Things), Err: err,
		}
	}
	return p.Unanswered(err)
}

// Caller asks one program. It is safe for concurrent use. Beside the errors that the program answers with its methods return
// job.Unavailable when it does not answer, job.Ambiguous when it took a change and did not answer, and job.Refused when what
// answers is something else.
type Caller struct {
	Peer  Peer
	Base  string        // scheme and host
	Token redacted.Text // shown with each request; zero: none is
	HTTP  *http.Client  // that of [NewHTTP], or one of the process itself
}

// NewHTTP returns what calls one program; dial makes its connections, nil: those that the base of the [Caller] says.
func NewHTTP(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, DisableCompression: true, MaxIdleConns: 1, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: callFor,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Close releases the connections.
func (c *Caller) Close() { c.HTTP.CloseIdleConnections() }

// Call sends in, when it is not nil, and reads the answer into out. It takes no more than 70 s.
func (c *Caller) Call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	response, err := c.sendRequest(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return c.understand(response, out)
}

// Copy writes what [Responder.Copy] sends. What was written before an error is of no use. An error of w is returned as it is.
func (c *Caller) Copy(ctx context.Context, path string, w io.Writer) error {
	response, err := c.sendRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if mediaOf(response.Header) != copyType {
		return c.understand(response, nil)
	}
	out := &tellingWriter{w: w}
	_, err = io.Copy(out, response.Body)
	switch {
	case err == nil || out.err != nil:
		return out.err
	case ctx.Err() != nil:
		return fmt.Errorf("copy from the %s of %s: %w", c.Peer.Program, c.Peer.Folder, context.Cause(ctx))
	}
	return &job.Error{
		Kind: job.Unavailable, Message: fmt.Sprintf("the %s of %s broke off the copy", c.Peer.Program, c.Peer.Folder),
		Hint: "see its log for the reason, and try again", Err: err,
	}
}

// tellingWriter keeps its error apart from that of the reader.
type tellingWriter struct {
	w   io.Writer
	err error
}

// Write writes to the caller's writer.
func (t *tellingWriter) Write(b []byte) (n int, err error) {
	n, t.err = t.w.Write(b)
	return n, t.err
}

func (c *Caller) sendRequest(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := encode(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the request cannot be sent: %w", err)
	}
	if in != nil {
		request.Header.Set("Content-Type", jsonType)
	}
	if !c.Token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+c.Token.Reveal())
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, c.Peer.silence(ctx, method, err)
	}
	return response, nil
}

// understand reads an answer.
func (c *Caller) understand(response *http.Response, out any) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return c.Peer.silence(response.Request.Context(), response.Request.Method, err)
	}
	media := mediaOf(response.Header)
	switch {
	case len(text) > maxAnswer:
		return job.Errorf(job.Refused, "the answer of the %s is larger than %d MiB", c.Peer.Program, maxAnswer>>20)
	case media == api.ProblemType:
		var p api.Problem
		if err := json.Unmarshal(text, &p); err != nil {
			return c.Peer.stranger()
		}
		p.Status = response.StatusCode
		return p.Err()
	case response.StatusCode != http.StatusOK || media != jsonType || out == nil || json.Unmarshal(text, out) != nil:
		return c.Peer.stranger()
	}
	return nil
}

// mediaOf returns the media type of a message, "" when it says none.
func mediaOf(h http.Header) string {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media
}
