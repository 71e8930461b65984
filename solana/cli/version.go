package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

// versions is what the version command prints for programs.
type versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this program", Args: cobra.NoArgs, Example: "  orth-solana version\n  orth-solana version -o json",
		RunE: func(*cobra.Command, []string) error {
			v := versions{Version: t.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			return t.printDone(v, "orth-solana %s (%s, %s)", v.Version, v.Go, v.Platform)
		},
	}
}

func (t *tool) manCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man --dir DIR", DisableFlagsInUseLine: true, Short: "Write the manual pages of all commands", Args: cobra.NoArgs,
		Long:    "Write the manual pages of all commands, one file for each, in section 1. The folder is made if need be.",
		Example: "  orth-solana man --dir /usr/local/share/man/man1",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usagef("--dir is missing: name the folder for the pages")
			}
			written, err := output.WriteManual(cmd.Root(), dir, "orth-solana "+t.Version)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(t.Stdout, "wrote %s into %s\n", plural.Count(written, "page"), dir)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` for the pages (required)")
	return cmd
}
