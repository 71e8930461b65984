package kit

import (
	"context"
	"fmt"
	"strconv"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// DescribeNewJob describes a new job and the next step.
func (t *Tool) DescribeNewJob(j api.Job) string {
	switch {
	case j.Enabled:
		return fmt.Sprintf("job %s created and enabled; next firing: %s", j.Key, t.DescribeEnabled(j))
	case j.Schedule.Kind == schedule.KindManual:
		return fmt.Sprintf("job %s created: run it with %s", j.Key, t.CommandLineIn("job", "trigger", j.Key))
	}
	return fmt.Sprintf("job %s created, disabled: enable it with %s", j.Key, t.CommandLineIn("job", "enable", j.Key))
}

// DescribeEnabled describes the next firing of an enabled job.
func (t *Tool) DescribeEnabled(j api.Job) string {
	if j.NextAt.IsZero() {
		return FirstOf(t.DescribeNext(j), "none")
	}
	return t.DescribeNext(j)
}

// AuthorText formats the author of a revision.
func AuthorText(a api.Author) string {
	switch {
	case a.Name == "":
		return a.Kind
	case a.Kind == "group":
		return "group " + a.Name
	}
	return a.Name
}

// DescribeNext returns the next firing of a job, "" when there is none.
func (t *Tool) DescribeNext(j api.Job) string {
	if j.Enabled && j.NextAt.IsZero() && j.Schedule.Kind == schedule.KindAfter {
		return Span(j.Schedule.After) + " after the run ends"
	}
	return t.FormatTime(j.NextAt)
}

// FormatPositive formats a number, "" for zero.
func FormatPositive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// PageSize is the page size of list requests, and recentPage that of requests with
// recent activity.
const PageSize, recentPage = 1000, 100

// ListJobs reads pages until it has limit jobs; more reports further jobs.
func ListJobs(ctx context.Context, c *client.Client, query client.JobQuery, limit int) (jobs []api.Job, more bool, err error) {
	if limit < 1 {
		return nil, false, output.Usagef("--limit: must be at least 1, got %d", limit)
	}
	jobs = []api.Job{}
	for {
		query.Limit = min(limit-len(jobs), PageSize)
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
