package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
)

func (t *tool) groupCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "group", Aliases: []string{"groups"}, Short: "Say which tokens executors of a group must show",
			Long: "Say which tokens executors of a group must show.\n\n" +
				"All executors may show the token of the whole server, and speak for every group then. An executor that shows a\n" +
				"token of its group speaks for that group alone. The list of executors is 'orth executors'.",
		},
		t.groupTokenCommand(), t.groupEditCommand(),
	)
}

func (t *tool) groupTokenCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "token", Aliases: []string{"tokens"}, Short: "Make, list and remove tokens of a group",
			Long: "Make, list and remove tokens of a group. An executor that shows one (orth executor --group-token-file) can\n" +
				"register for its group only, and end its attempts only. Up to 10 are valid at once, so that a new one can be\n" +
				"given out before an old one is removed.\n\n" +
				"What servers show to executors stays the token of the whole server: give executors both. An executor of\n" +
				"another make that compares what it is shown with its only token cannot use a token of its group.",
		},
		t.groupTokenAddCommand(), t.groupTokenListCommand(), t.groupTokenRemoveCommand(),
	)
}

func (t *tool) groupTokenAddCommand() *cobra.Command {
	var label string
	cmd := &cobra.Command{
		Use: "add GROUP", Short: "Make a token of a group, and show it this once", Args: cobra.ExactArgs(1),
		Long: "Make a token of a group, and show it this once. The token alone goes to standard output, so that it can go\n" +
			"into a file; the rest is said on standard error.",
		Example: "  orth group token add reports --label 'from November' > reports.token",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.AddGroupToken(cmd.Context(), args[0], label)
			if err != nil {
				return err
			}
			if !t.asJSON() {
				t.tell("token %s of group %s; it is not shown again", made.ID, args[0])
			}
			return t.done(made, made.Token)
		},
	}
	cmd.Flags().StringVar(&label, "label", "", "what people call it")
	return cmd
}

func (t *tool) groupTokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list GROUP", Aliases: []string{"ls"}, Short: "List the tokens of a group, without their secrets", Args: cobra.ExactArgs(1),
		Example: "  orth group token list reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.GroupTokens(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.groupTokens(&list)
		},
	}
}

func (t *tool) groupTokens(list *api.GroupTokenList) error {
	if t.asJSON() {
		return t.json(list)
	}
	if len(list.Tokens) > 0 {
		rows := make([][]string, len(list.Tokens))
		for i, token := range list.Tokens {
			rows[i] = []string{token.ID.String(), token.Label, t.time(token.CreatedAt), firstOf(t.time(token.LastUsedAt), "never")}
		}
		if err := t.table("ID LABEL CREATED USED", rows); err != nil {
			return err
		}
	}
	switch {
	case list.OwnTokenOnly && len(list.Tokens) == 0:
		t.tell("group %s has no tokens and takes no others: its executors are refused", list.Group.Group)
	case list.OwnTokenOnly:
		t.tell("group %s takes no other tokens", list.Group.Group)
	case len(list.Tokens) == 0:
		t.tell("group %s has no tokens: its executors show that of the whole server", list.Group.Group)
	default:
		t.tell("group %s takes the token of the whole server too; 'orth group edit %s --own-token-only' ends that",
			list.Group.Group, list.Group.Group)
	}
	return nil
}

func (t *tool) groupTokenRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove GROUP ID", Aliases: []string{"rm"}, Short: "Remove a token of a group", Args: cobra.ExactArgs(2),
		Long: "Remove a token of a group. Within five seconds no server takes it any more. Executors that show it keep what\n" +
			"they have to report until they are given another.",
		Example: "  orth group token remove reports 1",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			if err := id.UnmarshalText([]byte(args[1])); err != nil || id == 0 {
				return usagef("ID: %q is no id of a token: write its digits, as 'orth group token list' shows them", args[1])
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RemoveGroupToken(cmd.Context(), args[0], id); err != nil {
				return err
			}
			removed := struct {
				Group   string `json:"group"`
				Removed api.ID `json:"removed"`
			}{args[0], id}
			return t.done(removed, "token "+args[1]+" removed from group "+args[0])
		},
	}
}

func (t *tool) groupEditCommand() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use: "edit GROUP", Short: "Say whether a group takes no tokens but its own", Args: cobra.ExactArgs(1),
		Long: "Say whether a group takes no tokens but its own. Then executors that show the token of the whole server can\n" +
			"neither register for the group nor end its attempts; they keep what they have to report until they show\n" +
			"a token of the group. Give all of them one first.\n\n" +
			"What servers show to executors stays the token of the whole server.",
		Example: "  orth group edit reports --own-token-only\n  orth group edit reports --own-token-only=false",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("own-token-only") {
				return usagef("say what to change: --own-token-only, or --own-token-only=false")
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			g, err := c.SetOwnTokenOnly(cmd.Context(), args[0], only)
			if err != nil {
				return err
			}
			said := "takes the token of the whole server as well as its own"
			if g.OwnTokenOnly {
				said = "takes no tokens but its own"
			}
			return t.done(g, fmt.Sprintf("group %s %s", args[0], said))
		},
	}
	cmd.Flags().BoolVar(&only, "own-token-only", false, "refuse the token of the whole server")
	return cmd
}
