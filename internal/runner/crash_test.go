//go:build failpoints

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runlog"
	"github.com/orthd/orth/job"
)

// TestCrash kills real processes at the places that matter and looks at what
// the next one makes of their files.
func TestCrash(t *testing.T) {
	t.Parallel()
	const interrupted = "failed: executor stopped during the run"
	for _, test := range []struct {
		name, plan string
		onCrash    job.OnCrash
		wait       time.Duration     // how long tasks wait for their time
		outcomes   map[string]string // of attempts that were accepted
		ran        []string
	}{
		{
			name: "accepted, not started", plan: "runner/accepted=kill",
			outcomes: map[string]string{"1": "succeeded: ", "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"1", "2", "3"},
		},
		{
			name: "second accepted, not started", plan: "runner/accepted=kill:2",
			outcomes: map[string]string{"1": "succeeded: ", "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"1", "2", "3"},
		},
		{
			name: "started", plan: "runner/started=kill",
			outcomes: map[string]string{"1": interrupted, "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"2", "3"},
		},
		{
			name: "second started", plan: "runner/started=kill:2",
			outcomes: map[string]string{"1": "succeeded: ", "2": interrupted, "3": "succeeded: "},
			ran:      []string{"1", "3"},
		},
		{
			name: "started, may run again", plan: "runner/started=kill:2", onCrash: job.CrashRerun,
			outcomes: map[string]string{"1": "succeeded: ", "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"1", "2", "3"},
		},
		{
			name: "waits for its time", plan: "runner/early=kill", wait: 500 * time.Millisecond,
			outcomes: map[string]string{"1": "succeeded: ", "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"1", "2", "3"},
		},
		{
			name: "its time has come", plan: "runner/due=kill", wait: 500 * time.Millisecond,
			outcomes: map[string]string{"1": "succeeded: ", "2": "succeeded: ", "3": "succeeded: "},
			ran:      []string{"1", "2", "3"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := victimize(dir, test.plan, test.onCrash, test.wait, "1,2,3"); err == nil {
				t.Fatal("the process lived on")
			}
			if err := victimize(dir, "", "", 0, ""); err != nil {
				t.Fatal(err)
			}
			if early := lines(dir, "early"); len(early) > 0 {
				t.Errorf("attempts %q began before their time", early)
			}
			// The process died with its first task, so it may have accepted
			// only some.
			accepted := map[string]bool{}
			for _, attempt := range lines(dir, "accepted") {
				accepted[attempt] = true
			}
			got := map[string]string{}
			for _, line := range lines(dir, "outcomes") {
				attempt, outcome, _ := strings.Cut(line, " ")
				if _, twice := got[attempt]; twice {
					t.Errorf("attempt %s has two outcomes", attempt)
				}
				got[attempt] = outcome
			}
			for attempt := range accepted {
				if got[attempt] == "" {
					t.Errorf("attempt %s was accepted and is lost", attempt)
				}
			}
			var ran []string
			for _, attempt := range test.ran {
				if got[attempt] != "" {
					ran = append(ran, attempt)
				}
			}
			for attempt, outcome := range got {
				if outcome != test.outcomes[attempt] {
					t.Errorf("attempt %s: %q, want %q", attempt, outcome, test.outcomes[attempt])
				}
			}
			if diff := cmp.Diff(ran, lines(dir, "ran"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("runs: %s", diff)
			}
		})
	}
}

// victimize runs a victim process on the files of dir.
func victimize(dir, plan string, onCrash job.OnCrash, wait time.Duration, attempts string) error {
	victim := exec.Command(os.Args[0], "-test.run=^TestCrashVictim$", "-test.timeout=60s")
	victim.Env = append(os.Environ(), "ORTH_FAILPOINTS="+plan, "ORTH_TEST_DIR="+dir,
		"ORTH_TEST_ON_CRASH="+string(onCrash), "ORTH_TEST_WAIT="+wait.String(), "ORTH_TEST_ATTEMPTS="+attempts)
	out, err := victim.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func lines(dir, name string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

func note(dir, name, line string) error {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, line)
	return errors.Join(err, file.Close())
}

// noteBox is an outbox in a queue.
type noteBox struct{ queue *queue.Queue }

func (b noteBox) Put(tx *queue.Tx, o job.Outcome) error {
	body := fmt.Sprintf("%d %s: %s", o.AttemptID, o.State, o.Message)
	return b.queue.Push(tx, queue.Item{Key: o.AttemptID, Body: []byte(body)})
}

func (noteBox) Room(*queue.Tx, int) error { return nil }

// TestCrashVictim is the process that dies: it accepts the attempts, and when
// it survives it writes down the outcomes.
func TestCrashVictim(t *testing.T) {
	dir := os.Getenv("ORTH_TEST_DIR")
	if dir == "" {
		t.Skip("only TestCrash starts this one")
	}
	store, err := queue.Open(queue.Folder(filepath.Join(dir, "queue")), queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	logs, err := runlog.Open(filepath.Join(dir, "logs"), runlog.Config{})
	if err != nil {
		t.Fatal(err)
	}
	starts, err := marks.Open(filepath.Join(dir, "started"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = starts.Close() }()
	box := noteBox{store.Queue("outbox", queue.QueueConfig{})}
	r, err := New(Config{
		Store: store, Tasks: store.Queue("tasks", queue.QueueConfig{}), Outbox: box, Logs: logs, Starts: starts,
		Handlers: handlers{"it": handler.Func(func(_ context.Context, t *handler.Task) error {
			var err error
			if !t.PlannedAt.IsZero() && time.Now().Before(t.PlannedAt) {
				err = note(dir, "early", fmt.Sprint(t.AttemptID))
			}
			return errors.Join(err, note(dir, "ran", fmt.Sprint(t.AttemptID)))
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, storeEnded := make(chan error, 1), make(chan error, 1)
	storeCtx, stopStore := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { storeEnded <- store.Run(storeCtx) }()
	defer func() {
		stopStore()
		if err := errors.Join(<-storeEnded, store.Close(), logs.Close()); err != nil {
			t.Error(err)
		}
	}()
	go func() { ended <- r.Run(ctx) }()
	for attempt := range strings.SplitSeq(os.Getenv("ORTH_TEST_ATTEMPTS"), ",") {
		var id int64
		if _, err := fmt.Sscan(attempt, &id); err != nil {
			break
		}
		in := task(id, 5, "it")
		in.OnCrash = job.OnCrash(os.Getenv("ORTH_TEST_ON_CRASH"))
		if wait, err := time.ParseDuration(os.Getenv("ORTH_TEST_WAIT")); err == nil && wait > 0 {
			in.StartAt = time.Now().Add(wait)
			in.PlannedAt = in.StartAt.Truncate(time.Millisecond) // for the handler
		}
		if err := r.Accept(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if err := note(dir, "accepted", attempt); err != nil {
			t.Fatal(err)
		}
	}
	<-r.ready
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	err = store.View(t.Context(), func(tx *queue.Tx) error {
		items, err := box.queue.List(tx, queue.Scheduled, 0, 100)
		for _, item := range items {
			err = errors.Join(err, note(dir, "outcomes", string(item.Body)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
