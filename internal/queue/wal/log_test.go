package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// watched is a back end inside that counts what is put, and whose commits can
// be held up or fail.
type watched struct {
	*mem.Backend
	puts    atomic.Int64
	commits atomic.Int64
	hold    chan struct{} // nil, or closed to let commits go on
	fail    atomic.Bool
}

type watchedTxn struct {
	queue.Txn
	watched *watched
}

func (t watchedTxn) Put(bucket string, key, value []byte) error {
	if bucket != markBucket {
		t.watched.puts.Add(1)
	}
	return t.Txn.Put(bucket, key, value)
}

func (w *watched) Update(fn func(queue.Txn) error) error {
	w.commits.Add(1)
	if w.hold != nil {
		<-w.hold
	}
	if w.fail.Load() {
		return errBad
	}
	return w.Backend.Update(func(tx queue.Txn) error { return fn(watchedTxn{tx, w}) })
}

func opened(t *testing.T, inner queue.Backend, c Config) *Log {
	t.Helper()
	l, err := open(newFaultyDisk(1), "queue.log", inner, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func set(l *Log, key, value string) error {
	return l.Update(func(tx queue.Txn) error { return tx.Put("a", []byte(key), []byte(value)) })
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestShortLivedRowsStayOutside inserts and deletes rows between checkpoints.
func TestShortLivedRowsStayOutside(t *testing.T) {
	t.Parallel()
	w := &watched{Backend: mem.New()}
	l := opened(t, w, Config{})
	for i := range 100 {
		key := fmt.Appendf(nil, "key%d", i)
		noError(t, l.Update(func(tx queue.Txn) error { return tx.(queue.Inserter).Insert("a", key, key) }))
		noError(t, l.Update(func(tx queue.Txn) error { return tx.Put("a", key, []byte("more")) }))
		noError(t, l.Update(func(tx queue.Txn) error { return tx.Delete("a", key) }))
	}
	if s := l.state.Load(); s.active.bytes != 0 || !s.active.empty() {
		t.Errorf("%d bytes in memory for nothing", s.active.bytes)
	}
	noError(t, set(l, "stays", "here"))
	noError(t, l.Close())
	if n := w.puts.Load(); n != 1 {
		t.Errorf("%d rows reached the back end", n)
	}
}

// TestUnchangedIsNoCommit: a transaction that changes nothing or fails writes
// nothing.
func TestUnchangedIsNoCommit(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	l, err := open(d, "queue.log", mem.New(), tiny)
	noError(t, err)
	steps := d.steps
	noError(t, l.Update(func(queue.Txn) error { return nil }))
	if err := l.Update(func(tx queue.Txn) error { return errors.Join(tx.Put("a", []byte("k"), nil), errUndo) }); !errors.Is(err, errUndo) {
		t.Error(err)
	}
	if d.steps != steps || len(all(t, l)) != 0 {
		t.Errorf("%d writes", d.steps-steps)
	}
	noError(t, l.Close())
	noError(t, l.Close())
	if err := set(l, "k", "v"); !job.Is(err, job.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
	if err := l.writeBack(); !job.Is(err, job.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
}

// TestLargeTransactionGoesStraightInside: it fits neither log nor layer.
func TestLargeTransactionGoesStraightInside(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := mem.New()
	l, err := open(d, "queue.log", inner, tiny)
	noError(t, err)
	large := strings.Repeat("x", 10*tiny.LogBytes)
	noError(t, set(l, "before", "1"))
	noError(t, set(l, "large", large))
	noError(t, set(l, "after", "2"))
	if n := len(d.files["queue.log"].now) + len(d.files["queue.log2"].now); n > 8*tiny.LogBytes {
		t.Errorf("the files have %d bytes", n)
	}
	want := rows{"abefore": "1", "alarge": large, "aafter": "2"}
	d = d.reboot(1)
	again, err := open(d, "queue.log", inner.Reopen(), tiny)
	noError(t, err)
	if diff := cmp.Diff(want, all(t, again)); diff != "" {
		t.Error(diff)
	}
}

// TestCommitsWaitForACheckpoint fills two layers while a checkpoint is held
// up: memory and files stay bounded, and nothing is lost.
func TestCommitsWaitForACheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{Backend: mem.New()}
		d := newFaultyDisk(1)
		l, err := open(d, "queue.log", w, tiny)
		noError(t, err)
		w.hold = make(chan struct{})
		var done atomic.Int64
		const all = 200
		go func() {
			for i := range all {
				noError(t, set(l, fmt.Sprintf("key%03d", i), strings.Repeat("v", 200)))
				done.Add(1)
			}
		}()
		synctest.Wait()
		held := done.Load()
		s := l.state.Load()
		if held == all || s.frozen == nil || s.frozen.bytes > 2*tiny.Overlay || s.active.bytes > 3*tiny.Overlay {
			t.Errorf("%d commits while nothing was written back", held)
		}
		close(w.hold)
		synctest.Wait()
		if done.Load() != all {
			t.Errorf("%d commits in the end", done.Load())
		}
		for name, f := range d.files {
			if len(f.now) > 4*tiny.LogBytes {
				t.Errorf("%s has %d bytes", name, len(f.now))
			}
		}
		noError(t, l.Close())
	})
}

// TestFailedCheckpointIsTriedAgain: commits go on while the back end inside
// cannot be written, until two layers are full, and after that again.
func TestFailedCheckpointIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := &watched{Backend: mem.New()}
	var log bytes.Buffer
	config := tiny
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	l := opened(t, w, config)
	w.fail.Store(true)
	accepted := 0
	var err error
	for ; accepted < 1000; accepted++ {
		if err = set(l, fmt.Sprintf("key%03d", accepted), strings.Repeat("v", 200)); err != nil {
			break
		}
	}
	if !errors.Is(err, errBad) || accepted < 20 {
		t.Fatalf("%d commits, then %v", accepted, err)
	}
	if n := len(all(t, l)); n != accepted {
		t.Errorf("%d rows of %d", n, accepted)
	}
	w.fail.Store(false)
	for range 50 {
		noError(t, set(l, fmt.Sprintf("key%03d", accepted), strings.Repeat("v", 200)))
		accepted++
	}
	if n := len(all(t, l)); n != accepted {
		t.Errorf("%d rows of %d", n, accepted)
	}
	noError(t, l.Close())
	told(t, &log, "checkpoint")
}

// told checks that the log tells once of a failure and once of its end.
func told(t *testing.T, log *bytes.Buffer, step string) {
	t.Helper()
	failed := strings.Count(log.String(), "queue_log_failed step="+step)
	again := strings.Count(log.String(), "queue_log_works_again step="+step)
	if failed != 1 || again != 1 {
		t.Errorf("the log says\n%s", log)
	}
}

// TestUnwritableLogIsToldOnce: commits go on without it.
func TestUnwritableLogIsToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := newFaultyDisk(1)
	d.badness = 1 // from the beginning: opening does without it as well
	w := &watched{Backend: mem.New()}
	config := tiny
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	l, err := open(d, "queue.log", w, config)
	noError(t, err)
	for i := range 5 {
		noError(t, set(l, fmt.Sprint(i), "v"))
	}
	if n := w.puts.Load(); n != 5 {
		t.Errorf("%d of 5 rows are inside", n)
	}
	d.badness = 0
	noError(t, set(l, "5", "v"))
	commits := w.commits.Load()
	noError(t, set(l, "6", "v"))
	if n := w.commits.Load() - commits; n != 0 || len(all(t, l)) != 7 {
		t.Errorf("%d commits inside when the log works again", n)
	}
	noError(t, l.Close())
	told(t, &log, "log")
}

