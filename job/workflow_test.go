package job

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// chain returns a workflow whose nodes are given as "name" or "name:after,after".
func chain(nodes ...string) Workflow {
	w := Workflow{Key: "w"}
	for _, text := range nodes {
		name, after, _ := strings.Cut(text, ":")
		node := WorkflowNode{Name: name, Job: "j"}
		for _, other := range strings.FieldsFunc(after, func(r rune) bool { return r == ',' }) {
			node.After = append(node.After, WorkflowEdge{Node: other})
		}
		w.Nodes = append(w.Nodes, node)
	}
	return w
}

func TestJoinNeed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		join  Join
		edges int
		need  int
		ok    bool
	}{
		{"", 3, 3, true},
		{JoinAll, 3, 3, true},
		{JoinAll, 0, 0, true},
		{JoinAny, 3, 1, true},
		{JoinAny, 0, 0, true},
		{"1", 3, 1, true},
		{"3", 3, 3, true},
		{"4", 3, 4, false},
		{"0", 3, 0, false},
		{"-1", 3, -1, false},
		{"02", 3, 2, false},
		{"+2", 3, 2, false},
		{"most", 3, 0, false},
		{"1", 0, 1, false},
	} {
		if need, ok := c.join.Need(c.edges); ok != c.ok || (ok && need != c.need) {
			t.Errorf("%q of %d edges needs %d, %t; want %d, %t", c.join, c.edges, need, ok, c.need, c.ok)
		}
	}
}

func TestWorkflowCheck(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxNodeParam+1)
	half := strings.Repeat("x", MaxNodeParam)
	spoilt := "\xff"
	with := func(w Workflow, edit func(*Workflow)) Workflow { edit(&w); return w }
	many := Workflow{Key: "w"}
	for i := range MaxWorkflowNodes + 1 {
		many.Nodes = append(many.Nodes, WorkflowNode{Name: fmt.Sprint("n", i), Job: "j"})
	}
	dense := Workflow{Key: "w", Nodes: slices.Clone(many.Nodes[:100])}
	for i := range dense.Nodes {
		for k := range i {
			dense.Nodes[i].After = append(dense.Nodes[i].After, WorkflowEdge{Node: fmt.Sprint("n", k)})
		}
	}
	wordy := Workflow{Key: "w", Nodes: slices.Clone(many.Nodes[:MaxNodeParams/MaxNodeParam+1])}
	for i := range wordy.Nodes {
		wordy.Nodes[i].Param = &half
	}
	for name, c := range map[string]struct {
		w           Workflow
		field, text string // empty: it is sound
	}{
		"a chain":             {chain("a", "b:a", "c:b"), "", ""},
		"a diamond":           {chain("d:b,c", "b:a", "c:a", "a"), "", ""},
		"two islands":         {chain("a", "b"), "", ""},
		"as many as may be":   {Workflow{Key: "w", Nodes: many.Nodes[:MaxWorkflowNodes]}, "", ""},
		"a bad key":           {with(chain("a"), func(w *Workflow) { w.Key = "W" }), "key", "lower-case"},
		"a long title":        {with(chain("a"), func(w *Workflow) { w.Title = strings.Repeat("ö", MaxTitle+1) }), "title", "200"},
		"a title that moves":  {with(chain("a"), func(w *Workflow) { w.Title = "a\nb" }), "title", "control"},
		"no nodes":            {chain(), "nodes", "at least one"},
		"too many":            {many, "nodes", "201"},
		"too many edges":      {dense, "nodes", "4950 edges"},
		"too much text":       {wordy, "nodes", "bytes together"},
		"no name":             {chain(""), "nodes[0].name", "missing"},
		"a name twice":        {chain("a", "b", "a"), "nodes[2].name", "nodes[0]"},
		"no job":              {with(chain("a"), func(w *Workflow) { w.Nodes[0].Job = "" }), "nodes[0].job", "missing"},
		"a join too large":    {with(chain("a", "b:a"), func(w *Workflow) { w.Nodes[1].Join = "2" }), "nodes[1].join", "1 to the 1"},
		"a long param":        {with(chain("a"), func(w *Workflow) { w.Nodes[0].Param = &long }), "nodes[0].param", "4097"},
		"a param that is not": {with(chain("a"), func(w *Workflow) { w.Nodes[0].Param = &spoilt }), "nodes[0].param", "UTF-8"},
		"an edge to nowhere":  {chain("a", "b:c"), "nodes[1].after[0].node", `"c"`},
		"itself":              {chain("a:a"), "nodes[0].after[0].node", "itself"},
		"the same twice":      {chain("a", "b:a,a"), "nodes[1].after[1].node", "twice"},
		"a bad condition": {
			with(chain("a", "b:a"), func(w *Workflow) { w.Nodes[1].After[0].On = "maybe" }), "nodes[1].after[0].on", "maybe",
		},
		"a cycle":         {chain("a:c", "b:a", "c:b", "d"), "nodes", "a → b → c → a"},
		"a cycle further": {chain("s", "a:s,b", "b:a"), "nodes", "a → b → a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.w.Check()
			if c.text == "" {
				if err != nil {
					t.Errorf("Check: %v", err)
				}
				return
			}
			wrong, ok := err.(*Error) //nolint:errorlint // It is made here.
			if !ok || wrong.Kind != Invalid || wrong.Field != c.field || !strings.Contains(wrong.Message, c.text) {
				t.Errorf("Check: %v (%+v), want %q about %s", err, wrong, c.text, c.field)
			}
		})
	}
}

