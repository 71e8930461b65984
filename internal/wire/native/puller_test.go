package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

const testInstance = "0123456789abcdef01234567"

// hub is a server, and the way to it, without a network.
type hub struct {
	handler   http.Handler
	mailboxes *mailbox.Mailboxes
	client    *ExecutorClient
	requests  atomic.Int64
	// fate decides about each request: lose it before it arrives, lose its answer,
	// or neither. Defaults to neither.
	fate func(name string) (before, after bool)

	mu       sync.Mutex
	beats    []job.Beat    // guarded by mu
	gone     []string      // guarded by mu
	outcomes []job.Outcome // guarded by mu
	refuse   error         // guarded by mu
}

func newHub() *hub {
	h := &hub{mailboxes: mailbox.New(mailbox.Config{})}
	h.handler = NewServerHandler(ServerConfig{
		Keys: signing.NewTokens(testToken), Leases: h, Outcomes: h, Mailboxes: h.mailboxes,
	})
	h.client = NewExecutorClient(ClientConfig{
		Peer: func(string) (string, string) { return testToken, "" }, Mailboxes: h.mailboxes,
	})
	return h
}

var errLost = errors.New("the network lost it")

// RoundTrip carries a request to the server.
func (h *hub) RoundTrip(r *http.Request) (*http.Response, error) {
	h.requests.Add(1)
	before, after := false, false
	name := strings.TrimPrefix(r.URL.Path, message.PathPrefix)
	if h.fate != nil {
		before, after = h.fate(name)
	}
	if before {
		return nil, errLost
	}
	r.RequestURI = r.URL.RequestURI()
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if after {
		return nil, errLost
	}
	return w.Result(), nil
}

func (h *hub) Register(_ context.Context, b job.Beat) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beats = append(h.beats, b)
	return h.refuse
}

func (h *hub) Deregister(_ context.Context, group, address string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = append(h.gone, group+" "+address)
	return h.refuse
}

func (h *hub) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse == nil {
		h.outcomes = append(h.outcomes, outcomes...)
	}
	return h.refuse
}

// pulling runs a puller of w against the hub, until the returned function is called.
func (h *hub) pulling(t *testing.T, w *worker, change func(*PullerConfig)) (stop func()) {
	t.Helper()
	c := PullerConfig{
		Server: "http://server", Token: testToken, Transport: h, Group: "g", Instance: testInstance, Incarnation: "me",
		Handler: newTestHandler(w, nil), Room: func() int { return 256 },
	}
	if change != nil {
		change(&c)
	}
	p, err := NewPuller(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	return sync.OnceFunc(func() {
		end()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
}

// send sends tasks at the same time, and returns what became of each.
func (h *hub) send(attempts ...int64) map[int64]error {
	var mu sync.Mutex
	results := make(map[int64]error)
	var sends sync.WaitGroup
	for _, attempt := range attempts {
		sends.Go(func() {
			err := h.client.Send(context.Background(), testAddress(), job.Task{
				AttemptID: attempt, JobID: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}, Overlap: job.OverlapSerial,
			})
			mu.Lock()
			defer mu.Unlock()
			results[attempt] = err
		})
	}
	sends.Wait()
	return results
}

func testAddress() string { return message.PullAddress("g", testInstance) }

func TestPuller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		if err := h.send(100)[100]; !job.Is(err, job.Unreachable) {
			t.Errorf("sent to nobody: %v", err)
		}
		defer h.pulling(t, w, nil)()
		synctest.Wait()
		if err := h.client.Beat(t.Context(), testAddress()); err != nil {
			t.Error(err)
		}
		var many []int64
		for i := range 300 {
			many = append(many, int64(100+i))
		}
		for attempt, err := range h.send(many...) {
			if err != nil {
				t.Errorf("attempt %d: %v", attempt, err)
			}
		}
		if len(w.took) != len(many) {
			t.Errorf("%d tasks came, want %d", len(w.took), len(many))
		}
		if err := h.send(3)[3]; !job.Is(err, job.Refused) || errors.Is(err, job.ErrDiscarded) {
			t.Errorf("refused: %v", err)
		}
		if err := h.send(4)[4]; !errors.Is(err, job.ErrDiscarded) {
			t.Errorf("discarded: %v", err)
		}
		if busy, err := h.client.Busy(t.Context(), testAddress(), 1); !busy || err != nil {
			t.Errorf("busy: %v, %v", busy, err)
		}
		if err := h.client.Cancel(t.Context(), testAddress(), 1, "enough"); err != nil {
			t.Errorf("cancel: %v", err)
		}
		if holds, err := h.client.Holds(t.Context(), testAddress(), 5, time.Time{}); !holds || err != nil {
			t.Errorf("holds: %v, %v", holds, err)
		}
		if page, err := h.client.ReadLog(t.Context(), testAddress(), 5, time.Time{}, 2); err != nil || page.Text != "of 5 at 0\n" {
			t.Errorf("log: %+v, %v", page, err)
		}
		if draining, err := h.client.Drain(t.Context(), testAddress(), true); !draining || err != nil {
			t.Errorf("drain: %v, %v", draining, err)
		}
	})
}

