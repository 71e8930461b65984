package alerting

import (
	"context"

	words "github.com/orthd/orth/alarm"
)

// Told tells what became of the ends of runs.
type Told interface {
	// Told returns what is known of each of the runs.
	Told(ctx context.Context, runs []int64) (map[int64]Telling, error)
}

// Telling is what became of the end of a run.
type Telling struct {
	// Waiting says that nobody has looked yet at whether the end is worth an alarm.
	Waiting bool
	// Messages is where the first message after it stands in each channel that hears
	// of it. When there was none since, it is where the last one before it stands:
	// who heard of the alarm is not told of each run. None when no rule concerned it.
	Messages []words.Delivery
}
