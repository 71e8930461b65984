package xxl

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// The largest answers that are read.
const (
	maxAnswer    = 1 << 20
	maxLogAnswer = 8 << 20
)

// ClientConfig sets how an ExecutorClient calls.
type ClientConfig struct {
	// Token is shown to executors. Defaults to "": the header is sent empty.
	Token string
	// Peer returns the dialect of the executor at an address, and the credentials to show.
	// It must return at once. Defaults to the Token, in an unknown dialect.
	Peer func(address string) Peer
	// Heard is called, each time, with the dialect that an address's answers reveal: when
	// Peer does not know it, or an executor did not understand Peer's dialect. It must
	// return at once. Optional: the client remembers the dialect itself.
	Heard func(address string, d job.Dialect)
	// Speeches are dialects besides those of XXL-JOB. Defaults to none.
	Speeches []dialect.Speech
	// Timeout ends a call, from the look-up of the name to the last byte of
	// the answer. Defaults to 3 s.
	Timeout time.Duration
	// MaxIdlePerHost is the connections kept to each executor. Defaults to 64.
	MaxIdlePerHost int
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Control judges each address before a connection to it is made, as that of a
	// [net.Dialer] does. Defaults to taking all.
	Control func(network, address string, c syscall.RawConn) error
	// Transport carries the requests. Defaults to ways of its own that know to
	// the byte whether a failed request left; with any other, more is
	// Ambiguous, and TLS and Control count for nothing.
	Transport http.RoundTripper
	// Plain sends everything by net/http. Defaults to false.
	Plain bool
}

// ExecutorClient calls executors of this dialect. Its methods may be used from
// many goroutines; each makes one call, and the kinds of their errors are
// those of the package comment. Addresses are base URLs as executors register
// them.
type ExecutorClient struct {
	poster *post.Poster
	peer   func(address string) Peer
	heard  func(address string, d job.Dialect)
	voices *voices
	within time.Duration // for how long a call waits
	clocks clocks
}

// NewExecutorClient returns a client. Close it at the end.
func NewExecutorClient(c ClientConfig) *ExecutorClient {
	client := &ExecutorClient{
		poster: post.New(post.Config{
			Transport: c.Transport, TLS: c.TLS, Timeout: c.Timeout, IdlePerHost: c.MaxIdlePerHost, Plain: c.Plain, Control: c.Control,
		}),
		peer: c.Peer, heard: c.Heard, voices: newVoices(c.Speeches), within: c.Timeout,
	}
	if client.within <= 0 {
		client.within = defaultTimeout
	}
	if client.peer == nil {
		client.peer = func(string) Peer { return Peer{Token: c.Token} }
	}
	if client.heard == nil {
		client.heard = func(string, job.Dialect) {}
	}
	return client
}

// Close closes the idle connections. Calls under way are not touched.
func (c *ExecutorClient) Close() { c.poster.Close() }

// Run sends the task. It returns nil when the executor has accepted it. Beyond the kinds of
// the package, Invalid means that the dialect cannot carry the task, and Full that the
// executor has no room at present.
func (c *ExecutorClient) Run(ctx context.Context, address string, t job.Task) error {
	r, err := c.call(ctx, address, &question{
		path: dialect.PathRun, limit: maxAnswer, extras: dialect.AppendExtras(make(post.Fields, 0, 128), &t), task: t,
	})
	if err != nil {
		return err
	}
	err = c.voices.refusal(r)
	if t.Overlap == job.OverlapDiscard && job.Is(err, job.Refused) && saysBusy(r.Text) && !errors.Is(err, job.ErrDiscarded) {
		return job.Errorf(job.Refused, "%w: %s", job.ErrDiscarded, job.Clean(r.Text, job.MaxMessage))
	}
	return err
}

// saysBusy reports whether an executor of another make refuses a task because its job
// runs already. When the job's overlap discards the task that is what was asked of it.
func saysBusy(text string) bool {
	return slices.ContainsFunc(dialect.BusyTexts(), func(busy string) bool { return strings.Contains(text, busy) })
}

// Beat asks whether the executor is there.
func (c *ExecutorClient) Beat(ctx context.Context, address string) error {
	r, err := c.call(ctx, address, &question{path: dialect.PathBeat, limit: maxAnswer})
	if err != nil {
		return err
	}
	return c.voices.refusal(r)
}

// IdleBeat asks whether the job runs or waits on the executor. Executors word
// a yes in many ways, so every refusal is one that is not known to mean that
// the question itself was refused.
func (c *ExecutorClient) IdleBeat(ctx context.Context, address string, jobID int64) (busy bool, err error) {
	r, err := c.call(ctx, address, &question{path: dialect.PathIdleBeat, limit: maxAnswer, jobID: jobID})
	if err != nil {
		return false, err
	}
	return c.isBusy(r)
}

// isBusy reads the answer to an idle beat.
func (c *ExecutorClient) isBusy(r dialect.Reply) (bool, error) {
	if r.Code == dialect.CodeSuccess {
		return false, nil
	}
	if r.Code != dialect.CodeFailure || questionRefused(r.Text) {
		return false, c.voices.refusal(r)
	}
	return true, nil
}

