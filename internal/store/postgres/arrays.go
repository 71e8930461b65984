package postgres

import (
	"encoding/binary"
	"slices"
)

// appendAll appends an array of one dimension in the database's binary format.
func appendAll[T any](b []byte, element uint32, all []T, one func([]byte, T) []byte) []byte {
	b = appendHead(b, element, len(all), 0)
	for _, value := range all {
		b = one(b, value)
	}
	return b
}

// appendSome appends those that are there, and NULL for the others.
func appendSome[T any](b []byte, element uint32, all []*T, one func([]byte, T) []byte) []byte {
	nulls := uint32(0)
	if slices.Contains(all, nil) {
		nulls = 1
	}
	b = appendHead(b, element, len(all), nulls)
	for _, value := range all {
		if value == nil {
			b = append(b, 0xff, 0xff, 0xff, 0xff)
		} else {
			b = one(b, *value)
		}
	}
	return b
}

// appendHead appends what stands before the elements: the number of dimensions, whether
// there are NULLs, the type of the elements, their number and the index of the first.
func appendHead(b []byte, element uint32, length int, nulls uint32) []byte {
	b = slices.Grow(b, 20+12*length)
	for _, n := range []uint32{1, nulls, element, uint32(length), 1} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func appendNumber(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0, 0, 0, 8), uint64(n))
}

func appendText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
}
