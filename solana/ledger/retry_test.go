package ledger

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// A delay is between Initial·Multiplier^tries, bounded by Max, and that with all its jitter; and never shorter than the one before.
func TestDelay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		longest := time.Duration(rapid.Int64Range(1, 24*3600*1000).Draw(rt, "max")) * time.Millisecond
		r := Retry{
			MaxRetries: rapid.IntRange(0, 100).Draw(rt, "retries"),
			Initial:    time.Duration(rapid.Int64Range(1, longest.Milliseconds()).Draw(rt, "initial")) * time.Millisecond,
			Max:        longest,
			Multiplier: rapid.Float64Range(1, 10).Draw(rt, "multiplier"),
			Jitter:     rapid.Float64Range(0, 1).Draw(rt, "jitter"),
		}
		if err := r.Check(); err != nil {
			rt.Fatalf("%+v: %v", r, err)
		}
		tries := rapid.IntRange(0, 200).Draw(rt, "tries")
		random := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(rt, "random")
		bounded := min(float64(r.Initial)*math.Pow(r.Multiplier, float64(tries)), float64(r.Max))
		got := r.Delay(tries, random)
		if low := time.Duration(bounded).Truncate(time.Millisecond); got < low {
			rt.Errorf("%v is shorter than %v", got, low)
		}
		if high := time.Duration(bounded * (1 + r.Jitter)); got > high {
			rt.Errorf("%v is longer than %v", got, high)
		}
		if got != got.Truncate(time.Millisecond) {
			rt.Errorf("%v are no whole milliseconds", got)
		}
		if next := r.Delay(tries+1, 0); next < r.Delay(tries, 0) {
			rt.Errorf("the next delay, %v, is shorter", next)
		}
	})
	if got := DefaultRetry().Delay(3, 0.5); got != 8400*time.Millisecond {
		t.Errorf("the fourth delay is %v, want 8.4s", got)
	}
}

func TestRetryBounds(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*Retry){
		"max_retries":        func(r *Retry) { r.MaxRetries = -1 },
		"max_delay":          func(r *Retry) { r.Max = 25 * time.Hour },
		"initial_delay":      func(r *Retry) { r.Initial = 0 },
		"backoff_multiplier": func(r *Retry) { r.Multiplier = math.NaN() },
		"jitter_factor":      func(r *Retry) { r.Jitter = 1.5 },
	} {
		r := DefaultRetry()
		change(&r)
		if err := r.Check(); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", field, err)
		}
		data, err := r.encode()
		if field == "backoff_multiplier" {
			if err == nil {
				t.Errorf("%s: was encoded: %s", field, data)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := decodeRetry(data); err == nil {
			t.Errorf("%s: %s was read", field, data)
		}
	}
}
