package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// lowest draws 0, so that random strategies take the first of what they have.
func lowest(int) int { return 0 }

// picks returns n picks of one job, joined.
func picks(t rapid.TB, s *Set, kind job.Route, r Request, n int) string {
	t.Helper()
	var b strings.Builder
	for range n {
		choice, err := s.Pick(context.Background(), kind, r)
		if err != nil {
			t.Fatalf("Pick(%s) = %v", kind, err)
		}
		b.WriteString(choice.Address)
	}
	return b.String()
}

func TestLast(t *testing.T) {
	t.Parallel()
	if got := picks(t, NewSet(Config{}), job.RouteLast, Request{JobID: 7, Addresses: []string{"a", "b", "c"}}, 3); got != "ccc" {
		t.Errorf("picked %s, want ccc", got)
	}
}

func TestLeastFrequent(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{Random: lowest})
	two, three := Request{JobID: 7, Addresses: []string{"a", "b"}}, Request{JobID: 7, Addresses: []string{"a", "b", "c"}}
	if got := picks(t, s, job.RouteLeastFrequent, two, 4); got != "abab" {
		t.Errorf("picked %s, want abab", got)
	}
	if got := picks(t, s, job.RouteLeastFrequent, three, 4); got != "ccab" {
		t.Errorf("a newcomer: picked %s, want ccab: it catches up, and then all take turns", got)
	}
	other := Request{JobID: 8, Addresses: []string{"a", "b"}}
	if got := picks(t, s, job.RouteLeastFrequent, other, 2); got != "ab" {
		t.Errorf("another job: picked %s, want ab: jobs are counted apart", got)
	}
}

func TestLeastFrequentForgetsCountsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	s := newFrequent(lowest)
	s.counts.put(7, map[string]int{"a": maxPicks + 1, "b": maxPicks})
	choice, err := s.choose(t.Context(), Request{JobID: 7, Addresses: []string{"a", "b"}})
	if err != nil || choice.Address != "a" {
		t.Errorf("picked %s, %v; want a: its count begins anew", choice.Address, err)
	}
}

func TestLeastRecent(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	steps := []struct {
		addresses []string
		want      string
	}{
		{[]string{"a", "b", "c"}, "abcab"},
		{[]string{"b", "c"}, "cbcb"},          // a is gone
		{[]string{"a", "b", "c", "d"}, "adc"}, // a is back and d is new: both were never sent to
	}
	for _, step := range steps {
		r := Request{JobID: 7, Addresses: step.addresses}
		if got := picks(t, s, job.RouteLeastRecent, r, len(step.want)); got != step.want {
			t.Errorf("of %v picked %s, want %s", step.addresses, got, step.want)
		}
	}
}

// Among addresses that stay, no one is picked again before all others were.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	for _, kind := range []job.Route{job.RouteLeastRecent, job.RouteLeastFrequent, job.RouteRound, job.RouteWeighted} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 9).Draw(t, "addresses")
				var r Request
				for i := range n {
					r.Addresses = append(r.Addresses, fmt.Sprint(i))
				}
				s := NewSet(Config{Random: lowest})
				all := picks(t, s, kind, r, 5*n)
				for round := range slices.Chunk([]byte(all), n) {
					slices.Sort(round)
					if string(round) != "0123456789"[:n] {
						t.Fatalf("picks %s: a round of %d leaves one out", all, n)
					}
				}
			})
		})
	}
}

func TestBusyover(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		state beats
		want  Choice
		err   string
	}{
		{"the first is idle", beats{"b": errBusy}, Choice{Address: "a"}, ""},
		{"the first is busy", beats{"a": errBusy}, Choice{Address: "b", Note: "a is busy with the job"}, ""},
		{
			"the first is dead",
			beats{"a": errors.New("connection refused")},
			Choice{Address: "b", Note: "a does not answer: connection refused"},
			"",
		},
		{
			"none is idle",
			beats{"a": errBusy, "b": errors.New("timed out")},
			Choice{},
			"no executor is idle: a is busy with the job; b does not answer: timed out",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := NewSet(Config{Prober: tc.state}).Pick(t.Context(), job.RouteBusyover,
				Request{JobID: 1, Addresses: []string{"a", "b"}})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}
			if tc.err == "" && err != nil || tc.err != "" && (!job.Is(err, job.Unavailable) || err.Error() != tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
		})
	}
}

func TestLeastLoaded(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	loads := map[string]int{"a": 3, "b": 1, "c": 1, "d": 2}
	r := Request{JobID: 7, Addresses: []string{"a", "b", "c", "d"}, Load: func(a string) int { return loads[a] }}
	got := picks(t, s, job.RouteLeastLoaded, r, 400)
	if b, c := strings.Count(got, "b"), strings.Count(got, "c"); b+c != 400 || b < 100 || c < 100 {
		t.Errorf("b was picked %d times and c %d of 400, want only them and about as often", b, c)
	}
	r.Load = nil
	if got := picks(t, s, job.RouteLeastLoaded, r, 400); len(strings.Trim(got, "a")) == 0 || !strings.Contains(got, "d") {
		t.Error("without loads not every address is picked")
	}
}

func TestWeighted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		weights map[string]int
		want    string
	}{
		{map[string]int{"a": 1, "b": 1, "c": 1}, "abcabc"},
		{map[string]int{"a": 5, "b": 1, "c": 1}, "aabacaa"},
		{map[string]int{"a": 3, "b": 0, "c": -4}, "aaa"},
		{map[string]int{"a": 0, "b": 0, "c": 0}, "aaa"},
	} {
		r := Request{JobID: 7, Addresses: []string{"a", "b", "c"}, Weight: func(a string) int { return tc.weights[a] }}
		if got := picks(t, NewSet(Config{}), job.RouteWeighted, r, len(tc.want)); got != tc.want {
			t.Errorf("weights %v: picked %s, want %s", tc.weights, got, tc.want)
		}
	}
}

// Over a whole cycle every address is picked as often as its weight says.
func TestWeightedKeepsProportions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(0, 7), 1, 6).Draw(t, "weights")
		var r Request
		total := 0
		for i, w := range weights {
			r.Addresses = append(r.Addresses, fmt.Sprint(i))
			total += w
		}
		if total == 0 {
			total, weights[0] = 1, 1
		}
		r.Weight = func(a string) int { return weights[a[0]-'0'] }
		got := picks(t, NewSet(Config{}), job.RouteWeighted, r, 3*total)
		for i, w := range weights {
			if n := strings.Count(got, fmt.Sprint(i)); n != 3*w {
				t.Fatalf("weights %v: address %d was picked %d times of %d, want %d", weights, i, n, 3*total, 3*w)
			}
		}
	})
}

func TestMemoryOfJobsIsBounded(t *testing.T) {
	t.Parallel()
	f, l, w := newFrequent(lowest), newLongest(), newWeighted()
	for id := range int64(3 * maxCounted) {
		r := Request{JobID: id, Addresses: []string{"a", "b"}}
		for _, s := range []strategy{f, l, w} {
			if _, err := s.choose(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, n := range map[string]int{"frequent": f.counts.size(), "longest": l.order.size(), "weighted": w.credits.size()} {
		if n > maxCounted {
			t.Errorf("%s keeps %d jobs, want at most %d", name, n, maxCounted)
		}
	}
}
