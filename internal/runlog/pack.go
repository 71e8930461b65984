package runlog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// A pack is a file of finished small logs: a head, records, and once it is
// complete (sealed) an index and a foot.
//
//	head    packMagic, beacon
//	record  beacon, length, attempt, instant, CRC of these, CRC of the text; text
//	index   attempt, offset, length of each record, by attempt
//	foot    spans, beacon, count, offset of the index, CRC of it, CRC of these, footMagic
//
// Numbers are big-endian, CRCs are CRC-32C. The beacon is eight random bytes of this
// pack: where a record was damaged they lead to the next one, and no text that a
// handler writes can pass for a record.
const (
	packMagic = "orthpak1"
	footMagic = "orthpix1"

	beaconSize = 8
	packHead   = len(packMagic) + beaconSize
	recordHead = beaconSize + 4 + 8 + 8 + 4 + 4
	entrySize  = 8 + 4 + 4
	footSize   = spanCount*16 + beaconSize + 4 + 4 + 4 + 4 + len(footMagic)

	// maxText is the longest text of a record: the limit of Config.Small.
	maxText = 64 << 10
	// packSize and packRecords set when a pack is complete. They bound what a scan reads
	// after a crash and what the index of the current pack takes in memory.
	packSize    = 8 << 20
	packRecords = 64 << 10
	// maxPack is how much of a pack that is not sealed is looked at.
	maxPack = 4 * packSize
)

// beacon is the mark before each record of a pack.
type beacon [beaconSize]byte

// recordLocation is where the record of an attempt is.
type recordLocation struct {
	attempt int64
	offset  uint32 // of the record
	length  uint32 // of its text
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func appendHead(b []byte, s beacon) []byte { return append(append(b, packMagic...), s[:]...) }

// appendRecord appends the record of an attempt that was triggered at millis.
func appendRecord(b []byte, s beacon, attempt, millis int64, text []byte) []byte {
	start := len(b)
	b = append(b, s[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
	b = binary.BigEndian.AppendUint64(b, uint64(attempt))
	b = binary.BigEndian.AppendUint64(b, uint64(millis))
	b = binary.BigEndian.AppendUint32(b, checksum(b[start:]))
	b = binary.BigEndian.AppendUint32(b, checksum(text))
	return append(b, text...)
}

// decodeRecord returns the attempt and the text of the record at the start of
// b, and whether both are as they were written.
func decodeRecord(b []byte, s beacon) (attempt int64, text []byte, ok bool) {
	if len(b) < recordHead || beacon(b[:beaconSize]) != s {
		return 0, nil, false
	}
	const crcAt = beaconSize + 4 + 8 + 8
	length := binary.BigEndian.Uint32(b[beaconSize:])
	attempt = int64(binary.BigEndian.Uint64(b[beaconSize+4:]))
	if binary.BigEndian.Uint32(b[crcAt:]) != checksum(b[:crcAt]) ||
		attempt < 1 || length > maxText || int(length) > len(b)-recordHead {
		return 0, nil, false
	}
	text = b[recordHead : recordHead+int(length)]
	return attempt, text, binary.BigEndian.Uint32(b[crcAt+4:]) == checksum(text)
}

// scanPack finds the sound records of a pack, whatever became of the rest, and
// returns them by attempt with the pack's beacon. Of two records of one attempt
// the later one counts.
func scanPack(b []byte) (beacon, []recordLocation) {
	// The head and the first record both hold the beacon: one may be damaged.
	for _, at := range []int{len(packMagic), packHead} {
		if len(b) < at+beaconSize {
			break
		}
		s := beacon(b[at : at+beaconSize])
		if entries := scanRecords(b, s); len(entries) > 0 {
			return s, entries
		}
	}
	return beacon{}, nil
}

func scanRecords(b []byte, s beacon) []recordLocation {
	found := make(map[int64]recordLocation)
	for at := packHead; at < len(b); {
		i := bytes.Index(b[at:], s[:])
		if i < 0 {
			break
		}
		at += i
		attempt, text, ok := decodeRecord(b[at:], s)
		if !ok {
			at++
			continue
		}
		found[attempt] = recordLocation{attempt, uint32(at), uint32(len(text))}
		at += recordHead + len(text)
	}
	return sorted(found)
}

func sorted(found map[int64]recordLocation) []recordLocation {
	entries := make([]recordLocation, 0, len(found))
	for _, e := range found {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b recordLocation) int { return cmp.Compare(a.attempt, b.attempt) })
	return entries
}

// foot is the end of a sealed pack.
type foot struct {
	spans  spans
	beacon beacon
	count  uint32 // entries in the index
	start  uint32 // where the index starts
	crc    uint32 // of the index
}

// appendSeal appends the index and the foot of a pack whose records end at
// start. The entries are in order.
func appendSeal(b []byte, s beacon, start uint32, entries []recordLocation) []byte {
	index := len(b)
	for _, e := range entries {
		b = binary.BigEndian.AppendUint64(b, uint64(e.attempt))
		b = binary.BigEndian.AppendUint32(b, e.offset)
		b = binary.BigEndian.AppendUint32(b, e.length)
	}
	crc := checksum(b[index:])
	end := len(b)
	for _, p := range makeSpans(entries) {
		b = binary.BigEndian.AppendUint64(b, uint64(p.low))
		b = binary.BigEndian.AppendUint64(b, uint64(p.high))
	}
	b = append(b, s[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	b = binary.BigEndian.AppendUint32(b, start)
	b = binary.BigEndian.AppendUint32(b, crc)
	b = binary.BigEndian.AppendUint32(b, checksum(b[end:]))
	return append(b, footMagic...)
}

// decodeFoot reads the last footSize bytes of a pack of size bytes, and reports
// false when they are not a foot that fits it.
func decodeFoot(b []byte, size int64) (foot, bool) {
	const crcAt = footSize - len(footMagic) - 4
	if len(b) != footSize || string(b[crcAt+4:]) != footMagic ||
		binary.BigEndian.Uint32(b[crcAt:]) != checksum(b[:crcAt]) {
		return foot{}, false
	}
	var f foot
	for i := range f.spans {
		f.spans[i].low = int64(binary.BigEndian.Uint64(b[i*16:]))
		f.spans[i].high = int64(binary.BigEndian.Uint64(b[i*16+8:]))
	}
	b = b[spanCount*16:]
	f.beacon = beacon(b[:beaconSize])
	f.count = binary.BigEndian.Uint32(b[beaconSize:])
	f.start = binary.BigEndian.Uint32(b[beaconSize+4:])
	f.crc = binary.BigEndian.Uint32(b[beaconSize+8:])
	return f, int64(f.start)+int64(f.count)*entrySize+int64(footSize) == size
}

func decodeEntry(b []byte) recordLocation {
	return recordLocation{
		attempt: int64(binary.BigEndian.Uint64(b)),
		offset:  binary.BigEndian.Uint32(b[8:]),
		length:  binary.BigEndian.Uint32(b[12:]),
	}
}
