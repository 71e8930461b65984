package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// sure makes a command ask before it takes something away that does not come back.
// question has %s where its arguments stand. Where nobody can be asked it needs --yes.
// What is only tried is not asked about.
func (t *tool) sure(cmd *cobra.Command, question string) *cobra.Command {
	run := cmd.RunE
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dry := cmd.Flags().Lookup("dry-run"); *yes || dry != nil && dry.Value.String() == "true" {
			return run(cmd, args)
		}
		if !asksAPerson(t.Stdin) {
			return usagef("nobody can be asked here, and what goes does not come back: add --yes")
		}
		if sure, err := t.confirm(fmt.Sprintf(question, strings.Join(args, " "))); err != nil || !sure {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}
