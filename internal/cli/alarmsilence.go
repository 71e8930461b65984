package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/schedule"
)

func (t *tool) alarmSilenceCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "silence", Aliases: []string{"silences"}, Short: "Hold messages about alarms back: for a while, or at each maintenance",
			Long: "Hold messages about alarms back: for a while, or at each maintenance. Alarms are recorded all the same, and what\n" +
				"still is the case when a silence ends is told then.",
		},
		t.alarmSilenceCreateCommand(), t.alarmSilenceListCommand(), t.alarmSilenceEndCommand(), t.sure(t.alarmSilenceDeleteCommand(), "Delete silence %s?"),
	)
}

// silenceFlags are the flags that describe a silence.
type silenceFlags struct {
	comment           string
	rules, kinds      []string
	scope             scopeFlags
	lasts, length     time.Duration
	from, until, cron string
	zone              string
}

func (t *tool) alarmSilenceCreateCommand() *cobra.Command {
	var f silenceFlags
	cmd := &cobra.Command{
		Use: "create --comment TEXT (--for TIME | --until TIME | --cron EXPR --length TIME)", DisableFlagsInUseLine: true,
		Short: "Begin a silence, or plan one", Args: cobra.NoArgs,
		Long: "Begin a silence, or plan one. Without --rule, --kind, --job, --group and --label it holds everything back.\n\n" +
			"With --cron it is a maintenance window that comes again and again. Times without an offset are on the clock of\n" +
			"--zone, or of this machine.",
		Example: "  orth alarm silence create --for 2h --comment 'moving the database' --group billing\n" +
			"  orth alarm silence create --from '2030-01-31 22:00' --until '2030-02-01 06:00' --comment 'new release'\n" +
			"  orth alarm silence create --cron '0 0 2 ? * SUN' --length 3h --zone Asia/Shanghai --comment 'weekly maintenance'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := f.silence(cmd.Flags(), t.Location, time.Now())
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateAlarmSilence(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return t.done(made, fmt.Sprintf("silence %s: %s, %s; %s ends it", made.ID, held(&made), t.silent(&made), t.command("alarm", "silence", "end", made.ID.String())))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.comment, "comment", "", "`text` that tells others why nobody is told")
	flags.DurationVar(&f.lasts, "for", 0, "how long it lasts")
	flags.StringVar(&f.from, "from", "", "`time` at which it begins (default now)")
	flags.StringVar(&f.until, "until", "", "`time` at which it ends; with --cron, after which it comes no more")
	flags.StringVar(&f.cron, "cron", "", "let it come again and again: the `expression` says when it begins")
	flags.DurationVar(&f.length, "length", 0, "with --cron: how long it lasts each time")
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
		return wanted, usagef("--comment is missing: tell others why nobody is told")
	case flags.Changed("for") && f.lasts < time.Second:
		return wanted, usagef("--for: %s is shorter than 1s", f.lasts)
	case f.lasts > 0 && (f.until != "" || f.cron != ""):
		return wanted, usagef("--for excludes --until and --cron; with --cron, --length says how long it lasts each time")
	case f.lasts == 0 && f.until == "" && f.cron == "":
		return wanted, usagef("say how long it lasts: --for, --until, or --cron with --length")
	case (f.cron == "") != (f.length == 0):
		return wanted, usagef("--cron and --length belong together: when it begins, and how long it lasts each time")
	}
	zone := here
	if f.zone != "" {
		named, err := zoneCache{}.load(f.zone)
		if err != nil {
			return wanted, cronUsage("", err)
		}
		zone = named
		if f.cron == "" {
			wanted.Zone = ""
		}
	}
	if f.cron != "" {
		if err := checkWhen(api.Schedule{Kind: schedule.KindCron, Cron: f.cron, Zone: f.zone}); err != nil {
			return wanted, err
		}
	}
	from, err := instant("from", f.from, zone)
	if err != nil {
		return wanted, err
	}
	until, err := instant("until", f.until, zone)
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

// held says what a silence holds back.
func held(s *api.AlarmSilence) string {
	text := "messages about " + about(&s.Scope)
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
	return text + " are held back"
}

// silent says when a silence holds.
func (t *tool) silent(s *api.AlarmSilence) string {
	switch {
	case s.Active:
		return "now until " + t.time(s.EndsAt)
	case !s.BeginsAt.IsZero():
		return "from " + t.time(s.BeginsAt)
	}
	return "over"
}

func (t *tool) alarmSilenceListCommand() *cobra.Command {
	var all, every bool
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List silences that hold or will hold", Args: cobra.NoArgs, Example: "  orth alarm silence list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			stored, err := either(every, c.AllAlarmSilences, c.AlarmSilences)(cmd.Context())
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
			case t.forPrograms():
				return t.encode(found)
			case len(found) == 0:
				t.tell("there are no silences")
				return nil
			}
			rows, spaces := make([][]string, len(found)), make([]string, len(found))
			for i := range found {
				s := &found[i]
				spaces[i] = s.Namespace
				window := ""
				if s.Cron != "" {
					window = strings.TrimSpace(s.Cron+" "+s.Zone) + " for " + span(s.Length)
				}
				rows[i] = []string{s.ID.String(), t.silent(s), window, strings.TrimSuffix(held(s), " are held back"), s.Comment}
			}
			return t.tableIn(every, spaces, "ID HOLDS WINDOW WHAT COMMENT", rows)
		},
	}
	everySpaceFlag(cmd.Flags(), &every)
	cmd.Flags().BoolVar(&all, "all", false, "also those that are over, for a month")
	return cmd
}

func (t *tool) alarmSilenceEndCommand() *cobra.Command {
	return t.alarmOneCommand("end ID", "End a silence now: what still is the case is told", "  orth alarm silence end 3",
		func(ctx context.Context, c *client.Client, text string) error {
			id, err := alarmID(text, "silence", "orth alarm silence list")
			if err != nil {
				return err
			}
			ended, err := c.EndAlarmSilence(ctx, id)
			if err != nil {
				return err
			}
			return t.done(ended, "silence "+text+" ended: what still is the case is told")
		})
}

func (t *tool) alarmSilenceDeleteCommand() *cobra.Command {
	cmd := t.alarmOneCommand("delete ID", "Delete a silence", "  orth alarm silence delete 3",
		func(ctx context.Context, c *client.Client, text string) error {
			id, err := alarmID(text, "silence", "orth alarm silence list --all")
			if err != nil {
				return err
			}
			if err := c.DeleteAlarmSilence(ctx, id); err != nil {
				return err
			}
			return t.done(map[string]api.ID{wasDeleted: id}, "silence "+text+" deleted")
		})
	cmd.Aliases = []string{"rm"}
	return cmd
}
