package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

const (
	// maxAnswer is the most bytes of an answer: a body of 4 MiB that is no JSON
	// may grow to six times that as a text.
	maxAnswer = 32 << 20
	// callFor ends a call, the reading of its answer included; a little more
	// than the server's own time.
	callFor = serveFor + 10*time.Second
)

// Client calls the executor that runs on a data folder. It is safe for
// concurrent use. Beside the errors of [Queues] its methods return
// job.Unavailable when the executor does not answer, and job.Ambiguous when it
// took a change and did not answer.
type Client struct {
	dir  string
	http *http.Client
}

// Dial finds the executor that runs on a data folder. It is job.NotFound when
// none answers there, and job.Forbidden when the executor is another user's.
func Dial(ctx context.Context, dir string) (*Client, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path, err := locate(dir)
	if err == nil {
		var first net.Conn
		if first, err = knock(ctx, path); err == nil {
			first.Close()
		}
	}
	slow, ok := errors.AsType[net.Error](err)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, fmt.Errorf("call the executor of %s: %w", dir, context.Cause(ctx))
	case errors.Is(err, fs.ErrPermission):
		return nil, &job.Error{
			Kind: job.Forbidden, Message: fmt.Sprintf("the executor of %s belongs to another user", dir),
			Hint: "run the command as the user who runs the executor", Err: err,
		}
	case ok && slow.Timeout():
		return nil, unanswered(dir, err)
	case job.Is(err, job.Conflict):
		return nil, err
	default:
		return nil, job.Errorf(job.NotFound, "no executor answers in %s: %w", dir, err)
	}
	return &Client{dir: dir, http: &http.Client{Transport: &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return knock(ctx, path) },
		DisableCompression: true, MaxIdleConns: 1, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: callFor,
	}}}, nil
}

// Close releases the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// List is that of [Queues].
func (c *Client) List(ctx context.Context, query Query) (Page, error) {
	if err := query.check(); err != nil {
		return Page{}, err
	}
	var page Page
	err := c.call(ctx, http.MethodGet, fmt.Sprintf(itemsPath, url.PathEscape(query.Queue))+"?"+encodeQuery(query).Encode(), nil, &page)
	return page, err
}

// Show is that of [Queues].
func (c *Client) Show(ctx context.Context, queue string, key api.ID, body bool) (Item, error) {
	path := fmt.Sprintf(itemPath, url.PathEscape(queue), key)
	if body {
		path += "?body=true"
	}
	var item Item
	err := c.call(ctx, http.MethodGet, path, nil, &item)
	return item, err
}

// Redrive is that of [Queues].
func (c *Client) Redrive(ctx context.Context, queue string, s Selection) (int, error) {
	return c.change(ctx, queue, redriveVerb, s)
}

// Purge is that of [Queues].
func (c *Client) Purge(ctx context.Context, queue string, s Selection) (int, error) {
	return c.change(ctx, queue, purgeVerb, s)
}

func (c *Client) change(ctx context.Context, queue, verb string, s Selection) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	var done changed
	err := c.call(ctx, http.MethodPost, fmt.Sprintf(changePath, url.PathEscape(queue), verb), s, &done)
	return done.Changed, err
}

// Stats is that of [Queues].
func (c *Client) Stats(ctx context.Context) ([]Counts, error) {
	var counts []Counts
	err := c.call(ctx, http.MethodGet, statsPath, nil, &counts)
	return counts, err
}

// Backup is that of [Queues].
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	response, err := c.send(ctx, http.MethodGet, backupPath, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if media != copyType {
		return c.understand(response, nil)
	}
	out := &tellingWriter{w: w}
	_, err = io.Copy(out, response.Body)
	switch {
	case err == nil || out.err != nil:
		return out.err
	case ctx.Err() != nil:
		return fmt.Errorf("copy the queue: %w", context.Cause(ctx))
	}
	return &job.Error{
		Kind: job.Unavailable, Message: fmt.Sprintf("the executor of %s broke off the copy", c.dir),
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

// call sends in, when it is not nil, and reads the answer into out.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	response, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return c.understand(response, out)
}

func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := encode(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://executor"+path, body)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the request cannot be sent: %w", err)
	}
	if in != nil {
		request.Header.Set("Content-Type", jsonType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.silence(ctx, method, err)
	}
	return response, nil
}

// silence says what it means that no whole answer came.
func (c *Client) silence(ctx context.Context, method string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the path.
	}
	op, ok := errors.AsType[*net.OpError](err)
	dialing := ok && op.Op == "dial"
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("call the executor of %s: %w", c.dir, ctx.Err())
	case method == http.MethodPost && !dialing:
		return &job.Error{
			Kind: job.Ambiguous, Message: fmt.Sprintf("the executor of %s took the change and did not answer", c.dir),
			Hint: "list the items to see whether it was made", Err: err,
		}
	}
	return unanswered(c.dir, err)
}

func unanswered(dir string, err error) error {
	return &job.Error{
		Kind: job.Unavailable, Message: fmt.Sprintf("an executor runs on %s and does not answer", dir),
		Hint: "try again; when it stays so, its log tells more", Err: err,
	}
}

// understand reads an answer.
func (c *Client) understand(response *http.Response, out any) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return c.silence(response.Request.Context(), response.Request.Method, err)
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case len(text) > maxAnswer:
		return job.Errorf(job.Refused, "the answer of the executor is larger than %d MiB", maxAnswer>>20)
	case media == api.ProblemType:
		var p api.Problem
		if err := json.Unmarshal(text, &p); err != nil {
			return c.stranger()
		}
		p.Status = response.StatusCode
		return p.Err()
	case response.StatusCode != http.StatusOK || media != jsonType:
		return c.stranger()
	}
	if out == nil || json.Unmarshal(text, out) != nil {
		return c.stranger()
	}
	return nil
}

// stranger says that what answers is no executor of this version.
func (c *Client) stranger() error {
	return &job.Error{
		Kind: job.Refused, Message: fmt.Sprintf("what answers in %s does not speak as this version does", c.dir),
		Hint: "use the orth command of the executor's own version",
	}
}
