//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// longest is how long works may stand still when the server is away that moves them on. On
// a machine that does nothing else it is 2 s after a drain or a stop and 13 s after a kill,
// and each trial tells what it was.
const longest = time.Minute

// longWork is a kind of work that lasts longer than the server that moves it on.
type longWork struct {
	kind   string // as metrics and failpoints call it
	claims int    // the one of its claims in which a server is killed
	begin  func()
	// steps returns how many steps have been made of all that was begun, and whether it is
	// over: any end but the good one ends the test.
	steps func() (n int, over bool, err error)
}

// handOver takes the server away that moves a work on, in each way in which one can go: the
// others go on, nothing is lost and nothing is done twice.
func (f *fleet) handOver(w longWork) {
	f.t.Helper()
	m := f.carrier(w)
	f.client = f.clientOf(f.without(m)[0])
	f.drain(true, m)
	rested := f.works(w, []*member{m})[0]
	f.wentOn(w, m.name+" was drained", time.Now())
	if now := f.works(w, []*member{m})[0]; now > rested+1 { // one may have been under way
		f.t.Errorf("%s drains and has made %d steps of a %s since", m.name, now-rested, w.kind)
	}
	f.drain(false, m)

	m = f.carrier(w)
	others := f.without(m)
	f.client = f.clientOf(others[0])
	if code := m.now.stop(); code != 0 {
		f.t.Errorf("%s stopped with exit code %d", m.name, code)
	}
	f.wentOn(w, m.name+" was stopped", time.Now())

	// While the others drain it moves all works on alone, until it dies in the middle.
	m.restart(fmt.Sprintf("%s/claimed=kill:%d", w.kind, w.claims))
	m.well(f.t)
	f.drain(true, others...)
	w.begin()
	m.kills++
	m.now.killedItself()
	killed := time.Now()
	f.drain(false, others...)
	f.wentOn(w, fmt.Sprintf("%s was killed in its claim %d", m.name, w.claims), killed)
	eventually(f.t, func() error {
		if taken := f.figures("works_takeovers_total", others...); slices.Max(taken) == 0 {
			return fmt.Errorf("no server has taken over the works of %s", m.name)
		}
		return nil
	})
	eventually(f.t, func() error {
		n, over, err := w.steps()
		if err == nil && !over {
			err = fmt.Errorf("%d steps have been made of each %s, and it is not over", n, w.kind)
		}
		return err
	})
	f.t.Logf("steps of a %s by the servers that are left: %d", w.kind, f.works(w, others))
	f.settled()
}

// without returns the servers but one.
func (f *fleet) without(m *member) []*member {
	return slices.DeleteFunc(f.servers(), func(other *member) bool { return other == m })
}

// works returns how many steps of works of a kind servers have made.
func (f *fleet) works(w longWork, servers []*member) []int {
	f.t.Helper()
	return f.figures(fmt.Sprintf("works_steps_total{kind=%q}", w.kind), servers...)
}

// further waits until so many more steps have been made than there were.
func (f *fleet) further(w longWork, than, steps int) {
	f.t.Helper()
	eventually(f.t, func() error {
		n, _, err := w.steps()
		if err == nil && n < than+steps {
			err = fmt.Errorf("%d steps have been made of each %s, and %d of them before", n, w.kind, than)
		}
		return err
	})
}

// carrier begins works and returns the server that moves them on most.
func (f *fleet) carrier(w longWork) *member {
	f.t.Helper()
	before := f.works(w, f.servers())
	w.begin()
	n, _, err := w.steps()
	if err != nil {
		f.t.Fatal(err)
	}
	f.further(w, n, 6)
	most, by := 0, f.server
	for i, now := range f.works(w, f.servers()) {
		if now-before[i] > most {
			most, by = now-before[i], f.servers()[i]
		}
	}
	f.t.Logf("%s has made most steps of each %s: %d", by.name, w.kind, most)
	return by
}

