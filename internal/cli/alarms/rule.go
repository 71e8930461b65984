package alarms

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

func newRuleCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "rule", Aliases: []string{"rules"}, Short: "Manage the rules that raise alarms",
			Long: "Manage the rules that raise alarms. A rule selects kinds of events, narrows them to jobs or groups, and names the\n" +
				"channels that deliver its messages.",
		},
		newRuleCreateCommand(t), newRuleEditCommand(t), newRuleListCommand(t), newRuleShowCommand(t),
		newRuleSwitchCommand(t, "enable", "Enable a rule", true), newRuleSwitchCommand(t, "disable", "Disable a rule and resolve its alarms", false),
		t.ConfirmFirst(newRuleDeleteCommand(t), "Delete rule %s and resolve its alarms?"),
	)
}

func newRuleCreateCommand(t *kit.Tool) *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use: "create KEY --kind KINDS --channel CHANNELS", DisableFlagsInUseLine: true, Short: "Create a rule", Args: cobra.ExactArgs(1),
		Long: "Create a rule. Kinds of events and channels are required; every other field has a default.\n\n" +
			"The first message about an alarm waits for related alarms (--wait); later ones are grouped (--interval). An attempt\n" +
			"that is retried raises no alarm: only the final state of a run counts.",
		Example: "  orth alarm rule create nightly --kind failed,timed-out,lost --channel ops\n" +
			"  orth alarm rule create billing --kind streak --count 5 --job 'billing-*' --severity critical --channel ops --escalate 30m=boss --notify-resolved\n" +
			"  orth alarm rule create slow --kind slow --factor 3 --longer-than 1h --label team=data --channel ops\n" +
			"  orth alarm rule create pools --kind group-down,backlog --for 5m --channel ops --notify-resolved",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(f.kinds) == 0:
				return output.Usagef("--kind is required: use one or more of %s", kindNames())
			case len(f.channels) == 0:
				return output.Usagef("--channel is required: name the channels that deliver the messages; create one with 'orth alarm channel create'")
			}
			wanted, err := f.rule(cmd.Flags())
			if err != nil {
				return err
			}
			wanted.Key = args[0]
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateAlarmRule(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(made, fmt.Sprintf("alarm rule %s created: %s", made.Key, raises(&made)))
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func newRuleEditCommand(t *kit.Tool) *cobra.Command {
	var f ruleFlags
	var unsets []string
	var version int64
	cmd := &cobra.Command{
		Use: "edit KEY", DisableFlagsInUseLine: true, Short: "Change a rule", Args: cobra.ExactArgs(1),
		Long: "Change a rule. Only the given fields change. The flags are those of 'orth alarm rule create';\n" +
			"--unset resets a field to its default.",
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
			return changeRule(cmd.Context(), t, args[0], version, patch)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&unsets, "unset", nil, "`flag` whose field is reset to its default; may be repeated")
	cmd.Flags().Int64Var(&version, "if-version", 0, "update the rule only if it has this `version`")
	return cmd
}

// changeRule updates a rule and prints a summary of it.
func changeRule(ctx context.Context, t *kit.Tool, key string, version int64, patch map[string]any) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := c.UpdateAlarmRule(ctx, key, version, patch)
	if err != nil {
		return err
	}
	return t.PrintResult(r, fmt.Sprintf("alarm rule %s updated to version %d: %s", r.Key, r.Version, raises(&r)))
}

func newRuleSwitchCommand(t *kit.Tool, verb, short string, enabled bool) *cobra.Command {
	return &cobra.Command{
		Use: verb + " KEY", Short: short, Args: cobra.ExactArgs(1), Example: "  orth alarm rule " + verb + " nightly",
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeRule(cmd.Context(), t, args[0], 0, map[string]any{kit.FieldEnabled: enabled})
		},
	}
}

func newRuleDeleteCommand(t *kit.Tool) *cobra.Command {
	cmd := newOneCommand(t, "delete KEY", "Delete a rule and resolve its alarms", "  orth alarm rule delete nightly", func(ctx context.Context, c *client.Client, key string) error {
		if err := c.DeleteAlarmRule(ctx, key); err != nil {
			return err
		}
		return t.PrintResult(map[string]string{kit.Deleted: key}, "alarm rule "+key+" deleted")
	})
	cmd.Aliases = []string{"rm"}
	return cmd
}

// newOneCommand returns a command with one argument: the key or id of an object.
func newOneCommand(t *kit.Tool, use, short, example string, do func(ctx context.Context, c *client.Client, name string) error) *cobra.Command {
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
