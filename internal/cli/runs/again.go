package runs

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

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
