package interop

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
)

// TestTogether puts executors of all releases and languages into one group at
// the same time; a broadcast reaches every one of them, and each answers in its
// own dialect.
func TestTogether(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const group = "together"
	var (
		mu     sync.Mutex
		joined []string
		all    sync.WaitGroup
	)
	for _, p := range peers() {
		need(t, p.tools...)
		all.Go(func() {
			launch, err := p.prepare()
			if errors.Is(err, errUnpublished) {
				return
			}
			if err == nil {
				_, err = s.join(t, p, launch, group)
			}
			if err != nil {
				t.Errorf("%s: %v", p.title(), err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			joined = append(joined, p.title())
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	if err := s.create("all", group, "--handler", "ok", "--param", "all", "--route", "broadcast"); err != nil {
		t.Fatal(err)
	}
	f, err := s.trigger("all")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ended(&f, "succeeded"); err != nil {
		t.Fatal(err)
	}
	shards, err := s.shards(f)
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(joined)
	if len(shards) != len(joined) {
		t.Fatalf("%d shards for the executors %v", len(shards), joined)
	}
	for i, shard := range shards {
		if shard.State != "succeeded" || !strings.Contains(shard.Message, "did all") {
			t.Errorf("shard %d: %s", i, shard)
		}
		if _, err := s.log(shard, fmt.Sprintf("shard %d of %d", i, len(shards))); err != nil {
			t.Errorf("shard %d: %v", i, err)
		}
	}
}
