package cli

import "github.com/spf13/cobra"

func (t *tool) settingsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "settings", Short: "List the settings of the server, as they are in effect", Args: cobra.NoArgs,
		Long: `List the settings of the server that answers, as they are in effect, and where each
one came from: a flag, the environment, a file or the default. Secrets are shown as ***. It needs the right to
administer the server.`,
		Example: "  orth settings\n  orth settings -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			settings, err := c.Settings(cmd.Context())
			if err != nil {
				return err
			}
			return t.show(settings, func() error {
				rows := make([][]string, len(settings))
				for i, s := range settings {
					from := string(s.Source)
					if s.File != "" {
						from += " " + s.File
					}
					rows[i] = []string{s.Name, oneLine(s.Value), oneLine(from)}
				}
				return t.table("SETTING VALUE FROM", rows)
			})
		},
	}
}
