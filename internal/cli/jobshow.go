package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// shownFirings is the number of firings that job show prints, and askedFirings the number
// it requests: calendars may drop some.
const (
	shownFirings = 5
	askedFirings = 20
)

func (t *tool) jobShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show KEY", Short: "Show a job in detail", Args: cobra.ExactArgs(1), Example: "  orth job show report",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.Job(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.forPrograms() {
				return t.encode(j)
			}
			return t.showJob(j, outlook(cmd.Context(), c, j))
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

func (t *tool) showJob(j api.Job, ahead api.FiringList) error {
	var firings []string
	for _, row := range preview(ahead, shownFirings) {
		firings = append(firings, strings.TrimRight(row.local+"  "+row.note, " "))
	}
	held := ""
	if j.HeldBy != "" {
		held = "pause " + j.HeldBy + ": see it with 'orth pause list'"
	}
	return t.sheet(slices.Concat([][2]string{
		{"Key", j.Key},
		{"Id", strconv.FormatInt(j.ID, 10)},
		{"Namespace", j.Namespace},
		{"Title", j.Title},
		{"Description", j.Description},
		{"Group", j.Group},
		{"State", switched(j)},
		{"Disabled because", j.StopReason},
		{"Paused by", held},
		{"Schedule", t.when(j.Schedule)},
		{"Means", ahead.Sentence},
		{"Beware", strings.Join(ahead.Warnings, "\n")},
		{"Next", t.next(j)},
		{"Last", t.time(j.LastAt)},
		{"Next firings", strings.Join(firings, "\n")},
		{"Runs created", madeOf(j)},
		{"Misfire", misfire(j)},
		{"Handler", runs(j)},
		{"Param", j.Param},
		{"Inputs", inputLines(j.Inputs)},
		{"Labels", listed(j.Labels)},
		{"Route", string(j.Route)},
		{"Shards", shardsOf(j)},
	}, overlap(j), [][2]string{
		{"Timeout", span(j.Timeout)},
		{"Retries", retries(j.Retry)},
		{"Failures", failures(j)},
		{"On crash", string(j.OnCrash)},
		{"Children", children(j.Children)},
		{"Alarm mail", strings.Join(j.AlarmEmails, ", ")},
	}, delivery(j.Delivery), logsKept(j.Logs), [][2]string{
		{"Version", strconv.FormatInt(j.Version, 10)},
		{"Created", t.time(j.CreatedAt)},
		{"Updated", t.time(j.UpdatedAt)},
		{"Script", j.Handler.Source},
	}))
}

// when describes a schedule: its kind first, then its limits.
func (t *tool) when(s api.Schedule) string {
	text := t.kind(s)
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
		bounds = append(bounds, "jitter "+span(s.Jitter))
	}
	if !s.Start.IsZero() {
		bounds = append(bounds, "from "+t.time(s.Start))
	}
	if !s.End.IsZero() {
		bounds = append(bounds, "until "+t.time(s.End))
	}
	if len(bounds) > 0 {
		text += " (" + strings.Join(bounds, ", ") + ")"
	}
	return text
}

func (t *tool) kind(s api.Schedule) string {
	switch s.Kind {
	case schedule.KindCron:
		return "cron " + s.Cron
	case schedule.KindDaily:
		return "daily " + s.Daily
	case schedule.KindEvery:
		return "every " + span(s.Every)
	case schedule.KindAfter:
		return span(s.After) + " after each run"
	case schedule.KindOnce:
		text := strings.TrimSpace("once " + t.time(s.At))
		if s.Delay > 0 {
			text += ", " + span(s.Delay) + " after it is enabled"
		}
		return text
	case schedule.KindSeveral:
		parts := make([]string, len(s.Of))
		for i := range s.Of {
			parts[i] = t.when(s.Of[i])
		}
		return strings.Join(parts, " | ")
	case schedule.KindManual: // the kind is the description
	}
	return string(s.Kind)
}

// next returns the next firing of a job, "" when there is none.
func (t *tool) next(j api.Job) string {
	if j.Enabled && j.NextAt.IsZero() && j.Schedule.Kind == schedule.KindAfter {
		return span(j.Schedule.After) + " after the run ends"
	}
	return t.time(j.NextAt)
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

// code describes the code of a job.
func code(h api.Handler) string {
	if h.Kind == job.HandlerNamed {
		return h.Name
	}
	return string(h.Kind)
}

// misfire describes the misfire policy with its limits.
func misfire(j api.Job) string {
	l, parts := j.MisfireLimits, []string{string(j.Misfire)}
	for _, limit := range [...][2]string{
		{"late after %s", span(l.Threshold)},
		{"within %s", span(l.Window)},
		{"at most %s", positive(l.Max)},
		{"%s apart", span(l.Spacing)},
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

// span formats a duration, "" for zero.
func span(d api.Duration) string {
	if d == 0 {
		return ""
	}
	return shortTime(time.Duration(d))
}

// positive formats a number, "" for zero.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
