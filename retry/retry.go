// Package retry says when a failed thing is tried again: the backoff curve, its
// cap and jitter, and the rule for giving up.
//
// It knows numbers only. It must never know a clock, a queue or a job: the
// number of tries so far and a random number come in, a delay or "give up"
// goes out.
package retry

import (
	"math"
	"slices"
	"time"
)

// Limits of a Policy.
const (
	MaxTries    = 1000
	MaxDelayCap = 30 * 24 * time.Hour
	MaxDelays   = 100 // entries of a list of delays
)

// The ends that a Policy may be bounded to. They are the words of package job's
// states.
const (
	OnFailed   = "failed"
	OnTimedOut = "timed_out"
	OnLost     = "lost"
)

// Policy is how often and how soon something is tried again. The zero Policy
// never retries.
type Policy struct {
	// Tries is the number of retries after the first attempt, 0..[MaxTries].
	// Defaults to 0: no retry.
	Tries int `json:"tries,omitempty"`
	// Initial is the delay before the first retry. Defaults to 0: at once.
	Initial time.Duration `json:"initial,omitempty"`
	// Multiplier is the growth from one delay to the next, 1..100.
	// Defaults to 2 when Initial is set.
	Multiplier float64 `json:"multiplier,omitempty"`
	// Max caps a delay before jitter, up to [MaxDelayCap].
	// Defaults to [MaxDelayCap].
	Max time.Duration `json:"max,omitempty"`
	// Jitter is the share of a delay that is random, 0..1: a delay d becomes
	// a value evenly spread over [d*(1-Jitter), d*(1+Jitter)]. Defaults to 0.
	Jitter float64 `json:"jitter,omitempty"`
	// Delays are the delays one by one, at most [MaxDelays], the last of them
	// for all that follow. They take the place of Initial and Multiplier.
	Delays []time.Duration `json:"delays,omitempty"`
	// On are the ends that are tried again: "failed", "timed_out", "lost".
	// None means all of them.
	On []string `json:"on,omitempty"`
}

// IsZero reports whether p has no field set.
func (p Policy) IsZero() bool {
	return p.Tries == 0 && p.Initial == 0 && p.Multiplier == 0 && p.Max == 0 && p.Jitter == 0 &&
		len(p.Delays) == 0 && len(p.On) == 0
}

// Covers reports whether an end of that name is tried again.
func (p Policy) Covers(end string) bool { return len(p.On) == 0 || slices.Contains(p.On, end) }

// Delay returns the wait before retry number n (1 is the first retry), and
// false when the policy gives up. random is a value in [0,1) that the caller
// draws; the same value gives the same delay. The result is never negative and
// never above Max by more than the jitter.
func (p Policy) Delay(n int, random float64) (time.Duration, bool) {
	if n < 1 || n > p.Tries {
		return 0, false
	}
	limit := p.Max
	if limit <= 0 || limit > MaxDelayCap {
		limit = MaxDelayCap
	}
	delay := min(p.curve(n), float64(limit))
	if math.IsNaN(delay) {
		delay = float64(limit)
	}
	if p.Jitter > 0 {
		delay *= 1 + min(p.Jitter, 1)*(2*random-1)
	}
	return time.Duration(max(delay, 0)), true
}

// curve returns the delay before retry number n in nanoseconds, which may be
// infinite or not a number.
func (p Policy) curve(n int) float64 {
	if len(p.Delays) > 0 {
		return float64(p.Delays[min(n, len(p.Delays))-1])
	}
	if p.Initial <= 0 {
		return 0
	}
	multiplier := p.Multiplier
	if multiplier < 1 {
		multiplier = 2
	}
	return float64(p.Initial) * math.Pow(multiplier, float64(n-1))
}
