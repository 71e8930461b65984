package native

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// shelf is the logs of an executor, and what it knows of their attempts.
type shelf struct {
	mu    sync.Mutex
	lines map[int64][]string // guarded by mu
	ended map[int64]bool     // guarded by mu
	reads int                // guarded by mu: how often it was read
	page  int                // the most lines of a page; 0 for all
	// follower is notified of changes; nil: none.
	follower *Follower
}

func newShelf() *shelf {
	return &shelf{lines: make(map[int64][]string), ended: make(map[int64]bool)}
}

func (s *shelf) write(attempt int64, lines ...string) {
	s.mu.Lock()
	for _, line := range lines {
		s.lines[attempt] = append(s.lines[attempt], line+"\n")
	}
	s.mu.Unlock()
	if s.follower != nil {
		s.follower.Changed(attempt)
	}
}

func (s *shelf) end(attempt int64) {
	s.endSilently(attempt)
	if s.follower != nil {
		s.follower.Ended(attempt, false)
	}
}

// endSilently is an end without a notice to the follower.
func (s *shelf) endSilently(attempt int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[attempt] = true
}

func (s *shelf) whole(attempt int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines[attempt], "")
}

func (s *shelf) readings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func (s *shelf) Read(attempt int64, at time.Time, from int) (job.LogPage, error) {
	page, _, err := s.ReadOn(attempt, at, from)
	if job.Is(err, job.NotFound) {
		return job.LogPage{From: from, Text: "there is none", End: true}, nil
	}
	return page, err
}

func (s *shelf) ReadOn(attempt int64, _ time.Time, from int) (page job.LogPage, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	lines := s.lines[attempt]
	switch {
	case attempt == 99:
		return job.LogPage{}, false, errors.New("the disk is broken")
	case lines == nil:
		return job.LogPage{}, false, job.Errorf(job.NotFound, "there is none")
	case from > len(lines):
		return job.LogPage{From: from}, false, nil
	}
	to := len(lines)
	if s.page > 0 {
		to = min(to, from-1+s.page)
	}
	return job.LogPage{From: from, To: to, Text: strings.Join(lines[from-1:to], "")}, to < len(lines), nil
}

func (s *shelf) Tail(attempt int64, _ time.Time, n int) (job.LogPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines[attempt]
	if lines == nil {
		return job.LogPage{}, job.Errorf(job.NotFound, "there is none")
	}
	from := max(len(lines)-n, 0) + 1
	return job.LogPage{From: from, To: len(lines), Text: strings.Join(lines[from-1:], "")}, nil
}

func (s *shelf) Standings(_ context.Context, attempts []int64) ([]Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Standing, len(attempts))
	for i, attempt := range attempts {
		all[i] = Running
		if s.ended[attempt] {
			all[i] = Ended
		}
	}
	return all, nil
}

// desk is a server that follows.
type desk struct {
	name string

	mu   sync.Mutex
	logs map[int64]*followedLog // guarded by mu; by attempt
}

// followedLog is what a desk has of a log.
type followedLog struct {
	group   int64
	address string
	first   int // the number of the first line
	lines   []string
	ended   bool
	endedAt time.Time
}

func newDesk(name string) *desk { return &desk{name: name, logs: make(map[int64]*followedLog)} }

// want lets lines of an attempt be taken from an executor, and returns the line that
// is not there yet; 0 when none is.
func (d *desk) want(attempt, group int64, address string) (from int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.logs[attempt]
	if one == nil {
		one = &followedLog{group: group, address: address}
		d.logs[attempt] = one
	}
	if len(one.lines) == 0 {
		return 0
	}
	return one.first + len(one.lines)
}

// Put keeps the lines that are new; those that leave some out start over.
func (d *desk) Put(caller job.Caller, address string, attempt int64, page job.LogPage) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.logs[attempt]
	if one == nil || one.address != address || one.ended || !caller.Owns(one.group) || caller.Admitted(one.group) != nil {
		return false
	}
	lines := strings.SplitAfter(page.Text, "\n")
	lines = lines[:len(lines)-1]
	have := one.first + len(one.lines)
	switch {
	case len(lines) == 0:
	case len(one.lines) == 0 || page.From > have || page.From < one.first:
		one.first, one.lines = page.From, lines
	case page.From+len(lines) > have:
		one.lines = append(one.lines, lines[have-page.From:]...)
	}
	if page.End {
		one.ended, one.endedAt = true, time.Now()
	}
	return !one.ended
}

func (d *desk) handler() http.Handler {
	return NewServerHandler(ServerConfig{Keys: signing.NewTokens(testToken), Chunks: d, Self: d.name})
}

// ask follows the attempt at the desk, and asks f for it.
func (d *desk) ask(t *testing.T, f *Follower, attempt int64, wait time.Duration) {
	t.Helper()
	from := d.want(attempt, 1, pushed)
	if err := f.Follow(Follow{Server: d.name, Address: pushed, Attempt: attempt, From: from, For: wait}); err != nil {
		t.Error(err)
	}
}

// text is what the desk has of an attempt.
func (d *desk) text(attempt int64) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.logs[attempt]; one != nil {
		return strings.Join(one.lines, "")
	}
	return ""
}

// over reports whether the desk knows that no more comes, and since when.
func (d *desk) over(attempt int64) (at time.Time, over bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.logs[attempt]
	return one.endedAt, one.ended
}

const pushed = "http://10.0.0.7:9999/"

// served carries requests to a handler without a network.
func served(h http.Handler) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r.RequestURI = r.URL.RequestURI()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result(), nil
	})
}

// followingOf runs a follower of s, until the returned function is called.
func followingOf(t *testing.T, s *shelf, way http.RoundTripper, servers ...string) (f *Follower, stop func()) {
	t.Helper()
	f = NewFollower(FollowerConfig{Servers: servers, Token: testToken, Lines: s, Attempts: s, Transport: way})
	s.follower = f
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	return f, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	}
}

func (f *Follower) followed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
