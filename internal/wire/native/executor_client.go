package native

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// ClientConfig sets how an ExecutorClient calls.
type ClientConfig struct {
	// Peer returns the token with which requests to an executor are signed, and the
	// incarnation that is meant, empty when it is not known.
	Peer func(address string) (token, incarnation string)
	// Self names this server among those that an executor knows, at most 64 bytes. It
	// must be set for who follows logs.
	Self string
	// Follow selects the attempts whose log is pushed to this server from the start.
	// Executors of an earlier version do not push: see [ExecutorClient.Pushes]. Defaults to
	// none.
	Follow func(t job.Task) bool
	// Mailboxes are where executors that pull get their commands. Defaults to
	// none: those cannot be reached.
	Mailboxes *mailbox.Mailboxes
	// Timeout ends a call. Defaults to 3 s. That of commands is the mailboxes'.
	Timeout time.Duration
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Control judges each address before a connection to it is made, as that of a
	// [net.Dialer] does. Defaults to taking all.
	Control func(network, address string, c syscall.RawConn) error
	// Transport carries the requests. Defaults to ways of its own that know to the
	// byte whether a failed request left; with any other, more is Ambiguous, and
	// TLS and Control count for nothing.
	Transport http.RoundTripper
}

// ExecutorClient calls executors of this protocol. Its methods may be used from
// many goroutines, and the kinds of their errors are those of the package comment.
// Addresses are those under which executors are registered.
type ExecutorClient struct {
	config  ClientConfig
	courier *signing.Courier
	limits  batchLimits
}

// NewExecutorClient returns a client. Peer must be set. Close it at the end.
func NewExecutorClient(c ClientConfig) *ExecutorClient {
	if c.Mailboxes == nil {
		c.Mailboxes = mailbox.New(mailbox.Config{})
	}
	if c.Follow == nil {
		c.Follow = func(job.Task) bool { return false }
	}
	return &ExecutorClient{
		config:  c,
		courier: signing.NewCourier(post.Config{Transport: c.Transport, TLS: c.TLS, Timeout: c.Timeout, Control: c.Control}),
	}
}

// Close closes the idle connections. Calls under way are not touched.
func (c *ExecutorClient) Close() { c.courier.Close() }

// Beat asks whether the executor is there. One that pulls is there while it pulls
// from this server.
func (c *ExecutorClient) Beat(ctx context.Context, address string) error {
	if message.Pulls(address) {
		return c.config.Mailboxes.Here(address)
	}
	text, err := c.ask(ctx, address, message.NameBeat, []byte(`{}`), 0)
	if err != nil {
		return err
	}
	if _, err := message.DecodeBeatAnswer(text); err != nil {
		return unclear(address, err)
	}
	return nil
}

// Busy asks whether the job runs on the executor, or waits there.
func (c *ExecutorClient) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	return c.flag(ctx, address, message.NameBusy, message.AppendJob(nil, jobID), message.FlagBusy)
}

// Drain makes the executor refuse new tasks, or accept them again. It returns the current
// state.
func (c *ExecutorClient) Drain(ctx context.Context, address string, on bool) (draining bool, err error) {
	return c.flag(ctx, address, message.NameDrain, message.AppendFlag(nil, message.FlagOn, on), message.FlagDraining)
}

func (c *ExecutorClient) flag(ctx context.Context, address, name string, body []byte, flag string) (bool, error) {
	text, err := c.ask(ctx, address, name, body, 0)
	if err != nil {
		return false, err
	}
	value, err := message.DecodeFlag(text, flag)
	if err != nil {
		return false, unclear(address, err)
	}
	return value, nil
}

// Holds asks whether the executor has the attempt, or had it.
func (c *ExecutorClient) Holds(ctx context.Context, address string, attempt int64, at time.Time) (bool, error) {
	text, err := c.ask(ctx, address, message.NameAttempts, message.AppendAttempts(nil, []message.AttemptRef{{Attempt: attempt, TriggeredAt: at}}), 0)
	if err != nil {
		return false, err
	}
	state, err := oneState(address, attempt, text)
	if err != nil {
		return false, err
	}
	switch state {
	case message.AttemptWaiting, message.AttemptRunning, message.AttemptEnded:
		return true, nil
	case message.AttemptUnknown:
		return false, nil
	}
	return false, job.Errorf(job.Unavailable, "executor %s reports attempt %d as %s, a state unknown to this server",
		address, attempt, message.Shorten(state))
}

// Rid asks which of the attempts the executor has nothing of any more, in their order: it
// does not know them, or their outcomes were delivered or given up. An executor that does
// not report its deliveries is rid only of what it does not know.
func (c *ExecutorClient) Rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	all := make([]bool, 0, len(attempts))
	for some := range slices.Chunk(attempts, message.MaxAttempts) {
		rid, err := c.rid(ctx, address, some)
		if err != nil {
			return nil, err
		}
		all = append(all, rid...)
	}
	return all, nil
}

