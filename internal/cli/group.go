package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func (t *tool) groupCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "group", Aliases: []string{"groups"}, Short: "List, make, change and remove groups of executors, and say which tokens they must show",
			Long: "List, make, change and remove groups of executors, and say which tokens they must show.\n\n" +
				"Executors of Orth make a token of their group of the server's file executor.token. An executor that shows a\n" +
				"token of its group speaks for that group alone. The list of executors is 'orth executors'.",
		},
		t.groupListCommand(), t.groupShowCommand(), t.groupHandlersCommand(), t.groupCreateCommand(), t.groupEditCommand(), t.sure(t.groupDeleteCommand(), "Delete group %s?"),
		t.groupTokenCommand(),
	)
}

func (t *tool) groupTokenCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "token", Aliases: []string{"tokens"}, Short: "Make, list and remove tokens of a group",
			Long: "Make, list and remove tokens of a group. An executor that shows one (orth executor --group-token-file) can\n" +
				"register for its group only, and end its attempts only, and is shown the same one by servers. Up to 10 are\n" +
				"valid at once, so that a new one can be given out before an old one is removed.\n\n" +
				"Servers keep tokens sealed with secrets.key in their data folder, and show them to executors that show them.",
		},
		t.groupTokenAddCommand(), t.groupTokenListCommand(), t.sure(t.groupTokenRemoveCommand(), "Remove the token of group and id %s? Executors that show it are refused."),
	)
}

func (t *tool) groupTokenAddCommand() *cobra.Command {
	var wish api.NewGroupToken
	var file string
	var stdin bool
	cmd := &cobra.Command{
		Use: "add GROUP", Short: "Make a token of a group and show it this once, or take one that its executors have", Args: cobra.ExactArgs(1),
		Long: "Make a token of a group, and show it this once. The token alone goes to standard output, so that it can go\n" +
			"into a file; the rest is said on standard error.\n\n" +
			"With --stdin or --file the token is the one that the group's executors have already, such as their access token\n" +
			"of another admin: 8 to 256 printable ASCII characters without blanks. Well-known ones are refused.",
		Example: "  orth group token add reports --label 'from November' > reports.token\n" +
			"  orth group token add reports --stdin < access-token.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			brought, err := t.broughtToken(file, stdin)
			if err != nil {
				return err
			}
			wish.Token = brought.Reveal()
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.AddGroupToken(cmd.Context(), args[0], wish)
			switch {
			case err != nil:
				return aboutBrought(err)
			case !brought.IsZero():
				return t.done(made, fmt.Sprintf("token %s of group %s is the one that you brought", made.ID, args[0]))
			case !t.forPrograms():
				t.tell("token %s of group %s; it is not shown again", made.ID, args[0])
			}
			return t.done(made, made.Token)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&wish.Label, "label", "", "what people call it")
	flags.BoolVar(&stdin, "stdin", false, "take the token on standard input")
	flags.StringVar(&file, "file", "", "take the token in this `file`")
	return cmd
}

// broughtToken returns the token that the user brings along; zero for none.
func (t *tool) broughtToken(file string, stdin bool) (redacted.Text, error) {
	switch {
	case file != "" && stdin:
		return redacted.Text{}, usagef("--stdin and --file exclude each other")
	case stdin:
		return credential.Read(t.Stdin, "standard input")
	case file != "":
		return credential.Load(file)
	}
	return redacted.Text{}, nil
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
	if t.forPrograms() {
		return t.encode(list)
	}
	if len(list.Tokens) > 0 {
		rows, shut := make([][]string, len(list.Tokens)), false
		for i, token := range list.Tokens {
			rows[i] = []string{
				token.ID.String(), token.Label, t.time(token.CreatedAt), firstOf(t.time(token.LastUsedAt), "never"),
				strconv.Itoa(token.Executors), answer(token.Outbound),
			}
			shut = shut || !token.Outbound
		}
		if err := t.table("ID LABEL CREATED USED EXECUTORS SHOWN", rows); err != nil {
			return err
		}
		if shut {
			t.tell("what is not SHOWN to executors cannot be opened by this server, as 'orth stats' warns; a new token of the group ends that")
		}
	}
	switch {
	case list.OwnTokenOnly && len(list.Tokens) == 0:
		t.tell("group %s has no tokens and takes no others: its executors are refused", list.Group.Group)
	case list.OwnTokenOnly:
		t.tell("group %s takes no other tokens", list.Group.Group)
	case len(list.Tokens) == 0:
		t.tell("group %s has no tokens: its executors show the one that is made of the server's executor.token", list.Group.Group)
	default:
		t.tell("group %s takes the token too that is made of the server's executor.token, and one that is shared or admitted; %s ends that",
			list.Group.Group, t.command("group", "edit", list.Group.Group, "--own-token-only"))
	}
	return nil
}

