package pauses

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// defaultPause is the key of a pause that is not named.
const defaultPause = "all"

// pauseFlags holds the flags that describe a pause.
type pauseFlags struct {
	groups            []string
	length            time.Duration
	from, until       string
	cron, zone, cause string
}

// NewCommand returns the command orth pause.
func NewCommand(t *kit.Tool) *cobra.Command {
	var f pauseFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{kit.FreeKeyAnnotation: "true"},
		Use:         "pause [KEY]", Short: "Pause job schedules, once or in a recurring maintenance window", Args: cobra.MaximumNArgs(1),
		Long: "Pause the schedules of all jobs, of a namespace or of groups. KEY names the pause, not a job, and defaults to\n" +
			"\"" + defaultPause + "\"; an existing pause with the key is replaced. Disable a single job with 'orth job disable'.\n\n" +
			"Schedules of paused jobs do not fire. Firings during the pause count as missed: the misfire policy of each job applies\n" +
			"when the pause ends. Existing runs, planned or waiting ones included, retries, manual triggers, downstream jobs,\n" +
			"workflows and backfills continue. To stop new tasks on executors, drain them: 'orth executors drain'.\n\n" +
			"Times without an offset are in --zone, or in the local zone.",
		Example: "  orth pause --reason 'moving the database'\n  orth pause --for 2h\n  orth pause billing --group billing --until '2030-01-31 08:00'\n" +
			"  orth pause weekly --cron '0 0 2 ? * SUN' --for 3h --zone Europe/Berlin\n  orth pause list\n  orth resume",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.pause(cmd.Flags(), t.Location, time.Now())
			if err != nil {
				return err
			}
			wanted.Namespace = t.SelectedNamespace()
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			saved, err := c.SavePause(cmd.Context(), key(args), wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(saved, paused(t, saved))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.groups, "group", nil, "only jobs of this `group`; may be repeated (default all)")
	flags.DurationVar(&f.length, "for", 0, "duration of the pause; with --cron of each window (default until 'orth resume')")
	flags.StringVar(&f.until, "until", "", "end `time`; with --cron the end of the recurrence")
	flags.StringVar(&f.from, "from", "", "start `time` (default now)")
	flags.StringVar(&f.cron, "cron", "", "cron `expression` of the start times of a recurring window")
	flags.StringVar(&f.zone, "zone", "", "IANA `zone` of --cron and of times, such as Europe/Berlin (default UTC for --cron)")
	flags.StringVar(&f.cause, "reason", "", "`text` that explains the pause wherever it applies")
	cmd.AddCommand(newListCommand(t))
	return cmd
}

// key returns the key of the pause of a command line.
func key(args []string) string {
	if len(args) == 0 {
		return defaultPause
	}
	return args[0]
}

// pause returns the pause that the flags describe.
func (f *pauseFlags) pause(flags *pflag.FlagSet, here *time.Location, now time.Time) (api.NewPause, error) {
	switch {
	case flags.Changed("for") && f.length < time.Second:
		return api.NewPause{}, output.Usagef("--for: must be at least 1s, got %s", f.length)
	case f.cron != "" && f.length == 0:
		return api.NewPause{}, output.Usagef("--cron requires --for, the duration of each window")
	case f.cron == "" && f.length > 0 && f.until != "":
		return api.NewPause{}, output.Usagef("--for and --until are mutually exclusive without --cron")
	case f.zone != "" && f.cron == "" && !timing.NeedsZone([]string{f.from, f.until}):
		return api.NewPause{}, output.Usagef("--zone requires --cron, or a time without an offset")
	}
	zone := here
	if f.zone != "" {
		named, err := timing.Zones{}.Load(f.zone)
		if err != nil {
			return api.NewPause{}, timing.ExplainCronError("", err)
		}
		zone = named
	}
	from, err := timing.ParseFlag("from", f.from, zone)
	if err != nil {
		return api.NewPause{}, err
	}
	until, err := timing.ParseFlag("until", f.until, zone)
	if err != nil {
		return api.NewPause{}, err
	}
	wanted := api.NewPause{Reason: f.cause, Groups: f.groups, From: api.At(from), Until: api.At(until)}
	if from.IsZero() {
		from = now
	}
	switch {
	case f.cron != "":
		if err := timing.CheckSchedule(api.Schedule{Kind: schedule.KindCron, Cron: f.cron, Zone: f.zone}); err != nil {
			return wanted, err
		}
		wanted.Window = &api.Window{Cron: f.cron, Zone: f.zone, For: api.Duration(f.length)}
	case f.length > 0:
		wanted.Until = api.At(from.Add(f.length))
	}
	if !wanted.Until.IsZero() && !wanted.Until.After(from) {
		return wanted, output.Usagef("--until: must be after the start of the pause, %s, got %s", from.In(zone).Format(time.RFC3339), f.until)
	}
	return wanted, nil
}

