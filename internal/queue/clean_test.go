package queue_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
)

// TestBodiesLeaveTheFiles: a body that is not needed any more is in no file of the folder after the age,
// also when nothing else happens; what is needed stays.
func TestBodiesLeaveTheFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := mem.New()
		s := open(t, d, queue.Config{})
		stop := run(t, s)
		q := s.Queue("tasks", queue.QueueConfig{})
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
			for key := range int64(3) {
				if err := q.PushStarted(tx, queue.Item{Key: key, Body: fmt.Appendf(nil, "the secret of %d", key)}); err != nil {
					return err
				}
			}
			return nil
		}))
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error { return q.Ack(tx, 0, day) }))
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error { return q.Amend(tx, 1, []byte("another text")) }))
		if !found(d, "the secret of 0") {
			t.Error("it was gone at once: this test proves nothing")
		}
		time.Sleep(queue.DefaultAge*5/4 + time.Minute)
		for text, want := range map[string]bool{
			"the secret of 0": false, "the secret of 1": false, "another text": true, "the secret of 2": true,
		} {
			if found(d, text) != want {
				t.Errorf("%q is in the folder: %v", text, !want)
			}
		}
		stop()
		wantNil(t, s.Close())
		again := open(t, d.Reopen(), queue.Config{})
		wantNil(t, again.View(t.Context(), func(tx *queue.Tx) error {
			st, err := q.Stats(tx)
			if st != (queue.Stats{Processing: 2, Remembered: 1}) {
				t.Errorf("%+v", st)
			}
			return err
		}))
		wantNil(t, again.Close())
	})
}

// found reports whether a text is in any file of a folder.
func found(d *mem.Disk, text string) bool {
	names, _ := d.Names()
	for _, name := range names {
		if bytes.Contains(d.Read(name), []byte(text)) {
			return true
		}
	}
	return false
}

// TestFilesStaySmall pushes far more through a store than it holds, with keys that are remembered and
// items that stay: the files stay below twice what is needed and four segments, and all of it is there
// after a restart.
func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	d := mem.New()
	c := queue.Config{Segment: 64 << 10}
	s := open(t, d, c)
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{Remember: 5000})
	const rounds, stay, body = 20_000, 100, 300
	for key := range int64(rounds) {
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
			if err := q.PushStarted(tx, queue.Item{Key: key, Body: make([]byte, body)}); err != nil || key%(rounds/stay) == 0 {
				return err
			}
			return q.Ack(tx, key, day)
		}))
		if key%100 == 0 {
			live := min(key, 5000)*12 + stay*(body+50)
			if size := used(d); size > 2*live+5*64<<10 {
				t.Fatalf("the files have %d bytes after %d items, of which about %d are needed", size, key, live)
			}
		}
	}
	stop()
	wantNil(t, s.Close())
	s = open(t, d.Reopen(), c)
	wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
		st, err := q.Stats(tx)
		if st != (queue.Stats{Processing: stay, Remembered: 5000}) {
			t.Errorf("%+v", st)
		}
		for key := int64(rounds - 5000); key < rounds; key++ {
			if where, _ := q.Where(tx, key); where == 0 {
				t.Errorf("key %d is not known", key)
			}
		}
		return err
	}))
	wantNil(t, s.Close())
}

// used is how many bytes the files of a folder have without the zeros at their ends.
func used(d *mem.Disk) (n int64) {
	names, _ := d.Names()
	for _, name := range names {
		n += int64(len(bytes.TrimRight(d.Read(name), "\x00")))
	}
	return n
}