// TestViewsAreConsistent has readers look at two rows that are always changed
// together, through many checkpoints.
func TestViewsAreConsistent(t *testing.T) {
	t.Parallel()
	l := opened(t, mem.New(), tiny)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := uint64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				noErr := l.View(func(tx queue.Txn) error {
					one, two := tx.Get("a", []byte("one")), tx.Get("b", []byte("two"))
					if !bytes.Equal(one, two) {
						return fmt.Errorf("%x and %x", one, two)
					}
					walked := 0
					for range tx.Walk("a", nil) {
						walked++
					}
					if one == nil {
						return nil
					}
					n := binary.BigEndian.Uint64(one)
					if n < last || walked != 11 {
						return fmt.Errorf("%d after %d, %d rows", n, last, walked)
					}
					last = n
					return nil
				})
				if noErr != nil {
					t.Error(noErr)
					return
				}
			}
		})
	}
	for n := range uint64(1000) {
		value := binary.BigEndian.AppendUint64(nil, n)
		err := l.Update(func(tx queue.Txn) error {
			errs := []error{tx.Put("a", []byte("one"), value), tx.Put("b", []byte("two"), value)}
			for i := range uint64(10) { // ten rows that wander
				errs = append(errs, tx.Put("a", fmt.Appendf(nil, "w%08d", n+i), value))
			}
			if n > 0 {
				errs = append(errs, tx.Delete("a", fmt.Appendf(nil, "w%08d", n-1)))
			}
			return errors.Join(errs...)
		})
		noError(t, err)
	}
	close(stop)
	readers.Wait()
	noError(t, l.Close())
}

