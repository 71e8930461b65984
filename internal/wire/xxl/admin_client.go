package xxl

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// What one callback carries at most.
const (
	maxSendItems = 50
	// maxSendBytes keeps a callback far from any server's limit for bodies.
	maxSendBytes = 1 << 20
	// A server of Orth is sent more items, because each callback waits for a transaction:
	// as many as a small request carries, which both sides handle without net/http.
	maxSendMany  = 500
	maxManyBytes = 60 << 10
	// outcomeRoom is the bytes that most outcomes take.
	outcomeRoom = 160
)

// maxServers is how many servers one executor may know.
const maxServers = 64

// AdminClientConfig sets the servers that an AdminClient calls.
type AdminClientConfig struct {
	// Addresses are the servers' base URLs, with their context path where
	// they have one, in the order in which they are tried. At least one.
	Addresses []string
	// Dialect is asked once for each address in which dialect its server is spoken
	// to, whatever it answers; an empty one is found out, by the address and by the
	// answers. Defaults to finding out all.
	Dialect func(address string) job.Dialect
	// Speeches are the dialects of forks, besides those of XXL-JOB itself. Defaults to
	// none.
	Speeches []Speech
	// Group is the key of the executor's group, which servers of some dialects require in
	// each request.
	Group string
	// Token is shown to servers. Defaults to "": the header is sent empty,
	// because some insist on it.
	Token string
	// Timeout ends a call to one server. Defaults to 3 s.
	Timeout time.Duration
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Transport carries the requests, and TLS counts for nothing then.
	// Defaults to one of its own.
	Transport http.RoundTripper
	// Features is asked before each registration what this executor can run,
	// such as "shell" or "python=3.11.7": up to [job.MaxFeatures], in visible
	// ASCII without commas; others are left out. Defaults to nothing.
	Features func() []string
	// Life is called before each registration and describes this executor's process.
	// Defaults to nothing.
	Life func() job.Life
}

// AdminClient calls the servers of an executor, which share what they know. Each
// call goes to the servers in the configured order until one answers with success;
// one that takes its time and does not answer is called last from then on, until it
// answers or has rested. Registrations go to it in its turn, to find out. Everything
// that is sent may be repeated without harm. Kinds of error: Unauthorized when a
// server does not take the token, Refused when every server that answered refused
// the content, Unavailable otherwise. The methods may be used from many goroutines.
type AdminClient struct {
	poster   *post.Poster
	base     *tongue // for servers of which nothing is known
	later    *tongue // for servers that require the group; nil without a group
	servers  []*admin
	features func() []string
	life     func() job.Life
}

// NewAdminClient checks the addresses and the token. Errors are Invalid. Close it
// at the end.
func NewAdminClient(c AdminClientConfig) (*AdminClient, error) {
	if len(c.Addresses) == 0 || len(c.Addresses) > maxServers {
		return nil, job.Errorf(job.Invalid, "%d server addresses are configured, 1 to %d are needed",
			len(c.Addresses), maxServers)
	}
	client := &AdminClient{features: c.Features, life: c.Life}
	var err error
	if client.base, err = newTongue(Classic(), c.Token, c.Group); err != nil {
		return nil, err
	}
	if c.Group != "" {
		if client.later, err = newTongue(speechOf(Speeches(), job.DialectXXL35), c.Token, c.Group); err != nil {
			return nil, err
		}
	}
	speeches := slices.Concat(Speeches(), c.Speeches)
	for i, address := range c.Addresses {
		_, err := post.ParseAddress(address)
		var server *admin
		if err == nil {
			server, err = client.meet(&c, speeches, address)
		}
		if err != nil {
			return nil, job.Errorf(job.Invalid, "server address %d: %w", i+1, err)
		}
		client.servers = append(client.servers, server)
	}
	client.poster = post.New(post.Config{Transport: c.Transport, TLS: c.TLS, Timeout: c.Timeout})
	return client, nil
}

// Close closes the idle connections. Calls under way are not touched.
func (c *AdminClient) Close() { c.poster.Close() }

// Register renews the lease of the executor at address.
func (c *AdminClient) Register(ctx context.Context, group, address string) error {
	body := registration{registryGroupExecutor, group, address}.encode()
	var extras post.Fields
	if c.life != nil {
		extras = appendLife(extras, c.life())
	}
	if c.features != nil {
		if text := joinFeatures(c.features()); text != "" {
			extras = extras.Add(headerFeatures, text)
		}
	}
	m := letter{name: apiRegistry, body: always(body), extras: extras, beat: true}
	if err := c.call(ctx, &m); err != nil {
		return fmt.Errorf("register with a server: %w", err)
	}
	return nil
}

