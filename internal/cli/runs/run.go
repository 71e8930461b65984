package runs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// NewListCommand returns the command orth run list.
func NewListCommand(t *kit.Tool) *cobra.Command {
	var query client.RunQuery
	var narrow kit.RunNarrowing
	limit := 20
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List runs, newest first", Args: cobra.NoArgs,
		Long:    "List runs, newest first. Without --job and --namespace it lists runs of all namespaces.",
		Example: "  orth run list\n  orth run list --job report --state failed,timed-out --since 24h --limit 5",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := narrow.Fill(&query, time.Now(), t.Location); err != nil {
				return err
			}
			if err := t.RejectEverySpace(query.Job); err != nil {
				return err
			}
			query.Namespace = t.SelectedNamespace()
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			runs, since, err := listRuns(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			if !since.IsZero() {
				t.PrintNote("Only runs created since %s were sorted. Use --job, --group or a later --since to sort all.", t.FormatTime(since))
			}
			return showRuns(t, runs)
		},
	}
	narrow.AddTo(cmd, &query)
	narrow.AddSort(cmd)
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of runs")
	return cmd
}

// listRuns reads pages until it has limit runs. since is set when only runs created from
// then on were sorted.
func listRuns(ctx context.Context, c *client.Client, query client.RunQuery, limit int) (runs []api.Run, since api.Time, err error) {
	if limit < 1 {
		return nil, since, output.Usagef("--limit: must be at least 1, got %d", limit)
	}
	runs = []api.Run{}
	for {
		query.Limit = min(limit-len(runs), kit.PageSize)
		page, err := c.Runs(ctx, query)
		if err != nil {
			return nil, since, err
		}
		runs, since = append(runs, page.Runs...), page.Since
		if page.Next == 0 && page.After == "" || len(runs) >= limit {
			return runs, since, nil
		}
		query.Before, query.After = page.Next, page.After
	}
}

func showRuns(t *kit.Tool, runs []api.Run) error {
	if t.ForPrograms() {
		return t.Encode(runs)
	}
	if len(runs) == 0 {
		t.PrintNote("No runs found.")
		return nil
	}
	rows, spaces := make([][]string, len(runs)), make([]string, len(runs))
	for i, r := range runs {
		spaces[i] = r.Namespace
		rows[i] = []string{
			r.ID.String(), r.JobKey, kit.StateText(r.State), string(r.Cause), t.FormatTime(r.PlannedAt), t.FormatTime(r.EndedAt),
			strconv.Itoa(r.Tries), kit.FirstOf(r.Message, whyThere(&r)),
		}
	}
	return t.PrintTableIn(t.Everywhere, spaces, "ID JOB STATE CAUSE? PLANNED? ENDED TRIES? MESSAGE", rows)
}

// whyThere returns the reason of a run's state. A succeeded run has none: its stored
// reason explains why it waited or was late.
func whyThere(r *api.Run) string {
	if r.State == job.Succeeded {
		return ""
	}
	return r.Reason
}

// NewShowCommand returns the command orth run show.
func NewShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a run with its attempts and the reason of its state", Args: cobra.ExactArgs(1),
		Example: "  orth run show 1024",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			run, err := c.Run(ctx, id)
			if err != nil {
				return err
			}
			attempts, err := c.Attempts(ctx, id)
			if err != nil {
				return err
			}
			var shards []api.ShardRun
			if run.Shards != nil {
				if shards, err = c.Shards(ctx, id); err != nil {
					return err
				}
			}
			return showRun(t, run, attempts, shards)
		}),
	}
}

func showRun(t *kit.Tool, r api.Run, attempts []api.Attempt, shards []api.ShardRun) error {
	if t.ForPrograms() {
		return t.Encode(struct {
			api.Run
			Attempts  []api.Attempt  `json:"attempts"`
			ShardRuns []api.ShardRun `json:"shard_runs,omitempty"`
		}{r, attempts, shards})
	}
	param, parent, origin := "", "", "Parent run"
	if r.Param != nil {
		param = strconv.Quote(*r.Param)
	}
	if r.CauseID > 0 {
		parent = r.CauseID.String()
	}
	if r.Cause == job.CauseBackfill {
		origin = "Backfill"
	}
	if r.Cause == job.CauseRedrive {
		origin = "Retry of dead letter"
	}
	if r.Cause == job.CauseShard {
		origin = "Shard of"
	}
	if r.Cause == job.CauseRetry {
		origin = "Retry of"
	}
	err := t.PrintSheet([][2]string{
		{"Run", r.ID.String()},
		{"Job", kit.FirstOf(r.JobKey, "#"+strconv.FormatInt(r.JobID, 10))},
		{"State", kit.StateText(r.State)},
		{"Dead letter", t.DescribeLetter(r.DeadLetter, r.ID)},
		{"Reason", r.Reason},
		{"Message", r.Message},
		{"Cause", string(r.Cause)},
		{"Triggered by", r.By},
		{origin, parent},
		{"Shard", shardText(r.Shard)},
		{"Shards", shardsText(r.Shards)},
		{"Param", param},
		{"Executors", strings.Join(r.Addresses, "\n")},
		{"Planned", kit.FirstOf(t.FormatTime(r.PlannedAt), "-")},
		{"Created", t.FormatTime(r.CreatedAt)},
		{"Next check", t.FormatTime(r.ReadyAt)},
		{"Started", t.FormatTime(r.StartedAt)},
		{"Ended", t.FormatTime(r.EndedAt)},
		{"Tries", strconv.Itoa(r.Tries)},
	})
	if err != nil || len(attempts) == 0 {
		return err
	}
	if r.Shards != nil {
		return showShards(t, shards)
	}
	rows := make([][]string, len(attempts))
	for i, a := range attempts {
		duration := ""
		if !a.EndedAt.IsZero() {
			duration = kit.FormatElapsed(a.TriggeredAt, a.EndedAt)
		}
		rows[i] = []string{
			strconv.Itoa(a.Number), a.ID.String(), kit.StateText(a.State), a.Address, t.FormatTime(a.TriggeredAt), duration, a.Message,
		}
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	if err := t.PrintTable("TRY ATTEMPT? STATE EXECUTOR? TRIGGERED DURATION MESSAGE", rows); err != nil {
		return err
	}
	return showEvidence(t, attempts)
}
