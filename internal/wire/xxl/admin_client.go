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
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
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
	Speeches []dialect.Speech
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
	if client.base, err = newTongue(dialect.Classic(), c.Token, c.Group); err != nil {
		return nil, err
	}
	if c.Group != "" {
		if client.later, err = newTongue(dialect.SpeechOf(dialect.Speeches(), job.DialectXXL35), c.Token, c.Group); err != nil {
			return nil, err
		}
	}
	speeches := slices.Concat(dialect.Speeches(), c.Speeches)
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
	body := dialect.Registration{Group: dialect.RegistryGroupExecutor, Key: group, Value: address}.Encode()
	var extras post.Fields
	if c.life != nil {
		extras = dialect.AppendLife(extras, c.life())
	}
	if c.features != nil {
		if text := dialect.JoinFeatures(c.features()); text != "" {
			extras = extras.Add(dialect.HeaderFeatures, text)
		}
	}
	m := letter{name: dialect.APIRegistry, body: always(body), extras: extras, beat: true}
	if err := c.call(ctx, &m); err != nil {
		return fmt.Errorf("register with a server: %w", err)
	}
	return nil
}

// Deregister ends the lease of the executor at address.
func (c *AdminClient) Deregister(ctx context.Context, group, address string) error {
	body := dialect.Registration{Group: dialect.RegistryGroupExecutor, Key: group, Value: address}.Encode()
	if err := c.call(ctx, &letter{name: dialect.APIRegistryRemove, body: always(body)}); err != nil {
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
		body, n := dialect.AppendBatch(make([]byte, 0, min(len(batch), dialect.MaxSendItems)*dialect.OutcomeRoom), &first.Speech, batch, logs)
		m := letter{name: dialect.APICallback, extras: dialect.FailureFields(batch[:n]), body: func(t *tongue, takes bool) []byte {
			if t == first && takes == logs {
				return body
			}
			return dialect.AppendOutcomes(nil, &t.Speech, batch[:n], takes)
		}}
		if err := c.call(ctx, &m); err != nil {
			return fmt.Errorf("send %s to a server: %w", plural.Count(n, "outcome"), err)
		}
		batch = batch[n:]
	}
	return nil
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
	if err != nil && heard == understood && t == c.later && m.name == dialect.APICallback {
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
	to, err := c.poster.Find(server.address, dialect.PathAPI+m.name, t.head)
	if err != nil {
		return silent, err
	}
	begun := time.Now()
	answer, err := c.poster.Ask(ctx, to, &post.Question{
		Body: m.body(t, server.takesLogs()), Extras: m.extras, Limit: maxAnswer, Want: []string{"orth-takes"},
	})
	if err == nil {
		server.answered(slices.Contains(answer.Got, dialect.FieldLog))
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
		if r, err := dialect.DecodeReply(text); err == nil {
			return understood, job.Errorf(job.Unavailable, "%s cannot do it at present: %s", u, dialect.Shorten(r.Text))
		}
	}
	if status != http.StatusOK {
		return understood, job.Errorf(job.Unavailable, "%s answered HTTP status %d: is this the address of a server?", u, status)
	}
	r, err := dialect.DecodeReply(text)
	switch {
	case err != nil:
		return understood, job.Errorf(job.Unavailable, "%s answered with something else than a reply: %w", u, err)
	case r.Code == dialect.CodeSuccess:
		return understood, nil
	case groupWanted(r.Text):
		err = job.Errorf(job.Unauthorized, "%s: %s The server must have this executor's group, with this token.", u, dialect.Shorten(r.Text))
	case r.Text == dialect.TextToken:
		err = job.Errorf(job.Unauthorized, "%s: %s", u, dialect.Shorten(r.Text))
	case r.Text == dialect.TextIllegal, r.Text == dialect.TextBodyEmpty, strings.HasPrefix(r.Text, dialect.TextAPIError+dialect.TextMalformed):
		err = job.Errorf(job.Refused, "%s: %s", u, dialect.Shorten(r.Text))
	default:
		err = job.Errorf(job.Unavailable, "%s answered code %d: %s", u, r.Code, dialect.Shorten(r.Text))
	}
	return t.read(name, r.Text), err
}
