package users

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
)

// NewWhoamiCommand returns the command orth whoami.
func NewWhoamiCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show your user and permissions", Args: cobra.NoArgs,
		Example: "  orth whoami\n  orth whoami -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			me, err := c.Me(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(me, func() error {
				state := ""
				if me.MustChange {
					state = "must change password"
				}
				return t.PrintSheet([][2]string{
					{"Name", me.Name},
					{"Kind", string(me.Kind)},
					{"State", state},
					{"Grants", grantsText(&api.User{Grants: me.Grants})},
					{"Only", limitsText(me.Limits)},
				})
			})
		},
	}
}
