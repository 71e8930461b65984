package catalog

import (
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// everywhere is the sight of who may see everything.
func everywhere() access.Sight { return access.Sight{All: true} }

// A job beyond the sight is answered like one that does not exist.
func TestSeen(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	j := create(t, c, good())
	for _, sight := range []access.Sight{
		{}, {Places: []access.Place{{Namespace: j.Namespace, Group: "another"}, {Namespace: "another", Group: access.All}}},
	} {
		_, hidden := c.seen(t.Context(), &sight, j.Namespace, j.Key)
		all := everywhere()
		_, missing := c.seen(t.Context(), &all, j.Namespace, "missing")
		if !job.Is(hidden, job.NotFound) || !job.Is(missing, job.NotFound) {
			t.Errorf("%v, and for a job that is not there %v", hidden, missing)
		}
	}
	for _, sight := range []access.Sight{
		everywhere(), {Places: []access.Place{{Namespace: j.Namespace, Group: j.Group}}}, {Places: []access.Place{{Namespace: j.Namespace, Group: access.All}}},
	} {
		if got, err := c.seen(t.Context(), &sight, j.Namespace, j.Key); err != nil || got.ID != j.ID {
			t.Errorf("%+v sees %d, %v", sight, got.ID, err)
		}
	}
}
