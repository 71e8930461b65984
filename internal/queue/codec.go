package queue

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// Everything stored is big-endian and ends in a CRC-32C. A first byte names
// the layout; a reader refuses those it does not know, as it does a checksum
// that does not fit.
const (
	recordVersion = 1
	entryVersion  = 1
	sealVersion   = 1

	recordFixed = 1 + 8 + 8 + 8 + 8 + 4 + 4 // version, key, due, added, seq, tries, note length
	entrySize   = 1 + 1 + 8 + 8 + 4         // version, place, number, at, checksum
	headerSize  = 7 * 8
	sumSize     = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged means that stored bytes are not what was written.
var errDamaged = errors.New("the record is damaged")

// ordered maps an int64 to a uint64 of the same order.
func ordered(n int64) uint64 { return uint64(n) ^ 1<<63 }

func unordered(n uint64) int64 { return int64(n ^ 1<<63) }

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func sum(parts ...[]byte) uint32 {
	var crc uint32
	for _, p := range parts {
		crc = crc32.Update(crc, castagnoli, p)
	}
	return crc
}

// encodeRecord makes an item's stored form.
func encodeRecord(it Item) []byte {
	b := make([]byte, 0, recordFixed+len(it.Note)+len(it.Body)+sumSize)
	b = append(b, recordVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(it.Key))
	b = binary.BigEndian.AppendUint64(b, uint64(it.Due.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(it.AddedAt.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, it.Seq)
	b = binary.BigEndian.AppendUint32(b, uint32(it.Tries))
	b = binary.BigEndian.AppendUint32(b, uint32(len(it.Note)))
	b = append(b, it.Note...)
	b = append(b, it.Body...)
	return binary.BigEndian.AppendUint32(b, sum(b))
}

// decodeRecord reads an item's stored form. The item's body shares b's bytes.
func decodeRecord(b []byte) (Item, error) {
	if len(b) < recordFixed+sumSize || b[0] != recordVersion {
		return Item{}, errDamaged
	}
	data, stored := b[:len(b)-sumSize], binary.BigEndian.Uint32(b[len(b)-sumSize:])
	if sum(data) != stored {
		return Item{}, errDamaged
	}
	note := int64(binary.BigEndian.Uint32(data[37:]))
	if note > int64(len(data)-recordFixed) {
		return Item{}, errDamaged
	}
	rest := data[recordFixed:]
	return Item{
		Key:     int64(binary.BigEndian.Uint64(data[1:])),
		Due:     instant(int64(binary.BigEndian.Uint64(data[9:]))),
		AddedAt: instant(int64(binary.BigEndian.Uint64(data[17:]))),
		Seq:     binary.BigEndian.Uint64(data[25:]),
		Tries:   int(int32(binary.BigEndian.Uint32(data[33:]))),
		Note:    string(rest[:note]),
		Body:    rest[note:],
	}, nil
}

// entry is the index row of a key: where its item is.
type entry struct {
	place Place
	// number is the item's Seq; for a remembered key its place in the order
	// of finishing.
	number uint64
	// at is the Due of a scheduled item, the end of a remembered one, in
	// milliseconds; otherwise zero.
	at int64
}

// encode makes the stored form. The key is part of the checksum, so that a row
// that slid under another key is found out.
func (e entry) encode(key int64) []byte {
	b := make([]byte, 0, entrySize)
	b = append(b, entryVersion, byte(e.place))
	b = binary.BigEndian.AppendUint64(b, e.number)
	b = binary.BigEndian.AppendUint64(b, uint64(e.at))
	return binary.BigEndian.AppendUint32(b, sum(b, indexKey(key)))
}

func decodeEntry(key int64, b []byte) (entry, error) {
	if len(b) != entrySize || b[0] != entryVersion {
		return entry{}, errDamaged
	}
	if sum(b[:entrySize-sumSize], indexKey(key)) != binary.BigEndian.Uint32(b[entrySize-sumSize:]) {
		return entry{}, errDamaged
	}
	return entry{
		place:  Place(b[1]),
		number: binary.BigEndian.Uint64(b[2:]),
		at:     int64(binary.BigEndian.Uint64(b[10:])),
	}, nil
}

// header is the counts of a queue.
type header struct {
	scheduled, processing, dead, remembered uint64
	nextFinish                              uint64 // next number in the order of finishing
	evicted, damaged                        uint64

	// oldest is the lowest number in the order of finishing that can have a
	// row, as far as this turn knows; 0 when it does not. It is not stored.
	oldest uint64
}

func (h header) encode() []byte {
	b := make([]byte, 0, headerSize)
	for _, n := range []uint64{
		h.scheduled, h.processing, h.dead, h.remembered, h.nextFinish, h.evicted, h.damaged,
	} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}

func decodeHeader(b []byte) (header, error) {
	if len(b) != headerSize {
		return header{}, errDamaged
	}
	at := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	return header{
		scheduled: at(0), processing: at(1), dead: at(2), remembered: at(3),
		nextFinish: at(4), evicted: at(5), damaged: at(6),
	}, nil
}

// count returns the counter of a place.
func (h *header) count(p Place) *uint64 {
	switch p {
	case Scheduled:
		return &h.scheduled
	case Processing:
		return &h.processing
	case Dead:
		return &h.dead
	default:
		return &h.remembered
	}
}

// seal makes the stored form of a value of the config store.
func seal(name string, value []byte) []byte {
	b := make([]byte, 0, 1+len(value)+sumSize)
	b = append(b, sealVersion)
	b = append(b, value...)
	return binary.BigEndian.AppendUint32(b, sum(b, []byte(name)))
}

// unseal returns the value inside b, sharing its bytes.
func unseal(name string, b []byte) ([]byte, error) {
	if len(b) < 1+sumSize || b[0] != sealVersion {
		return nil, errDamaged
	}
	data := b[:len(b)-sumSize]
	if sum(data, []byte(name)) != binary.BigEndian.Uint32(b[len(data):]) {
		return nil, errDamaged
	}
	return data[1:], nil
}
