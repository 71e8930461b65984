package jobs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/schedule"
)

// shownFirings is the number of firings that job show prints, and askedFirings the number
// it requests: calendars may drop some.
const (
	shownFirings = 5
	askedFirings = 20
)

// NewShowCommand returns the command orth job show.
func NewShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show KEY", Short: "Show a job in detail", Args: cobra.ExactArgs(1), Example: "  orth job show report",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.Job(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(j)
			}
			return showJob(t, j, outlook(cmd.Context(), c, j))
		},
	}
}

// outlook returns the next firings of a job, or the schedule description of this program
// when the server provides none.
func outlook(ctx context.Context, c *client.Client, j api.Job) api.FiringList {
	if j.Schedule.Kind != schedule.KindManual {
		if found, err := c.Firings(ctx, j.Key, client.FiringQuery{Count: askedFirings}); err == nil {
			return found
		}
	}
	return api.FiringList{Sentence: j.Schedule.Spec().Describe(schedule.English)}
}

func showJob(t *kit.Tool, j api.Job, ahead api.FiringList) error {
	var firings []string
	for _, row := range preview(ahead, shownFirings) {
		firings = append(firings, strings.TrimRight(row.local+"  "+row.note, " "))
	}
	held := ""
	if j.HeldBy != "" {
		held = "pause " + j.HeldBy + ": see it with 'orth pause list'"
	}
	return t.PrintSheet(slices.Concat([][2]string{
		{"Key", j.Key},
		{"Id", strconv.FormatInt(j.ID, 10)},
		{"Namespace", j.Namespace},
		{"Title", j.Title},
		{"Description", j.Description},
		{"Group", j.Group},
		{"State", switched(j)},
		{"Disabled because", j.StopReason},
		{"Paused by", held},
		{"Schedule", when(t, j.Schedule)},
		{"Means", ahead.Sentence},
		{"Beware", strings.Join(ahead.Warnings, "\n")},
		{"Next", t.DescribeNext(j)},
		{"Last", t.FormatTime(j.LastAt)},
		{"Next firings", strings.Join(firings, "\n")},
		{"Runs created", madeOf(j)},
		{"Misfire", misfire(j)},
		{"Handler", describeCode(j)},
		{"Param", j.Param},
		{"Inputs", inputLines(j.Inputs)},
		{"Labels", kit.JoinPairs(j.Labels)},
		{"Route", string(j.Route)},
		{"Shards", kit.DescribeShards(j)},
	}, overlapRows(j), [][2]string{
		{"Timeout", kit.Span(j.Timeout)},
		{"Retries", retryText(j.Retry)},
		{"Failures", failures(j)},
		{"On crash", string(j.OnCrash)},
		{"Children", childrenText(j.Children)},
		{"Alarm mail", strings.Join(j.AlarmEmails, ", ")},
	}, deliveryRows(j.Delivery), logRows(j.Logs), [][2]string{
		{"Version", strconv.FormatInt(j.Version, 10)},
		{"Created", t.FormatTime(j.CreatedAt)},
		{"Updated", t.FormatTime(j.UpdatedAt)},
		{"Script", j.Handler.Source},
	}))
}

// when describes a schedule: its kind first, then its limits.
func when(t *kit.Tool, s api.Schedule) string {
	text := kind(t, s)
	var bounds []string
	switch {
	case s.Kind == schedule.KindManual || s.Zone == "":
	case s.Kind == schedule.KindSeveral:
		bounds = append(bounds, "in "+s.Zone)
	default:
		text += " " + s.Zone
	}
	if s.Count > 0 {
		bounds = append(bounds, plural.Count(s.Count, "run"))
	}
	if len(s.Calendars) > 0 {
		how := "calendar "
		if s.Excluded == schedule.ExcludedShift {
			how = "shifted by calendar "
		}
		bounds = append(bounds, how+strings.Join(s.Calendars, "+"))
	}
	if s.Jitter > 0 {
		bounds = append(bounds, "jitter "+kit.Span(s.Jitter))
	}
	if !s.Start.IsZero() {
		bounds = append(bounds, "from "+t.FormatTime(s.Start))
	}
	if !s.End.IsZero() {
		bounds = append(bounds, "until "+t.FormatTime(s.End))
	}
	if len(bounds) > 0 {
		text += " (" + strings.Join(bounds, ", ") + ")"
	}
	return text
}

func kind(t *kit.Tool, s api.Schedule) string {
	switch s.Kind {
	case schedule.KindCron:
		return "cron " + s.Cron
	case schedule.KindDaily:
		return "daily " + s.Daily
	case schedule.KindEvery:
		return "every " + kit.Span(s.Every)
	case schedule.KindAfter:
		return kit.Span(s.After) + " after each run"
	case schedule.KindOnce:
		text := strings.TrimSpace("once " + t.FormatTime(s.At))
		if s.Delay > 0 {
			text += ", " + kit.Span(s.Delay) + " after it is enabled"
		}
		return text
	case schedule.KindSeveral:
		parts := make([]string, len(s.Of))
		for i := range s.Of {
			parts[i] = when(t, s.Of[i])
		}
		return strings.Join(parts, " | ")
	case schedule.KindManual: // the kind is the description
	}
	return string(s.Kind)
}

// switched returns whether a job is enabled.
func switched(j api.Job) string {
	switch {
	case j.Enabled && j.HeldBy != "":
		return "paused"
	case j.Enabled:
		return "enabled"
	case j.Schedule.Kind == schedule.KindManual:
		return "manual"
	case j.StopReason != "":
		return "ended"
	}
	return "disabled"
}

// misfire describes the misfire policy with its limits.
func misfire(j api.Job) string {
	l, parts := j.MisfireLimits, []string{string(j.Misfire)}
	for _, limit := range [...][2]string{
		{"late after %s", kit.Span(l.Threshold)},
		{"within %s", kit.Span(l.Window)},
		{"at most %s", kit.FormatPositive(l.Max)},
		{"%s apart", kit.Span(l.Spacing)},
	} {
		if limit[1] != "" {
			parts = append(parts, fmt.Sprintf(limit[0], limit[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// madeOf describes the number of created runs of a limited schedule.
func madeOf(j api.Job) string {
	if j.Schedule.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", j.Fired, j.Schedule.Count)
}

// failures describes the consecutive failures of a job with a limit.
func failures(j api.Job) string {
	if j.StopAfter == 0 {
		return ""
	}
	return fmt.Sprintf("%d in a row; disabled after %d", j.Failures, j.StopAfter)
}
