package workflow

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// drawRun draws a workflow run whose nodes stand in no particular order.
func drawRun(t *rapid.T) job.WorkflowRun {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	list := make([]job.WorkflowNode, n)
	for i := range list {
		node := job.WorkflowNode{Name: fmt.Sprint("n", i), Job: fmt.Sprint("job-", i)}
		for k := range i {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				on := rapid.SampledFrom([]job.Condition{"", job.OnSuccess, job.OnSuccess, job.OnFailure, job.OnAlways}).Draw(t, "on")
				node.After = append(node.After, job.WorkflowEdge{Node: fmt.Sprint("n", k), On: on})
			}
		}
		joins := []string{"", "all", "any"}
		for k := range node.After {
			joins = append(joins, strconv.Itoa(k+1))
		}
		node.Join = job.Join(rapid.SampledFrom(joins).Draw(t, "join"))
		list[i] = node
	}
	list = rapid.Permutation(list).Draw(t, "order")
	w := job.Workflow{Key: "w", Nodes: list}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	r := running()
	for i, node := range list {
		r.Nodes = append(r.Nodes, job.NodeRun{WorkflowNode: node, JobID: int64(100 + i), State: job.NodeWaiting, Generation: 1})
	}
	r.Count()
	return r
}

// oracle says, by the definition alone, how a node ends when each run that is
// made ends as fate says.
func oracle(r *job.WorkflowRun, name string, fate map[string]bool) job.NodeState {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Name != name {
			continue
		}
		hold := 0
		for _, e := range n.After {
			state := oracle(r, e.Node, fate)
			if e.On == job.OnAlways || (state == job.NodeFailed && e.On == job.OnFailure) ||
				(state == job.NodeSucceeded && e.On != job.OnFailure) {
				hold++
			}
		}
		need := len(n.After)
		switch n.Join {
		case "", job.JoinAll:
		case job.JoinAny:
			need = min(1, need)
		default:
			need, _ = strconv.Atoi(string(n.Join))
		}
		switch {
		case hold < need:
			return job.NodeSkipped
		case fate[name]:
			return job.NodeSucceeded
		default:
			return job.NodeFailed
		}
	}
	panic("no node " + name)
}

// verdict says how the whole ends: failed when a failed node has nobody after it
// who went on by success or failure.
func verdict(r *job.WorkflowRun, fate map[string]bool) job.WorkflowState {
	for i := range r.Nodes {
		name := r.Nodes[i].Name
		if oracle(r, name, fate) != job.NodeFailed {
			continue
		}
		forgiven := false
		for k := range r.Nodes {
			for _, e := range r.Nodes[k].After {
				if e.Node == name && e.On != job.OnAlways && oracle(r, r.Nodes[k].Name, fate) != job.NodeSkipped {
					forgiven = true
				}
			}
		}
		if !forgiven {
			return job.WorkflowFailed
		}
	}
	return job.WorkflowSucceeded
}

// drawFate draws for each node whether its run succeeds.
func drawFate(t *rapid.T, r *job.WorkflowRun) map[string]bool {
	fate := make(map[string]bool)
	for i := range r.Nodes {
		fate[r.Nodes[i].Name] = rapid.Bool().Draw(t, r.Nodes[i].Name+" succeeds")
	}
	return fate
}

// wantOracle compares a workflow run that is over with the oracle.
func wantOracle(t *rapid.T, r *job.WorkflowRun, fate map[string]bool) {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if want := oracle(r, n.Name, fate); n.State != want {
			t.Fatalf("node %s is %s, want %s; all: %s", n.Name, n.State, want, states(r))
		}
	}
	if want := verdict(r, fate); r.State != want {
		t.Fatalf("the run is %s (%s), want %s: %s", r.State, r.Reason, want, states(r))
	}
}

// In whatever order and company the runs end, the nodes end as the definition
// says; each started node has had one run, and there is always something under
// way until the end.
func TestDecideAgreesWithTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		fate := drawFate(t, &r)
		ids := int64(0)
		var made []int64 // under way
		owner := make(map[int64]string)
		ended := make(map[int64]End)
		for range 40 {
			step, starts := decide(Work{Run: r, Ended: ended}, now, plain)
			for _, i := range starts {
				ids++
				step.Run.Nodes[i].RunID = ids
				made, owner[ids] = append(made, ids), step.Run.Nodes[i].Name
			}
			r, ended = step.Run, make(map[int64]End)
			if r.State.Over() {
				break
			}
			if len(made) == 0 {
				t.Fatalf("nothing is under way, and it is not over: %s", states(&r))
			}
			for range rapid.IntRange(1, len(made)).Draw(t, "ends") {
				k := rapid.IntRange(0, len(made)-1).Draw(t, "which")
				state := job.Succeeded
				if !fate[owner[made[k]]] {
					state = rapid.SampledFrom([]job.State{job.Failed, job.TimedOut, job.Lost, job.Cancelled, job.Skipped}).Draw(t, "as")
				}
				ended[made[k]] = End{State: state}
				made = append(made[:k], made[k+1:]...)
			}
		}
		wantOracle(t, &r, fate)
		names := make(map[string]bool)
		for _, name := range owner {
			if names[name] || oracle(&r, name, fate) == job.NodeSkipped {
				t.Fatalf("node %s has been started twice, or should not have been", name)
			}
			names[name] = true
		}
	})
}

