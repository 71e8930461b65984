package completer

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// recordContradictions records which of the late outcomes contradict the recorded ends. known was read
// before the commit; attempts that were not final then are read again.
func (c *Completer) recordContradictions(ctx context.Context, late []job.Outcome, known map[int64]Snapshot) error {
	var unread []job.Outcome
	for _, o := range late {
		if s := known[o.AttemptID]; !s.Attempt.State.Final() {
			unread = append(unread, o)
		}
	}
	if len(unread) > 0 {
		recorded, err := c.snapshots(ctx, unread, nil)
		if err != nil {
			return err
		}
		maps.Copy(known, recorded)
	}
	now := time.Now()
	var evidence []job.Evidence
	for _, o := range late {
		s := known[o.AttemptID]
		if e, contradicts := against(&s.Attempt, &o, now); contradicts {
			evidence = append(evidence, e)
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	if err := c.config.Store.KeepEvidence(ctx, evidence); err != nil {
		return fmt.Errorf("keep %s that came late: %w", plural.Count(len(evidence), "outcome"), err)
	}
	return nil
}

// against compares an outcome with the attempt's recorded end, and returns the evidence if
// they differ. A failure that was recorded as a cancellation, with the executor's own
// message, does not differ. What servers decide about the end of a run is no evidence.
func against(a *job.Attempt, o *job.Outcome, now time.Time) (job.Evidence, bool) {
	state, message := endAndMessage(o)
	message = job.Clean(message, job.MaxMessage)
	same := state == a.State || a.State == job.Cancelled && (state == job.Failed || state == job.TimedOut)
	if !a.State.Final() || o.Over != "" || same && message == a.Message {
		return job.Evidence{}, false
	}
	ended := strings.ReplaceAll(string(a.State), "_", " ")
	note := fmt.Sprintf("came at the moment when the attempt was recorded as %s", ended)
	if since := now.Sub(a.EndedAt); since >= time.Second {
		note = fmt.Sprintf("came %s after the attempt was recorded as %s", since.Round(time.Second), ended)
	}
	return job.Evidence{
		AttemptID: a.ID, At: now, State: state, Message: job.Clean(message, job.MaxEvidenceMessage), Note: note,
	}, true
}