// paused describes a pause and its effect.
func paused(t *kit.Tool, p api.Pause) string {
	when := "from " + t.FormatTime(p.From)
	if p.Active {
		when = "now"
	}
	switch {
	case p.Window != nil:
		when = "at '" + strings.TrimSpace(p.Window.Cron+"' "+p.Window.Zone) + ", each for " + kit.Span(p.Window.For)
		if !p.Until.IsZero() {
			when += ", until " + t.FormatTime(p.Until)
		}
	case p.Until.IsZero():
		when += ", until 'orth resume " + p.Key + "'"
	default:
		when += " until " + t.FormatTime(p.Until)
	}
	return fmt.Sprintf("pause %s holds %s: %s\n"+
		"firings in this time count as missed; the misfire policy of each job applies when the pause ends\n"+
		"existing runs continue, and jobs can be triggered", p.Key, heldJobs(p), when)
}

// heldJobs describes the jobs of a pause.
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

func newListCommand(t *kit.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List pauses of all namespaces", Args: cobra.NoArgs,
		Long: "List pauses of all namespaces, or with --namespace those that apply to it. Keys of pauses are unique across\n" +
			"namespaces.",
		Example: "  orth pause list\n  orth pause list --namespace team-a\n  orth pause list -A",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.Pauses(cmd.Context())
			if err != nil {
				return err
			}
			if space := t.NamespaceName(); space != "" {
				found = slices.DeleteFunc(found, func(p api.Pause) bool { return p.Namespace != "" && p.Namespace != space })
			}
			return showPauses(t, found)
		},
	}
	t.AddEverySpaceDefault(cmd)
	return cmd
}

func showPauses(t *kit.Tool, found []api.Pause) error {
	if t.ForPrograms() {
		printer := t.Printer()
		printer.Spaces = false // keys are unique across namespaces, and 'orth resume' expects them without one
		return printer.Encode(kit.OrEmpty(found))
	}
	if len(found) == 0 {
		t.PrintNote("No pauses found.")
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		p := &found[i]
		window := ""
		if p.Window != nil {
			window = strings.TrimSpace(p.Window.Cron + " " + p.Window.Zone)
			window += " for " + kit.Span(p.Window.For)
		}
		if spaces[i] = p.Namespace; p.Namespace == "" {
			spaces[i] = kit.EverySpace
		}
		rows[i] = []string{p.Key, heldJobs(*p), standing(t, *p), window, p.Reason}
	}
	return t.PrintTableIn(t.Everywhere, spaces, "KEY JOBS STATE WINDOW REASON", rows)
}

// standing returns the state of a pause.
func standing(t *kit.Tool, p api.Pause) string {
	switch {
	case p.Active && p.EndsAt.IsZero():
		return "active until resumed"
	case p.Active:
		return "active until " + t.FormatTime(p.EndsAt)
	case !p.BeginsAt.IsZero():
		return "starts " + t.FormatTime(p.BeginsAt)
	}
	return "over"
}

// NewResumeCommand returns the command orth resume.
func NewResumeCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Annotations: map[string]string{kit.FreeKeyAnnotation: "true"},
		Use:         "resume [KEY]", Short: "Resume scheduling by removing a pause", Args: cobra.MaximumNArgs(1),
		Long: "Remove the pause KEY, by default \"" + defaultPause + "\". 'orth pause list' lists the pauses.\n\n" +
			"Firings during the pause were missed: the misfire policy of each job applies now.",
		Example: "  orth resume\n  orth resume billing",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			key := key(args)
			if err := c.DeletePause(cmd.Context(), key); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"resumed": key},
				"pause "+key+" removed: the misfire policy of each job applies to its missed firings")
		},
	}
}
