package queries

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Tables returns the further columns of tables of jobs.
type Tables interface {
	// Activity returns the recent activity of jobs, by id: their newest ended runs, and the
	// counts from a day on.
	Activity(ctx context.Context, jobs []int64, since time.Time) (map[int64]JobActivity, error)
	// Facets counts what the jobs of a namespace have.
	Facets(ctx context.Context, sight access.Sight, namespace string) (JobFacets, error)
}

const (
	// MaxRecent bounds the ended runs of a job in its activity.
	MaxRecent = 20
	// MaxFacets bounds the values of a facet.
	MaxFacets = 200
	// MaxFaceted bounds the jobs that are counted.
	MaxFaceted = 20_000
	// OwnerLabel is the label whose value is the owner of a job.
	OwnerLabel = "owner"
	// ratedDays is how many days the rate of success is about, today included.
	ratedDays = 7
)

// JobActivity is what happened to a job lately. Of the runs only ids, states and
// instants are set.
type JobActivity struct {
	Ended   []job.Run // those that are over, at most [MaxRecent], the newest first
	Last    job.Run   // the newest, over or not; its ID is zero when there is none
	Week    job.Stats // what ended on the last days
	Running int       // attempts that executors have
	Waiting int       // runs that wait to be sent
}

// Rated returns the number of runs in a success rate: cancelled and skipped runs do not
// count.
func (a *JobActivity) Rated() int64 {
	return a.Week.Succeeded + a.Week.Failed + a.Week.TimedOut + a.Week.Lost
}

// Facet is a value that some jobs have.
type Facet struct {
	Value string
	Jobs  int
}

// JobFacets is what jobs of a namespace have, the values of the most jobs first, at most
// [MaxFacets] of each.
type JobFacets struct {
	Jobs                             int  // that were counted
	Partial                          bool // there are more than [MaxFaceted]
	Groups, Labels, Handlers, Owners []Facet
}

// JobActivity returns the recent activity of jobs, by id. Jobs without any run may be left
// out.
func (c *Catalog) JobActivity(ctx context.Context, jobs []int64) (map[int64]JobActivity, error) {
	found, err := c.config.Lists.Activity(ctx, jobs, time.Now().AddDate(0, 0, 1-ratedDays))
	if err != nil {
		return nil, fmt.Errorf("read what happened to %s: %w", plural.Count(len(jobs), "job"), err)
	}
	return found, nil
}

// JobFacets counts what the jobs of a namespace have that are within a sight.
func (c *Catalog) JobFacets(ctx context.Context, sight access.Sight, namespace string) (JobFacets, error) {
	found, err := c.config.Lists.Facets(ctx, sight, cmp.Or(namespace, job.DefaultNamespace))
	if err != nil {
		return JobFacets{}, fmt.Errorf("count what jobs have: %w", err)
	}
	return found, nil
}
