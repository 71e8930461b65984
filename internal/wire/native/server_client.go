package native

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// maxServers is how many servers one executor may know.
const maxServers = 64

// What one request with outcomes carries at most: so many bytes before they are
// written as JSON, which makes no more than six of each.
const (
	outcomeBytes = 1 << 20
	outcomeRoom  = 256 // bytes of an outcome besides its message
)

// ServerClientConfig sets the servers that a ServerClient calls, and its credentials.
type ServerClientConfig struct {
	// Addresses are the servers' base URLs, in the order in which they are tried. At
	// least one.
	Addresses []string
	// Token signs the requests.
	Token string
	// Timeout ends a call to one server. Defaults to 3 s.
	Timeout time.Duration
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Transport carries the requests, and TLS counts for nothing then. Defaults to
	// one of its own.
	Transport http.RoundTripper
	// Instance is that of the executor, 24 hexadecimal digits.
	Instance string
	// Maybe: servers may not know this protocol. When one is there and does not, no other
	// one is asked. Defaults to false.
	Maybe bool
	// Pull: no server can call this executor, so it pulls from each.
	Pull bool
	// Features is asked before each registration what this executor can run.
	// Defaults to nothing.
	Features func() []string
	// Handlers is asked before each registration which handler names jobs may use.
	// Defaults to nothing.
	Handlers func() []string
	// Life is called before each registration and describes this executor's process. It
	// must have an Incarnation.
	Life func() job.Life
}

// ServerClient registers an executor at its servers, and delivers outcomes. Each call goes
// to the servers in the configured order until one answers with success. Everything it
// sends may be repeated without harm. Kinds of error: Unauthorized when a server does not
// accept the token, Forbidden when it does not accept some of the outcomes with it because
// their group has tokens of its own, Refused when every server that answered refused the
// content, Unavailable otherwise. Its methods may be used from many goroutines.
type ServerClient struct {
	config  ServerClientConfig
	courier *signing.Courier
}

// NewServerClient checks the configuration. Errors are Invalid. Close it at the end.
func NewServerClient(c ServerClientConfig) (*ServerClient, error) {
	if len(c.Addresses) == 0 || len(c.Addresses) > maxServers {
		return nil, job.Errorf(job.Invalid, "%d server addresses are configured, 1 to %d are needed", len(c.Addresses), maxServers)
	}
	for i, address := range c.Addresses {
		if _, err := post.ParseAddress(address); err != nil {
			return nil, job.Errorf(job.Invalid, "server address %d: %w", i+1, err)
		}
	}
	if !message.GoodInstance(c.Instance) {
		return nil, job.Errorf(job.Invalid, "the instance must have %d hexadecimal digits", message.InstanceDigits)
	}
	return &ServerClient{
		config:  c,
		courier: signing.NewCourier(post.Config{Timeout: c.Timeout, TLS: c.TLS, Transport: c.Transport}),
	}, nil
}

// Close closes the idle connections. Calls under way are not touched.
func (c *ServerClient) Close() { c.courier.Close() }

// Register renews the lease of the executor at address, or of the one that pulls.
func (c *ServerClient) Register(ctx context.Context, group, address string) error {
	r := message.Registration{
		Beat:      job.Beat{Group: group, Address: address, Life: c.config.Life()},
		Transport: message.TransportPush, Instance: c.config.Instance, Batch: message.DefaultBatch,
	}
	if c.config.Pull {
		r.Transport, r.Beat.Address = message.TransportPull, ""
	}
	if c.config.Features != nil {
		r.Beat.Features = c.config.Features()
	}
	if c.config.Handlers != nil {
		r.Beat.Handlers = c.config.Handlers()
	}
	if err := c.call(ctx, message.NameRegister, message.AppendRegistration(nil, r)); err != nil {
		return fmt.Errorf("register with a server: %w", err)
	}
	return nil
}

// Deregister ends the lease of the executor at address.
func (c *ServerClient) Deregister(ctx context.Context, group, address string) error {
	if err := c.call(ctx, message.NameFarewell, message.AppendFarewell(nil, message.Farewell{Group: group, Address: address})); err != nil {
		return fmt.Errorf("deregister from a server: %w", err)
	}
	return nil
}

