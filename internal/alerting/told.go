package alerting

import (
	"context"

	words "github.com/orthd/orth/alarm"
)

// Outcomes reports whether ends of runs were notified.
type Outcomes interface {
	// AlarmOutcomes returns the known outcome of each run.
	AlarmOutcomes(ctx context.Context, runs []int64) (map[int64]Outcome, error)
}

// Outcome is what alerting did about the end of a run.
type Outcome struct {
	// Waiting means that the end has not been evaluated yet.
	Waiting bool
	// Messages holds, for each notified channel, the state of the first message after the
	// end. Without one, it is the state of the last message before: an alarm does not send
	// a message for each run. It is empty when no rule matched.
	Messages []words.Delivery
}
