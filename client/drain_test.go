package client_test

import (
	"context"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

func (m *memory) Drain(_ context.Context, group, address string, on bool) (bool, error) {
	if group != "My.Group" {
		return false, job.Errorf(job.NotFound, "no such executor")
	}
	return on && address != "", nil
}

// The wish to drain goes to a real API and its answer comes back.
func TestDrain(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	const address = "http://10.0.0.5:9999/a?b&c"
	for _, on := range []bool{true, false} {
		d, err := c.Drain(t.Context(), "My.Group", address, on)
		if want := (api.Draining{Group: "My.Group", Address: address, Draining: on}); err != nil || d != want {
			t.Errorf("Drain(%v) = %+v, %v; want %+v", on, d, err, want)
		}
	}
	if _, err := c.Drain(t.Context(), "Other", address, true); !job.Is(err, job.NotFound) {
		t.Errorf("an executor that is not there: %v", err)
	}
	if _, err := c.Drain(t.Context(), "..", address, true); !job.Is(err, job.Invalid) {
		t.Errorf("a group that is none: %v", err)
	}
}
