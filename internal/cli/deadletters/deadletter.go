package deadletters

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// NewDeadLetterCommand returns the command orth dead letter.
func NewDeadLetterCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "dead-letter", Aliases: []string{"dead-letters"}, Short: "List, retry and close dead letters",
			Long: "List, retry and close dead letters: runs that failed, timed out or were lost after their last attempt. A dead letter is\n" +
				"open until it is retried or closed. Its id is the id of the run.\n\n" +
				"Without --job and --namespace the commands cover all namespaces.\n\n" +
				"The queues of an executor have their own dead items, which are tasks and outcomes: see 'orth queue'.",
		},
		newDeadLetterListCommand(t), newDeadLetterShowCommand(t), newDeadLetterRedriveCommand(t), newDeadLetterCloseCommand(t),
	)
}

// letterFlags holds the flags that filter dead letters.
type letterFlags struct {
	job, group, since, until, text string
	state                          kit.Choice
	limit                          int
}

// add defines the flags; the limit has its initial value as default.
func (f *letterFlags) add(flags *pflag.FlagSet, limit int) {
	f.state = kit.NewChoice("", "failed", "timed-out", "lost")
	f.limit = limit
	flags.StringVar(&f.job, "job", "", "only dead letters of the job with this `key`")
	flags.StringVar(&f.group, "group", "", "only dead letters of the group with this `key`")
	flags.Var(&f.state, "state", "only runs with this final state")
	flags.StringVar(&f.since, "since", "", "only runs that ended since this `time`: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only runs that ended before this `time`")
	flags.StringVar(&f.text, "text", "", "only messages that contain this `text`")
	flags.IntVar(&f.limit, "limit", f.limit, "maximum number of dead letters, newest first")
}

// given reports whether a filter flag is set.
func (f *letterFlags) given() bool {
	return f.job != "" || f.group != "" || f.state.Value != "" || f.since != "" || f.until != "" || f.text != ""
}

// bounds parses the time range, in the local zone unless it has an offset.
func (f *letterFlags) bounds(zone *time.Location) (since, until time.Time, err error) {
	if since, err = kit.ParsePast("since", f.since, zone); err == nil {
		until, err = kit.ParsePast("until", f.until, zone)
	}
	return since, until, err
}

func newDeadLetterListCommand(t *kit.Tool) *cobra.Command {
	var f letterFlags
	status := kit.NewChoice("open", "open", "retried", "closed", "all")
	order := kit.NewSorting("created-at", "ended-at", "job", "tries")
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List dead letters, newest first or sorted", Args: cobra.NoArgs,
		Example: "  orth dead-letter list\n  orth dead-letter list --job report --since 24h\n" +
			"  orth dead-letter list --text 'connection refused' --status all\n  orth dead-letter list --sort job",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", f.limit)
			}
			if err := t.RejectEverySpace(f.job); err != nil {
				return err
			}
			query := client.LetterQuery{
				Job: f.job, Namespace: t.SelectedNamespace(), Group: f.group, State: job.State(f.state.Word()), Status: status.Word(), Text: f.text,
				Sort: order.Word(),
			}
			if query.Status == "retried" {
				query.Status = "redriven" // the name of the API
			}
			var err error
			if query.Since, query.Until, err = f.bounds(t.Location); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, since, err := listLetters(cmd.Context(), c, query, f.limit)
			if err != nil {
				return err
			}
			if !since.IsZero() {
				t.PrintNote("Only runs created since %s were sorted. Use --job, --since or --until to sort all.", t.FormatTime(since))
			}
			return showLetters(t, found, status.Value)
		},
	}
	f.add(cmd.Flags(), 20)
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().Lookup("limit").Usage = "maximum number of dead letters"
	cmd.Flags().Var(&status, "status", "only dead letters with this status")
	cmd.Flags().Var(&order, "sort", "sort order, descending with a - prefix (default newest first)")
	return cmd
}

// listLetters reads pages until it has limit dead letters. since is set when only runs
// created from then on were sorted.
func listLetters(ctx context.Context, c *client.Client, query client.LetterQuery, limit int) (found []api.DeadLetter, since api.Time, err error) {
	found = []api.DeadLetter{}
	for {
		query.Limit = min(limit-len(found), kit.PageSize)
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

func showLetters(t *kit.Tool, found []api.DeadLetter, status string) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	if len(found) == 0 {
		if status == "all" {
			t.PrintNote("No dead letters found.")
		} else {
			t.PrintNote("No %s dead letters found.", status)
		}
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		d := &found[i]
		spaces[i] = d.Namespace
		rows[i] = []string{
			d.RunID.String(), d.JobKey, kit.StateText(d.State), t.FormatTime(d.PlannedAt), t.FormatTime(d.EndedAt), strconv.Itoa(d.Tries),
			doneAbout(d.LetterStatus), kit.FirstOf(d.Message, d.Reason),
		}
	}
	return t.PrintTableIn(t.Everywhere, spaces, "RUN JOB STATE PLANNED? ENDED TRIES? STATUS? MESSAGE", rows)
}

// doneAbout returns the resolution of a dead letter.
func doneAbout(s api.LetterStatus) string {
	if s.RedrivenRun > 0 {
		return "retried as " + s.RedrivenRun.String()
	}
	return string(s.Status)
}

func newDeadLetterShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a dead letter", Args: cobra.ExactArgs(1), Example: "  orth dead-letter show 1024",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			d, err := c.DeadLetter(ctx, id)
			if err != nil {
				return err
			}
			return showLetter(t, &d)
		}),
	}
}

func showLetter(t *kit.Tool, d *api.DeadLetter) error {
	if t.ForPrograms() {
		return t.Encode(d)
	}
	gone := ""
	if d.JobDeleted {
		gone = ", deleted: the run cannot be retried"
	}
	return t.PrintSheet([][2]string{
		{"Run", d.RunID.String()},
		{"Job", kit.FirstOf(d.JobKey, "#"+strconv.FormatInt(d.JobID, 10)) + gone},
		{"Namespace", d.Namespace},
		{"Group", d.Group},
		{"Outcome", kit.StateText(d.State)},
		{"Reason", d.Reason},
		{"Message", d.Message},
		{"Cause", string(d.Cause)},
		{"Planned", kit.FirstOf(t.FormatTime(d.PlannedAt), "-")},
		{"Ended", t.FormatTime(d.EndedAt)},
		{"Tries", strconv.Itoa(d.Tries)},
		{"Dead letter", t.DescribeLetter(&d.LetterStatus, d.RunID)},
	})
}
