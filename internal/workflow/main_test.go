package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	now   = time.Date(2026, 5, 1, 12, 0, 0, 123_000_000, time.UTC)
	plain = limits{poll: time.Second, longest: 15 * time.Second}
)

// nodes reads nodes: "c/2:a,b!,d*" is c, of whose edges two must hold: on the
// success of a, the failure of b, and any end of d.
func nodes(texts ...string) []job.WorkflowNode {
	var list []job.WorkflowNode
	for _, text := range texts {
		head, after, _ := strings.Cut(text, ":")
		name, join, _ := strings.Cut(head, "/")
		n := job.WorkflowNode{Name: name, Job: "job-" + name, Join: job.Join(join)}
		for _, e := range strings.FieldsFunc(after, func(r rune) bool { return r == ',' }) {
			edge := job.WorkflowEdge{Node: strings.TrimRight(e, "!*")}
			switch e[len(e)-1] {
			case '!':
				edge.On = job.OnFailure
			case '*':
				edge.On = job.OnAlways
			}
			n.After = append(n.After, edge)
		}
		list = append(list, n)
	}
	return list
}

// running returns a workflow run of which no node has begun.
func running(texts ...string) job.WorkflowRun {
	r := job.WorkflowRun{
		ID: 7, WorkflowID: 3, Namespace: "default", Workflow: "nightly", Version: 2, State: job.WorkflowRunning,
		PlannedAt: now.Add(-time.Hour), Param: "p", Generation: 1, CreatedAt: now,
	}
	for i, n := range nodes(texts...) {
		r.Nodes = append(r.Nodes, job.NodeRun{WorkflowNode: n, JobID: int64(100 + i), State: job.NodeWaiting, Generation: 1})
	}
	r.Count()
	return r
}

// states writes out how the nodes stand: "a succeeded, b running".
func states(r *job.WorkflowRun) string {
	var parts []string
	for i := range r.Nodes {
		parts = append(parts, r.Nodes[i].Name+" "+string(r.Nodes[i].State))
	}
	return strings.Join(parts, ", ")
}

var errBroken = errors.New("the connection is lost")

// rows is a store in memory with the rules that the interfaces promise.
type rows struct {
	mu        sync.Mutex
	workflows map[string]job.Workflow
	books     map[int64]*row
	runs      map[int64]*job.Run
	jobs      map[string]int64       // by key
	inputs    map[string][]job.Input // of jobs, by their keys
	lastID    int64
	claims    int
	asked     int     // the most runs that EndedRuns was asked about
	killed    []int64 // what CancelRun was asked

	fail     func() error // before a call: nothing happens
	failLate func() error // after a write: it has happened
	kill     func(id int64) error
	refused  int64 // the workflow run whose steps are never committed
}

// row is a workflow run as it is stored.
type row struct {
	job.WorkflowRun
	step int64
	look time.Time
}

func newRows(runs ...job.WorkflowRun) *rows {
	never := func() error { return nil }
	r := &rows{
		workflows: make(map[string]job.Workflow), books: make(map[int64]*row), runs: make(map[int64]*job.Run),
		jobs: make(map[string]int64), fail: never, failLate: never, kill: func(int64) error { return nil },
	}
	for _, run := range runs {
		r.books[run.ID] = &row{WorkflowRun: run}
		for i := range run.Nodes {
			r.jobs[run.Nodes[i].Job] = run.Nodes[i].JobID
		}
	}
	return r
}

// lock returns the lock's release, for one-line use with defer.
func (r *rows) lock() func() { r.mu.Lock(); return r.mu.Unlock }

func (r *rows) ClaimWorkflowRuns(_ context.Context, c Claim) ([]Work, error) {
	defer r.lock()()
	r.claims++
	if err := r.fail(); err != nil {
		return nil, err
	}
	var due, named []*row
	for _, b := range r.books {
		switch {
		case b.State.Over():
		case slices.Contains(c.IDs, b.ID):
			named = append(named, b)
		case !b.look.After(c.Until):
			due = append(due, b)
		}
	}
	slices.SortFunc(due, func(a, b *row) int { return cmp.Or(a.look.Compare(b.look), cmp.Compare(a.ID, b.ID)) })
	var works []Work
	for _, b := range append(named, due[:min(c.Limit, len(due))]...) {
		b.look = c.Lease
		b.step++
		w := Work{Run: b.WorkflowRun, Step: b.step, Ended: make(map[int64]End)}
		w.Run.Nodes = slices.Clone(b.Nodes)
		for _, id := range underWay(&w.Run) {
			if run, ok := r.runs[id]; !ok {
				w.Ended[id] = End{State: job.Lost, Message: "it does not exist"}
			} else if run.State.Final() {
				w.Ended[id] = End{State: run.State, Message: run.Message, Reason: run.Reason}
			}
		}
		works = append(works, w)
	}
	return works, r.failLate()
}

