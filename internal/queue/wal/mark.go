package wal

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/orthd/orth/internal/queue"
)

// The row of the back end inside that says what is in it.
const (
	markBucket  = "wal"
	markKey     = "mark"
	markVersion = 1
	markBytes   = 1 + 16 + 8 + 4 // version, identity, number, checksum
)

// mark says whose log files go with a back end and up to which transaction it
// has everything.
type mark struct {
	id      identity
	applied uint64
}

func (m mark) encode() []byte {
	b := make([]byte, 0, markBytes)
	b = append(b, markVersion)
	b = append(b, m.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, m.applied)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeMark(b []byte) (m mark, ok bool) {
	if len(b) != markBytes || b[0] != markVersion {
		return mark{}, false
	}
	if crc32.Checksum(b[:markBytes-4], castagnoli) != binary.LittleEndian.Uint32(b[markBytes-4:]) {
		return mark{}, false
	}
	copy(m.id[:], b[1:])
	m.applied = binary.LittleEndian.Uint64(b[17:])
	return m, true
}

func (m mark) write(tx queue.Txn) error {
	return tx.Put(markBucket, []byte(markKey), m.encode())
}