// wentOn waits until the works go on without a server that went away at an instant.
func (f *fleet) wentOn(w longWork, what string, at time.Time) {
	f.t.Helper()
	n, over, err := w.steps()
	if err != nil {
		f.t.Fatal(err)
	}
	if over {
		w.begin()
	}
	f.further(w, n, 1)
	took := time.Since(at)
	f.t.Logf("after %s each %s went on within %s", what, w.kind, took.Round(time.Millisecond))
	if took > longest {
		f.t.Errorf("after %s each %s stood still for %s, at most %s are allowed", what, w.kind, took, longest)
	}
}

// newWorks is three servers on a database, and an executor of each tongue.
func newWorks(t *testing.T, address string) *fleet {
	t.Helper()
	f := newCluster(t, address, 3, "--log-level", "info")
	for _, speaks := range tongues() {
		f.addWorker(speaks, nil)
	}
	return f
}

// TestBackfillMoves drains, stops and kills the server that makes the runs of a backfill.
func TestBackfillMoves(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE fill")
	backfillMoves(t, pg.at("fill"))
}

// TestMariaDBBackfill is TestBackfillMoves on MariaDB.
func TestMariaDBBackfill(t *testing.T) {
	t.Parallel()
	_, _, address := newMariaDB(t)
	backfillMoves(t, address)
}

// backfillMoves is the test on the database of an address.
func backfillMoves(t *testing.T, address string) {
	t.Helper()
	const slots = 180 // of each
	f := newWorks(t, address)
	f.create(api.NewJob{
		Key: "slot", Param: "200 0", Overlap: job.OverlapConcurrent, Concurrency: 64, Schedule: api.Schedule{Kind: schedule.KindEvery, Every: api.Duration(time.Second)},
	}, duty{ends: []job.State{job.Succeeded}})
	to := time.Now().Truncate(time.Second)
	var fills []api.ID
	steps := func() (made int, over bool, err error) {
		over = true
		for _, id := range fills {
			b, err := f.client.Backfill(t.Context(), id)
			if b.Failed > 0 || b.State == job.BackfillCancelled {
				t.Fatalf("backfill %d is %s %s; %d runs have failed", id, b.State, b.Reason, b.Failed)
			}
			if err != nil {
				return 0, false, err
			}
			made, over = made+b.Made, over && b.State == job.BackfillFinished
		}
		return made, over, nil
	}
	f.handOver(longWork{
		kind: "backfill", claims: 4, steps: steps,
		begin: func() {
			if made, _, err := steps(); err != nil || len(fills)*slots-made > slots/2 {
				return // there is enough left
			}
			from := to.Add(-slots * time.Second)
			b, err := f.client.CreateBackfill(t.Context(), "slot", api.NewBackfill{From: api.At(from), To: api.At(to), Parallel: 12}, false)
			if err != nil {
				t.Fatal(err)
			}
			fills, to = append(fills, b.ID), from
		},
	})
	f.verdict().once(t)
	runs, err := f.list()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int64]int)
	for i := range runs {
		seen[runs[i].PlannedAt.UnixMilli()]++
	}
	if want := slots * len(fills); len(runs) != want || len(seen) != want {
		t.Errorf("%d slots have %d runs, want one for each of %d", len(seen), len(runs), want)
	}
}

