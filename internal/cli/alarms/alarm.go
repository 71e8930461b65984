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

// NewCommand returns the command orth alarm.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "alarm", Aliases: []string{"alarms"}, Short: "Manage alarm rules, channels and silences, and list alarms",
			Long: "Manage alarm rules, channels and silences, and list alarms.\n\n" +
				"A rule selects the events that raise alarms. A channel delivers messages about alarms. A silence holds messages\n" +
				"back for a while. An alarm is open from its first event until it is resolved; 'orth alarm messages' lists its messages.\n\n" +
				"A job can send mail on failure without a rule: 'orth job create --alarm-email'.",
			Example: "  orth alarm channel create ops --kind slack --secret url=-\n  orth alarm channel test ops\n" +
				"  orth alarm rule create nightly --kind failed,timed_out,lost --channel ops\n  orth alarm list\n" +
				"  orth alarm silence create --for 2h --comment 'moving the database'",
		},
		newListCommand(t), newShowCommand(t), newNoteCommand(t),
		newRuleCommand(t), newChannelCommand(t), newSilenceCommand(t), newSentCommand(t), newRetryCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	var q client.AlarmQuery
	severity := kit.NewChoice("", "info", "warning", "critical")
	var since, until, kind string
	state, limit := kit.NewChoice("firing", "firing", "resolved", "all"), 20
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List alarms, the newest first", Args: cobra.NoArgs,
		Example: "  orth alarm list\n  orth alarm list --state all --job report --since 24h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			if q.State = alarm.State(state.Word()); state.Value == "all" {
				q.State = ""
			}
			q.Kind, q.Severity = alarm.Kind(underscored(kind)), alarm.Severity(severity.Word())
			if q.Kind != "" && !q.Kind.Known() {
				return output.Usagef("--kind: unknown kind %q; use one of %s", kind, kindNames())
			}
			var err error
			if q.Since, err = kit.ParsePast("since", since, t.Location); err != nil {
				return err
			}
			if q.Until, err = kit.ParsePast("until", until, t.Location); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := listAlarms(cmd.Context(), c, q, limit)
			if err != nil {
				return err
			}
			return showAlarms(t, found, state.Value)
		},
	}
	flags := cmd.Flags()
	flags.Var(&state, "state", "only alarms in this state")
	flags.Var(&severity, "severity", "only alarms of this severity")
	kit.AddEverySpaceFlag(flags, &q.AllNamespaces)
	flags.StringVar(&q.Rule, "rule", "", "only alarms of the rule with this `key`")
	flags.StringVar(&kind, "kind", "", "only alarms of this `kind`: "+kindNames())
	flags.StringVar(&q.Job, "job", "", "only alarms of the job with this `key`")
	flags.StringVar(&q.Group, "group", "", "only alarms of the group with this `key` and of its jobs")
	flags.StringVar(&since, "since", "", "only alarms with an event since this `time`: 2030-01-31T08:00, or 2h for two hours ago")
	flags.StringVar(&until, "until", "", "only alarms that started before this `time`")
	flags.IntVar(&limit, "limit", limit, "maximum number of alarms, newest first")
	return cmd
}

// listAlarms reads pages until it has limit alarms.
func listAlarms(ctx context.Context, c *client.Client, q client.AlarmQuery, limit int) ([]api.Alarm, error) {
	found := []api.Alarm{}
	for {
		q.Limit = min(limit-len(found), kit.PageSize)
		page, err := c.Alarms(ctx, q)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Alarms...)
		if page.Next == 0 || len(found) >= limit {
			return found, nil
		}
		q.Before = page.Next
	}
}

func showAlarms(t *kit.Tool, found []api.Alarm, state string) error {
	switch {
	case t.ForPrograms():
		return t.Encode(found)
	case len(found) == 0 && state == "firing":
		t.PrintNote("No alarms are firing.")
		return nil
	case len(found) == 0:
		t.PrintNote("No alarms found.")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		a := &found[i]
		rows[i] = []string{
			a.ID.String(), standingOf(a), string(a.Severity), spaced(a.Kind), kit.FirstOf(a.JobKey, a.Group), t.FormatTime(a.FirstAt), t.FormatTime(a.LastAt),
			strconv.Itoa(a.Count), kit.FirstOf(a.Rule, "job mail"), a.Reason,
		}
	}
	return t.PrintTable("ID STATE SEVERITY? KIND ABOUT SINCE? LAST EVENTS? RULE? REASON", rows)
}

