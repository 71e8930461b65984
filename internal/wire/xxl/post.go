package xxl

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
	"strings"
	"sync/atomic"
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

// poster sends requests and says what is known about one that failed. Those
// that are large, and addresses that are not plain, go by net/http; the others
// by the lean client, which takes a fraction of its work.
type poster struct {
	lean      *http1.Client // nil: everything goes by net/http
	transport http.RoundTripper
	hooked    bool // transport is net/http's own, which calls every hook
	timeout   time.Duration
	targets   targets
	broken    error // nothing can be sent at all
}

// posterConfig is what the two clients have in common.
type posterConfig struct {
	transport   http.RoundTripper // nil: one of its own
	tls         *tls.Config       // of its own transport
	token       string
	timeout     time.Duration
	idlePerHost int
}

// newPoster fills in the defaults. A transport of its own verifies
// certificates, uses no proxy and keeps connections.
func newPoster(c posterConfig) *poster {
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.idlePerHost <= 0 {
		c.idlePerHost = defaultMaxIdlePerHost
	}
	p := &poster{transport: c.transport, timeout: c.timeout, targets: targets{
		// Some peers insist on the token's header, even empty.
		fields: fields(nil).add("Content-Type", "application/json;charset=UTF-8").
			add(headerForkToken, c.token).add(headerToken, c.token),
	}}
	if strings.ContainsFunc(c.token, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		p.broken = errors.New("the token has a control character in it, such as a line feed, which no request can carry")
	}
	if p.transport == nil {
		p.transport = newTransport(c)
		if http1.Supported {
			p.lean = http1.New(http1.Config{
				Timeout: c.timeout, MaxIdle: maxIdle, MaxIdlePerHost: c.idlePerHost, IdleFor: idleTimeout, TLS: c.tls,
			})
		}
	}
	_, p.hooked = p.transport.(*http.Transport)
	return p
}

// newTransport returns net/http's way to peers, over connections that are
// counted.
func newTransport(c posterConfig) http.RoundTripper {
	dialer := net.Dialer{Timeout: c.timeout}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &countedConn{Conn: conn}, nil
		},
		TLSClientConfig:        c.tls.Clone(),
		TLSHandshakeTimeout:    c.timeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    c.idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}

// close closes the connections that nobody uses.
func (p *poster) close() {
	if p.lean != nil {
		p.lean.Close()
	}
	if t, ok := p.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// post sends body to t, with further headers if there are any, and returns the
// answer's status and text, whatever they are; redirects are not followed. An
// error is Unreachable when the request certainly did not arrive and Ambiguous
// when it may have.
func (p *poster) post(ctx context.Context, t *target, body []byte, limit int64, extras fields) (int, []byte, error) {
	if p.broken != nil {
		return 0, nil, unreachable(t.url, p.broken)
	}
	if p.lean == nil || t.lean == nil || len(body) > http1.MaxBody {
		return p.roundTrip(ctx, t.url, body, limit, extras)
	}
	answer, err := p.lean.Post(ctx, &http1.Request{Target: t.lean, Extra: extras, Body: body, Limit: limit})
	if err == nil {
		return answer.Status, answer.Body, nil
	}
	failure, known := errors.AsType[*http1.PostError](err)
	if errors.Is(err, context.DeadlineExceeded) {
		err = p.silence()
	}
	if known && !failure.Left {
		return 0, nil, unreachable(t.url, err)
	}
	return 0, nil, unanswered(t.url, err)
}

// roundTrip is post by net/http.
func (p *poster) roundTrip(ctx context.Context, u *url.URL, body []byte, limit int64, extras fields) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	for resends := 0; ; resends++ {
		sent := sending{hooked: p.hooked}
		response, err := p.transport.RoundTrip(p.request(sent.watch(ctx), u, body, extras))
		if err == nil {
			text, err := readAnswer(response, limit)
			if err != nil {
				return 0, nil, unanswered(u, p.reason(ctx, err))
			}
			return response.StatusCode, text, nil
		}
		if sent.maybe(err) {
			return 0, nil, unanswered(u, p.reason(ctx, err))
		}
		if !sent.reused || resends == maxResends || ctx.Err() != nil {
			return 0, nil, unreachable(u, p.reason(ctx, err))
		}
	}
}

func (p *poster) request(ctx context.Context, u *url.URL, body []byte, extras fields) *http.Request {
	r := &http.Request{
		Method: http.MethodPost, URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"User-Agent": {userAgent}},
		Body:   http.NoBody,
	}
	p.targets.fields.addTo(r.Header)
	extras.addTo(r.Header)
	if len(body) > 0 {
		r.ContentLength = int64(len(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		// With it net/http sends again what a kept connection never took.
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return r.WithContext(ctx)
}

// readAnswer reads the whole body, so that the connection can be used again.
func readAnswer(response *http.Response, limit int64) ([]byte, error) {
	defer response.Body.Close()
	if n := response.ContentLength; n >= 0 && n <= limit {
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
func (p *poster) reason(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		return p.silence()
	}
	return err
}

// silence is the reason of a call that took too long.
func (p *poster) silence() error {
	return fmt.Errorf("nothing came within %s: %w", p.timeout, context.DeadlineExceeded)
}

// countedConn counts what was handed to the network.
type countedConn struct {
	net.Conn

	written atomic.Int64
}

// Write implements net.Conn. The bytes count before they are written: whoever
// looks meanwhile must think that they left.
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
