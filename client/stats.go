package client

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/api"
)

// StatsQuery selects the runs to count. The zero query counts the runs of all namespaces
// that ended in the last two weeks.
type StatsQuery struct {
	Job   string // a job's key in the client's namespace; empty means all
	Group string // a group's key, without Job; empty means all
	// From and To lie in the first and the last day, UTC. To defaults to
	// today, From to two weeks that end with To; at most 400 days.
	From, To time.Time
}

// Stats counts the runs that ended on each day.
func (c *Client) Stats(ctx context.Context, q StatsQuery) (api.Stats, error) {
	query := c.space()
	setNonEmpty(query, "job", q.Job)
	setNonEmpty(query, "group", q.Group)
	for name, day := range map[string]time.Time{"from": q.From, "to": q.To} {
		if !day.IsZero() {
			query.Set(name, day.UTC().Format(time.DateOnly))
		}
	}
	var stats api.Stats
	err := c.doRequest(ctx, http.MethodGet, prefix+"/stats", query, nil, &stats)
	return stats, err
}
