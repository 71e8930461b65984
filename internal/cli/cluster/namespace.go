package cluster

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// NewNamespaceCommand returns the command orth namespace.
func NewNamespaceCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(&cobra.Command{Use: "namespace", Aliases: []string{"ns"}, Short: "List namespaces"}, newNamespaceListCommand(t))
}

func newNamespaceListCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List namespaces with their objects", Args: cobra.NoArgs,
		Long: `List the namespaces that contain jobs, groups, workflows or calendars, or for which a role was
granted, with the number of objects that you may read. A namespace needs no command to be
created: it exists as soon as an object uses it.`,
		Example: "  orth namespace list\n  orth namespace list -o name",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			namespaces, err := c.Namespaces(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(namespaces, func() error {
				if len(namespaces) == 0 {
					t.PrintNote("No namespaces found.")
					return nil
				}
				rows := make([][]string, len(namespaces))
				for i, n := range namespaces {
					rows[i] = []string{n.Name, strconv.Itoa(n.Jobs), strconv.Itoa(n.Groups), strconv.Itoa(n.Workflows), strconv.Itoa(n.Calendars)}
				}
				return t.PrintTable("NAMESPACE JOBS GROUPS WORKFLOWS CALENDARS", rows)
			})
		},
	}
}