// Deregister ends the lease of the executor at address.
func (c *AdminClient) Deregister(ctx context.Context, group, address string) error {
	body := registration{registryGroupExecutor, group, address}.encode()
	if err := c.call(ctx, &letter{name: apiRegistryRemove, body: always(body)}); err != nil {
		return fmt.Errorf("deregister from a server: %w", err)
	}
	return nil
}

// SendOutcomes sends the batch in as few calls as the limits of a callback
// allow. After an error some of it may have arrived; sending all of it again
// is safe.
func (c *AdminClient) SendOutcomes(ctx context.Context, batch []job.Outcome) error {
	for len(batch) > 0 {
		first, logs := c.servers[0].speaks(), c.servers[0].takesLogs()
		body, n := appendBatch(make([]byte, 0, min(len(batch), maxSendItems)*outcomeRoom), &first.Speech, batch, logs)
		m := letter{name: apiCallback, extras: failures(batch[:n]), body: func(t *tongue, takes bool) []byte {
			if t == first && takes == logs {
				return body
			}
			return appendOutcomes(nil, &t.Speech, batch[:n], takes)
		}}
		if err := c.call(ctx, &m); err != nil {
			return fmt.Errorf("send %s to a server: %w", plural.Count(n, "outcome"), err)
		}
		batch = batch[n:]
	}
	return nil
}

// failures returns the headers that go with a callback of these outcomes.
func failures(batch []job.Outcome) post.Fields {
	text := appendFailures(batch)
	if len(text) == 0 {
		return nil
	}
	return post.Fields(nil).Add(headerFailures, string(text))
}

func appendFailures(batch []job.Outcome) (text []byte) {
	for _, o := range batch {
		text = appendFailure(text, o)
	}
	return text
}

// appendBatch appends the body of one callback to the first server, with the first n
// outcomes of the batch: at least one, and no more than fit.
func appendBatch(dst []byte, s *Speech, batch []job.Outcome, logs bool) (body []byte, n int) {
	dst = s.openList(dst)
	start := len(dst)
	var failures []byte
	for ; n < len(batch) && n < maxSendMany && (logs || n < maxSendItems); n++ {
		before := len(dst)
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = appendOutcome(dst, s, batch[n], logs)
		failures = appendFailure(failures, batch[n])
		size, over := len(dst)-start, n >= maxSendItems
		if n > 0 && size > maxSendBytes || over && (size > maxManyBytes || len(failures) > maxFailuresText) {
			dst = dst[:before]
			break
		}
	}
	return s.closeList(dst), n
}

// appendOutcomes appends the body of one callback with all the outcomes.
func appendOutcomes(dst []byte, s *Speech, outcomes []job.Outcome, logs bool) []byte {
	dst = s.openList(dst)
	for i, o := range outcomes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOutcome(dst, s, o, logs)
	}
	return s.closeList(dst)
}

// openList appends what stands in front of the outcomes of a callback.
func (s *Speech) openList(dst []byte) []byte {
	if s.OutcomeList != "" {
		dst = append(append(append(dst, `{"`...), s.OutcomeList...), `":`...)
	}
	return append(dst, '[')
}

// closeList appends what stands behind them.
func (s *Speech) closeList(dst []byte) []byte {
	if dst = append(dst, ']'); s.OutcomeList != "" {
		dst = append(dst, '}')
	}
	return dst
}

// letter is the content of one call.
type letter struct {
	name   string
	body   func(t *tongue, logs bool) []byte
	extras post.Fields // further headers, or nil
	beat   bool        // servers that rest get it in their turn
}

// always is the body of a message that is the same in all dialects.
func always(body []byte) func(*tongue, bool) []byte {
	return func(*tongue, bool) []byte { return body }
}

