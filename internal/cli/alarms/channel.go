package alarms

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

func newChannelCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "channel", Aliases: []string{"channels"}, Short: "Manage the channels that deliver alarm messages",
			Long: "Manage the channels that deliver alarm messages: e-mail, webhook, DingTalk, Feishu, WeCom, Slack and PagerDuty.\n" +
				"'orth alarm channel kinds' lists the settings of each kind.",
		},
		newChannelCreateCommand(t), newChannelEditCommand(t), newChannelListCommand(t), newChannelShowCommand(t),
		newChannelTestCommand(t), t.ConfirmFirst(newChannelDeleteCommand(t), "Delete channel %s?"), newChannelKindsCommand(t),
	)
}

func newChannelCreateCommand(t *kit.Tool) *cobra.Command {
	var f channelFlags
	kind := kit.NewChoice("", channelKinds()...)
	var test bool
	cmd := &cobra.Command{
		Use: "create KEY --kind KIND [--set NAME=VALUE]… [--secret NAME=-]…", DisableFlagsInUseLine: true, Short: "Create a channel", Args: cobra.ExactArgs(1),
		Long: "Create a channel. --set defines settings that every reader can see; --secret defines secrets, which the server\n" +
			"stores encrypted and never shows. 'orth alarm channel kinds' lists the settings and secrets of each kind.\n\n" +
			"The value of a secret is read from standard input (NAME=-) or from a file (NAME=@file); one trailing line break is\n" +
			"removed. With NAME=VALUE other users may see the secret in the process list.",
		Example: "  orth alarm channel create ops --kind slack --secret url=- < url.txt\n" +
			"  orth alarm channel create mail --kind email --set host=mx.example.com --set from=orth@example.com --set to=ops@example.com \\\n" +
			"      --set user=orth --secret password=@mail.password --default\n" +
			"  orth alarm channel create robot --kind dingtalk --secret url=@url.txt --secret secret=@secret.txt --language zh",
		RunE: func(cmd *cobra.Command, args []string) error {
			if kind.Value == "" {
				return output.Usagef("--kind is required: use one of %s", strings.Join(channelKinds(), ", "))
			}
			wanted, err := channel(t, cmd.Flags(), &f)
			if err != nil {
				return err
			}
			wanted.Key, wanted.Kind = args[0], alarm.ChannelKind(kind.Value)
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if test {
				trial, err := c.TestAlarmSettings(cmd.Context(), wanted)
				if err != nil {
					return err
				}
				if !trial.Delivered {
					return fmt.Errorf("channel not created: the test message was not delivered: %s", trial.Answer)
				}
			}
			made, err := c.CreateAlarmChannel(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(made, "alarm channel "+made.Key+" created; send a test message with 'orth alarm channel test "+made.Key+"'")
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&kind, "kind", "kind of the channel")
	f.add(flags)
	flags.BoolVar(&test, "test", false, "create the channel only if a test message is delivered")
	return cmd
}

func newChannelEditCommand(t *kit.Tool) *cobra.Command {
	var f channelFlags
	var unsets []string
	var version int64
	cmd := &cobra.Command{
		Use: "edit KEY", DisableFlagsInUseLine: true, Short: "Change a channel", Args: cobra.ExactArgs(1),
		Long: "Change a channel. Only the given fields change; secrets that are not given are kept. The flags are those of\n" +
			"'orth alarm channel create'; --unset removes a setting or a secret.",
		Example: "  orth alarm channel edit ops --secret url=- < url.txt\n  orth alarm channel edit mail --set to=night@example.com --unset secrets.password",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := channel(t, cmd.Flags(), &f)
			if err != nil {
				return err
			}
			patch, err := patchOf(cmd.Flags(), channelPatchFields(), wanted, unsets)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			changed, err := c.UpdateAlarmChannel(cmd.Context(), args[0], version, patch)
			if err != nil {
				return err
			}
			return t.PrintResult(changed, fmt.Sprintf("alarm channel %s updated to version %d", changed.Key, changed.Version))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.add(flags)
	flags.StringArrayVar(&unsets, "unset", nil, "`name` to remove: settings.NAME, secrets.NAME, or a flag; may be repeated")
	flags.Int64Var(&version, "if-version", 0, "update the channel only if it has this `version`")
	return cmd
}

func newChannelListCommand(t *kit.Tool) *cobra.Command {
	return kit.SpaceList[api.AlarmChannel]{
		Short: "List channels with their health, sorted by key", Example: "  orth alarm channel list",
		Every: (*client.Client).AllAlarmChannels, Own: (*client.Client).AlarmChannels,
		None:  "No channels found. Create one with 'orth alarm channel create'.",
		Heads: "KEY KIND ENABLED HEALTH LAST TITLE",
		Row: func(c *api.AlarmChannel) (string, []string) {
			kind := string(c.Kind)
			if c.Default {
				kind += " (default)"
			}
			return c.Namespace, []string{c.Key, kind, kit.YesOrNo(c.Enabled), health(c), t.FormatTime(c.OKAt), c.Title}
		},
	}.Command(t)
}

// health summarizes the last deliveries of a channel.
func health(c *api.AlarmChannel) string {
	switch {
	case c.Failures == 1:
		return "failed: " + c.Failure
	case c.Failures > 1:
		return fmt.Sprintf("failed %d times: %s", c.Failures, c.Failure)
	case c.OKAt.IsZero():
		return "unused"
	}
	return "ok"
}

func newChannelShowCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "show KEY", "Show a channel without its secrets", "  orth alarm channel show ops",
		func(ctx context.Context, c *client.Client, key string) error {
			ch, err := c.AlarmChannel(ctx, key)
			if err != nil || t.ForPrograms() {
				return t.PrintJSON(ch, err)
			}
			failed := ""
			if !ch.FailedAt.IsZero() {
				failed = t.FormatTime(ch.FailedAt) + ": " + ch.Failure
			}
			isDefault := ""
			if ch.Default {
				isDefault = "delivers mail to the addresses of jobs"
			}
			rate := ""
			if ch.PerMinute > 0 {
				rate = strconv.Itoa(ch.PerMinute) + " per minute"
			}
			return t.PrintSheet(append([][2]string{
				{kit.RowKey, ch.Key},
				{kit.RowTitle, ch.Title},
				{kit.RowNamespace, ch.Namespace},
				{"Kind", string(ch.Kind)},
				{"Enabled", kit.YesOrNo(ch.Enabled)},
				{"Default", isDefault},
				{"Settings", kit.JoinPairs(ch.Settings)},
				{"Secrets", strings.Join(ch.Secrets, ", ")},
				{"Language", kit.FirstOf(ch.Language, "en")},
				{"Title template", ch.Template.Title},
				{"Text template", ch.Template.Text},
				{"Rate limit", kit.FirstOf(rate, "20 messages per minute")},
				{"Health", health(&ch)},
				{"Last sent", t.FormatTime(ch.OKAt)},
				{"Last failure", failed},
			}, t.AgeRows(ch.Version, ch.CreatedAt, ch.UpdatedAt)...))
		})
}

func newChannelTestCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "test KEY", "Send a test message through a channel", "  orth alarm channel test ops",
		func(ctx context.Context, c *client.Client, key string) error {
			trial, err := c.TestAlarmChannel(ctx, key)
			if err != nil {
				return err
			}
			answer := "channel " + key + " rejected the message: " + trial.Answer
			if trial.Delivered {
				answer = "delivered in " + kit.Span(trial.Took) + ": " + trial.Answer
			}
			if err := t.PrintResult(trial, answer); err != nil || trial.Delivered {
				return err
			}
			return kit.ErrShown
		})
}

