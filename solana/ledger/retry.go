package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/orthd/orth/job"
)

// Retry sets how often and how soon failed executions are tried again. It is kept in the
// file and may be changed at any time.
type Retry struct {
	// MaxRetries is how often a task is tried again before it is given up: 0 to 100.
	MaxRetries int
	// Initial is the delay before the first retry, 1 ms to Max.
	Initial time.Duration
	// Max bounds the delay before jitter is added: at most 24 h.
	Max time.Duration
	// Multiplier is by how much each delay is longer than the one before: 1 to 10.
	Multiplier float64
	// Jitter is up to which part of itself a delay is made longer: 0 to 1.
	Jitter float64
}

// DefaultRetry returns what holds until SetRetry: 5 retries, after 1 s and twice as long each time, up to 5 min and a tenth.
func DefaultRetry() Retry {
	return Retry{MaxRetries: 5, Initial: time.Second, Max: 5 * time.Minute, Multiplier: 2, Jitter: 0.1}
}

// Check returns job.Invalid when a value is outside its bounds.
func (r Retry) Check() error {
	switch {
	case r.MaxRetries < 0 || r.MaxRetries > 100:
		return job.FieldErrorf("max_retries", "is %d: 0 to 100 are possible", r.MaxRetries)
	case r.Max < time.Millisecond || r.Max > 24*time.Hour:
		return job.FieldErrorf("max_delay", "is %v: 1ms to 24h are possible", r.Max)
	case r.Initial < time.Millisecond || r.Initial > r.Max:
		return job.FieldErrorf("initial_delay", "is %v: 1ms to the longest delay, %v, are possible", r.Initial, r.Max)
	case !(r.Multiplier >= 1 && r.Multiplier <= 10): // NaN is neither
		return job.FieldErrorf("backoff_multiplier", "is %v: 1 to 10 are possible", r.Multiplier)
	case !(r.Jitter >= 0 && r.Jitter <= 1):
		return job.FieldErrorf("jitter_factor", "is %v: 0 to 1 are possible", r.Jitter)
	}
	return nil
}

// Delay returns how long is waited after so many tries before the next, in whole milliseconds: Initial·Multiplier^tries, Max at
// most, and Jitter of that times random, which is in [0,1).
func (r Retry) Delay(tries int, random float64) time.Duration {
	bounded := min(float64(r.Initial)*math.Pow(r.Multiplier, float64(max(tries, 0))), float64(r.Max))
	return time.Duration(bounded + random*r.Jitter*bounded).Truncate(time.Millisecond)
}

// storedRetry is Retry as the config store keeps it.
type storedRetry struct {
	Version    int     `json:"version"`
	MaxRetries int     `json:"max_retries"`
	Initial    int64   `json:"initial_delay_ms"`
	Max        int64   `json:"max_delay_ms"`
	Multiplier float64 `json:"backoff_multiplier"`
	Jitter     float64 `json:"jitter_factor"`
}

const retryVersion = 1

func (r Retry) encode() ([]byte, error) {
	return json.Marshal(storedRetry{
		Version: retryVersion, MaxRetries: r.MaxRetries, Initial: r.Initial.Milliseconds(), Max: r.Max.Milliseconds(),
		Multiplier: r.Multiplier, Jitter: r.Jitter,
	})
}

func decodeRetry(data []byte) (Retry, error) {
	var s storedRetry
	if err := json.Unmarshal(data, &s); err != nil {
		return Retry{}, fmt.Errorf("the retries of the file: %w", err)
	}
	if s.Version != retryVersion {
		return Retry{}, job.Errorf(job.Conflict, "the retries of the file are of version %d, this program knows %d", s.Version, retryVersion)
	}
	r := Retry{
		MaxRetries: s.MaxRetries, Initial: time.Duration(s.Initial) * time.Millisecond, Max: time.Duration(s.Max) * time.Millisecond,
		Multiplier: s.Multiplier, Jitter: s.Jitter,
	}
	return r, r.Check()
}
