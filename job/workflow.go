package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a Workflow.
const (
	MaxWorkflows     = 1000
	MaxWorkflowNodes = 200
	// MaxWorkflowEdges bounds the edges of all nodes together.
	MaxWorkflowEdges = 2000
	MaxNodeParam     = 4 << 10   // bytes of the template of a node's parameter
	MaxNodeParams    = 256 << 10 // bytes of all templates of a workflow together
	// MaxNodeResult is the characters of a node's result that are kept for the
	// nodes after it.
	MaxNodeResult = 4 << 10
	// MaxWorkflowRuns bounds those that are not over, of all workflows
	// together.
	MaxWorkflowRuns = 1000
)

// Workflow orders jobs by their dependencies. Its nodes and edges have no cycle.
type Workflow struct {
	ID        int64
	Namespace string
	Key       string
	Title     string
	// Nodes are in the order of their author; nil in lists. Total is how many
	// there are.
	Nodes []WorkflowNode
	Total int
	// Version grows by one at each change; writes compare it.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// WorkflowNode is a job in a workflow.
type WorkflowNode struct {
	// Name is unique within the workflow; it looks like a key.
	Name string `json:"name"`
	// Job is the key of the job, in the namespace of the workflow.
	Job string `json:"job"`
	// Param is the template of the run's parameter; nil means the Job's own.
	Param *string `json:"param,omitempty"`
	// Join is how many of After must hold; empty means [JoinAll].
	Join Join `json:"join,omitempty"`
	// After are the edges to this node; without any it starts at once.
	After []WorkflowEdge `json:"after,omitempty"`
}

// WorkflowEdge makes a node wait for another one.
type WorkflowEdge struct {
	Node string    `json:"node"`         // the name of the other one
	On   Condition `json:"on,omitempty"` // empty means [OnSuccess]
}

// Condition is the end of a node under which an edge holds.
type Condition string

// The conditions.
const (
	OnSuccess Condition = "success"
	OnFailure Condition = "failure"
	// OnAlways holds once the node has ended, also when it was skipped.
	OnAlways Condition = "always"
)

// Join is how many edges of a node must hold: [JoinAll], [JoinAny] or a number
// in digits.
type Join string

// The joins with a name.
const (
	JoinAll Join = "all"
	JoinAny Join = "any"
)

// Need returns how many of the edges must hold, and false when the join is none
// for so many.
func (j Join) Need(edges int) (int, bool) {
	switch j {
	case "", JoinAll:
		return edges, true
	case JoinAny:
		return min(edges, 1), true
	}
	n, err := strconv.Atoi(string(j))
	return n, err == nil && n >= 1 && n <= edges && strconv.Itoa(n) == string(j)
}

// WorkflowState is the state of a WorkflowRun. The values are stored and served as they
// are.
type WorkflowState string

// The states of a WorkflowRun. The first two are not final; a failed or
// cancelled one can be resumed.
const (
	WorkflowRunning    WorkflowState = "running"
	WorkflowCancelling WorkflowState = "cancelling"
	WorkflowSucceeded  WorkflowState = "succeeded"
	WorkflowFailed     WorkflowState = "failed"
	WorkflowCancelled  WorkflowState = "cancelled"
)

// Over reports whether nothing more happens by itself.
func (s WorkflowState) Over() bool { return s != WorkflowRunning && s != WorkflowCancelling }

// Known reports whether s is one of the states above.
func (s WorkflowState) Known() bool {
	switch s {
	case WorkflowRunning, WorkflowCancelling, WorkflowSucceeded, WorkflowFailed, WorkflowCancelled:
		return true
	}
	return false
}

// NodeState is the state of a node of a WorkflowRun. The values are stored and served as
// they are.
type NodeState string

// The states of a node. All but the first two are final until a resumption.
const (
	NodeWaiting   NodeState = "waiting"
	NodeRunning   NodeState = "running"
	NodeSucceeded NodeState = "succeeded"
	NodeFailed    NodeState = "failed"
	// NodeSkipped is a node whose join could not hold any more.
	NodeSkipped   NodeState = "skipped"
	NodeCancelled NodeState = "cancelled"
)

// Over reports whether the node has ended.
func (s NodeState) Over() bool { return s != NodeWaiting && s != NodeRunning }

// WorkflowRun is one run of a Workflow.
type WorkflowRun struct {
	ID         int64
	WorkflowID int64
	Namespace  string
	Workflow   string // the workflow's key
	// Version is that of the workflow whose nodes these are: a change of the
	// workflow does not reach runs that have begun.
	Version int64
	State   WorkflowState
	// Reason is why it is in its state.
	Reason string
	// PlannedAt is the slot that all its runs serve; zero for none.
	PlannedAt time.Time
	// Param is for the templates of the nodes.
	Param string
	// Generation is 1, and grows by one with each resumption.
	Generation int
	// Total, Done and Failed count nodes: all, those that are over, and those
	// that have failed.
	Total, Done, Failed int
	// Nodes are in the order of the workflow; nil in lists.
	Nodes     []NodeRun
	CreatedAt time.Time
	EndedAt   time.Time
}

// Count brings the counts up to date with the nodes.
func (r *WorkflowRun) Count() {
	r.Total, r.Done, r.Failed = len(r.Nodes), 0, 0
	for i := range r.Nodes {
		if r.Nodes[i].State.Over() {
			r.Done++
		}
		if r.Nodes[i].State == NodeFailed {
			r.Failed++
		}
	}
}

// NodeRun is a node of a WorkflowRun: its definition and its state.
type NodeRun struct {
	WorkflowNode
	// JobID is the job that Job named when the workflow run began, or was
	// resumed.
	JobID int64
	State NodeState
	// RunID is its current or last run; zero before the first.
	RunID int64
	// Generation is the one of the WorkflowRun in which it was last set going
	// or back to waiting.
	Generation int
	// Reason is why it is in its state.
	Reason string
	// Result is the message of its run's success, at most [MaxNodeResult] characters.
	Result    string
	StartedAt time.Time
	EndedAt   time.Time
}

// Check reports the first error in a workflow, with its field; it does not check whether
// the jobs exist.
func (w *Workflow) Check() error {
	if err := CheckKey("key", w.Key); err != nil {
		return err
	}
	switch n := len(w.Nodes); {
	case utf8.RuneCountInString(w.Title) > MaxTitle:
		return FieldErrorf("title", "has more than %d characters", MaxTitle)
	case !utf8.ValidString(w.Title) || strings.ContainsFunc(w.Title, unicode.IsControl):
		return FieldErrorf("title", "must be text without control characters")
	case n == 0:
		return FieldErrorf("nodes", "are missing: name at least one")
	case n > MaxWorkflowNodes:
		return FieldErrorf("nodes", "are %d, at most %d are allowed", n, MaxWorkflowNodes)
	}
	places := make(map[string]int, len(w.Nodes))
	edges, params := 0, 0
	for i := range w.Nodes {
		node := &w.Nodes[i]
		if err := node.check(i); err != nil {
			return err
		}
		if first, taken := places[node.Name]; taken {
			return FieldErrorf(nodeField(i, "name"), "%s is the name of nodes[%d] already", node.Name, first)
		}
		places[node.Name] = i
		edges += len(node.After)
		if node.Param != nil {
			params += len(*node.Param)
		}
	}
	switch {
	case edges > MaxWorkflowEdges:
		return FieldErrorf("nodes", "have %d edges together, at most %d are allowed", edges, MaxWorkflowEdges)
	case params > MaxNodeParams:
		return FieldErrorf("nodes", "have params of %d bytes together, at most %d are allowed", params, MaxNodeParams)
	}
	if err := checkEdges(w.Nodes, places); err != nil {
		return err
	}
	if cycle := findCycle(w.Nodes, places); cycle != nil {
		wrong := FieldErrorf("nodes", "wait for each other in a cycle: %s", strings.Join(cycle, " → "))
		wrong.Hint = "take one of these edges out: a workflow only goes forward"
		return wrong
	}
	return nil
}

// check reports what is wrong with the i-th node by itself.
func (n *WorkflowNode) check(i int) error {
	if err := CheckKey(nodeField(i, "name"), n.Name); err != nil {
		return err
	}
	if err := CheckKey(nodeField(i, "job"), n.Job); err != nil {
		return err
	}
	if _, ok := n.Join.Need(len(n.After)); !ok {
		return FieldErrorf(nodeField(i, "join"), "%q is not all, any, or a number from 1 to the %d edges of node %s",
			string(n.Join), len(n.After), n.Name)
	}
	if n.Param == nil {
		return nil
	}
	switch param := *n.Param; {
	case len(param) > MaxNodeParam:
		return FieldErrorf(nodeField(i, "param"), "has %d bytes, at most %d are allowed", len(param), MaxNodeParam)
	case !utf8.ValidString(param) || strings.ContainsRune(param, 0):
		return FieldErrorf(nodeField(i, "param"), "must be UTF-8 text without NUL")
	}
	return nil
}

// nodeField names a field of the i-th node.
func nodeField(i int, field string) string { return fmt.Sprintf("nodes[%d].%s", i, field) }

// checkEdges reports an edge from nowhere, one from a node to itself, two from
// the same node, and an unknown condition.
func checkEdges(nodes []WorkflowNode, places map[string]int) error {
	for i := range nodes {
		node := &nodes[i]
		for k, e := range node.After {
			field := nodeField(i, fmt.Sprintf("after[%d]", k))
			_, known := places[e.Node]
			switch {
			case !known:
				return FieldErrorf(field+".node", "node %s waits for %q, which is no node of the workflow", node.Name, e.Node)
			case e.Node == node.Name:
				return FieldErrorf(field+".node", "node %s waits for itself", node.Name)
			case slices.ContainsFunc(node.After[:k], func(other WorkflowEdge) bool { return other.Node == e.Node }):
				return FieldErrorf(field+".node", "node %s waits for %s twice: use one edge, with the condition always if either end will do",
					node.Name, e.Node)
			}
			switch e.On {
			case "", OnSuccess, OnFailure, OnAlways:
			default:
				return FieldErrorf(field+".on", "%q is unknown; use %s, %s or %s", string(e.On), OnSuccess, OnFailure, OnAlways)
			}
		}
	}
	return nil
}

// findCycle returns the names along a cycle, the first one again at the end, in
// the order in which they would run; nil when there is none.
func findCycle(nodes []WorkflowNode, places map[string]int) []string {
	const (
		unseen = iota
		open   // on the path
		done
	)
	marks := make([]int, len(nodes))
	var path []int
	var walk func(i int) []string
	walk = func(i int) []string {
		marks[i] = open
		path = append(path, i)
		for _, e := range nodes[i].After {
			next := places[e.Node]
			switch marks[next] {
			case open:
				loop := append(slices.Clone(path[slices.Index(path, next):]), next)
				slices.Reverse(loop) // an edge leads from the node that is named
				names := make([]string, len(loop))
				for k, place := range loop {
					names[k] = nodes[place].Name
				}
				return names
			case unseen:
				if cycle := walk(next); cycle != nil {
					return cycle
				}
			}
		}
		marks[i] = done
		path = path[:len(path)-1]
		return nil
	}
	for i := range nodes {
		if marks[i] == unseen {
			if cycle := walk(i); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}
