package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// beatDraining registers an executor that takes tasks, or none.
func beatDraining(t *testing.T, r *Registry, address string, draining bool) {
	t.Helper()
	if err := r.Register(t.Context(), job.Beat{Group: "a", Address: address, Life: job.Life{Incarnation: "x", Draining: draining}}); err != nil {
		t.Fatal(err)
	}
	settle()
}

// TestDraining: a draining executor is shown and not picked, also when it is the only
// one that is left.
func TestDraining(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		r := start(t, Config{Store: newRows(), Prober: n})
		beatDraining(t, r, "http://e1", false)
		beatDraining(t, r, "http://e2", false)
		wantAlive(t, r, 1, "http://e1", "http://e2")
		beatDraining(t, r, "http://e1", true)
		wantAlive(t, r, 1, "http://e2")
		n.cut("http://e2", "away")
		beatDraining(t, r, "http://e2", true)
		wantAlive(t, r, 1)
		if e, known := r.At("http://e1"); !known || !e.Draining {
			t.Errorf("a draining executor is shown as %+v, %v", e, known)
		}
		beatDraining(t, r, "http://e1", false)
		wantAlive(t, r, 1, "http://e1")
	})
}

// TestCame: an executor that was silent and shows that it is there is asked at once.
func TestCame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		r := start(t, Config{Store: newRows(), Prober: n})
		n.cut("pull://a/1", "it does not pull")
		register(t, r, "a", "pull://a/1", "http://e2")
		time.Sleep(5 * time.Second)
		wantAlive(t, r, 1, "http://e2")
		n.cut("pull://a/1", "")
		r.Came("pull://a/1")
		r.Came("pull://nobody/1")
		settle()
		wantAlive(t, r, 1, "http://e2", "pull://a/1")
	})
}

// TestPullIsNotRewritten: rules are about addresses that are called.
func TestPullIsNotRewritten(t *testing.T) {
	t.Parallel()
	rules := []job.Rewrite{{From: "10.0.0.0/8", To: "http://gateway:{port}"}}
	if got := rewritten(rules, "pull://10.0.0.1/5f0c1122334455667788990a"); got != "pull://10.0.0.1/5f0c1122334455667788990a" {
		t.Errorf("it became %s", got)
	}
	if r := New(Config{}); r.Lease(10*time.Second) != leastLease || r.Lease(0) != 90*time.Second {
		t.Errorf("leases of %s and %s", r.Lease(10*time.Second), r.Lease(0))
	}
}
