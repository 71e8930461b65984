package api

import (
	"time"

	"github.com/orthd/orth/retry"
)

// Retry is how often and how soon a failed attempt is tried again.
type Retry struct {
	Tries      int        `json:"tries" minimum:"0" maximum:"1000" required:"false" doc:"Retries after the first attempt. Defaults to as many as there are delays."`
	Initial    Duration   `json:"initial,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"1s" doc:"The delay before the first retry; absent means none."`
	Multiplier float64    `json:"multiplier,omitzero" minimum:"1" maximum:"100" doc:"The growth from one delay to the next; absent means 2."`
	Max        Duration   `json:"max,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"1m" doc:"The longest delay."`
	Jitter     float64    `json:"jitter,omitzero" minimum:"0" maximum:"1" doc:"The share of a delay that is random."`
	Delays     []Duration `json:"delays,omitempty" maxItems:"100" nullable:"false" doc:"The delays one by one, the last of them for all that follow, each at most 720h. They replace initial and multiplier."`
	On         []string   `json:"on,omitempty" maxItems:"3" nullable:"false" enum:"failed,timed_out,lost" doc:"The ends that are tried again. Defaults to all of them."`
}

// fromRetry returns the policy as the API shows it.
func fromRetry(p retry.Policy) Retry {
	r := Retry{
		Tries: p.Tries, Initial: Duration(p.Initial), Multiplier: p.Multiplier, Max: Duration(p.Max), Jitter: p.Jitter, On: p.On,
	}
	for _, delay := range p.Delays {
		r.Delays = append(r.Delays, Duration(delay))
	}
	return r
}

// policy is the reverse of fromRetry.
func (r Retry) policy() retry.Policy {
	p := retry.Policy{
		Tries: r.Tries, Initial: time.Duration(r.Initial), Multiplier: r.Multiplier, Max: time.Duration(r.Max), Jitter: r.Jitter, On: r.On,
	}
	for _, delay := range r.Delays {
		p.Delays = append(p.Delays, time.Duration(delay))
	}
	return p
}

// IsZero reports whether r has no field set.
func (r Retry) IsZero() bool { return r.policy().IsZero() }
