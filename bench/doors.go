package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/http1"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// The doors are the wire alone: what is decoded, checked and answered for each
// request, without a queue or a database behind it. Each has its turn beside a
// handler of net/http that reads the same body and answers as many bytes.

const (
	doorConnections = 16
	doorWindow      = 2 * time.Second
)

// door is a handler and a request for it.
type door struct {
	name, path, body, answer string
	head                     []byte // header lines
	handler                  http.Handler
}

func doors(ctx context.Context, o options) ([]figure, error) {
	behind := new(nobody)
	executor := xxl.NewExecutorHandler(xxl.ExecutorConfig{Token: token, Tasks: behind, Logs: behind})
	admin := xxl.NewAdminHandler(xxl.AdminConfig{Token: token, Leases: behind, Outcomes: behind})
	all, err := listen(ctx, executor, admin)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, d := range all {
		var ours, empty, ratios []float64
		for range max(o.Rounds, 1) {
			a, err := d.rate(ctx, d.handler)
			if err != nil {
				return figures, fmt.Errorf("%s: %w", d.name, err)
			}
			b, err := d.rate(ctx, d.nothing())
			if err != nil {
				return figures, fmt.Errorf("%s: %w", d.name, err)
			}
			ours, empty, ratios = append(ours, a), append(empty, b), append(ratios, 100*a/b)
		}
		figures = append(figures,
			plain(d.name, middle(ours), rate), plain("an empty handler", middle(empty), rate),
			atLeast("of the empty one", middle(ratios), percent, 70))
	}
	return figures, nil
}

// listen has the wire's own clients send one request of each kind, and writes down
// what goes over the wire.
func listen(ctx context.Context, executor, admin http.Handler) ([]door, error) {
	var heard door
	serve := func(h http.Handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			heard = door{path: r.URL.Path, body: string(body), handler: h}
			for name, values := range r.Header {
				if name != "Content-Length" && name != "User-Agent" {
					heard.head = append(heard.head, name+": "+values[0]+"\r\n"...)
				}
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			page := httptest.NewRecorder()
			h.ServeHTTP(page, r)
			heard.answer = page.Body.String()
			_, _ = io.WriteString(w, heard.answer)
		}))
	}
	below, above := serve(executor), serve(admin)
	defer below.Close()
	defer above.Close()
	down := xxl.NewExecutorClient(xxl.ClientConfig{Token: token})
	defer down.Close()
	up, err := xxl.NewAdminClient(xxl.AdminClientConfig{Addresses: []string{above.URL}, Token: token})
	if err != nil {
		return nil, err
	}
	defer up.Close()
	now := time.Now()
	outcomes := make([]job.Outcome, perPost)
	for i := range outcomes {
		outcomes[i] = job.Outcome{AttemptID: int64(9004 + i), TriggeredAt: now, State: job.Succeeded, Message: "done", EndedAt: now}
	}
	var all []door
	for _, send := range []func() (string, error){
		func() (string, error) {
			return "accept of a task", down.Run(ctx, below.URL, job.Task{
				AttemptID: 1, JobID: 5, Handler: job.Handler{Kind: job.HandlerNamed, Name: "ok"}, Param: "run first",
				Overlap: job.OverlapSerial, TriggeredAt: now, ShardTotal: 1,
			})
		},
		func() (string, error) {
			return fmt.Sprintf("callback of %d", perPost), up.SendOutcomes(ctx, outcomes)
		},
		func() (string, error) { return "registration", up.Register(ctx, group, "http://127.0.0.1:21342/") },
	} {
		name, err := send()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		heard.name = name
		all = append(all, heard)
	}
	return all, nil
}

// middle returns the median.
func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// nothing is a handler that does no more than read and answer.
func (d *door) nothing() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, d.answer)
	})
}

// rate is how many requests the handler answers a second.
func (d *door) rate(ctx context.Context, h http.Handler) (float64, error) {
	server := httptest.NewServer(h)
	defer server.Close()
	u, err := url.Parse(server.URL + d.path)
	if err != nil {
		return 0, err
	}
	to, ok := http1.NewTarget(u, "bench", d.head)
	if !ok {
		return 0, fmt.Errorf("%s cannot be called", u)
	}
	client := http1.New(http1.Config{Timeout: 10 * time.Second})
	defer client.Close()
	var answered atomic.Int64
	var failed atomic.Pointer[error]
	var callers sync.WaitGroup
	from := time.Now()
	for range doorConnections {
		callers.Go(func() {
			for time.Since(from) < doorWindow && failed.Load() == nil {
				a, err := client.Post(ctx, &http1.Request{Target: to, Body: []byte(d.body), Limit: 1 << 10})
				if err == nil && string(a.Body) != d.answer {
					err = fmt.Errorf("the answer is %.200q", a.Body)
				}
				if err != nil {
					failed.Store(&err)
					return
				}
				answered.Add(1)
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(answered.Load()) / time.Since(from).Seconds(), nil
}

// nobody is what stands behind the doors.
type nobody struct{}

// Accept implements xxl.Tasks.
func (nobody) Accept(context.Context, job.Task) error { return nil }

// Busy implements xxl.Tasks.
func (nobody) Busy(int64) bool { return false }

// Kill implements xxl.Tasks.
func (nobody) Kill(context.Context, int64, string) bool { return false }

// Read implements xxl.Logs.
func (nobody) Read(_ int64, _ time.Time, from int) (job.LogPage, error) {
	return job.LogPage{From: from}, nil
}

// Register implements xxl.Leases.
func (nobody) Register(context.Context, job.Beat) error { return nil }

// Deregister implements xxl.Leases.
func (nobody) Deregister(context.Context, string, string) error { return nil }

// CompleteAs implements xxl.Outcomes.
func (nobody) CompleteAs(context.Context, job.Caller, []job.Outcome) error { return nil }