// call tries the servers in turn.
func (c *AdminClient) call(ctx context.Context, m *letter) error {
	var failures []string
	kind := job.Kind("")
	for _, server := range c.order(m) {
		err := c.tell(ctx, server, m)
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
	if ctx.Err() != nil { // the caller's own end is no failure of the servers
		failure.Err = ctx.Err()
		failure.Message = "no server has answered yet"
	}
	return failure
}

// order returns the servers in the order in which m is offered to them: those that
// rest come last.
func (c *AdminClient) order(m *letter) []*admin {
	now := time.Now()
	if m.beat || !slices.ContainsFunc(c.servers, func(a *admin) bool { return a.rests(now) }) {
		return c.servers
	}
	var first, last []*admin
	for _, server := range c.servers {
		if server.rests(now) {
			last = append(last, server)
		} else {
			first = append(first, server)
		}
	}
	return append(first, last...)
}

// worst returns the kind that stands for two servers' failures. A wrong token needs a
// person, and a refusal counts only when there is no other reason. Servers that were not
// reached do not count.
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

// tell sends m to one server. If the dialect is not known yet and the server did not
// understand, the client sends once more, in the other dialect. It keeps the dialect that
// the server accepts, until the server accepts it no longer: several servers may share an
// address.
func (c *AdminClient) tell(ctx context.Context, server *admin, m *letter) error {
	t := server.speaks()
	heard, err := c.ask(ctx, server, t, m)
	if err != nil && heard == understood && t == c.later && m.name == apiCallback {
		heard = garbled // whatever the text: each release before 3.3 has its own
	}
	if server.fixed || c.later == nil || heard != garbled && heard != nameless {
		return err
	}
	other := c.later
	if t == other {
		other = c.base
	}
	again, retried := c.ask(ctx, server, other, m)
	switch {
	case retried == nil, heard == nameless: // who asks for the group's name is known by that
		server.speak(other)
		return retried
	case again != nameless:
		server.speak(c.base)
	}
	return err
}

// ask sends m to one server in one dialect. Kinds: Unreachable, Unauthorized,
// Refused for what no repetition mends, Unavailable for the rest.
func (c *AdminClient) ask(ctx context.Context, server *admin, t *tongue, m *letter) (reading, error) {
	to, err := c.poster.Find(server.address, pathAPI+m.name, t.head)
	if err != nil {
		return silent, err
	}
	begun := time.Now()
	answer, err := c.poster.Ask(ctx, to, &post.Question{
		Body: m.body(t, server.takesLogs()), Extras: m.extras, Limit: maxAnswer, Want: []string{"orth-takes"},
	})
	if err == nil {
		server.answered(slices.Contains(answer.Got, fieldLog))
		return t.judge(m.name, to.URL, answer.Status, answer.Text)
	}
	if now := time.Now(); ctx.Err() == nil && now.Sub(begun) >= slowFailure {
		server.restUntil(now.Add(restFor))
	}
	if job.Is(err, job.Unreachable) {
		return silent, err
	}
	return silent, unavailable(err)
}

// unavailable gives err the kind Unavailable: what is sent to servers may be
// sent again, so nothing is ambiguous.
func unavailable(err error) error { return job.Errorf(job.Unavailable, "%w", err) }

// judge reads a server's answer. Only HTTP status 200 with code 200 is
// success.
func (t *tongue) judge(name string, u *url.URL, status int, text []byte) (reading, error) {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return understood, job.Errorf(job.Unauthorized, "%s does not take the token (HTTP status %d)", u, status)
	}
	if status == http.StatusServiceUnavailable {
		if r, err := decodeReply(text); err == nil {
			return understood, job.Errorf(job.Unavailable, "%s cannot do it at present: %s", u, short(r.text))
		}
	}
	if status != http.StatusOK {
		return understood, job.Errorf(job.Unavailable, "%s answered HTTP status %d: is this the address of a server?", u, status)
	}
	r, err := decodeReply(text)
	switch {
	case err != nil:
		return understood, job.Errorf(job.Unavailable, "%s answered with something else than a reply: %w", u, err)
	case r.code == codeSuccess:
		return understood, nil
	case groupWanted(r.text):
		err = job.Errorf(job.Unauthorized, "%s: %s The server must have this executor's group, with this token.", u, short(r.text))
	case r.text == textToken:
		err = job.Errorf(job.Unauthorized, "%s: %s", u, short(r.text))
	case r.text == textIllegal, r.text == textBodyEmpty, strings.HasPrefix(r.text, textAPIError+textMalformed):
		err = job.Errorf(job.Refused, "%s: %s", u, short(r.text))
	default:
		err = job.Errorf(job.Unavailable, "%s answered code %d: %s", u, r.code, short(r.text))
	}
	return t.read(name, r.text), err
}