// A workflow is refused for a cycle exactly when its nodes cannot be put into an
// order, and the path that is told is a cycle.
func TestWorkflowCycles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "nodes")
		w := Workflow{Key: "w"}
		waits := make([][]bool, n)
		for i := range n {
			waits[i] = make([]bool, n)
			node := WorkflowNode{Name: fmt.Sprint("n", i), Job: "j"}
			for k := range n {
				if k != i && rapid.IntRange(0, 4).Draw(t, "edge") == 0 {
					waits[i][k] = true
					node.After = append(node.After, WorkflowEdge{Node: fmt.Sprint("n", k)})
				}
			}
			w.Nodes = append(w.Nodes, node)
		}
		left := n // take out nodes that wait for nothing, until there are none
		for gone, again := make([]bool, n), true; again; {
			again = false
			for i := range n {
				if !gone[i] && !slices.ContainsFunc(w.Nodes[i].After, func(e WorkflowEdge) bool {
					return !gone[slices.IndexFunc(w.Nodes, func(o WorkflowNode) bool { return o.Name == e.Node })]
				}) {
					gone[i], again = true, true
					left--
				}
			}
		}
		err := w.Check()
		if (err != nil) != (left > 0) {
			t.Fatalf("%d nodes are in cycles, and Check says %v", left, err)
		}
		if err == nil {
			return
		}
		_, text, _ := strings.Cut(err.Error(), "cycle: ")
		names := strings.Split(text, " → ")
		if len(names) < 3 || names[0] != names[len(names)-1] {
			t.Fatalf("%q is no cycle", text)
		}
		for i := 1; i < len(names); i++ {
			var from, to int
			_, _ = fmt.Sscanf(names[i-1], "n%d", &from)
			_, _ = fmt.Sscanf(names[i], "n%d", &to)
			if !waits[to][from] {
				t.Fatalf("in %q %s does not wait for %s", text, names[i], names[i-1])
			}
		}
	})
}

func TestWorkflowStates(t *testing.T) {
	t.Parallel()
	for state, over := range map[WorkflowState]bool{
		WorkflowRunning: false, WorkflowCancelling: false, WorkflowSucceeded: true, WorkflowFailed: true, WorkflowCancelled: true,
	} {
		if state.Over() != over || !state.Known() {
			t.Errorf("%s: over %t, known %t", state, state.Over(), state.Known())
		}
	}
	if WorkflowState("odd").Known() {
		t.Error("odd is known")
	}
	r := WorkflowRun{Nodes: []NodeRun{
		{State: NodeWaiting}, {State: NodeRunning}, {State: NodeSucceeded}, {State: NodeFailed}, {State: NodeSkipped}, {State: NodeCancelled},
	}}
	r.Count()
	if r.Total != 6 || r.Done != 4 || r.Failed != 1 {
		t.Errorf("counts %d, %d, %d", r.Total, r.Done, r.Failed)
	}
}
