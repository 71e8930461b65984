package route

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestConsistentPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint32{
		"1":                                  943901380,
		"SHARD-http://10.0.0.1:9999/-NODE-0": 3725898238,
	} {
		if got := place([]byte(text)); got != want {
			t.Errorf("place(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestConsistentAgreesWithJavaAdmins(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	hosts := []string{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}
	for id, host := range map[int64]int{
		1: 3, 2: 3, 3: 1, 4: 3, 5: 1, 6: 3, 7: 2, 8: 2, 9: 1, 10: 1, 11: 1, 12: 1, 100: 3, 12345: 2,
	} {
		if got := mustPick(t, s, job.RouteConsistentHash, id, hosts...); got != hosts[host-1] {
			t.Errorf("job %d goes to %s, want %s", id, got, hosts[host-1])
		}
	}
}

func TestConsistentLaterAddressHasASharedPoint(t *testing.T) {
	t.Parallel()
	// The same address twice makes every point a shared one.
	r := newRing([]string{"http://a", "http://a"})
	if len(r.points) != pointsPerAddress {
		t.Fatalf("%d points, want %d", len(r.points), pointsPerAddress)
	}
	for _, p := range r.points {
		if p.owner != 1 {
			t.Fatalf("point %d belongs to address %d, want the later one", p.at, p.owner)
		}
	}
}

func TestConsistentGoesRoundTheEnd(t *testing.T) {
	t.Parallel()
	r := &ring{addresses: []string{"low", "high"}, points: []point{{at: 10, owner: 0}, {at: 20, owner: 1}}}
	// Job 1 stands at 943901380, behind every point.
	if got := r.owner(1); got != "low" {
		t.Errorf("picked %s, want low: the first point of the ring", got)
	}
	r.points = []point{{at: 10, owner: 0}, {at: 943901380, owner: 1}}
	if got := r.owner(1); got != "high" {
		t.Errorf("picked %s, want high: the point at the very place", got)
	}
}

func TestConsistentMovesOnlyTheJobsOfTheAddressThatLeft(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "addresses")
		var before []string
		for i := range n {
			before = append(before, fmt.Sprintf("http://10.0.0.%d:9999/", i))
		}
		left := rapid.SampledFrom(before).Draw(t, "left")
		after := slices.DeleteFunc(slices.Clone(before), func(a string) bool { return a == left })
		for range 20 {
			id := rapid.Int64Min(1).Draw(t, "job")
			was := mustPick(t, s, job.RouteConsistentHash, id, before...)
			now := mustPick(t, s, job.RouteConsistentHash, id, after...)
			if was != left && was != now {
				t.Fatalf("job %d moved from %s to %s when %s left", id, was, now, left)
			}
			if now == left {
				t.Fatalf("job %d goes to %s, which has left", id, now)
			}
		}
	})
}

func TestConsistentSpreadsJobs(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	addresses := []string{"http://a", "http://b", "http://c", "http://d"}
	count := map[string]int{}
	for id := range int64(4000) {
		count[mustPick(t, s, job.RouteConsistentHash, id, addresses...)]++
	}
	for _, address := range addresses {
		if n := count[address]; n < 600 || n > 1600 {
			t.Errorf("%s has %d of 4,000 jobs", address, n)
		}
	}
}

func TestConsistentKeepsRingsWithinItsLimit(t *testing.T) {
	t.Parallel()
	s := newConsistent()
	for i := range 3 * maxRings {
		list := []string{fmt.Sprintf("http://10.0.0.%d/", i)}
		built := s.ringOf(list)
		if again := s.ringOf(list); again != built {
			t.Fatal("a ring was built twice for the same list")
		}
	}
	if n := s.rings.size(); n > maxRings {
		t.Errorf("%d rings are kept, want at most %d", n, maxRings)
	}
}

func BenchmarkConsistent(b *testing.B) {
	for _, n := range []int{3, 100, 1000} {
		b.Run(fmt.Sprintf("addresses=%d", n), func(b *testing.B) {
			s := NewSet(Config{})
			var addresses []string
			for i := range n {
				addresses = append(addresses, fmt.Sprintf("http://10.0.%d.%d:9999/", i/256, i%256))
			}
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				mustPick(b, s, job.RouteConsistentHash, i, addresses...)
			}
		})
	}
}