// Knows asks an executor of Orth whether it has the attempt, or had it. After a no it does
// not accept the attempt any more. told is false for one of another make: then busy is
// whether the job runs or waits there.
func (c *ExecutorClient) Knows(ctx context.Context, address string, jobID, attempt int64) (knows, told, busy bool, err error) {
	r, err := c.call(ctx, address, &question{
		path: dialect.PathIdleBeat, limit: maxAnswer, jobID: jobID, extras: post.Fields(nil).AddInt(dialect.HeaderAttemptID, attempt),
	})
	switch {
	case err != nil:
		return false, false, false, err
	case r.Known != "":
		return r.Known != knownNo, true, false, nil
	}
	busy, err = c.isBusy(r)
	return false, false, busy, err
}

// questionRefused reports whether text is about the request and not about what
// was asked.
func questionRefused(text string) bool {
	text = strings.ToLower(text)
	for _, prefix := range []string{"invalid request", strings.TrimSpace(dialect.TextRequestError), textListAnswer, dialect.TextFull} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return strings.Contains(text, "token")
}

// Kill ends what runs and what waits of the job on the executor. nil means that the
// executor received the request; the outcomes show the rest.
func (c *ExecutorClient) Kill(ctx context.Context, address string, jobID int64) error {
	return c.kill(ctx, address, jobID, nil)
}

// KillAttempt ends one attempt of the job, and leaves the job's others alone, on an
// executor of Orth. An executor of another make does not know the header and ends all that
// the job has there, as with Kill. nil means that the executor received the request, and
// the outcomes show the rest; NotFound that there is no such attempt, or nothing of the
// job.
func (c *ExecutorClient) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	return c.kill(ctx, address, jobID, post.Fields(nil).AddInt(dialect.HeaderAttemptID, attempt))
}

func (c *ExecutorClient) kill(ctx context.Context, address string, jobID int64, extras post.Fields) error {
	r, err := c.call(ctx, address, &question{path: dialect.PathKill, limit: maxAnswer, extras: extras, jobID: jobID})
	switch {
	case err != nil:
		return err
	case extras != nil && c.voices.nothingKilled(r):
		return job.Errorf(job.NotFound, "executor %s has nothing to end", dialect.Shorten(address))
	}
	return c.voices.refusal(r)
}

// ReadLog returns the attempt's log from a line on, as many lines as the
// executor gives at once. at must be the instant that the task carried: it
// names the folder.
func (c *ExecutorClient) ReadLog(
	ctx context.Context, address string, attempt int64, at time.Time, fromLine int,
) (job.LogPage, error) {
	r, err := c.call(ctx, address, &question{
		path: dialect.PathLog, limit: maxLogAnswer, log: dialect.LogRequest{Attempt: attempt, At: at, From: fromLine},
	})
	if err != nil {
		return job.LogPage{}, err
	}
	if err := c.voices.refusal(r); err != nil {
		return job.LogPage{}, err
	}
	page, err := dialect.DecodeLogPage(r.Payload)
	if err != nil {
		return job.LogPage{}, job.Errorf(job.Ambiguous, "%s answered for a log with something else: %w", address, err)
	}
	if slices.Contains(dialect.AbsentLogTexts(), strings.TrimSpace(page.Text)) {
		page.To, page.End = 0, true
	}
	page.From = fromLine
	return page, nil
}

// question is a request whose words depend on the dialect.
type question struct {
	path   string // [PathRun] stands for the dialect's own
	limit  int64  // bytes of the answer
	extras post.Fields
	task   job.Task           // of PathRun
	jobID  int64              // of PathIdleBeat and PathKill
	log    dialect.LogRequest // of PathLog
}

// body returns what the question carries in a dialect.
func (q *question) body(s *dialect.Speech) ([]byte, error) {
	switch q.path {
	case dialect.PathRun:
		return dialect.AppendTask(make([]byte, 0, 512+len(q.task.Param)+len(q.task.Handler.Source)), &q.task, s)
	case dialect.PathIdleBeat, dialect.PathKill:
		return dialect.EncodeJobID(q.jobID), nil
	case dialect.PathLog:
		return q.log.Encode(s.LogDates), nil
	}
	return nil, nil
}

// call sends a request and reads the reply, which may be a refusal. If the executor refuses
// the dialect, call repeats the request in the executor's own.
func (c *ExecutorClient) call(ctx context.Context, address string, q *question) (dialect.Reply, error) {
	peer := c.peer(address)
	unknown := peer.Dialect == ""
	if unknown {
		if peer.Dialect = c.voices.dialect(address); peer.Dialect != "" {
			c.heard(address, peer.Dialect)
		}
	}
	v := c.voices.of(peer)
	r, err := c.say(ctx, address, v, q)
	if err != nil {
		return dialect.Reply{}, err
	}
	if again := c.voices.instead(v, q.path, r); again != nil {
		if r, err = c.say(ctx, address, again, q); err == nil && !c.voices.wrongDialect(again.speech, q.path, r) {
			c.learn(address, again.speech.Dialect)
		}
		return r, err
	}
	if unknown && peer.Dialect == "" {
		if told := c.voices.tells(r); told != "" {
			c.learn(address, told)
		} else if q.path == dialect.PathLog && r.Code == dialect.CodeSuccess {
			c.learn(address, c.voices.tellsByLog(r.Payload))
		}
	}
	return r, nil
}

