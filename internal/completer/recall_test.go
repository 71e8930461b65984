package completer

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// reading is a store that counts the attempts that were read, and has other versions of
// jobs than a server remembers.
type reading struct {
	*rows

	read     []int64
	versions map[int64]int64 // by job
}

func (r *reading) Snapshots(ctx context.Context, attempts []int64) ([]Snapshot, error) {
	r.read = append(r.read, attempts...)
	return r.rows.Snapshots(ctx, attempts)
}

func (r *reading) CommitCompletions(ctx context.Context, completions []Completion) ([]bool, error) {
	fit := make([]Completion, 0, len(completions))
	var of []int
	for i, c := range completions {
		if v, known := r.versions[c.JobID]; c.JobVersion == 0 || !known || v == c.JobVersion {
			fit, of = append(fit, c), append(of, i)
		}
	}
	done := make([]bool, len(completions))
	took, err := r.rows.CommitCompletions(ctx, fit)
	for n, i := range of {
		if took != nil {
			done[i] = took[n]
		}
	}
	return done, err
}

// remembered is what a server has sent: the run and the attempt of a snapshot, of a plain job.
func remembered(s *Snapshot, edit func(*Sent)) Sent {
	sent := Sent{Run: s.Run, Attempt: s.Attempt, Job: &job.Job{
		ID: s.Run.JobID, GroupID: s.Run.GroupID, Version: 4, Namespace: "default", Key: "report", Group: "g", Labels: map[string]string{"team": "a"},
	}}
	edit(&sent)
	return sent
}

// A plain success of an attempt that this server has sent is recorded without a read;
// everything else is decided by rows.
func TestKnownIsNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*Sent)
		said job.Outcome
		read bool
	}{
		"a success":          {},
		"a failure":          {said: job.Outcome{State: job.Failed}, read: true},
		"the last word":      {said: job.Outcome{State: job.Succeeded, Over: "enough"}, read: true},
		"children":           {edit: func(s *Sent) { s.Job.Children = []job.Child{{JobID: 9}} }, read: true},
		"counts failures":    {edit: func(s *Sent) { s.Job.StopAfter = 3 }, read: true},
		"fixed delay":        {edit: func(s *Sent) { s.Job.Schedule.Kind = schedule.KindAfter }, read: true},
		"a trial":            {edit: func(s *Sent) { s.Run.Cause = job.CauseTrial }, read: true},
		"a shard":            {edit: func(s *Sent) { s.Run.Cause = job.CauseShard }, read: true},
		"a split run":        {edit: func(s *Sent) { s.Attempt.Address = "" }, read: true},
		"moved to a group":   {edit: func(s *Sent) { s.Job.GroupID++ }, read: true},
		"another job's code": {edit: func(s *Sent) { s.Job.ID++ }, read: true},
	} {
		s := open(1, 0)
		s.Attempt.Address, s.Run.Cause = "http://10.0.0.1:9999", job.CauseSchedule
		store := &reading{rows: newRows(s)}
		edit, said := c.edit, c.said
		if edit == nil {
			edit = func(*Sent) {}
		}
		if said.AttemptID = s.Attempt.ID; said.State == "" {
			said.State = job.Succeeded
		}
		complete(t, New(Config{Store: store, IDs: store, Sent: func(attempt int64) (Sent, bool) {
			return remembered(&s, edit), attempt == s.Attempt.ID
		}}), said)
		if got := store.of(s.Attempt.ID); !got.Attempt.State.Final() || len(store.read) > 0 != c.read {
			t.Errorf("%s: the attempt is %s, read was %v", name, got.Attempt.State, store.read)
		}
	}
}

// Where memory is wrong, rows decide: the job was changed since, or the attempt has ended.
func TestMemoryIsWrong(t *testing.T) {
	t.Parallel()
	changed, ended, same := open(1, 0), open(1, 0), open(1, 0)
	ended.Attempt.ID, same.Attempt.ID = 71, 72
	ended.Run.ID, same.Run.ID = 8, 9
	changed.Run.JobID, ended.Run.JobID, same.Run.JobID = 31, 32, 33
	changed.Children = []Child{kid(4)}
	was := map[int64]Snapshot{changed.Attempt.ID: changed, 71: ended, 72: same}
	for id, s := range was {
		s.Attempt.Address = "http://10.0.0.1:9999"
		was[id] = s
	}
	ended.Attempt.State, ended.Attempt.EndedAt, ended.Attempt.Message = job.Lost, time.Now(), "gone"
	store := &reading{rows: newRows(changed, ended, same), versions: map[int64]int64{31: 5}}
	var told []int64
	c := New(Config{Store: store, IDs: store, Hooks: Hooks{Completed: func(c Completion) { told = append(told, c.AttemptID) }}, Sent: func(attempt int64) (Sent, bool) {
		s, known := was[attempt]
		return remembered(&s, func(*Sent) {}), known
	}})
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Succeeded, Message: "one"}, job.Outcome{AttemptID: 71, State: job.Succeeded, Message: "two"}, job.Outcome{AttemptID: 72, State: job.Succeeded})
	for id, want := range map[int64]job.State{70: job.Succeeded, 71: job.Lost, 72: job.Succeeded} {
		if got := store.of(id).Attempt.State; got != want {
			t.Errorf("attempt %d is %s, want %s", id, got, want)
		}
	}
	if len(store.children) != 1 {
		t.Errorf("the child that the job has by now: %v", maps.Values(store.children))
	}
	if len(store.evidence) != 1 || store.evidence[0].AttemptID != 71 {
		t.Errorf("evidence %+v", store.evidence)
	}
	if diff := cmp.Diff([]int64{72, 70}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