func (r *rows) CommitWorkflowStep(_ context.Context, s Step) (bool, error) {
	defer r.lock()()
	if err := r.fail(); err != nil {
		return false, err
	}
	if s.Run.ID == r.refused {
		return false, errBroken
	}
	b := r.books[s.Run.ID]
	if b.step != s.Number {
		return false, r.failLate()
	}
	kept := slices.Clone(b.Nodes)
	for _, i := range s.Changed { // no other may have changed
		kept[i] = s.Run.Nodes[i]
	}
	*b = row{WorkflowRun: s.Run, step: s.Number + 1, look: s.Look}
	b.Nodes = kept
	for _, run := range s.Runs {
		if slices.Contains(slices.Collect(maps.Values(r.jobs)), run.JobID) {
			r.runs[run.ID] = &run
		}
	}
	for _, id := range s.Cancel {
		if run := r.runs[id]; run != nil && run.State.Waiting() {
			run.State, run.Reason = job.Cancelled, s.Run.Reason
		}
	}
	return true, r.failLate()
}

func (r *rows) LetGoWorkflowRuns(_ context.Context, ids []int64, now time.Time) error {
	defer r.lock()()
	if err := r.fail(); err != nil {
		return err
	}
	for _, id := range ids {
		if b := r.books[id]; b != nil && b.look.After(now) {
			b.look = now
		}
	}
	return r.failLate()
}

func (r *rows) EndedRuns(_ context.Context, runs []int64) ([]int64, error) {
	defer r.lock()()
	r.asked = max(r.asked, len(runs))
	var ended []int64
	for _, id := range runs {
		if run := r.runs[id]; run == nil || run.State.Final() {
			ended = append(ended, id)
		}
	}
	return ended, r.fail()
}

func (r *rows) NextRunID(context.Context) (int64, error) {
	defer r.lock()()
	r.lastID++
	return r.lastID, r.fail()
}

func (r *rows) SaveWorkflow(_ context.Context, w job.Workflow) (job.Workflow, error) {
	defer r.lock()()
	w.ID, w.Version = 3, r.workflows[w.Key].Version+1
	r.workflows[w.Key] = w
	return w, r.fail()
}

func (r *rows) DeleteWorkflow(_ context.Context, namespace, key string) error {
	defer r.lock()()
	delete(r.workflows, key)
	return r.fail()
}

func (r *rows) Workflow(_ context.Context, namespace, key string) (job.Workflow, error) {
	defer r.lock()()
	w, ok := r.workflows[key]
	if !ok || namespace != w.Namespace {
		return job.Workflow{}, job.Errorf(job.NotFound, "workflow %s does not exist in namespace %s", key, namespace)
	}
	return w, r.fail()
}

func (r *rows) Workflows(_ context.Context, namespace string) ([]job.Workflow, error) {
	defer r.lock()()
	return []job.Workflow{{Key: "all of " + namespace}}, r.fail()
}

func (r *rows) AddWorkflowRun(_ context.Context, w job.WorkflowRun) (job.WorkflowRun, error) {
	defer r.lock()()
	w.ID = int64(len(r.books) + 1)
	r.books[w.ID] = &row{WorkflowRun: w, look: w.CreatedAt}
	return w, r.fail()
}

func (r *rows) WorkflowRun(_ context.Context, id int64) (job.WorkflowRun, int64, error) {
	defer r.lock()()
	b, ok := r.books[id]
	if !ok {
		return job.WorkflowRun{}, 0, job.Errorf(job.NotFound, "workflow run %d does not exist", id)
	}
	w := b.WorkflowRun
	w.Nodes = slices.Clone(b.Nodes)
	return w, b.step, r.fail()
}

func (r *rows) WorkflowRuns(_ context.Context, f Filter) ([]job.WorkflowRun, error) {
	return []job.WorkflowRun{{Reason: fmt.Sprintf("%+v", f)}}, r.fail()
}

func (r *rows) Job(_ context.Context, namespace, key string) (job.Job, error) {
	defer r.lock()()
	id, ok := r.jobs[key]
	if !ok {
		return job.Job{}, job.Errorf(job.NotFound, "job %s does not exist in namespace %s", key, namespace)
	}
	return job.Job{ID: id, Key: key, Inputs: r.inputs[key]}, nil
}

func (r *rows) CancelRun(_ context.Context, id int64, reason string) (job.Run, error) {
	defer r.lock()()
	r.killed = append(r.killed, id)
	if err := r.kill(id); err != nil {
		return job.Run{}, err
	}
	run := r.runs[id]
	if run.State.Final() && run.State != job.Cancelled {
		return *run, job.Errorf(job.Conflict, "run %d is over already", id)
	}
	run.State, run.Reason = job.Cancelled, reason
	return *run, nil
}

func (r *rows) end(run int64, state job.State, message string) {
	defer r.lock()()
	r.runs[run].State, r.runs[run].Message = state, message
}

// open returns the ids of the runs that are not final, in order.
func (r *rows) open() []int64 {
	defer r.lock()()
	var open []int64
	for id, run := range r.runs {
		if !run.State.Final() {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	return open
}

func (r *rows) change(fn func()) {
	defer r.lock()()
	fn()
}

func (r *rows) of(id int64) row {
	defer r.lock()()
	b := *r.books[id]
	b.Nodes = slices.Clone(b.Nodes)
	return b
}

// keeper returns a keeper on the rows.
func (r *rows) keeper() *Keeper {
	return NewKeeper(KeeperConfig{Definitions: r, Book: r, Store: r, Jobs: r, Runs: r})
}
