package cli

import (
	"github.com/spf13/cobra"
)

func (t *tool) runRerunCommand() *cobra.Command {
	var param paramFlags
	cmd := &cobra.Command{
		Use: "rerun ID", Short: "Make a run again, with its parameter or another one", Args: cobra.ExactArgs(1),
		Long: "Make a run again: a new run of the job as it is now, for the same slot and executors. The old one has to be over.\n" +
			"--input replaces all values of a job with inputs: inputs that are not named get their defaults.\n" +
			"A dead letter is settled by 'orth dead-letter redrive' instead.",
		Example: "  orth run rerun 1024\n  orth run rerun 1024 --param 'day=2030-01-31'\n  orth run rerun 1024 --input day=2030-01-31",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			other, err := param.param(cmd.Flags())
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.Rerun(cmd.Context(), id, other)
			if err != nil {
				return err
			}
			return t.done(made, "run "+made.ID.String()+" made in the place of run "+id.String())
		},
	}
	param.add(cmd.Flags(), "`text` used instead of the run's parameter")
	return cmd
}
