package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
)

// wasDeleted is the name, in JSON, of what a command has deleted.
const wasDeleted = "deleted"

func (t *tool) alarmRuleCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "rule", Aliases: []string{"rules"}, Short: "Say what is worth an alarm, and who hears of it",
			Long: "Say what is worth an alarm, and who hears of it. A rule names kinds of events, what they must be about, and the\n" +
				"channels that carry its messages.",
		},
		t.alarmRuleCreateCommand(), t.alarmRuleEditCommand(), t.alarmRuleListCommand(), t.alarmRuleShowCommand(),
		t.alarmRuleSwitchCommand("enable", "Let a rule raise alarms", true), t.alarmRuleSwitchCommand("disable", "Let a rule raise no alarms; those that fire end", false),
		t.sure(t.alarmRuleDeleteCommand(), "Delete rule %s, and end the alarms that it has raised?"),
	)
}

func (t *tool) alarmRuleCreateCommand() *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use: "create KEY --kind KINDS --channel CHANNELS", DisableFlagsInUseLine: true, Short: "Create a rule", Args: cobra.ExactArgs(1),
		Long: "Create a rule. It needs kinds of events and channels; everything else has a default.\n\n" +
			"A message about an alarm waits a little for more of the same (--wait), and more that comes later is told\n" +
			"together (--interval). Retries raise no alarm: a run counts when it is over.",
		Example: "  orth alarm rule create nightly --kind failed,timed-out,lost --channel ops\n" +
			"  orth alarm rule create billing --kind streak --count 5 --job 'billing-*' --severity critical --channel ops --escalate 30m=boss --recovered\n" +
			"  orth alarm rule create slow --kind slow --factor 3 --longer 1h --label team=data --channel ops\n" +
			"  orth alarm rule create pools --kind group-down,backlog --for 5m --channel ops --recovered",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(f.kinds) == 0:
				return usagef("--kind is missing: say what raises alarms: %s", kindNames())
			case len(f.channels) == 0:
				return usagef("--channel is missing: say which channel carries the messages; 'orth alarm channel create' makes one")
			}
			wanted, err := f.rule(cmd.Flags())
			if err != nil {
				return err
			}
			wanted.Key = args[0]
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateAlarmRule(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return t.done(made, fmt.Sprintf("alarm rule %s created: %s", made.Key, raises(&made)))
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (t *tool) alarmRuleEditCommand() *cobra.Command {
	var f ruleFlags
	var unsets []string
	var version int64
	cmd := &cobra.Command{
		Use: "edit KEY", DisableFlagsInUseLine: true, Short: "Change a rule", Args: cobra.ExactArgs(1),
		Long: "Change a rule: what is given changes, and everything else stays as it is. The flags are those of\n" +
			"'orth alarm rule create'; --unset gives a field its default.",
		Example: "  orth alarm rule edit nightly --severity critical --repeat never\n  orth alarm rule edit nightly --unset escalate --unset label",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.rule(cmd.Flags())
			if err != nil {
				return err
			}
			patch, err := patchOf(cmd.Flags(), ruleFields(), wanted, unsets)
			if err != nil {
				return err
			}
			return t.changeRule(cmd.Context(), args[0], version, patch)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&unsets, "unset", nil, "`flag` whose field gets its default; may be repeated")
	cmd.Flags().Int64Var(&version, "if-version", 0, "change the rule only if it has this `version`")
	return cmd
}

// changeRule changes a rule and says what it does then.
func (t *tool) changeRule(ctx context.Context, key string, version int64, patch map[string]any) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := c.UpdateAlarmRule(ctx, key, version, patch)
	if err != nil {
		return err
	}
	return t.done(r, fmt.Sprintf("alarm rule %s has version %d: %s", r.Key, r.Version, raises(&r)))
}

func (t *tool) alarmRuleSwitchCommand(verb, short string, enabled bool) *cobra.Command {
	return &cobra.Command{
		Use: verb + " KEY", Short: short, Args: cobra.ExactArgs(1), Example: "  orth alarm rule " + verb + " nightly",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.changeRule(cmd.Context(), args[0], 0, map[string]any{fieldEnabled: enabled})
		},
	}
}

func (t *tool) alarmRuleDeleteCommand() *cobra.Command {
	cmd := t.alarmOneCommand("delete KEY", "Delete a rule; the alarms that it has raised end", "  orth alarm rule delete nightly", func(ctx context.Context, c *client.Client, key string) error {
		if err := c.DeleteAlarmRule(ctx, key); err != nil {
			return err
		}
		return t.done(map[string]string{wasDeleted: key}, "alarm rule "+key+" deleted")
	})
	cmd.Aliases = []string{"rm"}
	return cmd
}

// alarmOneCommand returns a command about what one argument names.
func (t *tool) alarmOneCommand(use, short, example string, do func(ctx context.Context, c *client.Client, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1), Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			return do(cmd.Context(), c, args[0])
		},
	}
}

// orJSON prints a value as JSON unless there is an error.
func (t *tool) orJSON(v any, err error) error {
	if err != nil {
		return err
	}
	return t.encode(v)
}
