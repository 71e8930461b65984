package queue

import (
	"strconv"
	"time"
)

// Limits of an [Item]. A larger body is refused, a longer note is cut.
const (
	MaxBody = 4 << 20 // bytes
	MaxNote = 1000    // characters
)

// Item is one thing in a queue. Times have millisecond precision and come back
// in UTC.
type Item struct {
	// Key is chosen by the caller, for example an attempt's id; unique in its
	// queue, for as long as a finished key is remembered.
	Key int64
	// Due is the instant before which the item is not claimed. Zero is at once.
	Due time.Time
	// AddedAt is the caller's; the queue only keeps it.
	AddedAt time.Time
	// Seq is the order of arrival within the file. Push assigns it, and it
	// stays the item's for life.
	Seq uint64
	// Tries is how often the item went from processing back to scheduled by a
	// Nack. Redrive sets it to zero.
	Tries int
	// Body is the caller's bytes, at most [MaxBody]. Caller and queue share
	// them: neither changes a body once it is here.
	Body []byte
	// Note is why the item was last nacked, deferred or buried, at most [MaxNote]
	// characters.
	Note string
	// Uncertain means that records were lost to damage after this item was last written: it
	// may have been started, or may have ended. The next move of the item makes it false.
	Uncertain bool
}

// Place is where an item is.
type Place byte

// The places. They are stored, so their numbers never change.
const (
	// Scheduled: waiting, now or until its Due.
	Scheduled Place = 1
	// Processing: taken by a caller, who must ack, nack, defer or bury it.
	Processing Place = 2
	// Dead: given up, until it is redriven or purged.
	Dead Place = 3
	// Remembered: finished; only the key is kept.
	Remembered Place = 4
)

// String returns the place in words.
func (p Place) String() string {
	switch p {
	case Scheduled:
		return "scheduled"
	case Processing:
		return "processing"
	case Dead:
		return "dead"
	case Remembered:
		return "finished"
	}
	return "place " + strconv.Itoa(int(p))
}

// Stats is what a queue holds.
type Stats struct {
	Scheduled  int
	Processing int
	Dead       int
	Remembered int
	// Evicted is how many dead letters were removed, ever, because there were
	// more than [QueueConfig.KeepDead].
	Evicted int
	// Damaged is how often something in the store's files was found damaged,
	// ever; it is of the store, the same for each queue.
	Damaged int
}
