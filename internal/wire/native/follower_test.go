package native

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// TestFollower: lines come to the server that follows, as they are written, until the
// attempt has ended.
func TestFollower(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, other, mine := newShelf(), newDesk("other"), newDesk("mine")
		asked := 0
		count := roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			return served(other.handler()).RoundTrip(r)
		})
		f, stop := followingOf(t, s, towers{"a": count, "b": served(mine.handler())}, "http://gone", "http://a", "http://b")
		defer stop()
		mine.ask(t, f, 7, time.Minute)
		time.Sleep(time.Second)
		s.write(7, "one", "two")
		mine.ask(t, f, 8, time.Minute) // of which there is no log
		time.Sleep(time.Second)
		if got := mine.text(7); got != "one\ntwo\n" {
			t.Errorf("after the first lines: %q", got)
		}
		was := asked
		s.write(7, "three")
		time.Sleep(gatherFor + time.Millisecond)
		if got := mine.text(7); got != s.whole(7) || asked != was {
			t.Errorf("after more: %q; the other server was asked %d times more", got, asked-was)
		}
		s.write(7, "last")
		s.end(7)
		time.Sleep(bringEvery)
		if got := mine.text(7); got != s.whole(7) || f.followed() != 1 {
			t.Errorf("at the end: %q; %d are followed", got, f.followed())
		}
		if _, over := mine.over(7); !over {
			t.Error("the server was not told of the end")
		}
		time.Sleep(2 * time.Minute)
		if f.followed() != 0 {
			t.Error("the time is over, and it is followed")
		}
		if got := other.text(7); got != "" {
			t.Errorf("the server that does not follow got %q", got)
		}
	})
}

// TestFollowsOfTwoServers: each has its own, and one that stops wanting it gets no more.
func TestFollowsOfTwoServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, a, b := newShelf(), newDesk("a"), newDesk("b")
		f, stop := followingOf(t, s, towers{"a": served(a.handler()), "b": served(b.handler())}, "http://a", "http://b")
		defer stop()
		s.write(7, "one")
		a.ask(t, f, 7, time.Minute)
		b.ask(t, f, 7, time.Minute)
		// No server has asked for this one, whatever the follower assumes.
		_ = f.Follow(Follow{Server: "a", Address: pushed, Attempt: 8, For: time.Minute})
		_ = f.Follow(Follow{Server: "a", Address: "http://10.0.0.8:9999/", Attempt: 7, For: time.Minute})
		s.write(8, "a secret of another group")
		time.Sleep(time.Second)
		// Whether a had its line before the second wish took the place of the first is
		// a matter of order.
		if early := a.text(7); early != "" && early != "one\n" || b.text(7) != "one\n" || a.text(8) != "" {
			t.Errorf("a has %q and %q, b has %q", a.text(7), a.text(8), b.text(7))
		}
		if f.followed() != 1 {
			t.Errorf("%d are followed, want the one of b", f.followed())
		}
	})
}

// TestFollowsAreBounded: no more than so many, of which those whose time is over make
// room; no more servers than so many; and a log that cannot be read is none.
func TestFollowsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		f := NewFollower(FollowerConfig{Lines: s, Attempts: s})
		for i := range int64(maxFollows) {
			if err := f.Follow(Follow{Server: "a", Address: pushed, Attempt: i + 1000, For: time.Minute}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Follow(Follow{Server: "a", Address: pushed, Attempt: 1000, For: time.Minute}); err != nil {
			t.Errorf("the same once more: %v", err)
		}
		if err := f.Follow(Follow{Server: "a", Address: pushed, Attempt: 1, For: time.Minute}); !job.Is(err, job.Full) {
			t.Errorf("one too many: %v", err)
		}
		time.Sleep(2 * time.Minute)
		for i := range int64(maxFollowers) {
			err := f.Follow(Follow{Server: fmt.Sprint("s", i), Address: pushed, Attempt: 99, For: time.Minute})
			if full := i == maxFollowers-1; full != job.Is(err, job.Full) || !full && err != nil { // a is one of them
				t.Errorf("server %d: %v", i, err)
			}
		}
		if f.followed() != maxFollowers-1 {
			t.Errorf("%d are followed", f.followed())
		}
		s.write(99, "x")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		time.Sleep(time.Second)
		f.mu.Lock()
		if f.count+len(f.lanes)+len(f.attempts) != 0 {
			t.Errorf("a log that cannot be read is followed: %d by %d servers", f.count, len(f.lanes))
		}
		f.mu.Unlock()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestChunksAreBounded: no request has more than it may, nothing is left out, and
// everyone has a turn.
func TestChunksAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d := newShelf(), newDesk("d")
		way := roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.ContentLength > message.MaxBody {
				t.Errorf("a request of %d bytes", r.ContentLength)
			}
			return served(d.handler()).RoundTrip(r)
		})
		f, stop := followingOf(t, s, way, "http://d")
		defer stop()
		for attempt := int64(1); attempt <= 80; attempt++ {
			for i := range 3 {
				s.write(attempt, strings.Repeat("\x01", 20<<10)+fmt.Sprint(i))
			}
			d.ask(t, f, attempt, time.Minute)
		}
		s.write(1, strings.Repeat("é", message.MaxChunk), "behind")
		if err := f.Follow(Follow{Server: "d", Address: pushed, Attempt: 1, From: 1, For: time.Minute}); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second)
		for attempt := int64(2); attempt <= 80; attempt++ {
			if d.text(attempt) != s.whole(attempt) {
				t.Errorf("attempt %d: %d bytes, want %d", attempt, len(d.text(attempt)), len(s.whole(attempt)))
			}
		}
		want := strings.Repeat("é", (message.MaxChunk-2)/2) + "\nbehind\n"
		if got := d.text(1); !strings.HasSuffix(got, "3\n"+want) && !strings.HasSuffix(got, "2\n"+want) {
			t.Errorf("behind a line that is too long: %d bytes", len(got))
		}
	})
}

