package keeping

import (
	"time"

	"github.com/orthd/orth/internal/logbook"
)

const (
	// maxPartitions bounds the partitions.
	maxPartitions = 400
	// fullPartition is how many bytes end a partition before its day is over.
	fullPartition = 8 << 30
	// partBytes is the most bytes of a part.
	partBytes = 64 << 10
	// settledFor is how long little must have gone from a partition until one of which
	// half is wanted is emptied.
	settledFor = 24 * time.Hour
)

// span is how long parts are written into a partition while there are n of them.
func span(n int) time.Duration {
	switch {
	case n < maxPartitions/2:
		return 24 * time.Hour
	case n < maxPartitions*3/4:
		return 7 * 24 * time.Hour
	}
	return 30 * 24 * time.Hour
}

// nextPartition returns the number of the partition to be begun by now, 0 for none.
func nextPartition(all []logbook.Partition, next int64, now time.Time) int64 {
	newest := all[len(all)-1]
	used := next - newest.Start()
	switch {
	case used < 0:
		return newest.Number() // it was made, and ids do not come from it yet
	case used == 0, len(all) >= maxPartitions:
		return 0
	}
	hour := now.Unix() / 3600
	age := time.Duration(min(hour-newest.Number(), 1<<20)) * time.Hour
	full := len(all) < maxPartitions/2 && used >= fullPartition/partBytes
	if age < span(len(all)) && !full {
		return 0
	}
	return max(hour, newest.Number()+1)
}

// seen is how much of a partition was wanted, and since when hardly less is.
type seen struct {
	wanted int64
	since  time.Time
}

// note returns what is known of a partition once so much of it is wanted.
func (s seen) note(wanted int64, now time.Time) seen {
	if s.since.IsZero() || wanted < s.wanted-s.wanted/20 {
		return seen{wanted, now}
	}
	return s
}

// fate is what becomes of a partition.
type fate int

const (
	stays fate = iota
	emptied
	dropped
)

// fateOf decides about a partition into which nothing is written any more. One of which
// nothing is wanted is dropped. One of which at most a tenth is wanted is emptied, and
// so is one of which at most half is, when hardly less has been wanted for a day.
func fateOf(p logbook.Partition, s seen, wanted int64, now time.Time) fate {
	switch {
	case wanted == 0:
		return dropped
	case wanted <= p.Bytes/10, wanted <= p.Bytes/2 && now.Sub(s.since) >= settledFor:
		return emptied
	}
	return stays
}
