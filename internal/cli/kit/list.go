package kit

import (
	"context"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
)

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
