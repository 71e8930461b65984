package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

const (
	// ingested is the outcomes that are sent, beside those that are sent twice.
	ingested = 50_000
	// perPost is how many go with a POST, and posters how many post at once.
	perPost = 50
	posters = 8
	// again is one of how many outcomes is sent a second time.
	again = 10
)

// callbacks measures how fast a server records outcomes: an executor takes the
// tasks of many jobs, and tells of their ends when it has all of them.
func callbacks(ctx context.Context, o options) ([]figure, error) {
	r, err := newRig(o, "callbacks")
	if err != nil {
		return nil, err
	}
	defer r.end()
	at := time.Now().Add(10 * time.Second).Truncate(time.Second)
	if err := r.fill(ctx, stock{group: group, jobs: ingested, first: at, every: 24 * time.Hour, missed: time.Hour}); err != nil {
		return nil, err
	}
	if err := r.startServer(ctx); err != nil {
		return nil, err
	}
	taken := &taker{}
	admin, err := xxl.NewAdminClient(xxl.AdminClientConfig{Addresses: []string{"http://" + r.o.Server}, Token: token, Timeout: 20 * time.Second})
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	closeTaker, err := taken.open(ctx, admin)
	if err != nil {
		return nil, err
	}
	defer closeTaker()
	for deadline := at.Add(2 * time.Minute); taken.size() < ingested; {
		if time.Now().After(deadline) {
			return nil, errors.New("the server did not send all tasks within two minutes")
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
	if err := wait(ctx, time.Second); err != nil { // their acceptances are written
		return nil, err
	}
	return post(ctx, r, admin, taken.outcomes())
}

// post sends the outcomes and says how fast they were recorded.
func post(ctx context.Context, r *rig, admin *xxl.AdminClient, outcomes []job.Outcome) ([]figure, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	r.profile()
	cpu, from := r.server.cpu(), time.Now()
	var posting sync.WaitGroup
	for range posters {
		posting.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(perPost)) - perPost
				if i >= len(outcomes) {
					return
				}
				if err := admin.SendOutcomes(ctx, outcomes[i:min(i+perPost, len(outcomes))]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	posting.Wait()
	took := time.Since(from)
	cpu = r.server.cpu() - cpu
	if err := r.profiled(); err != nil {
		return nil, err
	}
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	db, err := r.database()
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	recorded, err := db.number(ctx, "SELECT count(*) FROM runs WHERE state = 'succeeded'")
	return []figure{
		plain("recorded", float64(recorded)/took.Seconds(), rate),
		plain("server CPU per outcome", float64(cpu.Microseconds())/ingested, micros),
		atMost("lost", float64(ingested-recorded), count, 0),
	}, err
}

// taker is an executor that takes tasks and keeps only what it needs to tell of
// their ends.
type taker struct {
	mu    sync.Mutex
	tasks []job.Task // guarded by mu
}

// open listens and registers; the function returned closes the listener.
func (t *taker) open(ctx context.Context, admin *xxl.AdminClient) (func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           xxl.NewExecutorHandler(xxl.ExecutorConfig{Token: token, Tasks: t, Logs: t}),
		ReadHeaderTimeout: 5 * time.Second,
	}
	go func() { _ = server.Serve(l) }()
	return func() { _ = server.Close() }, admin.Register(ctx, group, "http://"+l.Addr().String()+"/")
}

// Accept implements xxl.Tasks.
func (t *taker) Accept(_ context.Context, task job.Task) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks = append(t.tasks, job.Task{AttemptID: task.AttemptID, TriggeredAt: task.TriggeredAt})
	return nil
}

// Busy implements xxl.Tasks.
func (t *taker) Busy(int64) bool { return true }

// Kill implements xxl.Tasks.
func (t *taker) Kill(context.Context, int64, string) bool { return false }

// Read implements xxl.Logs.
func (t *taker) Read(_ int64, _ time.Time, from int) (job.LogPage, error) {
	return job.LogPage{From: from, To: 1, Text: "taken\n"}, nil
}

func (t *taker) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.tasks)
}

// outcomes are the ends of all tasks, some of them twice: soon after the first
// time, as an executor does whose answer was lost.
func (t *taker) outcomes() []job.Outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.tasks, func(a, b job.Task) int { return int(a.AttemptID - b.AttemptID) })
	out := make([]job.Outcome, 0, len(t.tasks)*(again+1)/again)
	for i, task := range t.tasks {
		out = append(out, job.Outcome{
			AttemptID: task.AttemptID, TriggeredAt: task.TriggeredAt, State: job.Succeeded, EndedAt: time.Now(),
		})
		if i%again == again-1 {
			out = append(out, out[len(out)-again/2])
		}
	}
	return out
}
