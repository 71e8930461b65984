package xxl

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// What one callback carries at most.
const (
	maxSendItems = 50
	// maxSendBytes keeps a callback far from any server's limit for bodies.
	maxSendBytes = 1 << 20
	// outcomeRoom is the bytes that most outcomes take.
	outcomeRoom = 160
)

// maxServers is how many servers one executor may know.
const maxServers = 64

// AdminClientConfig says which servers an AdminClient calls.
type AdminClientConfig struct {
	// Addresses are the servers' base URLs, with their context path where
	// they have one, in the order in which they are tried. At least one.
	Addresses []string
	// Token is shown to servers. Defaults to "": the header is sent empty,
	// because some insist on it.
	Token string
	// Timeout ends a call to one server. Defaults to 3 s.
	Timeout time.Duration
	// TLS says whom to trust and what to show on https addresses. Defaults to
	// the machine's roots.
	TLS *tls.Config
	// Transport carries the requests, and TLS counts for nothing then.
	// Defaults to one of its own.
	Transport http.RoundTripper
	// Features is asked before each registration what this executor can run,
	// such as "shell" or "python=3.11.7": up to [job.MaxFeatures], in visible
	// ASCII without commas; others are left out. Defaults to nothing.
	Features func() []string
	// Life is asked before each registration what this executor says of its
	// process. Defaults to nothing.
	Life func() job.Life
}

// AdminClient calls the servers of an executor. Each call goes to the servers
// in the configured order until one answers with success. Everything it sends
// may be repeated without harm. Kinds of error: Unauthorized when a server
// does not take the token, Refused when every server that answered refused the
// content, Unavailable otherwise. Its methods may be used from many
// goroutines.
type AdminClient struct {
	poster   *poster
	servers  []string
	features func() []string
	life     func() job.Life
}

// NewAdminClient checks the addresses. Errors are Invalid. Close it at the end.
func NewAdminClient(c AdminClientConfig) (*AdminClient, error) {
	if len(c.Addresses) == 0 || len(c.Addresses) > maxServers {
		return nil, job.Errorf(job.Invalid, "%d server addresses are configured, 1 to %d are needed",
			len(c.Addresses), maxServers)
	}
	client := &AdminClient{poster: newPoster(posterConfig{
		transport: c.Transport, tls: c.TLS, token: c.Token, timeout: c.Timeout,
	}), features: c.Features, life: c.Life}
	for _, address := range c.Addresses {
		if _, err := parseAddress(address); err != nil {
			return nil, job.Errorf(job.Invalid, "server address %d: %w", len(client.servers)+1, err)
		}
		client.servers = append(client.servers, address)
	}
	return client, nil
}

// Close closes the idle connections. Calls under way are not touched.
func (c *AdminClient) Close() { c.poster.close() }

// Register renews the lease of the executor at address.
func (c *AdminClient) Register(ctx context.Context, group, address string) error {
	body := registration{registryGroupExecutor, group, address}.encode()
	var extras fields
	if c.life != nil {
		extras = appendLife(extras, c.life())
	}
	if c.features != nil {
		if text := joinFeatures(c.features()); text != "" {
			extras = extras.add(headerFeatures, text)
		}
	}
	if err := c.call(ctx, apiRegistry, body, extras); err != nil {
		return fmt.Errorf("register with a server: %w", err)
	}
	return nil
}

// Deregister ends the lease of the executor at address.
func (c *AdminClient) Deregister(ctx context.Context, group, address string) error {
	body := registration{registryGroupExecutor, group, address}.encode()
	if err := c.call(ctx, apiRegistryRemove, body, nil); err != nil {
		return fmt.Errorf("deregister from a server: %w", err)
	}
	return nil
}

// SendOutcomes sends the batch in as few calls as the limits of a callback
// allow. After an error some of it may have arrived; sending all of it again
// is safe.
func (c *AdminClient) SendOutcomes(ctx context.Context, batch []job.Outcome) error {
	for len(batch) > 0 {
		body, n := appendOutcomes(make([]byte, 0, min(len(batch), maxSendItems)*outcomeRoom), batch)
		if err := c.call(ctx, apiCallback, body, failures(batch[:n])); err != nil {
			return fmt.Errorf("send %d outcomes to a server: %w", n, err)
		}
		batch = batch[n:]
	}
	return nil
}

