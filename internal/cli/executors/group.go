package executors

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// NewGroupCommand returns the command orth group.
func NewGroupCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "group", Aliases: []string{"groups"}, Short: "Manage groups of executors and their tokens",
			Long: "Manage groups of executors and their tokens.\n\n" +
				"Orth executors derive the token of their group from executor.token of the server. A group token authenticates for its\n" +
				"group only. 'orth executors' lists the executors.",
		},
		newGroupListCommand(t), newGroupShowCommand(t), newGroupHandlersCommand(t), newGroupCreateCommand(t), newGroupEditCommand(t), t.ConfirmFirst(newGroupDeleteCommand(t), "Delete group %s?"),
		newGroupTokenCommand(t),
	)
}

func newGroupTokenCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "token", Aliases: []string{"tokens"}, Short: "Create, list and remove tokens of a group",
			Long: "Create, list and remove tokens of a group. An executor with a group token (orth executor --group-token-file) can\n" +
				"register only for its group and report only its attempts; servers present the same token to it. A group can have up\n" +
				"to 10 valid tokens, which allows rotation without downtime.\n\n" +
				"Servers store tokens encrypted with secrets.key in their data folder.",
		},
		newGroupTokenAddCommand(t), newGroupTokenListCommand(t), t.ConfirmFirst(newGroupTokenRemoveCommand(t), "Remove token %s (group and id)? Executors that use it are rejected."),
	)
}

func newGroupTokenAddCommand(t *kit.Tool) *cobra.Command {
	var wish api.NewGroupToken
	var file string
	var stdin bool
	cmd := &cobra.Command{
		Use: "add GROUP", Short: "Create a token of a group, or register an existing one", Args: cobra.ExactArgs(1),
		Long: "Create a token of a group and print it once. Only the token goes to standard output; messages go to standard error.\n\n" +
			"With --stdin or --file register a token that the executors already use, such as the access token of another admin:\n" +
			"8 to 256 printable ASCII characters without spaces. Well-known tokens are rejected.",
		Example: "  orth group token add reports --label 'from November' > reports.token\n" +
			"  orth group token add reports --stdin < access-token.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			brought, err := broughtToken(t, file, stdin)
			if err != nil {
				return err
			}
			wish.Token = brought.Reveal()
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.AddGroupToken(cmd.Context(), args[0], wish)
			switch {
			case err != nil:
				return aboutBrought(err)
			case !brought.IsZero():
				return t.PrintResult(made, fmt.Sprintf("existing token %s added to group %s", made.ID, args[0]))
			case !t.ForPrograms():
				t.PrintNote("Created token %s of group %s. It is not shown again.", made.ID, args[0])
			}
			return t.PrintResult(made, made.Token)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&wish.Label, "label", "", "label of the token")
	flags.BoolVar(&stdin, "stdin", false, "read an existing token from standard input")
	flags.StringVar(&file, "file", "", "read an existing token from this `file`")
	return cmd
}

// broughtToken returns the existing token of the flags; zero for none.
func broughtToken(t *kit.Tool, file string, stdin bool) (redacted.Text, error) {
	switch {
	case file != "" && stdin:
		return redacted.Text{}, output.Usagef("--stdin and --file are mutually exclusive")
	case stdin:
		return credential.Read(t.Stdin, "standard input")
	case file != "":
		return credential.Load(file)
	}
	return redacted.Text{}, nil
}

func newGroupTokenListCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "list GROUP", Aliases: []string{"ls"}, Short: "List the tokens of a group without their secrets", Args: cobra.ExactArgs(1),
		Example: "  orth group token list reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list, err := c.GroupTokens(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return groupTokens(t, &list)
		},
	}
}

func groupTokens(t *kit.Tool, list *api.GroupTokenList) error {
	if t.ForPrograms() {
		return t.Encode(list)
	}
	if len(list.Tokens) > 0 {
		rows, shut := make([][]string, len(list.Tokens)), false
		for i, token := range list.Tokens {
			rows[i] = []string{
				token.ID.String(), token.Label, t.FormatTime(token.CreatedAt), kit.FirstOf(t.FormatTime(token.LastUsedAt), "never"),
				strconv.Itoa(token.Executors), kit.YesOrNo(token.Outbound),
			}
			shut = shut || !token.Outbound
		}
		if err := t.PrintTable("ID LABEL CREATED USED EXECUTORS READABLE", rows); err != nil {
			return err
		}
		if shut {
			t.PrintNote("This server cannot decrypt tokens that are not READABLE. Create a new token of the group to replace them.")
		}
	}
	switch {
	case list.OwnTokenOnly && len(list.Tokens) == 0:
		t.PrintNote("Group %s accepts only its own tokens but has none: its executors are rejected.", list.Group.Group)
	case list.OwnTokenOnly:
		t.PrintNote("Group %s accepts only its own tokens.", list.Group.Group)
	case len(list.Tokens) == 0:
		t.PrintNote("Group %s has no tokens: its executors use the one derived from executor.token.", list.Group.Group)
	default:
		t.PrintNote("Group %s also accepts the token derived from executor.token, and shared or admitted tokens; %s disables this.",
			list.Group.Group, t.CommandLine("group", "edit", list.Group.Group, "--own-token-only"))
	}
	return nil
}

