package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/schedule"
)

// defaultPause is the key of the pause that is meant when none is named.
const defaultPause = "all"

// pauseFlags are the flags that describe a pause.
type pauseFlags struct {
	groups            []string
	length            time.Duration
	from, until       string
	cron, zone, cause string
}

func (t *tool) pauseCommand() *cobra.Command {
	var f pauseFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{freeKey: "true"},
		Use:         "pause [KEY]", Short: "Hold jobs back: for a while, until it is lifted, or at each maintenance", Args: cobra.MaximumNArgs(1),
		Long: "Hold jobs back: all of them, those of a namespace or those of groups. KEY names the pause, not a job, and is\n" +
			"\"" + defaultPause + "\" when left out; a pause that has the key already is written over. A single job is stopped with\n" +
			"'orth job stop'.\n\n" +
			"A job that is held fires nothing by its schedule. What it would have fired counts as missed: when the pause\n" +
			"is over, the job's misfire policy decides about it. Nothing else is held: runs that exist, also those that were\n" +
			"planned seconds ahead or wait for an executor, retries, triggers by hand, children, workflows and backfills go on.\n" +
			"To have executors begin nothing at all, drain them: 'orth executors drain'.\n\n" +
			"Times without an offset are on the clock of --zone, or of this machine.",
		Example: "  orth pause --reason 'moving the database'\n  orth pause --for 2h\n  orth pause billing --group billing --until '2030-01-31 08:00'\n" +
			"  orth pause weekly --cron '0 0 2 ? * SUN' --for 3h --zone Europe/Berlin\n  orth pause list\n  orth resume",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.pause(cmd.Flags(), t.Location, time.Now())
			if err != nil {
				return err
			}
			wanted.Namespace = t.space()
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			saved, err := c.SavePause(cmd.Context(), pauseKey(args), wanted)
			if err != nil {
				return err
			}
			return t.done(saved, t.paused(saved))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.groups, "group", nil, "only jobs of this `group`; may be repeated (default all)")
	flags.DurationVar(&f.length, "for", 0, "how long it lasts; with --cron, how long each time (default until it is lifted)")
	flags.StringVar(&f.until, "until", "", "`time` at which it ends; with --cron, after which it comes no more")
	flags.StringVar(&f.from, "from", "", "`time` at which it begins (default now)")
	flags.StringVar(&f.cron, "cron", "", "let it come again and again: the `expression` says when it begins")
	flags.StringVar(&f.zone, "zone", "", "IANA `zone` of --cron and of times, such as Europe/Berlin (default UTC for --cron)")
	flags.StringVar(&f.cause, "reason", "", "`text` that is shown wherever the pause has an effect")
	cmd.AddCommand(t.pauseListCommand())
	return cmd
}

// pauseKey returns the key of the pause that a command line means.
func pauseKey(args []string) string {
	if len(args) == 0 {
		return defaultPause
	}
	return args[0]
}

// pause makes the pause that the flags describe.
func (f *pauseFlags) pause(flags *pflag.FlagSet, here *time.Location, now time.Time) (api.NewPause, error) {
	switch {
	case flags.Changed("for") && f.length < time.Second:
		return api.NewPause{}, usagef("--for: %s is shorter than 1s", f.length)
	case f.cron != "" && f.length == 0:
		return api.NewPause{}, usagef("--cron says when it begins: say with --for how long it lasts")
	case f.cron == "" && f.length > 0 && f.until != "":
		return api.NewPause{}, usagef("--for and --until exclude each other, unless --cron lets it come again")
	case f.zone != "" && f.cron == "" && !anyOnClock([]string{f.from, f.until}):
		return api.NewPause{}, usagef("--zone is only for --cron, and for times without an offset")
	}
	zone := here
	if f.zone != "" {
		named, err := zoneCache{}.load(f.zone)
		if err != nil {
			return api.NewPause{}, cronUsage("", err)
		}
		zone = named
	}
	from, err := instant("from", f.from, zone)
	if err != nil {
		return api.NewPause{}, err
	}
	until, err := instant("until", f.until, zone)
	if err != nil {
		return api.NewPause{}, err
	}
	wanted := api.NewPause{Reason: f.cause, Groups: f.groups, From: api.At(from), Until: api.At(until)}
	if from.IsZero() {
		from = now
	}
	switch {
	case f.cron != "":
		if err := checkWhen(api.Schedule{Kind: schedule.KindCron, Cron: f.cron, Zone: f.zone}); err != nil {
			return wanted, err
		}
		wanted.Window = &api.Window{Cron: f.cron, Zone: f.zone, For: api.Duration(f.length)}
	case f.length > 0:
		wanted.Until = api.At(from.Add(f.length))
	}
	if !wanted.Until.IsZero() && !wanted.Until.After(from) {
		return wanted, usagef("--until: %s is not after the begin of the pause, %s", f.until, from.In(zone).Format(time.RFC3339))
	}
	return wanted, nil
}

