package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const sector = 512

// scan is the reading of a journal by Open.
type scan struct {
	journal *Journal
	reader  Reader
	next    uint64 // the number of the next frame; 0 before the first segment
	lost    bool   // damage that the reader has not heard of
	buf     []byte

	// Of the segment that is read.
	segment *Segment
	content []byte
	whole   bool // all of the file could be read
	size    int64
}

// readSegment hands out the frames of a segment below limit, 0 for all.
func (s *scan) readSegment(seg *Segment, limit uint64, last bool) error {
	j := s.journal
	f, err := j.disk.Open(seg.name(), false)
	if err != nil {
		return err
	}
	seg.file, s.segment, s.lost = f, seg, false
	j.segments = append(j.segments, seg)
	if s.content, s.whole, err = readWhole(f, s.buf); err != nil {
		return err
	}
	s.buf = s.content
	seg.size, seg.end = int64(len(s.content)), int64(len(s.content))
	s.size, err = seg.decodeHeader(s.content)
	switch {
	case err == nil:
	case err != ErrDamaged: //nolint:errorlint // decodeHeader promises the very error.
		return err
	default:
		s.damaged(seg.name(), "the header is damaged", s.content)
		s.reader.Lost()
		return nil
	}
	if s.next != 0 && seg.first > s.next {
		s.damaged(seg.name(), fmt.Sprintf("frames %d to %d are missing before it", s.next, seg.first-1), nil)
	}
	s.next = seg.first
	if s.lost {
		s.reader.Lost()
	}
	s.frames(limit, last)
	return nil
}

// frames walks along the frames.
func (s *scan) frames(limit uint64, last bool) {
	at := int64(blockBytes)
	for {
		found := s.findFrame(at, limit)
		if found < 0 {
			break
		}
		f, _ := frameAt(s.segment, s.content[found:])
		if found > at || f.number != s.next {
			if last && s.isTorn(at, found) && !s.forcedBehind(at, limit) {
				s.truncateAt(at)
				return
			}
			s.salvage(at, found, fmt.Sprintf("a frame before number %d is damaged", f.number))
		}
		at, s.next, s.size = found, f.number, max(s.size, f.size)
		if s.deliver(at, f) {
			at += f.total()
			s.next++
			continue
		}
		end := at + f.total()
		if next := s.findFrame(at+frameHeader, limit); next >= 0 {
			end = next
		}
		if last && s.isTorn(at, end) && !s.forcedBehind(at+frameHeader, limit) {
			s.truncateAt(at)
			return
		}
		end = min(end, int64(len(s.content)))
		s.salvage(at, end, fmt.Sprintf("frame %d is damaged", f.number))
		at = end
		s.next++
	}
	s.segment.end = at
	s.scanTail(at, limit, last)
}

// truncateAt ends the journal before a frame that the power cut has kept from being written: it
// and what is behind it were not forced.
func (s *scan) truncateAt(at int64) {
	s.journal.turned = true
	s.segment.end = at
}

// forcedBehind reports whether a frame behind a place shows that the next one was forced.
func (s *scan) forcedBehind(at int64, limit uint64) bool {
	for at = s.findFrame(at, limit); at >= 0; at = s.findFrame(at+frameAlign, limit) {
		if f, _ := frameAt(s.segment, s.content[at:]); f.number-uint64(f.loose) > s.next {
			return true
		}
	}
	return false
}

// scanTail looks at what is behind the last frame.
func (s *scan) scanTail(at int64, limit uint64, last bool) {
	rest := s.content[min(at, int64(len(s.content))):]
	clean := allZero(rest) && s.whole && int64(len(s.content)) >= s.size
	switch {
	case !last && (limit == 0 || limit == s.next):
		return // whatever it is, it is void
	case !last:
		s.salvage(at, int64(len(s.content)), fmt.Sprintf("frames %d to %d are missing", s.next, limit-1))
		return
	case clean:
		return
	}
	s.journal.turned = true
	if s.whole && int64(len(s.content)) >= s.size && allZero(rest[:min(len(rest), sector-int(at%sector))]) {
		return // a frame whose first sector was not written
	}
	s.salvage(at, int64(len(s.content)), "the end of the file is damaged")
}

// deliver hands out the operations of a frame, and reports false, and hands out
// none, when it is not whole.
func (s *scan) deliver(at int64, f frame) bool {
	end := at + f.total()
	if end > int64(len(s.content)) || binary.LittleEndian.Uint64(s.content[end-frameTrailer:]) != s.segment.salt {
		return false
	}
	payload := s.content[at+frameHeader : at+frameHeader+int64(f.payload)]
	ops := 0
	for rest := payload; len(rest) > 0; ops++ {
		op, whole := operation(s.segment.seed, rest)
		if !whole {
			return false
		}
		rest = rest[opHeader+len(op):]
	}
	if ops != f.ops {
		return false
	}
	for pos := 0; pos < len(payload); {
		op, _ := operation(s.segment.seed, payload[pos:])
		s.operation(at+frameHeader+int64(pos), op)
		pos += opHeader + len(op)
	}
	return true
}

func (s *scan) operation(at int64, op []byte) {
	if err := s.reader.Operation(s.segment, at, opHeader+len(op), op); err != nil {
		s.damaged(s.segment.name(), fmt.Sprintf("the operation at %d: %v", at, err), op)
		s.reader.Lost()
	}
}

// findFrame returns where the next frame begins, or -1.
func (s *scan) findFrame(at int64, limit uint64) int64 {
	for ; at+frameHeader <= int64(len(s.content)); at += frameAlign {
		f, found := frameAt(s.segment, s.content[at:])
		if found && f.number >= s.next && (limit == 0 || f.number < limit) {
			return at
		}
	}
	return -1
}

// isTorn reports whether a frame was not written whole: disks write sectors whole,
// so some piece of it is still zeros. A frame ends in bytes that are not.
func (s *scan) isTorn(at, end int64) bool {
	if !s.whole || end > int64(len(s.content)) {
		return false
	}
	for at < end {
		next := min(end, (at/sector+1)*sector)
		if allZero(s.content[at:next]) {
			return true
		}
		at = next
	}
	return false
}

// salvage returns the readable part of damaged bytes, operation by operation, and then
// reports that something is lost.
func (s *scan) salvage(from, to int64, what string) {
	region := s.content[min(from, to):to]
	s.damaged(s.segment.name(), what, region)
	for pos := 0; pos+opHeader < len(region); {
		op, whole := operation(s.segment.seed, region[pos:])
		if !whole || len(op) == 0 {
			pos++
			continue
		}
		s.operation(from+int64(pos), op)
		pos += opHeader + len(op)
	}
	s.reader.Lost()
}

func allZero(b []byte) bool {
	var zeros [4096]byte
	for len(b) > len(zeros) {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
		b = b[len(zeros):]
	}
	return bytes.Equal(b, zeros[:len(b)])
}
