package dispatcher

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// split is what of a mark makes shards of its run. The caller holds mu.
func (w *world) split(m *Mark) {
	if len(m.Shards) == 0 {
		return
	}
	parent := w.runs[m.Attempt.RunID]
	parent.State, parent.Reason = job.Running, m.Reason
	w.attempts[m.Attempt.ID].State = job.Running
	for _, r := range m.Shards {
		w.runs[r.ID] = &row{r, r.DueAt}
	}
}

// shards returns the shards of a run, in order of index.
func (w *world) shards(run int64) []job.Run {
	defer w.lock()()
	var found []job.Run
	for _, r := range w.runs {
		if r.Cause == job.CauseShard && r.CauseID == run {
			found = append(found, r.Run)
		}
	}
	slices.SortFunc(found, func(a, b job.Run) int { return a.Shard.Index - b.Shard.Index })
	return found
}

// broadcasts makes the test's job split its runs over executors.
func (w *world) broadcasts(shards int, addresses ...string) {
	w.change(func() {
		j := w.jobs[theJob]
		j.Route, j.Shards, j.Delivery.Priority = job.RouteBroadcast, shards, job.PriorityHigh
		w.jobs[theJob], w.alive[theGroup] = j, addresses
	})
}

// goes returns where the shards were sent, by index, in order of time.
func (w *world) goes() map[int][]string {
	places := make(map[int][]string)
	for _, s := range w.sent() {
		places[s.task.ShardIndex] = append(places[s.task.ShardIndex], s.address)
	}
	return places
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		shards int
		alter  func(w *world)
		want   []string // the address of each shard
		reason string
	}{
		{"one for each executor", 0, func(*world) {}, []string{"http://1", "http://2", "http://3"}, "split into 3 shards over 3 executors"},
		{
			"more shards than executors", 5, func(*world) {},
			[]string{"http://1", "http://2", "http://3", "http://1", "http://2"},
			"split into 5 shards over 3 executors",
		},
		{"fewer", 1, func(*world) {}, []string{"http://1"}, "split into 1 shard over 3 executors"},
		{"those that the job selects", 0, func(w *world) {
			j := w.jobs[theJob]
			j.Delivery.Selector = map[string]string{"zone": "eu"}
			w.jobs[theJob] = j
			w.features = map[string][]string{"http://1": {"zone=eu"}, "http://3": {"zone=eu"}}
		}, []string{"http://1", "http://3"}, "split into 2 shards over 2 executors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.broadcasts(c.shards, "http://1", "http://2", "http://3")
				w.change(func() { c.alter(w) })
				param := "p"
				r := w.add(time.Now().Add(50*time.Millisecond), 15*time.Second)
				w.change(func() { w.runs[r.ID].Param = &param })
				r.Param = &param
				d.Take([]job.Run{r})
				pass(2 * time.Second)
				w.want(t, r.ID, job.Running, c.reason)
				shards, places := w.shards(r.ID), w.goes()
				if len(shards) != len(c.want) || len(places) != len(c.want) {
					t.Fatalf("%d shards were made and %d sent, want %d", len(shards), len(places), len(c.want))
				}
				for i, s := range shards {
					if s.State != job.Running || s.Shard != (job.Shard{Index: i, Total: len(c.want)}) || !s.PlannedAt.Equal(r.PlannedAt) || s.Priority != job.PriorityHigh {
						t.Errorf("shard %d is %+v", i, s)
					}
					if got := places[i]; !slices.Equal(got, c.want[i:i+1]) {
						t.Errorf("shard %d went to %v, want %s", i, got, c.want[i])
					}
				}
				for _, s := range w.sent() {
					if s.task.ShardTotal != len(c.want) || s.task.Param != "p" || s.run == r.ID {
						t.Errorf("the task %+v", s.task)
					}
				}
			})
		})
	}
}

func TestSplitWaitsForAnExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.broadcasts(0)
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(3 * time.Second)
		w.want(t, r.ID, job.Queued, "no executor of group g is alive")
		w.change(func() { w.alive[theGroup] = []string{"http://1"} })
		d.Wake()
		pass(3 * time.Second)
		w.want(t, r.ID, job.Running, "split into 1 shard over 1 executor")
	})
}

// A shard goes to another executor when its home is gone, and when it was there
// before.
func TestShardsMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.broadcasts(0, "http://1", "http://2", "http://3")
		now := time.Now()
		shard := func(index, tries int, home, avoid string) job.Run {
			r := w.add(now, 0)
			w.change(func() {
				at := w.runs[r.ID]
				at.Cause, at.CauseID, at.Shard, at.Home = job.CauseShard, 99, job.Shard{Index: index, Total: 9}, home
				at.Tries, at.Avoid, at.State = tries, avoid, job.Queued
			})
			return w.run(r.ID)
		}
		d.Take([]job.Run{
			shard(0, 0, "http://2", ""),         // at home
			shard(1, 0, "http://gone", ""),      // the second of all
			shard(2, 1, "http://3", "http://3"), // its home had it, and is to be avoided
			shard(8, 2, "http://3", ""),         // round and round: 10 % 3
		})
		pass(time.Second)
		want := map[int][]string{0: {"http://2"}, 1: {"http://2"}, 2: {"http://2"}, 8: {"http://2"}}
		if got := w.goes(); !maps.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("they went to %v, want %v", got, want)
		}
		// The job has another route by now: its shards are what they were.
		w.change(func() {
			j := w.jobs[theJob]
			j.Route, j.Version = job.RouteFirst, 2
			w.jobs[theJob] = j
		})
		d.Take([]job.Run{shard(5, 0, "http://3", "")})
		pass(time.Second)
		if got := w.goes()[5]; !slices.Equal(got, []string{"http://3"}) {
			t.Errorf("the shard of a job with another route went to %v", got)
		}
	})
}

// Whatever is alive: each shard has a number of its own, and the homes are as even
// as can be.
func TestShardsOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		it := waiting.HeldRun{Job: &job.Job{ID: 3, GroupID: 1}, Run: job.Run{ID: 7}}
		for i := range rapid.IntRange(1, 40).Draw(t, "executors") {
			it.Homes = append(it.Homes, fmt.Sprint(i))
		}
		total := rapid.IntRange(1, 200).Draw(t, "shards")
		shards, homes := shardsOf(&it, total, time.Now()), map[string]int{}
		for i, s := range shards {
			homes[s.Home]++
			if s.Shard != (job.Shard{Index: i, Total: total}) || s.CauseID != 7 || s.State != job.Queued {
				t.Fatalf("shard %d is %+v", i, s)
			}
		}
		for home, n := range homes {
			if least := total / len(it.Homes); n < least || n > least+1 {
				t.Fatalf("%s is the home of %d shards of %d, over %d executors", home, n, total, len(it.Homes))
			}
		}
	})
}