// TestFirstLines: whole lines as long as they fit, and of one that does not its start.
func TestFirstLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\n": "a\nb\n", "a\nbb\nccc\n": "a\nbb\n", "12345678\n": "1234567\n", "123456é\n": "123456\n", "éééé\n": "ééé\n",
	} {
		if got := firstLines(text, 8); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

// TestFollowsAreNeverWrong: whatever is lost on the way, a server has the end of the
// log as it was, and all of it once the network is well.
func TestFollowsAreNeverWrong(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 7))
			var mu sync.Mutex
			roll := func(n int) int { mu.Lock(); defer mu.Unlock(); return dice.IntN(n) }
			well := false
			s, d := newShelf(), newDesk("d")
			s.page = 1 + roll(5)
			way := roundTrip(func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				fine := well
				mu.Unlock()
				if !fine && roll(3) == 0 {
					return nil, errLost
				}
				answer, err := served(d.handler()).RoundTrip(r)
				if !fine && roll(3) == 0 {
					return nil, errLost
				}
				return answer, err
			})
			f, stop := followingOf(t, s, way, "http://d")
			defer stop()
			for i := range 60 {
				attempt := int64(1 + roll(4))
				s.write(attempt, fmt.Sprintf("line %d", i))
				if roll(4) == 0 {
					d.ask(t, f, attempt, time.Minute)
				}
				time.Sleep(time.Duration(roll(900)) * time.Millisecond)
				if got := d.text(attempt); !strings.Contains(s.whole(attempt), got) {
					t.Fatalf("seed %d: attempt %d has %q of %q", seed, attempt, got, s.whole(attempt))
				}
			}
			mu.Lock()
			well = true
			mu.Unlock()
			time.Sleep(20 * time.Second) // a wish repeated sooner is not passed on
			for attempt := int64(1); attempt <= 4; attempt++ {
				d.ask(t, f, attempt, time.Minute)
			}
			time.Sleep(10 * time.Second)
			for attempt := int64(1); attempt <= 4; attempt++ {
				if got := d.text(attempt); got != s.whole(attempt) {
					t.Errorf("seed %d: attempt %d has %q of %q", seed, attempt, got, s.whole(attempt))
				}
			}
		})
	}
}

