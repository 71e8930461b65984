package workflows

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// NewCommand returns the command orth workflow.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "workflow", Aliases: []string{"workflows"}, Short: "Manage workflows: jobs that depend on each other",
		},
		newListCommand(t), newShowCommand(t), newSaveCommand(t), t.ConfirmFirst(newDeleteCommand(t), "Delete workflow %s?"),
		newRunCommand(t), newRunsCommand(t), newCancelCommand(t), newResumeCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	return kit.SpaceList[api.Workflow]{
		Short: "List workflows, sorted by key", Example: "  orth workflow list\n  orth workflow list --all-namespaces",
		Every: (*client.Client).AllWorkflows, Own: (*client.Client).Workflows,
		None:  "No workflows found. Create one with 'orth workflow save'.",
		Heads: "KEY TITLE NODES VERSION UPDATED",
		Row: func(w *api.Workflow) (string, []string) {
			return w.Namespace, []string{w.Key, w.Title, strconv.Itoa(w.Total), strconv.FormatInt(w.Version, 10), t.FormatTime(w.UpdatedAt)}
		},
	}.Command(t)
}

func newSaveCommand(t *kit.Tool) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "save KEY --file FILE", DisableFlagsInUseLine: true,
		Short: "Create or replace a workflow", Args: cobra.ExactArgs(1),
		Long: "Create or replace a workflow. Started runs keep their nodes.\n\n" +
			"The file is YAML, or JSON as 'orth workflow show KEY -o json' prints it:\n\n" +
			"  title: Nightly load\n" +
			"  nodes:\n" +
			"    - name: extract\n" +
			"      job: etl-extract\n" +
			"    - name: load\n" +
			"      job: etl-load\n" +
			"      param: '{\"file\": \"{{nodes.extract.result}}\", \"day\": \"{{param}}\"}'\n" +
			"      after: [extract]\n" +
			"    - name: tell\n" +
			"      job: send-mail\n" +
			"      join: any\n" +
			"      after: [{node: extract, on: failure}, {node: load, on: failure}]\n\n" +
			"A node starts when all of its edges hold, with 'join: any' when one holds, with 'join: 2' when two hold. An edge holds\n" +
			"on success, failure or always; the default is success.",
		Example: "  orth workflow save nightly --file nightly.yaml\n  orth workflow show nightly -o json | orth workflow save copy --file -",
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return output.Usagef("--file is required: the file of the workflow, or - for standard input")
			}
			wanted, err := readWorkflow(t, path)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			saved, err := c.SaveWorkflow(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(saved, fmt.Sprintf("workflow %s saved with %s, version %d: start it with %s",
				saved.Key, plural.Count(saved.Total, "node"), saved.Version, t.CommandLineIn("workflow", "run", saved.Key)))
		},
	}
	cmd.Flags().StringVar(&path, "file", "", "`file` with the workflow, - for standard input (required)")
	return cmd
}

func newDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Aliases: []string{"rm"}, Short: "Delete a workflow; its runs are kept and continue",
		Args: cobra.ExactArgs(1), Example: "  orth workflow delete nightly",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteWorkflow(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"deleted": args[0]}, "workflow "+args[0]+" deleted")
		},
	}
}

func newRunCommand(t *kit.Tool) *cobra.Command {
	var param, planned string
	var wait bool
	cmd := &cobra.Command{
		Use: "run KEY", Short: "Start a run of a workflow", Args: cobra.ExactArgs(1),
		Long: "Start a run of a workflow. With --wait the command waits for the run, and its exit code is 0 only if the run\n" +
			"succeeded.",
		Example: "  orth workflow run nightly\n  orth workflow run nightly --param '{\"day\":\"2030-01-31\"}' --planned-at 2030-01-31 --wait",
		RunE: func(cmd *cobra.Command, args []string) error {
			slot, err := timing.ParseFlag("planned-at", planned, t.Location)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			r, err := c.StartWorkflow(cmd.Context(), args[0], api.WorkflowStart{Param: param, PlannedAt: api.At(slot)})
			switch {
			case err != nil:
				return err
			case !wait:
				return t.PrintResult(r, fmt.Sprintf("workflow run %s of %s started: see it with %s",
					r.ID, r.Workflow, shown(t, &r)))
			}
			return awaitWorkflow(cmd.Context(), t, c, r)
		},
	}
	cmd.Flags().StringVar(&param, "param", "", "`text` for {{param}} in the parameters of the nodes")
	cmd.Flags().StringVar(&planned, "planned-at", "", "planned `time` of all runs: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in the local zone")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the run ends")
	return cmd
}

