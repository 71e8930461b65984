package overview

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

const (
	// maxTimelinePage is the maximum number of jobs per page of a timeline.
	maxTimelinePage = 200
	// maxTimeline is the maximum time range of a server request.
	maxTimeline = 48 * time.Hour
	// manyInMinute is the count that means this number of firings per minute or more.
	manyInMinute = 6
	// maxFiringsShown is the maximum number of printed firings.
	maxFiringsShown = 10_000
	// maxProblems is the maximum number of printed schedule errors.
	maxProblems = 10
)

// firingRow is a firing of a job, or a few within one minute.
type firingRow struct {
	At        api.Time `json:"at"`
	Namespace string   `json:"namespace"`
	Group     string   `json:"group"`
	Key       string   `json:"key"`
	Title     string   `json:"title,omitempty"`
	Zone      string   `json:"zone"`
	Count     int      `json:"count"` // within the minute; 6 stands for six or more
}

// timeline collects the firings of many jobs.
type timeline struct {
	rows     []firingRow
	more     bool     // firings were omitted
	partly   int      // jobs whose later firings are unknown
	wrong    int      // jobs with unreadable schedules
	problems []string // errors of the first maxProblems of them
}

// NewTimelineCommand returns the command orth timeline.
func NewTimelineCommand(t *kit.Tool) *cobra.Command {
	var from, to string
	var q client.TimelineQuery
	limit := 50
	cmd := &cobra.Command{
		Use: "timeline", Short: "List upcoming firings of all jobs in chronological order", Args: cobra.NoArgs,
		Long: "List the upcoming firings of enabled jobs in chronological order, to the minute. Firings that calendars drop are\n" +
			"omitted; firings that a pause will hold back are not. Without --namespace it covers all namespaces that you may read.\n" +
			"For the exact firings of one job use 'orth job next KEY'.",
		Example: "  orth timeline\n  orth timeline --to 2h --group reports\n" +
			"  orth timeline --from 2030-01-31T22:00 --to 2030-02-01T06:00 --namespace default -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > maxFiringsShown {
				return output.Usagef("--limit: must be between 1 and %d, got %d", maxFiringsShown, limit)
			}
			var err error
			now := time.Now()
			if q.From, err = ahead("from", from, now, t.Location); err != nil {
				return err
			}
			if q.Until, err = ahead("to", to, now, t.Location); err != nil {
				return err
			}
			if err := checkTimeline(q.From, q.Until, now); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			line, err := firingsOfAll(cmd.Context(), t, c, q, limit)
			if err != nil {
				return err
			}
			return showTimeline(t, line)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&from, "from", "", "start `time`, inclusive: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for in two hours (default now)")
	flags.StringVar(&to, "to", "", "end `time`, exclusive, at most 48 hours after --from (default 24 hours after it)")
	flags.StringVar(&q.Group, "group", "", "only jobs of this `group`")
	t.AddEverySpaceDefault(cmd)
	flags.IntVar(&limit, "limit", limit, "maximum number of lines, earliest first, 1 to 10000")
	return cmd
}

// checkTimeline validates the time range of a timeline; either end may be missing.
func checkTimeline(from, to, now time.Time) error {
	if to.IsZero() {
		return nil
	}
	if from.IsZero() {
		from = now
	}
	switch span := to.Sub(from.Truncate(time.Minute)); {
	case span <= 0:
		return output.Usagef("--to: must be after --from, got %s", to.Format(time.RFC3339))
	case span > maxTimeline:
		return output.Usagef("--to: is %s after --from, at most %s are allowed: use several requests", timing.FormatDuration(span.Truncate(time.Minute)), timing.FormatDuration(maxTimeline))
	}
	return nil
}

// ahead parses an instant or a time from now.
func ahead(flag, text string, now time.Time, zone *time.Location) (time.Time, error) {
	if length, err := time.ParseDuration(text); err == nil {
		return now.Add(length), nil
	}
	return timing.ParseFlag(flag, text, zone)
}

// firingsOfAll reads the firings of a namespace or of all, and keeps the earliest.
func firingsOfAll(ctx context.Context, t *kit.Tool, c *client.Client, q client.TimelineQuery, limit int) (*timeline, error) {
	line := &timeline{rows: []firingRow{}}
	q.Namespace, q.Limit = t.SelectedNamespace(), maxTimelinePage
	q.AllNamespaces = q.Namespace == ""
	for {
		page, err := c.Timeline(ctx, q)
		if err != nil {
			return nil, err
		}
		line.add(&page)
		line.cut(limit)
		if q.After = page.Next; q.After == "" {
			return line, nil
		}
	}
}

// add collects the firings of a page.
func (l *timeline) add(page *api.Timeline) {
	for i := range page.Jobs {
		j := &page.Jobs[i]
		if j.Partly {
			l.partly++
		}
		if j.Problem != "" {
			l.wrong++
		}
		if j.Problem != "" && len(l.problems) < maxProblems {
			l.problems = append(l.problems, "job "+j.Key+" of namespace "+j.Namespace+": "+j.Problem)
		}
		for n := range min(len(j.Minutes), len(j.Counts)) {
			at := api.At(page.From.Add(time.Duration(j.Minutes[n]) * time.Minute))
			l.rows = append(l.rows, firingRow{at, j.Namespace, j.Group, j.Key, j.Title, j.Zone, j.Counts[n]})
		}
	}
}

// cut sorts the firings and keeps the earliest.
func (l *timeline) cut(limit int) {
	slices.SortFunc(l.rows, func(a, b firingRow) int {
		return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Key, b.Key))
	})
	if len(l.rows) > limit {
		clear(l.rows[limit:])
		l.rows, l.more = l.rows[:limit], true
	}
}

func showTimeline(t *kit.Tool, l *timeline) error {
	for _, text := range l.problems {
		t.PrintNote("beware: %s", output.Printable(text))
	}
	if n := l.wrong - len(l.problems); n > 0 {
		t.PrintNote("Warning: %d more schedules cannot be evaluated.", n)
	}
	if t.ForPrograms() {
		return t.Encode(l.rows)
	}
	if len(l.rows) == 0 {
		t.PrintNote("No firings in this time range.")
	} else {
		rows := make([][]string, len(l.rows))
		for i, r := range l.rows {
			times := strconv.Itoa(r.Count)
			if r.Count >= manyInMinute {
				times += "+"
			}
			rows[i] = []string{minute(t, r.At), times, r.Namespace, r.Group, r.Key, r.Zone, r.Title}
		}
		if err := t.PrintTable("TIME COUNT NAMESPACE GROUP JOB ZONE | TITLE", rows); err != nil {
			return err
		}
	}
	if l.more {
		t.PrintNote("More firings exist in this time range; raise --limit, or narrow with --group and --to.")
	}
	if l.partly > 0 {
		t.PrintNote("Later firings of %s are unknown: they depend on the end of a run, or are too many.", plural.Count(l.partly, "job"))
	}
	return nil
}

// minute formats an instant to the minute.
func minute(t *kit.Tool, at api.Time) string { return at.In(t.Location).Format("2006-01-02 15:04 MST") }