// standingOf names the state of an alarm.
func standingOf(a *api.Alarm) string {
	switch {
	case a.State == alarm.Firing && a.SilencedBy > 0:
		return "silenced"
	case a.State == alarm.Firing && !a.NotedAt.IsZero():
		return "noted"
	}
	return string(a.State)
}

func newShowCommand(t *kit.Tool) *cobra.Command {
	limit := 100
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show an alarm with its events", Args: cobra.ExactArgs(1), Example: "  orth alarm show 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := iD(args[0], "alarm", "orth alarm list --state all")
			if err != nil {
				return err
			}
			if limit < 1 || limit > kit.PageSize {
				return output.Usagef("--limit: must be between 1 and %d, got %d", kit.PageSize, limit)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			a, err := c.Alarm(cmd.Context(), id)
			if err != nil {
				return err
			}
			page, err := c.AlarmEntries(cmd.Context(), id, 0, limit)
			if err != nil {
				return err
			}
			return showAlarm(t, &a, &page)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of events, oldest first")
	return cmd
}

func showAlarm(t *kit.Tool, a *api.Alarm, page *api.AlarmEntryList) error {
	if t.ForPrograms() {
		return t.Encode(struct {
			api.Alarm
			Entries []api.AlarmEntry `json:"entries"`
		}{*a, kit.OrEmpty(page.Entries)})
	}
	run, silence, noted := "", "", ""
	if a.LastRunID > 0 {
		run = a.LastRunID.String()
	}
	if a.SilencedBy > 0 {
		silence = a.SilencedBy.String() + " suppresses its messages"
	}
	if !a.NotedAt.IsZero() {
		noted = strings.TrimRight(t.FormatTime(a.NotedAt)+" by "+a.NotedBy, " by")
	}
	if err := t.PrintSheet([][2]string{
		{"Alarm", a.ID.String()},
		{kit.RowState, string(a.State)},
		{"Severity", string(a.Severity)},
		{"Kind", spaced(a.Kind)},
		{"Job", a.JobKey},
		{"Group", a.Group},
		{kit.RowNamespace, a.Namespace},
		{"Rule", kit.FirstOf(a.Rule, "none: mail of the job")},
		{kit.RowReason, a.Reason},
		{"Since", t.FormatTime(a.FirstAt)},
		{"Last event", t.FormatTime(a.LastAt)},
		{kit.RowEnded, t.FormatTime(a.EndedAt)},
		{"Last run", run},
		{"Noted", noted},
		{"Silence", silence},
		{"Events", strconv.Itoa(a.Count)},
	}); err != nil || len(page.Entries) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	rows := make([][]string, len(page.Entries))
	for i := range page.Entries {
		e := &page.Entries[i]
		run := ""
		if e.RunID > 0 {
			run = e.RunID.String()
		}
		rows[i] = []string{t.FormatTime(e.At), e.JobKey, run, kit.StateText(e.State), e.Reason}
	}
	if err := t.PrintTable("AT JOB RUN STATE REASON", rows); err != nil {
		return err
	}
	if page.Next > 0 {
		t.PrintNote("More events exist; use --limit to show up to %d.", kit.PageSize)
	}
	return nil
}

func newNoteCommand(t *kit.Tool) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "acknowledge ID", Aliases: []string{"ack"}, Short: "Acknowledge an alarm and stop its escalation", Args: cobra.ExactArgs(1),
		Long: "Acknowledge an alarm. Other users see who acknowledged it, and it stops escalating. The alarm stays open until\n" +
			"its cause is resolved, and repeats as its rule defines; a silence stops the repeats.",
		Example: "  orth alarm acknowledge 12 --by alice",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := iD(args[0], "alarm", "orth alarm list")
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			a, err := c.NoteAlarm(cmd.Context(), id, kit.FirstOf(by, t.Getenv("USER"), t.Getenv("USERNAME")))
			if err != nil {
				return err
			}
			return t.PrintResult(a, "alarm "+args[0]+" acknowledged; escalation stopped")
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "name of the person who acknowledges (default the user of this machine)")
	return cmd
}

// iD parses the id of an alarm, a message or a silence.
func iD(text, noun, shown string) (api.ID, error) {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return 0, output.Usagef("ID: %q is not an id of the %s; '%s' lists the ids", text, noun, shown)
	}
	return id, nil
}

// underscored returns the API spelling of a word.
func underscored(word string) string { return strings.ReplaceAll(word, "-", "_") }

// spaced returns the display form of a word of the API.
func spaced[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }

// kindNames lists the kinds of alarms.
func kindNames() string {
	names := make([]string, 0, len(alarm.Kinds()))
	for _, kind := range alarm.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
