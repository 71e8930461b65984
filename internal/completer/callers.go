package completer

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// sifted is the outcomes of one sender, divided by what the sender may report.
type sifted struct {
	own     []job.Outcome
	foreign []job.Outcome
	refused error // why others were left out; nil for none
}

// siftByGroup divides the outcomes by the groups of their attempts into those that count and the
// rest. Outcomes of unknown attempts belong to no group, and are left to apply.
func siftByGroup(caller *job.Caller, outcomes []job.Outcome, known map[int64]Snapshot) sifted {
	if caller.GroupID == 0 && caller.Closed == nil {
		return sifted{own: outcomes}
	}
	s := sifted{own: make([]job.Outcome, 0, len(outcomes))}
	for _, o := range outcomes {
		snapshot, ok := known[o.AttemptID]
		if ok && !caller.Owns(snapshot.Run.GroupID) {
			s.foreign = append(s.foreign, o)
			continue
		}
		if ok {
			if err := caller.Admitted(snapshot.Run.GroupID); err != nil {
				s.refused = err
				continue
			}
		}
		s.own = append(s.own, o)
	}
	return s
}

// keepForeign records outcomes of attempts of other groups as evidence.
func (c *Completer) keepForeign(ctx context.Context, caller *job.Caller, outcomes []job.Outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	now := time.Now()
	evidence, attempts := make([]job.Evidence, len(outcomes)), make([]int64, len(outcomes))
	for i := range outcomes {
		state, message := endAndMessage(&outcomes[i])
		evidence[i] = job.Evidence{
			AttemptID: outcomes[i].AttemptID, At: now, State: state, Message: job.Clean(message, job.MaxEvidenceMessage),
			Note: "came with a token of group " + caller.Group + ", whose attempt this is not, and changed nothing",
		}
		attempts[i] = outcomes[i].AttemptID
	}
	if err := c.config.Store.KeepEvidence(ctx, evidence); err != nil {
		return fmt.Errorf("keep %s that came from another group: %w", plural.Count(len(evidence), "outcome"), err)
	}
	c.config.Hooks.Foreign(*caller, attempts)
	return nil
}
