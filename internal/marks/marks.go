// Package marks keeps the numbers of what has begun, across the death of a
// process but not of its machine.
//
// It knows a small file of fixed slots. It must never know what the numbers
// stand for. A number goes in before the work it stands for begins; after a
// crash the numbers that were in come out.
//
// A mark is one write to the operating system and is not forced to disk: that
// survives a process that is killed, at a cost of microseconds. After a power
// cut the file proves nothing, so its user has to find out whether the machine
// has run without a break.
package marks

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/orthd/orth/job"
)

// slotSize is the bytes of a slot: the number, its CRC-32 and four zeros. No
// slot crosses a page.
const slotSize = 16

// File is a file of marks. Methods may be called from any goroutine. One
// process uses a file at a time; the caller sees to that.
type File struct {
	file *os.File

	mu    sync.Mutex // guards the fields below
	found map[int64]bool
	whole bool
	free  []int // slots that may be used again
	slots int   // slots that have ever been used since Reset
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
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("read the file of started tasks: %w", closing(err, file))
	}
	return f, nil
}

func closing(err error, file *os.File) error {
	_ = file.Close()
	return err
}

// read collects the marks. A slot that cannot be read makes the file less than
// whole.
func (f *File) read() error {
	content, err := io.ReadAll(io.LimitReader(f.file, maxSlots*slotSize))
	if err != nil {
		return err
	}
	if len(content)%slotSize != 0 || len(content) == maxSlots*slotSize {
		f.whole = false
	}
	for ; len(content) >= slotSize; content = content[slotSize:] {
		id := int64(binary.BigEndian.Uint64(content))
		sum := binary.BigEndian.Uint32(content[8:])
		switch {
		case id == 0 && sum == 0: // a hole
		case sum != crc32.ChecksumIEEE(content[:8]):
			f.whole = false
		default:
			f.found[id] = true
		}
	}
	return nil
}

// Marked reports whether a former process may have marked the number: it has,
// or the file is damaged and nobody can tell.
func (f *File) Marked(id int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found[id] || !f.whole
}

// Reset forgets the marks of the former process.
func (f *File) Reset() error {
	f.mu.Lock()
	defer f.mu.Unlock()
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
	f.mu.Lock()
	if n := len(f.free); n > 0 {
		slot, f.free = f.free[n-1], f.free[:n-1]
	} else {
		slot = f.slots
		f.slots++
	}
	f.mu.Unlock()
	var b [slotSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(id))
	binary.BigEndian.PutUint32(b[8:], crc32.ChecksumIEEE(b[:8]))
	if _, err := f.file.WriteAt(b[:], int64(slot)*slotSize); err != nil {
		f.Free(slot)
		return 0, fmt.Errorf("write to the file of started tasks: %w", err)
	}
	return slot, nil
}

// Free lets a slot be used again. Its mark stays until then: a number whose work
// has ended is asked for by nobody.
func (f *File) Free(slot int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, slot)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