func (c *ExecutorClient) rid(ctx context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	refs := make([]message.AttemptRef, len(attempts))
	for i, a := range attempts {
		refs[i] = message.AttemptRef{Attempt: a.ID, TriggeredAt: a.TriggeredAt}
	}
	text, err := c.ask(ctx, address, message.NameAttempts, message.AppendAttempts(nil, refs), 0)
	if err != nil {
		return nil, err
	}
	states, err := message.DecodeAttemptStates(text)
	if err != nil {
		return nil, unclear(address, err)
	}
	if len(states) != len(refs) {
		return nil, job.Errorf(job.Ambiguous, "executor %s answered for %d of %d attempts", address, len(states), len(refs))
	}
	rid := make([]bool, len(refs))
	for i, s := range states {
		if s.Attempt != refs[i].Attempt {
			return nil, job.Errorf(job.Ambiguous, "executor %s answered for other attempts than %d", address, refs[i].Attempt)
		}
		rid[i] = s.State == message.AttemptUnknown || s.State == message.AttemptEnded && s.Rid
	}
	return rid, nil
}

// oneState reads an answer about one attempt.
func oneState(address string, attempt int64, text []byte) (string, error) {
	states, err := message.DecodeAttemptStates(text)
	if err != nil {
		return "", unclear(address, err)
	}
	if len(states) != 1 || states[0].Attempt != attempt {
		return "", job.Errorf(job.Ambiguous, "executor %s answered for other attempts than %d", address, attempt)
	}
	return states[0].State, nil
}

// Cancel ends the attempt and leaves all others alone. nil means that the executor received
// the request, and the outcome shows the rest; NotFound that it has no such attempt.
func (c *ExecutorClient) Cancel(ctx context.Context, address string, attempt int64, reason string) error {
	body := message.AppendCancel(nil, message.CancelRequest{Attempts: []int64{attempt}, Reason: job.Clean(reason, message.MaxReason)})
	text, err := c.ask(ctx, address, message.NameCancel, body, 0)
	if err != nil {
		return err
	}
	state, err := oneState(address, attempt, text)
	if err == nil && state == message.AttemptUnknown {
		err = job.Errorf(job.NotFound, "executor %s has nothing to end", message.Shorten(address))
	}
	return err
}

// ReadLog returns the attempt's log from a line on, as many lines as the executor
// gives at once. at must be the instant that the task carried: it names the folder.
func (c *ExecutorClient) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	text, err := c.ask(ctx, address, message.NameLog, message.AppendLogRequest(nil, message.LogRequest{Attempt: attempt, TriggeredAt: at, From: fromLine}), 0)
	if err != nil {
		return job.LogPage{}, err
	}
	page, err := message.DecodeLogPage(text)
	if err != nil {
		return job.LogPage{}, unclear(address, err)
	}
	page.From = fromLine
	return page, nil
}

// Follow makes the executor push the attempt's log to this server for a time, from a line
// on; 0 stands for its newest lines. Conflict means that it cannot push.
func (c *ExecutorClient) Follow(ctx context.Context, address string, a job.Attempt, from int, wait time.Duration) error {
	if c.speaks(address) < message.MinorLogs {
		return job.Errorf(job.Conflict, "executor %s does not bring logs", message.Shorten(address))
	}
	_, err := c.ask(ctx, address, message.NameFollow, message.AppendFollow(nil, message.FollowRequest{
		Server: c.config.Self, Address: address, Attempt: a.ID, TriggeredAt: a.TriggeredAt, From: from, Wait: wait,
	}), 0)
	return err
}

// Pushes reports whether the executor is known to bring the logs of attempts that are
// to be followed from the start.
func (c *ExecutorClient) Pushes(address string) bool { return c.speaks(address) >= message.MinorTasks }

// speaks returns the minor version that is spoken with the executor.
func (c *ExecutorClient) speaks(address string) int {
	if message.Pulls(address) {
		return c.config.Mailboxes.Speaks(address)
	}
	return c.courier.MinorOf(address)
}

// ask sends one request, by the executor's transport, and returns the body of a
// success. tasks is how many it has. Kinds beyond those of the package: Invalid, the
// request was not carried out because of what is in it; Unavailable, it was not
// carried out at present.
func (c *ExecutorClient) ask(ctx context.Context, address, name string, body []byte, tasks int) ([]byte, error) {
	var status int
	var text []byte
	var err error
	if message.Pulls(address) {
		status, text, err = c.config.Mailboxes.Send(ctx, address, name, body, tasks)
	} else {
		status, text, err = c.push(ctx, address, name, body)
	}
	if err != nil {
		return nil, err
	}
	if status == http.StatusOK {
		return text, nil
	}
	p, err := message.DecodeProblem(status, text)
	if err != nil {
		return nil, job.Errorf(job.Ambiguous, "executor %s answered HTTP status %d with something else than a problem: %w", address, status, err)
	}
	return nil, p.Err()
}

// push sends one request to the address.
func (c *ExecutorClient) push(ctx context.Context, address, name string, body []byte) (int, []byte, error) {
	token, incarnation := c.config.Peer(address)
	if name == message.NameBeat { // any executor at the address is to answer
		incarnation = ""
	}
	got, err := c.courier.Send(ctx, signing.Letter{Address: address, Name: name, Token: token, To: incarnation, Body: body})
	switch {
	case err == nil:
		return got.Status, got.Body, nil
	case job.Is(err, job.Invalid):
		return 0, nil, job.Errorf(job.Unreachable, "executor %q cannot be called: %w", message.Shorten(address), err)
	case job.Is(err, job.Unauthorized):
		return 0, nil, job.Errorf(job.Refused, "%w", err)
	}
	return 0, nil, err
}

// unclear is the error of an answer that cannot be understood.
func unclear(address string, err error) error {
	return job.Errorf(job.Ambiguous, "executor %s answered with something else: %w", address, err)
}
