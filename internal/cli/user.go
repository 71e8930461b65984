package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
)

func (t *tool) userCommand() *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "user", Aliases: []string{"users"}, Short: "Manage users and permissions",
			Long: "Manage users and permissions. Persons sign in with a password; services only have tokens. Permissions are granted as a\n" +
				"role at a location, written ROLE@NAMESPACE/GROUP. Without a group the role applies to the whole namespace, without a\n" +
				"namespace to the whole server. 'orth user roles' lists the roles; see docs/users.md.",
			Example: "  orth user create ada --title 'Ada L.' --grant operator@default/reports\n  orth user grant ada editor@default\n  orth user list",
		},
		t.userListCommand(), t.userShowCommand(), t.userCreateCommand(), t.userEditCommand(), t.userDisableCommand(), t.userEnableCommand(),
		t.sure(t.userDeleteCommand(), "Delete user %s with its tokens and sessions?"), t.userPasswordCommand(), t.userGrantCommand(), t.userRevokeCommand(), t.userGrantsCommand(), t.userRolesCommand(),
		t.userSessionsCommand(), t.userEndSessionCommand(),
	)
}

func (t *tool) userListCommand() *cobra.Command {
	query := client.UserQuery{Limit: maxUserPage}
	kind, state := newChoice("", "user", "service"), newChoice("", "active", "disabled", "must-change")
	role, order := newChoice("", roleNames()...), newSorting("name", "created-at", "seen-at")
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List users", Args: cobra.NoArgs,
		Example: "  orth user list\n  orth user list -o name\n  orth user list --role admin --in default\n" +
			"  orth user list --kind service --sort=-seen-at",
		RunE: func(cmd *cobra.Command, _ []string) error {
			query.Kind, query.State = access.Kind(kind.word()), state.word()
			query.Role, query.Sort = access.Role(role.word()), order.word()
			c, err := t.connect()
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
			if t.output.value == output.Name {
				return t.encode(userNames(all.Users))
			}
			return t.show(all, func() error { return t.usersTable(all.Users) })
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

func userNames(users []api.User) []string {
	names := make([]string, len(users))
	for i := range users {
		names[i] = users[i].Name
	}
	return names
}

func (t *tool) usersTable(users []api.User) error {
	rows := make([][]string, len(users))
	for i := range users {
		u := &users[i]
		rows[i] = []string{u.Name, string(u.Kind), userState(u), grantsText(u), t.time(u.SeenAt), u.Title, u.Email}
	}
	return t.table("NAME KIND STATE GRANTS SEEN | TITLE EMAIL", rows)
}

func userState(u *api.User) string {
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

func (t *tool) userShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a user", Args: cobra.ExactArgs(1), Example: "  orth user show ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.User(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.output.value == output.Name {
				return t.encode(u.Name)
			}
			return t.show(u, func() error { return t.userSheet(&u) })
		},
	}
}

func (t *tool) userSheet(u *api.User) error {
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
	return t.sheet([][2]string{
		{"User", u.Name},
		{"Kind", string(u.Kind)},
		{"Title", u.Title},
		{"Email", u.Email},
		{"State", userState(u)},
		{"Account", external},
		{"Grants", lines(u.Grants)},
		{"Provided", lines(u.Provided)},
		{"Created", t.time(u.CreatedAt)},
		{"Seen", t.time(u.SeenAt)},
	})
}

func (t *tool) userCreateCommand() *cobra.Command {
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
				if wish.Password, err = t.pipedPassword(); err != nil {
					return err
				}
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateUser(cmd.Context(), wish)
			if err != nil {
				return err
			}
			if made.Password == "" {
				return t.done(made, "user "+made.Name+" created")
			}
			if !t.forPrograms() {
				t.printNote("Created user %s. The password is not shown again and must be changed at the first sign-in.", made.Name)
			}
			return t.done(made, made.Password)
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

func (t *tool) userEditCommand() *cobra.Command {
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
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.UpdateUser(cmd.Context(), args[0], patch)
			if err != nil {
				return err
			}
			return t.done(u, "user "+u.Name+" updated")
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "display name; empty removes it")
	cmd.Flags().StringVar(&email, "email", "", "e-mail `address`; empty removes it")
	return cmd
}

func (t *tool) userDisableCommand() *cobra.Command {
	return &cobra.Command{
		Use: "disable NAME", Short: "Disable a user with its password, sessions and tokens", Args: cobra.ExactArgs(1),
		Example: "  orth user disable ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.DisableUser(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.done(u, "user "+u.Name+" disabled")
		},
	}
}

func (t *tool) userEnableCommand() *cobra.Command {
	return &cobra.Command{
		Use: "enable NAME", Short: "Enable a user with its previous password and tokens", Args: cobra.ExactArgs(1),
		Example: "  orth user enable ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			u, err := c.EnableUser(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.done(u, "user "+u.Name+" enabled")
		},
	}
}

func (t *tool) userDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm"}, Short: "Delete a user with its tokens and sessions", Args: cobra.ExactArgs(1),
		Long: "Delete a user with its tokens and sessions. Its audit entries are kept under its name. The last server administrator\n" +
			"cannot be deleted.",
		Example: "  orth user delete ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteUser(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.done(map[string]string{"deleted": args[0]}, fmt.Sprintf("user %s deleted", args[0]))
		},
	}
}
