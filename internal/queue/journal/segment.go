package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/orthd/orth/internal/failpoint"
)

const (
	blockBytes = 4096
	// growBytes is how much a file grows at a time.
	growBytes = 1 << 20
	// zeroBytes is how many of them are written at a time.
	zeroBytes     = 64 << 10
	segmentHeader = 8 + 4 + 4 + 8 + 8 + 8 + 4 // magic, version, blocks, number, salt, first, checksum
	segmentMagic  = "ORTHJRNL"
	segmentSuffix = ".journal"
	version       = 1
	// freshName is a file that gets another name once it is whole.
	freshName = "fresh"
)

// ErrDamaged means that stored bytes are not what was written.
var ErrDamaged = errors.New("the stored bytes are damaged")

// Segment is one file of frames.
type Segment struct {
	number uint64
	first  uint64 // the number of its first frame
	salt   uint64 // never 0
	seed   uint32 // of its checksums
	file   File
	end    int64 // where the next frame goes
	size   int64 // of the file; zeros from end on
	pins   int   // readers of the file outside the journal's lock
}

func (s *Segment) name() string { return segmentName(s.number) }

// Bytes returns how much of the segment is in use.
func (s *Segment) Bytes() int64 { return s.end }

func segmentName(number uint64) string { return fmt.Sprintf("%012d%s", number, segmentSuffix) }

func segmentNumber(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && err == nil && segmentName(n) == name
}

func (s *Segment) setSalt(salt uint64) {
	s.salt = salt
	s.seed = crc32.Checksum(binary.LittleEndian.AppendUint64(nil, salt), castagnoli)
}

// encodeHeader makes the first block: the header twice, in two sectors.
func (s *Segment) encodeHeader() []byte {
	b := make([]byte, 0, blockBytes)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.size/blockBytes))
	b = binary.LittleEndian.AppendUint64(b, s.number)
	b = binary.LittleEndian.AppendUint64(b, s.salt)
	b = binary.LittleEndian.AppendUint64(b, s.first)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	block := make([]byte, blockBytes)
	copy(block, b)
	copy(block[blockBytes/2:], b)
	return block
}

// decodeHeader reads the header of a file's content, and the size that the file
// had at least.
func (s *Segment) decodeHeader(content []byte) (size int64, err error) {
	for _, at := range []int{0, blockBytes / 2} {
		if len(content) < at+segmentHeader {
			continue
		}
		b := content[at : at+segmentHeader]
		if string(b[:8]) != segmentMagic || binary.LittleEndian.Uint32(b[40:]) != crc32.Checksum(b[:40], castagnoli) ||
			binary.LittleEndian.Uint64(b[16:]) != s.number {
			continue
		}
		if v := binary.LittleEndian.Uint32(b[8:]); v > version {
			return 0, newer(s.name(), v)
		}
		s.setSalt(binary.LittleEndian.Uint64(b[24:]))
		s.first = binary.LittleEndian.Uint64(b[32:])
		return int64(binary.LittleEndian.Uint32(b[12:])) * blockBytes, nil
	}
	return 0, ErrDamaged
}

// createSegment creates a segment's file, durably, under its final name. Unless the batch
// is empty it is the first frame. tried means that the name may be there, whatever the
// error.
func createSegment(d Disk, number, first uint64, step int64, b *Batch) (s *Segment, tried bool, err error) {
	var salt [8]byte
	_, _ = rand.Read(salt[:]) // it never fails
	s = &Segment{number: number, first: first, size: step, end: blockBytes}
	if !b.Empty() {
		s.end += total(b.Len())
		s.size = (s.end + frameHeader + step - 1) / step * step
	}
	s.setSalt(binary.LittleEndian.Uint64(salt[:]) | 1)
	f, err := d.Open(freshName, true)
	if err != nil {
		return nil, false, err
	}
	s.file = f
	defer func() {
		if err != nil {
			_ = f.Close() // the first error has more detail
		}
	}()
	content := make([]byte, s.size)
	copy(content, s.encodeHeader())
	if !b.Empty() {
		copy(content[blockBytes:], b.seal(s, first, 0, s.size))
	}
	if _, err := f.WriteAt(content, 0); err != nil {
		return nil, false, err
	}
	if err := f.Sync(); err != nil {
		return nil, false, err
	}
	failpoint.Hit("journal/created")
	if err := d.Rename(freshName, s.name()); err != nil {
		return nil, true, err
	}
	return s, true, nil
}

// reserve has zeros where the next n bytes go, and where the next header may go.
func (s *Segment) reserve(n, step int64) error {
	grow := s.end + n + frameHeader - s.size
	if grow <= 0 {
		return nil
	}
	grow = (grow + step - 1) / step * step
	zeros := make([]byte, min(grow, zeroBytes))
	for at := s.size; at < s.size+grow; at += int64(len(zeros)) {
		if left := s.size + grow - at; left < int64(len(zeros)) {
			zeros = zeros[:left]
		}
		if _, err := s.file.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	s.size += grow
	return nil
}

// Read returns the content of an operation that takes size bytes at a place of
// the segment. It is [ErrDamaged] when that is not what was written.
func (s *Segment) Read(at int64, size int) ([]byte, error) {
	b := make([]byte, size)
	if _, err := s.file.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name(), err)
	}
	content, whole := operation(s.seed, b)
	if !whole || len(content) != size-opHeader {
		return nil, fmt.Errorf("read %s at %d: %w", s.name(), at, ErrDamaged)
	}
	return content, nil
}