// TestWalksSkipWhatIsGone: rows deleted at the front are met once.
func TestWalksSkipWhatIsGone(t *testing.T) {
	t.Parallel()
	l := opened(t, mem.New(), Config{})
	key := func(i int) []byte { return fmt.Appendf(nil, "key%04d", i) }
	noError(t, l.Update(func(tx queue.Txn) error {
		for i := range 1000 {
			if err := tx.Put("a", key(i), []byte("v")); err != nil {
				return err
			}
		}
		return nil
	}))
	noError(t, l.writeBack())
	noError(t, l.Update(func(tx queue.Txn) error {
		for i := range 900 {
			if err := tx.Delete("a", key(i)); err != nil {
				return err
			}
		}
		return nil
	}))
	first := func(from []byte) (found string) {
		noError(t, l.View(func(tx queue.Txn) error {
			for k := range tx.Walk("a", from) {
				found = string(k)
				break
			}
			return nil
		}))
		return found
	}
	begins := func() string {
		at, _ := behind(l.state.Load().gaps["a"], []byte("key"))
		return string(at)
	}
	for range 2 {
		if got := first([]byte("key")); got != "key0900" || begins() != "key0900" {
			t.Errorf("the first is %s, a walk begins at %s", got, begins())
		}
	}
	// A row in the gap is found, whether its transaction succeeds or not.
	if err := l.Update(func(tx queue.Txn) error { return errors.Join(tx.Put("a", key(5), nil), errUndo) }); !errors.Is(err, errUndo) {
		t.Error(err)
	}
	if got := first([]byte("key")); got != "key0900" {
		t.Errorf("after an undone put the first is %s", got)
	}
	noError(t, set(l, "key0007", "v"))
	if got := first([]byte("key")); got != "key0007" {
		t.Errorf("after a put the first is %s", got)
	}
	// What an undone transaction has deleted is still there.
	err := l.Update(func(tx queue.Txn) error {
		for i := range 1000 {
			if err := tx.Delete("a", key(i)); err != nil {
				return err
			}
		}
		for k := range tx.Walk("a", nil) {
			t.Errorf("%s is there", k)
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Error(err)
	}
	if got := first(nil); got != "key0007" {
		t.Errorf("after an undone transaction the first is %s", got)
	}
}

func TestBackupNeedsABackEndThatCan(t *testing.T) {
	t.Parallel()
	l := opened(t, mem.New(), tiny)
	if err := l.Backup(&bytes.Buffer{}); !job.Is(err, job.Invalid) {
		t.Errorf("got %v", err)
	}
}
