package cli

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/terminal"
)

func (t *tool) userPasswordCommand() *cobra.Command {
	var wish api.NewPassword
	var stdin bool
	cmd := &cobra.Command{
		Use: "password NAME", Short: "Set the password of a user", Args: cobra.ExactArgs(1),
		Long: "Set the password of a user: 10 to 128 characters. It is asked for on the terminal, where it is not shown, or read\n" +
			"from standard input. All sessions of the user are over, and unless --final says otherwise the password has to be\n" +
			"changed at the next sign-in.\n\n" +
			"Whoever has the data folder of a server can set the password of every user with this, and so come in again.",
		Example: "  orth user password ada\n  orth user password admin --final --password-stdin < new-password.txt",
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
			said := "password of " + u.Name + " set; it has to be changed at the next sign-in"
			if !u.MustChange {
				said = "password of " + u.Name + " set"
			}
			return t.done(u, said)
		},
	}
	cmd.Flags().BoolVar(&wish.Final, "final", false, "the user need not change it at the next sign-in")
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "take the password on standard input")
	return cmd
}

// pipedPassword reads a password from standard input.
func (t *tool) pipedPassword() (string, error) {
	password, err := terminal.ReadSecret(t.Stdin)
	if err == nil && password == "" {
		err = usagef("--password-stdin: there is no password on standard input")
	}
	return password, err
}

// typedPassword asks for a password twice.
func (t *tool) typedPassword(user string) (string, error) {
	if !terminal.Is(t.Stdin) {
		return "", usagef("there is no terminal to type the password on: send it with --password-stdin")
	}
	var typed [2]string
	for i, question := range [...]string{"New password of " + user + ": ", "Once more: "} {
		if _, err := t.Stderr.Write([]byte(question)); err != nil {
			return "", err
		}
		text, err := terminal.ReadSecret(t.Stdin)
		t.tell("")
		if err != nil {
			return "", err
		}
		typed[i] = text
	}
	if typed[0] != typed[1] {
		return "", usagef("the two passwords differ; nothing was changed")
	}
	return typed[0], nil
}
