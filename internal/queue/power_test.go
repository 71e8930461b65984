package queue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// duel is a store on a disk with faults, and what it may be after a crash: a twin on a good disk
// does every transaction first, and tells what it leads to.
type duel struct {
	t        *testing.T
	where    string
	random   *rand.Rand
	perhaps  []world // one of these is what a restart finds; the last one is what is seen now
	store    *queue.Store
	twin     *queue.Store
	stop     func()
	disk     *mem.Disk
	failures int
	soon     int // one of so many transactions is by UpdateSoon
}

// fight opens both, and checks what the disk has.
func fight(t *testing.T, where string, d *mem.Disk, random *rand.Rand, perhaps []world) (*duel, error) {
	t.Helper()
	c := tiny
	c.Hooks.Damaged = func(int) { t.Errorf("%s: taken for damage", where) }
	s, err := queue.Open(d, c)
	if err != nil {
		return nil, err
	}
	f := &duel{t: t, where: where, random: random, store: s, disk: d, soon: 4}
	got := look(t, s)
	if perhaps != nil && !slices.ContainsFunc(perhaps, func(w world) bool { return maps.Equal(w, got) }) {
		t.Fatalf("%s: neither of %d; (-want +got)\n%s", where, len(perhaps), cmp.Diff(perhaps[len(perhaps)-1], got))
	}
	f.perhaps = []world{got}
	f.twin = open(t, d.Reopen(), tiny)
	stop, stopTwin := run(t, s), run(t, f.twin)
	f.stop = func() {
		stop()
		stopTwin()
		_ = s.Close()
		_ = f.twin.Close()
	}
	return f, nil
}

// transact does a random transaction and reports whether it could.
func (f *duel) transact() bool {
	f.t.Helper()
	fn := step(f.store, f.random)
	update := f.store.Update
	soon := f.random.IntN(f.soon) == 0
	if soon {
		update = f.store.UpdateSoon
	}
	now, after := f.perhaps[len(f.perhaps)-1], world(nil)
	var want error
	_ = f.twin.Update(context.Background(), func(tx *queue.Tx) (err error) {
		if want = fn(tx); want == nil {
			after, want = see(f.twin, tx)
		}
		return errUndo
	})
	switch err := update(context.Background(), fn); {
	case err == nil && want == nil:
		if err := f.twin.Update(context.Background(), fn); err != nil {
			f.t.Fatal(err)
		}
		if soon || maps.Equal(now, after) {
			f.perhaps = append(f.perhaps, after)
		} else {
			f.perhaps = []world{after}
		}
		return true
	case errors.Is(err, errUndo) && errors.Is(want, errUndo):
		return true
	case job.Is(err, job.Unavailable):
		f.failed(now)
		return false
	case job.Is(err, job.Ambiguous):
		f.perhaps = append(f.perhaps, after, now)
		f.failed(now)
		return false
	default:
		f.t.Fatalf("%s: %v, and %v on a good disk", f.where, err, want)
		return false
	}
}

// failed checks that a failed commit left nothing in memory.
func (f *duel) failed(before world) {
	f.t.Helper()
	f.failures++
	if diff := cmp.Diff(before, look(f.t, f.store)); diff != "" {
		f.t.Fatalf("%s: a failed commit left something (-want +got)\n%s", f.where, diff)
	}
}

// kill checks that the next process would find what is seen now.
func (f *duel) kill() {
	f.t.Helper()
	c := tiny
	c.Hooks.Damaged = func(int) { f.t.Errorf("%s: a kill is taken for damage", f.where) }
	s := open(f.t, f.disk.Reopen(), c)
	if diff := cmp.Diff(f.perhaps[len(f.perhaps)-1], look(f.t, s)); diff != "" {
		f.t.Fatalf("%s: after a kill (-want +got)\n%s", f.where, diff)
	}
	wantNil(f.t, s.Close())
}

// TestPowerCutAtEveryStep cuts the power at every change of the disk in a random history, and again in
// what follows the reboot: what was acknowledged is there, and the last frame whole or not at all.
func TestPowerCutAtEveryStep(t *testing.T) {
	t.Parallel()
	for seed := range uint64(powerSeeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			whole := mem.Seeded(seed)
			cutAndReboot(t, seed, 0, whole)
			for cut := 1; cut <= whole.Steps(); cut += cutEvery {
				d := mem.Seeded(seed)
				d.CutAt(cut)
				cutAndReboot(t, seed, cut, d)
			}
		})
	}
}

