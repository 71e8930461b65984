// Package retry says when a failed thing is tried again: the backoff curve, its
// cap and jitter, and the rule for giving up.
//
// It knows numbers only. It must never know a clock, a queue or a job: the
// number of tries so far and a random number come in, a delay or "give up"
// goes out.
package retry

import (
	"math"
	"time"
)

// Limits of a Policy.
const (
	MaxTries    = 1000
	MaxDelayCap = 30 * 24 * time.Hour
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
}

// Delay returns the wait before retry number n (1 is the first retry), and
// false when the policy gives up. random is a value in [0,1) that the caller
// draws; the same value gives the same delay. The result is never negative and
// never above Max by more than the jitter.
func (p Policy) Delay(n int, random float64) (time.Duration, bool) {
	if n < 1 || n > p.Tries {
		return 0, false
	}
	if p.Initial <= 0 {
		return 0, true
	}
	limit := p.Max
	if limit <= 0 || limit > MaxDelayCap {
		limit = MaxDelayCap
	}
	multiplier := p.Multiplier
	if multiplier < 1 {
		multiplier = 2
	}
	delay := float64(p.Initial) * math.Pow(multiplier, float64(n-1))
	if delay > float64(limit) || math.IsInf(delay, 0) || math.IsNaN(delay) {
		delay = float64(limit)
	}
	if p.Jitter > 0 {
		delay *= 1 + min(p.Jitter, 1)*(2*random-1)
	}
	return time.Duration(max(delay, 0)), true
}
