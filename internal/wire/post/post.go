package post

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/orthd/orth/internal/wire/http1"
	"github.com/orthd/orth/job"
)

const (
	defaultTimeout        = 3 * time.Second // the dialect's own
	defaultMaxIdlePerHost = 64
	// maxIdle bounds the idle connections to all peers together.
	maxIdle = 4096
	// idleTimeout is under the 90 s after which the dialect's executors close
	// an idle connection: who closes first does not lose a request.
	idleTimeout = 60 * time.Second
	// maxResends bounds how often a request that never left is sent again on
	// another connection.
	maxResends = 3
)

// Poster sends requests and reports what is known about one that failed. Large requests,
// and addresses that are not plain, go by net/http; the others by the lean client, which
// takes a fraction of its work.
type Poster struct {
	lean      *http1.Client // nil: everything goes by net/http
	transport http.RoundTripper
	hooked    bool // transport is net/http's own, which calls every hook
	timeout   time.Duration
	targets   targets
}

// Config sets how a Poster calls.
type Config struct {
	// Timeout ends a call, from the look-up of the name to the last byte of
	// the answer. Defaults to 3 s.
	Timeout time.Duration
	// IdlePerHost is the connections kept to each peer. Defaults to 64.
	IdlePerHost int
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

// New returns a poster. A transport of its own verifies certificates, uses no
// proxy and keeps connections. Close it at the end.
func New(c Config) *Poster {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.IdlePerHost <= 0 {
		c.IdlePerHost = defaultMaxIdlePerHost
	}
	p := &Poster{transport: c.Transport, timeout: c.Timeout}
	if p.transport == nil {
		p.transport = newTransport(c)
		if http1.Supported && !c.Plain {
			p.lean = http1.New(http1.Config{
				Timeout: c.Timeout, MaxIdle: maxIdle, MaxIdlePerHost: c.IdlePerHost, IdleFor: idleTimeout, TLS: c.TLS, Control: c.Control,
			})
		}
	}
	_, p.hooked = p.transport.(*http.Transport)
	return p
}

// Find returns the target of path below the base URL address, with the header
// lines of head in every request. Errors are Invalid.
func (p *Poster) Find(address, path, head string) (*Target, error) {
	return p.targets.find(address, path, head)
}

// newTransport returns net/http's way to peers, over connections that are
// counted.
func newTransport(c Config) http.RoundTripper {
	dialer := net.Dialer{Timeout: c.Timeout, Control: c.Control}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &countedConn{Conn: conn}, nil
		},
		TLSClientConfig:        c.TLS.Clone(),
		TLSHandshakeTimeout:    c.Timeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    c.IdlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}

// Close closes the unused connections.
func (p *Poster) Close() {
	if p.lean != nil {
		p.lean.Close()
	}
	if t, ok := p.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Question is what is sent to a target.
type Question struct {
	Body   []byte
	Extras Fields // further header lines
	Limit  int64  // the largest body of an answer, in bytes
	// Want are the headers of the answer that matter: their names in lower case.
	Want []string
}

// Answer is what came back.
type Answer struct {
	Status int // any that is final
	Text   []byte
	// Got are the values of the headers that the question wants, in its order; nil
	// when none came.
	Got []string
}

// Post sends body to t, with further headers if there are any, and returns the
// answer's status and text. It is Ask for those who want no header.
func (p *Poster) Post(ctx context.Context, t *Target, body []byte, limit int64, extras Fields) (int, []byte, error) {
	answer, err := p.Ask(ctx, t, &Question{Body: body, Extras: extras, Limit: limit})
	return answer.Status, answer.Text, err
}

// Ask sends the question to t and returns the answer, whatever it is; redirects
// are not followed. An error is Unreachable when the request certainly did not
// arrive and Ambiguous when it may have.
func (p *Poster) Ask(ctx context.Context, t *Target, q *Question) (Answer, error) {
	if p.lean == nil || t.lean == nil || len(q.Body) > http1.MaxBody {
		return p.roundTrip(ctx, t, q)
	}
	answer, err := p.lean.Post(ctx, &http1.Request{
		Target: t.lean, Extra: q.Extras, Body: q.Body, Limit: q.Limit, Want: q.Want,
	})
	if err == nil {
		return Answer{Status: answer.Status, Text: answer.Body, Got: answer.Got}, nil
	}
	failure, known := errors.AsType[*http1.PostError](err)
	if errors.Is(err, context.DeadlineExceeded) {
		err = p.silence()
	}
	if known && !failure.Left {
		return Answer{}, unreachable(t.URL, err)
	}
	return Answer{}, unanswered(t.URL, err)
}

// roundTrip is Ask by net/http.
func (p *Poster) roundTrip(ctx context.Context, t *Target, q *Question) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	for resends := 0; ; resends++ {
		sent := sending{hooked: p.hooked}
		response, err := p.transport.RoundTrip(p.request(sent.watch(ctx), t, q.Body, q.Extras))
		if err == nil {
			text, err := readAnswer(response, q.Limit)
			if err != nil {
				return Answer{}, unanswered(t.URL, p.reason(ctx, err))
			}
			return Answer{Status: response.StatusCode, Text: text, Got: values(response.Header, q.Want)}, nil
		}
		if sent.maybe(err) {
			return Answer{}, unanswered(t.URL, p.reason(ctx, err))
		}
		if !sent.reused || resends == maxResends || ctx.Err() != nil {
			return Answer{}, unreachable(t.URL, p.reason(ctx, err))
		}
	}
}

