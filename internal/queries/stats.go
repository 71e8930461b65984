package queries

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// StatsReader reads what was counted.
type StatsReader interface {
	// Stats returns what ended on the days of the filter, in order; days
	// without any end are left out. NotFound when there is no such group.
	Stats(ctx context.Context, f StatsFilter) ([]job.Stats, error)
}

// StatsFilter selects what is counted. At most one of JobID and Group is set. Its
// Sight is no filter: the zero one finds nothing.
type StatsFilter struct {
	Sight access.Sight
	JobID int64  // zero means all
	Group string // the key of the group that the jobs are in now; empty means all
	// From and To are the first and the last day.
	From, To time.Time
}

// StatsQuery selects runs to count: those of all jobs in the last two weeks, when all
// fields but its Sight are zero. The Sight is required: the zero one finds nothing.
type StatsQuery struct {
	Sight access.Sight
	// Namespace is the one of Job; all others are asked for all namespaces.
	Namespace string
	Job       string // a job's key; empty means all
	Group     string // a group's key, without Job; empty means all
	// From and To lie in the first and the last day, UTC. To defaults to
	// today, From to two weeks that end with To.
	From, To time.Time
}

const (
	dayLength  = 24 * time.Hour
	statsDays  = 14
	maxStats   = int(job.KeepStats / dayLength)
	dateLayout = time.DateOnly
)

// Stats returns what ended on each day of the query, in order. Kinds: Invalid
// with the field at fault, NotFound when the job or the group does not exist.
//
// A run counts on the day of its end, whatever becomes of its row: removing old
// runs changes nothing.
func (c *Catalog) Stats(ctx context.Context, q StatsQuery) ([]job.Stats, error) {
	f, err := q.days(time.Now())
	if err != nil {
		return nil, err
	}
	if q.Job != "" {
		if q.Group != "" {
			return nil, job.FieldErrorf("group", "stands beside job: leave one of them out, a job is in one group")
		}
		j, err := c.Seen(ctx, &q.Sight, q.Namespace, q.Job)
		if err != nil {
			return nil, err
		}
		f.JobID = j.ID
	}
	f.Sight, f.Group = q.Sight, q.Group
	counted, err := c.config.Stats.Stats(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	return everyDay(f, counted), nil
}

// days returns the days of the query.
func (q *StatsQuery) days(now time.Time) (StatsFilter, error) {
	f := StatsFilter{From: job.DayOf(q.From), To: job.DayOf(q.To)}
	if q.To.IsZero() {
		f.To = job.DayOf(now)
	}
	if q.From.IsZero() {
		f.From = f.To.Add(-(statsDays - 1) * dayLength)
	}
	n := int(f.To.Sub(f.From)/dayLength) + 1
	switch {
	case f.From.After(f.To):
		return f, job.FieldErrorf("from", "%s is after to, %s", f.From.Format(dateLayout), f.To.Format(dateLayout))
	case n > maxStats:
		return f, job.FieldErrorf("from", "%s to %s are more than %d days, which is all that is kept: name a later day, or an earlier end",
			f.From.Format(dateLayout), f.To.Format(dateLayout), maxStats)
	}
	return f, nil
}

// everyDay fills in the days on which nothing ended.
func everyDay(f StatsFilter, counted []job.Stats) []job.Stats {
	var all []job.Stats
	for at := f.From; !at.After(f.To); at = at.Add(dayLength) {
		day := job.Stats{Day: at}
		for len(counted) > 0 && !counted[0].Day.After(at) {
			day.Add(counted[0])
			counted = counted[1:]
		}
		all = append(all, day)
	}
	return all
}