// aboutBrought rewords an error about an existing token, which has no flag of its own;
// --token is another token.
func aboutBrought(err error) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == "token" {
		wrong.Field, wrong.Message = "", "the existing token "+wrong.Message
	}
	return err
}

func newGroupTokenRemoveCommand(t *kit.Tool) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "remove GROUP ID", Aliases: []string{"rm"}, Short: "Remove a token of a group", Args: cobra.ExactArgs(2),
		Long: "Remove a token of a group. Servers reject it within five seconds. Executors that use it keep their unreported outcomes\n" +
			"until they get another token, so a token in use is removed only with --force; 'orth group token list' shows the\n" +
			"number of executors.",
		Example: "  orth group token remove reports 1",
		RunE: func(cmd *cobra.Command, args []string) error {
			var id api.ID
			if err := id.UnmarshalText([]byte(args[1])); err != nil || id == 0 {
				return output.Usagef("ID: %q is not an id of a token; 'orth group token list' lists the ids", args[1])
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RemoveGroupToken(cmd.Context(), args[0], id, force); err != nil {
				return err
			}
			removed := struct {
				Group   string `json:"group"`
				Removed api.ID `json:"removed"`
			}{args[0], id}
			return t.PrintResult(removed, "token "+args[1]+" removed from group "+args[0])
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "remove the token even if executors use it")
	return cmd
}

func newGroupEditCommand(t *kit.Tool) *cobra.Command {
	var only bool
	var title, moveTo string
	var set map[string]string
	cmd := &cobra.Command{
		Use: "edit GROUP", Short: "Change the title, labels, namespace or token policy of a group", Args: cobra.ExactArgs(1),
		Long: "Change the title, labels, namespace or token policy of a group.\n\n" +
			"A moved group keeps its executors, tokens and jobs, including jobs of its previous namespace. The permissions of the\n" +
			"new namespace decide who can read and change it and who can run more jobs on it.\n\n" +
			"With --own-token-only executors must use a token of 'orth group token list' to register for the group and to report\n" +
			"its attempts; others keep their unreported outcomes until they use such a token. Distribute a token to all executors\n" +
			"first.",
		Example: "  orth group edit reports --own-token-only\n  orth group edit reports --own-token-only=false\n  orth group edit reports --title 'Reports of the finance team'\n" +
			"  orth group edit reports --move-to team-a",
		RunE: func(cmd *cobra.Command, args []string) error {
			named, ruled := cmd.Flags().Changed("title"), cmd.Flags().Changed("own-token-only")
			noted := cmd.Flags().Changed("label")
			moved := cmd.Flags().Changed("move-to")
			if !named && !ruled && !noted && !moved {
				return output.Usagef("nothing to change: use one of --title, --label, --move-to, --own-token-only, or --own-token-only=false")
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			var patch api.GroupPatch
			if named {
				patch.Title = &title
			}
			if ruled {
				patch.OwnTokenOnly = &only
			}
			if noted {
				patch.Labels = set
			}
			if moved {
				patch.Namespace = &moveTo
			}
			g, err := c.EditGroup(cmd.Context(), args[0], patch)
			if err != nil {
				return err
			}
			var changes []string
			if moved {
				changes = append(changes, "moved to namespace "+g.Namespace)
			}
			if named {
				changes = append(changes, "title set to "+title)
			}
			if noted {
				changes = append(changes, plural.Count(len(set), "label")+" set")
			}
			switch {
			case ruled && g.OwnTokenOnly:
				changes = append(changes, "accepts only its own tokens")
			case ruled:
				changes = append(changes, "accepts the token derived from executor.token and its own")
			}
			return t.PrintResult(g, fmt.Sprintf("group %s updated: %s", args[0], strings.Join(changes, ", ")))
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "display `name`")
	cmd.Flags().StringToStringVar(&set, "label", nil, "`key=value` label that replaces all existing labels; may be repeated")
	cmd.Flags().StringVar(&moveTo, "move-to", "", "new `namespace` of the group")
	cmd.Flags().BoolVar(&only, "own-token-only", false, "accept only tokens that were added to the group")
	return cmd
}
