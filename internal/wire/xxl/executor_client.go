package xxl

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The largest answers that are read.
const (
	maxAnswer    = 1 << 20
	maxLogAnswer = 8 << 20
)

// ClientConfig says how an ExecutorClient calls.
type ClientConfig struct {
	// Token is shown to executors. Defaults to "": the header is sent empty.
	Token string
	// Timeout ends a call, from the look-up of the name to the last byte of
	// the answer. Defaults to 3 s.
	Timeout time.Duration
	// MaxIdlePerHost is the connections kept to each executor. Defaults to 64.
	MaxIdlePerHost int
	// TLS says whom to trust and what to show at https addresses. Defaults to
	// the machine's roots.
	TLS *tls.Config
	// Transport carries the requests. Defaults to ways of its own that know to
	// the byte whether a failed request left; with any other, more is
	// Ambiguous, and TLS counts for nothing.
	Transport http.RoundTripper
}

// ExecutorClient calls executors of this dialect. Its methods may be used from
// many goroutines; each makes one call, and the kinds of their errors are
// those of the package comment. Addresses are base URLs as executors register
// them.
type ExecutorClient struct{ poster *poster }

// NewExecutorClient returns a client. Close it at the end.
func NewExecutorClient(c ClientConfig) *ExecutorClient {
	return &ExecutorClient{poster: newPoster(posterConfig{
		transport: c.Transport, tls: c.TLS, token: c.Token, timeout: c.Timeout, idlePerHost: c.MaxIdlePerHost,
	})}
}

// Close closes the idle connections. Calls under way are not touched.
func (c *ExecutorClient) Close() { c.poster.close() }

// Run sends the task. It returns nil when the executor has taken it. Beyond
// the kinds of the package, Invalid says that the dialect cannot carry the task
// and Full that the executor has no room at present.
func (c *ExecutorClient) Run(ctx context.Context, address string, t job.Task) error {
	body, err := appendTask(make([]byte, 0, 512+len(t.Param)+len(t.Handler.Source)), t)
	if err != nil {
		return err
	}
	extras := appendExtras(make(fields, 0, 128), &t)
	r, err := c.call(ctx, address, pathRun, body, maxAnswer, extras)
	if err != nil {
		return err
	}
	if r.code == codeFailure && runUnknown(r.text) {
		if r, err = c.call(ctx, address, pathTrigger, body, maxAnswer, extras); err != nil {
			return err
		}
	}
	return r.refusal()
}

// runUnknown reports whether an executor says that it has no path for runs;
// the text names the whole path, with what stands before it in the address.
func runUnknown(text string) bool {
	return strings.HasPrefix(text, textPathUnknown) && strings.HasSuffix(text, pathRun+textPathUnknownEnd)
}

// Beat asks whether the executor is there.
func (c *ExecutorClient) Beat(ctx context.Context, address string) error {
	r, err := c.call(ctx, address, pathBeat, nil, maxAnswer, nil)
	if err != nil {
		return err
	}
	return r.refusal()
}

// IdleBeat asks whether the job runs or waits on the executor. Executors word
// a yes in many ways, so every refusal is one that is not known to mean that
// the question itself was refused.
func (c *ExecutorClient) IdleBeat(ctx context.Context, address string, jobID int64) (busy bool, err error) {
	r, err := c.call(ctx, address, pathIdleBeat, encodeJobID(jobID), maxAnswer, nil)
	if err != nil || r.code == codeSuccess {
		return false, err
	}
	if r.code != codeFailure || questionRefused(r.text) {
		return false, r.refusal()
	}
	return true, nil
}

// questionRefused reports whether text is about the request and not about what
// was asked.
func questionRefused(text string) bool {
	text = strings.ToLower(text)
	for _, prefix := range []string{"invalid request", strings.TrimSpace(textRequestError), textListAnswer, textFull} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return strings.Contains(text, "token")
}

// Kill ends what runs and what waits of the job on the executor. nil means
// that it was told; the outcomes tell the rest.
func (c *ExecutorClient) Kill(ctx context.Context, address string, jobID int64) error {
	return c.kill(ctx, address, jobID, nil)
}

// KillAttempt ends one attempt of the job, and leaves the job's others alone,
// on an executor of Orth. An executor of another make does not know the word
// and ends all that the job has there, as with Kill. nil means that it was
// told, and the outcomes tell the rest; NotFound that there is no such attempt, or
// nothing of the job.
func (c *ExecutorClient) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	return c.kill(ctx, address, jobID, fields(nil).addInt(headerAttemptID, attempt))
}

