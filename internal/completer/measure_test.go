package completer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sent, taken := due.Add(30*time.Millisecond), due.Add(50*time.Millisecond)
	for _, c := range []struct {
		name    string
		attempt job.Attempt
		due     time.Time
		want    Completion
	}{
		{
			"taken",
			job.Attempt{TriggeredAt: sent, AcceptedAt: taken},
			due,
			Completion{JobID: 3, StartedAt: taken, TriggeredAt: sent, Late: 30 * time.Millisecond},
		},
		{
			"an outcome that is faster than the answer",
			job.Attempt{TriggeredAt: sent},
			due,
			Completion{JobID: 3, StartedAt: sent, TriggeredAt: sent, Late: 30 * time.Millisecond},
		},
		{
			"sent early",
			job.Attempt{TriggeredAt: due, AcceptedAt: taken},
			sent,
			Completion{JobID: 3, StartedAt: taken, TriggeredAt: due},
		},
		{
			"due at no known time",
			job.Attempt{TriggeredAt: sent, AcceptedAt: taken},
			time.Time{},
			Completion{JobID: 3, StartedAt: taken, TriggeredAt: sent},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got Completion
			got.measure(&Snapshot{Attempt: c.attempt, Run: job.Run{JobID: 3, DueAt: c.due}})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
