package cli

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

func newManCommand(t *kit.Tool) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man --dir DIR", DisableFlagsInUseLine: true, Short: "Write the manual pages of all commands", Args: cobra.NoArgs,
		Long:    "Write the manual pages of all commands, one file per command, in section 1. The folder is created if it is missing.",
		Example: "  orth man --dir /usr/local/share/man/man1\n  orth man --dir man1 && man ./man1/orth-job-create.1",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return output.Usagef("--dir is required: the folder of the pages")
			}
			written, err := output.WriteManual(cmd.Root(), dir, "orth "+t.Version)
			if err != nil {
				return err
			}
			t.PrintNote("Wrote %s to %s.", plural.Count(written, "page"), dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "output `folder` (required)")
	return cmd
}
