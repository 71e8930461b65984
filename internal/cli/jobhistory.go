package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (t *tool) jobHistoryCommand() *cobra.Command {
	var query client.RevisionQuery
	var show int64
	limit := 20
	cmd := &cobra.Command{
		Use: "history KEY", Short: "List what a job was: who changed what, and when", Args: cobra.ExactArgs(1),
		Long: "List the revisions of a job, the newest first: each change by a user makes one. With --show one of them is shown whole,\n" +
			"as JSON or, with -o yaml, as YAML. The newest 100 are kept, and those of the last 90 days, at most 1000.\n\n" +
			"The history of a job that was deleted is there for 30 days, until another job has its key.",
		Example: "  orth job history report\n  orth job history report --code\n  orth job history report --show 3 -o yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usagef("--limit: %d is not at least 1", limit)
			}
			if cmd.Flags().Changed("show") && show < 1 {
				return usagef("--show: %d is no revision: they count from 1", show)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if show > 0 {
				saved, err := c.Revision(cmd.Context(), args[0], show)
				if err != nil {
					return err
				}
				return t.encode(saved)
			}
			all, more := []api.Revision{}, true
			for more && len(all) < limit {
				query.Limit = min(limit-len(all), pageSize)
				page, err := c.Revisions(cmd.Context(), args[0], query)
				if err != nil {
					return err
				}
				all = append(all, page.Revisions...)
				query.Before, more = page.Next, page.Next != 0
			}
			return t.showRevisions(all, more)
		},
	}
	cmd.Flags().BoolVar(&query.Code, "code", false, "only those whose code is another one than before")
	cmd.Flags().Int64Var(&show, "show", 0, "show this `revision` whole")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	return cmd
}

func (t *tool) showRevisions(all []api.Revision, more bool) error {
	if t.forPrograms() {
		return t.encode(all)
	}
	if len(all) == 0 {
		t.tell("there are no revisions: a job that is older than they are gets its first ones when it is changed")
		return nil
	}
	rows := make([][]string, len(all))
	for i := range all {
		r := &all[i]
		rows[i] = []string{strconv.FormatInt(r.Number, 10), t.time(r.At), authorText(r.By), changedText(r), firstOf(r.Note, "-")}
	}
	if err := t.table("REVISION AT BY CHANGED NOTE", rows); err != nil {
		return err
	}
	if more {
		t.tell("there may be more: raise --limit")
	}
	return nil
}

// authorText returns who somebody is.
func authorText(a api.Author) string {
	switch {
	case a.Name == "":
		return a.Kind
	case a.Kind == "group":
		return "group " + a.Name
	}
	return a.Name
}

// changedText says what a revision changed.
func changedText(r *api.Revision) string {
	switch {
	case r.Deleted:
		return "deleted"
	case len(r.Changed) > 0:
		return strings.Join(r.Changed, ", ")
	case r.Code:
		return "all"
	}
	return "-"
}

// noteFlag adds the flag with which a change of a job says something.
func noteFlag(cmd *cobra.Command, note *string) {
	cmd.Flags().StringVar(note, "note", "", "`text` about the change, kept with the revision: one line, at most "+strconv.Itoa(job.MaxNote)+" characters")
}

func (t *tool) jobDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "diff KEY A [B]", Short: "Show what two revisions of a job differ in", Args: cobra.RangeArgs(2, 3),
		Long:    "Show what two revisions of a job differ in: B from A, or A from the one before it when B is left out.",
		Example: "  orth job diff report 3 7\n  orth job diff report 7",
		RunE: func(cmd *cobra.Command, args []string) error {
			numbers, err := revisionNumbers(args[1:])
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if len(numbers) == 1 {
				page, err := c.Revisions(cmd.Context(), args[0], client.RevisionQuery{Before: numbers[0], Limit: 1})
				if err != nil {
					return err
				}
				if len(page.Revisions) == 0 {
					return job.Errorf(job.NotFound, "no revision before %d is kept: name another one to compare it with", numbers[0])
				}
				numbers = []int64{page.Revisions[0].Number, numbers[0]}
			}
			diff, err := c.DiffRevisions(cmd.Context(), args[0], numbers[0], numbers[1])
			if err != nil {
				return err
			}
			return t.showDiff(&diff)
		},
	}
}

// revisionNumbers reads the numbers of revisions.
func revisionNumbers(words []string) ([]int64, error) {
	numbers := make([]int64, len(words))
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return nil, usagef("%q is no revision: write its number, as 'orth job history' shows it", word)
		}
		numbers[i] = n
	}
	return numbers, nil
}

func (t *tool) showDiff(d *api.RevisionDiff) error {
	if t.forPrograms() {
		return t.encode(d)
	}
	var text strings.Builder
	for _, side := range []struct {
		sign string
		r    *api.Revision
	}{{"---", &d.Before}, {"+++", &d.After}} {
		fmt.Fprintf(&text, "%s revision %d, %s by %s\n", side.sign, side.r.Number, t.time(side.r.At), authorText(side.r.By))
	}
	for _, f := range d.Fields {
		fmt.Fprintf(&text, "%s: %s → %s\n", printable(f.Field), printable(firstOf(string(f.Before), "(none)")), printable(firstOf(string(f.After), "(none)")))
	}
	if d.Source != "" {
		text.WriteString("handler.source:\n")
		for line := range strings.Lines(d.Source) {
			text.WriteString(printable(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	if len(d.Fields) == 0 && d.Source == "" {
		text.WriteString("nothing differs\n")
	}
	_, err := fmt.Fprint(t.Stdout, text.String())
	return err
}

func (t *tool) jobRestoreCommand() *cobra.Command {
	var wanted api.Restoring
	var note string
	cmd := &cobra.Command{
		Use: "restore KEY REVISION", Short: "Make a job what it was", Args: cobra.ExactArgs(2),
		Long: "Make a job what it was, but for its key and whether it is started. That is a change like any other, and makes a revision\n" +
			"of its own. A job that was deleted is created anew, stopped, with another id.",
		Example: "  orth job restore report 3\n  orth job restore report 3 --note 'the new query was too slow'",
		RunE: func(cmd *cobra.Command, args []string) error {
			numbers, err := revisionNumbers(args[1:])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("if-version") && wanted.Version < 1 {
				return usagef("--if-version: %d is not a version: they count from 1", wanted.Version)
			}
			wanted.Revision = numbers[0]
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.RestoreJob(client.WithNote(cmd.Context(), note), args[0], wanted)
			if err != nil {
				return err
			}
			return t.done(j, fmt.Sprintf("job %s is as it was in revision %d: it has version %d", j.Key, wanted.Revision, j.Version))
		},
	}
	cmd.Flags().Int64Var(&wanted.Version, "if-version", 0, "change the job only if it has this `version` (default any)")
	noteFlag(cmd, &note)
	return cmd
}
