package wal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
)

// found is a whole record in a file.
type found struct {
	number     uint64
	operations []byte
}

// scan is what was read of a log file.
type scan struct {
	records []found // ascending, above the number asked for
	// damaged says that something is missing or was changed.
	damaged bool
	// unfinished says that the records have no clean end: power was cut while
	// the last one was written, or it is damaged, which cannot be told apart.
	unfinished bool
	// cut says that the file ends where its records do, which no record leaves.
	cut bool
}

// scanner reads records without trusting a byte.
type scanner struct {
	data []byte
	seed uint32
	// generation is that of the header; any says that the header is lost and
	// that records of all generations count.
	generation uint64
	any        bool
	after      uint64 // records up to this number are not wanted
}

// scan reads every record of the file in order. Behind a bad one it looks for
// the next good one at every byte.
func (s *scanner) scan() scan {
	var out scan
	out.damaged = s.any
	last, broken := uint64(0), false
	for at := blockBytes; ; {
		r, next, ok := s.record(at, last)
		if !ok {
			behind, found := s.search(at+1, last)
			if !found {
				out.cut = at+recordHeader > len(s.data)
				out.unfinished = !s.any && !out.cut && !s.ended(at)
				return out
			}
			at, broken = behind, true
			continue
		}
		// What is missing before a record that is not needed is not needed either.
		broken = broken || last != 0 && r.number != last+1
		out.damaged = out.damaged || broken && r.number > s.after+1
		last, at, broken = r.number, next, false
		if r.number > s.after {
			out.records = append(out.records, r)
		}
	}
}

// record reads the record at an offset, whose number must be above last.
func (s *scanner) record(at int, last uint64) (r found, next int, ok bool) {
	if at+recordHeader > len(s.data) {
		return found{}, 0, false
	}
	b := s.data[at:]
	length := uint64(binary.LittleEndian.Uint32(b[4:]))
	generation, number := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	switch {
	case length > uint64(len(b)-recordHeader):
		return found{}, 0, false
	case !s.any && generation != s.generation:
		return found{}, 0, false
	case number <= last, number == math.MaxUint64:
		return found{}, 0, false
	case s.any && number <= s.after: // left from before, and already inside
		return found{}, 0, false
	}
	end := recordHeader + int(length)
	if crc32.Update(s.seed, castagnoli, b[4:end]) != binary.LittleEndian.Uint32(b) {
		return found{}, 0, false
	}
	return found{number, b[recordHeader:end:end]}, at + end, true
}

// search finds the next record at or behind an offset.
func (s *scanner) search(from int, last uint64) (at int, ok bool) {
	var pattern []byte
	if !s.any {
		pattern = binary.LittleEndian.AppendUint64(nil, s.generation)
	}
	for at := from; at+recordHeader <= len(s.data); at++ {
		if pattern != nil {
			step := bytes.Index(s.data[at+8:], pattern)
			if step < 0 {
				return 0, false
			}
			at += step
		}
		if _, _, ok := s.record(at, last); ok {
			return at, true
		}
	}
	return 0, false
}

// ended reports whether the records end here, as append and restart leave it.
func (s *scanner) ended(at int) bool {
	return !slices.ContainsFunc(s.data[at:at+recordHeader], func(c byte) bool { return c != 0 })
}
