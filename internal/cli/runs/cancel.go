package runs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
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
