package cli

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

// maxPreview is the most firings that a server is asked for.
const maxPreview = 1000

func (t *tool) jobNextCommand() *cobra.Command {
	var from string
	query, language := client.FiringQuery{Count: 20}, newChoice("en", "en", "zh")
	cmd := &cobra.Command{
		Use: "next KEY", Short: "Show when a job fires next, and what calendars do to it", Args: cobra.ExactArgs(1),
		Long: "Show when a job would fire next by its schedule, started or not: on the clock of the schedule's zone and\n" +
			"in UTC, with the firings that a calendar drops or moves, and why.",
		Example: "  orth job next report\n  orth job next report --count 5 --from 2030-10-01 --lang zh",
		RunE: func(cmd *cobra.Command, args []string) error {
			if query.Count < 1 || query.Count > maxPreview {
				return usagef("--count: %d is not between 1 and %d", query.Count, maxPreview)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := jobZone(cmd.Context(), c, args[0], from)
			if err != nil {
				return err
			}
			if query.From, err = instant("from", from, zone); err != nil {
				return err
			}
			query.Language = language.value
			found, err := c.Firings(cmd.Context(), args[0], query)
			if err != nil {
				return err
			}
			return t.showPreview(found)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVar(&query.Count, "count", query.Count, "so many firings, with those that are dropped, 1 to 1000")
	cmd.Flags().StringVar(&from, "from", "", "firings after this `time`: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 on the clock of the job's zone (default now)")
	cmd.Flags().Var(&language, "lang", "language of the schedule in words")
	return cmd
}

func (t *tool) showPreview(found api.FiringList) error {
	if t.forPrograms() {
		return t.encode(found)
	}
	for _, text := range found.Warnings {
		t.tell("beware: %s", printable(text))
	}
	if _, err := fmt.Fprintf(t.Stdout, "%s\n", printable(found.Sentence)); err != nil {
		return err
	}
	if len(found.Firings) > 0 {
		if _, err := fmt.Fprintln(t.Stdout); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, row := range preview(found, len(found.Firings)) {
		rows = append(rows, []string{row.number, row.local, row.utc, row.note})
	}
	if len(rows) > 0 {
		if err := t.table("NO LOCAL UTC NOTE", rows); err != nil {
			return err
		}
	}
	switch {
	case !found.More:
		t.tell("there is no further firing")
	case !slices.ContainsFunc(found.Firings, func(f api.Firing) bool { return !f.Dropped }):
		t.tell("calendars drop all of these: look further with --count or --from")
	}
	return nil
}

// previewRow is a line of a preview.
type previewRow struct{ number, local, utc, note string }

// preview returns the lines of a preview until it has so many firings. Of dropped
// ones in a row the first are shown, and how many more there are.
func preview(found api.FiringList, firings int) (rows []previewRow) {
	number, dropped, zone := 0, 0, zoneOf(found)
	rest := func() {
		if dropped > maxDropped {
			rows = append(rows, previewRow{local: moreDropped(dropped - maxDropped)})
		}
		dropped = 0
	}
	for _, f := range found.Firings {
		if number == firings {
			break
		}
		row := previewRow{local: f.Local, utc: f.At.UTC().Format(time.RFC3339Nano), note: fate(f, zone)}
		if f.Dropped {
			if dropped++; dropped <= maxDropped {
				rows = append(rows, row)
			}
			continue
		}
		rest()
		number++
		row.number = strconv.Itoa(number)
		rows = append(rows, row)
	}
	rest()
	return rows
}

// moreDropped stands for dropped firings that are not shown.
func moreDropped(n int) string { return fmt.Sprintf("(%d more are dropped)", n) }

// fate says what has become of a firing on the way from the schedule to its
// instant, "" when nothing has. Times are shown on the clock of a zone.
func fate(f api.Firing, zone *time.Location) string {
	reason := ""
	if f.Calendar != "" {
		reason = " by calendar " + f.Calendar
		if f.Day != "" {
			reason += ": " + f.Day
		}
	}
	switch {
	case f.Dropped && !f.Into.IsZero():
		return "one with that of " + f.Into.In(zone).Format(time.DateOnly) + reason
	case f.Dropped:
		return "dropped" + reason
	case f.Named.IsZero():
		return ""
	case f.Calendar == "": // the jitter
		return shortTime(f.At.Sub(f.Named.Time)) + " after " + f.Named.In(zone).Format("15:04:05")
	}
	return "moved from " + f.Named.In(zone).Format(time.DateOnly) + reason
}

// zoneOf returns the zone of a list of firings; UTC when this machine does not
// know it.
func zoneOf(list api.FiringList) *time.Location {
	zone, err := time.LoadLocation(list.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}