// TestPullerHasNoRoom: an executor without room is given no tasks, but may be asked;
// when it has room again it hears of tasks soon.
func TestPullerHasNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		var room atomic.Int64
		defer h.pulling(t, w, func(c *PullerConfig) { c.Room = func() int { return int(room.Load()) } })()
		synctest.Wait()
		if err := h.send(100)[100]; err == nil || job.Is(err, job.Ambiguous) || len(w.took) != 0 {
			t.Errorf("without room: %v, %d tasks came", err, len(w.took))
		}
		if busy, err := h.client.Busy(t.Context(), testAddress(), 1); !busy || err != nil {
			t.Errorf("busy: %v, %v", busy, err)
		}
		time.Sleep(time.Minute)
		if n := h.requests.Load(); n > 100 {
			t.Errorf("%d requests in a minute without anything to do", n)
		}
		room.Store(1)
		time.Sleep(fullWait)
		if err := h.send(100)[100]; err != nil || len(w.took) != 1 {
			t.Errorf("with room: %v, %d tasks came", err, len(w.took))
		}
	})
}

// TestTasksBeginOnTimeWhenThePullIsLate: what a task waits for a pull does not come on top of
// what it waits for its instant.
func TestTasksBeginOnTimeWhenThePullIsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		var room atomic.Int64
		defer h.pulling(t, w, func(c *PullerConfig) { c.Room = func() int { return int(room.Load()) } })()
		synctest.Wait()
		at := time.Now().Add(job.MaxHold)
		time.AfterFunc(500*time.Millisecond, func() { room.Store(1) })
		err := h.client.Send(t.Context(), testAddress(), job.Task{
			AttemptID: 100, JobID: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}, Overlap: job.OverlapSerial, StartAt: at,
		})
		if err != nil || len(w.took) != 1 || !w.took[0].StartAt.Equal(at) {
			t.Errorf("%v after %s: %+v, want it to begin at %s", err, job.MaxHold-time.Until(at), w.took, at)
		}
	})
}

// TestPullerOutlivesItsServer: while the server is away little is asked, and when it
// is back it is found within seconds.
func TestPullerOutlivesItsServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		var away atomic.Bool
		h.fate = func(string) (bool, bool) { return away.Load(), false }
		away.Store(true)
		defer h.pulling(t, w, nil)()
		time.Sleep(time.Hour)
		if n := h.requests.Load(); n < 500 || n > 800 {
			t.Errorf("%d requests in an hour without a server", n)
		}
		away.Store(false)
		time.Sleep(2 * maxPause)
		if err := h.send(100)[100]; err != nil {
			t.Error(err)
		}
	})
}

// TestTwins: two executors with one instance take turns, and do not spin.
func TestTwins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		defer h.pulling(t, w, nil)()
		defer h.pulling(t, w, nil)()
		time.Sleep(time.Minute)
		if n := h.requests.Load(); n > 600 {
			t.Errorf("%d requests in a minute", n)
		}
	})
}

// TestPullerStopsInOrder: what was fetched before the stop is answered.
func TestPullerStopsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), &worker{waiting: make(chan struct{})}
		stop := h.pulling(t, w, nil)
		synctest.Wait()
		result := make(chan error, 1)
		go func() { result <- h.send(9000)[9000] }()
		synctest.Wait()
		time.AfterFunc(time.Second, func() { close(w.waiting) })
		stop()
		if err := <-result; err != nil {
			t.Errorf("the task that was under way: %v", err)
		}
	})
}

// TestPullerStopsInTime: what does not end keeps no executor from stopping.
func TestPullerStopsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), &worker{waiting: make(chan struct{})}
		stop := h.pulling(t, w, nil)
		synctest.Wait()
		go h.send(9000)
		synctest.Wait()
		begun := time.Now()
		stop()
		if took := time.Since(begun); took > 6*time.Second {
			t.Errorf("it took %s", took)
		}
		time.Sleep(time.Minute)
	})
}

// TestPullerOnABadNetwork: whatever is lost, no task runs twice, one that is reported as
// accepted was, and one that is reported as not sent was not.
func TestPullerOnABadNetwork(t *testing.T) {
	t.Parallel()
	var sent, arrived atomic.Int64
	t.Cleanup(func() { // nine of ten do
		if arrived.Load() < sent.Load()*2/3 {
			t.Errorf("%d of %d arrived", arrived.Load(), sent.Load())
		}
	})
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, w := newHub(), new(worker)
				dice := rand.New(rand.NewPCG(seed, 1))
				var mu sync.Mutex
				h.fate = func(string) (bool, bool) {
					mu.Lock()
					defer mu.Unlock()
					return dice.IntN(5) == 0, dice.IntN(5) == 0
				}
				defer h.pulling(t, w, nil)()
				synctest.Wait()
				results := make(map[int64]error)
				for round := range int64(30) {
					maps.Copy(results, h.send(100+10*round, 101+10*round, 102+10*round))
					time.Sleep(100 * time.Millisecond)
				}
				taken := make(map[int64]int)
				w.mu.Lock()
				for _, task := range w.took {
					taken[task.AttemptID]++
				}
				w.mu.Unlock()
				good := 0
				for attempt, err := range results {
					switch n := taken[attempt]; {
					case n > 1:
						t.Errorf("attempt %d was taken %d times", attempt, n)
					case err == nil && n == 0:
						t.Errorf("attempt %d is said to be accepted and was not", attempt)
					case job.Is(err, job.Unreachable) && n > 0:
						t.Errorf("attempt %d is said not to have left and was accepted", attempt)
					case err == nil:
						good++
					}
				}
				sent.Add(int64(len(results)))
				arrived.Add(int64(good))
			})
		})
	}
}

func TestNewPullerRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []PullerConfig{
		{Server: "nowhere", Group: "g", Instance: testInstance},
		{Server: "http://h", Group: "g", Instance: "short"},
		{Server: "http://h", Instance: testInstance},
	} {
		if _, err := NewPuller(c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
