package completer

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// split returns the outcomes of the attempts known by their numbers, and separately those
// of elder attempts: these were sent at other instants, and their numbers were assigned
// again.
func split(outcomes []job.Outcome, known map[int64]Snapshot) (own, elder []job.Outcome) {
	for i, o := range outcomes {
		s, ok := known[o.AttemptID]
		if !ok || o.TriggeredAt.IsZero() || s.Attempt.TriggeredAt.IsZero() || o.TriggeredAt.UnixMilli() == s.Attempt.TriggeredAt.UnixMilli() {
			if elder != nil {
				own = append(own, o)
			}
			continue
		}
		if elder == nil {
			own = append(own, outcomes[:i]...) // the caller owns its slice
		}
		elder = append(elder, o)
	}
	if elder == nil {
		return outcomes, nil
	}
	return own, elder
}

// keepElder records outcomes of elder attempts as evidence for the attempts that have their
// numbers now.
func (c *Completer) keepElder(ctx context.Context, outcomes []job.Outcome, known map[int64]Snapshot) error {
	if len(outcomes) == 0 {
		return nil
	}
	now := time.Now()
	evidence, attempts := make([]job.Evidence, len(outcomes)), make([]int64, len(outcomes))
	for i := range outcomes {
		o, own := &outcomes[i], known[outcomes[i].AttemptID].Attempt.TriggeredAt
		state, message := endAndMessage(o)
		evidence[i] = job.Evidence{
			AttemptID: o.AttemptID, At: now, State: state, Message: job.Clean(message, job.MaxEvidenceMessage),
			Note: fmt.Sprintf("is of another attempt with this number, sent at %s and not at %s: the database has gone back since; it changed nothing",
				stamp(o.TriggeredAt), stamp(own)),
		}
		attempts[i] = o.AttemptID
	}
	if err := c.config.Store.KeepEvidence(ctx, evidence); err != nil {
		return fmt.Errorf("keep %s of attempts whose numbers were given again: %w", plural.Count(len(outcomes), "outcome"), err)
	}
	c.config.Hooks.Elder(attempts)
	return nil
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