// Tell sends the facts of the executor at address to the servers, as far as they accept
// facts: the first that does keeps them for all. It returns false when no server is known
// to, which may change with a registration. Kinds: Invalid, before anything is sent, and
// those of the client.
func (c *ServerClient) Tell(ctx context.Context, group, address string, f job.Facts) (taken bool, err error) {
	if err := f.Check(); err != nil {
		return false, err
	}
	body := message.AppendFacts(nil, message.FactsMessage{Group: group, Address: address, Facts: f})
	var last error
	for _, server := range c.config.Addresses {
		if c.courier.MinorOf(server) < message.MinorFacts {
			continue
		}
		if last = c.ask(ctx, server, message.NameFacts, body); last == nil {
			return true, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	if last != nil {
		return false, fmt.Errorf("send a server the facts of this executor: %w", last)
	}
	return false, nil
}

// SendOutcomes sends the batch in as few requests as their limits allow. After an
// error some of it may have arrived; sending all of it again is safe.
func (c *ServerClient) SendOutcomes(ctx context.Context, batch []job.Outcome) error {
	for len(batch) > 0 {
		n := outcomesThatFit(batch)
		body := message.AppendOutcomes(make([]byte, 0, roomFor(batch[:n])), batch[:n])
		if err := c.call(ctx, message.NameOutcomes, body); err != nil {
			return fmt.Errorf("send %s to a server: %w", plural.Count(n, "outcome"), err)
		}
		batch = batch[n:]
	}
	return nil
}

// roomFor returns how many bytes outcomes take in a request, about.
func roomFor(batch []job.Outcome) int {
	size := 64
	for i := range batch {
		size += 128 + len(batch[i].Message) + len(batch[i].Log) + len(batch[i].Log)/16
	}
	return size
}

// outcomesThatFit returns how many of the batch go into one request, at least one.
func outcomesThatFit(batch []job.Outcome) int {
	size, n := 0, 0
	for ; n < min(len(batch), message.MaxOutcomes); n++ {
		size += outcomeRoom + len(batch[n].Message)
		if n > 0 && size > outcomeBytes {
			break
		}
	}
	return n
}

// call tries the servers in turn.
func (c *ServerClient) call(ctx context.Context, name string, body []byte) error {
	var failures []string
	kind := job.Kind("")
	for _, server := range c.config.Addresses {
		err := c.ask(ctx, server, name, body)
		if err == nil {
			return nil
		}
		failures = append(failures, err.Error())
		kind = worst(kind, job.KindOf(err))
		if ctx.Err() != nil || c.config.Maybe && (errors.Is(err, signing.ErrStrange) || wrongToken(job.KindOf(err))) {
			break
		}
	}
	if kind != job.Refused && !wrongToken(kind) {
		kind = job.Unavailable
	}
	failure := job.Errorf(kind, "%s", strings.Join(failures, "; "))
	if wrongToken(kind) {
		failure.Hint = "give this executor the token that the server expects from executors of its group"
	}
	if ctx.Err() != nil { // the caller's own end is no failure of the servers
		failure.Err = ctx.Err()
		failure.Message = "no server has answered yet"
	}
	return failure
}

// worst returns the kind that stands for two servers' failures. A wrong token needs a
// person, and a refusal counts only when there is no other reason. Servers that were not
// reached do not count.
func worst(a, b job.Kind) job.Kind {
	switch {
	case a == job.Unauthorized || b == job.Unauthorized:
		return job.Unauthorized
	case a == job.Forbidden || b == job.Forbidden:
		return job.Forbidden
	case a == "" || a == job.Unreachable:
		return b
	case b == job.Unreachable || a == b:
		return a
	}
	return job.Unavailable
}

// wrongToken reports whether another token would help.
func wrongToken(k job.Kind) bool { return k == job.Unauthorized || k == job.Forbidden }

// ask sends one request to one server. Kinds: Unreachable, Unauthorized, Forbidden, Refused for
// what no repetition mends, Unavailable for the rest.
func (c *ServerClient) ask(ctx context.Context, server, name string, body []byte) error {
	answer, err := c.courier.Send(ctx, signing.Letter{Address: server, Name: name, Token: c.config.Token, Body: body})
	switch {
	case job.Is(err, job.Ambiguous): // what is sent to servers may be sent again
		return job.Errorf(job.Unavailable, "%w", err)
	case err != nil:
		return err
	}
	if err := answer.Failure(); err != nil {
		kind := job.KindOf(err)
		if name == message.NameOutcomes && answer.Status == http.StatusForbidden { // accepted with the group's token only
			kind = job.Forbidden
		}
		return job.Errorf(kind, "%s: %w", server, err)
	}
	return nil
}
