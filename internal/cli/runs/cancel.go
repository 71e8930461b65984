package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// NewCancelCommand returns the command orth run cancel.
func NewCancelCommand(t *kit.Tool) *cobra.Command {
	var reason string
	var wait bool
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "Cancel a run", Args: cobra.ExactArgs(1),
		Example: "  orth run cancel 1024 --reason 'wrong day'\n  orth run cancel 1024 --wait",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			run, err := c.CancelRun(ctx, id, reason)
			if err == nil && wait && !run.Final {
				run, err = awaitStop(ctx, t, c, run)
			}
			if err != nil {
				return err
			}
			return t.PrintResult(run, cancelled(run))
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to store with the run")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the run ends")
	return cmd
}

// awaitStop waits for the end of a run that is being cancelled.
func awaitStop(ctx context.Context, t *kit.Tool, c *client.Client, run api.Run) (api.Run, error) {
	if !t.ForPrograms() {
		t.PrintNote("%s", cancelled(run))
	}
	ended, err := c.Wait(ctx, run.ID)
	if err != nil && ctx.Err() != nil {
		t.PrintNote("Run %s is still stopping. See it with %s.", run.ID, t.CommandLine("run", "show", run.ID.String()))
	}
	return ended, err
}

// cancelled describes the state of a cancelled run, and why it is not cancelled yet or
// ended otherwise.
func cancelled(run api.Run) string {
	text := fmt.Sprintf("run %s is %s", run.ID, kit.StateText(run.State))
	switch {
	case run.State == job.Stopping:
		text += ": " + output.Printable(kit.FirstOf(run.Message, "its executor is stopping it"))
		if run.Reason != "" {
			text += "; reason: " + output.Printable(run.Reason)
		}
	case run.State == job.Succeeded:
		text = fmt.Sprintf("run %s is not cancelled: %s", run.ID, output.Printable(kit.FirstOf(run.Reason, "it succeeded")))
	case run.State == job.Cancelled && run.Reason != "":
		text += "; reason: " + output.Printable(run.Reason)
	}
	return text
}

// NewRerunCommand returns the command orth run rerun.
func NewRerunCommand(t *kit.Tool) *cobra.Command {
	var param kit.ParamFlags
	cmd := &cobra.Command{
		Use: "rerun ID", Short: "Rerun a finished run", Args: cobra.ExactArgs(1),
		Long: "Rerun a finished run: create a new run of the current job for the same slot and executors.\n" +
			"--input replaces all input values of a job; inputs that are not given get their defaults.\n" +
			"Use 'orth dead-letter retry' for dead letters.",
		Example: "  orth run rerun 1024\n  orth run rerun 1024 --param 'day=2030-01-31'\n  orth run rerun 1024 --input day=2030-01-31",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := kit.ParseRunID(args[0])
			if err != nil {
				return err
			}
			other, err := param.Param(cmd.Flags())
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.Rerun(cmd.Context(), id, other)
			if err != nil {
				return err
			}
			return t.PrintResult(made, "run "+made.ID.String()+" created to rerun run "+id.String())
		},
	}
	param.Add(cmd.Flags(), "parameter `text` instead of the one of the run")
	return cmd
}

// NewCleanCommand returns the command orth run clean.
func NewCleanCommand(t *kit.Tool) *cobra.Command {
	var what api.Clean
	var older time.Duration
	cmd := &cobra.Command{
		Use: "prune KEY", Short: "Remove finished runs of a job before their retention ends", Args: cobra.ExactArgs(1),
		Long: "Permanently remove finished runs of a job with their attempts and logs before their retention ends (see --keep-runs-for\n" +
			"of 'orth server' and --keep-for of the job). Unfinished runs, runs that ended within the last ten minutes, and runs\n" +
			"that something unfinished needs are kept.",
		Example: "  orth run prune nightly --older-than 2160h\n  orth run prune nightly --keep 1000 --dry-run\n  orth run prune nightly --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			what.Job, what.Namespace, what.OlderThan = args[0], t.SelectedNamespace(), api.Duration(older)
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			total := api.Cleaned{}
			for {
				cleaned, err := c.CleanRuns(cmd.Context(), what)
				total.Removed += cleaned.Removed
				if err != nil {
					return err
				}
				if !cleaned.More || what.DryRun {
					break
				}
			}
			text := plural.Count(total.Removed, "run") + " removed"
			if what.DryRun {
				text = "at most " + plural.Count(total.Removed, "run") + " would be removed"
			}
			return t.PrintResult(total, text)
		},
	}
	cmd.Flags().DurationVar(&older, "older-than", 0, "only runs that ended at least this `duration` ago, such as 720h")
	cmd.Flags().IntVar(&what.Keep, "keep", 0, "keep the `n` newest finished runs")
	cmd.Flags().BoolVar(&what.All, "all", false, "all finished runs")
	cmd.Flags().BoolVar(&what.DryRun, "dry-run", false, "only print the maximum number of runs to remove")
	return cmd
}
