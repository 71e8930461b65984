package kit

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
)

// SpaceList is a command that lists objects of the current namespace or of all.
type SpaceList[T any] struct {
	Short, Example string
	Every, Own     func(c *client.Client, ctx context.Context) ([]T, error)
	None           string // message for an empty list
	Heads          string
	Row            func(thing *T) (space string, cells []string)
}

// Command returns the command.
func (l SpaceList[T]) Command(t *Tool) *cobra.Command {
	var every bool
	cmd := &cobra.Command{
		Use: ListName, Aliases: []string{"ls"}, Short: l.Short, Args: cobra.NoArgs, Example: l.Example,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list := l.Own
			if every {
				list = l.Every
			}
			found, err := list(c, cmd.Context())
			switch {
			case err != nil:
				return err
			case t.ForPrograms():
				return t.Encode(OrEmpty(found))
			case len(found) == 0:
				t.PrintNote("%s", l.None)
				return nil
			}
			rows, spaces := make([][]string, len(found)), make([]string, len(found))
			for i := range found {
				spaces[i], rows[i] = l.Row(&found[i])
			}
			return t.PrintTableIn(every, spaces, l.Heads, rows)
		},
	}
	AddEverySpaceFlag(cmd.Flags(), &every)
	return cmd
}
