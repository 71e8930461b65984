package cluster

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// NewSettingsCommand returns the command orth settings.
func NewSettingsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "settings", Short: "List the effective settings of the server", Args: cobra.NoArgs,
		Long: `List the effective settings of the server that responds, and the source of each one: flag,
environment, file or default. Secrets are shown as ***. The command needs the permission to
administer the server.`,
		Example: "  orth settings\n  orth settings -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			settings, err := c.Settings(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(settings, func() error {
				rows := make([][]string, len(settings))
				for i, s := range settings {
					from := string(s.Source)
					if s.File != "" {
						from += " " + s.File
					}
					rows[i] = []string{s.Name, output.OneLine(s.Value), output.OneLine(from)}
				}
				return t.PrintTable("SETTING VALUE FROM", rows)
			})
		},
	}
}
