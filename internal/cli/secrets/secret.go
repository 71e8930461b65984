package secrets

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// NewCommand returns the command orth secret.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "secret", Aliases: []string{"secrets"}, Short: "Manage the secrets of jobs",
			Long: "Manage the secrets of jobs. The server stores them encrypted, inserts them into tasks at dispatch, and redacts them in\n" +
				"logs and messages. Values are never shown again.\n\n" +
				"A job refers to a secret as ${secret:KEY} in its parameter or in the value of a label, or as ${secret:KEY|url} within\n" +
				"a URL. $${secret: is an escaped ${secret:.",
		},
		newListCommand(t), newShowCommand(t), newSetCommand(t), t.ConfirmFirst(newDeleteCommand(t), "Delete secret %s?"), newUsageCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	return kit.SpaceList[api.Secret]{
		Short: "List secrets without their values, sorted by key", Example: "  orth secret list\n  orth secret list --all-namespaces",
		Every: (*client.Client).AllSecrets, Own: (*client.Client).Secrets,
		None:  "No secrets found. Create one with 'orth secret set'.",
		Heads: "KEY GROUPS REPLACED USED CHANGED-BY TITLE",
		Row: func(s *api.Secret) (string, []string) {
			return s.Namespace, []string{s.Key, groupsOf(s), t.FormatTime(s.ReplacedAt), kit.FirstOf(t.FormatTime(s.UsedAt), "never"), s.UpdatedBy, s.Title}
		},
	}.Command(t)
}

// groupsOf lists the groups whose jobs may refer to a secret.
func groupsOf(s *api.Secret) string { return kit.FirstOf(strings.Join(s.Groups, ","), "all") }

// newOneCommand returns a command about one secret.
func newOneCommand(t *kit.Tool, use, short, example string, do func(ctx context.Context, c *client.Client, key string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1), Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			return do(cmd.Context(), c, args[0])
		},
	}
}

func newShowCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "show KEY", "Show a secret without its value", "  orth secret show billing-api",
		func(ctx context.Context, c *client.Client, key string) error {
			s, err := c.Secret(ctx, key)
			if err != nil || t.ForPrograms() {
				return t.PrintJSON(s, err)
			}
			return t.PrintSheet([][2]string{
				{kit.RowKey, s.Key},
				{kit.RowTitle, s.Title},
				{kit.RowNamespace, s.Namespace},
				{"Groups", groupsOf(&s)},
				{"Reference", "${secret:" + s.Key + "}"},
				{"Version", strconv.FormatInt(s.Version, 10)},
				{kit.RowCreated, t.FormatTime(s.CreatedAt) + " by " + s.CreatedBy},
				{"Changed", t.FormatTime(s.UpdatedAt) + " by " + s.UpdatedBy},
				{"Value set", t.FormatTime(s.ReplacedAt)},
				{"Last used", kit.FirstOf(t.FormatTime(s.UsedAt), "never")},
			})
		})
}

// secretFlags holds the flags that describe a secret.
type secretFlags struct {
	title, file string
	groups      []string
	all, force  bool
	version     int64
}

func (f *secretFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.file, "from-file", "", "read the value from this `file`, - for standard input; a trailing line break is removed")
	flags.StringSliceVar(&f.groups, "group", nil, "only jobs of the group with this `key` may refer to it; may be repeated (default all)")
	flags.BoolVar(&f.all, "all-groups", false, "jobs of all groups may refer to it")
	flags.StringVar(&f.title, kit.TitleFlag, "", "display `name`")
	flags.BoolVar(&f.force, "force", false, "remove groups even if their jobs refer to the secret; their runs will fail")
	flags.Int64Var(&f.version, "if-version", 0, "update the secret only if it has this `version`")
}

// change returns the change of the flags, without the value.
func (f *secretFlags) change(flags *pflag.FlagSet) (change api.SecretChange, some bool, err error) {
	change = api.SecretChange{Version: f.version, Force: f.force}
	if f.all && len(f.groups) > 0 {
		return change, false, output.Usagef("--group and --all-groups are mutually exclusive")
	}
	if f.all || len(f.groups) > 0 {
		groups := kit.OrEmpty(f.groups)
		change.Groups = &groups
	}
	if flags.Changed(kit.TitleFlag) {
		change.Title = &f.title
	}
	return change, change.Groups != nil || change.Title != nil, nil
}

