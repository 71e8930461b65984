package users

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
)

func newPasswordCommand(t *kit.Tool) *cobra.Command {
	var wish api.NewPassword
	var stdin bool
	cmd := &cobra.Command{
		Use: "password NAME", Short: "Set the password of a user", Args: cobra.ExactArgs(1),
		Long: "Set the password of a user: 10 to 128 characters, typed on the terminal without echo or read from standard input. All\n" +
			"sessions of the user end. Without --permanent the password must be changed at the next sign-in.\n\n" +
			"With access to the data folder of a server this command can reset the password of any user, administrators included.",
		Example: "  orth user password ada\n  orth user password admin --permanent --password-stdin < new-password.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if stdin {
				wish.Password, err = t.PipedPassword()
			} else {
				wish.Password, err = t.TypedPassword(args[0])
			}
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.SetUserPassword(cmd.Context(), args[0], wish)
			if err != nil {
				return err
			}
			result := "password of " + u.Name + " set; it must be changed at the next sign-in"
			if !u.MustChange {
				result = "password of " + u.Name + " set"
			}
			return t.PrintResult(u, result)
		},
	}
	cmd.Flags().BoolVar(&wish.Final, "permanent", false, "do not require a change at the next sign-in")
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input")
	return cmd
}
