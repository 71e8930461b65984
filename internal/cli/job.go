package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// pageSize is the most that one request for a list asks for.
const pageSize = 1000

func (t *tool) jobCommand() *cobra.Command {
	return parent(
		&cobra.Command{Use: "job", Aliases: []string{"jobs"}, Short: "Create, show, start, stop, trigger and delete jobs"},
		t.jobCreateCommand(), t.jobListCommand(), t.jobShowCommand(), t.jobStartCommand(),
		t.jobStopCommand(), t.jobTriggerCommand(), t.jobDeleteCommand(),
	)
}

func (t *tool) jobListCommand() *cobra.Command {
	var query client.JobQuery
	limit := 100
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List jobs in order of key", Args: cobra.NoArgs,
		Example: "  orth job list\n  orth job list --group reports -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			jobs, more, err := listJobs(cmd.Context(), c, query, limit)
			if err != nil {
				return err
			}
			return t.showJobs(jobs, more)
		},
	}
	cmd.Flags().StringVar(&query.Group, "group", "", "only jobs of this `group`")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	return cmd
}

// listJobs reads pages until there are limit jobs; more says that others follow.
func listJobs(ctx context.Context, c *client.Client, query client.JobQuery, limit int) (jobs []api.Job, more bool, err error) {
	if limit < 1 {
		return nil, false, usagef("--limit: %d is not at least 1", limit)
	}
	jobs = []api.Job{}
	for {
		query.Limit = min(limit-len(jobs), pageSize)
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
	if t.asJSON() {
		return t.json(jobs)
	}
	if len(jobs) == 0 {
		t.tell("there are no jobs")
		return nil
	}
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{j.Key, j.Group, t.when(j.Schedule), code(j.Handler), switched(j), t.time(j.NextAt), t.time(j.LastAt)}
	}
	if err := t.table("KEY GROUP SCHEDULE HANDLER STATE NEXT LAST", rows); err != nil {
		return err
	}
	if more {
		t.tell("there may be more: raise --limit")
	}
	return nil
}

func (t *tool) jobShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show KEY", Short: "Show all of a job", Args: cobra.ExactArgs(1), Example: "  orth job show report",
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
			if t.asJSON() {
				return t.json(j)
			}
			return t.showJob(j, childKeys(cmd.Context(), c, j.ChildIDs))
		},
	}
}

// childKeys returns the keys of jobs, "#id" where the key cannot be found.
func childKeys(ctx context.Context, c *client.Client, ids []int64) []string {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = "#" + strconv.FormatInt(id, 10)
	}
	if len(ids) == 0 {
		return keys
	}
	jobs, _, err := listJobs(ctx, c, client.JobQuery{}, pageSize)
	if err != nil {
		return keys
	}
	for _, j := range jobs {
		for i, id := range ids {
			if j.ID == id {
				keys[i] = j.Key
			}
		}
	}
	return keys
}

func (t *tool) showJob(j api.Job, children []string) error {
	retries := ""
	if r := j.Retry; r.Tries > 0 {
		retries = fmt.Sprintf("%d, the first after %s, growing by %g up to %s, jitter %g", r.Tries, r.Initial, r.Multiplier, r.Max, r.Jitter)
	}
	concurrency := ""
	if j.Concurrency > 0 {
		concurrency = strconv.Itoa(j.Concurrency)
	}
	labels := make([]string, 0, len(j.Labels))
	for _, key := range slices.Sorted(maps.Keys(j.Labels)) {
		labels = append(labels, key+"="+j.Labels[key])
	}
	timeout := ""
	if j.Timeout > 0 {
		timeout = j.Timeout.String()
	}
	return t.sheet([][2]string{
		{"Key", j.Key},
		{"Id", strconv.FormatInt(j.ID, 10)},
		{"Namespace", j.Namespace},
		{"Title", j.Title},
		{"Group", j.Group},
		{"State", switched(j)},
		{"Schedule", t.when(j.Schedule)},
		{"Next", t.time(j.NextAt)},
		{"Last", t.time(j.LastAt)},
		{"Misfire", string(j.Misfire)},
		{"Handler", code(j.Handler)},
		{"Param", j.Param},
		{"Labels", strings.Join(labels, "\n")},
		{"Route", string(j.Route)},
		{"Overlap", string(j.Overlap)},
		{"Concurrency", concurrency},
		{"Timeout", timeout},
		{"Retries", retries},
		{"On crash", string(j.OnCrash)},
		{"Children", strings.Join(children, ", ")},
		{"Version", strconv.FormatInt(j.Version, 10)},
		{"Created", t.time(j.CreatedAt)},
		{"Updated", t.time(j.UpdatedAt)},
		{"Script", j.Handler.Source},
	})
}

// code says in a few words what a job runs.
func code(h api.Handler) string {
	if h.Kind == job.HandlerNamed {
		return h.Name
	}
	return string(h.Kind)
}

// switched says whether the schedule of a job is running.
func switched(j api.Job) string {
	switch {
	case j.Enabled:
		return "started"
	case j.Schedule.Kind == schedule.KindManual:
		return "manual"
	}
	return "stopped"
}
