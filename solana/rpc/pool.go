package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sort"
	"sync"
	"time"

	"github.com/orthd/orth/internal/breaker"
)

// Config sets which nodes are called, and the timeouts.
type Config struct {
	Endpoints []Endpoint // 1 to 16; each role is some node's
	// Timeout is how long one try may take. Defaults to 10 s.
	Timeout time.Duration
	// Tries is how often a request is made, at other nodes where there are. Defaults to 3.
	Tries int
	// Client makes the requests. Defaults to one that connects for 5 s at most and keeps connections.
	Client *http.Client
	Hooks  Hooks
}

// Hooks are called on events. Each may be nil, and must be safe for concurrent calls.
type Hooks struct {
	// Called is called after each try: err is nil, or one of this package's errors.
	Called func(endpoint, method string, took time.Duration, err error)
}

const mostEndpoints = 16

// Pool asks nodes. It is safe for concurrent use and has no goroutine of its own.
type Pool struct {
	config    Config
	endpoints []*endpoint
	breakers  *breaker.Set

	hashing chan struct{} // held by who asks for a blockhash

	mu     sync.Mutex
	waits  map[*endpoint]time.Time // until when one has asked to be left alone
	recent recentHash
}

// New returns a pool of nodes. It asks none of them yet.
func New(c Config) (*Pool, error) {
	if len(c.Endpoints) == 0 || len(c.Endpoints) > mostEndpoints {
		return nil, fmt.Errorf("%d nodes are given, there must be 1 to %d", len(c.Endpoints), mostEndpoints)
	}
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.Tries <= 0 {
		c.Tries = 3
	}
	if c.Client == nil {
		c.Client = &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
				TLSHandshakeTimeout: 5 * time.Second, MaxIdleConnsPerHost: 16, MaxConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	p := &Pool{config: c, breakers: breaker.New(breaker.Config{}), hashing: make(chan struct{}, 1), waits: make(map[*endpoint]time.Time)}
	names := make(map[string]int)
	for i, given := range c.Endpoints {
		e, err := newEndpoint(given)
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", i+1, err)
		}
		if names[e.name]++; names[e.name] > 1 {
			e.name = fmt.Sprintf("%s#%d", e.name, names[e.name])
		}
		p.endpoints = append(p.endpoints, e)
	}
	for role, what := range map[Role]string{Reading: "reading", Submitting: "submitting"} {
		if len(p.endpointsFor(role)) == 0 {
			return nil, fmt.Errorf("no node is there for %s", what)
		}
	}
	return p, nil
}

// endpointsFor returns the nodes that have a role.
func (p *Pool) endpointsFor(role Role) (able []*endpoint) {
	for _, e := range p.endpoints {
		if e.Role&role != 0 {
			able = append(able, e)
		}
	}
	return able
}

// Status is how a node is.
type Status struct {
	Name    string
	Role    Role
	Latency time.Duration // smoothed; 0: not asked yet
	Breaker breaker.Status
}

// Status returns how the nodes are, in the order of the configuration.
func (p *Pool) Status(now time.Time) []Status {
	all := make([]Status, len(p.endpoints))
	for i, e := range p.endpoints {
		all[i] = Status{Name: e.name, Role: e.Role, Latency: time.Duration(e.latency.Load()), Breaker: p.breakers.Status(e.name, now)}
	}
	return all
}

// callAny asks a node with the role, and others when that one cannot answer. A node's own answer that another would give as
// well, such as that a transaction fails, is the end.
func (p *Pool) callAny(ctx context.Context, role Role, method string, params []any, into any) error {
	var last error
	asked := make(map[*endpoint]int)
	for try := range p.config.Tries {
		e, wait := p.choose(role, asked)
		if try > 0 {
			wait = max(wait, backoff(try))
		}
		if err := sleep(ctx, wait); err != nil {
			return ended(err, last)
		}
		if err := e.bucket.Wait(ctx); err != nil {
			return ended(fmt.Errorf("%s: %s may not be asked so often: %w", method, e.name, err), last)
		}
		asked[e]++
		err := p.tryEndpoint(ctx, e, method, params, into)
		if err == nil || !IsTransient(err) || ctx.Err() != nil {
			return err
		}
		last = err
	}
	return last
}

// ended prefers a node's own error over an expired deadline.
func ended(err, last error) error {
	if last != nil {
		return errors.Join(last, err)
	}
	return err
}

// tryEndpoint makes one try, and notes how it went.
func (p *Pool) tryEndpoint(ctx context.Context, e *endpoint, method string, params []any, into any) error {
	p.breakers.Allow(e.name, time.Now())
	within, cancel := context.WithTimeout(ctx, p.config.Timeout)
	start := time.Now()
	err := e.callOnce(within, p.config.Client, method, params, into)
	took := time.Since(start)
	cancel()
	if p.config.Hooks.Called != nil {
		p.config.Hooks.Called(e.name, method, took, err)
	}
	switch {
	case err == nil || !IsTransient(err):
		p.breakers.Succeeded(e.name)
		e.noteDuration(took)
	case ctx.Err() == nil: // who has no time left says nothing about the node
		p.breakers.Failed(e.name, time.Now(), err.Error())
		if away, ok := errors.AsType[*UnreachableError](err); ok && away.After > 0 {
			p.mu.Lock()
			p.waits[e] = time.Now().Add(away.After)
			p.mu.Unlock()
		}
	}
	return err
}

// choose returns the node to ask next, and how long to wait before: of those that are well the quickest that was asked
// least for this request; when none is well, the one that may be asked first, for no answer is worse than a late one.
func (p *Pool) choose(role Role, asked map[*endpoint]int) (*endpoint, time.Duration) {
	now := time.Now()
	type choice struct {
		*endpoint
		well bool
		wait time.Duration
	}
	p.mu.Lock()
	var choices []choice
	for _, e := range p.endpointsFor(role) {
		c := choice{endpoint: e, well: p.breakers.Ready(e.name, now)}
		if c.wait = p.waits[e].Sub(now); c.wait > 0 {
			c.well = false
		}
		choices = append(choices, c)
	}
	p.mu.Unlock()
	sort.SliceStable(choices, func(i, j int) bool {
		a, b := choices[i], choices[j]
		switch {
		case a.well != b.well:
			return a.well
		case asked[a.endpoint] != asked[b.endpoint]:
			return asked[a.endpoint] < asked[b.endpoint]
		case a.wait != b.wait:
			return a.wait < b.wait
		case (a.bucket.TokensAt(now) >= 1) != (b.bucket.TokensAt(now) >= 1):
			return a.bucket.TokensAt(now) >= 1
		default:
			return a.latency.Load() < b.latency.Load()
		}
	})
	return choices[0].endpoint, max(0, choices[0].wait)
}

// backoff is how long the next try waits: 100 ms doubled, a tenth of it by chance.
func backoff(try int) time.Duration {
	d := min(100*time.Millisecond<<min(try-1, 7), 10*time.Second)
	return d + time.Duration(rand.Int64N(int64(d/10)))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
