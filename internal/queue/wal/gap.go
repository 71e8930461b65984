package wal

import (
	"bytes"
	"slices"
)

// A queue takes rows from the front, so deleted ones gather there, between two
// checkpoints by the ten thousand. A gap remembers where a walk found nothing.
const (
	// gapWorth is how many deleted rows a walk must have met to remember it.
	gapWorth = 16
	// maxGaps is how many are remembered for a bucket; the oldest makes room.
	maxGaps = 4
)

// gap is a range of keys, from included and to excluded, without a row. A nil
// to is the end.
type gap struct{ from, to []byte }

func (g gap) has(key []byte) bool {
	return bytes.Compare(g.from, key) <= 0 && (g.to == nil || bytes.Compare(key, g.to) < 0)
}

// behind returns where a walk from a key may begin, and false when there is
// nothing behind it.
func behind(gaps []gap, from []byte) ([]byte, bool) {
	for _, g := range gaps {
		if g.has(from) {
			return g.to, g.to != nil
		}
	}
	return from, true
}

// learned returns the gaps with one more.
func learned(gaps []gap, g gap) []gap {
	next := make([]gap, 0, maxGaps)
	for _, old := range gaps {
		if !bytes.Equal(old.from, g.from) {
			next = append(next, old)
		}
	}
	if len(next) == maxGaps {
		next = next[1:]
	}
	return append(next, g)
}

// filled returns the gaps as they are once there is a row under key. The list
// itself is shared and stays as it is.
func filled(gaps []gap, key []byte) []gap {
	for i, g := range gaps {
		if g.has(key) {
			next := slices.Clone(gaps)
			next[i].to = bytes.Clone(key)
			return filled(next, key) // others may have it too
		}
	}
	return gaps
}
