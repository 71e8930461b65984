package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

const (
	// maxTimelinePage is the jobs of the largest page of a timeline.
	maxTimelinePage = 200
	// maxTimeline is the longest time that a server tells the firings of at once.
	maxTimeline = 48 * time.Hour
	// manyInMinute is the count that stands for as many firings in a minute, or more.
	manyInMinute = 6
	// maxFiringsShown bounds the firings that are shown.
	maxFiringsShown = 10_000
	// maxProblems bounds the schedules of which it is told why they cannot be told.
	maxProblems = 10
)

// firingRow is when a job fires: once, or a few times within the minute.
type firingRow struct {
	At        api.Time `json:"at"`
	Namespace string   `json:"namespace"`
	Group     string   `json:"group"`
	Key       string   `json:"key"`
	Title     string   `json:"title,omitempty"`
	Zone      string   `json:"zone"`
	Count     int      `json:"count"` // within the minute; 6 stands for six or more
}

// timeline is what is gathered of the firings of many jobs.
type timeline struct {
	rows     []firingRow
	more     bool     // others were left out
	partly   int      // jobs that may fire later too
	wrong    int      // jobs whose schedules cannot be told
	problems []string // of the first maxProblems of them
}

func (t *tool) timelineCommand() *cobra.Command {
	var from, to string
	var q client.TimelineQuery
	limit := 50
	cmd := &cobra.Command{
		Use: "timeline", Short: "Tell which jobs fire next, in the order of time", Args: cobra.NoArgs,
		Long: "Tell which of the jobs that are started fire next by their schedules, to the minute, within what you see. Firings\n" +
			"that calendars drop are left out, those that a pause will hold back are not. Without --namespace they are those\n" +
			"of all namespaces. 'orth job next KEY' tells more of one job, to the second.",
		Example: "  orth timeline\n  orth timeline --to 2h --group reports\n" +
			"  orth timeline --from 2030-01-31T22:00 --to 2030-02-01T06:00 --namespace default -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > maxFiringsShown {
				return usagef("--limit: %d is not between 1 and %d", limit, maxFiringsShown)
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
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			line, err := t.firingsOfAll(cmd.Context(), c, q, limit)
			if err != nil {
				return err
			}
			return t.showTimeline(line)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&from, "from", "", "firings from this `time` on: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for in two hours (default now)")
	flags.StringVar(&to, "to", "", "firings before this `time`, at most 48 hours after --from (default 24 hours after it)")
	flags.StringVar(&q.Group, "group", "", "only jobs of this `group`")
	t.everySpaceUsual(cmd)
	flags.IntVar(&limit, "limit", limit, "at most so many lines, the earliest, 1 to 10000")
	return cmd
}

// checkTimeline reports what is wrong with the bounds of a timeline, of which each may
// be missing.
func checkTimeline(from, to, now time.Time) error {
	if to.IsZero() {
		return nil
	}
	if from.IsZero() {
		from = now
	}
	switch span := to.Sub(from.Truncate(time.Minute)); {
	case span <= 0:
		return usagef("--to: %s is not after --from", to.Format(time.RFC3339))
	case span > maxTimeline:
		return usagef("--to: is %s after --from, at most %s are allowed: ask for the time in parts", shortTime(span.Truncate(time.Minute)), shortTime(maxTimeline))
	}
	return nil
}

// ahead reads an instant, or in how long one will be.
func ahead(flag, text string, now time.Time, zone *time.Location) (time.Time, error) {
	if length, err := time.ParseDuration(text); err == nil {
		return now.Add(length), nil
	}
	return instant(flag, text, zone)
}

// firingsOfAll reads the firings of a namespace, or of all, and keeps the earliest.
func (t *tool) firingsOfAll(ctx context.Context, c *client.Client, q client.TimelineQuery, limit int) (*timeline, error) {
	line := &timeline{rows: []firingRow{}}
	q.Namespace, q.Limit = t.space(), maxTimelinePage
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

// add takes the firings of a page.
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

func (t *tool) showTimeline(l *timeline) error {
	for _, text := range l.problems {
		t.tell("beware: %s", printable(text))
	}
	if n := l.wrong - len(l.problems); n > 0 {
		t.tell("beware: the schedules of %d more cannot be told either", n)
	}
	if t.forPrograms() {
		return t.encode(l.rows)
	}
	if len(l.rows) == 0 {
		t.tell("nothing fires in this time")
	} else {
		rows := make([][]string, len(l.rows))
		for i, r := range l.rows {
			times := strconv.Itoa(r.Count)
			if r.Count >= manyInMinute {
				times += "+"
			}
			rows[i] = []string{t.minute(r.At), times, r.Namespace, r.Group, r.Key, r.Zone, r.Title}
		}
		if err := t.table("AT TIMES NAMESPACE GROUP JOB ZONE | TITLE", rows); err != nil {
			return err
		}
	}
	if l.more {
		t.tell("there are more firings in this time: --limit shows more, --group and --to less")
	}
	if l.partly > 0 {
		t.tell("when %s later is not known: that depends on the end of a run, or is too much", fires(l.partly))
	}
	return nil
}

// fires says that so many jobs fire.
func fires(n int) string {
	if n == 1 {
		return "1 job fires"
	}
	return strconv.Itoa(n) + " jobs fire"
}

// minute returns an instant to the minute.
func (t *tool) minute(at api.Time) string { return at.In(t.Location).Format("2006-01-02 15:04 MST") }
