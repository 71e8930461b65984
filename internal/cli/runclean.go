package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/plural"
)

func (t *tool) runCleanCommand() *cobra.Command {
	var what api.Clean
	var older time.Duration
	cmd := &cobra.Command{
		Use: "clean KEY", Short: "Remove runs of a job before their time", Args: cobra.ExactArgs(1),
		Long: "Remove runs of a job that are over, with their attempts and logs, before their time comes anyway (see\n" +
			"--keep-runs-for of 'orth server' and of the job). Runs that are not over, that ended within the last ten\n" +
			"minutes, or that something open needs stay. Nothing brings a removed run back.",
		Example: "  orth run clean nightly --older-than 2160h\n  orth run clean nightly --keep 1000 --dry-run\n  orth run clean nightly --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			what.Job, what.Namespace, what.OlderThan = args[0], t.space(), api.Duration(older)
			c, err := t.connect()
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
				text = plural.Count(total.Removed, "run") + " would be removed at most"
			}
			return t.done(total, text)
		},
	}
	cmd.Flags().DurationVar(&older, "older-than", 0, "only runs that ended so `long` ago, such as 720h")
	cmd.Flags().IntVar(&what.Keep, "keep", 0, "leave `n` of the newest runs that are over")
	cmd.Flags().BoolVar(&what.All, "all", false, "every run that is over")
	cmd.Flags().BoolVar(&what.DryRun, "dry-run", false, "remove nothing, and say how many it would be at most")
	return cmd
}
