package completer

import (
	"context"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is a store in memory with the rules that the interface promises.
type rows struct {
	mu        sync.Mutex
	snapshots map[int64]Snapshot
	children  map[[2]int64]job.Run // by child job and parent run
	lastID    int64
	commits   int
	offered   int // completions in all commits
	evidence  []job.Evidence
	fail      error // of each call, while it is set
	idsFail   error
	// between is called after a read and before the answer.
	between func()
}

func newRows(snapshots ...Snapshot) *rows {
	r := &rows{snapshots: make(map[int64]Snapshot), children: make(map[[2]int64]job.Run)}
	for _, s := range snapshots {
		r.snapshots[s.Attempt.ID] = s
	}
	return r
}

func (r *rows) Snapshots(_ context.Context, attempts []int64) ([]Snapshot, error) {
	r.mu.Lock()
	var found []Snapshot
	for id, s := range r.snapshots {
		if slices.Contains(attempts, id) {
			found = append(found, s)
		}
	}
	err, between := r.fail, r.between
	r.mu.Unlock()
	if between != nil {
		between()
	}
	return found, err
}

func (r *rows) CommitCompletions(_ context.Context, completions []Completion) ([]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return nil, r.fail
	}
	r.commits++
	r.offered += len(completions)
	done := make([]bool, len(completions))
	for i, c := range completions {
		s := r.snapshots[c.AttemptID]
		if c.Waiting != s.Attempt.State.Final() || c.Waiting && !s.Run.State.Waiting() {
			continue
		}
		done[i] = true
		s.Run.State, s.Run.ReadyAt, s.Run.Reason, s.Run.EndedAt = c.RunState, c.RetryAt, c.Reason, c.EndedAt
		if !c.Waiting {
			s.Attempt.State, s.Attempt.Message, s.Attempt.EndedAt = c.Outcome, c.Message, c.EndedAt
			s.Run.Message = c.Message
		}
		r.snapshots[c.AttemptID] = s
		for _, child := range c.Children {
			key := [2]int64{child.JobID, child.CauseID}
			if _, known := r.children[key]; !known {
				r.children[key] = child
			}
		}
	}
	return done, nil
}

func (r *rows) KeepEvidence(_ context.Context, evidence []job.Evidence) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	for _, e := range evidence {
		if !slices.ContainsFunc(r.evidence, func(k job.Evidence) bool {
			return k.AttemptID == e.AttemptID && k.State == e.State && k.Message == e.Message
		}) {
			r.evidence = append(r.evidence, e)
		}
	}
	return nil
}

func (r *rows) NextRunID(context.Context) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastID++
	return r.lastID, r.idsFail
}

func (r *rows) of(attempt int64) Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.snapshots[attempt]
}
