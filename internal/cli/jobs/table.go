package jobs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// shownRecent is the number of recent runs in a table row.
const shownRecent = 10

// showActivity prints jobs with their recent activity.
func showActivity(t *kit.Tool, jobs []api.Job, more bool) error {
	if len(jobs) == 0 {
		t.PrintNote("No jobs found.")
		return nil
	}
	rows, spaces := make([][]string, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		spaces[i] = j.Namespace
		a := j.Activity
		if a == nil { // an older server
			a = &api.JobActivity{}
		}
		last, rate := "", ""
		if a.Last != nil {
			last = kit.StateText(a.Last.State) + " " + t.FormatTime(a.Last.At)
		}
		if a.SuccessRate != nil {
			rate = fmt.Sprintf("%.1f %% of %d", 100**a.SuccessRate, a.Rated)
		}
		rows[i] = []string{j.Key, j.Group, switched(j), t.DescribeNext(j), last, ends(a.Recent), rate, strconv.Itoa(a.Running), strconv.Itoa(a.Waiting)}
	}
	if err := t.PrintTableIn(t.Everywhere, spaces, "KEY GROUP STATE NEXT LAST HISTORY SUCCEEDED RUNNING WAITING", rows); err != nil {
		return err
	}
	if more {
		t.PrintNote("More jobs may exist; raise --limit to list them.")
	}
	return nil
}

// ends returns one letter per recent run, oldest first: a dot for success, otherwise the
// first letter of its final state.
func ends(recent []api.RecentRun) string {
	var line strings.Builder
	for i := min(len(recent), shownRecent) - 1; i >= 0; i-- {
		if recent[i].State == job.Succeeded {
			line.WriteByte('.')
		} else {
			line.WriteByte(strings.ToUpper(string(recent[i].State))[0])
		}
	}
	return line.String()
}

// NewFacetsCommand returns the command orth job facets.
func NewFacetsCommand(t *kit.Tool) *cobra.Command {
	var every bool
	cmd := &cobra.Command{
		Use: "facets", Short: "Count jobs by group, label, handler and owner", Args: cobra.NoArgs,
		Example: "  orth job facets\n  orth job facets --all-namespaces -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := kit.Either(every, c.AllJobFacets, c.JobFacets)(cmd.Context())
			if err != nil {
				return err
			}
			return showFacets(t, &found)
		},
	}
	kit.AddEverySpaceFlag(cmd.Flags(), &every)
	return cmd
}

func showFacets(t *kit.Tool, found *api.JobFacets) error {
	if t.ForPrograms() {
		return t.Encode(found)
	}
	var rows [][]string
	for _, of := range []struct {
		name   string
		values []api.Facet
	}{{"group", found.Groups}, {"handler", found.Handlers}, {"label", found.Labels}, {"owner", found.Owners}} {
		for _, f := range of.values {
			rows = append(rows, []string{of.name, f.Value, strconv.Itoa(f.Jobs)})
		}
	}
	if len(rows) == 0 {
		t.PrintNote("No jobs found.")
		return nil
	}
	if err := t.PrintTable("FACET VALUE JOBS", rows); err != nil {
		return err
	}
	if found.Partial {
		t.PrintNote("Only the first %s counted; more exist.", plural.Count(found.Jobs, "job"))
	}
	return nil
}
