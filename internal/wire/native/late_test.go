package native

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// network holds requests and answers back. A caller that waits no longer is gone; what
// it sent arrives all the same.
type network struct {
	to       http.Handler
	arriving sync.WaitGroup

	mu              sync.Mutex
	requests        int           // guarded by mu
	request, answer time.Duration // guarded by mu: for how long each is held back
}

func (n *network) hold(request, answer time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.request, n.answer = request, answer
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.requests++
	request, answer := n.request, n.answer
	n.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	there := r.Clone(context.WithoutCancel(r.Context()))
	there.Body, there.RequestURI = io.NopCloser(bytes.NewReader(body)), r.URL.RequestURI()
	w := httptest.NewRecorder()
	done := make(chan struct{})
	n.arriving.Go(func() {
		time.Sleep(request)
		n.to.ServeHTTP(w, there)
		time.Sleep(answer)
		close(done)
	})
	select {
	case <-done:
		return w.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestTasksThatTheNetworkHeldBack: a task that arrives when its server waits no longer is not
// taken, and one that arrives in time is, whatever the difference of the clocks is: an answer
// corrects it.
func TestTasksThatTheNetworkHeldBack(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-50 * time.Second, -5 * time.Second, -time.Second, 0, time.Second, 5 * time.Second, 50 * time.Second, -time.Hour, time.Hour} {
		t.Run(fmt.Sprint("the server's clock is off by ", off), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := new(worker)
				net := &network{to: newTestHandler(w, nil)}
				client := NewExecutorClient(ClientConfig{
					Peer: func(string) (string, string) { return testToken, "me" }, Transport: net,
				})
				defer client.Close()
				client.courier.SetClock("http://executor", off)
				time.Sleep(10 * time.Minute) // the executor has been up for a while
				send := func(attempt int64) error {
					defer net.arriving.Wait()
					return client.Send(t.Context(), "http://executor", plainTask(attempt))
				}
				if err := send(100); err != nil { // which corrects what is off by much
					t.Errorf("the first one: %v", err)
				}
				attempt := int64(100)
				for _, held := range []time.Duration{5001 * time.Millisecond, 6 * time.Second, 20 * time.Second, 59 * time.Second, 10 * time.Minute} {
					net.hold(held, 0)
					attempt++
					if err := send(attempt); !job.Is(err, job.Ambiguous) {
						t.Errorf("held back for %s: %v", held, err)
					}
				}
				if len(w.took) != 1 {
					t.Errorf("%d tasks were taken late", len(w.took)-1)
				}
				client.courier.SetClock("http://executor", off)
				net.requests = 0
				for _, held := range []time.Duration{0, 10 * time.Millisecond, time.Second} {
					net.hold(held, held/2)
					attempt++
					if err := send(attempt); err != nil {
						t.Errorf("on its way for %s: %v", held, err)
					}
				}
				if net.requests > 4 {
					t.Errorf("%d requests for three tasks", net.requests)
				}
			})
		})
	}
}

// TestCommandsThatTheNetworkHeldBack: the same for an executor that pulls, without a clock.
func TestCommandsThatTheNetworkHeldBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := newHub(), new(worker)
		net := &network{to: h.handler}
		defer net.arriving.Wait()
		stop := h.pulling(t, w, func(c *PullerConfig) { c.Transport = net })
		defer stop()
		attempt := int64(100)
		for _, held := range []time.Duration{0, 500 * time.Millisecond, 4 * time.Second, 20 * time.Second, time.Second} {
			net.hold(0, held)
			time.Sleep(2 * time.Minute) // pulls begin that are held back so
			attempt++
			before := len(w.took)
			err := h.send(attempt)[attempt]
			time.Sleep(time.Minute)
			if late, took := held > 3*time.Second, len(w.took) > before; took == late || held < time.Second && err != nil {
				t.Errorf("held back for %s: taken %t, %v", held, took, err)
			}
		}
		net.hold(0, 0)
	})
}

// TestLateTasksWithACertificate: without a signature the time of a request counts in the same way.
func TestLateTasksWithACertificate(t *testing.T) {
	t.Parallel()
	w := new(worker)
	h := newTestHandler(w, func(c *ExecutorConfig) { c.Certificates = guests{"billing"} })
	body := message.AppendTasks(nil, message.TasksRequest{Within: 3 * time.Second, Tasks: tasksOf(plainTask(100)).Tasks})
	for age, want := range map[time.Duration]int{4 * time.Second: 503, -5 * time.Second: 503, time.Second: 200} {
		r := chained(time.Now().Add(time.Hour))
		r.RequestURI, r.URL.Path, r.Body = message.PathPrefix+message.NameTasks, message.PathPrefix+message.NameTasks, io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set(message.HeaderTime, strconv.FormatInt(time.Now().Add(-age).UnixMilli(), 10))
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if answer.Code != want || (answer.Header().Get(message.HeaderTime) != "") != (want == 503) {
			t.Errorf("%s old: %d %s, %v", age, answer.Code, answer.Body, answer.Header())
		}
	}
	if len(w.took) != 1 {
		t.Errorf("%d tasks were taken", len(w.took))
	}
	a := certstest.New(t)
	own := a.Pair(t, certstest.Both("billing"))
	url := serveTLS(t, h, a, a)
	client := NewExecutorClient(ClientConfig{
		Peer: func(string) (string, string) { return "", "me" }, TLS: shownBy(a, &own), Timeout: 10 * time.Second,
	})
	t.Cleanup(client.Close)
	client.courier.SetClock(url, -time.Hour)
	if err := client.Send(t.Context(), url, plainTask(101)); err != nil {
		t.Errorf("by a clock that is off: %v", err)
	}
}