// TestMinorVersions plays the following of a log between sides of either minor version:
// their messages are in testdata/versions.txt.
func TestMinorVersions(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for server := range message.Minor + 1 {
		for executor := range message.Minor + 1 {
			fmt.Fprintf(&text, "=== a server of 1.%d and an executor of 1.%d\n", server, executor)
			synctest.Test(t, func(t *testing.T) { transcribe(t, &text, server, executor) })
		}
	}
	path := filepath.Join("testdata", "versions.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// transcribe records the messages of both sides, whose minor versions are so high.
func transcribe(t *testing.T, text *strings.Builder, server, executor int) {
	t.Helper()
	var mu sync.Mutex
	noted := func(who string, h http.Handler) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			body, _ := signing.ReadBody(r)
			again := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
			again.Header = r.Header
			again.RequestURI = r.URL.RequestURI()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, again)
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(text, "%s %s, Orth-Protocol: %s\n    %s\n    → %d, Orth-Protocol: %s\n    %s\n", who, strings.TrimPrefix(r.URL.Path, message.PathPrefix),
				r.Header.Get(message.HeaderProtocol), body, w.Code, w.Header().Get(message.HeaderProtocol), w.Body)
			return w.Result(), nil
		})
	}
	s, d := newShelf(), newDesk("d")
	s.write(17, "one", "two")
	config := ServerConfig{Keys: signing.NewTokens(testToken)}
	if server >= message.MinorLogs {
		config.Chunks, config.Self = d, d.name
	}
	if server >= message.MinorFacts {
		config.Facts = &house{}
	}
	door := NewServerHandler(config)
	door.minor = server
	follower, stop := followingOf(t, s, noted("executor:", door), "http://server")
	defer stop()
	follower.courier.Minor = executor
	handler := newTestHandler(new(worker), func(c *ExecutorConfig) {
		c.Logs, c.Attempts = s, s
		if executor >= message.MinorLogs {
			c.Follows = follower
		}
	})
	handler.minor = executor
	client := NewExecutorClient(ClientConfig{
		Peer: func(string) (string, string) { return testToken, "me" }, Self: "d", Transport: noted("server:", handler),
		Follow: func(t job.Task) bool { return server >= message.MinorTasks && t.AttemptID == 18 },
	})
	defer client.Close()
	client.courier.Minor = server
	a := job.Attempt{ID: 17, TriggeredAt: job.FromMillis(1795227154001)}
	if err := client.Follow(t.Context(), pushed, a, 0, time.Minute); !job.Is(err, job.Conflict) {
		t.Errorf("who has said nothing is asked: %v", err)
	}
	if _, err := client.ReadLog(t.Context(), pushed, 17, a.TriggeredAt, 1); err != nil {
		t.Error(err)
	}
	brings := server >= message.MinorLogs && executor >= message.MinorLogs
	d.want(17, 1, pushed)
	if err := client.Follow(t.Context(), pushed, a, 0, time.Minute); brings != (err == nil) || !brings && !job.Is(err, job.Conflict) {
		t.Errorf("1.%d and 1.%d: %v", server, executor, err)
	}
	time.Sleep(time.Second)
	s.end(17)
	time.Sleep(time.Second)
	pushes := server >= message.MinorTasks && executor >= message.MinorTasks
	d.want(18, 1, pushed)
	if client.Pushes("http://10.0.0.8:9999/") {
		t.Error("an executor without an exchange pushes")
	}
	if err := client.Send(t.Context(), pushed, plainTask(18)); err != nil || client.Pushes(pushed) != pushes {
		t.Errorf("1.%d and 1.%d: %v, and it pushes: %t", server, executor, err, client.Pushes(pushed))
	}
	s.write(18, "three")
	s.end(18)
	time.Sleep(time.Second)
	for attempt, brought := range map[int64]bool{17: brings, 18: pushes} {
		if got := d.text(attempt); brought != (got == s.whole(attempt)) || !brought && got != "" {
			t.Errorf("1.%d and 1.%d: the server has %q of attempt %d", server, executor, got, attempt)
		}
	}
}

// TestPulledFollows: an executor that pulls is asked with its commands, when it announces
// that it can.
func TestPulledFollows(t *testing.T) {
	t.Parallel()
	for _, can := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h, s := newHub(), newShelf()
			d := newDesk("d")
			h.handler = NewServerHandler(ServerConfig{Keys: signing.NewTokens(testToken), Leases: h, Outcomes: h, Mailboxes: h.mailboxes, Chunks: d, Self: "d"})
			h.client.config.Self = "d"
			s.write(7, "one")
			f, stop := followingOf(t, s, h, "http://server")
			defer stop()
			defer h.pulling(t, new(worker), func(c *PullerConfig) {
				c.Handler = newTestHandler(new(worker), func(c *ExecutorConfig) {
					if can {
						c.Follows = f
					}
				})
			})()
			synctest.Wait()
			if _, err := h.client.Busy(t.Context(), testAddress(), 1); err != nil {
				t.Fatal(err)
			}
			d.want(7, 1, testAddress())
			err := h.client.Follow(t.Context(), testAddress(), job.Attempt{ID: 7}, 0, time.Minute)
			time.Sleep(time.Second)
			if can != (err == nil) || !can && !job.Is(err, job.Conflict) || (d.text(7) == "one\n") != can {
				t.Errorf("can %t: %v; the server has %q", can, err, d.text(7))
			}
		})
	}
}