// awaitWorkflow waits for the end of a workflow run and prints it. It returns an error if
// the run did not succeed.
func awaitWorkflow(ctx context.Context, t *kit.Tool, c *client.Client, r api.WorkflowRun) error {
	if !t.ForPrograms() {
		t.PrintNote("Workflow run %s of %s started, waiting for its end.", r.ID, r.Workflow)
	}
	ended, err := c.WaitWorkflowRun(ctx, r.ID)
	if err != nil {
		if ctx.Err() != nil {
			t.PrintNote("Workflow run %s continues. See it with %s.", r.ID, shown(t, &r))
		}
		return err
	}
	if err := showWorkflowRun(t, &ended); err != nil {
		return err
	}
	if ended.State != job.WorkflowSucceeded {
		return kit.ErrRunFailed
	}
	return nil
}

func newRunsCommand(t *kit.Tool) *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use: "runs [KEY]", Short: "List workflow runs, newest first", Args: cobra.MaximumNArgs(1),
		Example: "  orth workflow runs\n  orth workflow runs nightly --limit 5",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			var query client.WorkflowRunQuery
			if len(args) > 0 {
				if t.Everywhere {
					return output.Usagef("KEY: workflow keys need a single namespace: use --namespace")
				}
				query.Workflow = args[0]
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := listWorkflowRuns(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			return showWorkflowRuns(t, found)
		},
	}
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of runs")
	return cmd
}

// listWorkflowRuns reads pages until it has limit runs.
func listWorkflowRuns(ctx context.Context, c *client.Client, query client.WorkflowRunQuery, limit int) ([]api.WorkflowRun, error) {
	found := []api.WorkflowRun{}
	for {
		query.Limit = min(limit-len(found), kit.PageSize)
		page, err := c.WorkflowRuns(ctx, query)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Runs...)
		if page.Next == 0 || len(found) >= limit {
			return found, nil
		}
		query.Before = page.Next
	}
}

func showWorkflowRuns(t *kit.Tool, found []api.WorkflowRun) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	if len(found) == 0 {
		t.PrintNote("No workflow runs found. Start one with 'orth workflow run'.")
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		r := &found[i]
		spaces[i] = r.Namespace
		rows[i] = []string{
			r.ID.String(), r.Workflow, string(r.State), fmt.Sprintf("%d/%d", r.Done, r.Total), strconv.Itoa(r.Failed),
			t.FormatTime(r.PlannedAt), t.FormatTime(r.CreatedAt), t.FormatTime(r.EndedAt), r.Reason,
		}
	}
	return t.PrintTableIn(t.Everywhere, spaces, "ID WORKFLOW STATE DONE FAILED PLANNED CREATED ENDED REASON", rows)
}

func newCancelCommand(t *kit.Tool) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "Cancel a workflow run and its running jobs", Args: cobra.ExactArgs(1),
		Example: "  orth workflow cancel 12 --reason 'wrong day'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeWorkflowRun(t, args[0], func(c *client.Client, id api.ID) (api.WorkflowRun, error) {
				return c.CancelWorkflowRun(cmd.Context(), id, reason)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to store with the run")
	return cmd
}

func newResumeCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "resume ID", Short: "Resume a failed or cancelled workflow run", Args: cobra.ExactArgs(1),
		Long: "Resume a failed or cancelled workflow run. Failed and cancelled nodes, and the nodes that were skipped because of them,\n" +
			"start again; succeeded nodes are kept.",
		Example: "  orth workflow resume 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeWorkflowRun(t, args[0], func(c *client.Client, id api.ID) (api.WorkflowRun, error) {
				return c.ResumeWorkflowRun(cmd.Context(), id)
			})
		},
	}
}

// changeWorkflowRun changes a workflow run and prints its state.
func changeWorkflowRun(t *kit.Tool, text string, change func(*client.Client, api.ID) (api.WorkflowRun, error)) error {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return output.Usagef("ID: %q is not an id of a workflow run; 'orth workflow runs' lists the ids", text)
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := change(c, id)
	if err != nil {
		return err
	}
	return t.PrintResult(r, fmt.Sprintf("workflow run %s is %s, %d of %s finished: see it with %s",
		r.ID, r.State, r.Done, plural.Count(r.Total, "node"), shown(t, &r)))
}

// shown returns the command that shows a workflow run.
func shown(t *kit.Tool, r *api.WorkflowRun) string {
	return t.CommandLineIn("workflow", "show", r.Workflow, "--run", r.ID.String())
}
