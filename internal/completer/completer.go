// Package completer records the outcome of each attempt once. It is the last step of the
// path on the server.
//
// It knows attempts, the retry policy of their jobs, which jobs the end of a run starts,
// and what that end means for its own job: when it fires next, and whether it stops. It
// must never know executors, protocols or SQL. Executor endpoints, the dispatcher and
// upkeep pass outcomes in. The completer writes final states, retries, children and changes
// of jobs as rows of one transaction. The front of the path finds a retry or a child; the
// completer only announces when it is ready.
//
// An outcome belongs to the attempt with its number that was sent at its instant. When a
// database goes back, it may assign numbers again: the outcome of the first attempt with a
// number must not end the second one.
//
// An outcome is applied by compare-and-set on "the attempt is not final": the first one
// wins, however many servers receive it at once. All others change nothing. An outcome that
// contradicts the recorded one is kept as evidence for the attempt.
package completer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// maxBatch is the most outcomes read and committed at once.
const maxBatch = 500

// Config configures a Completer.
type Config struct {
	Store Store
	IDs   IDs
	// Sent returns an attempt that this server has sent lately, so that a plain success
	// reads no rows. Its result belongs to the caller. Defaults to none: every attempt is
	// read.
	Sent func(attempt int64) (Sent, bool)
	// Begins is called before outcomes of executors are committed, so that others can share
	// the transaction. It must return at once. Defaults to a no-op.
	Begins func()
	// PlanDue plans the due firings of a job before the job is stopped because of failed
	// runs. These firings are then cancelled with that reason, and not lost. Defaults to a
	// no-op.
	PlanDue func(ctx context.Context, jobID int64) error
	// Watch defaults to none: no end is reported.
	Watch Watch
	// Mask redacts known secrets in the messages of outcomes, before anything is written or
	// decided. Defaults to none: messages stay unchanged.
	Mask func(string) string
	// CleanLog returns the text of a run log to store: redacted, in whole lines. Defaults
	// to none: logs are stored unchanged.
	CleanLog func(string) string
	// MaskFailure is Mask for the messages of failures, which people read: it may redact
	// anything that looks like a secret. Results of successes go to other jobs. Defaults to
	// Mask.
	MaskFailure func(string) string
	Hooks       Hooks
}

// Hooks are called after a commit, on the caller's goroutine; they must return at once.
type Hooks struct {
	// Ready announces that a row becomes ready for a dispatcher.
	Ready func(at time.Time)
	// Completed reports the end of an attempt; it is called once per attempt.
	Completed func(c Completion)
	// Buried reports a new dead letter: a run that ended badly after its last attempt. It
	// is called once per run, after Completed.
	Buried func(c Completion)
	// Foreign reports the attempts of other groups for which a caller sent outcomes. It is
	// called once per batch.
	Foreign func(caller job.Caller, attempts []int64)
	// Elder reports the attempts for which executors sent outcomes of an earlier attempt
	// with the same number. It is called once per batch.
	Elder func(attempts []int64)
}

// Completer records outcomes. It has no loop of its own.
type Completer struct{ config Config }

// New returns a completer.
func New(c Config) *Completer {
	if c.Hooks.Ready == nil {
		c.Hooks.Ready = func(time.Time) {}
	}
	if c.Hooks.Completed == nil {
		c.Hooks.Completed = func(Completion) {}
	}
	if c.Hooks.Buried == nil {
		c.Hooks.Buried = func(Completion) {}
	}
	if c.Hooks.Foreign == nil {
		c.Hooks.Foreign = func(job.Caller, []int64) {}
	}
	if c.Hooks.Elder == nil {
		c.Hooks.Elder = func([]int64) {}
	}
	if c.Begins == nil {
		c.Begins = func() {}
	}
	if c.Sent == nil {
		c.Sent = func(int64) (Sent, bool) { return Sent{}, false }
	}
	if c.PlanDue == nil {
		c.PlanDue = func(context.Context, int64) error { return nil }
	}
	if c.Mask == nil {
		c.Mask = func(text string) string { return text }
	}
	if c.MaskFailure == nil {
		c.MaskFailure = c.Mask
	}
	if c.CleanLog == nil {
		c.CleanLog = func(text string) string { return text }
	}
	return &Completer{config: c}
}