// learn remembers the dialect of the executor at an address, and reports it to Heard.
func (c *ExecutorClient) learn(address string, d job.Dialect) {
	if d != "" {
		c.voices.note(address, d)
		c.heard(address, d)
	}
}

// say sends the request in one dialect.
func (c *ExecutorClient) say(ctx context.Context, address string, v *voice, q *question) (dialect.Reply, error) {
	body, err := q.body(v.speech)
	if err != nil {
		return dialect.Reply{}, err
	}
	if v.broken != nil {
		return dialect.Reply{}, job.Errorf(job.Unreachable, "executor %q cannot be called: %w", dialect.Shorten(address), v.broken)
	}
	path := q.path
	if path == dialect.PathRun {
		path = v.speech.RunPath
	}
	t, err := c.poster.Find(address, path, v.head)
	if err != nil {
		return dialect.Reply{}, job.Errorf(job.Unreachable, "executor %q cannot be called: %w", dialect.Shorten(address), err)
	}
	extras := q.extras
	if q.path == dialect.PathRun && q.task.RunID > 0 { // without extras it is byte for byte what XXL-JOB sends
		extras = c.clocks.stamp(slices.Clip(extras), address, c.within)
	}
	answer, err := c.poster.Ask(ctx, t, &post.Question{Body: body, Limit: q.limit, Extras: extras, Want: []string{"orth-time", "orth-known"}})
	if err != nil {
		return dialect.Reply{}, err
	}
	r, err := readReply(t.URL, answer.Status, answer.Text)
	if answer.Got != nil {
		c.clocks.learn(address, answer.Got[0])
		r.Known = answer.Got[1]
	}
	return r, err
}

// textListAnswer begins what is made of an answer that is a list.
const textListAnswer = "the executor answered with a list: "

// readReply reads an executor's answer. Executors are strict about nothing, so a reply
// counts with any status. An answer that is no reply is a refusal when its status means
// that nothing was done, and Ambiguous otherwise.
func readReply(u *url.URL, status int, text []byte) (dialect.Reply, error) {
	r, err := dialect.DecodeReply(text)
	switch {
	case err == nil && (r.Code != dialect.CodeSuccess || status/100 == 2):
		return r, nil
	case err == nil:
		return dialect.Reply{}, job.Errorf(job.Ambiguous, "%s answered success with HTTP status %d", u, status)
	case status/100 == 3:
		return dialect.Reply{}, job.Errorf(job.Refused, "%s answered with a redirect (HTTP status %d), which is not followed", u, status)
	case status/100 == 4:
		return dialect.Reply{}, job.Errorf(job.Refused, "%s answered HTTP status %d: is this the address of an executor?", u, status)
	case isList(text):
		return dialect.Reply{Code: dialect.CodeFailure, Text: textListAnswer + dialect.Shorten(string(text))}, nil
	}
	return dialect.Reply{}, job.Errorf(job.Ambiguous, "%s answered HTTP status %d with something else than a reply: %w", u, status, err)
}

// isList reports whether text is a JSON array: one client answers a failed
// request so.
func isList(text []byte) bool {
	s := dialect.Scan(text)
	if s.Peek() != '[' {
		return false
	}
	return s.Skip() == nil && s.End() == nil
}

// refusal returns nil for success, or an error whose Message is the executor's
// own text. It is read in all dialects: a text that means something in one means
// nothing else in another.
func (v *voices) refusal(r dialect.Reply) error {
	if r.Code == dialect.CodeSuccess {
		return nil
	}
	kind := job.Refused
	text := job.Clean(r.Text, job.MaxMessage)
	switch {
	case v.repeated(text):
		kind = job.Duplicate
	case strings.HasPrefix(text, dialect.TextFull):
		kind, text = job.Full, text[len(dialect.TextFull):]
	case v.discarded(text):
		return job.Errorf(kind, "%w: %s", job.ErrDiscarded, text)
	case strings.TrimSpace(text) == "":
		return job.Errorf(kind, "the executor refused with code %d and no reason", r.Code)
	}
	return &job.Error{Kind: kind, Message: text}
}

// repeated reports whether an executor answers that it has the attempt already. Those of
// other makes change what follows the first words.
func (v *voices) repeated(text string) bool {
	return strings.HasPrefix(text, dialect.TextRepeat) || strings.HasPrefix(text, dialect.TextRepeatOld) ||
		slices.ContainsFunc(v.forks, func(s dialect.Speech) bool { return strings.HasPrefix(text, s.Answers.Repeated.Before) })
}

// discarded reports whether an executor answers that the overlap discards the task.
func (v *voices) discarded(text string) bool {
	return slices.ContainsFunc(v.speeches, func(s dialect.Speech) bool { return strings.HasPrefix(text, s.Answers.Discarded) })
}
