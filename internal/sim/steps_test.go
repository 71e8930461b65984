package sim

import (
	"fmt"
	"sync"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// ledger has each step that the database has said yes to, when it said so. Each is taken once,
// whichever server asks, and however often.
type ledger struct {
	judge *judge

	mu    sync.Mutex
	taken map[string]string // guarded by mu: by what the step takes, who took it
	marks map[mark]string   // guarded by mu: the steps that are marks
}

// mark is an attempt and when it was triggered.
type mark struct{ attempt, at int64 }

func newLedger(j *judge) *ledger {
	return &ledger{judge: j, taken: make(map[string]string), marks: make(map[mark]string)}
}

// take notes a step of a server.
func (l *ledger) take(server, step string) {
	l.mu.Lock()
	before, twice := l.taken[step]
	l.taken[step] = server
	l.mu.Unlock()
	if twice {
		l.judge.fault("I6: %s is taken by %s, and was by %s before", step, server, before)
	}
}

// giveBack notes that a try was none, if the server has made it: it may be made again.
func (l *ledger) giveBack(server string, r *dispatcher.Requeued) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := mark{r.AttemptID, r.TriggeredAt.UnixMilli()}
	if step := l.marks[at]; r.TakenBack && l.taken[step] == server {
		delete(l.taken, step)
	}
}

// takeMark notes that a server has sent a run.
func (l *ledger) takeMark(server string, m *dispatcher.Mark) {
	step := markStep(m)
	l.mu.Lock()
	l.marks[mark{m.Attempt.ID, m.Attempt.TriggeredAt.UnixMilli()}] = step
	l.mu.Unlock()
	l.take(server, step)
}

// each notes those steps that took effect.
func each[T any](l *ledger, server string, all []T, done []bool, step func(*T) string) {
	for i := range done {
		if done[i] {
			if name := step(&all[i]); name != "" {
				l.take(server, name)
			}
		}
	}
}

func planStep(m *planner.Move) string {
	if m.Next.Equal(m.From) {
		return "" // it is looked at again
	}
	return fmt.Sprintf("the firing of job %d at %s, version %d", m.JobID, m.From.UTC(), m.Version)
}

func markStep(m *dispatcher.Mark) string {
	return fmt.Sprintf("try %d of run %d", m.Attempt.Number, m.Attempt.RunID)
}

func endStep(c *completer.Completion) string {
	if c.Waiting {
		return fmt.Sprintf("the end of run %d, which waits", c.RunID)
	}
	return fmt.Sprintf("the end of attempt %d of run %d", c.AttemptID, c.RunID)
}

func claimStep(o *upkeep.Open) string {
	return fmt.Sprintf("the question about attempt %d of run %d, due at %s", o.Attempt.ID, o.Attempt.RunID, o.CheckAt.UTC())
}

func expireStep(r *job.Run) string { return fmt.Sprintf("the expiry of run %d", r.ID) }

func backfillStep(s *backfill.Step) string {
	return fmt.Sprintf("step %d of backfill %d", s.Number, s.Backfill.ID)
}

func workflowStep(s *workflow.Step) string {
	return fmt.Sprintf("step %d of workflow run %d", s.Number, s.Run.ID)
}
