package jobs

import (
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// A job beyond the sight is answered like one that does not exist.
func TestSeen(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := create(t, c, jobstest.GoodJob())
	for _, sight := range []access.Sight{
		{}, {Places: []access.Place{{Namespace: j.Namespace, Group: "another"}, {Namespace: "another", Group: access.All}}},
	} {
		_, hidden := c.Seen(t.Context(), &sight, j.Namespace, j.Key)
		all := access.Sight{All: true}
		_, missing := c.Seen(t.Context(), &all, j.Namespace, "missing")
		if !job.Is(hidden, job.NotFound) || !job.Is(missing, job.NotFound) {
			t.Errorf("%v, and for a job that is not there %v", hidden, missing)
		}
	}
	for _, sight := range []access.Sight{
		{All: true}, {Places: []access.Place{{Namespace: j.Namespace, Group: j.Group}}}, {Places: []access.Place{{Namespace: j.Namespace, Group: access.All}}},
	} {
		if got, err := c.Seen(t.Context(), &sight, j.Namespace, j.Key); err != nil || got.ID != j.ID {
			t.Errorf("%+v sees %d, %v", sight, got.ID, err)
		}
	}
}
