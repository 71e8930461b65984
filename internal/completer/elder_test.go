package completer

import (
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// A database that goes back gives the numbers of attempts again. What an executor says of
// the first attempt with a number does not end the second one.
func TestElder(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
	snapshots := []Snapshot{owned(1, 1), owned(2, 1), owned(3, 1), owned(4, 1)}
	for i := range snapshots[:3] {
		snapshots[i].Attempt.TriggeredAt = sent
	}
	outcomes := succeeded(1, 2, 3, 4)
	outcomes[0].TriggeredAt = sent.Add(400 * time.Microsecond) // which no wire carries
	outcomes[1].TriggeredAt = sent.Add(-25 * time.Second)      // before the database went back
	outcomes[3].TriggeredAt = sent
	r := newRows(snapshots...)
	var told []int64
	c := New(Config{Store: r, IDs: r, Hooks: Hooks{Elder: func(attempts []int64) { told = append(told, attempts...) }}})
	for range 2 { // sent twice
		if err := c.CompleteAs(t.Context(), job.Caller{}, outcomes); err != nil {
			t.Fatal(err)
		}
	}
	for id, state := range r.states() {
		if want := id != 2; (state == job.Succeeded) != want {
			t.Errorf("attempt %d is %s", id, state)
		}
	}
	if !slices.Equal(told, []int64{2, 2}) {
		t.Errorf("told of %v", told)
	}
	own := job.Outcome{AttemptID: 2, TriggeredAt: sent, State: job.Failed}
	if err := c.CompleteAs(t.Context(), job.Caller{}, []job.Outcome{own}); err != nil || r.of(2).Attempt.State != job.Failed {
		t.Errorf("its own outcome: %v, attempt %s", err, r.of(2).Attempt.State)
	}
	if kept := r.evidence; len(kept) == 0 || kept[0].AttemptID != 2 || kept[0].Note != "is of another attempt with this number, sent at 2026-03-01T11:59:35.123Z and not at 2026-03-01T12:00:00.123Z: "+
		"the database has gone back since; it changed nothing" {
		t.Errorf("evidence: %+v", r.evidence)
	}
}
