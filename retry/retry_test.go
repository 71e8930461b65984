package retry

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	const s = time.Second
	tests := []struct {
		name   string
		policy Policy
		n      int
		random float64
		want   time.Duration
		again  bool
	}{
		{"the zero policy gives up", Policy{}, 1, 0, 0, false},
		{"no retry 0", Policy{Tries: 3, Initial: s}, 0, 0, 0, false},
		{"no retry below 0", Policy{Tries: 3, Initial: s}, -1, 0, 0, false},
		{"at once", Policy{Tries: 3}, 3, 0.9, 0, true},
		{"at once, whatever the rest", Policy{Tries: 3, Multiplier: 9, Jitter: 1}, 3, 0.9, 0, true},
		{"a negative delay is at once", Policy{Tries: 3, Initial: -s}, 1, 0, 0, true},
		{"the first delay", Policy{Tries: 3, Initial: s}, 1, 0.9, s, true},
		{"doubles by default", Policy{Tries: 3, Initial: s}, 3, 0.9, 4 * s, true},
		{"the last try", Policy{Tries: 3, Initial: s}, 3, 0, 4 * s, true},
		{"one more gives up", Policy{Tries: 3, Initial: s}, 4, 0, 0, false},
		{"multiplier", Policy{Tries: 3, Initial: s, Multiplier: 10}, 3, 0, 100 * s, true},
		{"constant", Policy{Tries: 3, Initial: s, Multiplier: 1}, 3, 0, s, true},
		{"a multiplier below 1 is the default", Policy{Tries: 3, Initial: s, Multiplier: 0.5}, 2, 0, 2 * s, true},
		{"capped", Policy{Tries: 9, Initial: s, Max: 5 * s}, 4, 0, 5 * s, true},
		{"capped from the start", Policy{Tries: 9, Initial: 9 * s, Max: 5 * s}, 1, 0, 5 * s, true},
		{"capped by default", Policy{Tries: 100, Initial: s}, 100, 0, MaxDelayCap, true},
		{"no cap above the limit", Policy{Tries: 100, Initial: s, Max: 2 * MaxDelayCap}, 100, 0, MaxDelayCap, true},
		{"far beyond floats", Policy{Tries: MaxTries, Initial: s, Multiplier: 100}, MaxTries, 0, MaxDelayCap, true},
		{"not a number", Policy{Tries: 3, Initial: s, Multiplier: math.NaN(), Max: 5 * s}, 2, 0, 5 * s, true},
		{"a list", Policy{Tries: 3, Delays: []time.Duration{s, 9 * s, 4 * s}}, 2, 0, 9 * s, true},
		{"the last of a list goes on", Policy{Tries: 30, Delays: []time.Duration{s, 9 * s, 4 * s}}, 30, 0, 4 * s, true},
		{"a list gives up too", Policy{Tries: 1, Delays: []time.Duration{s, 9 * s}}, 2, 0, 0, false},
		{"a list wins over the curve", Policy{Tries: 3, Initial: s, Delays: []time.Duration{7 * s}}, 3, 0, 7 * s, true},
		{"a list is capped", Policy{Tries: 3, Max: 2 * s, Delays: []time.Duration{7 * s}}, 1, 0, 2 * s, true},
		{"a list has jitter", Policy{Tries: 3, Jitter: 0.5, Delays: []time.Duration{10 * s}}, 1, 0, 5 * s, true},
		{"a negative delay of a list is at once", Policy{Tries: 3, Delays: []time.Duration{-s}}, 1, 0, 0, true},
		{"jitter, the least", Policy{Tries: 3, Initial: 10 * s, Jitter: 0.2}, 1, 0, 8 * s, true},
		{"jitter, the middle", Policy{Tries: 3, Initial: 10 * s, Jitter: 0.2}, 1, 0.5, 10 * s, true},
		{"jitter, near the most", Policy{Tries: 3, Initial: 10 * s, Jitter: 0.5}, 1, 0.75, 12500 * time.Millisecond, true},
		{"jitter above 1 is 1", Policy{Tries: 3, Initial: 10 * s, Jitter: 7}, 1, 0, 0, true},
		{"a negative jitter is none", Policy{Tries: 3, Initial: 10 * s, Jitter: -1}, 1, 0, 10 * s, true},
		{"jitter on the cap", Policy{Tries: 9, Initial: s, Max: 4 * s, Jitter: 0.5}, 9, 0.75, 5 * s, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, again := tc.policy.Delay(tc.n, tc.random); got != tc.want || again != tc.again {
				t.Errorf("Delay(%d, %v) = %s, %t; want %s, %t", tc.n, tc.random, got, again, tc.want, tc.again)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	every, some := Policy{}, Policy{On: []string{OnTimedOut, OnLost}}
	for end, want := range map[string]bool{OnFailed: false, OnTimedOut: true, OnLost: true} {
		if !every.Covers(end) {
			t.Errorf("a policy without a list does not cover %s", end)
		}
		if got := some.Covers(end); got != want {
			t.Errorf("%v covers %s: %t", some.On, end, got)
		}
	}
	if !every.IsZero() || some.IsZero() || (Policy{Delays: []time.Duration{1}}).IsZero() || (Policy{Max: 1}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

// policies draws any policy within the limits.
func policies(t *rapid.T) Policy {
	return Policy{
		Tries:      rapid.IntRange(0, MaxTries).Draw(t, "tries"),
		Initial:    time.Duration(rapid.Int64Range(0, int64(MaxDelayCap)).Draw(t, "initial")),
		Multiplier: rapid.Float64Range(0, 100).Draw(t, "multiplier"),
		Max:        time.Duration(rapid.Int64Range(0, int64(MaxDelayCap)).Draw(t, "max")),
		Jitter:     rapid.Float64Range(0, 1).Draw(t, "jitter"),
	}
}

func TestDelayStaysInItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := policies(t)
		n := rapid.IntRange(-1, MaxTries+1).Draw(t, "n")
		random := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "random")
		got, again := p.Delay(n, random)
		if again != (n >= 1 && n <= p.Tries) {
			t.Fatalf("%+v: Delay(%d) goes on: %t", p, n, again)
		}
		if same, _ := p.Delay(n, random); same != got {
			t.Fatalf("%+v: Delay(%d, %v) is %s and then %s", p, n, random, got, same)
		}
		p.Jitter, random = 0, 0
		middle, _ := p.Delay(n, random)
		limit := p.Max
		if limit == 0 {
			limit = MaxDelayCap
		}
		if middle < 0 || middle > limit {
			t.Fatalf("%+v: Delay(%d) = %s is not within 0..%s", p, n, middle, limit)
		}
	})
}

