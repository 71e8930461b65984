package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

func TestExecutorByAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows()})
		for _, b := range []job.Beat{
			{Group: "a", Address: "http://e2", Features: []string{"weight=2"}},
			{Group: "a", Address: "http://e1"},
			{Group: "b", Address: "http://e2", Features: []string{"zone=eu"}},
		} {
			if err := r.Register(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second) // the rows are read meanwhile
		synctest.Wait()
		for _, c := range []struct{ group, address, feature string }{
			{"a", "http://e2", "weight=2"},
			{"b", "http://e2", "zone=eu"},
		} {
			e, ok := r.Executor(c.group, c.address)
			if !ok || e.Group != c.group || e.Address != c.address || len(e.Features) != 1 || e.Features[0] != c.feature {
				t.Errorf("%s in group %s: %t, %+v", c.address, c.group, ok, e)
			}
		}
		for _, s := range []seat{{"b", "http://e1"}, {"c", "http://e1"}, {"a", "http://e3"}} {
			if e, ok := r.Executor(s.group, s.address); ok {
				t.Errorf("%v is known: %+v", s, e)
			}
		}
	})
}
