package backfills

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// NewCommand returns the command orth backfill.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "backfill", Aliases: []string{"backfills"}, Short: "List, show and cancel backfills; 'orth job backfill' creates one",
		},
		newListCommand(t), newShowCommand(t), newCancelCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	var query client.BackfillQuery
	limit := 20
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List backfills, newest first", Args: cobra.NoArgs,
		Long:    "List backfills, newest first. Without --job and --namespace it lists all namespaces.",
		Example: "  orth backfill list\n  orth backfill list --job report\n  orth backfill list --namespace team",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			if err := t.RejectEverySpace(query.Job); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			query.Namespace = t.SelectedNamespace()
			found, err := listBackfills(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			return showBackfills(t, found)
		},
	}
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().StringVar(&query.Job, "job", "", "only backfills of the job with this `key`")
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of backfills")
	return cmd
}

// listBackfills reads pages until it has limit backfills.
func listBackfills(ctx context.Context, c *client.Client, query client.BackfillQuery, limit int) ([]api.Backfill, error) {
	found := []api.Backfill{}
	for {
		query.Limit = min(limit-len(found), kit.PageSize)
		page, err := c.Backfills(ctx, query)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Backfills...)
		if page.Next == 0 || len(found) >= limit {
			return found, nil
		}
		query.Before = page.Next
	}
}

func showBackfills(t *kit.Tool, found []api.Backfill) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	if len(found) == 0 {
		t.PrintNote("No backfills found. Create one with 'orth job backfill'.")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		b := &found[i]
		rows[i] = []string{
			b.ID.String(), b.Namespace, jobName(b), string(b.State), fmt.Sprintf("%d/%d", settled(b), b.Slots), strconv.Itoa(b.Failed),
			t.FormatTime(b.First), t.FormatTime(b.Last), t.FormatTime(b.CreatedAt), b.Reason,
		}
	}
	return t.PrintTable("ID NAMESPACE JOB STATE DONE FAILED FIRST LAST CREATED REASON", rows)
}

// jobName returns the key of the job of a backfill, "#id" when the job was deleted.
func jobName(b *api.Backfill) string {
	return kit.FirstOf(b.JobKey, "#"+strconv.FormatInt(b.JobID, 10))
}

// settled returns the number of slots that are complete.
func settled(b *api.Backfill) int { return b.Skipped + b.Succeeded + b.Failed }

func newShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show the progress of a backfill", Args: cobra.ExactArgs(1), Example: "  orth backfill show 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseBackfill(args[0])
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			b, err := c.Backfill(cmd.Context(), id)
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(b)
			}
			return showBackfill(t, &b)
		},
	}
}

func showBackfill(t *kit.Tool, b *api.Backfill) error {
	param, skipping := "", ""
	if b.Param != nil {
		param = strconv.Quote(*b.Param)
	}
	if b.SkipSucceeded {
		skipping = "slots with a successful run"
	}
	return t.PrintSheet([][2]string{
		{"Backfill", b.ID.String()},
		{"Job", jobName(b)},
		{"Namespace", b.Namespace},
		{"State", string(b.State)},
		{"Reason", b.Reason},
		{"From", t.FormatTime(b.From)},
		{"To", t.FormatTime(b.To)},
		{"Slots", strconv.Itoa(b.Slots)},
		{"First slot", t.FormatTime(b.First)},
		{"Last slot", t.FormatTime(b.Last)},
		{"Parallel", strconv.Itoa(b.Parallel)},
		{"Spacing", kit.Span(b.Spacing)},
		{"Skips", skipping},
		{"Param", param},
		{"Runs created", strconv.Itoa(b.Made)},
		{"Succeeded", strconv.Itoa(b.Succeeded)},
		{"Failed", strconv.Itoa(b.Failed)},
		{"Skipped", strconv.Itoa(b.Skipped)},
		{"Created", t.FormatTime(b.CreatedAt)},
		{"Ended", t.FormatTime(b.EndedAt)},
	})
}

func newCancelCommand(t *kit.Tool) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "Cancel a backfill and its waiting runs; running ones continue", Args: cobra.ExactArgs(1),
		Example: "  orth backfill cancel 12 --reason 'wrong dates'",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseBackfill(args[0])
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			b, err := c.CancelBackfill(cmd.Context(), id, reason)
			if err != nil {
				return err
			}
			return t.PrintResult(b, fmt.Sprintf("backfill %s is %s: %s; dispatched runs continue", b.ID, b.State, progress(&b)))
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to store with the backfill")
	return cmd
}

// parseBackfill parses the id of a backfill.
func parseBackfill(text string) (api.ID, error) {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return 0, output.Usagef("ID: %q is not an id of a backfill; 'orth backfill list' lists the ids", text)
	}
	return id, nil
}

// progress summarizes the progress of a backfill.
func progress(b *api.Backfill) string {
	parts := []string{fmt.Sprintf("%d of %s done", settled(b), plural.Count(b.Slots, "slot"))}
	for _, part := range [...]struct {
		n    int
		word string
	}{
		{b.Succeeded, "succeeded"}, {b.Failed, "failed"}, {b.Skipped, "skipped"}, {b.Made - b.Succeeded - b.Failed, "running"},
	} {
		if part.n > 0 && (part.word != "running" || b.State == job.BackfillRunning) {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ")
}
