package runs

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
)

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
