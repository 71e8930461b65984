package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

func (t *tool) topCommand() *cobra.Command {
	var q client.SummaryQuery
	follow := false
	cmd := &cobra.Command{
		Use: "top", Short: "Show what goes on, within what you see", Args: cobra.NoArgs,
		Long: `Show what goes on in all namespaces, or in one, within what you see: runs that wait and
run, jobs, executors, what waits for people, and what ended today and yesterday in --zone.
Figures of the moment are counted to 100000.`,
		Example: "  orth top\n  orth top --follow --namespace team --zone Europe/Berlin\n  orth top -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if follow {
				return t.followSummary(cmd.Context(), c, q)
			}
			s, err := c.Summary(cmd.Context(), q)
			if err != nil {
				return err
			}
			return t.show(s, func() error { return t.showSummary(&s) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Namespace, "namespace", "", "only figures of this `namespace`")
	flags.StringVar(&q.Group, "group", "", "only figures of this `group`")
	flags.StringVar(&q.Zone, "zone", "", "the time `zone` of today and yesterday, such as Europe/Berlin (default UTC)")
	flags.BoolVarP(&follow, "follow", "f", false, "show it again whenever a figure has changed, until ctrl-c: the server tells")
	return cmd
}

// followSummary shows what goes on until ctx ends, which is no error.
func (t *tool) followSummary(ctx context.Context, c *client.Client, q client.SummaryQuery) error {
	w := watch{tool: t, title: "orth top --follow", every: time.Second}
	w.begin()
	err := c.FollowSummary(ctx, q, func(s api.Summary) error {
		text, err := w.look(func() error { return t.show(s, func() error { return t.showSummary(&s) }) })
		if err != nil {
			return err
		}
		return w.show(text)
	})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // Ctrl-c is how it ends.
	}
	return err
}

// mostCounted is how far a server counts the figures of a summary.
const mostCounted = 100_000

// figure shows a number of a summary: one that was not counted to its end with a plus.
func figure(n int) string {
	if n >= mostCounted {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}

func (t *tool) showSummary(s *api.Summary) error {
	if err := t.sheet([][2]string{
		{"Runs", figure(s.Runs.Running) + " running, " + figure(s.Runs.Waiting) + " waiting, of which " +
			figure(s.Runs.Late) + " are late and " + figure(s.Runs.Retrying) + " wait for their next attempt"},
		{"Jobs", strconv.Itoa(s.Jobs.Total) + ", of which " + figure(s.Jobs.Scheduled) + " have a next firing, " +
			figure(s.Jobs.Soon) + " within an hour"},
		{"Executors", strconv.Itoa(s.Executors.Alive) + " alive, " + strconv.Itoa(s.Executors.Draining) + " draining, " +
			strconv.Itoa(s.Executors.Unreachable) + " unreachable, " + strconv.Itoa(s.Executors.Silent) + " silent"},
		{"Alarms", figure(s.Open.Alarms) + " firing"},
		{"Dead letters", figure(s.Open.DeadLetters) + " open"},
		{"Counted", t.time(s.At)},
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
	return t.table("DAY RUNS OK FAILED OTHER SUCCESS MEAN MAX LATE BAR", rows)
}
