package users

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

func newSessionsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "sessions NAME", Short: "List the sessions of a user without their secrets", Args: cobra.ExactArgs(1),
		Long:    "List the sessions of a user, newest first, with their address and browser. A disabled user has no sessions.",
		Example: "  orth user sessions ada\n  orth user sessions ada -o name",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.UserSessions(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.Output.Value == output.Name {
				ids := make([]string, len(list.Sessions))
				for i := range list.Sessions {
					ids[i] = list.Sessions[i].ID.String()
				}
				return t.Encode(ids)
			}
			return t.Show(list, func() error {
				rows := make([][]string, len(list.Sessions))
				for i := range list.Sessions {
					s := &list.Sessions[i]
					rows[i] = []string{s.ID.String(), s.Way, s.Address, t.FormatTime(s.SeenAt), t.FormatTime(s.EndsAt), t.FormatTime(s.CreatedAt), s.Agent}
				}
				return t.PrintTable("ID METHOD ADDRESS SEEN ENDS | CREATED AGENT", rows)
			})
		},
	}
}

func newEndSessionCommand(t *kit.Tool) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "end-session NAME [ID]", Short: "End one or all sessions of a user", Args: cobra.RangeArgs(1, 2),
		Long: "End one session of a user, or with --all all sessions. All servers reject the session within two seconds; the user must\n" +
			"sign in again.",
		Example: "  orth user end-session ada 12\n  orth user end-session ada --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			switch {
			case all == (len(args) == 2):
				return output.Usagef("give the ID of a session, as listed by 'orth user sessions', or use --all")
			case !all:
				if err := id.UnmarshalText([]byte(args[1])); err != nil || id <= 0 {
					return output.Usagef("ID: %q is not an id of a session; 'orth user sessions' lists the ids", args[1])
				}
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if all {
				if err := c.EndUserSessions(cmd.Context(), args[0]); err != nil {
					return err
				}
				return t.PrintResult(map[string]string{"ended": "all"}, "all sessions of user "+args[0]+" ended")
			}
			if err := c.EndUserSession(cmd.Context(), args[0], id); err != nil {
				return err
			}
			return t.PrintResult(map[string]api.ID{"ended": id}, fmt.Sprintf("session %s of user %s ended", id, args[0]))
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all sessions")
	return cmd
}

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
