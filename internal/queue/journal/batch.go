package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Numbers are little-endian.
const (
	frameHeader  = 32 // salt 8, number 6, loose 2, length 4, blocks of the file 4, operations 4, checksum 4
	frameTrailer = 8  // the salt again: the last piece of a frame is never all zeros
	frameAlign   = 32 // so that no header crosses a sector
	opHeader     = 8  // length 4, checksum 4
	// maxFrame bounds the length in a header, and maxNumber the number of a frame.
	maxFrame  = 1 << 30
	maxNumber = 1<<48 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Batch is the operations of one frame, in the making. The zero value is ready.
type Batch struct {
	buf []byte // as it goes to the file, from the frame's header on
	ops []int  // where each operation begins in buf
}

// Mark is a point of a batch that it can be cut back to.
type Mark struct{ bytes, ops int }

// Begin begins an operation: append its content to what is returned, and give
// that to End.
func (b *Batch) Begin() []byte {
	if len(b.buf) == 0 {
		b.buf = append(b.buf, make([]byte, frameHeader)...)
	}
	b.ops = append(b.ops, len(b.buf))
	return append(b.buf, 0, 0, 0, 0, 0, 0, 0, 0)
}

// End ends an operation and returns its place from the start of the frame, and
// how many bytes it takes there.
func (b *Batch) End(buf []byte) (at, size int) {
	at = b.ops[len(b.ops)-1]
	size = len(buf) - at
	binary.LittleEndian.PutUint32(buf[at:], uint32(size-opHeader))
	b.buf = buf
	return at, size
}

// Empty reports whether there is no operation.
func (b *Batch) Empty() bool { return len(b.ops) == 0 }

// Len returns how many bytes the operations take.
func (b *Batch) Len() int { return max(0, len(b.buf)-frameHeader) }

// Mark returns the current end, for Cut.
func (b *Batch) Mark() Mark { return Mark{len(b.buf), len(b.ops)} }

// Cut takes back everything behind a mark.
func (b *Batch) Cut(m Mark) { b.buf, b.ops = b.buf[:m.bytes], b.ops[:m.ops] }

// add appends the operations of another batch.
func (b *Batch) add(o *Batch) {
	if len(b.buf) == 0 {
		b.buf = append(b.buf, make([]byte, frameHeader)...)
	}
	shift := len(b.buf) - frameHeader
	for _, at := range o.ops {
		b.ops = append(b.ops, at+shift)
	}
	b.buf = append(b.buf, o.buf[frameHeader:]...)
}

// keptBatch is the largest buffer that Reset keeps.
const keptBatch = 1 << 20

// Reset makes the batch empty.
func (b *Batch) Reset() {
	if cap(b.buf) > keptBatch {
		b.buf = nil
	}
	b.buf, b.ops = b.buf[:0], b.ops[:0]
}

// total is how many bytes of a file a frame takes whose operations take so many.
func total(payload int) int64 {
	return (int64(payload) + frameHeader + frameTrailer + frameAlign - 1) / frameAlign * frameAlign
}

// seal completes the frame and returns its bytes, which are the batch's. So many frames
// before it are loose.
func (b *Batch) seal(s *Segment, number uint64, loose int, size int64) []byte {
	payload := b.Len()
	for _, at := range b.ops {
		n := int(binary.LittleEndian.Uint32(b.buf[at:]))
		binary.LittleEndian.PutUint32(b.buf[at+4:], opSum(s.seed, b.buf[at:at+4], b.buf[at+opHeader:at+opHeader+n]))
	}
	pad := int(total(payload)) - frameHeader - payload - frameTrailer
	var zeros [frameAlign]byte
	out := b.buf
	out = append(out, zeros[:pad]...)
	out = binary.LittleEndian.AppendUint64(out, s.salt)
	binary.LittleEndian.PutUint64(out, s.salt)
	binary.LittleEndian.PutUint64(out[8:], number|uint64(loose)<<48)
	binary.LittleEndian.PutUint32(out[16:], uint32(payload))
	binary.LittleEndian.PutUint32(out[20:], uint32(size/blockBytes))
	binary.LittleEndian.PutUint32(out[24:], uint32(len(b.ops)))
	binary.LittleEndian.PutUint32(out[28:], crc32.Update(s.seed, castagnoli, out[:28]))
	b.buf = out[:frameHeader+payload]
	return out
}

func opSum(seed uint32, length, content []byte) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, length), castagnoli, content)
}

// operation reads the operation at the start of b; whole is false when that is
// none, or was changed.
func operation(seed uint32, b []byte) (content []byte, whole bool) {
	if len(b) < opHeader {
		return nil, false
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-opHeader) {
		return nil, false
	}
	content = b[opHeader : opHeader+n]
	return content, opSum(seed, b[:4], content) == binary.LittleEndian.Uint32(b[4:])
}

// frame is the header of a frame, decoded.
type frame struct {
	number  uint64
	loose   int // frames right before it that were not forced when it was written
	payload int
	size    int64 // of the file when the frame was written, at least
	ops     int
}

func (f frame) total() int64 { return total(f.payload) }

// frameAt reads the header of a frame.
func frameAt(s *Segment, b []byte) (f frame, found bool) {
	if len(b) < frameHeader || binary.LittleEndian.Uint64(b) != s.salt ||
		binary.LittleEndian.Uint32(b[28:]) != crc32.Update(s.seed, castagnoli, b[:28]) {
		return frame{}, false
	}
	f = frame{
		number:  binary.LittleEndian.Uint64(b[8:]) & maxNumber,
		loose:   int(binary.LittleEndian.Uint16(b[14:])),
		payload: int(binary.LittleEndian.Uint32(b[16:])),
		size:    int64(binary.LittleEndian.Uint32(b[20:])) * blockBytes,
		ops:     int(binary.LittleEndian.Uint32(b[24:])),
	}
	return f, f.payload <= maxFrame
}
