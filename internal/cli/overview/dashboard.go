package overview

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

// NewDashboardCommand returns the command orth dashboard.
func NewDashboardCommand(t *kit.Tool) *cobra.Command {
	var q client.DashboardQuery
	span := kit.NewChoice("24h", "1h", "24h", "7d", "30d", "today", "yesterday", "this_week", "last_week", "this_month", "last_month")
	cmd := &cobra.Command{
		Use: "dashboard", Short: "Show an overview of recent runs and upcoming firings", Args: cobra.NoArgs,
		Long: `Show an overview of the last hour, day, week or month: runs by outcome, attempt durations and
lag, the jobs with most failures, the backlog, and the next firings: the first 10 of the hour,
or the first 50 with -o wide. Buckets of a week and a month follow the days of --zone.
Duration percentiles are estimates. The data covers the objects that you may read.`,
		Example: "  orth dashboard\n  orth dashboard --range 7d --zone Europe/Berlin\n  orth dashboard --group reports -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Range = span.Value
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			d, err := c.Dashboard(cmd.Context(), q)
			if err != nil {
				return err
			}
			return t.Show(d, func() error { return showDashboard(t, &d) })
		},
	}
	flags := cmd.Flags()
	flags.Var(&span, "range", "time range")
	flags.StringVar(&q.Zone, "zone", "", "time `zone` of the days, such as Europe/Berlin (default UTC)")
	flags.StringVarP(&q.Namespace, "namespace", "n", "", "only this `namespace`")
	flags.StringVar(&q.Group, "group", "", "only this `group`")
	return cmd
}

func showDashboard(t *kit.Tool, d *api.Dashboard) error {
	rate := "-"
	if r := d.Total.SuccessRate; r != nil {
		rate = percent(*r)
	}
	if err := t.PrintSheet([][2]string{
		{"Runs", fmt.Sprintf("%d: %d succeeded, %d failed, %d timed out, %d lost, %d cancelled, %d skipped", d.Total.Runs, d.Total.Succeeded,
			d.Total.Failed, d.Total.TimedOut, d.Total.Lost, d.Total.Cancelled, d.Total.Skipped)},
		{"Success", rate},
		{"Duration", fmt.Sprintf("p50 %s, p95 %s, max %s", d.Total.TookP50, d.Total.TookP95, d.Total.MaxTook)},
		{"Lag", fmt.Sprintf("p50 %s, p99 %s, max %s, %s within the hour", d.Lag.P50, d.Lag.P99, d.Lag.Max, plural.Count(d.Lag.Attempts, "attempt"))},
		{"Executors", fmt.Sprintf("%d alive, %d draining, %d unreachable, %d not responding", d.Executors.Alive, d.Executors.Draining,
			d.Executors.Unreachable, d.Executors.Silent)},
		{"Counted", t.FormatTime(d.At)},
	}); err != nil {
		return err
	}
	for _, part := range []struct {
		title, head string
		rows        [][]string
	}{
		{"", "FROM RUNS OK FAILED OTHER SUCCESS P50 P95 BAR", bucketRows(d)},
		{"Jobs with most failures:\n", "NAMESPACE GROUP JOB RUNS LAST AT? REASON", failingRows(t, d)},
		{"Backlog:\n", "NAMESPACE GROUP WAITING SINCE", backlogRows(t, d)},
		{"Next firings:\n", "AT NAMESPACE GROUP JOB", firingRows(t, d)},
	} {
		if len(part.rows) == 0 {
			continue
		}
		if _, err := fmt.Fprint(t.Stdout, "\n"+part.title); err != nil {
			return err
		}
		if err := t.PrintTable(part.head, part.rows); err != nil {
			return err
		}
	}
	return nil
}

// bucketRows returns the buckets that have finished runs.
func bucketRows(d *api.Dashboard) (rows [][]string) {
	var most int64
	for i := range d.Buckets {
		most = max(most, d.Buckets[i].Runs)
	}
	zone, err := time.LoadLocation(d.Zone)
	if err != nil {
		zone = time.UTC
	}
	for i := range d.Buckets {
		b := &d.Buckets[i]
		if b.Runs+b.Attempts == 0 {
			continue
		}
		row := statsRow(b.From.In(zone).Format("01-02 15:04"), &b.Figures, bar(&b.Figures, most))
		rows = append(rows, append(append(row[:6:6], b.TookP50.String(), b.TookP95.String()), row[len(row)-1]))
	}
	return rows
}

func failingRows(t *kit.Tool, d *api.Dashboard) (rows [][]string) {
	for i := range d.Failing {
		f := &d.Failing[i]
		rows = append(rows, []string{f.Namespace, f.Group, f.JobKey, strconv.Itoa(f.Runs), f.LastRunID.String(), t.FormatTime(f.LastAt), f.Reason})
	}
	return rows
}

func backlogRows(t *kit.Tool, d *api.Dashboard) (rows [][]string) {
	for _, b := range d.Backlog {
		rows = append(rows, []string{b.Namespace, b.Group, figure(b.Waiting), t.FormatTime(b.OldestAt)})
	}
	return rows
}

// fewFirings is the number of printed firings without -o wide.
const fewFirings = 10

func firingRows(t *kit.Tool, d *api.Dashboard) (rows [][]string) {
	for i, f := range d.Firings {
		if i == fewFirings && t.Output.Value != output.Wide {
			break
		}
		rows = append(rows, []string{t.FormatTime(f.At), f.Namespace, f.Group, f.JobKey})
	}
	return rows
}
