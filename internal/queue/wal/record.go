package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// A log file is a header in a block of its own and records behind it, one
// after the other. Numbers are little-endian.
//
//	header  magic 8, version 4, identity 16, generation 8, checksum 4
//	record  checksum 4, length 4, generation 8, number 8, operations
//	put     1, bucket, key, value
//	delete  2, bucket, key
//
// A length counts the operations' bytes. Keys and values begin with theirs. A
// bucket is its number in the order of appearance in the record; a new one is
// followed by its name. The identity is random and part of every record's
// checksum, so bytes inside a value never pass for a record.
const (
	fileVersion  = 1
	headerBytes  = 8 + 4 + 16 + 8 + 4
	blockBytes   = 4096 // records begin here
	recordHeader = 4 + 4 + 8 + 8
	opPut        = 1
	opDelete     = 2
)

const fileMagic = "ORTHLOG\n"

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errHeader = errors.New("the header is damaged")
	errNewer  = errors.New("a newer version has written it")
)

// identity ties log files to their back end.
type identity [16]byte

func (id identity) seed() uint32 { return crc32.Checksum(id[:], castagnoli) }

// header is the first block of a log file.
type header struct {
	id         identity
	generation uint64 // of the records that count; others are left from before
}

func (h header) encode() []byte {
	b := make([]byte, 0, headerBytes)
	b = append(b, fileMagic...)
	b = binary.LittleEndian.AppendUint32(b, fileVersion)
	b = append(b, h.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.generation)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeHeader(b []byte) (h header, err error) {
	if len(b) < headerBytes || string(b[:8]) != fileMagic {
		return header{}, errHeader
	}
	if crc32.Checksum(b[:headerBytes-4], castagnoli) != binary.LittleEndian.Uint32(b[headerBytes-4:]) {
		return header{}, errHeader
	}
	if binary.LittleEndian.Uint32(b[8:]) > fileVersion {
		return header{}, errNewer
	}
	copy(h.id[:], b[12:])
	h.generation = binary.LittleEndian.Uint64(b[28:])
	return h, nil
}

// record is a transaction's stored form while it is made, and the room for the
// next one.
type record struct {
	bytes   []byte
	buckets []string
}

// reset makes the record empty, keeping its memory unless that is large.
func (r *record) reset() {
	if cap(r.bytes) > maxRoom || r.bytes == nil {
		r.bytes = make([]byte, 0, 4096)
	}
	r.bytes = append(r.bytes[:0], make([]byte, recordHeader)...)
	r.buckets = r.buckets[:0]
}

// maxRoom bounds the memory that a record keeps for the next one.
const maxRoom = 4 << 20

func (r *record) empty() bool { return len(r.bytes) == recordHeader }

func (r *record) put(bucket string, key, value []byte) {
	r.op(opPut, bucket, key)
	r.part(value)
}

func (r *record) delete(bucket string, key []byte) { r.op(opDelete, bucket, key) }

func (r *record) op(kind byte, bucket string, key []byte) {
	r.bytes = append(r.bytes, kind)
	n := slices.Index(r.buckets, bucket)
	if n >= 0 {
		r.bytes = binary.AppendUvarint(r.bytes, uint64(n))
	} else {
		r.bytes = binary.AppendUvarint(r.bytes, uint64(len(r.buckets)))
		r.bytes = binary.AppendUvarint(r.bytes, uint64(len(bucket)))
		r.bytes = append(r.bytes, bucket...)
		r.buckets = append(r.buckets, bucket)
	}
	r.part(key)
}

func (r *record) part(b []byte) {
	r.bytes = binary.AppendUvarint(r.bytes, uint64(len(b)))
	r.bytes = append(r.bytes, b...)
}

// seal completes the record. It is written to the file as it is returned.
func (r *record) seal(seed uint32, generation, number uint64) []byte {
	b := r.bytes
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-recordHeader))
	binary.LittleEndian.PutUint64(b[8:], generation)
	binary.LittleEndian.PutUint64(b[16:], number)
	binary.LittleEndian.PutUint32(b, crc32.Update(seed, castagnoli, b[4:]))
	return b
}

// replay applies the operations of a record to a layer and reports whether it
// understood all of them.
func replay(l *layer, operations []byte) bool {
	var buckets []string
	same := func(key []byte) []byte { return key }
	r := reader{operations}
	for len(r.rest) > 0 {
		kind := r.rest[0]
		r.rest = r.rest[1:]
		n, ok := r.number()
		if ok && n == uint64(len(buckets)) {
			var name []byte
			name, ok = r.part()
			buckets = append(buckets, string(name))
		}
		key, ok2 := r.part()
		if !ok || !ok2 || n >= uint64(len(buckets)) {
			return false
		}
		tr := l.trees[buckets[n]]
		if tr == nil {
			tr = newTree()
			l.trees[buckets[n]] = tr
		}
		switch kind {
		case opPut:
			value, ok := r.part()
			if !ok {
				return false
			}
			l.bytes += put(tr, key, value, false)
		case opDelete:
			l.bytes += remove(tr, itemOf(&entry{key: key}), same)
		default:
			return false
		}
	}
	return true
}

// reader takes the parts of a record one by one.
type reader struct{ rest []byte }

func (r *reader) number() (uint64, bool) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		return 0, false
	}
	r.rest = r.rest[size:]
	return n, true
}

func (r *reader) part() ([]byte, bool) {
	n, ok := r.number()
	if !ok || n > uint64(len(r.rest)) {
		return nil, false
	}
	part := r.rest[:n:n]
	r.rest = r.rest[n:]
	return part, true
}
