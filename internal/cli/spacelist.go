package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
)

// spaceList is a command that lists objects of the current namespace or of all.
type spaceList[T any] struct {
	short, example string
	every, own     func(c *client.Client, ctx context.Context) ([]T, error)
	none           string // message for an empty list
	heads          string
	row            func(thing *T) (space string, cells []string)
}

// command returns the command.
func (l spaceList[T]) command(t *tool) *cobra.Command {
	var every bool
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: l.short, Args: cobra.NoArgs, Example: l.example,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list := l.own
			if every {
				list = l.every
			}
			found, err := list(c, cmd.Context())
			switch {
			case err != nil:
				return err
			case t.forPrograms():
				return t.encode(orEmpty(found))
			case len(found) == 0:
				t.printNote("%s", l.none)
				return nil
			}
			rows, spaces := make([][]string, len(found)), make([]string, len(found))
			for i := range found {
				spaces[i], rows[i] = l.row(&found[i])
			}
			return t.tableIn(every, spaces, l.heads, rows)
		},
	}
	everySpaceFlag(cmd.Flags(), &every)
	return cmd
}
