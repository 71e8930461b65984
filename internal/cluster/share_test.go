package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/cluster"
)

// Each job is one server's, each server has its share, and who comes or goes changes nothing
// between the others.
func TestMine(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		const jobs = 3000
		owners := func(all ...*runs) (of [jobs]int) {
			for id := range int64(jobs) {
				of[id] = -1
				for i, one := range all {
					if !one.Mine(id + 1) {
						continue
					}
					if of[id] >= 0 {
						t.Fatalf("job %d is both %d's and %d's", id+1, of[id], i)
					}
					of[id] = i
				}
				if of[id] < 0 {
					t.Fatalf("job %d is nobody's", id+1)
				}
			}
			return of
		}
		var all []*runs
		for i := range 3 {
			all = append(all, begin(t, d, cluster.Config{Name: fmt.Sprint("server", i)}))
		}
		time.Sleep(5 * time.Second)
		before := owners(all...)
		share := make(map[int]int)
		for _, owner := range before {
			share[owner]++
		}
		for i := range all {
			if share[i] < jobs/3-jobs/20 || share[i] > jobs/3+jobs/20 {
				t.Errorf("server %d has %d of %d jobs", i, share[i], jobs)
			}
		}
		all[2].stop()
		time.Sleep(5 * time.Second)
		for id, owner := range owners(all[:2]...) {
			if before[id] != 2 && owner != before[id] {
				t.Fatalf("job %d went from %d to %d when another server stopped", id+1, before[id], owner)
			}
		}
		d.set(func() {
			r := d.rows["server1"]
			r.Draining = true
			d.rows["server1"] = r
		})
		time.Sleep(5 * time.Second)
		owners(all[0])
	})
}

// A server that stops plans its jobs until the others know that they are theirs.
func TestRests(t *testing.T) {
	inBubble(t, func(t *testing.T, d *database) {
		t.Helper()
		one, two := begin(t, d, cluster.Config{Name: "one"}), begin(t, d, cluster.Config{Name: "two"})
		time.Sleep(5 * time.Second)
		one.Retire()
		for range 100 {
			time.Sleep(50 * time.Millisecond)
			if one.Resting() {
				break
			}
		}
		if !one.Resting() {
			t.Fatal("it does not rest after 5 s")
		}
		for id := range int64(100) {
			if !two.Mine(id) {
				t.Fatalf("job %d is nobody's", id)
			}
		}
	})
}

// A server that is alone, or has not heard of others yet, has all jobs.
func TestMineAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []cluster.Config{{Alone: true, Name: "one"}, {Name: "one"}} {
		if one := cluster.New(c); !one.Mine(1) || !one.Mine(2) {
			t.Errorf("%+v: not all jobs are its own", c)
		}
	}
}
