package logbook

import (
	"context"
	"strings"
	"time"
)

// State is how much of a log is kept. The values are stored and served as they are.
type State string

// The states of a log.
const (
	Open  State = "open"  // its attempt is not over, or not everything was copied
	Whole State = "whole" // all that the executor had at the end
	Cut   State = "cut"   // the first lines, as many as may be kept
	// Torn: the executor was gone before everything was copied.
	Torn State = "torn"
	// None: the executor has no log of the attempt.
	None State = "none"
)

// Log is what is known of an attempt's log.
type Log struct {
	Attempt     int64
	Run         int64
	Job         int64
	Group       int64 // id
	Address     string
	TriggeredAt time.Time
	State       State
	// Lines is how many lines are stored, 1..Lines; Bytes their text, before it
	// was compressed.
	Lines int
	Bytes int64
	// EndedAt is the end of the attempt, zero before.
	EndedAt time.Time
	// Note is why lines are missing, in words.
	Note string
	// Text is all lines of a small log that came with the outcome: it has no chunks that
	// count. Empty for all others.
	Text string
}

// Chunk is where some lines of a log are stored.
type Chunk struct {
	Attempt   int64
	FirstLine int // from 1 on
	Lines     int
	// FirstAt and LastAt are when the first and the last of its lines reached a
	// server.
	FirstAt, LastAt time.Time
	Raw             int // bytes of text
	Pack            int64
	Offset, Size    int64 // where in the pack, in bytes
}

// Last is the number of its last line.
func (c *Chunk) Last() int { return c.FirstLine + c.Lines - 1 }

// Pack is a blob with chunks of many logs.
type Pack struct {
	ID        int64
	Name      string // in the store of blobs
	Size      int64  // bytes
	Live      int64  // bytes of chunks that are still wanted
	CreatedAt time.Time
}

// Blobs stores packs. A blob is written once and never changed. Kinds of errors: NotFound
// from Get when there is no such blob, or not so much of it; Conflict from Put when the
// name has other data; Invalid for a name or a range that cannot be; Refused when the store
// refuses; Unavailable when it does not answer; Full when it has no room.
type Blobs interface {
	// Put stores a blob; when it returns nil the blob is durable. The same name with the same
	// data again is no error. data is the caller's again when it returns.
	Put(ctx context.Context, name string, data []byte) error
	// Get returns size bytes from offset on.
	Get(ctx context.Context, name string, offset, size int64) ([]byte, error)
	// Delete removes blobs; those that are not there count as removed.
	Delete(ctx context.Context, names []string) error
	// List calls visit with the names of blobs, in no order, until it returns false.
	// It finds those that no row names: a crash came between the two.
	List(ctx context.Context, visit func(name string, size int64, at time.Time) bool) error
}

// Index finds lines; it is the reading half of the rows.
type Index interface {
	// Logs returns what is known of the logs of attempts, in no order; those of which nothing is are left out.
	Logs(ctx context.Context, attempts []int64) ([]Log, error)
	// LogsOfJob returns up to limit logs of a job with attempts below before (0: the newest), the newest first.
	LogsOfJob(ctx context.Context, job, before int64, limit int) ([]Log, error)
	// Chunks returns up to limit chunks of a log in order, beginning with the one
	// that has fromLine.
	Chunks(ctx context.Context, attempt int64, fromLine, limit int) ([]Chunk, error)
	// ChunkAt returns the first chunk of a log whose LastAt is not before at.
	ChunkAt(ctx context.Context, attempt int64, at time.Time) (Chunk, bool, error)
	// Packs returns the packs with these ids, in no order.
	Packs(ctx context.Context, ids []int64) ([]Pack, error)
}

// Live is the lines of a log that a server holds in memory: they are not stored
// yet, or are not to be.
type Live struct {
	// First is the number of the first line of Text, whole lines each ending in \n.
	First int
	Text  string
	// Over: no line will follow what is here and what is stored.
	Over bool
	// Changed is closed when there is something new. It is nil when the server
	// copies nothing of this log.
	Changed <-chan struct{}
}

// Last is the number of the last line held.
func (l *Live) Last() int { return l.First + strings.Count(l.Text, "\n") - 1 }