// failures returns the headers that go with a callback of these outcomes.
func failures(batch []job.Outcome) fields {
	var text []byte
	for _, o := range batch {
		text = appendFailure(text, o)
	}
	if len(text) == 0 {
		return nil
	}
	return fields(nil).add(headerFailures, string(text))
}

// appendOutcomes appends the body of one callback with the first n outcomes of
// the batch, at least one.
func appendOutcomes(dst []byte, batch []job.Outcome) (body []byte, n int) {
	start := len(dst)
	dst = append(dst, '[')
	for ; n < len(batch) && n < maxSendItems; n++ {
		before := len(dst)
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = appendOutcome(dst, batch[n])
		if n > 0 && len(dst)-start > maxSendBytes {
			dst = dst[:before]
			break
		}
	}
	return append(dst, ']'), n
}

// call tries the servers in turn. extras are further headers, or nil.
func (c *AdminClient) call(ctx context.Context, name string, body []byte, extras fields) error {
	var failures []string
	kind := job.Kind("")
	for _, server := range c.servers {
		err := c.ask(ctx, server, name, body, extras)
		if err == nil {
			return nil
		}
		failures = append(failures, err.Error())
		kind = worst(kind, job.KindOf(err))
		if ctx.Err() != nil {
			break
		}
	}
	if kind != job.Refused && kind != job.Unauthorized {
		kind = job.Unavailable
	}
	failure := job.Errorf(kind, "%s", strings.Join(failures, "; "))
	if kind == job.Unauthorized {
		failure.Hint = "give this executor the token that the server expects from executors"
	}
	if ctx.Err() != nil { // let the caller tell its own end from the servers'
		failure.Err = ctx.Err()
		failure.Message = "no server has answered yet"
	}
	return failure
}

// worst returns the kind that stands for two servers' failures: a wrong token
// needs a person, and a refusal stands only when nobody has another reason.
// Servers that were not reached have no say.
func worst(a, b job.Kind) job.Kind {
	switch {
	case a == job.Unauthorized || b == job.Unauthorized:
		return job.Unauthorized
	case a == "" || a == job.Unreachable:
		return b
	case b == job.Unreachable || a == b:
		return a
	}
	return job.Unavailable
}

// ask sends one request to one server. Kinds: Unreachable, Unauthorized,
// Refused for what no repetition mends, Unavailable for the rest.
func (c *AdminClient) ask(ctx context.Context, server, name string, body []byte, extras fields) error {
	t, err := c.poster.targets.find(server, pathAPI+name)
	if err != nil {
		return err
	}
	status, text, err := c.poster.post(ctx, t, body, maxAnswer, extras)
	if err != nil {
		if job.Is(err, job.Unreachable) {
			return err
		}
		return unavailable(err)
	}
	return c.judge(t.url, status, text)
}

// unavailable gives err the kind Unavailable: what is sent to servers may be
// sent again, so nothing is ambiguous.
func unavailable(err error) error { return job.Errorf(job.Unavailable, "%w", err) }

// judge reads a server's answer. Only HTTP status 200 with code 200 is
// success.
func (c *AdminClient) judge(u *url.URL, status int, text []byte) error {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return job.Errorf(job.Unauthorized, "%s does not take the token (HTTP status %d)", u, status)
	}
	if status == http.StatusServiceUnavailable {
		if r, err := decodeReply(text); err == nil {
			return job.Errorf(job.Unavailable, "%s cannot do it at present: %s", u, short(r.text))
		}
	}
	if status != http.StatusOK {
		return job.Errorf(job.Unavailable, "%s answered HTTP status %d: is this the address of a server?", u, status)
	}
	r, err := decodeReply(text)
	switch {
	case err != nil:
		return job.Errorf(job.Unavailable, "%s answered with something else than a reply: %w", u, err)
	case r.code == codeSuccess:
		return nil
	case tokenRefused(r.text):
		return job.Errorf(job.Unauthorized, "%s: %s", u, short(r.text))
	case r.text == textIllegal, r.text == textBodyEmpty, strings.HasPrefix(r.text, textAPIError+textMalformed):
		return job.Errorf(job.Refused, "%s: %s", u, short(r.text))
	}
	return job.Errorf(job.Unavailable, "%s answered code %d: %s", u, r.code, short(r.text))
}

// tokenRefused reports whether a server's text is about the token.
func tokenRefused(text string) bool {
	return text == textToken || strings.HasPrefix(text, "invalid request, accessToken or appname")
}
