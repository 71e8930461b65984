package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// beats is a Prober that knows which addresses are dead, and why.
type beats map[string]error

func (b beats) Beat(_ context.Context, address string) error { return b[address] }

// IdleBeat says that an address is busy when its error is errBusy.
func (b beats) IdleBeat(_ context.Context, address string, _ int64) (bool, error) {
	if errors.Is(b[address], errBusy) {
		return true, nil
	}
	return false, b[address]
}

var errBusy = errors.New("busy")

func mustPick(t rapid.TB, s *Set, kind job.Route, jobID int64, addresses ...string) string {
	t.Helper()
	choice, err := s.Pick(context.Background(), kind, Request{JobID: jobID, Addresses: addresses})
	if err != nil {
		t.Fatalf("Pick(%s, job %d, %v) = %v", kind, jobID, addresses, err)
	}
	return choice.Address
}

func TestPickRefuses(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{Prober: beats{}})
	for _, kind := range job.Routes() {
		_, err := s.Pick(t.Context(), kind, Request{JobID: 1})
		if !job.Is(err, job.Unavailable) || err.Error() != "no executor of the group is alive" {
			t.Errorf("Pick(%s) of no addresses = %v", kind, err)
		}
	}
	_, err := s.Pick(t.Context(), "nearest", Request{JobID: 1, Addresses: []string{"http://a"}})
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), `"nearest" is unknown`) {
		t.Errorf("Pick of an unknown route = %v", err)
	}
	for _, kind := range job.Routes() {
		if !strings.Contains(err.Error(), string(kind)) {
			t.Errorf("%q does not offer %s", err, kind)
		}
	}
}

func TestPickIsOneOfTheAddresses(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{Prober: beats{}})
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.SliceOfNDistinct(rapid.String(), 1, 20, rapid.ID).Draw(t, "addresses")
		kind := rapid.SampledFrom(job.Routes()).Draw(t, "kind")
		id := rapid.Int64().Draw(t, "job")
		if got := mustPick(t, s, kind, id, addresses...); !slices.Contains(addresses, got) {
			t.Fatalf("%s picked %q, not one of %q", kind, got, addresses)
		}
	})
}

func TestFirst(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	for range 3 {
		if got := mustPick(t, s, job.RouteFirst, 7, "b", "a"); got != "b" {
			t.Errorf("picked %s, want b", got)
		}
	}
}

