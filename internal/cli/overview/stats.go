package overview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// maxDays is the number of days that a server keeps statistics.
const maxDays = 400

// NewStatsCommand returns the command orth stats.
func NewStatsCommand(t *kit.Tool) *cobra.Command {
	var query client.StatsQuery
	var until string
	days := 14
	cmd := &cobra.Command{
		Use: "stats", Short: "Show run statistics per day", Args: cobra.NoArgs,
		Long: `Show the finished runs per day (UTC), the success rate, and attempt durations. The success rate
excludes cancelled and skipped runs. Each mark in the bar is a part of the runs of the day:
█ succeeded, ▒ failed, timed out or lost, · cancelled or skipped.

A server keeps statistics for 400 days, independent of run retention.`,
		Example: "  orth stats\n  orth stats --job report --days 90\n  orth stats --group reports --until 2030-01-31",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if query.From, query.To, err = statsDays(days, until, time.Now()); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			stats, err := c.Stats(cmd.Context(), query)
			if err != nil {
				return err
			}
			if !t.ForPrograms() {
				defer t.Warn(cmd.Context(), c)
			}
			return showStats(t, stats)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&query.Job, "job", "", "only runs of the job with this `key`")
	flags.StringVar(&query.Group, "group", "", "only runs of the jobs of this `group`")
	flags.IntVar(&days, "days", days, "number of days, 1 to 400")
	flags.StringVar(&until, "until", "", "last `day`, such as 2030-01-31 (default: today, UTC)")
	return cmd
}

// statsDays returns the first and the last day.
func statsDays(days int, until string, now time.Time) (from, to time.Time, err error) {
	if days < 1 || days > maxDays {
		return from, to, output.Usagef("--days: must be between 1 and %d, got %d", maxDays, days)
	}
	to = now.UTC()
	if until != "" {
		if to, err = time.Parse(time.DateOnly, until); err != nil {
			return from, to, output.Usagef("--until: %q is not a day such as 2030-01-31", until)
		}
	}
	return to.AddDate(0, 0, 1-days), to, nil
}

func showStats(t *kit.Tool, stats api.Stats) error {
	if t.ForPrograms() {
		return t.Encode(stats)
	}
	if stats.Total.Runs == 0 && stats.Total.Attempts == 0 {
		t.PrintNote("No runs ended from %s to %s.", stats.From, stats.To)
		return nil
	}
	var most int64
	for i := range stats.Days {
		most = max(most, stats.Days[i].Runs)
	}
	rows := make([][]string, 0, len(stats.Days)+1)
	for i := range stats.Days {
		d := &stats.Days[i]
		rows = append(rows, statsRow(d.Day, &d.Figures, bar(&d.Figures, most)))
	}
	rows = append(rows, statsRow("total", &stats.Total, ""))
	return t.PrintTable("DAY RUNS OK FAILED OTHER SUCCESS MEAN MAX LATE BAR", rows)
}

// statsRow formats a day as a row. FAILED counts failed, timed-out and lost runs, OTHER
// cancelled and skipped ones.
func statsRow(name string, f *api.Figures, bar string) []string {
	rate := ""
	if f.SuccessRate != nil {
		rate = percent(*f.SuccessRate)
	}
	return []string{
		name, number(f.Runs), number(f.Succeeded), number(f.Failed + f.TimedOut + f.Lost), number(f.Cancelled + f.Skipped),
		rate, brief(f.MeanTook), brief(f.MaxTook), brief(f.MeanLate), bar,
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// percent formats a share so that only all is 100 % and only none is 0 %.
func percent(rate float64) string {
	tenths := int(rate*1000 + 0.5)
	switch {
	case rate < 1 && tenths == 1000:
		tenths = 999
	case rate > 0 && tenths == 0:
		tenths = 1
	}
	if tenths%10 == 0 {
		return fmt.Sprintf("%d%%", tenths/10)
	}
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}

// brief formats a duration with few digits, "" for zero.
func brief(d api.Duration) string {
	whole := time.Duration(d)
	switch {
	case whole == 0:
		return ""
	case whole < time.Second:
		return whole.Round(time.Millisecond).String()
	case whole < time.Minute:
		return whole.Round(100 * time.Millisecond).String()
	}
	return timing.FormatDuration(whole.Round(time.Second))
}

// barWidth is the width of the bar of the busiest day.
const barWidth = 30

// bar draws the runs of a day relative to the busiest day. Every non-zero part gets at
// least one mark.
func bar(f *api.Figures, most int64) string {
	var drawn strings.Builder
	for _, part := range [...]struct {
		n    int64
		mark string
	}{
		{f.Succeeded, "█"}, {f.Failed + f.TimedOut + f.Lost, "▒"}, {f.Cancelled + f.Skipped, "·"},
	} {
		if part.n > 0 {
			drawn.WriteString(strings.Repeat(part.mark, max(1, int(part.n*barWidth/max(most, 1)))))
		}
	}
	return drawn.String()
}
