package jobs

import (
	"slices"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// retryDefaults makes a list of delays mean as many tries.
func retryDefaults(p *retry.Policy) {
	if p.Tries == 0 {
		p.Tries = len(p.Delays)
	}
}

func checkRetry(p retry.Policy) error {
	switch {
	case len(p.Delays) > retry.MaxDelays: // first: it sets the default of tries
		return job.FieldErrorf("retry.delays", "are %d, at most %d are allowed", len(p.Delays), retry.MaxDelays)
	case p.Tries < 0 || p.Tries > retry.MaxTries:
		return job.FieldErrorf("retry.tries", "%d is not between 0 and %d", p.Tries, retry.MaxTries)
	case p.Initial < 0 || p.Initial > retry.MaxDelayCap:
		return job.FieldErrorf("retry.initial", "%s is not between 0 and %s", p.Initial, retry.MaxDelayCap)
	case p.Max < 0 || p.Max > retry.MaxDelayCap:
		return job.FieldErrorf("retry.max", "%s is not between 0 and %s", p.Max, retry.MaxDelayCap)
	case p.Multiplier != 0 && !(p.Multiplier >= 1 && p.Multiplier <= 100): // NaN fails too
		return job.FieldErrorf("retry.multiplier", "%v is not between 1 and 100", p.Multiplier)
	case !(p.Jitter >= 0 && p.Jitter <= 1):
		return job.FieldErrorf("retry.jitter", "%v is not between 0 and 1", p.Jitter)
	}
	for i, delay := range p.Delays {
		if delay < 0 || delay > retry.MaxDelayCap {
			return job.FieldErrorf("retry.delays", "number %d, %s, is not between 0 and %s", i+1, delay, retry.MaxDelayCap)
		}
	}
	for i, end := range p.On {
		if err := oneOf("retry.on", end, retry.OnFailed, retry.OnTimedOut, retry.OnLost); err != nil {
			return err
		}
		if slices.Contains(p.On[:i], end) {
			return job.FieldErrorf("retry.on", "%s is named twice", end)
		}
	}
	return nil
}
