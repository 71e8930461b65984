package waiting

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// The verdict on any answer is one of the five, waits are bounded, and what may
// have been delivered is never sent again.
func TestJudge(t *testing.T) {
	t.Parallel()
	kinds := []job.Kind{
		job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound, job.Conflict, job.Duplicate, job.Full,
		job.Unavailable, job.Refused, job.Unreachable, job.Ambiguous, job.Interrupted, job.Internal,
	}
	policy := retry.Policy{Tries: 12, Initial: time.Second, Multiplier: 2, Max: 30 * time.Second, Jitter: 0.2}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		it := &HeldRun{Run: job.Run{Undelivered: rapid.IntRange(0, 20).Draw(t, "undelivered"), CreatedAt: time.Now()}}
		got, wait := Judge(Reply{it, job.Errorf(kind, "x")}, policy, time.Now())
		if wait < 0 || wait > 36*time.Second {
			t.Fatalf("wait %s", wait)
		}
		if (got == TakenBack) != (kind == job.Full) {
			t.Fatalf("%s: verdict %d", kind, got)
		}
		if (got == NotDelivered) != (kind == job.Unreachable && it.Run.Undelivered < 12) {
			t.Fatalf("%s after %d undelivered tries: verdict %d", kind, it.Run.Undelivered, got)
		}
		if (kind == job.Ambiguous || kind == job.Internal || kind == job.Unavailable) && got != Unknown {
			t.Fatalf("%s: verdict %d, want unknown", kind, got)
		}
	})
	for _, err := range []error{ErrStopped, ErrStale} {
		it := &HeldRun{Run: job.Run{Undelivered: 1000}}
		if got, _ := Judge(Reply{it, err}, policy, time.Now()); got != TakenBack {
			t.Errorf("%v: verdict %d", err, got)
		}
	}
}
