// Package marks keeps the numbers of what has begun, across the death of a
// process but not of its machine.
//
// It knows a small file of fixed slots. It must never know what the numbers
// stand for. A number goes in before the work it stands for begins; after a
// crash the numbers that were in come out.
//
// A mark is a write into the operating system's memory of the file and is not forced
// to disk: that survives a process that is killed. On Linux the file is mapped, so
// a mark takes three stores; elsewhere it is one call. After a power cut the file
// proves nothing, so its user has to find out whether the machine has run without a
// break.
package marks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/orthd/orth/job"
)

const (
	// slotSize is the bytes of a slot: the number, four zeros and its sum. Both
	// halves are in the byte order of the machine. No slot crosses a page.
	slotSize = 16
	// blockSlots is how many slots the file grows by.
	blockSlots = 4096
	// beingWritten stands in place of the sum while the number is written: the work
	// that it stands for has not begun.
	beingWritten = 0x6d61726b
)

// File is a file of marks. Methods may be called from any goroutine. One
// process uses a file at a time; the caller sees to that.
type File struct {
	file *os.File

	mu     sync.Mutex // guards the fields below
	found  map[int64]bool
	whole  bool
	free   []int    // slots that may be used again
	slots  int      // slots that have ever been used since Reset
	blocks []*block // of the slots
}

// maxSlots bounds what Open reads.
const maxSlots = 1 << 20

// Open opens the file, or makes it, and reads the marks of a former process.
// They count until Reset.
func Open(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, job.Errorf(job.Unavailable, "open the file of started tasks: %w", err)
	}
	f := &File{file: file, found: make(map[int64]bool), whole: true}
	if err := f.readMarks(); err != nil {
		return nil, fmt.Errorf("read the file of started tasks: %w", closing(err, file))
	}
	return f, nil
}

func closing(err error, file *os.File) error {
	_ = file.Close()
	return err
}

// readMarks collects the marks. A slot that cannot be read makes the file less than
// whole.
func (f *File) readMarks() error {
	content, err := io.ReadAll(io.LimitReader(f.file, maxSlots*slotSize))
	if err != nil {
		return err
	}
	if len(content)%slotSize != 0 || len(content) == maxSlots*slotSize {
		f.whole = false
	}
	for ; len(content) >= slotSize; content = content[slotSize:] {
		id, sum := binary.NativeEndian.Uint64(content), binary.NativeEndian.Uint64(content[8:])
		switch {
		case id == 0 && sum == 0: // a hole
		case sum == beingWritten:
		case sum != sumOf(id):
			f.whole = false
		default:
			f.found[int64(id)] = true
		}
	}
	return nil
}

// Marked reports whether a former process may have marked the number: it has, or the file
// is damaged and the answer is unknown.
func (f *File) Marked(id int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found[id] || !f.whole
}

// sumOf returns the checksum of a number: its hash by MurmurHash3's finalizer, of which the
// upper half is kept. It is never beingWritten.
func sumOf(id uint64) uint64 {
	id ^= id >> 33
	id *= 0xff51afd7ed558ccd
	id ^= id >> 33
	id *= 0xc4ceb9fe1a85ec53
	id ^= id >> 33
	return id &^ (1<<32 - 1)
}

// Reset forgets the marks of the former process. It must not be called while Mark
// is.
func (f *File) Reset() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.unmap(); err != nil {
		return err
	}
	if err := f.file.Truncate(0); err != nil {
		return fmt.Errorf("empty the file of started tasks: %w", err)
	}
	f.found, f.whole, f.free, f.slots = nil, true, nil, 0
	return nil
}

// Mark writes a number, which must not be 0, and returns its slot for Free. When
// the error is nil,
// the mark outlives this process.
func (f *File) Mark(id int64) (slot int, err error) {
	slot, b, err := f.takeSlot()
	if err == nil {
		if err = b.writeNumber(slot%blockSlots, uint64(id)); err != nil {
			f.Free(slot)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("write to the file of started tasks: %w", err)
	}
	return slot, nil
}

// takeSlot returns a slot that is free, and its block.
func (f *File) takeSlot() (int, *block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		slot := f.free[n-1]
		f.free = f.free[:n-1]
		return slot, f.blocks[slot/blockSlots], nil
	}
	if f.slots == len(f.blocks)*blockSlots {
		b, err := f.addBlock(int64(f.slots) * slotSize)
		if err != nil {
			return 0, nil, err
		}
		f.blocks = append(f.blocks, b)
	}
	slot := f.slots
	f.slots++
	return slot, f.blocks[slot/blockSlots], nil
}

// addBlock adds a block to the file. It is written, so that the disk has room for it
// before it is needed.
func (f *File) addBlock(at int64) (*block, error) {
	if _, err := f.file.WriteAt(make([]byte, blockSlots*slotSize), at); err != nil {
		return nil, err
	}
	return newBlock(f.file, at)
}

// Free lets a slot be used again. Its mark stays until then: the number of finished work is
// not queried.
func (f *File) Free(slot int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slot < f.slots { // the file is not closed
		f.free = append(f.free, slot)
	}
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.unmap(), f.file.Close())
}

// unmap lets the blocks go. mu is held.
func (f *File) unmap() error {
	blocks := f.blocks
	f.blocks, f.free, f.slots = nil, nil, 0
	var errs []error
	for _, b := range blocks {
		errs = append(errs, b.close())
	}
	return errors.Join(errs...)
}
