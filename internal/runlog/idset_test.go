package runlog

import (
	"testing"

	"pgregory.net/rapid"
)

// A set has exactly the attempts that it was made of, and one of attempts that lie far
// apart excludes none.
func TestIDSet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		low := rapid.Int64Range(1, 1<<62).Draw(r, "low")
		has := map[int64]bool{low: true}
		entries := []recordLocation{{attempt: low}}
		for range rapid.IntRange(0, 50).Draw(r, "more") {
			next := entries[len(entries)-1].attempt + rapid.Int64Range(1, 200).Draw(r, "gap")
			has[next], entries = true, append(entries, recordLocation{attempt: next})
		}
		set := makeIDSet(entries)
		for id := low - 130; id <= entries[len(entries)-1].attempt+130; id++ {
			if set.mayHave(id) != has[id] {
				r.Fatalf("%d of %v: %v", id, entries, !has[id])
			}
		}
	})
	if set := makeIDSet([]recordLocation{{attempt: 1}, {attempt: 1 + maxIDSpan}}); !set.mayHave(7) {
		t.Error("a set that was not made leaves an attempt out")
	}
	if set := makeIDSet(nil); !set.mayHave(7) {
		t.Error("an empty pack leaves an attempt out")
	}
}

// An attempt whose number lies between those of a pack is not searched for in it, and one that
// is in it is found.
func TestCandidatesBetween(t *testing.T) {
	t.Parallel()
	s := &shelf{day: "2026-01-01"}
	for number := 1; number <= rememberedPacks+2; number++ {
		entries := []recordLocation{{attempt: 1}, {attempt: 3}, {attempt: int64(4 + 2*number)}}
		var all spans
		all[0] = attemptRange{1, entries[2].attempt}
		s.addSealed(sealed{number: number, spans: all, ids: makeIDSet(entries)})
	}
	if got := s.candidates(5); len(got) > 0 {
		t.Errorf("attempt 5 is looked for in %v", got)
	}
	if got := s.candidates(3); len(got) != rememberedPacks+2 {
		t.Errorf("attempt 3 is looked for in %v", got)
	}
	if got := s.candidates(6); len(got) != 1 || got[0] != packPath(s.day, 1) {
		t.Errorf("attempt 6 is looked for in %v", got)
	}
}