// aboutBrought words an error about the token that was brought along: it has no
// flag of its own, and --token is another one.
func aboutBrought(err error) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == "token" {
		wrong.Field, wrong.Message = "", "the token that you brought "+wrong.Message
	}
	return err
}

// answer is yes or no.
func answer(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (t *tool) groupTokenRemoveCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "remove GROUP ID", Aliases: []string{"rm"}, Short: "Remove a token of a group", Args: cobra.ExactArgs(2),
		Long: "Remove a token of a group. Within five seconds no server takes it any more. Executors that show it keep what\n" +
			"they have to report until they are given another, so a token that executors showed last is removed only with\n" +
			"--force; 'orth group token list' shows how many they are.",
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
			if err := c.RemoveGroupToken(cmd.Context(), args[0], id, force); err != nil {
				return err
			}
			removed := struct {
				Group   string `json:"group"`
				Removed api.ID `json:"removed"`
			}{args[0], id}
			return t.done(removed, "token "+args[1]+" removed from group "+args[0])
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also while executors use it")
	return cmd
}

func (t *tool) groupEditCommand() *cobra.Command {
	var only bool
	var title, moveTo string
	var set map[string]string
	cmd := &cobra.Command{
		Use: "edit GROUP", Short: "Give a group a title and labels, move it, and say whether it takes no tokens but its own", Args: cobra.ExactArgs(1),
		Long: "Give a group a title and labels, move it to another namespace, and say whether it takes no tokens but its own.\n\n" +
			"A group that moves keeps its executors, tokens and jobs, also those of the namespace that it leaves; who may look\n" +
			"at it and change it is a matter of its new place, and so is who may have more jobs run on it.\n\n" +
			"With --own-token-only executors that show another token than one of this list can\n" +
			"neither register for the group nor end its attempts; they keep what they have to report until they show\n" +
			"a token of the group. Give all of them one first.",
		Example: "  orth group edit reports --own-token-only\n  orth group edit reports --own-token-only=false\n  orth group edit reports --title 'Reports of the finance team'\n" +
			"  orth group edit reports --move-to team-a",
		RunE: func(cmd *cobra.Command, args []string) error {
			named, ruled := cmd.Flags().Changed("title"), cmd.Flags().Changed("own-token-only")
			noted := cmd.Flags().Changed("label")
			moved := cmd.Flags().Changed("move-to")
			if !named && !ruled && !noted && !moved {
				return usagef("say what to change: --title, --label, --move-to, --own-token-only, or --own-token-only=false")
			}
			c, err := t.connect()
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
			var said []string
			if moved {
				said = append(said, "is in namespace "+g.Namespace)
			}
			if named {
				said = append(said, "has the title "+title)
			}
			if noted {
				said = append(said, "has "+plural.Count(len(set), "label"))
			}
			switch {
			case ruled && g.OwnTokenOnly:
				said = append(said, "takes no tokens but its own")
			case ruled:
				said = append(said, "takes the token made of executor.token as well as its own")
			}
			return t.done(g, fmt.Sprintf("group %s %s", args[0], strings.Join(said, ", and ")))
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "a `text` for people")
	cmd.Flags().StringToStringVar(&set, "label", nil, "`key=value`, in the place of all labels that it has; may be repeated")
	cmd.Flags().StringVar(&moveTo, "move-to", "", "the `namespace` that it is in from now on")
	cmd.Flags().BoolVar(&only, "own-token-only", false, "refuse all tokens but those that were added to the group")
	return cmd
}