func newChannelDeleteCommand(t *kit.Tool) *cobra.Command {
	cmd := newOneCommand(t, "delete KEY", "Delete a channel that no rule uses", "  orth alarm channel delete ops",
		func(ctx context.Context, c *client.Client, key string) error {
			if err := c.DeleteAlarmChannel(ctx, key); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{kit.Deleted: key}, "alarm channel "+key+" deleted")
		})
	cmd.Aliases = []string{"rm"}
	return cmd
}

func newChannelKindsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "kinds [KIND]", Short: "List the settings and secrets of each kind of channel", Args: cobra.MaximumNArgs(1),
		Example: "  orth alarm channel kinds\n  orth alarm channel kinds email",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			kinds, err := c.AlarmChannelKinds(cmd.Context())
			if err != nil {
				return err
			}
			found := []api.AlarmChannelKind{}
			for _, kind := range kinds {
				if len(args) == 0 || string(kind.Kind) == args[0] {
					found = append(found, kind)
				}
			}
			switch {
			case len(found) == 0:
				return output.Usagef("KIND: unknown kind %q; use one of %s", strings.Join(args, ""), strings.Join(channelKinds(), ", "))
			case t.ForPrograms():
				return t.Encode(found)
			}
			return showKinds(t, found)
		},
	}
}

// showKinds prints the settings and secrets of the kinds.
func showKinds(t *kit.Tool, kinds []api.AlarmChannelKind) error {
	for i, kind := range kinds {
		if i > 0 {
			if _, err := fmt.Fprintln(t.Stdout); err != nil {
				return err
			}
		}
		pairs := [][2]string{{"Kind", string(kind.Kind)}}
		for _, field := range kind.Fields {
			name, text := "--set "+field.Name, field.Doc
			if field.Secret {
				name = "--secret " + field.Name
			}
			if field.Needed {
				text += " (needed)"
			}
			if field.Default != "" {
				text += " (default " + field.Default + ")"
			}
			pairs = append(pairs, [2]string{name, kit.FirstOf(strings.TrimSpace(text), "-")})
		}
		if err := t.PrintSheet(pairs); err != nil {
			return err
		}
	}
	return nil
}
