package journal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/job"
)

// DefaultSegment is the default of [Config.Segment].
const DefaultSegment = 8 << 20

// Config is the configuration of a [Journal], without its folder.
type Config struct {
	// Segment is after how many bytes another file begins; a frame that is
	// larger has a file that is as large. Defaults to [DefaultSegment].
	Segment int64
	// Logger hears of damage and of files that cannot be removed. Defaults to
	// none.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Segment <= 0 {
		c.Segment = DefaultSegment
	}
	c.Segment = max(c.Segment, 2*blockBytes)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// ErrUncertain is the cause of a failed Append that may have taken effect.
var ErrUncertain = errors.New("it is unknown whether it was written")

// Journal is an open folder of segments. Its methods are called by one
// goroutine at a time, which the caller sees to; [Segment.Read] may be called
// beside Append.
type Journal struct {
	disk     Disk
	config   Config
	lock     io.Closer
	manifest *manifest
	segments []*Segment // by number, the last one is appended to
	next     uint64     // the number of the next frame
	// loose is the operations of the frames behind the last forced write, and frames how
	// many they are. A new segment begins with them.
	loose  Batch
	frames int
	moved  *Segment // begins with those that were loose, which Moved has not reported; or nil
	// turned means that the last segment must not be appended to: the next frame goes into
	// a new one, which voids whatever the last one has of a frame with the same number.
	turned bool
	damage int
}

// Head returns the segment that frames go to.
func (j *Journal) Head() *Segment { return j.segments[len(j.segments)-1] }

// Oldest returns the segment that [Journal.RemoveOldest] would remove, and nil
// when there is one only.
func (j *Journal) Oldest() *Segment {
	if len(j.segments) == 1 {
		return nil
	}
	return j.segments[0]
}

// Bytes returns how much of all segments is in use.
func (j *Journal) Bytes() (n int64) {
	for _, s := range j.segments {
		n += s.end
	}
	return n
}

// Damage returns how often something was found damaged by Open.
func (j *Journal) Damage() int { return j.damage }

// maxLoose is how many frames may be loose, and looseBytes how many bytes of operations.
const (
	maxLoose   = 1 << 10
	looseBytes = 256 << 10
)

// Loose returns how many bytes of operations were appended since the last forced write.
func (j *Journal) Loose() int { return j.loose.Len() }

// Moved returns where the operations that were loose have been written again, in one
// frame and durably, and reports false when that did not happen since the last call.
func (j *Journal) Moved() (s *Segment, at int64, moved bool) {
	s, j.moved = j.moved, nil
	return s, blockBytes, s != nil
}

// Append writes a batch as one frame and returns where it lies. With force it is durable
// then, and so is all before it. Otherwise the frame is loose: it outlives the process, and
// a power cut once a later frame is forced or [Journal.Force] has returned. It is forced
// all the same when too much is loose.
//
// After an error nothing of the batch counts, unless the error is [ErrUncertain]; the
// batch stays as it is. What was loose stays so: it is written again into the next segment.
func (j *Journal) Append(b *Batch, force bool) (s *Segment, at int64, err error) {
	if b.Len() > maxFrame {
		return nil, 0, job.Errorf(job.Invalid, "%d bytes are too many for one transaction, at most %d are allowed", b.Len(), maxFrame)
	}
	need := total(b.Len())
	s = j.Head()
	if j.turned || s.end > blockBytes && s.end+need+frameHeader > j.config.Segment {
		if err := j.Turn(); err != nil {
			return nil, 0, err
		}
		s = j.Head()
	}
	if err := s.reserve(need, j.growthStep()); err != nil {
		return nil, 0, fmt.Errorf("extend %s: %w", s.name(), err)
	}
	force = force || j.frames+1 >= maxLoose || j.loose.Len()+b.Len() > looseBytes
	if err := s.write(b.seal(s, j.next, j.frames, s.size), force); err != nil {
		j.turned = true
		if again := j.Turn(); again != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrUncertain, err)
		}
		return nil, 0, err
	}
	at = s.end
	s.end += need
	j.next++
	if force {
		j.frames = 0
		j.loose.Reset()
	} else {
		j.frames++
		j.loose.add(b)
	}
	return s, at, nil
}

// Force makes durable what is loose. After an error it stays loose, and is written again
// into the next segment.
func (j *Journal) Force() error {
	if j.frames == 0 {
		return nil
	}
	if err := j.Head().force(); err != nil {
		j.turned = true
		return err
	}
	j.frames = 0
	j.loose.Reset()
	return nil
}

func (s *Segment) write(frame []byte, force bool) error {
	if _, err := s.file.WriteAt(frame, s.end); err != nil {
		return fmt.Errorf("write %s: %w", s.name(), err)
	}
	failpoint.Hit("journal/written")
	if !force {
		return nil
	}
	return s.force()
}

func (s *Segment) force() error {
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", s.name(), err)
	}
	failpoint.Hit("journal/synced")
	return nil
}

// growthStep is how much a file grows at a time.
func (j *Journal) growthStep() int64 { return min(growBytes, j.config.Segment/blockBytes*blockBytes) }

// Settle makes the fate of a failed Append certain, when it is not: nothing of it
// counts from now on. It also writes again what was loose when a write failed.
func (j *Journal) Settle() error {
	if !j.turned {
		return nil
	}
	return j.Turn()
}

// Turn begins a new segment, with what is loose as its first frame. Once it was begun,
// frames go nowhere else: when it fails, the next Append tries again.
func (j *Journal) Turn() error {
	first := j.next - uint64(j.frames)
	s, tried, err := createSegment(j.disk, j.lastNumber()+1, first, j.growthStep(), &j.loose)
	j.turned = j.turned || tried
	if err != nil {
		return fmt.Errorf("begin another file of the queue: %w", err)
	}
	if err := j.manifest.write(j.manifest.oldest, s.number); err != nil {
		return errors.Join(err, s.file.Close())
	}
	j.segments = append(j.segments, s)
	j.turned = false
	if j.frames > 0 {
		j.next, j.frames, j.moved = first+1, 0, s
		j.loose.Reset()
	}
	return nil
}

func (j *Journal) lastNumber() uint64 {
	n := j.manifest.newest
	if len(j.segments) > 0 {
		n = max(n, j.Head().number)
	}
	return n
}

// errPinned means that a backup reads the segment.
var errPinned = errors.New("it is being copied")

// RemoveOldest removes the oldest segment, of which nothing is needed any more.
func (j *Journal) RemoveOldest() error {
	s := j.segments[0]
	if s.pins > 0 {
		return errPinned
	}
	if err := j.manifest.write(j.segments[1].number, j.manifest.newest); err != nil {
		return err
	}
	failpoint.Hit("journal/cleaned")
	j.segments = j.segments[1:]
	err := errors.Join(s.file.Close(), j.disk.Remove(s.name()))
	if err != nil { // the next start tries again
		j.config.Logger.Warn("queue_file_not_removed", "file", s.name(), "error", err)
	}
	return nil
}

// Close closes the files. Nothing is written.
func (j *Journal) Close() error {
	var errs []error
	for _, s := range j.segments {
		errs = append(errs, s.file.Close())
	}
	if j.manifest != nil {
		errs = append(errs, j.manifest.file.Close())
	}
	return errors.Join(append(errs, j.lock.Close())...)
}