// paused says what a pause does.
func (t *tool) paused(p api.Pause) string {
	when := "from " + t.time(p.From)
	if p.Active {
		when = "now"
	}
	switch {
	case p.Window != nil:
		when = "whenever '" + strings.TrimSpace(p.Window.Cron+"' "+p.Window.Zone) + " begins it, for " + span(p.Window.For)
		if !p.Until.IsZero() {
			when += ", until " + t.time(p.Until)
		}
	case p.Until.IsZero():
		when += ", until it is lifted with 'orth resume " + p.Key + "'"
	default:
		when += " until " + t.time(p.Until)
	}
	return fmt.Sprintf("pause %s holds %s: %s\n"+
		"what they would fire meanwhile is missed, and the misfire policy of each job decides about it afterwards;\n"+
		"runs that exist go on, and jobs can be triggered", p.Key, heldJobs(p), when)
}

// heldJobs says which jobs a pause holds.
func heldJobs(p api.Pause) string {
	text := "all jobs"
	switch {
	case len(p.Groups) == 1:
		text = "the jobs of group " + p.Groups[0]
	case len(p.Groups) > 1:
		text = "the jobs of the groups " + strings.Join(p.Groups, ", ")
	}
	if p.Namespace != "" {
		text += " in namespace " + p.Namespace
	}
	return text
}

func (t *tool) pauseListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List pauses, of all namespaces", Args: cobra.NoArgs,
		Long: "List pauses: those of all namespaces, or with --namespace those that hold jobs of it. Their keys are unique among\n" +
			"all namespaces.",
		Example: "  orth pause list\n  orth pause list --namespace team-a\n  orth pause list -A",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.Pauses(cmd.Context())
			if err != nil {
				return err
			}
			if space := t.named(); space != "" {
				found = slices.DeleteFunc(found, func(p api.Pause) bool { return p.Namespace != "" && p.Namespace != space })
			}
			return t.showPauses(found)
		},
	}
	t.everySpaceUsual(cmd)
	return cmd
}

func (t *tool) showPauses(found []api.Pause) error {
	if t.forPrograms() {
		printer := t.printer()
		printer.Spaces = false // keys are unique among all namespaces, and 'orth resume' takes them alone
		return printer.Encode(orEmpty(found))
	}
	if len(found) == 0 {
		t.tell("there are no pauses")
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		p := &found[i]
		window := ""
		if p.Window != nil {
			window = strings.TrimSpace(p.Window.Cron + " " + p.Window.Zone)
			window += " for " + span(p.Window.For)
		}
		if spaces[i] = p.Namespace; p.Namespace == "" {
			spaces[i] = everySpace
		}
		rows[i] = []string{p.Key, heldJobs(*p), t.standing(*p), window, p.Reason}
	}
	return t.tableIn(t.everywhere, spaces, "KEY HOLDS STATE WINDOW REASON", rows)
}

// standing says where a pause stands.
func (t *tool) standing(p api.Pause) string {
	switch {
	case p.Active && p.EndsAt.IsZero():
		return "active until it is lifted"
	case p.Active:
		return "active until " + t.time(p.EndsAt)
	case !p.BeginsAt.IsZero():
		return "begins " + t.time(p.BeginsAt)
	}
	return "over"
}

func (t *tool) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Annotations: map[string]string{freeKey: "true"},
		Use:         "resume [KEY]", Short: "Lift a pause", Args: cobra.MaximumNArgs(1),
		Long: "Lift a pause: the one named \"" + defaultPause + "\", or KEY. 'orth pause list' shows them.\n\n" +
			"What the jobs would have fired meanwhile is missed: the misfire policy of each job decides about it now.",
		Example: "  orth resume\n  orth resume billing",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			key := pauseKey(args)
			if err := c.DeletePause(cmd.Context(), key); err != nil {
				return err
			}
			return t.done(map[string]string{"resumed": key},
				"pause "+key+" lifted: the misfire policy of each job decides about what was held back")
		},
	}
}
