package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// Reader takes what is in a journal, in order.
type Reader interface {
	// Operation: an operation that takes size bytes at a place of a segment.
	// The content is valid during the call. An error means that it makes no
	// sense; it counts as damage.
	Operation(s *Segment, at int64, size int, content []byte) error
	// Lost: something between what was handed out so far and what follows was
	// lost.
	Lost()
}

// Open opens or makes the journal of a folder, and hands out everything that is
// in it. A folder that another process has open, or that a newer version wrote, is
// job.Conflict.
func Open(d Disk, c Config, r Reader) (_ *Journal, err error) {
	j := &Journal{disk: d, config: c.withDefaults()}
	if j.lock, err = d.Lock(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = j.Close() // the first error has more detail
		}
	}()
	numbers, err := j.segmentNumbers()
	if err != nil {
		return nil, err
	}
	scan := &scan{journal: j, reader: r}
	if err := scan.openManifest(numbers); err != nil {
		return nil, err
	}
	if err := scan.segments(numbers); err != nil {
		return nil, err
	}
	j.next = max(scan.next, 1)
	if len(j.segments) == 0 || j.turned || j.damage > 0 {
		if err := j.Turn(); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// segmentNumbers returns the numbers of the segments in the folder, in order.
func (j *Journal) segmentNumbers() ([]uint64, error) {
	names, err := j.disk.Names()
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, name := range names {
		if n, ok := segmentNumber(name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// openManifest opens the manifest, or makes it. When it is missing and there are
// segments, or when it cannot be read, it is made from what is there.
func (s *scan) openManifest(numbers []uint64) error {
	j := s.journal
	m, err := openManifest(j.disk)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m == nil {
		oldest, newest := uint64(1), uint64(0)
		if len(numbers) > 0 {
			oldest, newest = numbers[0], numbers[len(numbers)-1]
		}
		if err == nil || len(numbers) > 0 {
			s.damaged(manifestName, "the manifest is missing or damaged", nil)
		}
		if m, err = createManifest(j.disk, oldest, newest); err != nil {
			return err
		}
	}
	j.manifest = m
	return nil
}

// segments reads the segments from the oldest on. Those before it were given up
// by a process that died before it removed them.
func (s *scan) segments(numbers []uint64) error {
	j := s.journal
	for len(numbers) > 0 && numbers[0] < j.manifest.oldest {
		if err := j.disk.Remove(segmentName(numbers[0])); err != nil {
			j.config.Logger.Warn("queue_file_not_removed", "file", segmentName(numbers[0]), "error", err)
		}
		numbers = numbers[1:]
	}
	newest := j.manifest.newest
	if n := len(numbers); n > 0 {
		newest = max(newest, numbers[n-1])
	}
	if s.lost { // the manifest
		s.reader.Lost()
	}
	expected := j.manifest.oldest
	for i, number := range numbers {
		seg := &Segment{number: number}
		if number > expected {
			s.missing(expected, number-1)
		}
		expected = number + 1
		limit, err := s.limit(numbers[i+1:])
		if err != nil {
			return err
		}
		if err := s.readSegment(seg, limit, number == newest); err != nil {
			return fmt.Errorf("read %s: %w", seg.name(), err)
		}
	}
	if expected <= newest {
		s.missing(expected, newest)
	}
	return nil
}

func (s *scan) missing(from, to uint64) {
	text := fmt.Sprintf("the file %s is missing", segmentName(from))
	if to > from {
		text = fmt.Sprintf("the files %s to %s are missing", segmentName(from), segmentName(to))
	}
	s.damaged(segmentName(from), text, nil)
	s.reader.Lost()
}

// limit returns the number of the first frame of the next segment that can be
// read: frames of this one from that number on are void. 0 is none.
func (s *scan) limit(numbers []uint64) (uint64, error) {
	for _, number := range numbers {
		next := &Segment{number: number}
		f, err := s.journal.disk.Open(next.name(), false)
		if err != nil {
			return 0, err
		}
		block := make([]byte, blockBytes)
		n, _ := f.ReadAt(block, 0) // what cannot be read is damaged, see read
		_, err = next.decodeHeader(block[:n])
		if closing := f.Close(); closing != nil {
			return 0, closing
		}
		switch {
		case err == nil:
			return next.first, nil
		case !errors.Is(err, ErrDamaged):
			return 0, err
		}
	}
	return 0, nil
}

// readWhole reads a file whole. What cannot be read is zeros.
func readWhole(f File, buf []byte) (content []byte, whole bool, err error) {
	size, err := f.Size()
	if err != nil {
		return nil, false, err
	}
	content = slices.Grow(buf[:0], int(size))[:size]
	if n, err := f.ReadAt(content, 0); err == nil || errors.Is(err, io.EOF) && n == len(content) {
		return content, true, nil
	}
	clear(content)
	for at := 0; at < len(content); at += blockBytes {
		block := content[at:min(at+blockBytes, len(content))]
		if _, err := f.ReadAt(block, int64(at)); err != nil {
			clear(block)
		}
	}
	return content, false, nil
}
