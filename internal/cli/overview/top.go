package overview

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
)

// NewTopCommand returns the command orth top.
func NewTopCommand(t *kit.Tool) *cobra.Command {
	var q client.SummaryQuery
	follow := false
	cmd := &cobra.Command{
		Use: "top", Short: "Show current activity", Args: cobra.NoArgs,
		Long: `Show current activity of all namespaces or of one, as far as you may read: waiting and running
runs, jobs, executors, open dead letters and alarms, and the runs that ended today and yesterday
in --zone. Current counts stop at 100000.`,
		Example: "  orth top\n  orth top --follow --namespace team --zone Europe/Berlin\n  orth top -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if follow {
				return followSummary(cmd.Context(), t, c, q)
			}
			s, err := c.Summary(cmd.Context(), q)
			if err != nil {
				return err
			}
			return t.Show(s, func() error { return showSummary(t, &s) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Namespace, "namespace", "", "only this `namespace`")
	flags.StringVar(&q.Group, "group", "", "only this `group`")
	flags.StringVar(&q.Zone, "zone", "", "time `zone` of today and yesterday, such as Europe/Berlin (default UTC)")
	flags.BoolVarP(&follow, "follow", "f", false, "update whenever a number changes, until Ctrl-C")
	return cmd
}

// followSummary updates the summary until ctx ends, which is not an error.
func followSummary(ctx context.Context, t *kit.Tool, c *client.Client, q client.SummaryQuery) error {
	w := kit.Watch{Tool: t, Title: "orth top --follow", Every: time.Second}
	w.Begin()
	err := c.FollowSummary(ctx, q, func(s api.Summary) error {
		text, err := w.Look(func() error { return t.Show(s, func() error { return showSummary(t, &s) }) })
		if err != nil {
			return err
		}
		return w.Show(text)
	})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // Ctrl-C is the normal end
	}
	return err
}

// mostCounted is the limit of the counts in a summary.
const mostCounted = 100_000

// figure formats a count, with a plus when it reached the limit.
func figure(n int) string {
	if n >= mostCounted {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}

func showSummary(t *kit.Tool, s *api.Summary) error {
	if err := t.PrintSheet([][2]string{
		{"Runs", figure(s.Runs.Running) + " running, " + figure(s.Runs.Waiting) + " waiting (" +
			figure(s.Runs.Late) + " late, " + figure(s.Runs.Retrying) + " waiting for a retry)"},
		{"Jobs", strconv.Itoa(s.Jobs.Total) + ", " + figure(s.Jobs.Scheduled) + " scheduled, " +
			figure(s.Jobs.Soon) + " within an hour"},
		{"Executors", strconv.Itoa(s.Executors.Alive) + " alive, " + strconv.Itoa(s.Executors.Draining) + " draining, " +
			strconv.Itoa(s.Executors.Unreachable) + " unreachable, " + strconv.Itoa(s.Executors.Silent) + " silent"},
		{"Alarms", figure(s.Open.Alarms) + " firing"},
		{"Dead letters", figure(s.Open.DeadLetters) + " open"},
		{"Counted", t.FormatTime(s.At)},
	}); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(t.Stdout); err != nil {
		return err
	}
	rows := make([][]string, 0, 2)
	for _, day := range []*api.DayStats{&s.Today, &s.Yesterday} {
		rows = append(rows, statsRow(day.Day, &day.Figures, bar(&day.Figures, max(s.Today.Runs, s.Yesterday.Runs))))
	}
	return t.PrintTable("DAY RUNS OK FAILED OTHER SUCCESS MEAN MAX LATE BAR", rows)
}
