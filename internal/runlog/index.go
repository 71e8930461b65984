package runlog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"sort"
	"strings"
)

// stride is the least distance between two marks in bytes: what a reader scans
// at most to find a line, and 4,096 marks in a log of 256 MiB.
const stride = 64 << 10

// mark: line number lines+1 starts at offset.
type mark struct{ lines, offset int64 }

// index maps lines of a log to offsets, sparsely.
type index struct {
	marks []mark
	lines int64 // whole lines
	end   int64 // the offset behind the last whole line
	size  int64 // bytes seen
}

// partial returns the bytes of the last line when it has no newline yet.
func (x *index) partial() int64 { return x.size - x.end }

// addBytes takes the next bytes of the log.
func (x *index) addBytes(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			x.size += int64(len(p))
			return
		}
		p = p[i+1:]
		x.size += int64(i + 1)
		x.end = x.size
		x.lines++
		last := mark{}
		if n := len(x.marks); n > 0 {
			last = x.marks[n-1]
		}
		if x.end-last.offset >= stride {
			x.marks = append(x.marks, mark{x.lines, x.end})
		}
	}
}

// seekLine returns the last mark at or before the start of a line, numbered from 1.
func (x *index) seekLine(line int) mark {
	i := sort.Search(len(x.marks), func(i int) bool { return x.marks[i].lines >= int64(line) })
	if i == 0 {
		return mark{}
	}
	return x.marks[i-1]
}

// An index file is indexMagic, size, lines, end, the number of marks, the
// marks and a CRC-32 of all that, each number as a varint, marks as differences.
const indexMagic = "orthidx1"

func (x *index) encode() []byte {
	b := []byte(indexMagic)
	b = binary.AppendUvarint(b, uint64(x.size))
	b = binary.AppendUvarint(b, uint64(x.lines))
	b = binary.AppendUvarint(b, uint64(x.end))
	b = binary.AppendUvarint(b, uint64(len(x.marks)))
	last := mark{}
	for _, m := range x.marks {
		b = binary.AppendUvarint(b, uint64(m.lines-last.lines))
		b = binary.AppendUvarint(b, uint64(m.offset-last.offset))
		last = m
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// decodeIndex reads what encode wrote, and reports false for anything else.
func decodeIndex(b []byte) (index, bool) {
	body := len(b) - crc32.Size
	if body < len(indexMagic) || string(b[:len(indexMagic)]) != indexMagic ||
		binary.BigEndian.Uint32(b[body:]) != crc32.ChecksumIEEE(b[:body]) {
		return index{}, false
	}
	in := b[len(indexMagic):body]
	ok := true
	next := func() int64 {
		n, width := binary.Uvarint(in)
		ok = ok && width > 0 && int64(n) >= 0
		in = in[max(width, 0):]
		return int64(n)
	}
	x := index{size: next(), lines: next(), end: next()}
	count := next()
	if !ok || count > int64(len(in)) { // a mark has at least two bytes
		return index{}, false
	}
	x.marks = make([]mark, 0, count)
	last := mark{}
	for range count {
		last = mark{last.lines + next(), last.offset + next()}
		x.marks = append(x.marks, last)
	}
	ok = ok && len(in) == 0 && last.lines >= 0 && last.lines <= x.lines &&
		last.offset >= 0 && last.offset <= x.end && x.end <= x.size
	return x, ok
}

// scanIndex makes an index from the first size bytes of a log.
func scanIndex(file io.ReaderAt, size int64) (index, error) {
	var x index
	buffer := make([]byte, stride)
	in := io.NewSectionReader(file, 0, size)
	for {
		n, err := in.Read(buffer)
		x.addBytes(buffer[:n])
		if err == io.EOF {
			return x, nil
		}
		if err != nil {
			return index{}, err
		}
	}
}

// index returns the index of a log of size bytes without a writer: from its index file, or
// by a scan.
func (l *Logs) index(path string, file *os.File, size int64) (index, error) {
	if x, ok := l.loadIndex(path, size); ok {
		return x, nil
	}
	if size <= stride {
		return scanIndex(file, size)
	}
	l.scanning.Lock()
	defer l.scanning.Unlock()
	if x, ok := l.loadIndex(path, size); ok { // another goroutine was faster
		return x, nil
	}
	x, err := scanIndex(file, size)
	if err == nil {
		l.saveIndex(path, &x)
	}
	return x, err
}

// loadIndex reads the index file of a log and refuses one that was made for another
// size: the log has grown since.
func (l *Logs) loadIndex(path string, size int64) (index, bool) {
	if size <= stride {
		return index{}, false
	}
	b, err := l.root.ReadFile(indexPath(path))
	if err != nil {
		return index{}, false
	}
	x, ok := decodeIndex(b)
	return x, ok && x.size == size
}

// saveIndex replaces the index file of a log that is long enough to need one. When
// that does not work, the next reader scans the log instead.
func (l *Logs) saveIndex(path string, x *index) {
	if len(x.marks) == 0 {
		return
	}
	l.saving.Lock()
	defer l.saving.Unlock()
	target := indexPath(path)
	temporary := target + ".tmp"
	b := x.encode()
	if err := l.root.WriteFile(temporary, b, fileMode); err == nil {
		l.packs.written.Add(int64(len(b)))
		err = l.root.Rename(temporary, target)
		if err == nil {
			return
		}
	}
	_ = l.root.Remove(temporary)
}

func indexPath(log string) string { return strings.TrimSuffix(log, ".log") + ".idx" }