// values returns the values of the headers that are wanted, and nil when there are
// none.
func values(h http.Header, want []string) (got []string) {
	for i, name := range want {
		if value := h.Get(name); value != "" {
			if got == nil {
				got = make([]string, len(want))
			}
			got[i] = value
		}
	}
	return got
}

func (p *Poster) request(ctx context.Context, t *Target, body []byte, extras Fields) *http.Request {
	r := &http.Request{
		Method: http.MethodPost, URL: t.URL, Host: t.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"User-Agent": {userAgent}},
		Body:   http.NoBody,
	}
	t.head.AddTo(r.Header)
	extras.AddTo(r.Header)
	if len(body) > 0 {
		r.ContentLength = int64(len(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		// With it net/http sends again what a kept connection never took.
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return r.WithContext(ctx)
}

// atOnce is how much memory is allocated on a peer's claim of a size; beyond it memory
// grows with what arrives.
const atOnce = 64 << 10

// readAnswer reads the whole body, so that the connection can be used again.
func readAnswer(response *http.Response, limit int64) ([]byte, error) {
	defer response.Body.Close()
	if n := response.ContentLength; n >= 0 && n <= min(limit, atOnce) {
		text := make([]byte, n)
		_, err := io.ReadFull(response.Body, text)
		return text, err
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("the answer is over %d bytes", limit)
	}
	return text, err
}

func unreachable(u *url.URL, err error) error {
	return job.Errorf(job.Unreachable, "%s cannot be reached: %w", u, err)
}

func unanswered(u *url.URL, err error) error {
	return job.Errorf(job.Ambiguous, "%s took the request and gave no answer: %w", u, err)
}

// reason names the time limit in place of the bare word that net/http has.
func (p *Poster) reason(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		return p.silence()
	}
	return err
}

// silence is the reason of a call that took too long.
func (p *Poster) silence() error {
	return fmt.Errorf("nothing came within %s: %w", p.timeout, context.DeadlineExceeded)
}

// countedConn counts what was handed to the network.
type countedConn struct {
	net.Conn

	written atomic.Int64
}

// Write implements net.Conn. The bytes count before they are written: a concurrent reader
// of the count must assume that they left.
func (c *countedConn) Write(b []byte) (int, error) {
	c.written.Add(int64(len(b)))
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n - len(b)))
	return n, err
}

// sending watches one request on its way to the network. net/http calls the
// hooks on the goroutine of RoundTrip, but for wrote.
type sending struct {
	hooked bool         // every hook is called
	conn   *countedConn // what the request was given; nil when not ours
	before int64        // what conn had written before
	got    bool         // a connection was there
	reused bool         // it had carried other requests
	wrote  atomic.Bool  // net/http has written the request to its buffer
}

func (s *sending) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			s.got, s.reused = true, info.Reused
			conn := info.Conn
			if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
				conn = secure.NetConn()
			}
			if counted, ok := conn.(*countedConn); ok {
				s.conn, s.before = counted, counted.written.Load()
			} else {
				s.conn = nil
			}
		},
		WroteRequest: func(httptrace.WroteRequestInfo) { s.wrote.Store(true) },
	})
}

// maybe reports whether any byte of the request may have left.
func (s *sending) maybe(err error) bool {
	if s.conn != nil {
		return s.conn.written.Load() != s.before
	}
	if s.got || s.hooked {
		return s.wrote.Load()
	}
	// Without hooks only an error that is about the way to the peer proves
	// that nothing left.
	var dial *net.OpError
	var name *net.DNSError
	return !errors.As(err, &name) && (!errors.As(err, &dial) || dial.Op != "dial")
}
