package users

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// NewCommand returns the command orth user.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "user", Aliases: []string{"users"}, Short: "Manage users and permissions",
			Long: "Manage users and permissions. Persons sign in with a password; services only have tokens. Permissions are granted as a\n" +
				"role at a location, written ROLE@NAMESPACE/GROUP. Without a group the role applies to the whole namespace, without a\n" +
				"namespace to the whole server. 'orth user roles' lists the roles; see docs/users.md.",
			Example: "  orth user create ada --title 'Ada L.' --grant operator@default/reports\n  orth user grant ada editor@default\n  orth user list",
		},
		newListCommand(t), newShowCommand(t), newCreateCommand(t), newEditCommand(t), newDisableCommand(t), newEnableCommand(t),
		t.ConfirmFirst(newDeleteCommand(t), "Delete user %s with its tokens and sessions?"), newPasswordCommand(t), newGrantCommand(t), newRevokeCommand(t), newGrantsCommand(t), newRolesCommand(t),
		newSessionsCommand(t), newEndSessionCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	query := client.UserQuery{Limit: maxUserPage}
	kind, state := kit.NewChoice("", "user", "service"), kit.NewChoice("", "active", "disabled", "must-change")
	role, order := kit.NewChoice("", roleNames()...), kit.NewSorting("name", "created-at", "seen-at")
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List users", Args: cobra.NoArgs,
		Example: "  orth user list\n  orth user list -o name\n  orth user list --role admin --in default\n" +
			"  orth user list --kind service --sort=-seen-at",
		RunE: func(cmd *cobra.Command, _ []string) error {
			query.Kind, query.State = access.Kind(kind.Word()), state.Word()
			query.Role, query.Sort = access.Role(role.Word()), order.Word()
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			all := api.UserList{Users: []api.User{}}
			for {
				page, err := c.Users(cmd.Context(), query)
				if err != nil {
					return err
				}
				all.Users, query.After = append(all.Users, page.Users...), page.Next
				if page.Next == "" {
					break
				}
			}
			if t.Output.Value == output.Name {
				return t.Encode(names(all.Users))
			}
			return t.Show(all, func() error { return usersTable(t, all.Users) })
		},
	}
	flags := cmd.Flags()
	flags.Var(&kind, "kind", "only persons, or only services")
	flags.Var(&state, "state", "only users in this state")
	flags.Var(&role, "role", "only users with this role")
	flags.StringVar(&query.Namespace, "in", "", "only users with a grant in this `namespace`; '*' selects server-wide grants")
	flags.Var(&order, "sort", "sort order, descending with a - prefix (default name)")
	return cmd
}

// maxUserPage is the maximum number of users per page.
const maxUserPage = 500

func roleNames() []string {
	roles := access.Roles()
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	return names
}

func names(users []api.User) []string {
	names := make([]string, len(users))
	for i := range users {
		names[i] = users[i].Name
	}
	return names
}

func usersTable(t *kit.Tool, users []api.User) error {
	rows := make([][]string, len(users))
	for i := range users {
		u := &users[i]
		rows[i] = []string{u.Name, string(u.Kind), state(u), grantsText(u), t.FormatTime(u.SeenAt), u.Title, u.Email}
	}
	return t.PrintTable("NAME KIND STATE GRANTS SEEN | TITLE EMAIL", rows)
}

func state(u *api.User) string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.MustChange:
		return "must change password"
	}
	return "enabled"
}

func grantsText(u *api.User) string {
	texts := make([]string, 0, len(u.Grants)+len(u.Provided))
	for _, g := range append(append([]api.Grant{}, u.Grants...), u.Provided...) {
		texts = append(texts, access.Grant(g).String())
	}
	return strings.Join(texts, " ")
}

func newShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a user", Args: cobra.ExactArgs(1), Example: "  orth user show ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.User(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.Output.Value == output.Name {
				return t.Encode(u.Name)
			}
			return t.Show(u, func() error { return sheet(t, &u) })
		},
	}
}

func sheet(t *kit.Tool, u *api.User) error {
	lines := func(grants []api.Grant) string {
		texts := make([]string, len(grants))
		for i, g := range grants {
			texts[i] = access.Grant(g).String()
		}
		return strings.Join(texts, "\n")
	}
	external := ""
	if u.External {
		external = "signs in at an identity provider"
	}
	return t.PrintSheet([][2]string{
		{"User", u.Name},
		{"Kind", string(u.Kind)},
		{"Title", u.Title},
		{"Email", u.Email},
		{"State", state(u)},
		{"Account", external},
		{"Grants", lines(u.Grants)},
		{"Provided", lines(u.Provided)},
		{"Created", t.FormatTime(u.CreatedAt)},
		{"Seen", t.FormatTime(u.SeenAt)},
	})
}