// TestWorkflowMoves drains, stops and kills the server that moves workflows on.
func TestWorkflowMoves(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE flow")
	f := newWorks(t, pg.at("flow"))
	f.create(api.NewJob{
		Key: "step", Param: "300 0", Overlap: job.OverlapConcurrent, Concurrency: 64, Schedule: api.Schedule{Kind: schedule.KindManual},
	}, duty{ends: []job.State{job.Succeeded}})
	const nodes = 10
	flow := api.NewWorkflow{}
	for i := range nodes {
		n := api.WorkflowNode{Name: fmt.Sprintf("n%d", i), Job: "step"}
		for _, back := range []int{1, 2} { // each waits for the two before it
			if i >= back {
				n.After = append(n.After, api.WorkflowEdge{Node: fmt.Sprintf("n%d", i-back)})
			}
		}
		flow.Nodes = append(flow.Nodes, n)
	}
	if _, err := f.client.SaveWorkflow(t.Context(), "chain", flow); err != nil {
		t.Fatal(err)
	}
	var open, all []api.ID
	done := 0 // nodes of those that are not open any more
	f.handOver(longWork{
		kind: "workflow", claims: 4,
		begin: func() {
			for range 3 {
				w, err := f.client.StartWorkflow(t.Context(), "chain", api.WorkflowStart{})
				if err != nil {
					t.Fatal(err)
				}
				open, all = append(open, w.ID), append(all, w.ID)
			}
		},
		steps: func() (n int, over bool, err error) {
			for _, id := range slices.Clone(open) {
				w, err := f.client.WorkflowRun(t.Context(), id)
				if err != nil {
					return 0, false, err
				}
				if w.Failed > 0 || w.State == job.WorkflowCancelled {
					t.Fatalf("workflow run %d is %s %s", id, w.State, w.Reason)
				}
				if w.State == job.WorkflowSucceeded {
					done += w.Done
					open = slices.DeleteFunc(open, func(o api.ID) bool { return o == id })
					continue
				}
				n += w.Done
			}
			return done + n, len(open) == 0, nil
		},
	})
	f.evidence().once(t)
	for _, id := range all {
		if w, err := f.client.WorkflowRun(t.Context(), id); err != nil || w.State != job.WorkflowSucceeded || w.Generation != 1 {
			t.Errorf("workflow run %d is %s %s in generation %d: %v", id, w.State, w.Reason, w.Generation, err)
		}
	}
	if runs, err := f.list(); err != nil || len(runs) != nodes*len(all) {
		t.Errorf("%d workflow runs have %d runs, want %d for each: %v", len(all), len(runs), nodes, err)
	}
}

// TestBroadcastMoves drains, stops and kills the server that ends broadcasts to three
// executors.
func TestBroadcastMoves(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE spread")
	f := newWorks(t, pg.at("spread"))
	f.create(api.NewJob{
		Key: "all", Param: "700 0", Route: job.RouteBroadcast, Overlap: job.OverlapConcurrent, Concurrency: 64, Schedule: api.Schedule{Kind: schedule.KindManual},
	}, duty{ends: []job.State{job.Succeeded}})
	var open, all []api.ID
	f.handOver(longWork{
		kind: "broadcast", claims: 1, // there may be no further one: a claim takes all that are ready
		begin: func() {
			for range 12 {
				r, err := f.client.Trigger(t.Context(), "all", api.Trigger{})
				if err != nil {
					t.Fatal(err)
				}
				open, all = append(open, r.ID), append(all, r.ID)
			}
		},
		steps: func() (n int, over bool, err error) {
			for _, id := range slices.Clone(open) {
				r, err := f.client.Run(t.Context(), id)
				if err != nil {
					return 0, false, err
				}
				if r.Final {
					open = slices.DeleteFunc(open, func(o api.ID) bool { return o == id })
				}
			}
			return len(all) - len(open), len(open) == 0, nil
		},
	})
	began := f.evidence().began()
	for _, id := range all {
		if r, err := f.client.Run(t.Context(), id); err != nil || r.State != job.Succeeded {
			t.Errorf("broadcast %d is %s %s: %v", id, r.State, r.Reason, err)
		}
		shards, err := f.client.Shards(t.Context(), id)
		if err != nil || len(shards) != 3 {
			t.Errorf("broadcast %d has %d shards, want 3: %v", id, len(shards), err)
		}
		for _, s := range shards {
			if n := began[int64(s.ID)]; n != 1 || s.State != job.Succeeded {
				t.Errorf("shard %d of broadcast %d is %s and began %d times", s.ID, id, s.State, n)
			}
		}
	}
	if len(began) != 3*len(all) {
		t.Errorf("%d shards of %d broadcasts began", len(began), len(all))
	}
}
