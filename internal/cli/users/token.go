package users

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// NewTokenCommand returns the command orth token.
func NewTokenCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "token", Aliases: []string{"tokens"}, Short: "Create, list and revoke API tokens",
			Long: "Create, list and revoke API tokens, which authenticate programs as a user: your own, or with --user those of another\n" +
				"user. A token has the permissions of its user, or fewer with --scope, until it expires, is revoked, or the user is\n" +
				"disabled. For tokens of executors see 'orth group token'.",
			Example: "  orth token create --label ci --scope operator@default/reports --expires-in 720h > ci.token\n  orth token list",
		},
		newTokenListCommand(t), newTokenCreateCommand(t), t.ConfirmFirst(newTokenRevokeCommand(t), "Revoke token %s? Programs that use it will be rejected."),
	)
}

// aboutUser adds the flag that selects another user.
func aboutUser(cmd *cobra.Command, user *string) *cobra.Command {
	cmd.Flags().StringVar(user, "user", "", "`name` of another user (default you)")
	return cmd
}

func newTokenListCommand(t *kit.Tool) *cobra.Command {
	var user string
	return aboutUser(&cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List tokens without their secrets", Args: cobra.NoArgs,
		Example: "  orth token list\n  orth token list --user deploy",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.Tokens(cmd.Context(), user)
			if err != nil {
				return err
			}
			if t.Output.Value == output.Name {
				ids := make([]string, len(list.Tokens))
				for i := range list.Tokens {
					ids[i] = list.Tokens[i].ID.String()
				}
				return t.Encode(ids)
			}
			return t.Show(list, func() error {
				rows := make([][]string, len(list.Tokens))
				for i := range list.Tokens {
					k := &list.Tokens[i]
					rows[i] = []string{
						k.ID.String(), "orth_" + k.Key + "…", k.Label, limitsText(k.Limits), t.FormatTime(k.UsedAt), t.FormatTime(k.ExpiresAt), k.User, t.FormatTime(k.CreatedAt),
					}
				}
				return t.PrintTable("ID TOKEN LABEL SCOPE USED EXPIRES | USER CREATED", rows)
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

func newTokenCreateCommand(t *kit.Tool) *cobra.Command {
	var user, expires string
	var wish api.NewAPIToken
	var in time.Duration
	var only []string
	cmd := aboutUser(&cobra.Command{
		Use: "create", Short: "Create a token and print it once", Args: cobra.NoArgs,
		Long: "Create a token and print it once. Only the token goes to standard output; messages go to standard error.\n\n" +
			"With --scope the token has only permissions that both a scope and a grant of its user allow.",
		Example: "  orth token create --label laptop --expires-in 2160h > ~/.orth.token\n" +
			"  orth token create --user deploy --label ci --scope editor@default/reports",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if wish.Limits, err = readGrants("--scope", only); err != nil {
				return err
			}
			switch {
			case in != 0 && expires != "":
				return output.Usagef("--expires-in and --expires are mutually exclusive")
			case in < 0 || cmd.Flags().Changed("expires-in") && in == 0:
				return output.Usagef("--expires-in: must be greater than 0, got %s", in)
			case in > 0:
				wish.ExpiresAt = api.At(time.Now().Add(in))
			default:
				at, err := timing.ParseFlag("--expires", expires, t.Location)
				if err != nil {
					return err
				}
				wish.ExpiresAt = api.At(at)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateToken(cmd.Context(), user, wish)
			if err != nil {
				return err
			}
			if !t.ForPrograms() {
				t.PrintNote("Created token %s of user %s. It is not shown again.", made.ID, made.User)
			}
			return t.PrintResult(made, made.Token)
		},
	}, &user)
	flags := cmd.Flags()
	flags.StringVar(&wish.Label, "label", "", "label of the token")
	flags.StringArrayVar(&only, "scope", nil, "limit the token to `ROLE@NAMESPACE/GROUP`; may be repeated (default all permissions of the user)")
	flags.DurationVar(&in, "expires-in", 0, "lifetime, such as 720h (default unlimited)")
	flags.StringVar(&expires, "expires", "", "expiry `time`, such as 2030-01-31 or 2030-01-31T08:00:00Z")
	return cmd
}

func newTokenRevokeCommand(t *kit.Tool) *cobra.Command {
	var user string
	return aboutUser(&cobra.Command{
		Use: "revoke ID", Aliases: []string{"rm", "delete"}, Short: "Revoke a token", Args: cobra.ExactArgs(1),
		Long:    "Revoke a token. All servers reject it within two seconds.",
		Example: "  orth token revoke 12\n  orth token revoke 12 --user deploy",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			if err := id.UnmarshalText([]byte(args[0])); err != nil || id == 0 {
				return output.Usagef("ID: %q is not an id of a token; 'orth token list' lists the ids", args[0])
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RevokeToken(cmd.Context(), user, id); err != nil {
				return err
			}
			return t.PrintResult(map[string]api.ID{"revoked": id}, fmt.Sprintf("token %s revoked", id))
		},
	}, &user)
}

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
