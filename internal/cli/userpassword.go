package cli

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

func (t *tool) userPasswordCommand() *cobra.Command {
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
				wish.Password, err = t.pipedPassword()
			} else {
				wish.Password, err = t.typedPassword(args[0])
			}
			if err != nil {
				return err
			}
			c, err := t.connect()
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
			return t.done(u, result)
		},
	}
	cmd.Flags().BoolVar(&wish.Final, "permanent", false, "do not require a change at the next sign-in")
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

// pipedPassword reads a password from standard input.
func (t *tool) pipedPassword() (string, error) {
	password, err := terminal.ReadSecret(t.Stdin)
	if err == nil && password == "" {
		err = output.Usagef("--password-stdin: standard input contains no password")
	}
	return password, err
}

// typedPassword reads a password from the terminal, twice.
func (t *tool) typedPassword(user string) (string, error) {
	if !terminal.Is(t.Stdin) {
		return "", output.Usagef("standard input is not a terminal: pass the password with --password-stdin")
	}
	var typed [2]string
	for i, question := range [...]string{"New password of " + user + ": ", "Repeat the password: "} {
		if _, err := t.Stderr.Write([]byte(question)); err != nil {
			return "", err
		}
		text, err := terminal.ReadSecret(t.Stdin)
		t.printNote("")
		if err != nil {
			return "", err
		}
		typed[i] = text
	}
	if typed[0] != typed[1] {
		return "", output.Usagef("the passwords differ; nothing was changed")
	}
	return typed[0], nil
}
