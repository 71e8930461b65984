package feed_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drain takes what is there now.
func drain(t *testing.T, r *feed.Reader[int]) (all []int, lost feed.Lost) {
	t.Helper()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for {
		n := len(all)
		var err error
		if all, lost, err = r.Next(ended, all); lost != feed.None {
			return all, lost
		}
		if err != nil && len(all) == n {
			return all, feed.None
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	f := feed.New[int](feed.Config{})
	f.Append()
	f.Append(1, 2)
	r := f.Read()
	if got, lost := drain(t, r); len(got) != 0 || lost != feed.None || r.After() != 2 {
		t.Errorf("a reader of what comes got %v, %v, and stands behind %d", got, lost, r.After())
	}
	f.Append(3, 4)
	if got, _ := drain(t, r); len(got) != 2 || got[0] != 3 || got[1] != 4 || r.After() != 4 {
		t.Errorf("it got %v and stands behind %d", got, r.After())
	}
	back, ok := f.ReadAfter(1)
	if got, _ := drain(t, back); !ok || len(got) != 3 || got[0] != 2 {
		t.Errorf("who comes back got %v, %t", got, ok)
	}
	if _, ok := f.ReadAfter(5); ok {
		t.Error("somebody stands behind an item that there is not")
	}
}

// Who waits is woken, and who is not wanted any more too.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := feed.New[int](feed.Config{})
		r, idle := f.Read(), f.Read()
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if got, lost, err := r.Next(ctx, nil); err != nil || lost != feed.None || len(got) != 1 || got[0] != 7 {
				t.Errorf("got %v, %v, %v", got, lost, err)
			}
			if _, _, err := r.Next(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		})
		synctest.Wait()
		f.Append(7)
		synctest.Wait()
		cancel()
		waiting.Wait()
		if idle.After() != 0 {
			t.Error("a reader has moved that nobody uses")
		}
	})
}

func TestSlow(t *testing.T) {
	t.Parallel()
	f := feed.New[int](feed.Config{Keep: 100, Behind: 10})
	r := f.Read()
	f.Append(make([]int, 10)...)
	if got, lost := drain(t, r); len(got) != 10 || lost != feed.None {
		t.Errorf("as far behind as it may be it got %d, %v", len(got), lost)
	}
	f.Append(make([]int, 11)...)
	if got, lost := drain(t, r); len(got) != 0 || lost != feed.Slow || r.After() != 21 {
		t.Errorf("further behind it got %d, %v and stands behind %d", len(got), lost, r.After())
	}
	f.Append(1)
	if got, lost := drain(t, r); len(got) != 1 || lost != feed.None {
		t.Errorf("later it got %v, %v", got, lost)
	}
}

// Who comes back to a place far behind may take its time, as long as it does not fall
// behind further.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	f := feed.New[int](feed.Config{Keep: 5000, Behind: 10})
	f.Append(make([]int, 4000)...)
	r, ok := f.ReadAfter(0)
	if !ok {
		t.Fatal("what is kept cannot be read")
	}
	some, lost, _ := r.Next(t.Context(), nil)
	if len(some) == 0 || len(some) == 4000 || lost != feed.None {
		t.Errorf("at once it got %d, %v", len(some), lost)
	}
	f.Append(make([]int, 10)...)
	if got, lost := drain(t, r); len(got)+len(some) != 4010 || lost != feed.None {
		t.Errorf("it got %d and %d, %v", len(some), len(got), lost)
	}
	f.Append(make([]int, 11)...)
	if _, lost := drain(t, r); lost != feed.Slow {
		t.Errorf("once it is there it may be as slow as before: %v", lost)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	f := feed.New[int](feed.Config{})
	f.Append(1)
	r, last := f.Read(), f.Last()
	f.Cut()
	if _, ok := f.ReadAfter(last); ok {
		t.Error("somebody goes on over a gap")
	}
	f.Append(2)
	if got, lost := drain(t, r); len(got) != 0 || lost != feed.Gap {
		t.Errorf("a reader got %v over a gap, %v", got, lost)
	}
	if _, ok := f.ReadAfter(r.After()); !ok {
		t.Error("who was told of the gap cannot go on behind it")
	}
}

// Whatever happens: each reader gets each item once and in order, or is told that it
// has missed some.
func TestOnceOrTold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		keep := rapid.IntRange(1, 40).Draw(r, "keep")
		f := feed.New[uint64](feed.Config{Keep: keep, Behind: rapid.IntRange(1, 20).Draw(r, "behind")})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		next := uint64(1) // the number of the next item, which is its value
		reader, at := f.Read(), uint64(0)
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				f.Cut()
				next++
			case 1:
				back, ok := f.ReadAfter(at)
				if !ok {
					back = f.Read()
					at = back.After()
				}
				reader = back
			case 2:
				got, lost, _ := reader.Next(ended, nil)
				for _, item := range got {
					if at++; item != at {
						r.Fatalf("item %d came in place of %d", item, at)
					}
				}
				if lost != feed.None {
					at = next - 1
				}
				if reader.After() != at {
					r.Fatalf("the reader stands behind %d, not %d", reader.After(), at)
				}
			default:
				for range rapid.IntRange(1, 10).Draw(r, "items") {
					f.Append(next)
					next++
				}
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	f := feed.New[*int](feed.Config{})
	items := make([]*int, 100)
	b.ReportAllocs()
	for b.Loop() {
		f.Append(items...)
	}
}