func TestJitterSpreadsAroundTheDelay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := policies(t)
		p.Tries = MaxTries
		n := rapid.IntRange(1, MaxTries).Draw(t, "n")
		low := rapid.Float64Range(0, 0.5).Draw(t, "low")
		high := rapid.Float64Range(low, math.Nextafter(1, 0)).Draw(t, "high")
		less, _ := p.Delay(n, low)
		more, _ := p.Delay(n, high)
		if less < 0 || more < less {
			t.Fatalf("%+v: Delay(%d) is %s for %v and %s for %v", p, n, less, low, more, high)
		}
		plain := p
		plain.Jitter = 0
		middle, _ := plain.Delay(n, 0)
		spread := time.Duration(float64(middle)*p.Jitter) + 3 // rounding, of the middle too
		if less < middle-spread || more > middle+spread {
			t.Fatalf("%+v: Delay(%d) is %s..%s, more than %s from %s", p, n, less, more, spread, middle)
		}
	})
}

func TestDelayGrowsWithoutJitter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := policies(t)
		p.Jitter, p.Tries = 0, MaxTries
		n := rapid.IntRange(1, MaxTries-1).Draw(t, "n")
		random := rapid.Float64Range(0, 1).Draw(t, "random")
		this, _ := p.Delay(n, random)
		next, _ := p.Delay(n+1, random)
		if next < this {
			t.Fatalf("%+v: retry %d waits %s and retry %d waits %s", p, n, this, n+1, next)
		}
	})
}
