package wal

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
)

// TestFateOfAFailedCommit has the log and the back end inside fail together, over and over,
// at times with the commit in effect all the same. An error that says that nothing was kept is
// right, also after a restart; after any other one the commit is there or not, and what memory
// shows is what a restart finds as soon as another commit has succeeded.
func TestFateOfAFailedCommit(t *testing.T) {
	t.Parallel()
	undone, unknown := 0, 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		d := newFaultyDisk(seed)
		inner := &faultyInner{Backend: mem.New(), disk: d}
		must, perhaps := make(rows), make(rows)
		for life := range 3 {
			l, err := open(d, "queue.log", inner, tiny)
			noError(t, err)
			where := fmt.Sprintf("seed %d, life %d", seed, life)
			must = choose(t, where+", opened", must, perhaps, all(t, l))
			for step := range 40 {
				where := fmt.Sprintf("%s, step %d", where, step)
				d.mu.Lock()
				inner.bad, inner.kept, d.badness = random.IntN(3) == 0, random.IntN(2) == 0, random.IntN(3)
				d.mu.Unlock()
				after, fn := change(random, must)
				before := must
				err := l.Update(fn)
				switch {
				case err == nil:
					must, perhaps = after, after
				case errors.Is(err, errUndo):
					perhaps = must
				case errors.Is(err, queue.ErrUndone):
					undone++
					perhaps = must
				default:
					unknown++
					must = choose(t, where, before, after, all(t, l))
					perhaps = after
					if maps.Equal(must, after) {
						perhaps = before
					}
				}
				if random.IntN(8) == 0 {
					_ = l.Rotate() // which may fail and changes nothing
				}
				if diff := cmp.Diff(must, all(t, l)); diff != "" {
					t.Fatalf("%s: (-want +got)\n%s", where, diff)
				}
			}
			d.mu.Lock()
			inner.bad, d.badness = false, 0
			d.mu.Unlock()
			if life == 1 { // another commit settles the fate of the last one
				must = maps.Clone(must)
				must["alast"] = "1"
				perhaps = must
				noError(t, set(l, "last", "1"))
			}
			l.wait()
			d = d.reboot(seed)
			inner = &faultyInner{Backend: inner.Reopen(), disk: d}
		}
	}
	if undone == 0 || unknown == 0 {
		t.Errorf("%d commits were undone, the fate of %d was unknown", undone, unknown)
	}
}

// TestDoubtAtTheEnd: a log that is closed while the fate of a commit is unknown leaves one truth.
func TestDoubtAtTheEnd(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := &faultyInner{Backend: mem.New(), disk: d}
	l, err := open(d, "queue.log", inner, tiny)
	noError(t, err)
	noError(t, set(l, "k", "first"))
	d.mu.Lock()
	inner.bad, inner.kept, d.badness = true, true, 1
	d.mu.Unlock()
	if err := set(l, "other", "kept"); !errors.Is(err, errBad) || errors.Is(err, queue.ErrUndone) {
		t.Fatalf("got %v", err)
	}
	want := rows{"ak": "first", "aother": "kept"}
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("in memory (-want +got)\n%s", diff)
	}
	d.mu.Lock()
	inner.bad, d.badness = false, 0
	d.mu.Unlock()
	noError(t, l.Close())
	again, err := open(d, "queue.log", inner.Reopen(), tiny)
	noError(t, err)
	if diff := cmp.Diff(want, all(t, again)); diff != "" {
		t.Errorf("after a restart (-want +got)\n%s", diff)
	}
}
