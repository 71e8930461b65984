package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
)

// Row labels that several detail views share.
const (
	rowKey       = "Key"
	rowTitle     = "Title"
	rowNamespace = "Namespace"
	rowState     = "State"
	rowReason    = "Reason"
	rowEnded     = "Ended"
	rowCreated   = "Created"
)

func (t *tool) alarmCommand() *cobra.Command {
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
		t.alarmListCommand(), t.alarmShowCommand(), t.alarmNoteCommand(),
		t.alarmRuleCommand(), t.alarmChannelCommand(), t.alarmSilenceCommand(), t.alarmSentCommand(), t.alarmRetryCommand(),
	)
}

func (t *tool) alarmListCommand() *cobra.Command {
	var q client.AlarmQuery
	severity := newChoice("", "info", "warning", "critical")
	var since, until, kind string
	state, limit := newChoice("firing", "firing", "resolved", "all"), 20
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List alarms, the newest first", Args: cobra.NoArgs,
		Example: "  orth alarm list\n  orth alarm list --state all --job report --since 24h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			if q.State = alarm.State(state.word()); state.value == "all" {
				q.State = ""
			}
			q.Kind, q.Severity = alarm.Kind(underscored(kind)), alarm.Severity(severity.word())
			if q.Kind != "" && !q.Kind.Known() {
				return output.Usagef("--kind: unknown kind %q; use one of %s", kind, kindNames())
			}
			var err error
			if q.Since, err = past("since", since, t.Location); err != nil {
				return err
			}
			if q.Until, err = past("until", until, t.Location); err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := listAlarms(cmd.Context(), c, q, limit)
			if err != nil {
				return err
			}
			return t.showAlarms(found, state.value)
		},
	}
	flags := cmd.Flags()
	flags.Var(&state, "state", "only alarms in this state")
	flags.Var(&severity, "severity", "only alarms of this severity")
	everySpaceFlag(flags, &q.AllNamespaces)
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
		q.Limit = min(limit-len(found), pageSize)
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

func (t *tool) showAlarms(found []api.Alarm, state string) error {
	switch {
	case t.forPrograms():
		return t.encode(found)
	case len(found) == 0 && state == "firing":
		t.printNote("No alarms are firing.")
		return nil
	case len(found) == 0:
		t.printNote("No alarms found.")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		a := &found[i]
		rows[i] = []string{
			a.ID.String(), standingOf(a), string(a.Severity), spaced(a.Kind), firstOf(a.JobKey, a.Group), t.time(a.FirstAt), t.time(a.LastAt),
			strconv.Itoa(a.Count), firstOf(a.Rule, "job mail"), a.Reason,
		}
	}
	return t.table("ID STATE SEVERITY? KIND ABOUT SINCE? LAST EVENTS? RULE? REASON", rows)
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

func (t *tool) alarmShowCommand() *cobra.Command {
	limit := 100
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show an alarm with its events", Args: cobra.ExactArgs(1), Example: "  orth alarm show 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := alarmID(args[0], "alarm", "orth alarm list --state all")
			if err != nil {
				return err
			}
			if limit < 1 || limit > pageSize {
				return output.Usagef("--limit: must be between 1 and %d, got %d", pageSize, limit)
			}
			c, err := t.connect()
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
			return t.showAlarm(&a, &page)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of events, oldest first")
	return cmd
}

func (t *tool) showAlarm(a *api.Alarm, page *api.AlarmEntryList) error {
	if t.forPrograms() {
		return t.encode(struct {
			api.Alarm
			Entries []api.AlarmEntry `json:"entries"`
		}{*a, orEmpty(page.Entries)})
	}
	run, silence, noted := "", "", ""
	if a.LastRunID > 0 {
		run = a.LastRunID.String()
	}
	if a.SilencedBy > 0 {
		silence = a.SilencedBy.String() + " suppresses its messages"
	}
	if !a.NotedAt.IsZero() {
		noted = strings.TrimRight(t.time(a.NotedAt)+" by "+a.NotedBy, " by")
	}
	if err := t.sheet([][2]string{
		{"Alarm", a.ID.String()},
		{rowState, string(a.State)},
		{"Severity", string(a.Severity)},
		{"Kind", spaced(a.Kind)},
		{"Job", a.JobKey},
		{"Group", a.Group},
		{rowNamespace, a.Namespace},
		{"Rule", firstOf(a.Rule, "none: mail of the job")},
		{rowReason, a.Reason},
		{"Since", t.time(a.FirstAt)},
		{"Last event", t.time(a.LastAt)},
		{rowEnded, t.time(a.EndedAt)},
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
		rows[i] = []string{t.time(e.At), e.JobKey, run, words(e.State), e.Reason}
	}
	if err := t.table("AT JOB RUN STATE REASON", rows); err != nil {
		return err
	}
	if page.Next > 0 {
		t.printNote("More events exist; use --limit to show up to %d.", pageSize)
	}
	return nil
}

func (t *tool) alarmNoteCommand() *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "acknowledge ID", Aliases: []string{"ack"}, Short: "Acknowledge an alarm and stop its escalation", Args: cobra.ExactArgs(1),
		Long: "Acknowledge an alarm. Other users see who acknowledged it, and it stops escalating. The alarm stays open until\n" +
			"its cause is resolved, and repeats as its rule defines; a silence stops the repeats.",
		Example: "  orth alarm acknowledge 12 --by alice",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := alarmID(args[0], "alarm", "orth alarm list")
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			a, err := c.NoteAlarm(cmd.Context(), id, firstOf(by, t.Getenv("USER"), t.Getenv("USERNAME")))
			if err != nil {
				return err
			}
			return t.done(a, "alarm "+args[0]+" acknowledged; escalation stopped")
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "name of the person who acknowledges (default the user of this machine)")
	return cmd
}

// alarmID parses the id of an alarm, a message or a silence.
func alarmID(text, noun, shown string) (api.ID, error) {
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
