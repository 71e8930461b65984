package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
)

func (t *tool) tokenCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "token", Aliases: []string{"tokens"}, Short: "Make, list and revoke tokens of the API",
			Long: "Make, list and revoke tokens of the API: what programs show to act as a user. They are one's own, or with --user\n" +
				"those of another one. A token may do what its user may, or less, and ends when it expires, is revoked, or its\n" +
				"user is disabled. Tokens of executors are 'orth group token'.",
			Example: "  orth token create --label ci --only operator@default/reports --expires-in 720h > ci.token\n  orth token list",
		},
		t.tokenListCommand(), t.tokenCreateCommand(), t.sure(t.tokenRevokeCommand(), "Revoke token %s? Who shows it is refused."),
	)
}

// aboutUser adds the flag that names another user.
func aboutUser(cmd *cobra.Command, user *string) *cobra.Command {
	cmd.Flags().StringVar(user, "user", "", "`name` of another user (default the one who calls)")
	return cmd
}

func (t *tool) tokenListCommand() *cobra.Command {
	var user string
	return aboutUser(&cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List tokens, without their secrets", Args: cobra.NoArgs,
		Example: "  orth token list\n  orth token list --user deploy",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.Tokens(cmd.Context(), user)
			if err != nil {
				return err
			}
			if t.output.value == outName {
				ids := make([]string, len(list.Tokens))
				for i := range list.Tokens {
					ids[i] = list.Tokens[i].ID.String()
				}
				return t.encode(ids)
			}
			return t.show(list, func() error {
				rows := make([][]string, len(list.Tokens))
				for i := range list.Tokens {
					k := &list.Tokens[i]
					rows[i] = []string{
						k.ID.String(), "orth_" + k.Key + "…", k.Label, limitsText(k.Limits), t.time(k.UsedAt), t.time(k.ExpiresAt), k.User, t.time(k.CreatedAt),
					}
				}
				return t.table("ID TOKEN LABEL ONLY USED EXPIRES | USER CREATED", rows)
			})
		},
	}, &user)
}

func limitsText(limits []api.Grant) string {
	texts := make([]string, len(limits))
	for i, g := range limits {
		texts[i] = access.Grant(g).String()
	}
	return strings.Join(texts, " ")
}

func (t *tool) tokenCreateCommand() *cobra.Command {
	var user, expires string
	var wish api.NewAPIToken
	var in time.Duration
	var only []string
	cmd := aboutUser(&cobra.Command{
		Use: "create", Short: "Make a token and show it this once", Args: cobra.NoArgs,
		Long: "Make a token, and show it this once. The token alone goes to standard output, so that it can go into a file; the\n" +
			"rest is said on standard error.\n\n" +
			"With --only it may do what both one of those and a grant of its user allow.",
		Example: "  orth token create --label laptop --expires-in 2160h > ~/.orth.token\n" +
			"  orth token create --user deploy --label ci --only editor@default/reports",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if wish.Limits, err = readGrants("--only", only); err != nil {
				return err
			}
			switch {
			case in != 0 && expires != "":
				return usagef("--expires-in and --expires exclude each other")
			case in < 0 || cmd.Flags().Changed("expires-in") && in == 0:
				return usagef("--expires-in: %s is not above 0", in)
			case in > 0:
				wish.ExpiresAt = api.At(time.Now().Add(in))
			default:
				at, err := instant("--expires", expires, t.Location)
				if err != nil {
					return err
				}
				wish.ExpiresAt = api.At(at)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateToken(cmd.Context(), user, wish)
			if err != nil {
				return err
			}
			if !t.forPrograms() {
				t.tell("token %s of %s; it is not shown again", made.ID, made.User)
			}
			return t.done(made, made.Token)
		},
	}, &user)
	flags := cmd.Flags()
	flags.StringVar(&wish.Label, "label", "", "what people call it")
	flags.StringArrayVar(&only, "only", nil, "`ROLE@NAMESPACE/GROUP` that it is narrowed to; may be repeated (default all that its user may)")
	flags.DurationVar(&in, "expires-in", 0, "how long it is good, such as 720h (default for ever)")
	flags.StringVar(&expires, "expires", "", "`time` when it is good no more, such as 2030-01-31 or 2030-01-31T08:00:00Z")
	return cmd
}

func (t *tool) tokenRevokeCommand() *cobra.Command {
	var user string
	return aboutUser(&cobra.Command{
		Use: "revoke ID", Aliases: []string{"rm", "delete"}, Short: "Revoke a token", Args: cobra.ExactArgs(1),
		Long:    "Revoke a token. Within two seconds no server takes it any more.",
		Example: "  orth token revoke 12\n  orth token revoke 12 --user deploy",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			if err := id.UnmarshalText([]byte(args[0])); err != nil || id == 0 {
				return usagef("ID: %q is no id of a token: write its digits, as 'orth token list' shows them", args[0])
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RevokeToken(cmd.Context(), user, id); err != nil {
				return err
			}
			return t.done(map[string]api.ID{"revoked": id}, fmt.Sprintf("token %s revoked", id))
		},
	}, &user)
}
