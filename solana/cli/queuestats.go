package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/solana/control"
)

func (t *tool) queueStatsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Show the node's state, and what it has done", Args: cobra.NoArgs,
		Example: "  orth-solana queue stats\n  orth-solana queue stats -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				stats, err := c.Stats(cmd.Context())
				if err != nil {
					return err
				}
				return t.printResult(stats, func(p *output.Printer) error { return p.Sheet(t.statsSheet(&stats)) })
			})
		},
	}
}

// statsSheet is how a node stands, as people read it.
func (t *tool) statsSheet(s *control.Stats) [][2]string {
	running := "stopped"
	if s.About.Running {
		running = "running since " + t.formatTime(s.About.Started.Time)
	}
	pairs := [][2]string{
		{"Node", running},
		{"Executor", s.About.Executor},
		{"Program", s.About.Profile},
		{"Submits by", s.About.Submit},
		{"Scheduled", strconv.Itoa(s.Ledger.Scheduled)},
		{"Processing", strconv.Itoa(s.Ledger.Processing)},
		{"Dead", strconv.Itoa(s.Ledger.Dead)},
		{"Finished", strconv.Itoa(s.Ledger.Finished) + " are remembered"},
		{"Set aside", unlessZero(s.Ledger.Damaged)},
		{"Newer records", unlessZero(s.Ledger.Unknown)},
		{"Evicted", unlessZero(s.Ledger.Evicted)},
		{"Files", filesText(s.Files)},
		{"Profit", fmt.Sprintf("%s of %s", signed(s.Profit.Net), plural.Count(int(s.Profit.Executions), "execution"))},
	}
	if w := s.Work; w != nil {
		if w.Trouble != nil {
			pairs = append(pairs, [2]string{"Trouble", fmt.Sprintf("%s, since %s: it has %s and needs %s", w.Trouble.Reason, t.formatTime(w.Trouble.Since.Time), lamports(w.Trouble.Balance), lamports(w.Trouble.Needed))})
		}
		pairs = append(
			pairs, [2]string{"Chain", fmt.Sprintf("slot %d, epoch %d, %s", w.Slot, w.Epoch, t.formatTime(w.ChainTime.Time))},
			[2]string{"Now", fmt.Sprintf("%d ready, %d in work, %d on their way; waiting: %s", w.Ready, w.Working, w.InFlight, countsText(w.Waiting))},
			[2]string{"Ended", countsText(w.Outcomes)}, [2]string{"Failed tries", countsText(w.Failures)},
			[2]string{"Transactions", fmt.Sprintf("%d sent, %d sent again, %d expired", w.Sent, w.Resent, w.Expired)},
			[2]string{"Due to wire", timesText(w.ToWire)}, [2]string{"To confirmation", timesText(w.ToConfirm)}, [2]string{"In all", timesText(w.ToSettle)},
		)
	}
	for _, n := range s.Nodes {
		latency := "not asked yet"
		if n.Latency > 0 {
			latency = time.Duration(n.Latency).Round(100 * time.Microsecond).String()
		}
		pairs = append(pairs, [2]string{"Node " + n.Name, fmt.Sprintf("%s, %s, %s", n.Role, n.State, latency)})
	}
	return pairs
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// countsText lists counts with their names, in the order of the names.
func countsText[N int | uint64](counts map[string]N) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], strings.ReplaceAll(name, "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func filesText(sizes map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, name+" "+humanize.IBytes(uint64(max(sizes[name], 0))))
	}
	return strings.Join(parts, ", ")
}

func timesText(q control.Times) string {
	if q.Count == 0 {
		return "not known yet"
	}
	short := func(d api.Duration) time.Duration { return time.Duration(d).Round(100 * time.Microsecond) }
	return fmt.Sprintf("p50 %v, p90 %v, p99 %v, max %v (of %d)", short(q.P50), short(q.P90), short(q.P99), short(q.Max), q.Count)
}

func (t *tool) queueRetryCommand() *cobra.Command {
	var wanted control.Retry
	var initial, most time.Duration
	cmd := &cobra.Command{
		Use: "retry", Short: "Show or change how what failed is tried again", Args: cobra.NoArgs,
		Long: "Show how what failed is tried again, or change what is named, for all that fails from then on. It is kept in the ledger.\n\n" +
			"The delay before a retry is initial × multiplier ^ retries, up to max, and up to jitter of that longer.",
		Example: "  orth-solana queue retry\n  orth-solana queue retry --max-retries 8 --initial 500ms",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				retry, err := c.Retry(cmd.Context())
				if err != nil {
					return err
				}
				flags, changed := cmd.Flags(), false
				for name, set := range map[string]func(){
					"max-retries": func() { retry.MaxRetries = wanted.MaxRetries },
					"initial":     func() { retry.Initial = api.Duration(initial) },
					"max":         func() { retry.Max = api.Duration(most) },
					"multiplier":  func() { retry.Multiplier = wanted.Multiplier },
					"jitter":      func() { retry.Jitter = wanted.Jitter },
				} {
					if flags.Changed(name) {
						set()
						changed = true
					}
				}
				if changed {
					if retry, err = t.setRetry(cmd.Context(), c, retry); err != nil {
						return err
					}
				}
				return t.printResult(retry, func(p *output.Printer) error {
					return p.Sheet([][2]string{
						{"Most retries", strconv.Itoa(retry.MaxRetries)},
						{"First delay", retry.Initial.String()},
						{"Longest delay", retry.Max.String()},
						{"Multiplier", strconv.FormatFloat(retry.Multiplier, 'g', -1, 64)},
						{"Jitter", strconv.FormatFloat(retry.Jitter, 'g', -1, 64)},
					})
				})
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&wanted.MaxRetries, "max-retries", 5, "how often it is tried again, 0 to 100")
	f.DurationVar(&initial, "initial", time.Second, "delay before the first retry")
	f.DurationVar(&most, "max", 5*time.Minute, "longest delay, up to 24h")
	f.Float64Var(&wanted.Multiplier, "multiplier", 2, "by how much each delay is longer than the one before, 1 to 10")
	f.Float64Var(&wanted.Jitter, "jitter", 0.1, "up to which part of itself a delay is made longer, 0 to 1")
	return cmd
}

// retryFlags are the flags of what the ledger calls otherwise.
var retryFlags = map[string]string{ //nolint:gochecknoglobals // It is a table.
	"max_retries": "--max-retries", "initial_delay": "--initial", "max_delay": "--max", "backoff_multiplier": "--multiplier", "jitter_factor": "--jitter",
}

// setRetry changes the retries. A value that is out of its bounds is a mistake in the command line.
func (t *tool) setRetry(ctx context.Context, c *control.Client, r control.Retry) (control.Retry, error) {
	if err := r.Ledger().Check(); err != nil {
		message, _ := explain(err)
		field, rest, _ := strings.Cut(message, ": ")
		return r, usagef("%s: %s", retryFlags[field], rest)
	}
	return c.SetRetry(ctx, r)
}
