package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

func (t *tool) runCommand() *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "run", Aliases: []string{"runs"}, Short: "Manage runs: list, show, follow, cancel and rerun them"},
		t.runListCommand(), t.runShowCommand(), t.runTrialCommand(), t.runLogCommand(), t.runCancelCommand(), t.runRerunCommand(), t.runRetryShardsCommand(), t.sure(t.runCleanCommand(), "Permanently remove runs of job %s?"), t.runBulkCommand(),
	)
}

func (t *tool) runListCommand() *cobra.Command {
	var query client.RunQuery
	var narrow runNarrowing
	limit := 20
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List runs, newest first", Args: cobra.NoArgs,
		Long:    "List runs, newest first. Without --job and --namespace it lists runs of all namespaces.",
		Example: "  orth run list\n  orth run list --job report --state failed,timed-out --since 24h --limit 5",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := narrow.fill(&query, time.Now(), t.Location); err != nil {
				return err
			}
			if err := t.notEverywhere(query.Job); err != nil {
				return err
			}
			query.Namespace = t.space()
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			runs, since, err := listRuns(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			if !since.IsZero() {
				t.printNote("Only runs created since %s were sorted. Use --job, --group or a later --since to sort all.", t.time(since))
			}
			return t.showRuns(runs)
		},
	}
	narrow.addTo(cmd, &query)
	narrow.addSort(cmd)
	t.everySpaceUsual(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of runs")
	return cmd
}

// newState returns the choice of a run state, initially empty.
func newState() choice {
	states := job.States()
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = strings.ReplaceAll(string(s), "_", "-")
	}
	return newChoice("", words...)
}

// listRuns reads pages until it has limit runs. since is set when only runs created from
// then on were sorted.
func listRuns(ctx context.Context, c *client.Client, query client.RunQuery, limit int) (runs []api.Run, since api.Time, err error) {
	if limit < 1 {
		return nil, since, output.Usagef("--limit: must be at least 1, got %d", limit)
	}
	runs = []api.Run{}
	for {
		query.Limit = min(limit-len(runs), pageSize)
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

func (t *tool) showRuns(runs []api.Run) error {
	if t.forPrograms() {
		return t.encode(runs)
	}
	if len(runs) == 0 {
		t.printNote("No runs found.")
		return nil
	}
	rows, spaces := make([][]string, len(runs)), make([]string, len(runs))
	for i, r := range runs {
		spaces[i] = r.Namespace
		rows[i] = []string{
			r.ID.String(), r.JobKey, words(r.State), string(r.Cause), t.time(r.PlannedAt), t.time(r.EndedAt),
			strconv.Itoa(r.Tries), firstOf(r.Message, whyThere(&r)),
		}
	}
	return t.tableIn(t.everywhere, spaces, "ID JOB STATE CAUSE? PLANNED? ENDED TRIES? MESSAGE", rows)
}

// whyThere returns the reason of a run's state. A succeeded run has none: its stored
// reason explains why it waited or was late.
func whyThere(r *api.Run) string {
	if r.State == job.Succeeded {
		return ""
	}
	return r.Reason
}

func (t *tool) runShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a run with its attempts and the reason of its state", Args: cobra.ExactArgs(1),
		Example: "  orth run show 1024",
		RunE: t.aboutRun(func(ctx context.Context, c *client.Client, id api.ID) error {
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
			return t.showRun(run, attempts, shards)
		}),
	}
}

func (t *tool) showRun(r api.Run, attempts []api.Attempt, shards []api.ShardRun) error {
	if t.forPrograms() {
		return t.encode(struct {
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
	err := t.sheet([][2]string{
		{"Run", r.ID.String()},
		{"Job", firstOf(r.JobKey, "#"+strconv.FormatInt(r.JobID, 10))},
		{"State", words(r.State)},
		{"Dead letter", t.dead(r.DeadLetter, r.ID)},
		{"Reason", r.Reason},
		{"Message", r.Message},
		{"Cause", string(r.Cause)},
		{"Triggered by", r.By},
		{origin, parent},
		{"Shard", shardText(r.Shard)},
		{"Shards", shardsText(r.Shards)},
		{"Param", param},
		{"Executors", strings.Join(r.Addresses, "\n")},
		{"Planned", firstOf(t.time(r.PlannedAt), "-")},
		{"Created", t.time(r.CreatedAt)},
		{"Next check", t.time(r.ReadyAt)},
		{"Started", t.time(r.StartedAt)},
		{"Ended", t.time(r.EndedAt)},
		{"Tries", strconv.Itoa(r.Tries)},
	})
	if err != nil || len(attempts) == 0 {
		return err
	}
	if r.Shards != nil {
		return t.showShards(shards)
	}
	rows := make([][]string, len(attempts))
	for i, a := range attempts {
		duration := ""
		if !a.EndedAt.IsZero() {
			duration = took(a.TriggeredAt, a.EndedAt)
		}
		rows[i] = []string{
			strconv.Itoa(a.Number), a.ID.String(), words(a.State), a.Address, t.time(a.TriggeredAt), duration, a.Message,
		}
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	if err := t.table("TRY ATTEMPT? STATE EXECUTOR? TRIGGERED DURATION MESSAGE", rows); err != nil {
		return err
	}
	return t.showEvidence(attempts)
}

// aboutRun returns a command whose only argument is the id of a run.
func (t *tool) aboutRun(do func(ctx context.Context, c *client.Client, id api.ID) error) func(cmd *cobra.Command, args []string) error {
	return func(cmd *cobra.Command, args []string) error {
		id, err := parseID(args[0])
		if err != nil {
			return err
		}
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd.Context(), c, id)
	}
}

// parseID parses the id of a run.
func parseID(text string) (api.ID, error) {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return 0, output.Usagef("ID: %q is not an id of a run; 'orth run list' lists the ids", text)
	}
	return id, nil
}

// words formats a state for people.
func words(s job.State) string { return strings.ReplaceAll(string(s), "_", " ") }