// storm is a workflow run, its store and an engine to which bad things happen.
type storm struct {
	store  *rows
	engine *Engine
	keeper *Keeper
	now    time.Time
	fate   map[string]bool
	byJob  map[int64]string // the node of a job
}

func newStorm(t *rapid.T) *storm {
	r := drawRun(t)
	// Its clock is the keeper's.
	s := &storm{store: newRows(r), now: time.Now(), fate: drawFate(t, &r), byJob: make(map[int64]string)}
	for i := range r.Nodes {
		s.byJob[r.Nodes[i].JobID] = r.Nodes[i].Name
	}
	s.keeper = s.store.keeper()
	s.restart()
	return s
}

func (s *storm) restart() { s.engine = New(Config{Store: s.store, IDs: s.store}) }

// endOne ends a run as its fate is.
func (s *storm) endOne(run int64) {
	state := job.Failed
	if s.fate[s.byJob[s.store.runs[run].JobID]] {
		state = job.Succeeded
	}
	s.store.end(run, state, "")
}

// step lets one thing happen.
func (s *storm) step(t *rapid.T) {
	once := func() func() error {
		at := rapid.IntRange(1, 4).Draw(t, "at")
		return func() error {
			if at--; at == 0 {
				return errBroken
			}
			return nil
		}
	}
	switch rapid.IntRange(0, 7).Draw(t, "event") {
	case 0:
		s.restart()
	case 1:
		s.now = s.now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "later")) * time.Millisecond)
	case 2:
		s.store.fail = once()
	case 3:
		s.store.failLate = once()
	case 4, 5:
		if open := s.store.open(); len(open) > 0 {
			s.endOne(rapid.SampledFrom(open).Draw(t, "run"))
		}
	default:
		s.pass(t, time.Duration(rapid.IntRange(0, 30).Draw(t, "reach"))*time.Second)
		s.store.fail = func() error { return nil }
		s.store.failLate = s.store.fail
	}
}

func (s *storm) pass(t *rapid.T, reach time.Duration) {
	if _, err := s.engine.runPass(t.Context(), s.now, reach); err != nil && !errors.Is(err, errBroken) {
		t.Fatalf("pass: %v", err)
	}
}

// finish lets all be well until the workflow run is over.
func (s *storm) finish(t *rapid.T) {
	s.store.fail = func() error { return nil }
	s.store.failLate = s.store.fail
	for range 100 {
		for _, run := range s.store.open() {
			s.endOne(run)
		}
		s.pass(t, 0)
		if r := s.store.of(7); r.State.Over() {
			return
		}
		s.now = s.now.Add(20 * time.Second)
	}
	t.Fatal("the workflow run does not end")
}

// Whatever happens, each node that is reached has one run, and the end is as the
// definition says.
func TestEachNodeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStorm(t)
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			s.step(t)
		}
		s.finish(t)
		r := s.store.of(7)
		wantOracle(t, &r.WorkflowRun, s.fate)
		runs := make(map[string]int)
		for _, run := range s.store.runs {
			runs[s.byJob[run.JobID]]++
		}
		for i := range r.Nodes {
			n := &r.Nodes[i]
			if want := map[bool]int{true: 1, false: 0}[n.State != job.NodeSkipped]; runs[n.Name] != want {
				t.Fatalf("node %s is %s and has %d runs", n.Name, n.State, runs[n.Name])
			}
		}
	})
}

// However often it is cancelled and resumed meanwhile, a workflow run ends; what
// has succeeded once is not run again; and nothing goes on after the end of one
// that was cancelled.
func TestCancelAndResumeAtAnyTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStorm(t)
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			switch rapid.IntRange(0, 5).Draw(t, "user") {
			case 0:
				if _, err := s.keeper.CancelWorkflowRun(t.Context(), 7, "enough"); err != nil && !errors.Is(err, errBroken) {
					t.Fatal(err)
				}
			case 1:
				if _, err := s.keeper.ResumeWorkflowRun(t.Context(), 7); err != nil && !errors.Is(err, errBroken) && !job.Is(err, job.Conflict) {
					t.Fatal(err)
				}
			default:
				s.step(t)
			}
			if r := s.store.of(7); r.State == job.WorkflowCancelled && len(s.store.open()) > 0 {
				t.Fatalf("runs %v go on: %s", s.store.open(), states(&r.WorkflowRun))
			}
		}
		s.finish(t)
		for name := range s.fate { // now all succeed
			s.fate[name] = true
		}
		if r := s.store.of(7); r.State == job.WorkflowCancelled || r.State == job.WorkflowFailed {
			if _, err := s.keeper.ResumeWorkflowRun(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			s.finish(t)
		}
		r := s.store.of(7)
		if r.State != job.WorkflowSucceeded {
			t.Fatalf("it is %s (%s) although all succeed: %s", r.State, r.Reason, states(&r.WorkflowRun))
		}
		good := make(map[string]int)
		for _, run := range s.store.runs {
			if run.State == job.Succeeded {
				good[s.byJob[run.JobID]]++
			}
		}
		for name, n := range good {
			if n > 1 {
				t.Fatalf("node %s has succeeded %d times", name, n)
			}
		}
	})
}
