//go:build unix

package e2e

import (
	"context"
	"encoding/json"
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
// it, each once, with their logs; what it knows as its facts; and dead letters are driven again from there.
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
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	settled := func(n byte, outcome service.Outcome) {
		one := service.Settlement{
			Task: tasks.ID(n), Thread: thread.Key{n}, ExecCount: uint64(n), Outcome: outcome, Slot: 400 + uint64(n), Logs: []string{"Program log: paid"},
			Stages: service.Stages{Queued: time.Now(), Begun: time.Now(), Sent: time.Now()},
		}
		if outcome == service.Buried {
			one.Class, one.Reason = failure.Program, "custom program error 0x1771"
		} else {
			one.Signature = solana.Signature{n}
		}
		r.Settled(one)
	}
	settled(1, service.Executed) // the server is away
	settled(1, service.Executed) // told once more
	settled(2, service.Buried)
	s.startServer()
	settled(3, service.Superseded)
	var states []string
	within(t, time.Minute, func() error {
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
	if text := s.orth("run", "log", s.runs("solana-execute")[0].ID.String()); !strings.Contains(text, "program: Program log: paid") {
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
	within(s.t, 30*time.Second, func() error {
		var list []struct{ Address, Kind string }
		if err := json.Unmarshal([]byte(s.orth("executors", "--kind", "solana", "-o", "json")), &list); err != nil || len(list) != 1 {
			return fmt.Errorf("executors of the kind: %v, %w", list, err)
		}
		var f reports.Facts
		if err := json.Unmarshal([]byte(s.orth("executors", "facts", "chain", list[0].Address)), &f); err != nil {
			return err
		}
		if f.Clock.Slot != 417 || f.Queue.Dead != 1 || f.Reports.Execute != "solana-execute" || f.Reports.Sent != 4 { // one of them twice
			return fmt.Errorf("the facts are %+v", f)
		}
		return nil
	})
}
