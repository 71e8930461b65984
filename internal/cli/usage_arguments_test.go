package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

// Every command that takes arguments says in its usage line which.
func TestUsageLinesNameArguments(t *testing.T) {
	t.Parallel()
	root, _ := build(kit.Config{})
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Args != nil && !cmd.HasSubCommands() && cmd.Name() != "help" && !slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, cmd.Name()) {
			if err := cmd.Args(cmd, nil); err != nil && strings.Contains(err.Error(), "arg(s)") {
				t.Errorf("%s: %v", cmd.CommandPath(), err)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(root)
}
