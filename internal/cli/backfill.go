package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

func (t *tool) backfillCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "backfill", Aliases: []string{"backfills"}, Short: "List, show and cancel backfills; 'orth job backfill' makes one",
		},
		t.backfillListCommand(), t.backfillShowCommand(), t.backfillCancelCommand(),
	)
}

func (t *tool) backfillListCommand() *cobra.Command {
	var query client.BackfillQuery
	limit := 20
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List backfills, the newest first", Args: cobra.NoArgs,
		Long:    "List backfills, the newest first. Without --job they are those of all namespaces, unless --namespace names one.",
		Example: "  orth backfill list\n  orth backfill list --job report\n  orth backfill list --namespace team",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit: %d is not at least 1", limit)
			}
			if err := t.notEverywhere(query.Job); err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			query.Namespace = t.space()
			found, err := listBackfills(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			return t.showBackfills(found)
		},
	}
	t.everySpaceUsual(cmd)
	cmd.Flags().StringVar(&query.Job, "job", "", "only backfills of the job with this `key`")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	return cmd
}

// listBackfills reads pages until there are limit backfills.
func listBackfills(ctx context.Context, c *client.Client, query client.BackfillQuery, limit int) ([]api.Backfill, error) {
	found := []api.Backfill{}
	for {
		query.Limit = min(limit-len(found), pageSize)
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

func (t *tool) showBackfills(found []api.Backfill) error {
	if t.forPrograms() {
		return t.encode(found)
	}
	if len(found) == 0 {
		t.tell("there are no backfills: 'orth job backfill' makes one")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		b := &found[i]
		rows[i] = []string{
			b.ID.String(), b.Namespace, jobName(b), string(b.State), fmt.Sprintf("%d/%d", settled(b), b.Slots), strconv.Itoa(b.Failed),
			t.time(b.First), t.time(b.Last), t.time(b.CreatedAt), b.Reason,
		}
	}
	return t.table("ID NAMESPACE JOB STATE DONE FAILED FIRST LAST CREATED REASON", rows)
}

// jobName returns the key of the job of a backfill, "#id" when the job is gone.
func jobName(b *api.Backfill) string {
	return firstOf(b.JobKey, "#"+strconv.FormatInt(b.JobID, 10))
}

// settled is the number of slots that need nothing more.
func settled(b *api.Backfill) int { return b.Skipped + b.Succeeded + b.Failed }

func (t *tool) backfillShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show how far a backfill is", Args: cobra.ExactArgs(1), Example: "  orth backfill show 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseBackfill(args[0])
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			b, err := c.Backfill(cmd.Context(), id)
			if err != nil {
				return err
			}
			if t.forPrograms() {
				return t.encode(b)
			}
			return t.showBackfill(&b)
		},
	}
}

func (t *tool) showBackfill(b *api.Backfill) error {
	param, skipping := "", ""
	if b.Param != nil {
		param = strconv.Quote(*b.Param)
	}
	if b.SkipSucceeded {
		skipping = "slots that a run has succeeded for"
	}
	return t.sheet([][2]string{
		{"Backfill", b.ID.String()},
		{"Job", jobName(b)},
		{"Namespace", b.Namespace},
		{"State", string(b.State)},
		{"Reason", b.Reason},
		{"From", t.time(b.From)},
		{"To", t.time(b.To)},
		{"Slots", strconv.Itoa(b.Slots)},
		{"First slot", t.time(b.First)},
		{"Last slot", t.time(b.Last)},
		{"Parallel", strconv.Itoa(b.Parallel)},
		{"Spacing", span(b.Spacing)},
		{"Skips", skipping},
		{"Param", param},
		{"Runs made", strconv.Itoa(b.Made)},
		{"Succeeded", strconv.Itoa(b.Succeeded)},
		{"Failed", strconv.Itoa(b.Failed)},
		{"Skipped", strconv.Itoa(b.Skipped)},
		{"Created", t.time(b.CreatedAt)},
		{"Ended", t.time(b.EndedAt)},
	})
}

func (t *tool) backfillCancelCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "End a backfill: what waits is cancelled, what runs goes on", Args: cobra.ExactArgs(1),
		Example: "  orth backfill cancel 12 --reason 'wrong dates'",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseBackfill(args[0])
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			b, err := c.CancelBackfill(cmd.Context(), id, reason)
			if err != nil {
				return err
			}
			return t.done(b, fmt.Sprintf("backfill %s is %s: %s; runs that were sent go on", b.ID, b.State, progress(&b)))
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` that is kept with the backfill")
	return cmd
}

// parseBackfill reads the id of a backfill.
func parseBackfill(text string) (api.ID, error) {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return 0, usagef("ID: %q is no id of a backfill: write its digits, as 'orth backfill list' shows them", text)
	}
	return id, nil
}

// progress says how far a backfill is.
func progress(b *api.Backfill) string {
	parts := []string{fmt.Sprintf("%d of %s done", settled(b), plural.Count(b.Slots, "slot"))}
	for _, part := range [...]struct {
		n    int
		word string
	}{
		{b.Succeeded, "succeeded"}, {b.Failed, "failed"}, {b.Skipped, "passed over"}, {b.Made - b.Succeeded - b.Failed, "under way"},
	} {
		if part.n > 0 && (part.word != "under way" || b.State == job.BackfillRunning) {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ")
}
