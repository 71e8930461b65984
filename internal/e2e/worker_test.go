package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
)

// workerRole is the variable that makes the test binary an executor: a workerConfig
// as JSON.
const workerRole = "ORTH_E2E_WORKER"

// workerConfig says where an executor works that keeps a journal.
type workerConfig struct {
	Servers []string // base URLs
	Token   string
	Group   string
	Listen  string // host:port
	Address string // base URL under which servers reach it; empty for its own
	Dialect string // empty for the default
	Pull    bool   // it has no port; Listen and Address count for nothing
	Data    string
	Journal string // the file that its handler writes to
	// MaxOutcomes is how many outcomes may wait for a server; 0 for the default.
	MaxOutcomes int
}

// noteHandler is the handler of workers. Its parameter is how many milliseconds a
// run takes, and how many of a hundred attempts fail.
const noteHandler = "note"

// echoHandler is the handler that returns its parameter at once.
const echoHandler = "echo"

// madeToFail is what such an attempt says.
const madeToFail = "made to fail"

// work is an executor built on the SDK: a process of its own that writes down by
// itself what it does.
func work(role string) (code int) {
	var c workerConfig
	if err := json.Unmarshal([]byte(role), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	journal, err := os.OpenFile(c.Journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer journal.Close()
	e, err := executor.New(executor.Config{
		Servers: c.Servers, Token: c.Token, Group: c.Group, Listen: c.Listen, Address: c.Address, Data: c.Data,
		Dialect: c.Dialect, Pull: c.Pull, Outcomes: c.MaxOutcomes,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	e.Handle(noteHandler, func(ctx context.Context, t *handler.Task) error { return note(ctx, t, journal) })
	e.Handle(echoHandler, func(_ context.Context, t *handler.Task) error {
		t.Result(t.Param)
		return nil
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := e.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// note writes a line when it begins and one when it ends, each of them on disk
// before it goes on.
func note(ctx context.Context, t *handler.Task, journal *os.File) error {
	var pause, fails int64
	if _, err := fmt.Sscan(t.Param, &pause, &fails); err != nil {
		return fmt.Errorf("the parameter %q is not two numbers: %w", t.Param, err)
	}
	said := func(what string, well bool) error {
		planned := int64(0)
		if !t.PlannedAt.IsZero() {
			planned = t.PlannedAt.UnixMilli()
		}
		line := fmt.Sprintf("%s %d %d %d %d %t\n", what, t.AttemptID, t.RunID, t.JobID, planned, well)
		if _, err := journal.WriteString(line); err != nil {
			return err
		}
		return journal.Sync()
	}
	if err := said("S", true); err != nil {
		return err
	}
	select {
	case <-time.After(time.Duration(pause) * time.Millisecond):
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), said("E", false))
	}
	if t.AttemptID%100 < fails {
		return errors.Join(errors.New(madeToFail), said("E", false))
	}
	return said("E", true)
}
