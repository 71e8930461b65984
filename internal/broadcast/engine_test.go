package broadcast

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

func TestRunEndsWithItsLastShard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add(1, "", job.Succeeded, job.Running)
		w.add(2, "", job.Succeeded, job.Failed)
		e := start(t, w, Config{})
		pass(10 * time.Millisecond)
		if got := w.outcomes(); len(got) != 1 || got[0].AttemptID != 1002 || got[0].State != job.Failed {
			t.Fatalf("recorded %+v, want the failure of run 2", got)
		}
		w.end(1, 1, job.Succeeded)
		pass(100 * time.Millisecond)
		if n := len(w.outcomes()); n != 1 {
			t.Fatalf("%d ends were recorded although nobody announced one", n)
		}
		e.Wake()
		pass(10 * time.Millisecond)
		if got := w.outcomes(); len(got) != 2 || got[1].AttemptID != 1001 || got[1].State != job.Succeeded {
			t.Fatalf("recorded %+v, want the success of run 1", got)
		}
	})
}

// What nobody announced is found, and what a server that died had claimed.
func TestEndsAreFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add(1, "", job.Succeeded)
		w.works[1].look = time.Now().Add(29 * time.Second) // the lease of the one that died
		start(t, w, Config{})
		if n := len(w.outcomes()); n != 1 {
			t.Fatalf("%d ends were recorded at the start, want that of the dead server's claim", n)
		}
		w.add(2, "", job.Running)
		w.end(2, 0, job.Succeeded)
		pass(1100 * time.Millisecond)
		if n := len(w.outcomes()); n != 2 {
			t.Fatalf("%d ends were recorded, want the poll to find the second", n)
		}
	})
}

func TestCancelledShardsAreEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.slow = time.Second
		states := make([]job.State, 10)
		for i := range states {
			states[i] = job.Running
		}
		states[3], states[4] = job.Succeeded, job.Stopping
		w.add(1, "wrong day", states...)
		e := start(t, w, Config{Calls: 4})
		pass(20 * time.Second)
		if w.most != 4 {
			t.Errorf("%d shards were being ended at once, want 4", w.most)
		}
		if got := slices.Sorted(slices.Values(w.cancelled)); slices.Contains(got, 103) || slices.Contains(got, 104) || len(got) != 8 {
			t.Errorf("ended %v, want those that are open, and neither the one that is over nor the one that is stopping", got)
		}
		if n := len(w.outcomes()); n != 0 {
			t.Fatalf("%d ends were recorded while a shard is stopping", n)
		}
		w.end(1, 4, job.Cancelled)
		e.Wake()
		pass(10 * time.Millisecond)
		got := w.outcomes()
		if len(got) != 1 || got[0].State != job.Cancelled || got[0].Over != "wrong day" || got[0].Message != "1 of 10 shards had succeeded" {
			t.Errorf("recorded %+v", got)
		}
	})
}

// The shards of a run that ended before them, as one over its deadline, are ended,
// and then the engine leaves it alone.
func TestShardsOutliveTheirRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add(1, "", job.Running, job.WaitingRetry)
		w.works[1].Run.State = job.Lost
		start(t, w, Config{})
		pass(5 * time.Second)
		if len(w.cancelled) != 2 || len(w.outcomes()) != 0 || !w.works[1].look.IsZero() {
			t.Errorf("ended %v, recorded %v, next look %s", w.cancelled, w.outcomes(), w.works[1].look)
		}
	})
}

func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.fail = job.Errorf(job.Unavailable, "the database is away")
		w.add(1, "", job.Succeeded)
		e := start(t, w, Config{})
		for range 50 {
			e.Wake()
			pass(50 * time.Millisecond)
		}
		w.mu.Lock()
		claims := w.claims
		w.fail = nil
		w.mu.Unlock()
		if claims > 4 {
			t.Errorf("%d claims in 2.5 seconds without a store", claims)
		}
		pass(2 * time.Second)
		if n := len(w.outcomes()); n != 1 {
			t.Errorf("%d ends were recorded after the store came back", n)
		}
	})
}

// Many at once are dealt with in batches, without a pause of a poll between them.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for run := range int64(250) {
			w.add(run+1, "", job.Succeeded)
		}
		start(t, w, Config{Batch: 100})
		pass(50 * time.Millisecond)
		if n := len(w.outcomes()); n != 250 {
			t.Errorf("%d ends were recorded, want 250", n)
		}
	})
}

// stopped is a world whose engine is stopped when it has claimed something.
type stopped struct {
	*world
	stop func()
}

func (s stopped) ClaimBroadcasts(ctx context.Context, now, lease time.Time, limit int) ([]Work, error) {
	works, err := s.world.ClaimBroadcasts(ctx, now, lease, limit)
	s.stop()
	return works, err
}

func (s stopped) Complete(ctx context.Context, outcomes []job.Outcome) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.world.Complete(ctx, outcomes)
}

// A server that stops ends what it has claimed.
func TestStopAfterClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := newWorld()
		w.add(1, "", job.Succeeded, job.Succeeded)
		s := stopped{w, stop}
		if err := New(Config{Store: s, Completer: s, Canceller: w}).Run(ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(w.outcomes()); n != 1 {
			t.Errorf("%d ends were recorded", n)
		}
	})
}
