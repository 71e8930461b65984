//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	tasks "github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	reports "github.com/orthd/orth/solana/report"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// threadwork is what a service of threads says; what is driven again is executed then.
type threadwork struct {
	mu       sync.Mutex
	redriven []tasks.ID
	ledger   *tasks.Ledger
	forgets  bool // what the server has taken: the process ends first
}

func (w *threadwork) Reports(ctx context.Context, after uint64, limit int) ([]service.Report, error) {
	return service.ReportsOf(ctx, w.ledger, after, limit)
}

func (w *threadwork) Reported(ctx context.Context, numbers ...uint64) error {
	if w.forgets {
		return job.Errorf(job.Unavailable, "the process has ended")
	}
	return w.ledger.Reported(ctx, numbers...)
}

// settles ends an execution in the ledger, as a service does, and tells of it.
func (w *threadwork) settles(t *testing.T, n byte, outcome service.Outcome, tell func(service.Settlement)) {
	t.Helper()
	now := time.Now()
	state := &thread.Thread{ID: []byte{n}, ExecCount: uint64(n), Fibers: []uint8{0}, Trigger: thread.Trigger{Kind: thread.Immediate}}
	made, err := w.ledger.Offer(t.Context(), now, tasks.Task{Thread: thread.Key{n}, State: state, ExecCount: uint64(n), TriggerTime: now.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	one := service.Settlement{
		Task: made[0].ID, Thread: thread.Key{n}, ExecCount: uint64(n), Outcome: outcome, Slot: 400 + uint64(n), Logs: []string{"Program log: paid"},
		Stages: service.Stages{Queued: now, Begun: now, Sent: now},
	}
	if outcome == service.Buried {
		one.Class, one.Reason = failure.Program, "custom program error 0x1771"
	} else {
		one.Signature = solana.Signature{n}
	}
	text, err := one.Record()
	if err != nil {
		t.Fatal(err)
	}
	if outcome == service.Buried {
		_, err = w.ledger.Bury(t.Context(), now, one.Task, tasks.Failure{Class: one.Class, Reason: one.Reason}, tasks.Cost{}, text)
	} else {
		err = w.ledger.Settle(t.Context(), now, one.Task, outcome == service.Executed, tasks.Cost{}, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if tell != nil {
		tell(one)
	}
}

// opens the ledger in a folder; the function that is returned ends it, as the end of the process does.
func (w *threadwork) opens(t *testing.T, folder string) (stop func()) {
	t.Helper()
	l, err := service.OpenLedger(folder, tasks.Config{Reports: 100})
	if err != nil {
		t.Fatal(err)
	}
	w.ledger = l
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	return func() {
		cancel()
		if err := errors.Join(<-ended, l.Close()); err != nil {
			t.Errorf("the ledger: %v", err)
		}
	}
}

func (w *threadwork) Stats(context.Context) (service.Stats, error) {
	return service.Stats{Ledger: tasks.Stats{Dead: 1}, Clock: thread.Clock{Slot: 417, Unix: time.Now().Unix()}}, nil
}

func (w *threadwork) Tasks(context.Context, tasks.Place, uint64, int) ([]tasks.Task, error) {
	return nil, nil
}

func (w *threadwork) Profit(context.Context, thread.Key, int) (tasks.Profit, error) {
	return tasks.Profit{}, nil
}

func (w *threadwork) Offer(context.Context, observe.ThreadReady) error { return nil }

func (w *threadwork) Follow(context.Context, tasks.ID) (<-chan service.Progress, error) {
	return nil, job.Errorf(job.NotFound, "nothing is under way")
}

func (w *threadwork) Redrive(_ context.Context, ids ...tasks.ID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.redriven = append(w.redriven, ids...)
	return nil
}

// TestExecutionsAreRuns: what an executor of threads does while the server is away and while it is there appears as runs of
// it, each once, with their logs, also when its process ends before it has told, or has noted that it told; what it knows as its facts; and dead letters are driven again from there.
func TestExecutionsAreRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.startServer()
	token := func(name string) string { return strings.TrimSpace(mustRead(t, filepath.Join(s.data(), name))) }
	c, err := client.New(client.Config{Address: "http://" + s.server, Token: token("api.token"), Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	first.stop()
	w := new(threadwork)
	folder := t.TempDir()
	node := func() (tell func(service.Settlement), kill func()) {
		t.Helper()
		closes := w.opens(t, folder)
		r, err := reports.New(reports.Config{
			Servers: []string{"http://" + s.server}, Group: "chain", Token: token("executor.token"), Data: filepath.Join(s.dir, "report"), API: c,
			Work: w, Profile: thread.Newest(), Key: thread.Key{1}, Mode: "both", Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		return r.Settled, func() {
			stop()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
			closes()
		}
	}
	tell, kill := node()
	w.settles(t, 1, service.Executed, tell) // the server is away
	w.settles(t, 2, service.Buried, nil)    // the process ends before it can tell
	kill()
	w.forgets = true
	_, kill = node() // it tells what was left, and ends before it has noted that
	s.startServer()
	eventually(t, func() error {
		if _, stderr, code := s.try("job", "show", "solana-execute"); code != 0 {
			return fmt.Errorf("the job is not there: %s", stderr)
		}
		if n := len(s.runs("solana-execute")); n != 2 {
			return fmt.Errorf("%d runs", n)
		}
		return nil
	})
	kill()
	w.forgets = false
	tell, kill = node()
	defer func() { kill() }()
	w.settles(t, 3, service.Superseded, tell)
	var states []string
	eventually(t, func() error {
		states = nil
		if _, stderr, code := s.try("job", "show", "solana-execute"); code != 0 {
			return fmt.Errorf("the job is not there: %s", stderr)
		}
		for _, run := range s.runs("solana-execute") {
			if !run.Final {
				return fmt.Errorf("run %d is %s", run.ID, run.State)
			}
			states = append(states, string(run.State)+" "+run.Message)
		}
		if len(states) < 3 {
			return fmt.Errorf("the runs are %q", states)
		}
		return nil
	})
	all := strings.Join(states, "\n")
	if len(states) != 3 || !strings.Contains(all, "succeeded "+thread.Key{1}.String()+"#1 executed in slot 401: "+solana.Signature{1}.String()) ||
		!strings.Contains(all, "#2 is a dead letter, program: custom program error 0x1771") || !strings.Contains(all, "#3 superseded") {
		t.Errorf("the runs are\n%s", all)
	}
	eventually(t, func() error {
		if left, err := w.Reports(t.Context(), 0, 9); err != nil || len(left) > 0 {
			return fmt.Errorf("%d reports wait: %w", len(left), err)
		}
		return nil
	})
	if text := s.orth("run", "log", s.runs("solana-execute")[2].ID.String()); !strings.Contains(text, "program: Program log: paid") {
		t.Errorf("the log is\n%s", text)
	}
	s.told()
	run := s.orth("job", "trigger", "solana-redrive", "--param", `{"ids":["2"]}`, "-o", "json")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(run), &made); err != nil {
		t.Fatal(err)
	}
	if got := s.becomes(made.ID, job.Succeeded); got.Message != "tried again: 1" {
		t.Errorf("the run says %q", got.Message)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.redriven) != 1 || w.redriven[0] != 2 {
		t.Errorf("driven again: %v", w.redriven)
	}
}

// told wants the facts of the executor to come, and be found.
func (s *site) told() {
	s.t.Helper()
	eventually(s.t, func() error {
		var list []struct{ Address, Kind string }
		if err := json.Unmarshal([]byte(s.orth("executors", "--kind", "solana", "-o", "json")), &list); err != nil || len(list) != 1 {
			return fmt.Errorf("executors of the kind: %v, %w", list, err)
		}
		var f reports.Facts
		if err := json.Unmarshal([]byte(s.orth("executors", "facts", "chain", list[0].Address)), &f); err != nil {
			return err
		}
		if f.Clock.Slot != 417 || f.Queue.Dead != 1 || f.Reports.Execute != "solana-execute" || f.Reports.Sent != 3 { // of them two once more
			return fmt.Errorf("the facts are %+v", f)
		}
		return nil
	})
}
