package sqlite

import (
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

// The table attempts has exactly the attempts after which a run was tried again: a run that is
// over at its first attempt is one row. Nothing of a run that is removed is left.
func TestAttemptsAreEarlierTries(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := mustOpen(t, path, Config{})
	start(t, s)
	db, err := openPool(path, 1, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	j, err := s.CreateJob(t.Context(), job.Job{Namespace: job.DefaultNamespace, Key: "a", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_900_000_000_000)
	add := func() int64 {
		id, err := s.NextRunID(t.Context())
		if err == nil {
			err = s.AddRun(t.Context(), job.Run{ID: id, JobID: j.ID, Cause: job.CauseManual, CauseID: id, PlannedAt: now, State: job.Planned, ReadyAt: now, CreatedAt: now})
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	send := func(run int64) int64 {
		r, err := s.RunByID(t.Context(), run)
		id := r.ID
		if err == nil && r.Tries > 0 {
			id, err = s.NextAttemptID(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.MarkDispatched(t.Context(), []dispatcher.Mark{{
			From: r.State, JobVersion: r.JobVersion, CheckAt: now,
			Attempt: job.Attempt{ID: id, RunID: r.ID, JobID: j.ID, Number: r.Tries + 1, Address: "http://a", TriggeredAt: now},
		}})
		if err != nil || !done[0] {
			t.Fatalf("%v, %v", done, err)
		}
		return id
	}
	end := func(run, attempt int64, state job.State) {
		c := completer.Completion{AttemptID: attempt, RunID: run, Outcome: state, RunState: state, EndedAt: now}
		if state == job.Failed {
			c.RunState, c.RetryAt = job.WaitingRetry, now
		}
		if done, err := s.CommitCompletions(t.Context(), []completer.Completion{c}); err != nil || !done[0] {
			t.Fatalf("%v, %v", done, err)
		}
	}
	rows := func(query string) []int64 {
		found, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		var ids []int64
		for found.Next() {
			var id int64
			if err := found.Scan(&id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	const past = "SELECT id FROM attempts ORDER BY id"

	once := add()
	end(once, send(once), job.Succeeded)
	if got := rows(past); len(got) > 0 {
		t.Errorf("a run that succeeded at once has the earlier attempts %v", got)
	}
	again := add()
	var earlier []int64
	for range 2 {
		id := send(again)
		end(again, id, job.Failed)
		earlier = append(earlier, id)
	}
	undelivered := send(again)
	if err := s.Requeue(t.Context(), []dispatcher.Requeued{{RunID: again, AttemptID: undelivered, Reason: "away", ReadyAt: now, Now: now}}); err != nil {
		t.Fatal(err)
	}
	earlier = append(earlier, undelivered)
	if got := rows(past); !slices.Equal(got, earlier) || got[0] != again {
		t.Errorf("the earlier attempts are %v, want %v of run %d", got, earlier, again)
	}
	if got := rows("SELECT id FROM runs WHERE triggered_at IS NOT NULL"); !slices.Equal(got, []int64{once}) {
		t.Errorf("runs %v have an attempt, want %d", got, once)
	}
	last := send(again)
	end(again, last, job.Lost)
	if got := rows(past); !slices.Equal(got, earlier) {
		t.Errorf("the earlier attempts are %v after the last one, want %v", got, earlier)
	}
	var evidence []job.Evidence
	for _, id := range append(earlier, last) {
		evidence = append(evidence, job.Evidence{AttemptID: id, At: now, State: job.Succeeded})
	}
	if err := s.KeepEvidence(t.Context(), evidence); err != nil {
		t.Fatal(err)
	}
	if n, err := s.RemoveRuns(t.Context(), []int64{again}); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for _, query := range []string{past, "SELECT attempt_id FROM evidence", "SELECT attempt_id FROM run_logs WHERE run_id <> 1"} {
		if got := rows(query); len(got) > 0 {
			t.Errorf("%s: %v are left of a run that was removed", query, got)
		}
	}
}
