package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (t *tool) runRetryShardsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "retry-shards ID", Short: "Do the shards of a run again that failed", Args: cobra.ExactArgs(1),
		Long: "Do the shards of a run again that failed, as a new run of the same job: each with the index and the\n" +
			"total that it had, and none of those that succeeded. The run must be over, and the job's overlap have\n" +
			"room for the new one: while as many runs of the job are under way as may be, it is refused.",
		Example: "  orth run retry-shards 1024",
		RunE: t.aboutRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			run, err := c.RetryShards(ctx, id)
			if err != nil {
				return err
			}
			return t.done(run, fmt.Sprintf("run %s %s: see it with %s", run.ID, run.Reason, t.command("run", "show", run.ID.String())))
		}),
	}
}

// shardText says which part of a broadcast a run is, "" for none.
func shardText(s *api.Shard) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d, the first is 0", s.Index, s.Total)
}

// shardsText says how far the shards of a run are, "" when it was not split.
func shardsText(s *api.Shards) string {
	if s == nil {
		return ""
	}
	text := strconv.Itoa(s.Count)
	if s.Count != s.Total {
		text = fmt.Sprintf("%d of %d", s.Count, s.Total)
	}
	text += fmt.Sprintf(": %d open, %d failed", s.Open, s.Failed)
	if s.Cancel != "" && s.Open > 0 {
		text += "; they are being ended: " + s.Cancel
	}
	return text
}

// shardsOf says how many shards the runs of a job are split into, "" when they are
// not.
func shardsOf(j api.Job) string {
	switch {
	case j.Route != job.RouteBroadcast:
		return ""
	case j.Shards == 0:
		return "one for each executor"
	}
	return strconv.Itoa(j.Shards)
}

// showShards shows the shards of a run, one a line.
func (t *tool) showShards(shards []api.ShardRun) error {
	rows := make([][]string, len(shards))
	for i, r := range shards {
		index, duration := "", ""
		if r.Shard != nil {
			index = strconv.Itoa(r.Shard.Index)
		}
		if !r.EndedAt.IsZero() {
			duration = took(r.CreatedAt, r.EndedAt)
		}
		rows[i] = []string{
			index, r.ID.String(), words(r.State), strconv.Itoa(r.Tries), r.Address, duration, firstOf(r.Message, r.Reason),
		}
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	return t.table("SHARD RUN STATE TRIES? EXECUTOR? TOOK MESSAGE", rows)
}
