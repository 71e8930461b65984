package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Deadlines finds runs past their deadline.
type Deadlines interface {
	// Overdue returns up to limit runs that are not over and whose deadline has passed by
	// now, and whether there may be more. It returns a run whose task a server may still
	// send only when that time is over: a kill must not overtake the task.
	Overdue(ctx context.Context, now time.Time, limit int) (late []Overdue, more bool, err error)
}

// Killer ends attempts on executors.
type Killer interface {
	// KillAttempt ends the attempt of the job. On an executor that cannot distinguish
	// attempts, it ends all that the job has there. NotFound means that the executor does
	// not have it. The call has its own time limit.
	KillAttempt(ctx context.Context, address string, jobID, attempt int64) error
}

// Overdue is a run past its deadline.
type Overdue struct {
	// Attempt is the run's current or last one.
	Attempt job.Attempt
	// Waiting means that the run waits for its next try: no executor has it.
	Waiting  bool
	Deadline time.Duration // the time that the run was allowed
}

// overdue ends runs past their deadline and reports whether there may be more. Afterwards
// it kills their attempts on the executors it can reach; later reports of those change
// nothing.
func (u *Upkeep) overdue(ctx context.Context) (more bool, err error) {
	now := time.Now()
	late, more, err := u.config.Deadlines.Overdue(ctx, u.config.Now(), u.config.Batch)
	if err != nil {
		return false, fmt.Errorf("read runs past their deadline: %w", err)
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
		return false, fmt.Errorf("record %s past their deadline: %w", plural.Count(len(late), "run"), err)
	}
	u.killAttempts(ctx, late)
	return more, nil
}

// killAttempts ends the attempts of the runs on their executors.
func (u *Upkeep) killAttempts(ctx context.Context, late []Overdue) {
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
			u.config.Logger.Warn("could not kill an attempt past its deadline on its executor",
				"address", addresses[i], "attempt_id", there[i].ID, "error", a.err)
		}
	}
}

// brief formats a duration without zero units at its end.
func brief(d time.Duration) string {
	text := d.Round(time.Millisecond).String()
	for _, tail := range [...]string{"m0s", "h0m"} {
		if len(text) > len(tail) && text[len(text)-len(tail):] == tail {
			text = text[:len(text)-len(tail)+1]
		}
	}
	return text
}