// Complete applies the outcomes. When it returns nil, each outcome is durable, as the end
// of its attempt or as evidence against the recorded end, or was not needed: its attempt is
// unknown, or already has that end. After an error none, some or all are applied, and
// sending all of them again is safe.
func (c *Completer) Complete(ctx context.Context, outcomes []job.Outcome) error {
	return c.record(ctx, &job.Caller{}, outcomes, false)
}

// CompleteAs applies outcomes that an executor sends, as Complete does, if the attempts are
// the caller's. Some outcomes change nothing and are kept as evidence: those of attempts of
// another group, and those that name another sending instant than their attempt has. The
// zero instant is not compared. Outcomes of groups for which the caller's credentials do
// not suffice are left out. When all others are durable, the error reports that; it is
// Refused.
func (c *Completer) CompleteAs(ctx context.Context, caller job.Caller, outcomes []job.Outcome) error {
	return c.record(ctx, &caller, outcomes, true)
}

// record applies outcomes; reported means that an executor sent them.
func (c *Completer) record(ctx context.Context, caller *job.Caller, outcomes []job.Outcome, reported bool) error {
	var refused error
	outcomes = c.masked(outcomes)
	for len(outcomes) > 0 {
		n := min(len(outcomes), maxBatch)
		no, err := c.batch(ctx, caller, outcomes[:n], reported)
		if err != nil {
			return err
		}
		if refused == nil {
			refused = no
		}
		outcomes = outcomes[n:]
	}
	return refused
}

// masked returns the outcomes with secrets redacted in their messages.
func (c *Completer) masked(outcomes []job.Outcome) []job.Outcome {
	shown := outcomes
	for i := range outcomes {
		hide := c.config.MaskFailure
		if outcomes[i].State == job.Succeeded {
			hide = c.config.Mask
		}
		text := hide(outcomes[i].Message)
		if text == outcomes[i].Message {
			continue
		}
		if &shown[0] == &outcomes[0] {
			shown = slices.Clone(outcomes) // the caller owns its slice
		}
		shown[i].Message = text
	}
	return shown
}

// batch applies outcomes. refused is why some of them were left out, nil for none.
func (c *Completer) batch(ctx context.Context, caller *job.Caller, outcomes []job.Outcome, reported bool) (refused, err error) {
	if reported {
		c.config.Begins()
	}
	known, err := c.snapshots(ctx, outcomes, c.recall)
	if err != nil {
		return nil, err
	}
	outcomes, elder := split(outcomes, known)
	s := siftByGroup(caller, outcomes, known)
	if err := c.apply(ctx, s.own, known, reported); err != nil {
		return nil, err
	}
	if err := c.keepElder(ctx, elder, known); err != nil {
		return nil, err
	}
	return s.refused, c.keepForeign(ctx, caller, s.foreign)
}

// apply records outcomes that count.
func (c *Completer) apply(ctx context.Context, outcomes []job.Outcome, known map[int64]Snapshot, reported bool) error {
	now := time.Now()
	failures := make(streaks)
	taken := make(map[int64]bool, len(outcomes))
	first := make([]job.Outcome, 0, len(outcomes)) // the outcomes of completions
	completions := make([]Completion, 0, len(outcomes))
	var late []job.Outcome
	for _, o := range outcomes {
		s, ok := known[o.AttemptID]
		switch {
		case !ok:
			continue
		case taken[o.AttemptID], s.Attempt.State.Final() && !endsRun(&s, &o):
			late = append(late, o) // the first of two in one batch wins
			continue
		}
		taken[o.AttemptID] = true
		failures.updateCount(&s)
		completion, err := c.complete(ctx, s, o, now)
		if err != nil {
			return err
		}
		completion.Reported = reported
		failures.recordCompletion(&s, &completion)
		first, completions = append(first, o), append(completions, completion)
	}
	done, err := c.commit(ctx, completions)
	if err != nil {
		return err
	}
	var again []job.Outcome
	for i, o := range first {
		switch {
		case done[i]:
		case completions[i].JobVersion != 0:
			again = append(again, o)
		default:
			late = append(late, o)
		}
	}
	if err := c.applyAgain(ctx, again, reported); err != nil {
		return err
	}
	return c.recordContradictions(ctx, late, known)
}

