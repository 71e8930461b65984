package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// TestPruner lets the loop of upkeep work on a real database while others write.
func TestPruner(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, filepath.Join(t.TempDir(), "orth.db"), Config{})
	start(t, s)
	now := time.Now()
	add := func(jobID int64, age time.Duration) int64 {
		id, err := s.NextRunID(t.Context())
		if err == nil {
			end := now.Add(-age)
			err = s.AddRun(t.Context(), job.Run{
				ID: id, JobID: jobID, Cause: job.CauseManual, CauseID: id, State: job.Skipped, CreatedAt: end, EndedAt: end,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	deliveries := []job.Delivery{{}, {KeepFor: 72 * time.Hour}, {KeepRuns: 2}, {KeepFor: 12 * time.Hour, KeepRuns: 3}}
	want := make(map[int64][]int64) // by job, the oldest first
	for i := range 12 {
		j, err := s.CreateJob(t.Context(), job.Job{
			Namespace: job.DefaultNamespace, Key: fmt.Sprintf("job-%d", i), Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Delivery: deliveries[i%4],
		})
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, hours := range []int{100, 50, 25, 23, 10, 1} {
			ids = append(ids, add(j.ID, time.Duration(hours)*time.Hour))
		}
		want[j.ID] = ids[[...]int{3, 1, 4, 4}[i%4]:]
		if i >= 8 {
			if err := s.DeleteJob(t.Context(), j, ""); err != nil {
				t.Fatal(err)
			}
		}
	}

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	pruner := upkeep.NewPruner(upkeep.PruneConfig{History: s, Remover: s, KeepFor: 24 * time.Hour, Every: 50 * time.Millisecond, Slice: 7})
	go func() { ended <- pruner.Run(ctx) }()
	for id := range want { // somebody else writes
		if id > 8 { // it is deleted
			continue
		}
		want[id] = append(want[id], add(id, 0))
		if n := len(want[id]); deliveries[(id-1)%4].KeepRuns > 0 {
			want[id] = want[id][n-deliveries[(id-1)%4].KeepRuns:]
		}
	}
	left := func() map[int64][]int64 {
		got := make(map[int64][]int64)
		runs, err := s.Runs(ctx, jobrows.RunFilter{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range slices.Backward(runs) {
			got[r.JobID] = append(got[r.JobID], r.ID)
		}
		return got
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !cmp.Equal(want, left()) && time.Now().Before(deadline); {
		<-tick.C
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	ctx = t.Context()
	if diff := cmp.Diff(want, left()); diff != "" {
		t.Error(diff)
	}
}