func TestRandomAsksTheSource(t *testing.T) {
	t.Parallel()
	var draws []int
	next := 0
	s := NewSet(Config{Random: func(n int) int {
		draws = append(draws, n)
		next++
		return next % n
	}})
	var got []string
	for range 4 {
		got = append(got, mustPick(t, s, job.RouteRandom, 7, "a", "b", "c"))
	}
	if diff := cmp.Diff([]string{"b", "c", "a", "b"}, got); diff != "" {
		t.Errorf("picks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3, 3, 3, 3}, draws); diff != "" {
		t.Errorf("draws (-want +got):\n%s", diff)
	}
}

func TestRandomReachesAll(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	count := map[string]int{}
	const picks = 3000
	for range picks {
		count[mustPick(t, s, job.RouteRandom, 7, "a", "b", "c")]++
	}
	for _, address := range []string{"a", "b", "c"} {
		// 1,000 expected with a deviation of 26: ten deviations never happen.
		if n := count[address]; n < 740 || n > 1260 {
			t.Errorf("%s was picked %d times of %d", address, n, picks)
		}
	}
}

func TestRoundTakesTurnsPerJob(t *testing.T) {
	t.Parallel()
	starts := []int{1, 2}
	s := NewSet(Config{Random: func(int) int {
		start := starts[0]
		starts = starts[1:]
		return start
	}})
	var got []string
	for range 4 {
		got = append(got, mustPick(t, s, job.RouteRound, 1, "a", "b", "c")+mustPick(t, s, job.RouteRound, 2, "a", "b", "c"))
	}
	if diff := cmp.Diff([]string{"bc", "ca", "ab", "bc"}, got); diff != "" {
		t.Errorf("picks of two jobs that start at b and c (-want +got):\n%s", diff)
	}
}

func TestRoundIsEvenUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := NewSet(Config{})
	var mu sync.Mutex
	count := map[string]int{}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 30 {
				choice, err := s.Pick(t.Context(), job.RouteRound, Request{JobID: 7, Addresses: []string{"a", "b", "c"}})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				count[choice.Address]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(map[string]int{"a": 100, "b": 100, "c": 100}, count); diff != "" {
		t.Errorf("picks (-want +got):\n%s", diff)
	}
}

func TestRoundForgetsBeyondItsLimit(t *testing.T) {
	t.Parallel()
	s := newRound(func(int) int { return 0 })
	for id := range int64(3 * maxCounters) {
		if _, err := s.choose(t.Context(), Request{JobID: id, Addresses: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.counters.size(); n > maxCounters {
		t.Errorf("%d counters are kept, want at most %d", n, maxCounters)
	}
}

func TestFailover(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for _, tc := range []struct {
		name string
		dead beats
		want Choice
		err  string
	}{
		{"the first is well", beats{}, Choice{Address: "http://a"}, ""},
		{
			"the second is well",
			beats{"http://a": refused},
			Choice{Address: "http://b", Note: "http://a does not answer: connection refused"},
			"",
		},
		{
			"none is well",
			beats{"http://a": refused, "http://b": errors.New("timed out")},
			Choice{},
			"no executor answers: http://a does not answer: connection refused; http://b does not answer: timed out",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := NewSet(Config{Prober: tc.dead}).Pick(t.Context(), job.RouteFailover,
				Request{JobID: 1, Addresses: []string{"http://a", "http://b"}})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}
			switch {
			case tc.err == "" && err != nil:
				t.Errorf("error %v, want none", err)
			case tc.err != "" && (!job.Is(err, job.Unavailable) || err.Error() != tc.err):
				t.Errorf("error %v, want %q of kind unavailable", err, tc.err)
			}
		})
	}
}

// cancelling ends the caller's context and fails.
type cancelling struct {
	cancel context.CancelFunc
	asked  []string
}

func (c *cancelling) Beat(ctx context.Context, address string) error {
	c.asked = append(c.asked, address)
	c.cancel()
	return ctx.Err()
}

func (c *cancelling) IdleBeat(ctx context.Context, address string, _ int64) (bool, error) {
	return false, c.Beat(ctx, address)
}

func TestProbesStopWhenTheirContextEnds(t *testing.T) {
	t.Parallel()
	for _, kind := range []job.Route{job.RouteFailover, job.RouteBusyover} {
		ctx, cancel := context.WithCancel(t.Context())
		p := &cancelling{cancel: cancel}
		_, err := NewSet(Config{Prober: p}).Pick(ctx, kind, Request{JobID: 1, Addresses: []string{"a", "b"}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Pick = %v, want the context's error", kind, err)
		}
		if diff := cmp.Diff([]string{"a"}, p.asked); diff != "" {
			t.Errorf("%s: asked (-want +got):\n%s", kind, diff)
		}
	}
}

func TestProbesWithoutAProber(t *testing.T) {
	t.Parallel()
	for _, kind := range job.Routes() {
		_, err := NewSet(Config{}).Pick(t.Context(), kind, Request{JobID: 1, Addresses: []string{"a"}})
		if kind.Probes() != job.Is(err, job.Unavailable) {
			t.Errorf("%s: Pick = %v, want unavailable exactly for routes that probe", kind, err)
		}
	}
}

func TestRecentKeepsTheEntriesUsedLast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		m := newRecent[int, string](limit)
		var used []int // last one last, without repetitions
		use := func(key int) {
			used = append(slices.DeleteFunc(used, func(k int) bool { return k == key }), key)
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 12).Draw(t, "key")
			if rapid.Bool().Draw(t, "put") {
				m.put(key, fmt.Sprint(key))
				use(key)
			} else if value, found := m.get(key); found {
				if value != fmt.Sprint(key) {
					t.Fatalf("get(%d) = %q", key, value)
				}
				use(key)
			}
			if m.size() > max(limit, 2) {
				t.Fatalf("%d entries are kept, the limit is %d", m.size(), limit)
			}
			for _, recent := range used[max(0, len(used)-m.half):] {
				_, young := m.young[recent]
				_, old := m.old[recent]
				if !young && !old {
					t.Fatalf("%d was forgotten, used last: %v", recent, used)
				}
			}
		}
	})
}
