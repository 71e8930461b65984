package marks

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// block is some slots of the file, mapped: a store into it is in the operating
// system's memory at once.
type block struct {
	mapped []byte
	words  []uint64 // of mapped; two for each slot
}

func newBlock(file *os.File, at int64) (*block, error) {
	mapped, err := unix.Mmap(int(file.Fd()), at, blockSlots*slotSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	first := (*uint64)(unsafe.Pointer(unsafe.SliceData(mapped))) //nolint:gosec // A mapping begins at a page,
	words := unsafe.Slice(first, len(mapped)/8)                  //nolint:gosec // and is no shorter than this.
	return &block{mapped, words}, nil
}

// writeNumber writes a number. A process that is killed on the way leaves no mark, and no
// damage either.
func (b *block) writeNumber(slot int, id uint64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the disk may fail, or the file be cut
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault of its memory: %v", fault)
		}
	}()
	atomic.StoreUint64(&b.words[2*slot+1], beingWritten)
	atomic.StoreUint64(&b.words[2*slot], id)
	atomic.StoreUint64(&b.words[2*slot+1], sumOf(id))
	return nil
}

func (b *block) close() error { return unix.Munmap(b.mapped) }
