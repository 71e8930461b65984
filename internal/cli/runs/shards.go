package runs

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
)

// NewRetryShardsCommand returns the command orth run retry shards.
func NewRetryShardsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "retry-shards ID", Short: "Retry the failed shards of a run", Args: cobra.ExactArgs(1),
		Long: "Retry the failed shards of a run as a new run of the same job: each shard keeps its index and total, and succeeded\n" +
			"shards are not repeated. The run must be finished, and the overlap policy of the job must have capacity for the new\n" +
			"run; otherwise it is rejected.",
		Example: "  orth run retry-shards 1024",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			run, err := c.RetryShards(ctx, id)
			if err != nil {
				return err
			}
			return t.PrintResult(run, fmt.Sprintf("run %s %s: see it with %s", run.ID, run.Reason, t.CommandLine("run", "show", run.ID.String())))
		}),
	}
}

// shardText describes the shard of a run, "" for none.
func shardText(s *api.Shard) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d (first is 0)", s.Index, s.Total)
}

// shardsText summarizes the shards of a run, "" when it has none.
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
		text += "; stopping: " + s.Cancel
	}
	return text
}

// showShards prints the shards of a run, one per line.
func showShards(t *kit.Tool, shards []api.ShardRun) error {
	rows := make([][]string, len(shards))
	for i, r := range shards {
		index, duration := "", ""
		if r.Shard != nil {
			index = strconv.Itoa(r.Shard.Index)
		}
		if !r.EndedAt.IsZero() {
			duration = kit.FormatElapsed(r.CreatedAt, r.EndedAt)
		}
		rows[i] = []string{
			index, r.ID.String(), kit.StateText(r.State), strconv.Itoa(r.Tries), r.Address, duration, kit.FirstOf(r.Message, r.Reason),
		}
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	return t.PrintTable("SHARD RUN STATE TRIES? EXECUTOR? DURATION MESSAGE", rows)
}

// showEvidence prints contradicting reports that arrived after the outcome of an attempt
// was recorded. Most runs have none.
func showEvidence(t *kit.Tool, attempts []api.Attempt) error {
	var rows [][]string
	for _, a := range attempts {
		for _, e := range a.Evidence {
			rows = append(rows, []string{strconv.Itoa(a.Number), kit.StateText(e.State), t.FormatTime(e.At), e.Note, e.Message})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(t.Stdout, "\nLate reports (ignored):"); err != nil {
		return err
	}
	return t.PrintTable("TRY STATE RECEIVED NOTE MESSAGE", rows)
}
