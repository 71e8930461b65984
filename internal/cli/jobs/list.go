package jobs

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
)

// NewListCommand returns the command orth job list.
func NewListCommand(t *kit.Tool) *cobra.Command {
	var query client.JobQuery
	var narrow kit.JobNarrowing
	limit := 100
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List jobs", Args: cobra.NoArgs,
		Example: "  orth job list\n  orth job list --group reports -o json\n  orth job list -A --last failed\n  orth job list --recent --sort=-last-ended-at --last failed",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := narrow.Fill(&query); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			jobs, more, err := kit.ListJobs(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			if query.Recent && !t.ForPrograms() {
				return showActivity(t, jobs, more)
			}
			return showJobs(t, jobs, more)
		},
	}
	cmd.Flags().BoolVar(&query.Recent, "recent", false, "show recent activity: the last runs, and the success rate of the last week")
	narrow.AddTo(cmd, &query)
	narrow.AddSort(cmd)
	kit.AddEverySpaceFlag(cmd.Flags(), &query.AllNamespaces)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of jobs")
	return cmd
}

func showJobs(t *kit.Tool, jobs []api.Job, more bool) error {
	if t.ForPrograms() {
		return t.Encode(jobs)
	}
	if len(jobs) == 0 {
		t.PrintNote("No jobs found.")
		return nil
	}
	rows, spaces := make([][]string, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		spaces[i] = j.Namespace
		rows[i] = []string{j.Key, j.Group, when(t, j.Schedule), describeCode(j), switched(j), t.DescribeNext(j), t.FormatTime(j.LastAt)}
	}
	if err := t.PrintTableIn(t.Everywhere, spaces, "KEY GROUP SCHEDULE HANDLER STATE NEXT LAST", rows); err != nil {
		return err
	}
	if more {
		t.PrintNote("More jobs may exist; raise --limit to list them.")
	}
	return nil
}
