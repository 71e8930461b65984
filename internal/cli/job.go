package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
)

// pageSize is the page size of list requests, and recentPage that of requests with
// recent activity.
const pageSize, recentPage = 1000, 100

func (t *tool) jobCommand() *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "job", Aliases: []string{"jobs"}, Short: "Manage jobs: create, change, enable, disable, trigger and delete them"},
		t.jobCreateCommand(), t.jobEditCommand(), t.jobCopyCommand(), t.jobListCommand(), t.jobFacetsCommand(), t.jobShowCommand(), t.jobHistoryCommand(), t.jobDiffCommand(), t.jobRestoreCommand(), t.jobTryCommand(), t.jobLogsCommand(), t.jobNextCommand(), t.jobStartCommand(),
		t.jobStopCommand(), t.jobTriggerCommand(), t.jobBackfillCommand(), t.sure(t.jobDeleteCommand(), "Delete job %s and cancel its waiting runs?"), t.jobBulkCommand(),
	)
}

func (t *tool) jobListCommand() *cobra.Command {
	var query client.JobQuery
	var narrow jobNarrowing
	limit := 100
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List jobs", Args: cobra.NoArgs,
		Example: "  orth job list\n  orth job list --group reports -o json\n  orth job list -A --last failed\n  orth job list --recent --sort=-last-ended-at --last failed",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := narrow.fill(&query); err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			jobs, more, err := listJobs(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			if query.Recent && !t.forPrograms() {
				return t.showActivity(jobs, more)
			}
			return t.showJobs(jobs, more)
		},
	}
	cmd.Flags().BoolVar(&query.Recent, "recent", false, "show recent activity: the last runs, and the success rate of the last week")
	narrow.addTo(cmd, &query)
	narrow.addSort(cmd)
	everySpaceFlag(cmd.Flags(), &query.AllNamespaces)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of jobs")
	return cmd
}

// listJobs reads pages until it has limit jobs; more reports further jobs.
func listJobs(ctx context.Context, c *client.Client, query client.JobQuery, limit int) (jobs []api.Job, more bool, err error) {
	if limit < 1 {
		return nil, false, output.Usagef("--limit: must be at least 1, got %d", limit)
	}
	jobs = []api.Job{}
	for {
		query.Limit = min(limit-len(jobs), pageSize)
		if query.Recent {
			query.Limit = min(query.Limit, recentPage)
		}
		page, err := c.Jobs(ctx, query)
		if err != nil {
			return nil, false, err
		}
		jobs = append(jobs, page.Jobs...)
		if page.Next == "" || len(jobs) >= limit {
			return jobs, page.Next != "", nil
		}
		query.After = page.Next
	}
}

func (t *tool) showJobs(jobs []api.Job, more bool) error {
	if t.forPrograms() {
		return t.encode(jobs)
	}
	if len(jobs) == 0 {
		t.printNote("No jobs found.")
		return nil
	}
	rows, spaces := make([][]string, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		spaces[i] = j.Namespace
		rows[i] = []string{j.Key, j.Group, t.when(j.Schedule), runs(j), switched(j), t.next(j), t.time(j.LastAt)}
	}
	if err := t.tableIn(t.everywhere, spaces, "KEY GROUP SCHEDULE HANDLER STATE NEXT LAST", rows); err != nil {
		return err
	}
	if more {
		t.printNote("More jobs may exist; raise --limit to list them.")
	}
	return nil
}
