//go:build !linux

package marks

import (
	"encoding/binary"
	"os"
)

// block is some slots of the file.
type block struct {
	file *os.File
	at   int64
}

func newBlock(file *os.File, at int64) (*block, error) { return &block{file, at}, nil }

// writeNumber writes a number.
func (b *block) writeNumber(slot int, id uint64) error {
	var c [slotSize]byte
	binary.NativeEndian.PutUint64(c[:], id)
	binary.NativeEndian.PutUint64(c[8:], sumOf(id))
	_, err := b.file.WriteAt(c[:], b.at+int64(slot)*slotSize)
	return err
}

func (b *block) close() error { return nil }
