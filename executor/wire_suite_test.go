package executor_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/wiretest"
)

// suiteIdle is how long the executor under the suite keeps a job without work.
const suiteIdle = 200 * time.Millisecond

// deviations are the cases where the executor differs on purpose: docs/conformance.md gives
// the reasons.
func deviations() []string {
	return []string{"joins-slashes", "refuses-running", "handlers-wait", "cuts-shorter", "empty-scripts", "concurrent-always"}
}

// TestWireSuite holds the executor to the cases that any executor of the
// protocol is held to: all flavours at once, because they mostly wait.
//
//nolint:tparallel // its subtests report what was played at the same time
func TestWireSuite(t *testing.T) {
	t.Parallel()
	can := []string{"raw", "retries", "idle"}
	if _, err := exec.LookPath("bash"); err == nil || os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
		can = append(can, "scripts")
	}
	plays := []struct {
		name, dialect string
		flavour       wiretest.Flavour
		only          []string
		verdicts      []wiretest.Verdict
		err           error
	}{
		{name: "xxl-2", flavour: wiretest.XXL2},
		{name: "xxl-3", flavour: wiretest.XXL3},
		{name: "xxl-3.5", flavour: wiretest.XXL35, dialect: string(job.DialectXXL35)},
		// Without the dialect E14 is not for it: who shows no app name may be of
		// another flavour.
		{name: "xxl-3.5 found out", flavour: wiretest.XXL35, only: []string{"E4", "R1", "R6", "R14", "K4", "K6", "C1", "C3", "C5"}},
		{name: "orth-java", flavour: wiretest.OrthJava},
	}
	var group sync.WaitGroup
	for i := range plays {
		p := &plays[i]
		group.Go(func() {
			p.verdicts, p.err = wiretest.PlayExecutor(t.Context(), wiretest.Target{
				Flavour: p.flavour, Start: suiteExecutor(p.dialect), Can: can, Deviates: deviations(), Idle: 5 * suiteIdle, Only: p.only,
			})
		})
	}
	group.Wait()
	for _, p := range plays {
		t.Run(p.name, func(t *testing.T) {
			if p.err != nil {
				t.Fatal(p.err)
			}
			wiretest.Report(t, p.verdicts)
		})
	}
}

// suiteExecutor starts the executor as the suite wants it.
func suiteExecutor(dialect string) func(context.Context, wiretest.Setup) (*wiretest.Instance, error) {
	return func(ctx context.Context, s wiretest.Setup) (*wiretest.Instance, error) {
		e, err := executor.New(executor.Config{
			Servers: s.Admins, Dialect: dialect, Token: s.Token, Group: s.App, Listen: "127.0.0.1:0", Data: s.Data, Scripts: s.Scripts,
			Programs: executor.Programs{Interpreters: map[job.HandlerKind]string{job.HandlerGroovy: "/no/groovy"}},
			Beat:     100 * time.Millisecond, DrainFor: 50 * time.Millisecond, IdleAfter: suiteIdle,
			Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return nil, err
		}
		handleForSuite(e)
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		stop := sync.OnceValue(func() error {
			cancel()
			return <-ended
		})
		waiting, done := context.WithTimeout(ctx, patience)
		defer done()
		url, err := e.Address(waiting)
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		return &wiretest.Instance{URL: url, Stop: stop}, nil
	}
}

// handleForSuite gives the executor the handlers that the suite describes.
func handleForSuite(e *executor.Executor) {
	e.Handle("demo", func(_ context.Context, h *handler.Task) error {
		h.Log("demo %s", h.Param)
		return nil
	})
	e.Handle("say", func(_ context.Context, h *handler.Task) error {
		h.Result(h.Param)
		return nil
	})
	sleep := func(ctx context.Context, h *handler.Task) error {
		ms, err := strconv.Atoi(h.Param)
		if err != nil {
			return err
		}
		h.Log("begin %d", time.Now().UnixMilli())
		defer func() { h.Log("end %d", time.Now().UnixMilli()) }()
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e.Handle("sleep", sleep)
	e.Handle("nap", sleep)
	e.Handle("fail", func(_ context.Context, h *handler.Task) error { return errors.New(h.Param) })
	e.Handle("boom", func(context.Context, *handler.Task) error { panic("the sky fell") })
	e.Handle("long", func(context.Context, *handler.Task) error { return errors.New(strings.Repeat("x", 60_000)) })
	e.Handle("raw", func(_ context.Context, h *handler.Task) error {
		_, err := io.WriteString(h.Output(), "bad \xff\xfe bytes\nafter them\n")
		return err
	})
}
