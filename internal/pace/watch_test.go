package pace

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestWatchIsBounded(t *testing.T) {
	t.Parallel()
	w := NewWatch(3)
	w.Add(70, []int64{1, 2, 3})
	w.Add(71, []int64{4, 5})
	for run, want := range map[int64]bool{1: false, 4: true, 5: true} {
		if got := w.Take(run); got != want {
			t.Errorf("run %d is known: %t", run, got)
		}
	}
	if w.Take(4) {
		t.Error("a run is taken twice")
	}
	if got := w.Drain(); !slices.Equal(got, []int64{71}) || len(w.Drain()) != 0 {
		t.Errorf("works %v have ended", got)
	}
}

// Of the runs that are waited for so many are asked after at once, and those that are over
// bring their works.
func TestPeek(t *testing.T) {
	t.Parallel()
	w := NewWatch(100)
	over := map[int64]bool{2: true, 5: true}
	var asked []int64
	ended := func(_ context.Context, runs []int64) (found []int64, err error) {
		asked = append(asked, runs...)
		for _, run := range runs {
			if over[run] {
				found = append(found, run)
			}
		}
		return found, err
	}
	if err := w.Peek(t.Context(), 3, ended); err != nil || len(asked) != 0 {
		t.Errorf("without runs %v are asked after: %v", asked, err)
	}
	w.Add(70, []int64{1, 2})
	w.Add(71, []int64{3, 4})
	w.Add(72, []int64{5})
	if err := w.Peek(t.Context(), 3, ended); err != nil || len(asked) != 3 {
		t.Errorf("%v are asked after, want three: %v", asked, err)
	}
	if err := w.Peek(t.Context(), 9, ended); err != nil {
		t.Error(err)
	}
	if got := w.Waiting(); !slices.Equal(got, []int64{70, 71, 72}) {
		t.Errorf("works %v wait or are to be looked at", got)
	}
	got := w.Drain()
	slices.Sort(got)
	if !slices.Equal(got, []int64{70, 72}) {
		t.Errorf("works %v have ended", got)
	}
	away := errors.New("away")
	if err := w.Peek(t.Context(), 9, func(context.Context, []int64) ([]int64, error) { return nil, away }); !errors.Is(err, away) {
		t.Errorf("Peek = %v", err)
	}
	var left []int64
	leave := func(err error) func(context.Context, []int64, time.Time) error {
		return func(_ context.Context, works []int64, _ time.Time) error { left = works; return err }
	}
	before := w.Waiting()
	if n, err := w.LetGo(t.Context(), leave(away)); !errors.Is(err, away) || n != len(before) || !slices.Equal(w.Waiting(), before) {
		t.Errorf("LetGo that fails = %d, %v; works %v wait", n, err, w.Waiting())
	}
	if n, err := w.LetGo(t.Context(), leave(nil)); err != nil || n != len(before) || !slices.Equal(left, before) || len(w.Waiting()) != 0 {
		t.Errorf("LetGo = %d, %v of %v; works %v wait", n, err, left, w.Waiting())
	}
	if n, err := w.LetGo(t.Context(), leave(away)); n != 0 || err != nil {
		t.Errorf("LetGo of none = %d, %v", n, err)
	}
}
