package xxl

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// network holds requests back. A caller that waits no longer is gone; what it sent
// arrives all the same.
type network struct {
	to       http.Handler
	held     time.Duration
	arriving sync.WaitGroup
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	there := r.Clone(context.WithoutCancel(r.Context()))
	there.Body, there.RequestURI = io.NopCloser(bytes.NewReader(body)), r.URL.RequestURI()
	there.Header = make(http.Header)
	for name, values := range r.Header { // as they are read
		there.Header[http.CanonicalHeaderKey(name)] = values
	}
	w, done, held := httptest.NewRecorder(), make(chan struct{}), n.held
	n.arriving.Go(func() {
		time.Sleep(held)
		n.to.ServeHTTP(w, there)
		close(done)
	})
	select {
	case <-done:
		return w.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestTasksThatTheNetworkHeldBack: between a server and an executor of Orth that have met, a task
// that arrives when the server waits no longer is not accepted, and one that arrives in time is,
// whatever the difference of the clocks is. A clock that was changed costs one task a second try.
func TestTasksThatTheNetworkHeldBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := new(executorRoom)
		net := &network{to: NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room})}
		client := NewExecutorClient(ClientConfig{Token: "tok", Transport: net})
		defer client.Close()
		attempt := int64(0)
		accepts := func(held time.Duration) (accepted bool, err error) {
			room.take()
			net.held = held
			attempt++
			task := sampleTask()
			task.AttemptID, task.RunID = attempt, 9
			err = client.Run(t.Context(), "http://executor/", task)
			net.arriving.Wait()
			return len(room.take()) > 0, err
		}
		if accepted, err := accepts(0); !accepted || err != nil {
			t.Errorf("the first one: accepted %t, %v", accepted, err)
		}
		for _, held := range []time.Duration{4 * time.Second, 20 * time.Second, 10 * time.Minute} {
			if accepted, err := accepts(held); accepted || !job.Is(err, job.Ambiguous) {
				t.Errorf("held back for %s: accepted %t, %v", held, accepted, err)
			}
		}
		for _, off := range []time.Duration{0, -time.Second, time.Second, -time.Hour, time.Hour} {
			if client.clocks.ahead == nil {
				t.Fatal("no clock was learned")
			}
			client.clocks.ahead["http://executor/"] = off
			accepted, err := accepts(time.Second)
			if off.Abs() > time.Minute && !accepted && job.Is(err, job.Full) {
				accepted, err = accepts(time.Second)
			}
			if !accepted || err != nil {
				t.Errorf("by a clock that is off by %s: accepted %t, %v", off, accepted, err)
			}
		}
	})
}

// TestOtherServersAreAnsweredAsEver: the answers to servers that do not send how long they
// wait are unchanged, and their tasks may come late.
func TestOtherServersAreAnsweredAsEver(t *testing.T) {
	t.Parallel()
	room := new(executorRoom)
	h := NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room})
	for name, header := range map[string]http.Header{"nothing": {}, "a time alone": {headerSent: {"1"}}, "nonsense": {headerWithin: {"x"}, headerSent: {"1"}}} {
		r := httptest.NewRequest(http.MethodPost, "/run", bytes.NewReader([]byte(sampleRun)))
		r.Header = header
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.String() != dialect.ExecutorSuccess || (w.Header().Get(headerTime) != "") != (name == "nonsense") {
			t.Errorf("%s: %s, %v", name, w.Body, w.Header())
		}
	}
}

// TestKnows: an executor of Orth is asked for one attempt, one of another make about the job.
func TestKnows(t *testing.T) {
	t.Parallel()
	room := new(executorRoom)
	ours := "http://" + serve(t, NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room}))
	others := "http://" + serve(t, NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: plainRoom{room}, Logs: room}))
	client := newClient(t, "tok", 10*time.Second)
	for _, c := range []struct {
		address           string
		jobID, attempt    int64
		knows, told, busy bool
		kind              job.Kind
	}{
		{ours, 70, 7, true, true, false, ""},
		{ours, 1, 7, true, true, false, ""},
		{ours, 70, 8, false, true, false, ""},
		{ours, 1, 9, false, false, false, job.Full},
		{others, 70, 7, false, false, true, ""},
		{others, 1, 7, false, false, false, ""},
	} {
		knows, told, busy, err := client.Knows(t.Context(), c.address, c.jobID, c.attempt)
		if knows != c.knows || told != c.told || busy != c.busy || job.KindOf(err) != c.kind {
			t.Errorf("attempt %d of job %d: %t, %t, %t, %v", c.attempt, c.jobID, knows, told, busy, err)
		}
	}
}
