package route

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestShard(t *testing.T) {
	t.Parallel()
	all := []string{"http://1", "http://2", "http://3"}
	for _, c := range []struct {
		name       string
		shard, try int
		home       string
		want       string
	}{
		{"at home", 7, 0, "http://3", "http://3"},
		{"its home is gone", 1, 0, "http://gone", "http://2"},
		{"no home", 4, 0, "", "http://2"},
		{"the next try", 4, 1, "", "http://3"},
		{"round again", 4, 2, "", "http://1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := NewSet(Config{}).Pick(t.Context(), job.RouteBroadcast, Request{Addresses: all, Shard: c.shard, Try: c.try, Home: c.home})
			if err != nil || got.Address != c.want {
				t.Errorf("picked %+v, %v; want %s", got, err, c.want)
			}
		})
	}
}

// A shard that is tried again goes to every address in turn.
func TestShardGoesRound(t *testing.T) {
	t.Parallel()
	set := NewSet(Config{})
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.StringN(1, 9, -1), 1, 9, rapid.ID[string]).Draw(r, "addresses")
		index, seen := rapid.IntRange(0, 999).Draw(r, "shard"), map[string]bool{}
		for try := range all {
			got, err := set.Pick(t.Context(), job.RouteBroadcast, Request{Addresses: all, Shard: index, Try: try})
			if err != nil {
				r.Fatal(err)
			}
			seen[got.Address] = true
		}
		if len(seen) != len(all) {
			r.Fatalf("%d tries went to %d of %d addresses", len(all), len(seen), len(all))
		}
	})
}
