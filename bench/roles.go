package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// token is shared by the two children; both listen on loopback only.
const token = "a-token-for-the-benchmark"

// group is the benchmark's group of executors.
const group = "bench"

// obey profiles the process between the orders "measure" and "measured", when
// profiles are asked for, and says when one is written. The last window of a process
// stays.
func obey(o options, role string) {
	if o.Profile == "" {
		return
	}
	go func() {
		var f *os.File
		for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
			if orders.Text() != "measure" {
				pprof.StopCPUProfile()
				_ = f.Close()
				fmt.Println("profiled")
				continue
			}
			var err error
			f, err = os.Create(o.Profile + "-" + role + ".pprof")
			if err == nil {
				err = pprof.StartCPUProfile(f)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "bench: no profile:", err)
			}
		}
	}()
}

func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}

func newServer(o options) (*app.Server, error) {
	c := app.Config{
		Data: filepath.Join(o.Dir, "server"), Listen: o.Server, AdmitSharedToken: redacted.New(token), Version: "bench", Logger: quiet(),
	}
	if o.Shared {
		c.Database = redacted.New(os.Getenv(sharedDatabase))
	}
	return app.New(c)
}

// serverRole is the server's process: it makes the jobs, says "ready", starts
// them when it is told to, and serves until the context ends.
func serverRole(ctx context.Context, o options) error {
	obey(o, "server")
	server, err := newServer(o)
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
		executors, err := server.Jobs().Executors(ctx)
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
				_, err := server.Jobs().CreateJob(ctx, job.Job{
					Key: fmt.Sprintf("job-%d", i), Group: group, Enabled: true,
					Schedule: schedule.Spec{
						Kind: schedule.KindEvery, Every: o.Every,
						Anchor: start.Add(o.Every * time.Duration(i) / time.Duration(o.Jobs)).Truncate(time.Millisecond),
					},
					Handler: job.Handler{Kind: job.HandlerNamed, Name: "nothing"},
					// As it is with the systems that this path is compared with. A
					// job that is counted by the server has one run at a time, and
					// would not fire as often as it is asked to here.
					OverlapScope: job.ScopeExecutor,
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

// executorRole is the executor's process: its handler notes when it was started
// and does nothing else. It serves the notes since the last question on a port of
// its own, which it prints.
func executorRole(ctx context.Context, o options) error {
	obey(o, "executor")
	e, err := executor.New(executor.Config{
		Servers: serversOf(o), Token: token, Group: group, Listen: o.Executor,
		Data: filepath.Join(o.Dir, "executor"), Dialect: o.Dialect, Logger: quiet(),
	})
	if err != nil {
		return err
	}
	var book notebook
	e.Handle("nothing", func(_ context.Context, t *handler.Task) error {
		book.add(note{t.JobID, t.PlannedAt.UnixMilli(), time.Now().UnixMicro()})
		return nil
	})
	side, err := book.serve()
	if err != nil {
		return err
	}
	defer func() { _ = side.Close() }()
	return e.Run(ctx)
}
