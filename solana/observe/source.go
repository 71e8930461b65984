package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Bounds of a connection.
const (
	largestMessage = 1 << 20 // bytes
	longestDial    = 10 * time.Second
	longestWrite   = 5 * time.Second
	longestConfirm = 10 * time.Second // until a node has taken the subscriptions that must be
	steady         = 10 * time.Second // a connection that has lived for so long was a good one
	firstRest      = 100 * time.Millisecond
	// muteFor is how long a subscription to the clock may be silent while the chain goes on: the node has forgotten it.
	muteFor = 30 * time.Second
)

// source is a node that is subscribed to.
type source struct {
	observer *Observer
	url      string
	name     string // host, and a number when others have it too
	hide     *strings.Replacer
	wake     chan struct{} // what is watched has changed

	up       atomic.Bool
	slot     atomic.Uint64 // newest of the clock
	messages atomic.Uint64
	garbage  atomic.Uint64 // messages that cannot be read
	stray    atomic.Uint64 // of subscriptions that this client did not make
	refused  atomic.Uint64 // subscriptions
	connects atomic.Uint64
	failures atomic.Uint64
	reason   atomic.Pointer[string] // of the last failure
}

func newSource(o *Observer, address string) (*source, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address is no URL")
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return nil, fmt.Errorf("the address begins with ws:// or wss:// and has a host (host %q)", u.Host)
	}
	var hide []string
	for _, secret := range []string{u.RequestURI(), u.EscapedPath(), u.RawQuery, credentials(u)} {
		if len(secret) > 1 {
			hide = append(hide, secret, "…")
		}
	}
	return &source{observer: o, url: address, name: u.Host, hide: strings.NewReplacer(hide...), wake: make(chan struct{}, 1)}, nil
}

// credentials are a user and a password, as they stand in an address.
func credentials(u *url.URL) string {
	if u.User == nil {
		return ""
	}
	return u.User.String()
}

// errorText is an error's text, with the host as the only part of the address.
func (s *source) errorText(err error) string {
	if about, ok := errors.AsType[*url.Error](err); ok {
		err = about.Err
	}
	return s.hide.Replace(err.Error())
}

// keepConnected connects again and again until ctx ends.
func (s *source) keepConnected(ctx context.Context) {
	failures := 0
	for {
		began := time.Now()
		err := s.session(ctx)
		s.up.Store(false)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= steady {
			failures = 0
		}
		why := s.errorText(err)
		s.reason.Store(&why)
		s.failures.Add(1)
		rest := reconnectAfter(failures)
		failures++
		s.observer.config.Logger.Warn("the subscriptions to a node have ended", "endpoint", s.name, "error", why, "again_in", rest)
		pause(ctx, rest, nil)
		if ctx.Err() != nil {
			return
		}
	}
}

// reconnectAfter is how long to wait after so many failures in a row: 100 ms doubled, 30 s at most, half of it by chance.
func reconnectAfter(failures int) time.Duration {
	d := min(firstRest<<min(failures, 12), longestRest)
	return d/2 + time.Duration(rand.Int64N(int64(d/2)))
}

// session is one connection, from its beginning to its end. The error is never nil.
func (s *source) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	within, done := context.WithTimeout(ctx, longestDial)
	conn, response, err := websocket.Dial(within, s.url, &websocket.DialOptions{HTTPClient: s.observer.config.Client}) //nolint:bodyclose // there is none to close: see Dial
	done()
	if err != nil {
		if response != nil && response.StatusCode != http.StatusSwitchingProtocols {
			return fmt.Errorf("it answered HTTP %d", response.StatusCode)
		}
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // the connection is over whatever it returns
	conn.SetReadLimit(largestMessage)
	s.connects.Add(1)
	l := &line{source: s, write: func(r request) error { return writeRequest(ctx, conn, r) }, pending: make(map[uint64]wish), subscribed: make(map[uint64]wish), known: make(map[wish]uint64)}
	if err := l.begin(); err != nil {
		return err
	}
	heard, ended, alive := make(chan []byte), make(chan error, 1), make(chan error, 1)
	var both sync.WaitGroup
	both.Go(func() { ended <- listen(ctx, conn, heard) })
	both.Go(func() { alive <- s.keepAlive(ctx, conn) }) // not by who reads, for that one finds the answers
	err = l.attend(ctx, heard, ended, alive)
	cancel()
	_ = conn.CloseNow()
	both.Wait()
	return err
}

// listen reads messages until there are no more; it returns why.
func listen(ctx context.Context, conn *websocket.Conn, heard chan<- []byte) error {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		select {
		case heard <- data:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// writeRequest writes a request.
func writeRequest(ctx context.Context, conn *websocket.Conn, r request) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, longestWrite)
	defer cancel()
	return conn.Write(within, websocket.MessageText, body)
}

// keepAlive asks the node for a sign of life again and again, and returns when there is none.
func (s *source) keepAlive(ctx context.Context, conn *websocket.Conn) error {
	every := s.observer.config.Keepalive
	for {
		pause(ctx, every, nil)
		within, cancel := context.WithTimeout(ctx, every/2)
		err := conn.Ping(within)
		cancel()
		if err != nil {
			return fmt.Errorf("there is no sign of life: %w", err)
		}
	}
}
