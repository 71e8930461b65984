package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// call is a call of the handler on an executor.
type call struct {
	executor, index, total int
	param                  string
}

// fleet is executors of group g whose handler "part" notes its calls.
type fleet struct {
	mu    sync.Mutex
	calls []call
	// answer says what becomes of the n-th call, from 1, of a shard.
	answer func(ctx context.Context, index, n int) error
}

// assemble starts executors that live as long as the test.
func assemble(t *testing.T, s *Server, n int) *fleet {
	t.Helper()
	f := &fleet{answer: func(context.Context, int, int) error { return nil }}
	for i := range n {
		e, err := executor.New(executor.Config{
			Servers: []string{s.URL()}, Token: s.ExecutorToken().Reveal(), Group: "g", Listen: "127.0.0.1:0", Data: t.TempDir(),
			Beat: time.Second, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Handle("part", handler.Func(func(ctx context.Context, task *handler.Task) error { return f.work(ctx, i, task) }))
		ended := make(chan error, 1)
		go func() { ended <- e.Run(t.Context()) }()
		t.Cleanup(func() {
			if err := <-ended; err != nil {
				t.Errorf("an executor stopped with %v", err)
			}
		})
	}
	until(t, "the executors are there", func() bool {
		all, err := s.Jobs().Executors(t.Context())
		return err == nil && len(all) == n
	})
	return f
}

func (f *fleet) work(ctx context.Context, executor int, task *handler.Task) error {
	f.mu.Lock()
	n := 1
	for _, c := range f.calls {
		if c.index == task.ShardIndex && c.param == task.Param {
			n++
		}
	}
	f.calls = append(f.calls, call{executor, task.ShardIndex, task.ShardTotal, task.Param})
	answer := f.answer
	f.mu.Unlock()
	return answer(ctx, task.ShardIndex, n)
}

// of returns the calls with a parameter, in order of shard.
func (f *fleet) of(param string) []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []call
	for _, c := range f.calls {
		if c.param == param {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b call) int { return a.index - b.index })
	return found
}

func (f *fleet) answering(fn func(ctx context.Context, index, n int) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = fn
}

// split makes a job with so many shards, and a job that its end starts.
func split(t *testing.T, c *jobs.Catalog, key string, shards int, again retry.Policy) job.Job {
	t.Helper()
	create(t, c, key+"-child", schedule.Spec{Kind: schedule.KindManual})
	j, err := c.CreateJob(t.Context(), job.Job{
		Key: key, Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual}, Route: job.RouteBroadcast, Shards: shards,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "part"}, Retry: again,
		Children: []job.Child{{JobID: find(t, c, key+"-child").ID, On: job.ChildOnAlways}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// over waits for the end of a run.
func over(t *testing.T, c *jobs.Catalog, id int64) job.Run {
	t.Helper()
	var r job.Run
	until(t, fmt.Sprintf("run %d ends", id), func() bool {
		var err error
		r, err = c.Run(t.Context(), id)
		return err == nil && r.State.Final()
	})
	return r
}

func trigger(t *testing.T, c *jobs.Catalog, key, param string) job.Run {
	t.Helper()
	r, err := c.Trigger(t.Context(), "", key, jobs.Trigger{Param: &param})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// childrenOf returns how many runs the child of a job has.
func childrenOf(t *testing.T, c *jobs.Catalog, key string) int {
	t.Helper()
	runs, err := c.Runs(t.Context(), jobrows.RunFilter{JobID: find(t, c, key+"-child").ID})
	if err != nil {
		t.Fatal(err)
	}
	return len(runs)
}

// TestBroadcast follows runs that are split over three executors: to their ends,
// over a failed shard, again by hand, and to a cancellation.
func TestBroadcast(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, ctx := s.Jobs(), t.Context()
	fleet := assemble(t, s, 3)

	// Each executor gets a shard of its own.
	j := split(t, c, "all", 0, retry.Policy{})
	r := over(t, c, trigger(t, c, "all", "one each").ID)
	if r.State != job.Succeeded || r.Message != "all 3 shards succeeded" {
		t.Fatalf("the run is %s: %s", r.State, r.Message)
	}
	places := map[int]bool{}
	for i, got := range fleet.of("one each") {
		places[got.executor] = true
		if got.index != i || got.total != 3 {
			t.Errorf("shard %d of %d, want %d of 3", got.index, got.total, i)
		}
	}
	if len(places) != 3 || len(fleet.of("one each")) != 3 || childrenOf(t, c, "all") != 1 {
		t.Errorf("the calls: %+v, and %d children", fleet.of("one each"), childrenOf(t, c, "all"))
	}
	runs, err := c.Runs(ctx, jobrows.RunFilter{JobID: j.ID})
	if err != nil || len(runs) != 1 {
		t.Errorf("the list has %d runs, want the one that was split: %v", len(runs), err)
	}
	if all, err := c.Runs(ctx, jobrows.RunFilter{JobID: j.ID, Shards: true}); err != nil || len(all) != 4 {
		t.Errorf("with shards the list has %d runs: %v", len(all), err)
	}

	// More shards than executors; one fails, and is tried again alone.
	split(t, c, "many", 7, retry.Policy{Tries: 1, Initial: 10 * time.Millisecond})
	fleet.answering(func(_ context.Context, index, n int) error {
		if index == 4 && n == 1 {
			return fmt.Errorf("not today")
		}
		return nil
	})
	r = over(t, c, trigger(t, c, "many", "seven").ID)
	if calls := fleet.of("seven"); r.State != job.Succeeded || len(calls) != 8 || calls[4].index != 4 || calls[5].index != 4 ||
		calls[4].executor == calls[5].executor || childrenOf(t, c, "many") != 1 {
		t.Errorf("the run is %s (%s), its calls: %+v", r.State, r.Message, calls)
	}

	// Shards that fail for good fail the run, and can be done again by hand.
	fleet.answering(func(_ context.Context, index, n int) error {
		if (index == 2 || index == 5) && n <= 2 {
			return fmt.Errorf("broken %d", n)
		}
		return nil
	})
	r = over(t, c, trigger(t, c, "many", "broken").ID)
	if r.State != job.Failed || !strings.HasPrefix(r.Message, "2 of 7 shards failed: 2 (run ") || !strings.Contains(r.Message, "broken 2") {
		t.Errorf("the run is %s: %s", r.State, r.Message)
	}
	until(t, "its child is made", func() bool { return childrenOf(t, c, "many") == 2 })
	again, err := c.RetryShards(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RetryShards(ctx, r.ID); !job.Is(err, job.Conflict) {
		t.Errorf("a second time: %v", err)
	}
	if end := over(t, c, again.ID); end.State != job.Succeeded || end.CauseID != r.ID || childrenOf(t, c, "many") != 3 {
		t.Errorf("done again it is %s: %s", end.State, end.Message)
	}
	if calls := fleet.of("broken"); len(calls) != 11 {
		t.Errorf("%d calls, want 7, 2 retries and 2 by hand: %+v", len(calls), calls)
	}
	shards, err := c.Shards(ctx, again.ID)
	if err != nil || len(shards) != 2 || shards[0].Shard != (job.Shard{Index: 2, Total: 7}) || shards[1].Shard.Index != 5 {
		t.Errorf("the shards: %+v, %v", shards, err)
	}

	// A cancelled run ends when its shards have, those that run too.
	fleet.answering(func(ctx context.Context, _, _ int) error {
		<-ctx.Done()
		return ctx.Err()
	})
	r = trigger(t, c, "many", "stuck")
	until(t, "three shards run", func() bool { return len(fleet.of("stuck")) >= 3 })
	if _, err := c.CancelRun(ctx, r.ID, "wrong day"); err != nil {
		t.Fatal(err)
	}
	if r = over(t, c, r.ID); r.State != job.Cancelled || r.Reason != "wrong day" {
		t.Errorf("the run is %s: %s, %s", r.State, r.Reason, r.Message)
	}
	if b, err := c.Broadcast(ctx, r.ID); err != nil || b.Open != 0 || b.Failed != 7 {
		t.Errorf("the broadcast: %+v, %v", b, err)
	}
	page, err := s.Queries().Log(ctx, r.ID, queries.LogQuery{})
	if err != nil || !strings.Contains(page.Text, "orth run show") {
		t.Errorf("the log: %+v, %v", page, err)
	}
	if _, err := c.RetryShards(ctx, trigger(t, c, "all-child", "x").ID); !job.Is(err, job.NotFound) {
		t.Errorf("shards of a run without: %v", err)
	}
}

// TestBroadcastInAWorkflow: the node of a workflow ends when all shards of its run
// have.
func TestBroadcastInAWorkflow(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, ctx := s.Jobs(), t.Context()
	fleet := assemble(t, s, 2)
	split(t, c, "parts", 0, retry.Policy{})
	open := make(chan struct{})
	fleet.answering(func(ctx context.Context, index, _ int) error {
		if index == 0 {
			return nil
		}
		select {
		case <-open:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	_, err := s.workflows.SaveWorkflow(ctx, job.Workflow{Key: "w", Nodes: []job.WorkflowNode{
		{Name: "a", Job: "parts"}, {Name: "b", Job: "parts", After: []job.WorkflowEdge{{Node: "a"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.workflows.StartWorkflow(ctx, "", "w", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	look := func() job.WorkflowRun {
		r, err := s.workflows.WorkflowRun(ctx, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	until(t, "one of two shards is over", func() bool {
		b, err := c.Broadcast(ctx, look().Nodes[0].RunID)
		return err == nil && b.Open == 1
	})
	if n := look().Nodes; n[0].State != job.NodeRunning || n[1].State != job.NodeWaiting {
		t.Errorf("the nodes are %s and %s while a shard runs", n[0].State, n[1].State)
	}
	close(open)
	until(t, "the workflow run succeeds", func() bool { return look().State == job.WorkflowSucceeded })
}
