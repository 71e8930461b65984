package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// Leases begin and end by the database's time: a server whose clock is an hour behind writes
// none that has ended for the others, and sees those of the others as they do.
func TestLeasesHaveTheDatabasesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ahead := func() time.Time { return time.Now().Add(time.Hour) } // that is how far the machine is behind
		s := newRows()
		r := New(Config{Store: s, LeaseTTL: time.Minute, Now: ahead})
		if err := r.Register(t.Context(), job.Beat{Group: "g", Address: "http://e1"}); err != nil {
			t.Fatal(err)
		}
		e, err := s.Leases(t.Context(), ahead().Add(59*time.Second))
		if err != nil || len(e) != 1 || e[0].LeaseUntil.Sub(ahead()) != time.Minute || !e[0].SeenAt.Equal(ahead()) {
			t.Errorf("the lease is %+v, %v", e, err)
		}
	})
}