func cutAndReboot(t *testing.T, seed uint64, cut int, d *mem.Disk) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	var perhaps []world
	for life := range 3 {
		f, err := fight(t, fmt.Sprintf("seed %d, cut %d, life %d", seed, cut, life), d, random, perhaps)
		switch {
		case err == nil:
			f.soon = []int{1, 2, 5}[seed%3] // all of them, half, or few
			for n := range 40 {
				if !f.transact() {
					break
				}
				if n%16 == 15 {
					f.kill()
				}
			}
			perhaps = f.perhaps
			f.stop() // what UpdateSoon wrote may be there or not
		case !errors.Is(err, mem.ErrCut):
			t.Fatal(err)
		}
		d = d.Reboot(seed + uint64(life))
		if life == 0 {
			d.CutAt(1 + random.IntN(60))
		}
	}
}

// TestBadSectors has changes of the disk fail now and then, with what was written half there: a failed
// commit leaves nothing, in memory and after a crash, unless it was said to be unknown.
func TestBadSectors(t *testing.T) {
	t.Parallel()
	failures := 0
	for seed := range uint64(badSeeds) {
		d := mem.Seeded(seed)
		random := rand.New(rand.NewPCG(seed, 2))
		var perhaps []world
		for life := range 4 {
			f, err := fight(t, fmt.Sprintf("seed %d, life %d", seed, life), d, random, perhaps)
			if err != nil {
				t.Fatal(err)
			}
			dice, badness := rand.New(rand.NewPCG(seed, uint64(life))), 1+random.IntN(8)
			d.Fault(func(op, _ string) error {
				if op != "read" && dice.IntN(badness) == 0 {
					return mem.ErrBad
				}
				return nil
			})
			for range 60 {
				f.transact()
			}
			d.Fault(func(op, _ string) error {
				if op == "read" {
					return nil
				}
				return mem.ErrBad
			})
			perhaps = f.perhaps
			failures += f.failures
			f.stop()
			d = d.Reboot(seed)
		}
	}
	if failures == 0 {
		t.Error("nothing has failed")
	}
}

// TestFailedCommitIsVoid: a commit that was written whole, and was not said to be durable, is nowhere from the
// moment of its answer on, whatever comes next.
func TestFailedCommitIsVoid(t *testing.T) {
	t.Parallel()
	d := mem.New()
	s := open(t, d, queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	wantNil(t, push(s, q, 1))
	failed := false
	d.Fault(func(op, _ string) error {
		if op == "sync" && !failed {
			failed = true
			return mem.ErrBad
		}
		return nil
	})
	wantKind(t, push(s, q, 2), job.Unavailable)
	for name, disk := range map[string]*mem.Disk{"a kill": d.Reopen(), "a power cut": d.Reboot(1), "another": d.Reboot(2)} {
		again := open(t, disk, queue.Config{Hooks: queue.Hooks{Damaged: func(int) { t.Errorf("%s leaves damage", name) }}})
		wantNil(t, again.View(t.Context(), func(tx *queue.Tx) error {
			for key, want := range map[int64]queue.Place{1: queue.Scheduled, 2: 0} {
				if where, _ := q.Where(tx, key); where != want {
					t.Errorf("after %s item %d is %s", name, key, where)
				}
			}
			return nil
		}))
		wantNil(t, again.Close())
	}
	wantNil(t, push(s, q, 2))
	stop()
	wantNil(t, s.Close())
}

// TestFullDiskAtEveryStep has the disk full from each change on, for a while: what is refused left nothing, what
// waits comes in when there is room again, and all of it is there after a power cut.
func TestFullDiskAtEveryStep(t *testing.T) {
	t.Parallel()
	const seed, transactions, lasts = 11, 40, 15
	whole := mem.Seeded(seed)
	f, err := fight(t, "a disk with room", whole, rand.New(rand.NewPCG(seed, 5)), nil)
	wantNil(t, err)
	for range transactions {
		f.transact()
	}
	f.stop()
	for full := 1; full <= whole.Steps(); full += cutEvery {
		d := mem.Seeded(seed)
		f, err := fight(t, fmt.Sprintf("full at step %d", full), d, rand.New(rand.NewPCG(seed, 5)), nil)
		wantNil(t, err)
		changes := d.Steps()
		d.Fault(func(op, _ string) error {
			if op == "read" {
				return nil
			}
			if changes++; changes >= full && changes < full+lasts && (op == "write" || op == "create") {
				return errFull
			}
			return nil
		})
		refused := false
		for range transactions {
			refused = !f.transact() || refused
		}
		d.Fault(nil)
		if !refused && full+lasts < changes && full > 20 {
			t.Errorf("%s: nothing was refused", f.where)
		}
		for range 5 {
			if !f.transact() {
				t.Errorf("%s: there is room, and it does not work", f.where)
			}
		}
		perhaps := f.perhaps
		f.stop()
		again, err := fight(t, f.where+", after that", d.Reboot(uint64(full)), rand.New(rand.NewPCG(seed, 6)), perhaps)
		wantNil(t, err)
		again.stop()
	}
}
