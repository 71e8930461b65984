package marks

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func mark(t *testing.T, f *File, id int64) int {
	t.Helper()
	slot, err := f.Mark(id)
	if err != nil {
		t.Fatal(err)
	}
	return slot
}

func TestMarksOutliveTheirFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	f := open(t, path)
	for id := int64(1); id <= 3; id++ {
		mark(t, f, id)
	}
	f.Free(1)
	if slot := mark(t, f, 4); slot != 1 {
		t.Errorf("slot %d, want the free one", slot)
	}
	again := open(t, path) // as after a kill: nothing was closed
	for id, want := range map[int64]bool{1: true, 2: false, 3: true, 4: true, 5: false} {
		if got := again.Marked(id); got != want {
			t.Errorf("Marked(%d) = %t", id, got)
		}
	}
	if err := again.Reset(); err != nil {
		t.Fatal(err)
	}
	if again.Marked(1) {
		t.Error("a mark outlives Reset")
	}
	mark(t, again, 9)
	third := open(t, path)
	if third.Marked(1) || !third.Marked(9) {
		t.Error("the file has other marks than those after Reset")
	}
}

// TestDamage: when one slot cannot be read, everything may have been marked.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b []byte) []byte{
		"a bit":  func(b []byte) []byte { b[3] ^= 1; return b },
		"a sum":  func(b []byte) []byte { b[9] ^= 1; return b },
		"a tear": func(b []byte) []byte { return b[:len(b)-3] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "started")
			f := open(t, path)
			mark(t, f, 1)
			mark(t, f, 2)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			if again := open(t, path); !again.Marked(77) {
				t.Error("a number that may have been marked is not")
			}
		})
	}
}

// TestAHoleIsNoDamage: writes may land in any order.
func TestAHoleIsNoDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	if err := os.WriteFile(path, make([]byte, 2*slotSize), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := open(t, path); f.Marked(0) || f.Marked(1) {
		t.Error("a hole is a mark")
	}
}

// TestKilledInAMark: what a process was writing when it was killed has not begun, and is no damage
// to what has.
func TestKilledInAMark(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	f := open(t, path)
	mark(t, f, 1)
	f.Free(mark(t, f, 2))
	mark(t, f, 3)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]uint64{"before the number": 2, "behind it": 3} {
		binary.NativeEndian.PutUint64(b[slotSize:], id)
		binary.NativeEndian.PutUint64(b[slotSize+8:], beingWritten)
		other := filepath.Join(t.TempDir(), "started")
		if err := os.WriteFile(other, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if again := open(t, other); !again.Marked(1) || again.Marked(2) || again.Marked(3) || again.Marked(4) {
			t.Errorf("%s: other marks are found", name)
		}
	}
}

// TestFileIsCut: a mark that the file does not take is an error and no crash.
func TestFileIsCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	f := open(t, path)
	f.Free(mark(t, f, 1))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Mark(2); err == nil && !open(t, path).Marked(2) {
		t.Error("a mark is lost")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Mark(3); err == nil {
		t.Error("a closed file takes marks")
	}
	f.Free(0)
}

// TestModel: what was marked and not freed is always found.
func TestModel(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	rapid.Check(t, func(t *rapid.T) {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if err := f.Reset(); err != nil {
			t.Fatal(err)
		}
		alive := map[int64]int{}
		for i, free := range rapid.SliceOf(rapid.Bool()).Draw(t, "free") {
			id := int64(i + 1)
			if free {
				for id, slot := range alive {
					f.Free(slot)
					delete(alive, id)
					break
				}
				continue
			}
			if alive[id], err = f.Mark(id); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = again.Close() }()
		for id := range alive {
			if !again.Marked(id) {
				t.Fatalf("%d is lost", id)
			}
		}
	})
}

func TestParallel(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "started")
	f := open(t, path)
	var g sync.WaitGroup
	for worker := range int64(8) {
		g.Go(func() {
			for i := range int64(100) {
				slot, err := f.Mark(1 + worker*1000 + i)
				if err != nil {
					t.Error(err)
					return
				}
				if i < 99 {
					f.Free(slot)
				}
			}
		})
	}
	g.Wait()
	again := open(t, path)
	for worker := range int64(8) {
		if !again.Marked(1 + worker*1000 + 99) {
			t.Errorf("the last mark of worker %d is lost", worker)
		}
	}
	content, err := os.ReadFile(path)
	if used := len(bytes.TrimRight(content, "\x00")); err != nil || used > 8*slotSize || len(content) > blockSlots*slotSize {
		t.Errorf("%d bytes of %d are used for eight at a time, %v", used, len(content), err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	if _, err := Open(filepath.Join(t.TempDir(), "none", "started")); err == nil {
		t.Error("a missing folder is no error")
	}
	f := open(t, filepath.Join(t.TempDir(), "started"))
	_ = f.Close()
	if _, err := f.Mark(1); err == nil {
		t.Error("a mark in a closed file is no error")
	}
}

func BenchmarkMark(b *testing.B) {
	f, err := Open(filepath.Join(b.TempDir(), "started"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for b.Loop() {
		slot, err := f.Mark(1)
		if err != nil {
			b.Fatal(err)
		}
		f.Free(slot)
	}
}
