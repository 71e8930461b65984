package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// maxReason is the most characters of the reason of a node.
const maxReason = 1000

// limits are how soon a workflow run with active nodes is checked again when no end of a
// run is announced.
type limits struct {
	poll    time.Duration // at the soonest
	longest time.Duration // and at the latest, however long it has waited
}

// plan is a step under construction.
type plan struct {
	Step
	places map[string]int // index of the nodes, by name
	starts []int          // the nodes of Runs
}

// decide returns the next step of a workflow run: it settles the nodes whose runs have
// ended, starts and skips others, and sets the time of the next check. It is pure. starts
// are the indexes of the nodes of the step's Runs; the caller draws the ids.
func decide(w Work, now time.Time, l limits) (step Step, starts []int) {
	p := newPlan(w.Run, w.Step, now)
	p.settle(w.Ended)
	if p.Run.State == job.WorkflowCancelling {
		p.cancelWaiting()
	} else {
		p.spread()
	}
	p.finish(l)
	return p.Step, p.starts
}

func newPlan(r job.WorkflowRun, number int64, now time.Time) *plan {
	r.Nodes = slices.Clone(r.Nodes)
	p := &plan{
		Step:   Step{Run: r, Number: number, Now: now.UTC().Truncate(time.Millisecond)},
		places: make(map[string]int, len(r.Nodes)),
	}
	for i := range r.Nodes {
		p.places[r.Nodes[i].Name] = i
	}
	return p
}

// change returns the node for writing, and records that it changes.
func (p *plan) change(i int) *job.NodeRun {
	if !slices.Contains(p.Changed, i) {
		p.Changed = append(p.Changed, i)
	}
	return &p.Run.Nodes[i]
}

// endNode sets the final state of a node.
func (p *plan) endNode(i int, state job.NodeState, reason string) {
	n := p.change(i)
	n.State, n.Reason, n.EndedAt = state, job.Clean(reason, maxReason), p.Now
}

// settle ends the nodes whose runs have ended.
func (p *plan) settle(ended map[int64]End) {
	for i := range p.Run.Nodes {
		n := &p.Run.Nodes[i]
		end, over := ended[n.RunID]
		switch {
		case n.State != job.NodeRunning || !over:
		case end.State == job.Succeeded:
			p.endNode(i, job.NodeSucceeded, "")
			n.Result = job.Clean(end.Message, job.MaxNodeResult)
		case end.State == job.Cancelled && p.Run.State == job.WorkflowCancelling:
			p.endNode(i, job.NodeCancelled, p.Run.Reason)
		default:
			p.endNode(i, job.NodeFailed, unsuccessful(n.RunID, end))
		}
	}
}

// unsuccessful describes how a run has ended.
func unsuccessful(run int64, end End) string {
	text := fmt.Sprintf("run %d: %s", run, strings.ReplaceAll(string(end.State), "_", " "))
	switch {
	case end.Message != "":
		text += ": " + end.Message
	case end.Reason != "":
		text += ": " + end.Reason
	}
	return text
}

// spread starts the nodes that may start and skips those that no longer can, until neither
// changes anything.
func (p *plan) spread() {
	for again := true; again; {
		again = false
		for i := range p.Run.Nodes {
			n := &p.Run.Nodes[i]
			if n.State != job.NodeWaiting {
				continue
			}
			need, _ := n.Join.Need(len(n.After))
			holding, pending, broken := p.edges(n)
			switch {
			case holding >= need:
				again = p.start(i) || again
			case holding+pending < need:
				p.endNode(i, job.NodeSkipped, "not reached: "+strings.Join(broken, ", "))
				again = true
			}
		}
	}
}

// edges counts the edges of a node that hold and those that may still hold, and returns why
// the first of the others do not.
func (p *plan) edges(n *job.NodeRun) (holding, pending int, broken []string) {
	const most = 5
	for _, e := range n.After {
		from := &p.Run.Nodes[p.places[e.Node]]
		switch {
		case !from.State.Over():
			pending++
		case holds(e.On, from.State):
			holding++
		case len(broken) < most:
			broken = append(broken, from.Name+" "+became(from.State))
		}
	}
	return holding, pending, broken
}

