// Package client calls an Orth server through its native HTTP API.
//
// It knows addresses, the token, and the difference between a lost response and a refusal.
// It must never depend on SQL, the server's packages or a terminal. Calls come in from
// programs; the types of package api and errors of the kinds of package job go out.
package client

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Config selects the server of a client, and its options.
type Config struct {
	// Address is the base URL of the server, such as "http://127.0.0.1:8080".
	// A path in it is kept, for servers behind a proxy. Required.
	Address string
	// Token is the server's token. Without one every call but Healthy is
	// refused.
	Token string
	// Namespace is the one of the jobs that calls name. Defaults to "default"; without
	// one a group is found in whichever it is, as no two have the same key.
	Namespace string
	// Timeout ends a call, the reading of its answer and all repetitions included.
	// Defaults to 35 s, a little more than the server's own.
	Timeout time.Duration
	// Retries is how often a call is made again when the server is away or busy for a
	// moment, after pauses that grow and as the server asks (Retry-After, up to 10 s).
	// Only calls are repeated that read, and those that make something or trigger: these
	// carry a key, and take effect once. Below 0 none is. Defaults to 3.
	Retries int
	// TLS configures the connection to an https address. It is ignored when there is an
	// HTTPClient. Defaults to the machine's authorities.
	TLS *tls.Config
	// HTTPClient gives the transport. Its redirect policy is not used: the
	// token goes to no other address than the one given. Defaults to a client
	// of its own.
	HTTPClient *http.Client
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base      string // without a slash at the end
	token     redacted.Text
	session   *cookieSession // nil for none
	namespace string
	ofGroups  url.Values // where a group is looked for by its key
	timeout   time.Duration
	retries   int
	http      *http.Client
	pace      pace
}

// New returns a client. It connects at the first call. An address that cannot
// be one is job.Invalid.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.Address)
	switch {
	case c.Address == "":
		return nil, job.FieldErrorf("address", "is missing: give the URL of the server")
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return nil, job.FieldErrorf("address", "%q is no URL of a server: write it such as http://127.0.0.1:8080", c.Address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, job.FieldErrorf("address", "the URL of a server has no user, query or fragment")
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, job.FieldErrorf("token", "holds a character that no token has")
	}
	ofGroups := url.Values{}
	setNonEmpty(ofGroups, "namespace", c.Namespace)
	if c.Namespace == "" {
		c.Namespace = job.DefaultNamespace
	}
	if c.Timeout <= 0 {
		c.Timeout = 35 * time.Second
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	plain := http.Client{Transport: newTransport(c.TLS)}
	if c.HTTPClient != nil {
		plain = *c.HTTPClient
	}
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		base: strings.TrimRight(u.String(), "/"), token: redacted.New(c.Token), namespace: c.Namespace, ofGroups: ofGroups,
		timeout: c.Timeout, retries: c.Retries, http: &plain, pace: pace{100 * time.Millisecond, 2 * time.Second},
	}, nil
}

// newTransport returns a transport that keeps few connections.
func newTransport(trust *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     trust.Clone(),
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        8,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     30 * time.Second,
	}
}

// Close closes the connections that are idle. The client can be used again.
func (c *Client) Close() { c.http.CloseIdleConnections() }
