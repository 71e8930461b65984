//go:build unix

package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/job"
)

// nothing finds a handler that does nothing.
type nothing struct{}

func (nothing) Handler(job.Handler) (handler.Handler, error) {
	return handler.Func(func(context.Context, *handler.Task) error { return nil }), nil
}

// taken takes every outcome at once.
type taken struct{}

func (taken) SendOutcomes(context.Context, []job.Outcome) error { return nil }

// BenchmarkAcceptToOutcome is a task's whole way through an executor, without the
// wire: accepted, marked, run, logged, its outcome stored, delivered and taken
// out, with every accept and outcome forced to disk. Tasks come alone, as in the
// XXL-JOB family, or many in one request, as in Orth's own protocol.
func BenchmarkAcceptToOutcome(b *testing.B) {
	for _, callers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) { acceptToOutcome(b, callers, 1, 4096) })
	}
	b.Run("callers=8/together=32", func(b *testing.B) { acceptToOutcome(b, 8, 32, 4096) })
	b.Run("callers=8/together=32/jobs=64", func(b *testing.B) { acceptToOutcome(b, 8, 32, 64) }) // most of them wait
}

// ahead is how many tasks that come together may be on their way: servers send no more
// than an executor takes.
const ahead = 4096

func acceptToOutcome(b *testing.B, callers, together int, jobs int64) {
	b.Helper()
	e := &Executor{config: Config{Data: b.TempDir(), Logger: slog.New(slog.DiscardHandler)}, meter: newMeter()}
	o := new(opened)
	defer o.close()
	if err := e.openStore(o); err != nil {
		b.Fatal(err)
	}
	logs, err := runlog.Open(e.config.dataPath("logs"), runlog.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = logs.Close() }()
	starts, err := marks.Open(e.config.dataPath("started"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = starts.Close() }()
	out, err := outbox.New(outbox.Config{
		Store: o.store, Queue: o.store.Queue("outbox", queue.QueueConfig{Capacity: outbox.DefaultCapacity, Remember: -1}), Send: taken{},
	})
	if err != nil {
		b.Fatal(err)
	}
	var ended atomic.Int64
	run, err := runner.New(runner.Config{
		Store: o.store, Tasks: o.store.Queue("tasks", queue.QueueConfig{Remember: 1_000_000}), Outbox: out,
		Handlers: nothing{}, Logs: logs, Starts: starts,
		Hooks: runner.Hooks{Finished: func(job.Outcome, time.Duration) { ended.Add(1) }},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	var rooms sync.WaitGroup
	for _, room := range []func(context.Context) error{o.store.Run, out.Run, run.Run} {
		rooms.Go(func() { _ = room(ctx) })
	}
	defer rooms.Wait()
	defer stop()
	var next atomic.Int64
	var senders sync.WaitGroup
	cpu := processor(b)
	b.ResetTimer()
	for range callers {
		senders.Go(func() {
			for tasks := some(&next, b.N, together, jobs); len(tasks) > 0; tasks = some(&next, b.N, together, jobs) {
				for together > 1 && next.Load()-ended.Load() > ahead {
					time.Sleep(100 * time.Microsecond)
				}
				if err := errors.Join(run.AcceptAll(ctx, tasks)...); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	senders.Wait()
	if err := run.Wait(ctx); err != nil {
		b.Error(err)
	}
	if err := out.Flush(ctx); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((processor(b)-cpu).Nanoseconds())/1000/float64(b.N), "cpu-µs/run")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	if ended.Load() != int64(b.N) {
		b.Errorf("%d of %d tasks have an outcome", ended.Load(), b.N)
	}
}

// some returns the next tasks of all.
func some(next *atomic.Int64, all, together int, jobs int64) []*job.Task {
	tasks := make([]*job.Task, 0, together)
	for range together {
		id := next.Add(1)
		if id > int64(all) {
			break
		}
		tasks = append(tasks, &job.Task{
			AttemptID: id, RunID: id, JobID: id % jobs, Param: "p", TriggeredAt: time.Now(), ShardTotal: 1,
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "nothing"},
		})
	}
	return tasks
}

// processor returns the processor time of this process.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
