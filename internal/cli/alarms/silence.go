package alarms

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

func newSilenceCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "silence", Aliases: []string{"silences"}, Short: "Manage silences, which suppress alarm messages",
			Long: "Manage silences, which suppress alarm messages once or in a recurring maintenance window. Alarms are still recorded.\n" +
				"Alarms that are still firing when a silence ends are notified then.",
		},
		newSilenceCreateCommand(t), newSilenceListCommand(t), newSilenceEndCommand(t), t.ConfirmFirst(newSilenceDeleteCommand(t), "Delete silence %s?"),
	)
}

// silenceFlags holds the flags that describe a silence.
type silenceFlags struct {
	comment           string
	rules, kinds      []string
	scope             scopeFlags
	lasts, length     time.Duration
	from, until, cron string
	zone              string
}

func newSilenceCreateCommand(t *kit.Tool) *cobra.Command {
	var f silenceFlags
	cmd := &cobra.Command{
		Use: "create --comment TEXT (--for TIME | --until TIME | --cron EXPR --duration TIME)", DisableFlagsInUseLine: true,
		Short: "Create a silence", Args: cobra.NoArgs,
		Long: "Create a silence that starts now or later. Without --rule, --kind, --job, --group and --label it matches all alarms.\n\n" +
			"--cron creates a recurring maintenance window. Times without an offset are in --zone, or in the local zone.",
		Example: "  orth alarm silence create --for 2h --comment 'moving the database' --group billing\n" +
			"  orth alarm silence create --from '2030-01-31 22:00' --until '2030-02-01 06:00' --comment 'new release'\n" +
			"  orth alarm silence create --cron '0 0 2 ? * SUN' --duration 3h --zone Asia/Shanghai --comment 'weekly maintenance'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := f.silence(cmd.Flags(), t.Location, time.Now())
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateAlarmSilence(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(made, fmt.Sprintf("silence %s: %s, %s; %s ends it", made.ID, held(&made), silent(t, &made), t.CommandLine("alarm", "silence", "end", made.ID.String())))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.comment, "comment", "", "`text` that explains the silence to others")
	flags.DurationVar(&f.lasts, "for", 0, "duration of the silence")
	flags.StringVar(&f.from, "from", "", "start `time` (default now)")
	flags.StringVar(&f.until, "until", "", "end `time`; with --cron the end of the recurrence")
	flags.StringVar(&f.cron, "cron", "", "cron `expression` of the start times of a recurring window")
	flags.DurationVar(&f.length, "duration", 0, "with --cron: duration of each window")
	flags.StringVar(&f.zone, "zone", "", "IANA `zone` of --cron and of times, such as Europe/Berlin (default UTC for --cron)")
	flags.StringSliceVar(&f.rules, "rule", nil, "only alarms of the rule with this `key`; may be repeated (default all)")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only alarms of these `kinds`: "+kindNames())
	f.scope.add(flags)
	return cmd
}

// silence returns the silence that the flags describe.
func (f *silenceFlags) silence(flags *pflag.FlagSet, here *time.Location, now time.Time) (api.NewAlarmSilence, error) {
	wanted := api.NewAlarmSilence{Comment: f.comment, Rules: f.rules, Cron: f.cron, Zone: f.zone, Length: api.Duration(f.length)}
	switch {
	case f.comment == "":
		return wanted, output.Usagef("--comment is required: explain the silence to others")
	case flags.Changed("for") && f.lasts < time.Second:
		return wanted, output.Usagef("--for: must be at least 1s, got %s", f.lasts)
	case f.lasts > 0 && (f.until != "" || f.cron != ""):
		return wanted, output.Usagef("--for excludes --until and --cron; with --cron use --duration")
	case f.lasts == 0 && f.until == "" && f.cron == "":
		return wanted, output.Usagef("an end is required: use --for, --until, or --cron with --duration")
	case (f.cron == "") != (f.length == 0):
		return wanted, output.Usagef("--cron and --duration must be given together")
	}
	zone := here
	if f.zone != "" {
		named, err := timing.Zones{}.Load(f.zone)
		if err != nil {
			return wanted, timing.ExplainCronError("", err)
		}
		zone = named
		if f.cron == "" {
			wanted.Zone = ""
		}
	}
	if f.cron != "" {
		if err := timing.CheckSchedule(api.Schedule{Kind: schedule.KindCron, Cron: f.cron, Zone: f.zone}); err != nil {
			return wanted, err
		}
	}
	from, err := timing.ParseFlag("from", f.from, zone)
	if err != nil {
		return wanted, err
	}
	until, err := timing.ParseFlag("until", f.until, zone)
	if err != nil {
		return wanted, err
	}
	if f.lasts > 0 {
		if until = from.Add(f.lasts); from.IsZero() {
			until = now.Add(f.lasts)
		}
	}
	wanted.From, wanted.Until = api.At(from), api.At(until)
	if wanted.Kinds, err = readKinds(f.kinds); err != nil {
		return wanted, err
	}
	if len(wanted.Kinds) == 0 {
		wanted.Kinds = nil
	}
	wanted.Scope, err = f.scope.scope()
	return wanted, err
}

// held describes what a silence suppresses.
func held(s *api.AlarmSilence) string {
	text := "alarms of " + about(&s.Scope)
	if len(s.Kinds) > 0 {
		kinds := make([]string, len(s.Kinds))
		for i, kind := range s.Kinds {
			kinds[i] = spaced(kind)
		}
		text += " (" + strings.Join(kinds, ", ") + ")"
	}
	if len(s.Rules) > 0 {
		text += " by rule " + strings.Join(s.Rules, ", ")
	}
	return text + " are silenced"
}

// silent describes when a silence is active.
func silent(t *kit.Tool, s *api.AlarmSilence) string {
	switch {
	case s.Active:
		return "now until " + t.FormatTime(s.EndsAt)
	case !s.BeginsAt.IsZero():
		return "from " + t.FormatTime(s.BeginsAt)
	}
	return "over"
}

func newSilenceListCommand(t *kit.Tool) *cobra.Command {
	var all, every bool
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List active and planned silences", Args: cobra.NoArgs, Example: "  orth alarm silence list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			stored, err := kit.Either(every, c.AllAlarmSilences, c.AlarmSilences)(cmd.Context())
			if err != nil {
				return err
			}
			found := []api.AlarmSilence{}
			for _, s := range stored {
				if all || s.Active || !s.BeginsAt.IsZero() {
					found = append(found, s)
				}
			}
			switch {
			case t.ForPrograms():
				return t.Encode(found)
			case len(found) == 0:
				t.PrintNote("No silences found.")
				return nil
			}
			rows, spaces := make([][]string, len(found)), make([]string, len(found))
			for i := range found {
				s := &found[i]
				spaces[i] = s.Namespace
				window := ""
				if s.Cron != "" {
					window = strings.TrimSpace(s.Cron+" "+s.Zone) + " for " + kit.Span(s.Length)
				}
				rows[i] = []string{s.ID.String(), silent(t, s), window, strings.TrimSuffix(held(s), " are silenced"), s.Comment}
			}
			return t.PrintTableIn(every, spaces, "ID ACTIVE WINDOW ALARMS COMMENT", rows)
		},
	}
	kit.AddEverySpaceFlag(cmd.Flags(), &every)
	cmd.Flags().BoolVar(&all, "all", false, "include silences that ended within the last month")
	return cmd
}

func newSilenceEndCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "end ID", "End a silence now and notify alarms that still fire", "  orth alarm silence end 3",
		func(ctx context.Context, c *client.Client, text string) error {
			id, err := iD(text, "silence", "orth alarm silence list")
			if err != nil {
				return err
			}
			ended, err := c.EndAlarmSilence(ctx, id)
			if err != nil {
				return err
			}
			return t.PrintResult(ended, "silence "+text+" ended; alarms that still fire are notified")
		})
}

func newSilenceDeleteCommand(t *kit.Tool) *cobra.Command {
	cmd := newOneCommand(t, "delete ID", "Delete a silence", "  orth alarm silence delete 3",
		func(ctx context.Context, c *client.Client, text string) error {
			id, err := iD(text, "silence", "orth alarm silence list --all")
			if err != nil {
				return err
			}
			if err := c.DeleteAlarmSilence(ctx, id); err != nil {
				return err
			}
			return t.PrintResult(map[string]api.ID{kit.Deleted: id}, "silence "+text+" deleted")
		})
	cmd.Aliases = []string{"rm"}
	return cmd
}
