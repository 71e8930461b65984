package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/job"
)

const items = 120

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// body is what item key was given; longer than a page for some.
func body(key int64) []byte {
	size := 200
	if key%40 == 0 {
		size = 10_000
	}
	return bytes.Repeat(fmt.Appendf(nil, "body %d.", key), size/8)
}

// filled makes a file with items in every place and returns its bytes.
func filled(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queue.db")
	write(t, open(t, path), func(q *queue.Queue, tx *queue.Tx) error {
		for key := int64(1); key <= items; key++ {
			if err := q.Push(tx, queue.Item{Key: key, Body: body(key)}); err != nil {
				return err
			}
			if key%2 == 0 {
				if err := q.Start(tx, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	// One commit more, so that the older meta page leads to the items too.
	write(t, open(t, path), func(_ *queue.Queue, tx *queue.Tx) error { return tx.SetMeta("id", []byte("x")) })
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(data, "\x00"))
	return data[:(used+4095)/4096*4096] // the rest is room to grow
}

// write runs fn in a transaction of a store of its own and closes the file.
func write(t *testing.T, b *bolt.Backend, fn func(*queue.Queue, *queue.Tx) error) {
	t.Helper()
	s, err := queue.Open(b, queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = s.Run(ctx) })
	q := s.Queue("tasks", queue.QueueConfig{})
	err = s.Update(t.Context(), func(tx *queue.Tx) error { return fn(q, tx) })
	cancel()
	run.Wait()
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// left opens a file, checks that every item in it is one that was put, and
// returns their number.
func left(t *testing.T, b *bolt.Backend) int {
	t.Helper()
	s, err := queue.Open(b, queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := 0
	q := s.Queue("tasks", queue.QueueConfig{})
	err = s.View(t.Context(), func(tx *queue.Tx) error {
		for _, p := range []queue.Place{queue.Scheduled, queue.Processing} {
			list, err := q.List(tx, p, 0, 1000)
			if err != nil {
				return err
			}
			for _, it := range list {
				if !bytes.Equal(it.Body, body(it.Key)) || (it.Key%2 == 0) != (p == queue.Processing) {
					t.Errorf("item %d in %s was never there", it.Key, p)
				}
			}
			n += len(list)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFileIsPrivateAndLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue.db")
	b := open(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	_, err := bolt.Open(path, bolt.Config{LockWait: 60 * time.Millisecond})
	if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another executor") {
		t.Errorf("the second to open it got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := bolt.Open(t.TempDir(), bolt.Config{}); !job.Is(err, job.Conflict) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := bolt.Open(filepath.Join(t.TempDir(), "none", "queue.db"), bolt.Config{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestDamagedFileIsSetAside(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"text":   []byte("this is not a queue"),
		"zeroes": make([]byte, 64<<10),
		"cut":    filled(t)[:8192],
		"noise":  bytes.Repeat([]byte{0xa5}, 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "queue.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			b, err := bolt.Open(path, bolt.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(b.SetAside(), path+".damaged-") || !strings.Contains(log.String(), "queue_file_damaged") {
				t.Errorf("set aside as %q, the log says %s", b.SetAside(), &log)
			}
			if kept, err := os.ReadFile(b.SetAside()); err != nil || !bytes.Equal(kept, data) {
				t.Errorf("the damaged file was not kept as it was: %v", err)
			}
			if n := left(t, b); n != 0 {
				t.Errorf("%d items out of nothing", n)
			}
			b = open(t, path)
			if b.SetAside() != "" || left(t, b) != 0 {
				t.Error("the fresh file is damaged too")
			}
		})
	}
}

// TestDamageHurtsLittle flips bits and zeroes pages all over a file: never a
// panic, never an item that was not there, and only what was in the damaged
// page is lost.
func TestDamageHurtsLittle(t *testing.T) {
	t.Parallel()
	whole := filled(t)
	random := rand.New(rand.NewPCG(1, 2))
	var wg sync.WaitGroup
	pages := len(whole) / 4096
	const flips = 60
	for worker := range 4 {
		seeds := make([]int, 0, flips)
		for range flips {
			seeds = append(seeds, random.IntN(len(whole)*8))
		}
		dir := t.TempDir()
		wg.Go(func() {
			for _, bit := range seeds {
				data := bytes.Clone(whole)
				data[bit/8] ^= 1 << (bit % 8)
				if n := reopened(t, dir, data); n < items-60 { // at worst a page of keys, or of short items
					t.Errorf("bit %d: %d items left of %d", bit, n, items)
				}
			}
			for page := worker; page < pages; page += 4 {
				data := bytes.Clone(whole)
				clear(data[page*4096 : (page+1)*4096])
				reopened(t, dir, data)
				reopened(t, dir, whole[:page*4096+100])
			}
		})
	}
	wg.Wait()
	if n := reopened(t, t.TempDir(), whole); n != items {
		t.Errorf("%d items in a whole file", n)
	}
}

// TestWrongTurnIsNotTaken has a branch of processing lead to a page of
// scheduled: the page stays with its owner.
func TestWrongTurnIsNotTaken(t *testing.T) {
	t.Parallel()
	data := filled(t)
	number := func(at int) uint64 { return binary.NativeEndian.Uint64(data[at:]) }
	var branches []int // offsets of the branch pages
	for at := 2 * 4096; at < len(data); at += 4096 {
		if number(at) == uint64(at/4096) && data[at+8] == 1 && data[at+10] > 5 {
			branches = append(branches, at)
		}
	}
	swapped := 0
	for _, from := range branches {
		for _, to := range branches {
			copied := bytes.Clone(data)
			last := func(at int) int { return at + 16*int(data[at+10]) + 8 } // its last page number
			copy(copied[last(from):last(from)+8], data[last(to):])
			if from == to || bytes.Equal(copied, data) {
				continue
			}
			swapped++
			if n := reopened(t, t.TempDir(), copied); n < items-25 {
				t.Errorf("page %d leads into page %d: %d items left of %d", from/4096, to/4096, n, items)
			}
		}
	}
	if swapped == 0 {
		t.Fatal("no two branch pages")
	}
}

// reopened opens a file of these bytes, twice, and returns the items in it.
func reopened(t *testing.T, dir string, data []byte) int {
	t.Helper()
	path := filepath.Join(dir, "queue.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Error(err)
		return 0
	}
	b, err := bolt.Open(path, bolt.Config{})
	if err != nil {
		t.Error(err)
		return 0
	}
	n := left(t, b)
	if aside := b.SetAside(); aside != "" {
		if err := os.Remove(aside); err != nil {
			t.Error(err)
		}
	}
	return n
}

func TestRescueCutOffIsFinished(t *testing.T) {
	t.Parallel()
	whole := filled(t)
	path := filepath.Join(t.TempDir(), "queue.db")
	// The damaged file is aside already, its successor not yet in place.
	if err := os.WriteFile(path+".fresh", whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := left(t, open(t, path)); n != items {
		t.Errorf("%d items of %d", n, items)
	}
	// The successor was still being filled: it is made anew.
	if err := errors.Join(os.WriteFile(path, whole[:len(whole)-4096], 0o600), os.WriteFile(path+".fresh", []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	if b.SetAside() == "" {
		t.Error("a cut file was taken for whole")
	}
	left(t, b)
	if _, err := os.Stat(path + ".fresh"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the successor's file is still there: %v", err)
	}
}