// applyAgain records outcomes from rows, after the remembered state of their attempts
// turned out to be wrong.
func (c *Completer) applyAgain(ctx context.Context, outcomes []job.Outcome, reported bool) error {
	if len(outcomes) == 0 {
		return nil
	}
	known, err := c.snapshots(ctx, outcomes, nil)
	if err != nil {
		return err
	}
	own, elder := split(outcomes, known)
	if err := c.apply(ctx, own, known, reported); err != nil {
		return err
	}
	return c.keepElder(ctx, elder, known)
}

// snapshots returns the snapshots of the outcomes' attempts, by attempt: from recall where
// it has them, from rows for the others. recall may be nil.
func (c *Completer) snapshots(ctx context.Context, outcomes []job.Outcome, recall func(*job.Outcome) (Snapshot, bool)) (map[int64]Snapshot, error) {
	known := make(map[int64]Snapshot, len(outcomes))
	ids := make([]int64, 0, len(outcomes))
	for i := range outcomes {
		if recall != nil {
			if s, remembered := recall(&outcomes[i]); remembered {
				known[s.Attempt.ID] = s
				continue
			}
		}
		ids = append(ids, outcomes[i].AttemptID)
	}
	if len(ids) == 0 {
		return known, nil
	}
	snapshots, err := c.config.Store.Snapshots(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", plural.Count(len(ids), "attempt"), err)
	}
	for _, s := range snapshots {
		known[s.Attempt.ID] = s
	}
	return known, nil
}

// complete decides on one outcome, and draws ids for the runs that follow.
func (c *Completer) complete(ctx context.Context, s Snapshot, o job.Outcome, now time.Time) (Completion, error) {
	completion := decide(s, o, now, rand.Float64())
	completion.measure(&s)
	completion.Log = c.logOf(&s, &o)
	completion.JobVersion = s.JobVersion
	completion.Cause = s.Run.Cause
	c.addEvent(&s, &completion)
	for i := range completion.Children {
		var err error
		if completion.Children[i].ID, err = c.config.IDs.NextRunID(ctx); err != nil {
			return completion, fmt.Errorf("draw a run id: %w", err)
		}
	}
	return completion, nil
}

// commit writes the completions and reports for each whether it took effect.
func (c *Completer) commit(ctx context.Context, completions []Completion) ([]bool, error) {
	if len(completions) == 0 {
		return nil, nil
	}
	for i := range completions {
		if completions[i].StopReason == "" {
			continue
		}
		if err := c.config.PlanDue(ctx, completions[i].JobID); err != nil && !job.Is(err, job.Full) { // the outcome must not wait for thousands of firings
			return nil, fmt.Errorf("plan the due firings of job %d, which is stopped: %w", completions[i].JobID, err)
		}
	}
	failpoint.Hit("completer/committing")
	done, err := c.config.Store.CommitCompletions(ctx, completions)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", plural.Count(len(completions), "outcome"), err)
	}
	failpoint.Hit("completer/committed")
	for i, completion := range completions {
		if !done[i] {
			continue
		}
		if completion.RunState == job.WaitingRetry {
			c.config.Hooks.Ready(completion.RetryAt)
		}
		if len(completion.Children) > 0 {
			c.config.Hooks.Ready(completion.EndedAt)
		}
		c.config.Hooks.Completed(completion)
		if completion.Dead() {
			c.config.Hooks.Buried(completion)
		}
	}
	return done, nil
}
