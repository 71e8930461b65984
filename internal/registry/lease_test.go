package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// TestLease shows how long a beat counts, by what the executor says of its own
// beats: two of them may get lost.
func TestLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for _, test := range []struct{ every, want time.Duration }{
			{0, 90 * time.Second}, // it does not say
			{-time.Second, 90 * time.Second},
			{time.Second, 25 * time.Second},
			{10 * time.Second, 25 * time.Second},
			{20 * time.Second, 50 * time.Second},
			{time.Hour, 90 * time.Second},
		} {
			began := time.Now()
			s.beatWith(job.Life{Incarnation: "x", Every: test.every})
			e, known := s.r.Executor("a", "http://e1")
			if got := e.LeaseUntil.Sub(began); !known || got != test.want {
				t.Errorf("a beat every %v counts for %v; want %v", test.every, got, test.want)
			}
		}
	})
}
