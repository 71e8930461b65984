package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
)

// sure makes a command ask for confirmation before an irreversible action. The %s in
// question is replaced by the arguments. Without a terminal --yes is required. A dry run
// is not confirmed.
func (t *tool) sure(cmd *cobra.Command, question string) *cobra.Command {
	run := cmd.RunE
	yes := cmd.Flags().Bool("yes", false, "do not ask for confirmation")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dry := cmd.Flags().Lookup("dry-run"); *yes || dry != nil && dry.Value.String() == "true" {
			return run(cmd, args)
		}
		if !asksAPerson(t.Stdin) {
			return output.Usagef("standard input is not a terminal, so confirmation of this irreversible action is impossible: add --yes")
		}
		if sure, err := t.confirm(fmt.Sprintf(question, strings.Join(args, " "))); err != nil || !sure {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}
