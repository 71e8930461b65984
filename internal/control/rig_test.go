package control

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a running store with two queues.
type rig struct {
	t      *testing.T
	store  *queue.Store
	queues map[string]*queue.Queue
	direct *Queues

	mu       sync.Mutex
	redriven []string // "queue [keys]"
}

func newRig(t *testing.T, backend queue.Disk, c Config) *rig {
	t.Helper()
	store, err := queue.Open(backend, queue.Config{})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	lifecycletest.Start(t, store.Run)
	r := &rig{t: t, store: store, queues: map[string]*queue.Queue{
		"tasks":  store.Queue("tasks", queue.QueueConfig{Capacity: 200}),
		"outbox": store.Queue("outbox", queue.QueueConfig{}),
	}}
	c.Store, c.Queues = store, r.queues
	c.Redriven = func(queue string, keys []int64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.redriven = append(r.redriven, fmt.Sprint(queue, " ", keys))
	}
	r.direct, err = NewQueues(c)
	must(t, err)
	return r
}

// serve serves the operations on a folder's socket and returns a client.
func serve(t *testing.T, dir string, o Operations) *Client {
	t.Helper()
	listener, err := Listen(dir)
	must(t, err)
	lifecycletest.Start(t, lifecycle.Serve(NewServer(o, nil), listener, time.Second))
	client, err := Dial(t.Context(), dir)
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

// eachWay runs a test on every kind of folder, in the process and over the socket.
func eachWay(t *testing.T, c Config, test func(r *rig, o Operations)) {
	t.Helper()
	for _, backend := range []struct {
		name string
		open func(t *testing.T) queue.Disk
	}{
		{"mem", func(*testing.T) queue.Disk { return mem.New() }},
		{"folder", func(t *testing.T) queue.Disk {
			t.Helper()
			return queue.Folder(filepath.Join(t.TempDir(), "queue"))
		}},
	} {
		t.Run(backend.name+"/direct", func(t *testing.T) {
			t.Parallel()
			r := newRig(t, backend.open(t), c)
			test(r, r.direct)
		})
		t.Run(backend.name+"/socket", func(t *testing.T) {
			t.Parallel()
			r := newRig(t, backend.open(t), c)
			test(r, serve(t, shortDir(t), r.direct))
		})
	}
}

// shortDir returns a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c") //nolint:usetesting // The path of T.TempDir has the test's name and may be too long.
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

var (
	added = time.Date(2030, 1, 31, 1, 30, 0, 0, time.UTC)
	due   = added.Add(time.Hour)
)

// push adds items to a place, with bodies that name their keys.
func (r *rig) push(name string, place queue.Place, keys ...int64) {
	r.t.Helper()
	for _, key := range keys {
		r.pushBody(name, place, key, fmt.Appendf(nil, `{"name":"job-%d"}`, key))
	}
}

func (r *rig) pushBody(name string, place queue.Place, key int64, body []byte) {
	r.t.Helper()
	q := r.queues[name]
	must(r.t, r.store.Update(r.t.Context(), func(tx *queue.Tx) error {
		it := queue.Item{Key: key, Due: due, AddedAt: added, Body: body}
		if place == queue.Scheduled {
			return q.Push(tx, it)
		}
		if err := q.PushStarted(tx, it); err != nil || place == queue.Processing {
			return err
		}
		if place == queue.Dead {
			return q.Bury(tx, key, fmt.Sprintf("reason %d", key))
		}
		return q.Ack(tx, key, added)
	}))
}

// keys returns the keys in a place.
func keys(t *testing.T, o Operations, name string, place queue.Place) []int64 {
	t.Helper()
	found := []int64{}
	for query := (Query{Queue: name, Place: place, Limit: MaxLimit}); ; {
		page, err := o.List(t.Context(), query)
		must(t, err)
		for _, it := range page.Items {
			found = append(found, int64(it.Key))
		}
		if page.Next == 0 {
			return found
		}
		query.After = page.Next
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantKind checks an error's kind and that it says what to do or what is
// allowed.
func wantKind(t *testing.T, err error, kind job.Kind) {
	t.Helper()
	if job.KindOf(err) != kind {
		t.Fatalf("got the error %q of kind %q, want %q", err, job.KindOf(err), kind)
	}
}
