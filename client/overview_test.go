package client_test

import (
	"context"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func (m *memory) Namespaces(context.Context, access.Sight, []string) ([]queries.NamespaceFigures, error) {
	return []queries.NamespaceFigures{{Name: "team", Jobs: 3}}, nil
}

func (m *memory) Summary(_ context.Context, q *queries.SummaryQuery) (queries.Summary, error) {
	if q.Namespace+"/"+q.Group+" "+q.Zone != "team/g Asia/Tokyo" {
		return queries.Summary{}, job.Errorf(job.Invalid, "asked %+v", *q)
	}
	return queries.Summary{At: instant, Jobs: 3, Counts: queries.Counts{Late: 2}, Today: job.Stats{Day: job.DayOf(instant), Succeeded: 5}}, nil
}

// What there is comes from a real API.
func TestOverview(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	if all, err := c.Namespaces(t.Context()); err != nil || len(all) != 1 || all[0].Name != "team" || all[0].Jobs != 3 {
		t.Errorf("namespaces: %+v, %v", all, err)
	}
	if s, err := c.Summary(t.Context(), client.SummaryQuery{Namespace: "team", Group: "g", Zone: "Asia/Tokyo"}); err != nil || s.Jobs.Total != 3 || s.Runs.Late != 2 || s.Today.Runs != 5 || !s.At.Equal(instant) {
		t.Errorf("summary: %+v, %v", s, err)
	}
	if all, err := c.Servers(t.Context()); err != nil || all == nil || len(all) != 0 {
		t.Errorf("servers: %+v, %v", all, err)
	}
	for _, name := range []string{"one:1", ".", "a/b"} {
		if _, err := c.Server(t.Context(), name); !job.Is(err, job.NotFound) {
			t.Errorf("server %s: %v", name, err)
		}
		if _, err := c.DrainServer(t.Context(), name, true); !job.Is(err, job.NotFound) {
			t.Errorf("drain server %s: %v", name, err)
		}
	}
	if all, err := c.Settings(t.Context()); err != nil || all == nil || len(all) != 0 {
		t.Errorf("settings: %+v, %v", all, err)
	}
}
