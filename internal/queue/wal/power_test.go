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

// rows is everything in a back end, by bucket and key.
type rows map[string]string

var buckets = []string{"a", "b"}

func all(tb testing.TB, b queue.Backend) rows {
	tb.Helper()
	found := make(rows)
	err := b.View(func(tx queue.Txn) error {
		for _, bucket := range buckets {
			last := ""
			for k, v := range tx.Walk(bucket, nil) {
				if string(k) <= last {
					return fmt.Errorf("%q comes after %q", k, last)
				}
				last = string(k)
				found[bucket+last] = string(v)
				if got := string(tx.Get(bucket, k)); got != string(v) {
					return fmt.Errorf("%q is walked as %q and got as %q", k, v, got)
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

var errUndo = errors.New("undo this")

// change is one random transaction on a log and on the rows it should lead to.
func change(random *rand.Rand, before rows) (after rows, fn func(queue.Txn) error) {
	type op struct {
		bucket, key, value string
		put                bool
	}
	ops := make([]op, 1+random.IntN(6))
	after = maps.Clone(before)
	for i := range ops {
		o := op{bucket: buckets[random.IntN(2)], key: fmt.Sprintf("key%02d", random.IntN(25)), put: random.IntN(3) > 0}
		if o.put {
			o.value = string(make([]byte, random.IntN(900))) + fmt.Sprint(random.Uint64())
			after[o.bucket+o.key] = o.value
		} else {
			delete(after, o.bucket+o.key)
		}
		ops[i] = o
	}
	undo := random.IntN(6) == 0
	if undo {
		after = before
	}
	return after, func(tx queue.Txn) error {
		for _, o := range ops {
			var err error
			switch {
			case !o.put:
				err = tx.Delete(o.bucket, []byte(o.key))
			case tx.Get(o.bucket, []byte(o.key)) == nil:
				err = tx.(queue.Inserter).Insert(o.bucket, []byte(o.key), []byte(o.value))
			default:
				err = tx.Put(o.bucket, []byte(o.key), []byte(o.value))
			}
			if err != nil {
				return err
			}
		}
		if undo {
			return errUndo
		}
		return nil
	}
}

var tiny = Config{Overlay: 3 << 10, LogBytes: 8 << 10}

// live does random transactions until the power is cut or n are done, and
// returns what must be there afterwards and what may be there instead.
func live(t *testing.T, l *Log, random *rand.Rand, must rows, n int) (kept, perhaps rows) {
	t.Helper()
	for range n {
		after, fn := change(random, must)
		err := l.Update(fn)
		switch {
		case err == nil || errors.Is(err, errUndo):
			must = after
		case errors.Is(err, errCut):
			return must, after
		default:
			t.Fatal(err)
		}
		if random.IntN(8) == 0 {
			if err := l.Rotate(); errors.Is(err, errCut) {
				return must, must
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(4) == 0 {
			if diff := cmp.Diff(must, all(t, l)); diff != "" {
				t.Fatalf("while working (-want +got)\n%s", diff)
			}
		}
	}
	return must, must
}

// TestPowerCutAtEveryStep cuts the power at every write, sync and commit of a
// random history, and again while the rest of it is done after the reboot.
func TestPowerCutAtEveryStep(t *testing.T) {
	t.Parallel()
	for seed := range uint64(powerSeeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			whole := newFaultyDisk(seed)
			cutAndReboot(t, seed, whole)
			for cut := 1; cut <= whole.steps; cut++ {
				d := newFaultyDisk(seed)
				d.cutAt = cut
				cutAndReboot(t, seed, d)
			}
		})
	}
}

func cutAndReboot(t *testing.T, seed uint64, d *faultyDisk) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	inner := &faultyInner{Backend: mem.New(), disk: d}
	must, perhaps := make(rows), make(rows)
	for life := range 3 {
		where := fmt.Sprintf("seed %d, cut at step %d, life %d", seed, d.cutAt, life)
		l, err := open(d, "queue.log", inner, tiny)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatalf("%s: %v", where, err)
		}
		if err == nil {
			if len(l.SetAside()) > 0 {
				t.Fatalf("%s: taken for damage", where)
			}
			must = choose(t, where, must, perhaps, all(t, l))
			must, perhaps = live(t, l, random, must, 40)
			l.wait() // a checkpoint that is under way belongs to this life
			if life == 1 {
				_ = l.Close() // a cut may hit this as well
			}
		}
		d = d.reboot(seed + uint64(life))
		inner = &faultyInner{Backend: inner.Reopen(), disk: d}
		if life == 0 {
			d.cutAt = 1 + random.IntN(60)
		}
	}
}

// choose checks that rows are what must be there or what may be, and returns
// them.
func choose(t *testing.T, where string, must, perhaps, got rows) rows {
	t.Helper()
	if maps.Equal(got, perhaps) {
		return got
	}
	if diff := cmp.Diff(must, got); diff != "" {
		t.Fatalf("%s: (-want +got)\n%s", where, diff)
	}
	return got
}

// TestBadSectors has writes and syncs of the log fail now and then, with what
// was written half on the disk: no commit fails, and none is lost.
func TestBadSectors(t *testing.T) {
	t.Parallel()
	for seed := range uint64(badSeeds) {
		d := newFaultyDisk(seed)
		inner := &faultyInner{Backend: mem.New(), disk: d}
		random := rand.New(rand.NewPCG(seed, 2))
		must := make(rows)
		for range 4 {
			d.badness = 0
			l, err := open(d, "queue.log", inner, tiny)
			if err != nil {
				t.Fatal(err)
			}
			if len(l.SetAside()) > 0 {
				t.Fatalf("seed %d: taken for damage", seed)
			}
			must = choose(t, fmt.Sprintf("seed %d", seed), must, must, all(t, l))
			d.mu.Lock()
			d.badness = 1 + random.IntN(8)
			d.mu.Unlock()
			must, _ = live(t, l, random, must, 60)
			l.wait()
			d = d.reboot(seed)
			inner = &faultyInner{Backend: inner.Reopen(), disk: d}
		}
	}
}

// TestNothingCanBeWritten has log and back end fail together: the commit
// fails, leaves no trace, and works again later.
func TestNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := &faultyInner{Backend: mem.New(), disk: d}
	l, err := open(d, "queue.log", inner, tiny)
	if err != nil {
		t.Fatal(err)
	}
	set := func(value string) error {
		return l.Update(func(tx queue.Txn) error { return tx.Put("a", []byte("k"), []byte(value)) })
	}
	faults := func(on bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		inner.bad, d.badness = on, 0
		if on {
			d.badness = 1
		}
	}
	if err := set("first"); err != nil {
		t.Fatal(err)
	}
	faults(true)
	for range 3 {
		if err := set("never"); !errors.Is(err, errBad) {
			t.Fatalf("got %v", err)
		}
		if got := all(t, l)["ak"]; got != "first" {
			t.Fatalf("got %q", got)
		}
	}
	faults(false)
	if err := set("second"); err != nil {
		t.Fatal(err)
	}
	d = d.reboot(1)
	l, err = open(d, "queue.log", &faultyInner{Backend: inner.Reopen(), disk: d}, tiny)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, l)["ak"]; got != "second" || len(l.SetAside()) > 0 {
		t.Errorf("after a restart: %q, set aside %v", got, l.SetAside())
	}
}
