package journal

import (
	"archive/tar"
	"fmt"
	"io"
	"slices"
	"time"
)

// Segments returns the segments, by number. The caller must not change it.
func (j *Journal) Segments() []*Segment { return j.segments }

// Number returns the number of the segment.
func (s *Segment) Number() uint64 { return s.number }

// Snapshot is a journal as it was at some moment.
type Snapshot struct {
	manifest []byte
	segments []*Segment
	ends     []int64
	sizes    []int64
	at       time.Time
}

// Snapshot returns the journal as it is now. Its segments are not removed before
// Release, which is called as the methods of the journal are.
func (j *Journal) Snapshot() *Snapshot {
	block := make([]byte, 2*blockBytes)
	copy(block[int64(j.manifest.turn%2)*blockBytes:], j.manifest.encode())
	s := &Snapshot{manifest: block, segments: slices.Clone(j.segments), at: time.Now()}
	for _, seg := range s.segments {
		seg.pins++
		s.ends, s.sizes = append(s.ends, seg.end), append(s.sizes, seg.size)
	}
	return s
}

// Release lets the segments be removed.
func (s *Snapshot) Release() {
	for _, seg := range s.segments {
		seg.pins--
	}
}

// Write writes the files of the folder as a tar archive. What was appended later
// is not in it.
func (s *Snapshot) Write(w io.Writer) error {
	out := tar.NewWriter(w)
	if err := s.add(out, manifestName, int64(len(s.manifest))); err != nil {
		return err
	}
	if _, err := out.Write(s.manifest); err != nil {
		return err
	}
	zeros := make([]byte, 64<<10)
	for i, seg := range s.segments {
		if err := s.add(out, seg.name(), s.sizes[i]); err != nil {
			return err
		}
		if _, err := io.Copy(out, io.NewSectionReader(seg.file, 0, s.ends[i])); err != nil {
			return fmt.Errorf("copy %s: %w", seg.name(), err)
		}
		for left := s.sizes[i] - s.ends[i]; left > 0; left -= int64(len(zeros)) {
			if _, err := out.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

func (s *Snapshot) add(out *tar.Writer, name string, size int64) error {
	return out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: fileMode, ModTime: s.at})
}
