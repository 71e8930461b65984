package jobs

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// maxPreview is the maximum number of firings of a server request.
const maxPreview = 1000

// NewNextCommand returns the command orth job next.
func NewNextCommand(t *kit.Tool) *cobra.Command {
	var from string
	query, language := client.FiringQuery{Count: 20}, kit.NewChoice("en", "en", "zh")
	cmd := &cobra.Command{
		Use: "next KEY", Short: "Show the next firings of a job", Args: cobra.ExactArgs(1),
		Long: "Show the next firings of a job's schedule, even if the job is disabled, in the zone of the schedule and in UTC. Firings\n" +
			"that a calendar drops or moves are included with the reason.",
		Example: "  orth job next report\n  orth job next report --count 5 --from 2030-10-01 --lang zh",
		RunE: func(cmd *cobra.Command, args []string) error {
			if query.Count < 1 || query.Count > maxPreview {
				return output.Usagef("--count: must be between 1 and %d, got %d", maxPreview, query.Count)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := kit.JobZone(cmd.Context(), c, args[0], from)
			if err != nil {
				return err
			}
			if query.From, err = timing.ParseFlag("from", from, zone); err != nil {
				return err
			}
			query.Language = language.Value
			found, err := c.Firings(cmd.Context(), args[0], query)
			if err != nil {
				return err
			}
			return showPreview(t, found)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVar(&query.Count, "count", query.Count, "number of firings, dropped ones included, 1 to 1000")
	cmd.Flags().StringVar(&from, "from", "", "start `time`, exclusive: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in the zone of the job (default now)")
	cmd.Flags().Var(&language, "lang", "language of the schedule description")
	return cmd
}

func showPreview(t *kit.Tool, found api.FiringList) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	for _, text := range found.Warnings {
		t.PrintNote("beware: %s", output.Printable(text))
	}
	if _, err := fmt.Fprintf(t.Stdout, "%s\n", output.Printable(found.Sentence)); err != nil {
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
		if err := t.PrintTable("NO LOCAL UTC NOTE", rows); err != nil {
			return err
		}
	}
	switch {
	case !found.More:
		t.PrintNote("No further firings.")
	case !slices.ContainsFunc(found.Firings, func(f api.Firing) bool { return !f.Dropped }):
		t.PrintNote("Calendars drop all of these firings; look further with --count or --from.")
	}
	return nil
}

// previewRow is a row of a preview.
type previewRow struct{ number, local, utc, note string }

// preview returns the rows of a preview until it has enough firings. A series of dropped
// firings is abbreviated to the first ones and a count.
func preview(found api.FiringList, firings int) (rows []previewRow) {
	number, dropped, zone := 0, 0, zoneOf(found)
	rest := func() {
		if dropped > timing.MaxDropped {
			rows = append(rows, previewRow{local: timing.DescribeMoreDropped(dropped - timing.MaxDropped)})
		}
		dropped = 0
	}
	for _, f := range found.Firings {
		if number == firings {
			break
		}
		row := previewRow{local: f.Local, utc: f.At.UTC().Format(time.RFC3339Nano), note: timing.DescribeFiring(f, zone)}
		if f.Dropped {
			if dropped++; dropped <= timing.MaxDropped {
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

// zoneOf returns the zone of a list of firings; UTC when this machine does not have it.
func zoneOf(list api.FiringList) *time.Location {
	zone, err := time.LoadLocation(list.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}
