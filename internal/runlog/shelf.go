package runlog

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// packBuffer is how many bytes of records wait in memory for the next write.
const packBuffer = 256 << 10

// shelf is the packs of one day. Its methods are called with mu held.
type shelf struct {
	packs *packs
	day   string

	mu     sync.Mutex
	used   int64 // guarded by packs.mu: when it was last asked for
	loaded bool  // everything from here on is guarded by mu
	gone   bool  // it was taken away: ask packs for the day again
	sealed []sealed
	newest int64 // the highest attempt that sealed may have
	last   int   // the highest number of a pack
	files  int64 // the highest attempt that may have its own file
	open   *openPack
}

// sealed is a complete pack.
type sealed struct {
	number int
	spans  spans
	ids    *idSet // nil for what is not remembered
}

// openPack is the pack that records are appended to.
type openPack struct {
	path    string
	number  int
	file    *os.File
	beacon  beacon
	entries []recordLocation         // in the order of the records
	has     map[int64]uint64         // the attempts of entries: 64 neighbours are the bits of one word
	index   map[int64]recordLocation // of the first indexed entries: few are ever looked for
	indexed int
	written int64  // bytes in the file
	buffer  []byte // bytes behind these
}

// addEntry notes a record.
func (p *openPack) addEntry(e recordLocation) {
	p.entries = append(p.entries, e)
	p.has[e.attempt>>6] |= 1 << (e.attempt & 63)
}

// findEntry returns the last record of an attempt.
func (p *openPack) findEntry(attempt int64) (e recordLocation, found bool) {
	if p.has[attempt>>6]>>(attempt&63)&1 == 0 {
		return recordLocation{}, false
	}
	for _, e := range p.entries[p.indexed:] {
		p.index[e.attempt] = e
	}
	p.indexed = len(p.entries)
	e, found = p.index[attempt]
	return e, found
}

// sorted returns the last record of each attempt, in their order.
func (p *openPack) sorted() []recordLocation {
	slices.SortStableFunc(p.entries, func(a, b recordLocation) int { return cmp.Compare(a.attempt, b.attempt) })
	last := p.entries[:0]
	for i, e := range p.entries {
		if i+1 == len(p.entries) || p.entries[i+1].attempt != e.attempt {
			last = append(last, e)
		}
	}
	return last
}

func packPath(day string, number int) string { return day + "/" + strconv.Itoa(number) + ".pack" }

