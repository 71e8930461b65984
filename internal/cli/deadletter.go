package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (t *tool) deadLetterCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "dead-letter", Aliases: []string{"dead-letters"}, Short: "List, redrive and close runs that ended badly for good",
			Long: "List, redrive and close runs that ended badly for good: that failed, timed out or were lost after their last\n" +
				"attempt. Each is open until a new run is made in its place, or somebody closes it. It has the id of its run.\n\n" +
				"Without --job they are those of all namespaces, unless --namespace names one.\n\n" +
				"The queues of executors have dead items of their own, which are tasks and outcomes: see 'orth queue'.",
		},
		t.deadLetterListCommand(), t.deadLetterShowCommand(), t.deadLetterRedriveCommand(), t.deadLetterCloseCommand(),
	)
}

// letterFlags are the flags that find dead letters.
type letterFlags struct {
	job, group, since, until, text string
	state                          choice
	limit                          int
}

// add adds the flags, with the usual limit.
func (f *letterFlags) add(flags *pflag.FlagSet, limit int) {
	f.state = newChoice("", "failed", "timed-out", "lost")
	f.limit = limit
	flags.StringVar(&f.job, "job", "", "only those of the job with this `key`")
	flags.StringVar(&f.group, "group", "", "only those of runs for the group with this `key`")
	flags.Var(&f.state, "state", "only those of runs that ended like this")
	flags.StringVar(&f.since, "since", "", "only those of runs that ended at this `time` or later: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only those of runs that ended before this `time`")
	flags.StringVar(&f.text, "text", "", "only those with this `text` in the message")
	flags.IntVar(&f.limit, "limit", f.limit, "at most so many, those of the newest runs")
}

// given reports whether one of the flags says what to find.
func (f *letterFlags) given() bool {
	return f.job != "" || f.group != "" || f.state.value != "" || f.since != "" || f.until != "" || f.text != ""
}

// bounds reads the two times, which without an offset are on the user's clock.
func (f *letterFlags) bounds(zone *time.Location) (since, until time.Time, err error) {
	if since, err = past("since", f.since, zone); err == nil {
		until, err = past("until", f.until, zone)
	}
	return since, until, err
}

// past reads a time, or how long ago it was.
func past(flag, text string, zone *time.Location) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return instant(flag, text, zone)
}

func (t *tool) deadLetterListCommand() *cobra.Command {
	var f letterFlags
	status := newChoice("open", "open", "redriven", "closed", "all")
	order := newSorting("created-at", "ended-at", "job", "tries")
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List dead letters, those of the newest runs first or sorted", Args: cobra.NoArgs,
		Example: "  orth dead-letter list\n  orth dead-letter list --job report --since 24h\n" +
			"  orth dead-letter list --text 'connection refused' --status all\n  orth dead-letter list --sort job",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.limit < 1 {
				return usagef("--limit: %d is not at least 1", f.limit)
			}
			if err := t.notEverywhere(f.job); err != nil {
				return err
			}
			query := client.LetterQuery{
				Job: f.job, Namespace: t.space(), Group: f.group, State: job.State(f.state.word()), Status: status.word(), Text: f.text,
				Sort: order.word(),
			}
			var err error
			if query.Since, query.Until, err = f.bounds(t.Location); err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, since, err := listLetters(cmd.Context(), c, query, f.limit)
			if err != nil {
				return err
			}
			if !since.IsZero() {
				t.tell("only those of runs made since %s were sorted: name a --job, a --since or an --until to see all", t.time(since))
			}
			return t.showLetters(found, status.value)
		},
	}
	f.add(cmd.Flags(), 20)
	t.everySpaceUsual(cmd)
	cmd.Flags().Lookup("limit").Usage = "at most so many"
	cmd.Flags().Var(&status, "status", "only those about which this was done")
	cmd.Flags().Var(&order, "sort", "the order, with - before it the other way round; those of the newest runs first when it is not given")
	return cmd
}

// listLetters reads pages until there are limit dead letters. since is not zero when
// only those of runs that were made from then on were sorted.
func listLetters(ctx context.Context, c *client.Client, query client.LetterQuery, limit int) (found []api.DeadLetter, since api.Time, err error) {
	found = []api.DeadLetter{}
	for {
		query.Limit = min(limit-len(found), pageSize)
		page, err := c.DeadLetters(ctx, query)
		if err != nil {
			return nil, since, err
		}
		found, since = append(found, page.DeadLetters...), page.Since
		if page.Next == 0 && page.After == "" || len(found) >= limit {
			return found, since, nil
		}
		query.Before, query.After = page.Next, page.After
	}
}

func (t *tool) showLetters(found []api.DeadLetter, status string) error {
	if t.forPrograms() {
		return t.encode(found)
	}
	if len(found) == 0 {
		if status == "all" {
			t.tell("there are no such dead letters")
		} else {
			t.tell("there are no such dead letters that are %s", status)
		}
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		d := &found[i]
		spaces[i] = d.Namespace
		rows[i] = []string{
			d.RunID.String(), d.JobKey, words(d.State), t.time(d.PlannedAt), t.time(d.EndedAt), strconv.Itoa(d.Tries),
			doneAbout(d.LetterStatus), firstOf(d.Message, d.Reason),
		}
	}
	return t.tableIn(t.everywhere, spaces, "RUN JOB STATE PLANNED? ENDED TRIES? STATUS? MESSAGE", rows)
}

// doneAbout says in short what was done about a dead letter.
func doneAbout(s api.LetterStatus) string {
	if s.RedrivenRun > 0 {
		return "redriven as " + s.RedrivenRun.String()
	}
	return string(s.Status)
}

// dead says of a run that it is a dead letter, and what was done about that.
func (t *tool) dead(s *api.LetterStatus, run api.ID) string {
	switch {
	case s == nil:
		return ""
	case s.RedrivenRun > 0:
		return "redriven as run " + s.RedrivenRun.String()
	case s.Status == job.LetterClosed:
		return strings.TrimRight("closed at "+t.time(s.ClosedAt)+": "+s.ClosedReason, ": ")
	}
	return "open: 'orth dead-letter redrive " + run.String() + "' makes a new run in its place"
}

func (t *tool) deadLetterShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a dead letter", Args: cobra.ExactArgs(1), Example: "  orth dead-letter show 1024",
		RunE: t.aboutRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			d, err := c.DeadLetter(ctx, id)
			if err != nil {
				return err
			}
			return t.showLetter(&d)
		}),
	}
}

func (t *tool) showLetter(d *api.DeadLetter) error {
	if t.forPrograms() {
		return t.encode(d)
	}
	gone := ""
	if d.JobDeleted {
		gone = ", which was deleted: the run cannot be redriven"
	}
	return t.sheet([][2]string{
		{"Run", d.RunID.String()},
		{"Job", firstOf(d.JobKey, "#"+strconv.FormatInt(d.JobID, 10)) + gone},
		{"Namespace", d.Namespace},
		{"Group", d.Group},
		{"Outcome", words(d.State)},
		{"Reason", d.Reason},
		{"Message", d.Message},
		{"Cause", string(d.Cause)},
		{"Planned", firstOf(t.time(d.PlannedAt), "-")},
		{"Ended", t.time(d.EndedAt)},
		{"Tries", strconv.Itoa(d.Tries)},
		{"Dead letter", t.dead(&d.LetterStatus, d.RunID)},
	})
}
