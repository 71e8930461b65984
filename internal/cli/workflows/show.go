package workflows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

func newShowCommand(t *kit.Tool) *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show a workflow as a tree, with the states of a run", Args: cobra.ExactArgs(1),
		Long: "Show a workflow as a tree: each node is below its deepest predecessor. The states are those of the newest run, or of\n" +
			"the run of --run.",
		Example: "  orth workflow show nightly\n  orth workflow show nightly --run 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			if run != "" {
				if err := id.UnmarshalText([]byte(run)); err != nil || id == 0 {
					return output.Usagef("--run: %q is not an id of a workflow run; 'orth workflow runs' lists the ids", run)
				}
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if id != 0 {
				r, err := c.WorkflowRun(cmd.Context(), id)
				switch {
				case err != nil:
					return err
				case r.Workflow != args[0]:
					return fmt.Errorf("workflow run %s belongs to %s, not to %s", id, r.Workflow, args[0])
				}
				return showWorkflowRun(t, &r)
			}
			w, err := c.Workflow(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(w)
			}
			page, err := c.WorkflowRuns(cmd.Context(), client.WorkflowRunQuery{Workflow: args[0], Limit: 1})
			if err != nil {
				return err
			}
			if len(page.Runs) == 0 {
				return showWorkflow(t, &w, nil)
			}
			last, err := c.WorkflowRun(cmd.Context(), page.Runs[0].ID)
			if err != nil {
				return err
			}
			return showWorkflow(t, &w, &last)
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "show the run with this `ID`")
	return cmd
}

// showWorkflow prints a workflow with its newest run, if any.
func showWorkflow(t *kit.Tool, w *api.Workflow, last *api.WorkflowRun) error {
	newest := "none"
	if last != nil {
		newest = fmt.Sprintf("%s, %s, version %d", last.ID, last.State, last.Version)
	}
	err := t.PrintSheet([][2]string{
		{"Workflow", w.Key},
		{"Title", w.Title},
		{"Version", strconv.FormatInt(w.Version, 10)},
		{"Updated", t.FormatTime(w.UpdatedAt)},
		{"Newest run", newest},
	})
	if err != nil {
		return err
	}
	nodes := make([]api.NodeRun, len(w.Nodes))
	for i := range w.Nodes {
		nodes[i].WorkflowNode = w.Nodes[i]
		if last != nil && last.Version == w.Version && i < len(last.Nodes) {
			nodes[i] = last.Nodes[i]
		}
	}
	return showNodes(t, nodes)
}

func showWorkflowRun(t *kit.Tool, r *api.WorkflowRun) error {
	if t.ForPrograms() {
		return t.Encode(r)
	}
	param, generation := "", ""
	if r.Param != "" {
		param = strconv.Quote(r.Param)
	}
	if r.Generation > 1 {
		generation = strconv.Itoa(r.Generation)
	}
	err := t.PrintSheet([][2]string{
		{"Workflow run", r.ID.String()},
		{"Workflow", fmt.Sprintf("%s, version %d", r.Workflow, r.Version)},
		{"State", string(r.State)},
		{"Reason", r.Reason},
		{"Nodes", fmt.Sprintf("%d of %d finished, %d failed", r.Done, r.Total, r.Failed)},
		{"Planned", t.FormatTime(r.PlannedAt)},
		{"Param", param},
		{"Generation", generation},
		{"Created", t.FormatTime(r.CreatedAt)},
		{"Ended", t.FormatTime(r.EndedAt)},
	})
	if err != nil {
		return err
	}
	return showNodes(t, r.Nodes)
}

// showNodes draws nodes as a tree.
func showNodes(t *kit.Tool, nodes []api.NodeRun) error {
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	var rows [][]string
	for _, b := range treeOf(nodes) {
		n := &nodes[b.place]
		run, duration := "", ""
		if n.RunID > 0 {
			run = n.RunID.String()
		}
		if !n.StartedAt.IsZero() && !n.EndedAt.IsZero() {
			duration = kit.FormatElapsed(n.StartedAt, n.EndedAt)
		}
		rows = append(rows, []string{
			strings.Repeat("  ", b.depth) + n.Name, string(n.State), n.Job, run, duration, waitsFor(&n.WorkflowNode),
			kit.FirstOf(n.Reason, n.Result),
		})
	}
	return t.PrintTable("NODE STATE JOB? RUN DURATION? AFTER? MESSAGE", rows)
}

// waitsFor summarizes the edges of a node.
func waitsFor(n *api.WorkflowNode) string {
	names := make([]string, len(n.After))
	for i, e := range n.After {
		names[i] = e.Node
		if e.On != "" && e.On != job.OnSuccess {
			names[i] += " (" + string(e.On) + ")"
		}
	}
	text := strings.Join(names, ", ")
	if len(names) > 1 && n.Join != "" && n.Join != job.JoinAll {
		text = string(n.Join) + " of " + text
	}
	return text
}

// branch is a node in a tree.
type branch struct{ place, depth int }

// treeOf sorts nodes as a tree: each below its deepest predecessor, and siblings in the
// order of the workflow.
func treeOf(nodes []api.NodeRun) []branch {
	places := make(map[string]int, len(nodes))
	for i := range nodes {
		places[nodes[i].Name] = i
	}
	depths := make([]int, len(nodes)) // 1 for a root, 0 unknown, -1 in progress
	var depth func(i int) int
	depth = func(i int) int {
		if depths[i] != 0 {
			return max(depths[i], 1)
		}
		depths[i] = -1 // terminates on cyclic input
		deepest := 0
		for _, e := range nodes[i].After {
			if from, known := places[e.Node]; known {
				deepest = max(deepest, depth(from))
			}
		}
		depths[i] = deepest + 1
		return depths[i]
	}
	children := make([][]int, len(nodes))
	var roots []int
	for i := range nodes {
		depth(i)
	}
	for i := range nodes {
		above := -1
		for _, e := range nodes[i].After {
			if from, known := places[e.Node]; known && depths[from] < depths[i] && (above < 0 || depths[from] > depths[above]) {
				above = from
			}
		}
		if above < 0 {
			roots = append(roots, i)
		} else {
			children[above] = append(children[above], i)
		}
	}
	tree := make([]branch, 0, len(nodes))
	open := make([]branch, 0, len(nodes))
	push := func(list []int, depth int) {
		for _, i := range slices.Backward(list) {
			open = append(open, branch{i, depth})
		}
	}
	push(roots, 0)
	for len(open) > 0 {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		tree = append(tree, b)
		push(children[b.place], b.depth+1)
	}
	return tree
}
