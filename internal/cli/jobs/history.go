package jobs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// NewHistoryCommand returns the command orth job history.
func NewHistoryCommand(t *kit.Tool) *cobra.Command {
	var query client.RevisionQuery
	var show int64
	limit := 20
	cmd := &cobra.Command{
		Use: "history KEY", Short: "List the revisions of a job", Args: cobra.ExactArgs(1),
		Long: "List the revisions of a job, newest first. Every change by a user creates a revision. --show prints one revision in\n" +
			"full, as JSON or with -o yaml as YAML. The newest 100 revisions and those of the last 90 days are kept, at most 1000.\n\n" +
			"The history of a deleted job is available for 30 days, unless another job takes its key.",
		Example: "  orth job history report\n  orth job history report --code\n  orth job history report --show 3 -o yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			if cmd.Flags().Changed("show") && show < 1 {
				return output.Usagef("--show: must be at least 1, got %d", show)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if show > 0 {
				saved, err := c.Revision(cmd.Context(), args[0], show)
				if err != nil {
					return err
				}
				return t.Encode(saved)
			}
			all, more := []api.Revision{}, true
			for more && len(all) < limit {
				query.Limit = min(limit-len(all), kit.PageSize)
				page, err := c.Revisions(cmd.Context(), args[0], query)
				if err != nil {
					return err
				}
				all = append(all, page.Revisions...)
				query.Before, more = page.Next, page.Next != 0
			}
			return showRevisions(t, all, more)
		},
	}
	cmd.Flags().BoolVar(&query.Code, "code", false, "only revisions that change the code")
	cmd.Flags().Int64Var(&show, "show", 0, "show this `revision` in full")
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of revisions")
	return cmd
}

func showRevisions(t *kit.Tool, all []api.Revision, more bool) error {
	if t.ForPrograms() {
		return t.Encode(all)
	}
	if len(all) == 0 {
		t.PrintNote("No revisions found.")
		return nil
	}
	rows := make([][]string, len(all))
	for i := range all {
		r := &all[i]
		rows[i] = []string{strconv.FormatInt(r.Number, 10), t.FormatTime(r.At), kit.AuthorText(r.By), changedText(r), kit.FirstOf(r.Note, "-")}
	}
	if err := t.PrintTable("REVISION TIME AUTHOR CHANGED NOTE", rows); err != nil {
		return err
	}
	if more {
		t.PrintNote("More revisions may exist; raise --limit to list them.")
	}
	return nil
}

// changedText summarizes the changes of a revision.
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

// NewDiffCommand returns the command orth job diff.
func NewDiffCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "diff KEY A [B]", Short: "Show the differences between two revisions of a job", Args: cobra.RangeArgs(2, 3),
		Long:    "Show the differences between two revisions of a job: from A to B, or from the previous revision to A without B.",
		Example: "  orth job diff report 3 7\n  orth job diff report 7",
		RunE: func(cmd *cobra.Command, args []string) error {
			numbers, err := revisionNumbers(args[1:])
			if err != nil {
				return err
			}
			c, err := t.Connect()
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
					return job.Errorf(job.NotFound, "no revision before %d is available: give another one to compare with", numbers[0])
				}
				numbers = []int64{page.Revisions[0].Number, numbers[0]}
			}
			diff, err := c.DiffRevisions(cmd.Context(), args[0], numbers[0], numbers[1])
			if err != nil {
				return err
			}
			return showDiff(t, &diff)
		},
	}
}

// revisionNumbers parses the numbers of revisions.
func revisionNumbers(words []string) ([]int64, error) {
	numbers := make([]int64, len(words))
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return nil, output.Usagef("%q is not a revision; 'orth job history' lists the numbers", word)
		}
		numbers[i] = n
	}
	return numbers, nil
}

func showDiff(t *kit.Tool, d *api.RevisionDiff) error {
	if t.ForPrograms() {
		return t.Encode(d)
	}
	var text strings.Builder
	for _, side := range []struct {
		sign string
		r    *api.Revision
	}{{"---", &d.Before}, {"+++", &d.After}} {
		fmt.Fprintf(&text, "%s revision %d, %s by %s\n", side.sign, side.r.Number, t.FormatTime(side.r.At), kit.AuthorText(side.r.By))
	}
	for _, f := range d.Fields {
		fmt.Fprintf(&text, "%s: %s → %s\n", output.Printable(f.Field), output.Printable(kit.FirstOf(string(f.Before), "(none)")), output.Printable(kit.FirstOf(string(f.After), "(none)")))
	}
	if d.Source != "" {
		text.WriteString("handler.source:\n")
		for line := range strings.Lines(d.Source) {
			text.WriteString(output.Printable(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	if len(d.Fields) == 0 && d.Source == "" {
		text.WriteString("no differences\n")
	}
	_, err := fmt.Fprint(t.Stdout, text.String())
	return err
}

// NewRestoreCommand returns the command orth job restore.
func NewRestoreCommand(t *kit.Tool) *cobra.Command {
	var wanted api.Restoring
	var note string
	cmd := &cobra.Command{
		Use: "rollback KEY REVISION", Short: "Roll back a job to an earlier revision", Args: cobra.ExactArgs(2),
		Long: "Roll back a job to an earlier revision, except for its key and whether it is enabled. The rollback creates a revision of\n" +
			"its own. A deleted job is created again, disabled, with a new id.",
		Example: "  orth job rollback report 3\n  orth job rollback report 3 --note 'the new query was too slow'",
		RunE: func(cmd *cobra.Command, args []string) error {
			numbers, err := revisionNumbers(args[1:])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("if-version") && wanted.Version < 1 {
				return output.Usagef("--if-version: must be at least 1, got %d", wanted.Version)
			}
			wanted.Revision = numbers[0]
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.RestoreJob(client.WithNote(cmd.Context(), note), args[0], wanted)
			if err != nil {
				return err
			}
			return t.PrintResult(j, fmt.Sprintf("job %s rolled back to revision %d, version %d", j.Key, wanted.Revision, j.Version))
		},
	}
	cmd.Flags().Int64Var(&wanted.Version, "if-version", 0, "update the job only if it has this `version` (default any)")
	kit.NoteFlag(cmd, &note)
	return cmd
}
