package executor

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"strings"
	"testing"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/handler/script"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
)

// late is a Groovy that is found when the test decides.
type late struct {
	*lateGroovy
	log   bytes.Buffer // to be read after stop
	let   chan struct{}
	stop  func()
	ended chan error
}

func newLate(t *testing.T, found *script.Scripts, err error) *late {
	t.Helper()
	l := &late{let: make(chan struct{}), ended: make(chan error, 1)}
	l.lateGroovy = newGroovy(func(ctx context.Context) (*script.Scripts, error) {
		select {
		case <-l.let:
			return found, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	run := l.findRuntime(slog.New(slog.NewTextHandler(&l.log, nil)))
	go func() { l.ended <- run(ctx) }()
	stopped := false
	l.stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-l.ended; err != nil {
			t.Errorf("the search ended with %v", err)
		}
	}
	t.Cleanup(l.stop)
	return l
}

// begin hands a task to the handler that there is before the runtime is ready.
func (l *late) begin(ctx context.Context, t *testing.T) (output *bytes.Buffer, ended chan error) {
	t.Helper()
	h, err := l.handler()
	if err != nil {
		t.Fatalf("before it is ready: %v; want a handler that waits", err)
	}
	if kinds := l.kinds(); len(kinds) > 0 {
		t.Errorf("before it is ready servers are told of %v", kinds)
	}
	output, ended = new(bytes.Buffer), make(chan error, 1)
	task := handler.NewTask(handler.TaskConfig{
		Task: job.Task{JobID: 7, Handler: job.Handler{Kind: job.HandlerGroovy, Source: "echo ran"}}, Output: output,
	})
	go func() { ended <- h.Handle(ctx, task) }()
	return output, ended
}

// TestGroovyWaits: a task that comes before the runtime is ready runs when it is.
func TestGroovyWaits(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("sh is missing")
	}
	spawner, err := process.New(process.Config{TempRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spawner.Close() })
	found, err := script.New(script.Config{
		Dir: t.TempDir(), Spawner: spawner,
		Interpreters: []script.Interpreter{{Kind: job.HandlerGroovy, Suffix: ".groovy", Argv: []string{sh}, Version: "9.9"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := newLate(t, found, nil)
	output, ended := l.begin(t.Context(), t)
	close(l.let)
	if err := <-ended; err != nil || !strings.Contains(output.String(), "\nran\n") {
		t.Errorf("the task that waited ended with %v: %s", err, output)
	}
	if kinds := l.kinds(); len(kinds) != 1 || kinds[0].Version != "9.9" {
		t.Errorf("servers are told of %v", kinds)
	}
	h, err := l.handler()
	if err != nil {
		t.Fatal(err)
	}
	if _, waits := h.(handler.Func); waits {
		t.Error("tasks still go to the handler that waits")
	}
}

// TestGroovyRefused: without a runtime, tasks that waited fail and later ones
// are refused, with the reason. A machine without one is no error of its
// operator; one that does not work is logged.
func TestGroovyRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		err    error
		logged bool
	}{
		{"none installed", job.Errorf(job.Refused, "this machine has no groovy"), false},
		{"does not work", errors.New("disk full"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLate(t, nil, test.err)
			_, ended := l.begin(t.Context(), t)
			close(l.let)
			if err := <-ended; !job.Is(err, job.Refused) || !strings.Contains(err.Error(), test.err.Error()) {
				t.Errorf("the task that waited ended with %v; want %v", err, test.err)
			}
			if h, err := l.handler(); h != nil || !job.Is(err, job.Refused) || !errors.Is(err, test.err) {
				t.Errorf("the next task: %v, %v", h, err)
			}
			if kinds := l.kinds(); len(kinds) > 0 {
				t.Errorf("servers are told of %v", kinds)
			}
			l.stop()
			if logged := strings.Contains(l.log.String(), "Groovy cannot be prepared"); logged != test.logged {
				t.Errorf("the log is %q", l.log.String())
			}
		})
	}
}

// TestGroovyEnds: neither a cancelled task nor a stopping executor waits for the
// runtime.
func TestGroovyEnds(t *testing.T) {
	t.Parallel()
	l := newLate(t, nil, nil)
	reason := errors.New("killed by an operator")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, ended := l.begin(ctx, t)
	cancel(reason)
	if err := <-ended; !errors.Is(err, reason) {
		t.Errorf("the cancelled task ended with %v", err)
	}
	_, ended = l.begin(t.Context(), t)
	l.stop()
	if err := <-ended; !job.Is(err, job.Refused) {
		t.Errorf("the task of the stopped executor ended with %v", err)
	}
	if l.log.Len() > 0 {
		t.Errorf("a stop is logged: %s", l.log.String())
	}
}