func newSetCommand(t *kit.Tool) *cobra.Command {
	var f secretFlags
	cmd := &cobra.Command{
		Use: "set KEY", DisableFlagsInUseLine: true, Short: "Create a secret, or replace its value or settings", Args: cobra.ExactArgs(1),
		Long: "Create a secret, or replace its value or settings. The value is typed on the terminal without echo, or read with\n" +
			"--from-file; it cannot be an argument, because arguments are visible in the process list. It has 8 bytes to 64 KiB.\n" +
			"Attempts that start afterwards use the new value, retries included.\n\n" +
			"With only --title, --group or --all-groups the value of an existing secret is kept.",
		Example: "  orth secret set billing-api\n  orth secret set billing-api --from-file - < key.txt\n" +
			"  orth secret set deploy-key --from-file id_ed25519 --group ci --title 'Deploys the shop'\n  orth secret set deploy-key --all-groups",
		RunE: func(cmd *cobra.Command, args []string) error {
			change, others, err := f.change(cmd.Flags())
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = c.Secret(cmd.Context(), args[0])
			isNew := job.Is(err, job.NotFound)
			if err != nil && !isNew {
				return err
			}
			if isNew && f.version != 0 {
				return err
			}
			if isNew || !others || f.file != "" {
				value, err := value(t, args[0], f.file)
				if err != nil {
					return err
				}
				change.Value = &value
			}
			return setSecret(cmd.Context(), t, c, args[0], isNew, &f, change)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// setSecret creates or updates a secret.
func setSecret(ctx context.Context, t *kit.Tool, c *client.Client, key string, isNew bool, f *secretFlags, change api.SecretChange) error {
	if isNew {
		made, err := c.CreateSecret(ctx, api.NewSecret{Key: key, Title: f.title, Groups: f.groups, Value: *change.Value})
		if err != nil {
			return err
		}
		return t.PrintResult(made, "secret "+made.Key+" created: refer to it in jobs as ${secret:"+made.Key+"}")
	}
	changed, err := c.UpdateSecret(ctx, key, change)
	if err != nil {
		return err
	}
	return t.PrintResult(changed, fmt.Sprintf("secret %s updated to version %d", changed.Key, changed.Version))
}

// value reads the value of a secret from a file or from the terminal.
func value(t *kit.Tool, key, file string) (string, error) {
	var value string
	var err error
	switch {
	case file == "-":
		value, err = kit.ReadValue(t.Stdin, "standard input")
	case file != "":
		value, err = fileValue(file)
	case !terminal.Is(t.Stdin):
		return "", output.Usagef("standard input is not a terminal: pass the value with --from-file - on standard input")
	default:
		if _, err := t.Stderr.Write([]byte("Value of " + key + ": ")); err != nil {
			return "", err
		}
		value, err = terminal.ReadSecret(t.Stdin)
		t.PrintNote("")
	}
	if err == nil && value == "" {
		err = output.Usagef("the value of %s is empty", key)
	}
	return value, err
}

// fileValue reads a value from a file.
func fileValue(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("--from-file: %w", err)
	}
	defer file.Close()
	return kit.ReadValue(file, path)
}

func newDeleteCommand(t *kit.Tool) *cobra.Command {
	var force bool
	cmd := newOneCommand(t, "delete KEY", "Delete a secret", "  orth secret delete billing-api",
		func(ctx context.Context, c *client.Client, key string) error {
			if err := c.DeleteSecret(ctx, key, force); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{kit.Deleted: key}, "secret "+key+" deleted")
		})
	cmd.Aliases = []string{"rm"}
	cmd.Flags().BoolVar(&force, "force", false, "delete the secret even if jobs refer to it; their runs will fail")
	return cmd
}

func newUsageCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "usage KEY", "List the jobs that refer to a secret", "  orth secret usage billing-api",
		func(ctx context.Context, c *client.Client, key string) error {
			found, err := c.SecretJobs(ctx, key)
			switch {
			case err != nil:
				return err
			case t.ForPrograms():
				return t.Encode(kit.OrEmpty(found.Jobs))
			case len(found.Jobs) == 0:
				t.PrintNote("No job that you may read refers to secret %s.", key)
				return nil
			}
			rows := make([][]string, len(found.Jobs))
			for i, j := range found.Jobs {
				rows[i] = []string{j.Key, j.Group, j.Field}
			}
			if err := t.PrintTable("KEY GROUP FIELD", rows); err != nil {
				return err
			}
			if found.More {
				t.PrintNote("More jobs may exist.")
			}
			return nil
		})
}
