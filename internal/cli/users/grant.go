package users

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

func newGrantCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "grant NAME ROLE[@NAMESPACE[/GROUP]]…", Short: "Grant roles to a user", Args: cobra.MinimumNArgs(2),
		Long: "Grant roles to a user. Without a group a role applies to the whole namespace, without a namespace to the whole server.\n" +
			"Owners can grant viewer, operator, editor and owner where they are owners; administrators can grant all roles where\n" +
			"they are administrators. Users cannot grant roles to themselves.",
		Example: "  orth user grant ada editor@default/reports scripter@default/reports\n  orth user grant bob admin",
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachGrant(cmd.Context(), t, args, "granted", "to", (*client.Client).GiveGrant)
		},
	}
}

func newRevokeCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME ROLE[@NAMESPACE[/GROUP]]…", Short: "Revoke roles of a user", Args: cobra.MinimumNArgs(2),
		Long:    "Revoke roles of a user, written as they were granted. All sessions of the user end. Roles from an identity provider are revoked there.",
		Example: "  orth user revoke ada editor@default/reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachGrant(cmd.Context(), t, args, "revoked", "from", (*client.Client).TakeGrant)
		},
	}
}

// eachGrant applies an action to the grants of a command line.
func eachGrant(
	ctx context.Context, t *kit.Tool, args []string, done, where string, do func(*client.Client, context.Context, string, api.Grant) error,
) error {
	grants, err := readGrants("ROLE", args[1:])
	if err != nil {
		return err
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	list := api.GrantList{Grants: []api.HeldGrant{}}
	texts := make([]string, 0, len(grants))
	for _, g := range grants {
		if err := do(c, ctx, args[0], g); err != nil {
			return err
		}
		list.Grants = append(list.Grants, api.HeldGrant{User: args[0], Grant: g})
		texts = append(texts, access.Grant(g).String())
	}
	return t.PrintResult(list, done+" "+strings.Join(texts, ", ")+" "+where+" "+args[0])
}

func newGrantsCommand(t *kit.Tool) *cobra.Command {
	var q client.GrantQuery
	var everywhere bool
	cmd := &cobra.Command{
		Use: "grants", Short: "List the grants that you can manage", Args: cobra.NoArgs,
		Example: "  orth user grants\n  orth user grants --in default\n  orth user grants --user ada",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if everywhere {
				if q.Namespace != "" {
					return output.Usagef("--server-wide and --in are mutually exclusive")
				}
				q.Namespace = access.All
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			all := api.GrantList{Grants: []api.HeldGrant{}}
			for q.Limit = 1000; ; q.After = all.Next {
				page, err := c.Grants(cmd.Context(), q)
				if err != nil {
					return err
				}
				all.Grants, all.Next = append(all.Grants, page.Grants...), page.Next
				if page.Next == "" {
					break
				}
			}
			return t.Show(all, func() error { return grantsTable(t, all.Grants) })
		},
	}
	cmd.Flags().StringVar(&q.Namespace, "in", "", "only grants in this `namespace`")
	cmd.Flags().BoolVar(&everywhere, "server-wide", false, "only server-wide grants")
	cmd.Flags().StringVar(&q.User, "user", "", "only grants of this `user`")
	return cmd
}

func grantsTable(t *kit.Tool, grants []api.HeldGrant) error {
	rows := make([][]string, len(grants))
	for i, g := range grants {
		from := "hand"
		if g.Provided {
			from = "provider"
		}
		rows[i] = []string{g.User, string(g.Role), g.Namespace, g.Group, from}
	}
	return t.PrintTable("USER ROLE NAMESPACE GROUP GRANTED-BY", rows)
}

func newRolesCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "roles", Short: "List the permissions of each role", Args: cobra.NoArgs, Example: "  orth user roles",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.Roles(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(list, func() error {
				rows := make([][]string, len(list.Roles))
				for i, r := range list.Roles {
					rights := make([]string, len(r.Rights))
					for j, right := range r.Rights {
						rights[j] = string(right)
					}
					rows[i] = []string{string(r.Role), strings.Join(rights, " ")}
				}
				return t.PrintTable("ROLE PERMISSIONS", rows)
			})
		},
	}
}
