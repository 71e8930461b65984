package logbook

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Origin is where lines come from.
type Origin interface {
	// ReadLog returns the lines of an attempt's log from a line on, as many as the
	// executor gives at once.
	ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error)
}

// Shelf writes the rows of what is stored.
type Shelf interface {
	// KeepLogs writes, in one transaction, a pack and what it has of each log, and reports
	// for each whether it took effect: a log that has other lines by now than the writer
	// knew is left as it is. The pack is not written when its name is empty, or none of its
	// logs took effect; its ID is chosen here.
	KeepLogs(ctx context.Context, pack Pack, kept []Kept) ([]bool, error)
}

// Debts lists the logs that are to be copied.
type Debts interface {
	// OpenLogs returns up to limit attempts that executors have and whose logs are
	// kept, in no order.
	OpenLogs(ctx context.Context, limit int) ([]Standing, error)
	// OwedLogs returns up to limit attempts that have ended and whose logs are to be
	// looked at by now.
	OwedLogs(ctx context.Context, now time.Time, limit int) ([]Standing, error)
	// ClaimLogs claims owed logs until an instant, and reports for each whether it did:
	// another server may have been faster.
	ClaimLogs(ctx context.Context, owed []Standing, until time.Time) ([]bool, error)
}

// Past is what retention needs of the logs.
type Past interface {
	// OldLogs returns up to limit logs with attempts above after, in order of
	// attempt, whatever their age.
	OldLogs(ctx context.Context, after int64, limit int) ([]Old, error)
	// OldRunLogs returns up to limit runs with ids above after, in order of id, with what is
	// known of the small logs that are stored in their rows: each is that of the attempt whose
	// id the run has.
	OldRunLogs(ctx context.Context, after int64, limit int) ([]Old, error)
	// ExpiredLogs returns up to limit attempts that have ended and whose logs were
	// to be kept until now at most.
	ExpiredLogs(ctx context.Context, now time.Time, limit int) ([]int64, error)
	// RemoveLogs removes the logs of attempts in one transaction. Their packs are to
	// be looked at afterwards. It returns how many stored bytes are not wanted any
	// more.
	RemoveLogs(ctx context.Context, attempts []int64) (freed int64, err error)
}

// Cellar is what keeping packs tidy needs.
type Cellar interface {
	// WornPacks returns up to limit packs that have lost chunks, or were small, and
	// are to be looked at by now, with what of each is wanted.
	WornPacks(ctx context.Context, now time.Time, limit int) ([]Worn, error)
	// ReplacePacks writes, in one transaction, a pack with chunks that were moved into it
	// and removes the packs that have none left; all others of old need no look any more. A
	// chunk that was deleted in between is left out. The pack is not written when its name
	// is empty. It returns the names of those that were removed.
	ReplacePacks(ctx context.Context, pack Pack, moved []Moved, old []int64) ([]string, error)
	// PackBytes returns the size of all packs together.
	PackBytes(ctx context.Context) (int64, error)
}

// Names reports which blobs have a row.
type Names interface {
	// KnownPacks returns those of the names that packs have.
	KnownPacks(ctx context.Context, names []string) ([]string, error)
}

// Kept is what a pack has of a log.
type Kept struct {
	// Log is the log as it is with the new lines.
	Log Log
	// Had is how many lines were stored before.
	Had    int
	Chunks []Chunk // without Pack
	// LookAt is when an Open log of an attempt that has ended is looked at next.
	LookAt time.Time
	// ExpiresAt is when the text is forgotten, zero for the server's default.
	ExpiresAt time.Time
}

// Standing is an attempt with what is stored of its log.
type Standing struct {
	Attempt job.Attempt // without Number and Message
	Group   int64
	Policy  job.LogPolicy
	Lines   int
	Bytes   int64
	State   State // empty when nothing is known of the log
	// LookAt is when the log was to be looked at, zero while the attempt is open.
	LookAt time.Time
}

// Old is what retention must know of a log.
type Old struct {
	Attempt     int64
	TriggeredAt time.Time
	EndedAt     time.Time // zero while the attempt is open
	// Said: the job sets how long the text is kept.
	Said bool
	// None: the row of the run has no log.
	None bool
	// Stored is how many bytes its chunks have.
	Stored int64
}

// Worn is a pack with the chunks of it that are wanted.
type Worn struct {
	Pack   Pack
	Chunks []Chunk
}

// Moved is a chunk with where it was.
type Moved struct {
	Chunk Chunk // with its new Offset
	From  int64 // the id of the pack that it was in
}

// smallPack is a pack that is put together with others, whatever of it is
// wanted.
const smallPack = 64 << 10

// Thin reports whether a pack is worth rewriting; one of which nothing is wanted is not.
func (w *Worn) Thin() bool { return len(w.Chunks) > 0 && (w.Poor() || w.Pack.Size < smallPack) }

// Poor reports whether little of a pack is wanted.
func (w *Worn) Poor() bool {
	live := int64(0)
	for i := range w.Chunks {
		live += w.Chunks[i].Size
	}
	return live*10 < w.Pack.Size*3
}

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