func newCreateCommand(t *kit.Tool) *cobra.Command {
	var wish api.NewUser
	var service, stdin bool
	var grants []string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a user", Args: cobra.ExactArgs(1),
		Long: "Create a user. The password of a person is generated and printed once, alone on standard output, or read with\n" +
			"--password-stdin; it must be changed at the first sign-in. A service has no password: create a token with\n" +
			"'orth token create --user NAME'.",
		Example: "  orth user create ada --title 'Ada L.' --grant viewer@default --grant operator@default/reports\n" +
			"  orth user create deploy --service --grant editor@default && orth token create --user deploy --label ci",
		RunE: func(cmd *cobra.Command, args []string) error {
			wish.Name, wish.Kind = args[0], access.Person
			if service {
				wish.Kind = access.Service
			}
			var err error
			if wish.Grants, err = readGrants("--grant", grants); err != nil {
				return err
			}
			if stdin {
				if wish.Password, err = t.PipedPassword(); err != nil {
					return err
				}
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateUser(cmd.Context(), wish)
			if err != nil {
				return err
			}
			if made.Password == "" {
				return t.PrintResult(made, "user "+made.Name+" created")
			}
			if !t.ForPrograms() {
				t.PrintNote("Created user %s. The password is not shown again and must be changed at the first sign-in.", made.Name)
			}
			return t.PrintResult(made, made.Password)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&wish.Title, "title", "", "display name")
	flags.StringVar(&wish.Email, "email", "", "e-mail `address`")
	flags.BoolVar(&service, "service", false, "create a service user, which only has tokens")
	flags.StringArrayVar(&grants, "grant", nil, "`ROLE@NAMESPACE/GROUP` to grant; may be repeated")
	flags.BoolVar(&stdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

// readGrants parses grants as written on the command line.
func readGrants(flag string, texts []string) ([]api.Grant, error) {
	var grants []api.Grant
	for _, text := range texts {
		g, err := access.ParseGrant(text)
		if err != nil {
			return nil, output.Usagef("%s: %v", flag, err)
		}
		grants = append(grants, api.Grant(g))
	}
	return grants, nil
}

func newEditCommand(t *kit.Tool) *cobra.Command {
	var title, email string
	cmd := &cobra.Command{
		Use: "edit NAME", Short: "Change the display name or the e-mail address of a user", Args: cobra.ExactArgs(1),
		Example: "  orth user edit ada --email ada@example.com\n  orth user edit ada --title ''",
		RunE: func(cmd *cobra.Command, args []string) error {
			var patch api.UserPatch
			if cmd.Flags().Changed("title") {
				patch.Title = &title
			}
			if cmd.Flags().Changed("email") {
				patch.Email = &email
			}
			if patch == (api.UserPatch{}) {
				return output.Usagef("nothing to change: use --title or --email")
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.UpdateUser(cmd.Context(), args[0], patch)
			if err != nil {
				return err
			}
			return t.PrintResult(u, "user "+u.Name+" updated")
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "display name; empty removes it")
	cmd.Flags().StringVar(&email, "email", "", "e-mail `address`; empty removes it")
	return cmd
}

func newDisableCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "disable NAME", Short: "Disable a user with its password, sessions and tokens", Args: cobra.ExactArgs(1),
		Example: "  orth user disable ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.DisableUser(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.PrintResult(u, "user "+u.Name+" disabled")
		},
	}
}

func newEnableCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "enable NAME", Short: "Enable a user with its previous password and tokens", Args: cobra.ExactArgs(1),
		Example: "  orth user enable ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.EnableUser(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.PrintResult(u, "user "+u.Name+" enabled")
		},
	}
}

func newDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm"}, Short: "Delete a user with its tokens and sessions", Args: cobra.ExactArgs(1),
		Long: "Delete a user with its tokens and sessions. Its audit entries are kept under its name. The last server administrator\n" +
			"cannot be deleted.",
		Example: "  orth user delete ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteUser(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"deleted": args[0]}, fmt.Sprintf("user %s deleted", args[0]))
		},
	}
}
