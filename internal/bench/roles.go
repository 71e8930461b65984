package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// token is shared by the two children; both listen on loopback only.
const token = "a token for the benchmark"

// group is the benchmark's group of executors.
const group = "bench"

// profiled runs fn, with a CPU profile when one is asked for.
func profiled(o options, name string, fn func() error) error {
	if o.Profile == "" {
		return fn()
	}
	f, err := os.Create(filepath.Join(o.Profile, name+".pprof"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return fn()
}

// serverRole is the server's process: it makes the jobs, says "ready", starts
// them when it is told to, and serves until the context ends.
func serverRole(ctx context.Context, o options) error {
	server, err := app.New(app.Config{
		Data: filepath.Join(o.Dir, "server"), Listen: o.Server, ExecutorToken: secret.New(token),
		Version: "bench", Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	fmt.Println("started")
	if !o.Alone {
		if err := awaitExecutor(ctx, server); err != nil {
			return err
		}
	}
	if err := makeJobs(ctx, server, o); err != nil {
		return err
	}
	fmt.Println("ready")
	return <-ended
}

// awaitExecutor waits until the executor has registered.
func awaitExecutor(ctx context.Context, server *app.Server) error {
	for {
		executors, err := server.Catalog().Executors(ctx)
		if err != nil || len(executors) > 0 {
			return err
		}
		if err := wait(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// makeJobs creates the jobs, evenly spread over their period. They fire first
// two periods after the last one was made.
func makeJobs(ctx context.Context, server *app.Server, o options) error {
	const makers = 64
	start := time.Now().Add(-24 * time.Hour)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var working sync.WaitGroup
	for range makers {
		working.Go(func() {
			for i := next.Add(1) - 1; i < int64(o.Jobs); i = next.Add(1) - 1 {
				_, err := server.Catalog().CreateJob(ctx, job.Job{
					Key: fmt.Sprintf("job-%d", i), Group: group, Enabled: true,
					Schedule: schedule.Spec{
						Kind: schedule.KindEvery, Every: o.Every,
						Anchor: start.Add(o.Every * time.Duration(i) / time.Duration(o.Jobs)).Truncate(time.Millisecond),
					},
					Handler: job.Handler{Kind: job.HandlerNamed, Name: "nothing"},
				})
				if err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	working.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// executorRole is the executor's process: its handler notes how late it was
// started and does nothing else. It serves the lateness of all runs since the
// last question on a port of its own.
func executorRole(ctx context.Context, o options) error {
	e, err := executor.New(executor.Config{
		Servers: []string{"http://" + o.Server}, Token: token, Group: group, Listen: o.Executor,
		Data: filepath.Join(o.Dir, "executor"), Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var late []time.Duration
	e.Handle("nothing", func(_ context.Context, t *handler.Task) error {
		d := time.Since(t.PlannedAt)
		mu.Lock()
		late = append(late, d)
		mu.Unlock()
		return nil
	})
	side := &http.Server{Addr: sidePort(o.Executor), ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		answer := late
		late = nil
		mu.Unlock()
		slices.Sort(answer)
		_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // Our own parent reads it.
	})}
	go func() { _ = side.ListenAndServe() }()
	defer func() { _ = side.Close() }()
	return e.Run(ctx)
}
