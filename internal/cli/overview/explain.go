package overview

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// NewExplainCommand returns the command orth explain.
func NewExplainCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "explain", Aliases: []string{"why"}, Short: "Explain why a run has its state, or why a job did or did not run",
			Long: "Explain why a run has its state, or why a job did or did not run: a one-sentence answer, then the facts behind it in\n" +
				"chronological order. Facts that were not recorded, such as an earlier schedule, are reported as unknown.",
		},
		newExplainRunCommand(t), newExplainJobCommand(t),
	)
}

func newExplainRunCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "run ID", Short: "Explain why a run exists, its state and what happens next", Args: cobra.ExactArgs(1),
		Example: "  orth explain run 1024\n  orth explain run 1024 -o json",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			found, err := c.ExplainRun(ctx, id)
			if err != nil {
				return err
			}
			return showExplanation(t, found)
		}),
	}
}

func newExplainJobCommand(t *kit.Tool) *cobra.Command {
	at := ""
	cmd := &cobra.Command{
		Use: "job KEY", Short: "Explain what a job does now, or why it did or did not run at a time", Args: cobra.ExactArgs(1),
		Long: "Explain what a job does now. With --at: whether the time is a slot of the schedule, the effect of calendars, pauses and\n" +
			"clock changes, and the result of its run. The time may be in the future.",
		Example: "  orth explain job report\n  orth explain job report --at '2030-01-31 02:00'\n  orth explain job report --at 2030-01-31T01:00:00Z",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.ExplainJob(cmd.Context(), args[0], at)
			if err != nil {
				return err
			}
			return showExplanation(t, found)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "`time` to explain: 2030-01-31T02:00:00+01:00, or '2030-01-31 02:00' in the zone of the job (default now)")
	return cmd
}

// showExplanation prints the answer and the facts. Fact times are in the user's zone;
// times in the texts are in the zone of the job.
func showExplanation(t *kit.Tool, found api.Explanation) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	if _, err := fmt.Fprintf(t.Stdout, "%s\n", output.Printable(found.Answer)); err != nil {
		return err
	}
	if len(found.Facts) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	width := 0
	for _, f := range found.Facts {
		width = max(width, len(factTime(t, f)))
	}
	for _, f := range found.Facts {
		if _, err := fmt.Fprintf(t.Stdout, "%-*s  %s\n", width, factTime(t, f), output.Printable(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// factTime formats the time of a fact, with milliseconds unless it is a whole second.
func factTime(t *kit.Tool, f api.Fact) string {
	if f.At.IsZero() {
		return "-"
	}
	if f.At.Truncate(time.Second).Equal(f.At.Time) {
		return f.At.In(t.Location).Format("2006-01-02 15:04:05 MST")
	}
	return f.At.In(t.Location).Format("2006-01-02 15:04:05.000 MST")
}
