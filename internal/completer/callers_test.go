package completer

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// owned returns an open attempt of a group.
func owned(attempt, group int64) Snapshot {
	s := open(1, 0)
	s.Attempt.ID, s.Attempt.RunID, s.Run.ID, s.Run.AttemptID, s.Run.GroupID = attempt, 100+attempt, 100+attempt, attempt, group
	return s
}

func succeeded(attempts ...int64) []job.Outcome {
	outcomes := make([]job.Outcome, len(attempts))
	for i, id := range attempts {
		outcomes[i] = job.Outcome{AttemptID: id, State: job.Succeeded, Message: "done"}
	}
	return outcomes
}

// states returns how the attempts stand, by id.
func (r *rows) states() map[int64]job.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[int64]job.State)
	for id, s := range r.snapshots {
		all[id] = s.Attempt.State
	}
	return all
}

func TestCallers(t *testing.T) {
	t.Parallel()
	closed := job.NewClosedGroups(map[int64]string{2: "shut"})
	of1, of2 := job.Caller{GroupID: 1, Group: "open", Closed: closed}, job.Caller{GroupID: 2, Group: "shut", Closed: closed}
	for _, c := range []struct {
		name    string
		caller  job.Caller
		ended   []int64 // attempt 1 is of group 1, 2 and 4 of group 2, 3 of group 3
		foreign []int64
		refused bool
	}{
		{"the server itself", job.Caller{}, []int64{1, 2, 3, 4}, nil, false},
		{"the server's token", job.Caller{Closed: closed}, []int64{1, 3}, nil, true},
		{"one group", of1, []int64{1}, []int64{2, 3, 4}, false},
		{"a closed group", of2, []int64{2, 4}, []int64{1, 3}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRows(owned(1, 1), owned(2, 2), owned(3, 3), owned(4, 2))
			var told [][]int64
			complete := New(Config{Store: r, IDs: r, Hooks: Hooks{Foreign: func(caller job.Caller, attempts []int64) {
				if caller.Group != c.caller.Group {
					t.Errorf("told of %+v", caller)
				}
				told = append(told, attempts)
			}}})
			err := complete.CompleteAs(t.Context(), c.caller, succeeded(1, 2, 99, 3, 4))
			if c.refused != job.Is(err, job.Refused) || !c.refused && err != nil {
				t.Errorf("error %v", err)
			}
			want := map[int64]job.State{}
			for id := range r.states() {
				want[id] = job.Running
			}
			for _, id := range c.ended {
				want[id] = job.Succeeded
			}
			if diff := cmp.Diff(want, r.states()); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
			var evidence []job.Evidence
			var wantTold [][]int64
			for _, id := range c.foreign {
				evidence = append(evidence, job.Evidence{
					AttemptID: id, State: job.Succeeded, Message: "done",
					Note: "came with a token of group " + c.caller.Group + ", whose attempt this is not, and changed nothing",
				})
			}
			if c.foreign != nil {
				wantTold = [][]int64{c.foreign}
			}
			if diff := cmp.Diff(evidence, r.evidence, cmpopts.IgnoreFields(job.Evidence{}, "At")); diff != "" {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantTold, told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// What is refused is refused again as long as nothing changes, and is taken when
// the right token comes: nothing of it is lost.
func TestRefusedComesAgain(t *testing.T) {
	t.Parallel()
	closed := job.NewClosedGroups(map[int64]string{2: "shut"})
	r := newRows(owned(2, 2))
	complete := New(Config{Store: r, IDs: r})
	for range 2 {
		if err := complete.CompleteAs(t.Context(), job.Caller{Closed: closed}, succeeded(2)); !job.Is(err, job.Refused) {
			t.Fatalf("error %v", err)
		}
	}
	if len(r.evidence) > 0 || r.commits > 0 {
		t.Errorf("something was written: %+v", r.evidence)
	}
	if err := complete.CompleteAs(t.Context(), job.Caller{GroupID: 2, Group: "shut", Closed: closed}, succeeded(2)); err != nil || r.states()[2] != job.Succeeded {
		t.Errorf("states %v, error %v", r.states(), err)
	}
}

// When the evidence cannot be written the caller is told so, and may repeat all.
func TestForeignEvidenceFails(t *testing.T) {
	t.Parallel()
	r := newRows(owned(2, 2))
	complete := New(Config{Store: noEvidence{r}, IDs: r, Hooks: Hooks{Foreign: func(job.Caller, []int64) { t.Error("it was told") }}})
	if err := complete.CompleteAs(t.Context(), job.Caller{GroupID: 1, Group: "open"}, succeeded(2)); !job.Is(err, job.Unavailable) {
		t.Errorf("error %v", err)
	}
}

type noEvidence struct{ *rows }

func (noEvidence) KeepEvidence(context.Context, []job.Evidence) error {
	return job.Errorf(job.Unavailable, "the disk is full")
}

// An outcome of somebody who does not own an attempt never changes it, whatever
// else is in the batch; and what is the caller's ends as if it had come alone.
func TestForeignNeverChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		closed := map[int64]string{}
		for _, id := range rapid.SliceOfDistinct(rapid.Int64Range(1, 4), rapid.ID[int64]).Draw(t, "closed") {
			closed[id] = fmt.Sprint("group", id)
		}
		caller := job.Caller{GroupID: rapid.Int64Range(0, 4).Draw(t, "caller"), Closed: job.NewClosedGroups(closed)}
		if caller.GroupID > 0 {
			caller.Group = fmt.Sprint("group", caller.GroupID)
		}
		groups := rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 8).Draw(t, "groups")
		together, alone := newRows(), newRows()
		for i, group := range groups {
			s := owned(int64(i+1), group)
			if rapid.Bool().Draw(t, "over") {
				s.Attempt.State, s.Run.State = job.Lost, job.Lost
			}
			together.snapshots[s.Attempt.ID], alone.snapshots[s.Attempt.ID] = s, s
		}
		before := together.states()
		outcomes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job.Outcome {
			return job.Outcome{
				AttemptID: rapid.Int64Range(1, int64(len(groups))+1).Draw(t, "attempt"),
				State:     rapid.SampledFrom([]job.State{job.Succeeded, job.Failed, job.TimedOut}).Draw(t, "state"),
			}
		}), 0, 12).Draw(t, "outcomes")
		err := New(Config{Store: together, IDs: together}).CompleteAs(t.Context(), caller, outcomes)
		if err != nil && !job.Is(err, job.Refused) {
			t.Fatal(err)
		}
		var own []job.Outcome
		for _, o := range outcomes {
			if o.AttemptID > int64(len(groups)) {
				continue
			}
			group := groups[o.AttemptID-1]
			_, shut := closed[group]
			if caller.GroupID == group || caller.GroupID == 0 && !shut {
				own = append(own, o)
			}
		}
		if err := New(Config{Store: alone, IDs: alone}).Complete(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		after := together.states()
		if diff := cmp.Diff(alone.states(), after); diff != "" {
			t.Fatalf("states (-alone +together):\n%s", diff)
		}
		for i, group := range groups {
			_, shut := closed[group]
			id := int64(i + 1)
			if mine := caller.GroupID == group || caller.GroupID == 0 && !shut; !mine && before[id] != after[id] {
				t.Fatalf("attempt %d of group %d was %s and is %s", id, group, before[id], after[id])
			}
		}
	})
}
