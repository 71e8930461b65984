package logbook

import (
	"context"
	"time"
)

// PartitionIDs is how many ids a partition has: more than are ever used, so that a new one
// is begun by going on with the ids of the next, and none is cut during a write.
const PartitionIDs = 1 << 32

// Partition is a range of the ids of parts of packs, which the database drops whole.
type Partition struct {
	// Name is the database's.
	Name string
	// From and To are its ids, To not among them.
	From, To int64
	// Bytes is what it takes on the disk, by the database's account.
	Bytes int64
}

// Number is the hour in which the partition was begun, counted from 1970 in UTC; 0 for the one with
// all that is older than partitions.
func (p Partition) Number() int64 { return p.To/PartitionIDs - 1 }

// Start is the first id that is given in it.
func (p Partition) Start() int64 { return max(p.Number()*PartitionIDs, 1) }

// Partitions is a database whose packs are in partitions.
type Partitions interface {
	// LogPartitions returns the partitions in order of their ids, and the id that is
	// given next. A database that keeps packs in one table, or whose user may not change
	// tables, has none.
	LogPartitions(ctx context.Context) (all []Partition, next int64, err error)
	// StartPartition makes the partition of a number, if it is not there, and has ids come
	// from it from now on. Kinds: Unavailable while others hold the table for longer than a
	// moment.
	StartPartition(ctx context.Context, number int64) error
	// PackedBlobs visits the blobs that have parts, with the id of the first one and the
	// bytes, until visit returns false.
	PackedBlobs(ctx context.Context, visit func(name string, first, size int64) bool) error
	// MoveBlob moves a blob, if it is in a partition, to where blobs are written, in one
	// transaction.
	MoveBlob(ctx context.Context, name string, from Partition) error
	// DropPartition drops a partition from which no blob has parts, if it is there. Kinds:
	// Conflict when parts are still written into it; Unavailable as for StartPartition.
	DropPartition(ctx context.Context, p Partition) error
}

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
func nextPartition(all []Partition, next int64, now time.Time) int64 {
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
func fateOf(p Partition, s seen, wanted int64, now time.Time) fate {
	switch {
	case wanted == 0:
		return dropped
	case wanted <= p.Bytes/10, wanted <= p.Bytes/2 && now.Sub(s.since) >= settledFor:
		return emptied
	}
	return stays
}