func (c *ExecutorClient) kill(ctx context.Context, address string, jobID int64, extras fields) error {
	r, err := c.call(ctx, address, pathKill, encodeJobID(jobID), maxAnswer, extras)
	switch {
	case err != nil:
		return err
	case extras != nil && r.nothingKilled():
		return job.Errorf(job.NotFound, "executor %s has nothing to end", short(address))
	}
	return r.refusal()
}

// ReadLog returns the attempt's log from a line on, as many lines as the
// executor gives at once. at must be the instant that the task carried: it
// names the folder.
func (c *ExecutorClient) ReadLog(
	ctx context.Context, address string, attempt int64, at time.Time, fromLine int,
) (job.LogPage, error) {
	body := logRequest{attempt: attempt, at: at, from: fromLine}.encode()
	r, err := c.call(ctx, address, pathLog, body, maxLogAnswer, nil)
	if err != nil {
		return job.LogPage{}, err
	}
	if err := r.refusal(); err != nil {
		return job.LogPage{}, err
	}
	page, err := decodeLogPage(r.payload)
	if err != nil {
		return job.LogPage{}, job.Errorf(job.Ambiguous, "%s answered for a log with something else: %w", address, err)
	}
	page.From = fromLine
	return page, nil
}

// call sends one request and reads the reply, which may be a refusal.
// extras are further headers, or nil.
func (c *ExecutorClient) call(
	ctx context.Context, address, path string, body []byte, limit int64, extras fields,
) (reply, error) {
	t, err := c.poster.targets.find(address, path)
	if err != nil {
		return reply{}, job.Errorf(job.Unreachable, "executor %q cannot be called: %w", short(address), err)
	}
	status, text, err := c.poster.post(ctx, t, body, limit, extras)
	if err != nil {
		return reply{}, err
	}
	return readReply(t.url, status, text)
}

// textListAnswer begins what is made of an answer that is a list.
const textListAnswer = "the executor answered with a list: "

// readReply understands an executor's answer. Executors are strict about
// nothing, so a reply counts with any status; an answer that is no reply is a
// no when its status says that nothing was done, and Ambiguous otherwise.
func readReply(u *url.URL, status int, text []byte) (reply, error) {
	r, err := decodeReply(text)
	switch {
	case err == nil && (r.code != codeSuccess || status/100 == 2):
		return r, nil
	case err == nil:
		return reply{}, job.Errorf(job.Ambiguous, "%s answered success with HTTP status %d", u, status)
	case status/100 == 3:
		return reply{}, job.Errorf(job.Refused, "%s answered with a redirect (HTTP status %d), which is not followed", u, status)
	case status/100 == 4:
		return reply{}, job.Errorf(job.Refused, "%s answered HTTP status %d: is this the address of an executor?", u, status)
	case isList(text):
		return reply{code: codeFailure, text: textListAnswer + short(string(text))}, nil
	}
	return reply{}, job.Errorf(job.Ambiguous, "%s answered HTTP status %d with something else than a reply: %w", u, status, err)
}

// isList reports whether text is a JSON array: one client answers a failed
// request so.
func isList(text []byte) bool {
	s := scanner{src: text}
	if s.peek() != '[' {
		return false
	}
	return s.skip(maxNesting) == nil && s.end() == nil
}

// refusal returns nil for success, or an error whose Message is the executor's
// own text.
func (r reply) refusal() error {
	if r.code == codeSuccess {
		return nil
	}
	kind := job.Refused
	text := job.Clean(r.text, job.MaxMessage)
	switch {
	case strings.HasPrefix(text, textRepeat), strings.HasPrefix(text, textRepeatOld), strings.HasPrefix(text, textRepeatJava):
		kind = job.Duplicate
	case strings.HasPrefix(text, textFull):
		kind, text = job.Full, text[len(textFull):]
	case strings.HasPrefix(text, textDiscard):
		return job.Errorf(kind, "%w: %s", job.ErrDiscarded, text)
	case strings.TrimSpace(text) == "":
		return job.Errorf(kind, "the executor refused with code %d and no reason", r.code)
	}
	return &job.Error{Kind: kind, Message: text}
}
