package handler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

func TestNewTask(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1700000000123)
	in := job.Task{
		AttemptID: 3, JobID: 4, RunID: 5, Try: 2, Labels: map[string]string{"a": "b"}, Param: "p",
		Handler:     job.Handler{Kind: job.HandlerShell, Name: "n", Source: "s", SourceAt: at},
		TriggeredAt: at.Add(1), PlannedAt: at.Add(2), ShardIndex: 1, ShardTotal: 6,
	}
	got := handler.NewTask(handler.TaskConfig{Task: in, Deadline: at.Add(3)})
	want := &handler.Task{
		AttemptID: 3, JobID: 4, RunID: 5, Try: 2, Labels: map[string]string{"a": "b"},
		Kind: job.HandlerShell, Name: "n", Param: "p", Source: "s", SourceAt: at,
		TriggeredAt: at.Add(1), PlannedAt: at.Add(2), ShardIndex: 1, ShardTotal: 6, Deadline: at.Add(3),
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(handler.Task{})); diff != "" {
		t.Error(diff)
	}
	if got := handler.NewTask(handler.TaskConfig{}); got.ShardTotal != 1 {
		t.Errorf("without a broadcast there are %d shards, want 1", got.ShardTotal)
	}
}

func TestTaskWritesLines(t *testing.T) {
	t.Parallel()
	const stamp = `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} `
	for _, test := range []struct {
		name  string
		write func(*handler.Task)
		want  string
	}{
		{"log", func(t *handler.Task) { t.Log("%d rows in %s", 3, "a") }, stamp + "3 rows in a\n"},
		{"log without verbs", func(t *handler.Task) { t.Log("done") }, stamp + "done\n"},
		{"lines stay together", func(t *handler.Task) { t.Log("a\nb") }, stamp + "a\nb\n"},
		{"output", func(t *handler.Task) { _, _ = io.WriteString(t.Output(), "raw") }, "raw"},
		{
			"logger", func(t *handler.Task) { t.Logger().Info("copied", "rows", 3) },
			stamp + "level=INFO msg=copied rows=3\n",
		},
		{"logger with group", func(t *handler.Task) {
			t.Logger().With("a", 1).WithGroup("g").Warn("slow", "time", "9s")
		}, stamp + "level=WARN msg=slow a=1 g.time=9s\n"},
		{"debug is off", func(t *handler.Task) { t.Logger().Debug("x") }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			test.write(handler.NewTask(handler.TaskConfig{Output: &out}))
			if !regexp.MustCompile("^" + test.want + "$").MatchString(out.String()) {
				t.Errorf("wrote %q, want %s", out.String(), test.want)
			}
		})
	}
}

func TestTaskZone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	zone := time.FixedZone("far", 13*3600)
	task := handler.NewTask(handler.TaskConfig{Output: &out, Zone: zone})
	before := time.Now().In(zone).Truncate(time.Millisecond)
	task.Log("x")
	got, err := time.ParseInLocation("2006-01-02 15:04:05.000", strings.TrimSuffix(out.String(), " x\n"), zone)
	if err != nil || got.Before(before) || got.After(time.Now()) {
		t.Errorf("stamp %v, %v; want %v or a little later", got, err, before)
	}
}

// closed is a run log after its run.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

// TestTaskOutlivesItsLog: code that the handler left behind is not disturbed.
func TestTaskOutlivesItsLog(t *testing.T) {
	t.Parallel()
	task := handler.NewTask(handler.TaskConfig{Output: closed{}})
	task.Log("x")
	task.Logger().Info("x")
	if n, err := task.Output().Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	handler.NewTask(handler.TaskConfig{}).Log("nowhere")
}

func TestTaskResult(t *testing.T) {
	t.Parallel()
	task := handler.NewTask(handler.TaskConfig{})
	if got := task.ResultText(); got != "" {
		t.Errorf("result %q before any", got)
	}
	var g sync.WaitGroup
	for i := range 10 {
		g.Go(func() { task.Result(fmt.Sprint(i)) })
	}
	g.Wait()
	task.Result("last")
	if got := task.ResultText(); got != "last" {
		t.Errorf("result %q, want the last", got)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	if got := handler.FromContext(t.Context()); got != nil {
		t.Errorf("a task from nowhere: %v", got)
	}
	task := handler.NewTask(handler.TaskConfig{})
	ctx, cancel := context.WithCancel(handler.NewContext(t.Context(), task))
	defer cancel()
	if handler.FromContext(ctx) != task {
		t.Error("the context has lost its task")
	}
}

func TestLoggerEnabled(t *testing.T) {
	t.Parallel()
	l := handler.NewTask(handler.TaskConfig{}).Logger()
	if l.Enabled(t.Context(), slog.LevelDebug) || !l.Enabled(t.Context(), slog.LevelInfo) {
		t.Error("the logger takes Info and above")
	}
}

// TestNewLogHandler: records follow their context, with what With has added.
func TestNewLogHandler(t *testing.T) {
	t.Parallel()
	var program, run strings.Builder
	logger := slog.New(handler.NewLogHandler(slog.NewTextHandler(&program, nil))).With("a", 1).WithGroup("g").With("b", 2)
	task := handler.NewTask(handler.TaskConfig{Output: &run})
	ctx := handler.NewContext(t.Context(), task)
	logger.InfoContext(t.Context(), "outside", "c", 3)
	logger.DebugContext(ctx, "too fine")
	logger.ErrorContext(ctx, "inside", "c", 3)
	if got := program.String(); !strings.Contains(got, "msg=outside a=1 g.b=2 g.c=3") || strings.Contains(got, "inside") {
		t.Errorf("the program's log: %q", got)
	}
	if got := run.String(); !strings.Contains(got, "level=ERROR msg=inside a=1 g.b=2 g.c=3\n") || strings.Contains(got, "outside") {
		t.Errorf("the run log: %q", got)
	}
}

func TestTimedOut(t *testing.T) {
	t.Parallel()
	err := handler.TimedOut("no answer in 3 s")
	if err.Error() != "no answer in 3 s" || !handler.IsTimedOut(fmt.Errorf("deep: %w", err)) {
		t.Errorf("%v is no timeout", err)
	}
	if handler.IsTimedOut(nil) || handler.IsTimedOut(context.DeadlineExceeded) {
		t.Error("another error is a timeout")
	}
}

// TestLogFormats: a line is what fmt makes of it.
func TestLogFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"", nil},
		{"plain", nil},
		{"100%", nil},
		{"100%%", nil},
		{"%s", []any{"a"}},
		{"%s", nil},
		{"<br>%s, %s.", []any{"a", "%s"}},
		{"%s %d", []any{"a", 1}},
		{"%s %s", []any{"a", errors.New("b")}},
		{"%s", []any{"a", "b"}},
		{"%s %s", []any{"a"}},
		{"%5s|%-5s|%x", []any{"a", "b", "c"}},
		{"%[2]s %[1]s", []any{"a", "b"}},
		{"%s%", []any{"a"}},
		{"%s%%", []any{"a"}},
		{"none", []any{"a"}},
	} {
		var log bytes.Buffer
		handler.NewTask(handler.TaskConfig{Output: &log}).Log(c.format, c.args...)
		want := fmt.Sprintf(c.format, c.args...) + "\n"
		if got := log.String()[len("2006-01-02 15:04:05.000 "):]; got != want {
			t.Errorf("%q of %v is %q, want %q", c.format, c.args, got, want)
		}
	}
}
