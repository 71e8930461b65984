package dispatcher

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// TestStorm lets two servers dispatch the same rows while the store fails before
// and after its commits and executors give every answer. In the end, with
// everything in order again, each run was accepted by exactly one executor, or
// ended as refused; what nobody answered for stays dispatched, once.
func TestStorm(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { storm(t, seed) })
		})
	}
}

func storm(t *testing.T, seed uint64) {
	t.Helper()
	plan, random := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)) // random is the world's, under its lock
	w := newWorld()
	w.alive[theGroup] = []string{"http://1", "http://2", "http://3"}
	calm := false
	fate := func() error { // called under the lock
		if !calm && random.IntN(4) == 0 {
			return job.Errorf(job.Unavailable, "storm")
		}
		return nil
	}
	w.fail, w.failLate = fate, fate
	accepted := make(map[int64]int)   // runs, by how often executors accepted them
	unanswered := make(map[int64]int) // runs, by how often nobody knows
	w.answer = func(_ string, task job.Task) (time.Duration, error) {
		run := w.attempts[task.AttemptID].RunID
		kinds := []job.Kind{job.Unreachable, job.Full, job.Ambiguous, job.Refused, job.Duplicate}
		wait := time.Duration(random.IntN(3000)) * time.Millisecond
		if choice := random.IntN(12); !calm && choice < len(kinds) {
			switch kinds[choice] {
			case job.Ambiguous:
				unanswered[run]++
			case job.Duplicate:
				accepted[run]++
			default:
			}
			return wait, job.Errorf(kinds[choice], "storm")
		}
		accepted[run]++
		return wait / 10, nil
	}
	c := w.wire(Config{Held: 128, Batch: 16, PerAddress: 4})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	servers := []*Dispatcher{New(c), New(c)}
	for _, d := range servers {
		running.Go(func() { _ = d.Run(ctx) })
	}
	for range 150 {
		d := servers[plan.IntN(2)]
		r := w.add(time.Now().Add(time.Duration(plan.IntN(2000))*time.Millisecond).Truncate(time.Millisecond), 15*time.Second)
		if d.Free() > 0 && plan.IntN(2) == 0 {
			d.Take([]job.Run{r})
		}
		time.Sleep(time.Duration(plan.IntN(100)) * time.Millisecond)
	}
	w.change(func() { calm = true })
	time.Sleep(10 * time.Minute)
	cancel()
	running.Wait()

	for id, r := range w.runs {
		once := accepted[id] + unanswered[id]
		switch {
		case once > 1:
			t.Errorf("run %d was delivered %d times and left unknown %d times", id, accepted[id], unanswered[id])
		case r.State == job.Failed && once != 0:
			t.Errorf("run %d failed and was delivered", id)
		case r.State == job.Running && accepted[id] != 1:
			t.Errorf("run %d is running and was accepted %d times", id, accepted[id])
		case r.State == job.Dispatched && once == 0:
			// Nothing reached an executor and upkeep has to find it: an error
			// after the commit of the mark, or an answer that could not be
			// written. Both leave an open attempt with a time to look at it.
			if a := w.attempts[r.AttemptID]; a == nil || a.State != job.Dispatched || r.ReadyAt.IsZero() {
				t.Errorf("run %d is dispatched and nobody will find it", id)
			}
		case r.State != job.Running && r.State != job.Failed && r.State != job.Dispatched:
			t.Errorf("run %d is %s (%q) ten minutes after the storm", id, r.State, r.Reason)
		}
	}
	for _, s := range w.sends {
		if s.at.Before(s.task.PlannedAt) {
			t.Errorf("run %d was sent %s before its time", s.run, s.task.PlannedAt.Sub(s.at))
		}
	}
}

// held gives runs back by rank and due time, each once, and never early.
func TestHeldModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h waiting.Held
		type entry struct {
			due  time.Time
			rank int
		}
		model := make(map[int64]entry)
		epoch := time.Unix(1_700_000_000, 0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := rapid.Int64Range(1, 20).Draw(t, "id")
			rank := rapid.IntRange(0, waiting.Ranks-1).Draw(t, "rank")
			at := epoch.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * time.Millisecond)
			if rapid.Bool().Draw(t, "push") {
				_, known := model[id]
				if h.Push(&waiting.HeldRun{Run: job.Run{ID: id}, Due: at, Rank: rank}) == known {
					t.Fatalf("push of run %d, known %t", id, known)
				}
				if !known {
					model[id] = entry{at, rank}
				}
				continue
			}
			n := rapid.IntRange(1, 5).Draw(t, "n")
			popped := h.PopDue(&h.Items[rank], at, n)
			for i, it := range popped {
				want, ok := model[it.Run.ID]
				if !ok || want.rank != rank || !want.due.Equal(it.Due) || it.Due.After(at) {
					t.Fatalf("popped run %d of rank %d, due %s at %s", it.Run.ID, it.Rank, it.Due, at)
				}
				if i > 0 && it.Due.Before(popped[i-1].Due) {
					t.Fatal("popped out of order")
				}
				delete(model, it.Run.ID)
			}
			if len(popped) < n {
				for id, e := range model {
					if e.rank == rank && !e.due.After(at) {
						t.Fatalf("run %d stays although it is due", id)
					}
				}
			}
		}
		if h.Size() != len(model) {
			t.Fatalf("%d items, want %d", h.Size(), len(model))
		}
		if left := h.Drain(100); len(left) != len(model) || h.Size() != 0 {
			t.Fatalf("%d items are left, want %d", len(left), len(model))
		}
	})
}
