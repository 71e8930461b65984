package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Deadlines finds runs that take too long.
type Deadlines interface {
	// Overdue returns up to limit runs that are not over and had to be by now,
	// and whether there may be more. A run whose task a server may still send comes
	// when that time is over: a kill must not overtake it.
	Overdue(ctx context.Context, now time.Time, limit int) (late []Overdue, more bool, err error)
}

// Killer ends attempts on executors.
type Killer interface {
	// KillAttempt ends the attempt of the job, and all that the job has there on
	// an executor that cannot tell attempts apart. NotFound says that it is not
	// there. The call has a time limit of its own.
	KillAttempt(ctx context.Context, address string, jobID, attempt int64) error
}

// Overdue is a run that had to be over.
type Overdue struct {
	// Attempt is the run's current or last one.
	Attempt job.Attempt
	// Waiting says that the run waits for its next try: no executor has it.
	Waiting  bool
	Deadline time.Duration // how long the run might take
}

// overdue ends runs whose deadline has passed and reports whether there may be
// more. What they have on executors is ended afterwards, as far as these can be
// told: what they report then changes nothing any more.
func (u *Upkeep) overdue(ctx context.Context) (more bool, err error) {
	now := time.Now()
	late, more, err := u.config.Deadlines.Overdue(ctx, u.config.Now(), u.config.Batch)
	if err != nil {
		return false, fmt.Errorf("read runs that are over their deadline: %w", err)
	}
	if len(late) == 0 {
		return more, nil
	}
	outcomes := make([]job.Outcome, len(late))
	for i, o := range late {
		reason := fmt.Sprintf("the deadline of %s has passed", brief(o.Deadline))
		outcomes[i] = job.Outcome{
			AttemptID: o.Attempt.ID, TriggeredAt: o.Attempt.TriggeredAt, State: job.Lost, Message: reason,
			EndedAt: now, Over: reason,
		}
	}
	u.config.Logger.Warn("runs are lost: their deadlines have passed", "count", len(late))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return false, fmt.Errorf("record %s over their deadline: %w", plural.Count(len(late), "run"), err)
	}
	u.kill(ctx, late)
	return more, nil
}

// kill ends what the runs have on executors.
func (u *Upkeep) kill(ctx context.Context, late []Overdue) {
	var there []job.Attempt
	var addresses []string
	for _, o := range late {
		if !o.Waiting && !o.Attempt.State.Final() && !o.Attempt.Broadcast() {
			there, addresses = append(there, o.Attempt), append(addresses, o.Attempt.Address)
		}
	}
	answers := byExecutor(addresses, func(i int) error {
		return u.config.Killer.KillAttempt(ctx, addresses[i], there[i].JobID, there[i].ID)
	})
	for i, a := range answers {
		if ctx.Err() == nil && (!a.asked || a.err != nil && !job.Is(a.err, job.NotFound)) {
			u.config.Logger.Warn("an executor could not be told to end what is over its deadline",
				"address", addresses[i], "attempt_id", there[i].ID, "error", a.err)
		}
	}
}

// brief shows a duration without what is zero at its end.
func brief(d time.Duration) string {
	text := d.Round(time.Millisecond).String()
	for _, tail := range [...]string{"m0s", "h0m"} {
		if len(text) > len(tail) && text[len(text)-len(tail):] == tail {
			text = text[:len(text)-len(tail)+1]
		}
	}
	return text
}