// became describes the final state of a node.
func became(state job.NodeState) string {
	if state == job.NodeSucceeded || state == job.NodeFailed {
		return "has " + string(state)
	}
	return "was " + string(state)
}

// holds reports whether an edge from a node in a final state holds.
func holds(on job.Condition, state job.NodeState) bool {
	switch on {
	case job.OnFailure:
		return state == job.NodeFailed
	case job.OnAlways:
		return true
	default:
		return state == job.NodeSucceeded
	}
}

// start creates the run of a node, and reports whether the node is already over, because it
// cannot be started.
func (p *plan) start(i int) (over bool) {
	r := &p.Run
	n := p.change(i)
	n.StartedAt, n.Generation = p.Now, r.Generation
	param, err := p.param(n)
	if err != nil {
		p.endNode(i, job.NodeFailed, err.Error())
		return true
	}
	n.State, n.Reason = job.NodeRunning, ""
	p.starts = append(p.starts, i)
	p.Runs = append(p.Runs, job.Run{
		JobID: n.JobID, PlannedAt: r.PlannedAt, Cause: job.CauseParent, State: job.Planned,
		Reason:  fmt.Sprintf("workflow %s run %d, node %s", r.Workflow, r.ID, n.Name),
		ReadyAt: p.Now, DueAt: p.Now, Param: param, CreatedAt: p.Now,
		Loose: n.Param != nil && job.CheckFixedTemplate("", *n.Param) != nil,
	})
	return false
}

// cancelWaiting cancels the nodes that have not started.
func (p *plan) cancelWaiting() {
	for i := range p.Run.Nodes {
		switch n := &p.Run.Nodes[i]; n.State {
		case job.NodeWaiting:
			p.endNode(i, job.NodeCancelled, p.Run.Reason)
		case job.NodeRunning:
			p.Cancel = append(p.Cancel, n.RunID)
		default:
		}
	}
}

// finish ends the workflow run when nothing is left to do, and otherwise sets the time of
// the next check.
func (p *plan) finish(l limits) {
	r := &p.Run
	r.Count()
	if r.Done < r.Total {
		p.Look = p.Now.Add(p.waitTime(l))
		return
	}
	r.EndedAt = p.Now
	if r.State == job.WorkflowCancelling {
		r.State = job.WorkflowCancelled
		return
	}
	r.State, r.Reason = job.WorkflowSucceeded, ""
	var names []string
	for i := range r.Nodes {
		if p.counts(i) {
			names = append(names, r.Nodes[i].Name)
		}
	}
	if len(names) > 0 {
		r.State, r.Reason = job.WorkflowFailed, failure(names)
	}
}

// failure names the nodes that made a workflow run fail.
func failure(names []string) string {
	const most = 5
	if len(names) == 1 {
		return "node " + names[0] + " has failed"
	}
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
	}
	return "nodes " + strings.Join(names, ", ") + " have failed"
}

// counts reports whether the failure of a node makes the workflow run fail: no node that
// follows it on success or failure continued.
func (p *plan) counts(i int) bool {
	failed := &p.Run.Nodes[i]
	if failed.State != job.NodeFailed {
		return false
	}
	return !slices.ContainsFunc(p.Run.Nodes, func(n job.NodeRun) bool {
		return !n.StartedAt.IsZero() && slices.ContainsFunc(n.After, func(e job.WorkflowEdge) bool {
			return e.Node == failed.Name && e.On != job.OnAlways
		})
	})
}

// waitTime returns the time until the next check: longer the longer the last node has been
// active, because most ends are announced.
func (p *plan) waitTime(l limits) time.Duration {
	var last time.Time
	for i := range p.Run.Nodes {
		if n := &p.Run.Nodes[i]; n.State == job.NodeRunning && n.StartedAt.After(last) {
			last = n.StartedAt
		}
	}
	return min(max(p.Now.Sub(last)/4, l.poll), l.longest)
}