// TestBacklogNeedsLittleMemory has many outcomes wait for a server: their bodies stay in the files, and
// every one can be read.
func TestBacklogNeedsLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	const items, body, most = 60_000, 1000, 240 // bytes an item
	s := open(t, queue.Folder(t.TempDir()), queue.Config{Memory: 1 << 20})
	stop := run(t, s)
	q := s.Queue("outbox", queue.QueueConfig{Capacity: items})
	before := heap()
	for from := int64(0); from < items; from += 1000 {
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
			for key := from; key < from+1000; key++ {
				text := make([]byte, body)
				binary.LittleEndian.PutUint64(text[body-8:], uint64(key))
				if err := q.Push(tx, queue.Item{Key: key, Body: text}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	used := int64(heap() - before)
	t.Logf("%d bytes an item", used/items)
	if used > items*most+4<<20 {
		t.Errorf("%d items of %d bytes need %d bytes of memory, %d each", items, body, used, used/items)
	}
	after := uint64(0)
	for key := int64(0); key < items; {
		var list []queue.Item
		wantNil(t, s.View(t.Context(), func(tx *queue.Tx) (err error) {
			list, err = q.List(tx, queue.Scheduled, after, 500)
			return err
		}))
		for _, it := range list {
			if it.Key != key || binary.LittleEndian.Uint64(it.Body[body-8:]) != uint64(key) {
				t.Fatalf("item %d is another: %d", key, it.Key)
			}
			key, after = key+1, it.Seq
		}
	}
	stop()
	wantNil(t, s.Close())
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestChangesOfUpdateSoon outlive a kill at once, a power cut after a tenth of a second or the next
// Update, and commits that fail.
func TestChangesOfUpdateSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := mem.New()
		s := open(t, d, queue.Config{Hooks: queue.Hooks{Damaged: func(int) { t.Error("taken for damage") }}})
		stop := run(t, s)
		q := s.Queue("tasks", queue.QueueConfig{})
		for key := int64(1); key <= 6; key++ {
			wantNil(t, push(s, q, key))
		}
		drop := func(key int64) {
			wantNil(t, s.UpdateSoon(t.Context(), func(tx *queue.Tx) error { return q.Drop(tx, key, day) }))
		}
		// after tells how often an item has been dropped after a kill, and after power cuts.
		after := func(key int64) (kill, cuts int) {
			known := func(d *mem.Disk) int {
				other := open(t, d, queue.Config{Hooks: queue.Hooks{Damaged: func(int) { t.Error("a cut is taken for damage") }}})
				var where queue.Place
				wantNil(t, other.View(t.Context(), func(tx *queue.Tx) (err error) { where, err = q.Where(tx, key); return err }))
				wantNil(t, other.Close())
				if where == queue.Remembered {
					return 1
				}
				return 0
			}
			for seed := range uint64(10) {
				cuts += known(d.Reboot(seed))
			}
			return known(d.Reopen()), cuts
		}
		expect := func(when string, key int64, kill, least, most int) {
			t.Helper()
			if killed, cuts := after(key); killed != kill || cuts < least || cuts > most {
				t.Errorf("%s: %d is dropped after a kill %d times and after ten power cuts %d times", when, key, killed, cuts)
			}
		}
		drop(1)
		expect("at once", 1, 1, 0, 10)
		time.Sleep(200 * time.Millisecond)
		expect("a while later", 1, 1, 10, 10)
		drop(6) // while the timer waits for bodies that are not needed any more
		time.Sleep(200 * time.Millisecond)
		expect("a while after another one", 6, 1, 10, 10)
		drop(2)
		wantNil(t, push(s, q, 7))
		expect("after an Update", 2, 1, 10, 10)
		drop(3)
		drop(4)
		broken := true
		d.Fault(func(op, _ string) error {
			if broken && op == "sync" {
				return mem.ErrBad
			}
			return nil
		})
		if push(s, q, 8) == nil {
			t.Error("pushed on a broken disk")
		}
		broken = false
		wantNil(t, push(s, q, 9))
		expect("after a commit that failed", 3, 1, 10, 10)
		expect("after a commit that failed", 4, 1, 10, 10)
		stop()
		wantNil(t, s.Close())
	})
}

// TestBackupWhileCleaning takes a copy while its segments would be removed.
func TestBackupWhileCleaning(t *testing.T) {
	t.Parallel()
	d := mem.New()
	s := open(t, d, queue.Config{Segment: 16 << 10})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{Remember: 10})
	cycle := func(from, to int64) {
		for key := from; key < to; key++ {
			wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
				if err := q.PushStarted(tx, queue.Item{Key: key, Body: make([]byte, 1000)}); err != nil || key%50 == 0 {
					return err
				}
				return q.Ack(tx, key, day)
			}))
		}
	}
	cycle(1, 200)
	stats := func(s *queue.Store) (st queue.Stats) {
		wantNil(t, s.View(t.Context(), func(tx *queue.Tx) (err error) { st, err = q.Stats(tx); return err }))
		return st
	}
	want := stats(s)
	var copied bytes.Buffer
	first := true
	wantNil(t, s.Backup(writer(func(b []byte) (int, error) {
		if first { // the copy is what was there before
			first = false
			cycle(200, 500)
		}
		return copied.Write(b)
	})))
	cycle(500, 600)
	stop()
	wantNil(t, s.Close())
	if n := len(segments(t, d)); n > 6 {
		t.Errorf("%d segments are left", n)
	}
	other, err := mem.Untar(&copied)
	wantNil(t, err)
	restored := open(t, other, queue.Config{Hooks: queue.Hooks{Damaged: func(int) { t.Error("the copy is damaged") }}})
	if got := stats(restored); got != want {
		t.Errorf("the copy has %+v, want %+v", got, want)
	}
	wantNil(t, restored.Close())
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
