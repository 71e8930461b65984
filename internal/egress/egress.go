// Package egress reaches addresses that users choose, in jobs and in channels of alerts: it
// must not open the network of the executor or the server to them.
//
// It knows which hosts and addresses may be reached, and how redirects and time limits are
// kept. It must never know jobs, parameters, secrets or logs. Requests come in; answers go
// out, or errors that name the refused address and the setting that allows it. A refusal is
// marked permanent.
//
// A name is resolved once for each connection and the address is judged after that, when
// the socket exists and before it connects, so that a name that changes its address in
// between gains nothing.
package egress

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// maxHeader bounds the headers of an answer, in bytes.
const maxHeader = 64 << 10

// Config sets where calls may go. It has a JSON form that New reads back unchanged in
// another process.
type Config struct {
	// Allow names what may be called: "api.example.com", "*.example.com" (any
	// name below it), "10.1.2.3", "10.1.0.0/16", each also with ":port" for that
	// port alone, or "*". IPv6 with a port is written "[fd00::1]:443". Addresses
	// that are named here may be private ones; names and "*" do not open private
	// addresses, because their owner decides where they point. Defaults to any
	// public host.
	Allow []string `json:"allow,omitempty"`
	// Private allows private, loopback and link-local addresses too, for hosts
	// that Allow permits. Addresses of cloud metadata services and reserved
	// addresses stay refused unless Allow names them. Defaults to false.
	Private bool `json:"private,omitempty"`
	// AllowName and PrivateName are what the operator knows Allow and Private by;
	// refusals name them. Default to allow and private.
	AllowName   string `json:"-"`
	PrivateName string `json:"-"`
	// Timeout ends a call whose context has no deadline, in nanoseconds in JSON;
	// reading the body is part of the call. Defaults to 30 s.
	Timeout time.Duration `json:"timeout,omitempty"`
	// MaxRedirects is how many redirects are followed; one more is an error.
	// Negative: none is followed and the redirect itself is the answer. Defaults
	// to 5.
	MaxRedirects int `json:"max_redirects,omitempty"`
}

// Client makes calls. It may be used by many goroutines.
type Client struct {
	policy    policy
	timeout   time.Duration
	redirects int
	http      http.Client
	resolver  *net.Resolver // nil: the system's
}

// New returns a client. An entry of Allow that cannot be read is an Invalid
// error that quotes it. The environment's proxies are not used: a proxy would
// connect to what this package refuses.
func New(c Config) (*Client, error) {
	if c.Timeout < 0 {
		return nil, job.FieldErrorf("timeout", "%s is negative: give the longest time a call may take", c.Timeout)
	}
	policy, err := newPolicy(c.Allow, c.Private)
	if err != nil {
		return nil, err
	}
	policy.allowName, policy.privateName = cmp.Or(c.AllowName, policy.allowName), cmp.Or(c.PrivateName, policy.privateName)
	e := &Client{policy: policy, timeout: c.Timeout, redirects: c.MaxRedirects}
	if e.timeout == 0 {
		e.timeout = 30 * time.Second
	}
	if e.redirects == 0 {
		e.redirects = 5
	}
	e.http = http.Client{
		Transport: &http.Transport{
			DialContext:            e.Dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           32,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        30 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: e.checkRedirect,
	}
	return e, nil
}

// Do makes a call as [http.Client.Do] does; the caller closes the body. The
// call ends at the deadline of the request's context and, when there is none,
// after Timeout.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if err := c.checkRequest(req); err != nil {
		return nil, err
	}
	cancel := context.CancelFunc(func() {})
	if _, limited := req.Context().Deadline(); !limited {
		var ctx context.Context
		ctx, cancel = context.WithTimeout(req.Context(), c.timeout)
		req = req.WithContext(ctx)
	}
	res, err := c.http.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	res.Body = &body{res.Body, cancel}
	return res, nil
}

// CloseIdleConnections ends the connections that no call uses.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// body ends its call's timer when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// checkRequest refuses what can be refused before a name is resolved.
func (c *Client) checkRequest(req *http.Request) error {
	if err := c.policy.checkURL(req.URL); err != nil {
		return err
	}
	if host := req.Host; host != "" && !strings.EqualFold(host, req.URL.Host) {
		return retry.Permanent(job.Errorf(job.Refused,
			"the Host header %q differs from the host of the address, %q: leave it out", host, req.URL.Host))
	}
	return nil
}

// Dial connects to a host and port within the same rules, for protocols that are
// not HTTP. It gives up after 10 s, or when ctx ends. A refusal is a Refused error
// in the chain of the error it returns.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: c.resolver,
		Control: func(_, candidate string, _ syscall.RawConn) error {
			return c.policy.checkAddress(host, port, candidate)
		},
	}
	return d.DialContext(ctx, network, address)
}