// loadPacks looks at what the day's folder holds. A pack that was not sealed, for
// the process died, is sealed now.
func (s *shelf) loadPacks() error {
	if s.loaded {
		return nil
	}
	err := s.packs.eachEntry(s.day, func(entry fs.DirEntry) error {
		name, kind, _ := strings.Cut(entry.Name(), ".")
		number, err := strconv.ParseInt(name, 10, 64)
		if err != nil || number < 1 || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // another's file
		}
		switch {
		case kind == "log":
			s.files = max(s.files, number)
		case kind == "pack" && number < 1<<31:
			s.last = max(s.last, int(number))
			found, err := s.packs.vault.survey(packPath(s.day, int(number)))
			if err != nil {
				return err
			}
			s.addSealed(sealed{number: int(number), spans: found})
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.sealed, s.newest, s.last, s.files = nil, 0, 0, 0
		return fmt.Errorf("look at the packs of %s: %w", s.day, err)
	}
	slices.SortFunc(s.sealed, func(a, b sealed) int { return a.number - b.number })
	s.loaded = true
	return nil
}

// append adds a record. It is in the file after the next flush.
func (s *shelf) append(attempt, millis int64, text []byte) error {
	if s.open != nil && s.open.isFull() {
		if err := s.sealPack(); err != nil {
			return err
		}
	}
	if s.open == nil {
		if err := s.start(); err != nil {
			return err
		}
	}
	p := s.open
	if len(p.buffer)+recordHead+len(text) > packBuffer {
		if err := s.flush(); err != nil {
			return err
		}
	}
	p.addEntry(recordLocation{attempt, uint32(p.size()), uint32(len(text))})
	p.buffer = appendRecord(p.buffer, p.beacon, attempt, millis, text)
	return nil
}

func (p *openPack) size() int64 { return p.written + int64(len(p.buffer)) }

func (p *openPack) isFull() bool { return p.size() >= packSize || len(p.entries) >= packRecords }

// start begins a new pack.
func (s *shelf) start() error {
	path := packPath(s.day, s.last+1)
	file, err := s.packs.create(path)
	if err != nil {
		return fmt.Errorf("create the pack %s: %w", path, err)
	}
	s.last++
	p := &openPack{path: path, number: s.last, file: file, has: make(map[int64]uint64), index: make(map[int64]recordLocation)}
	_, _ = rand.Read(p.beacon[:]) // never fails
	p.buffer = appendHead(make([]byte, 0, packBuffer), p.beacon)
	s.open = p
	return nil
}

// flush writes what is in memory only. After an error it can be tried again.
func (s *shelf) flush() error {
	p := s.open
	if p == nil || len(p.buffer) == 0 {
		return nil
	}
	if _, err := p.file.WriteAt(p.buffer, p.written); err != nil {
		return fmt.Errorf("write the pack %s: %w", p.path, err)
	}
	s.packs.written.Add(int64(len(p.buffer)))
	p.written += int64(len(p.buffer))
	p.buffer = p.buffer[:0]
	return nil
}

// sealPack completes the pack that is appended to. After an error it can be tried
// again.
func (s *shelf) sealPack() error {
	if err := s.flush(); err != nil {
		return err
	}
	p := s.open
	entries := p.sorted()
	p.entries, p.indexed, p.index = entries, 0, make(map[int64]recordLocation) // if it is tried again
	end := appendSeal(nil, p.beacon, uint32(p.written), entries)
	if _, err := p.file.WriteAt(end, p.written); err != nil {
		return fmt.Errorf("seal the pack %s: %w", p.path, err)
	}
	s.packs.written.Add(int64(len(end)))
	s.addSealed(sealed{p.number, makeSpans(entries), makeIDSet(entries)})
	if old := len(s.sealed) - 1 - rememberedPacks; old >= 0 {
		s.sealed[old].ids = nil
	}
	s.open = nil
	if err := p.file.Close(); err != nil {
		return fmt.Errorf("close the pack %s: %w", p.path, err)
	}
	return nil
}

// addSealed adds the newest sealed pack.
func (s *shelf) addSealed(p sealed) {
	s.sealed = append(s.sealed, p)
	for _, span := range p.spans {
		s.newest = max(s.newest, span.high)
	}
}

// current returns the text of an attempt in the pack that is appended to.
func (s *shelf) current(attempt int64) (text []byte, found bool, err error) {
	p := s.open
	if p == nil {
		return nil, false, nil
	}
	e, found := p.findEntry(attempt)
	if !found {
		return nil, false, nil
	}
	record := make([]byte, recordHead+int(e.length))
	if at := int64(e.offset) - p.written; at >= 0 {
		copy(record, p.buffer[at:])
	} else if _, err := p.file.ReadAt(record, int64(e.offset)); err != nil {
		return nil, true, fmt.Errorf("read the pack %s: %w", p.path, err)
	}
	id, text, ok := decodeRecord(record, p.beacon)
	if !ok || id != attempt {
		return nil, true, damaged(p.path, attempt)
	}
	return text, true, nil
}

// candidates returns the paths of the sealed packs that may have the attempt,
// newest first.
func (s *shelf) candidates(attempt int64) []string {
	if attempt > s.newest { // as most that are begun
		return nil
	}
	var paths []string
	for _, p := range slices.Backward(s.sealed) {
		if p.spans.contains(attempt) && p.ids.mayHave(attempt) {
			paths = append(paths, packPath(s.day, p.number))
		}
	}
	return paths
}
