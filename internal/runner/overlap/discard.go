package overlap

import "github.com/orthd/orth/job"

// discardText is the message of the outcome. Servers and alarm rules match it: it has the
// full-width colon of the old executors, in which consoles show it.
const discardText = "block strategy effect：Discard Later"

// discard refuses a task of a busy job.
type discard struct{}

// Decide implements Rule.
func (discard) Decide(busy bool, _ *job.Task) Ruling {
	if busy {
		return Ruling{Refuse: &job.Error{Kind: job.Refused, Message: discardText, Err: job.ErrDiscarded}}
	}
	return Ruling{Width: 1}
}
