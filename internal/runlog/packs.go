package runlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
)

// maxShelves is how many days are known at a time: those that are written and
// those that were read last.
const maxShelves = 8

// packs is the packs of all days.
type packs struct {
	root    *os.Root
	vault   vault
	written atomic.Int64 // bytes ever written to the folder by these Logs

	mu      sync.Mutex // taken before the mu of a shelf
	shelves map[string]*shelf
	uses    int64 // counts calls of shelf
}

func newPacks(root *os.Root) *packs {
	return &packs{root: root, vault: vault{root: root}, shelves: make(map[string]*shelf)}
}

// shelf returns the locked and loaded shelf of a day. Without begin it returns
// nil when the day has no folder: readers must not push out the days that are
// written.
func (p *packs) shelf(day string, begin bool) (*shelf, error) {
	for {
		s, err := p.known(day, begin)
		if s == nil || err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.gone {
			s.mu.Unlock()
			continue
		}
		if err := s.loadPacks(); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		return s, nil
	}
}

func (p *packs) known(day string, begin bool) (*shelf, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.uses++
	if s := p.shelves[day]; s != nil {
		s.used = p.uses
		return s, nil
	}
	if !begin {
		if _, err := p.root.Lstat(day); errors.Is(err, fs.ErrNotExist) {
			return nil, nil //nolint:nilnil // no packs
		} else if err != nil {
			return nil, err
		}
	}
	if len(p.shelves) >= maxShelves {
		p.evict()
	}
	s := &shelf{packs: p, day: day, used: p.uses}
	p.shelves[day] = s
	return s, nil
}

// evict forgets the day that was not used for the longest time, rather one that
// is not written. One that is busy or cannot be sealed now stays.
func (p *packs) evict() {
	var victim *shelf
	best := int64(math.MaxInt64)
	for _, s := range p.shelves {
		if !s.mu.TryLock() {
			continue
		}
		age := s.used
		if s.open != nil {
			age += math.MaxInt64 / 2
		}
		if age < best {
			if victim != nil {
				victim.mu.Unlock()
			}
			victim, best = s, age
			continue
		}
		s.mu.Unlock()
	}
	if victim == nil {
		return
	}
	defer victim.mu.Unlock()
	if victim.open != nil && victim.sealPack() != nil {
		return
	}
	victim.gone = true
	delete(p.shelves, victim.day)
}

// appendLog appends the record of a finished log.
func (p *packs) appendLog(day string, attempt, millis int64, text []byte) error {
	s, err := p.shelf(day, true)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	return s.append(attempt, millis, text)
}

// findText returns the text of a finished small log.
func (p *packs) findText(day string, attempt int64) (text []byte, found bool, err error) {
	s, err := p.shelf(day, false)
	if s == nil || err != nil {
		return nil, false, err
	}
	text, found, err = s.current(attempt)
	candidates := s.candidates(attempt)
	s.mu.Unlock()
	if found && err == nil {
		return text, true, nil
	}
	for _, path := range candidates {
		older, has, readErr := p.vault.readText(path, attempt)
		switch {
		case errors.Is(readErr, fs.ErrNotExist): // it was deleted meanwhile
		case has && readErr == nil:
			return older, true, nil
		case readErr != nil:
			err = readErr
		}
	}
	return nil, false, err
}

// earlier returns what a new log must know of an earlier one of its attempt: whether it may
// have its own file, and its packed text.
func (p *packs) earlier(day string, attempt int64) (file bool, text []byte, err error) {
	s, err := p.shelf(day, true)
	if err != nil {
		return false, nil, err
	}
	file = attempt <= s.files
	packed := len(s.candidates(attempt)) > 0
	if s.open != nil && !packed {
		_, packed = s.open.findEntry(attempt)
	}
	s.mu.Unlock()
	if !packed {
		return file, nil, nil
	}
	text, _, err = p.findText(day, attempt)
	if isDamaged(err) {
		err = nil // what is lost does not keep the attempt from being logged
	}
	return file, text, err
}

// spilled notes that an attempt has its own file now.
func (p *packs) spilled(day string, attempt int64) error {
	s, err := p.shelf(day, true)
	if err != nil {
		return err
	}
	s.files = max(s.files, attempt)
	s.mu.Unlock()
	return nil
}

// fileless reports whether it is known, without a look at the disk, that an attempt
// has no file of its own.
func (p *packs) fileless(day string, attempt int64) bool {
	p.mu.Lock()
	s := p.shelves[day]
	p.mu.Unlock()
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded && !s.gone && attempt > s.files
}

// flush writes what is in memory only.
func (p *packs) flush() error { return p.eachShelf((*shelf).flush) }

// close seals every pack.
func (p *packs) close() error {
	p.vault.closeVolumes("")
	return p.eachShelf(func(s *shelf) error {
		if s.open == nil {
			return nil
		}
		return s.sealPack()
	})
}

func (p *packs) eachShelf(do func(*shelf) error) error {
	p.mu.Lock()
	shelves := make([]*shelf, 0, len(p.shelves))
	for _, s := range p.shelves {
		shelves = append(shelves, s)
	}
	p.mu.Unlock()
	var errs []error
	for _, s := range shelves {
		s.mu.Lock()
		errs = append(errs, do(s))
		s.mu.Unlock()
	}
	return errors.Join(errs...)
}

// forget drops everything of a day and calls away, which removes its files, while no reader
// can ask for them.
func (p *packs) forget(day string, away func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.shelves[day]; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open != nil {
			_ = s.open.file.Close() // its records go away as well
			s.open = nil
		}
		s.gone = true
		delete(p.shelves, day)
	}
	p.vault.closeVolumes(day + "/")
	return away()
}

// forgetPack takes one sealed pack away, and reports false when it is the one
// that is appended to.
func (p *packs) forgetPack(day string, number int, away func() error) (bool, error) {
	s, err := p.shelf(day, true)
	if err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	for i, pack := range s.sealed {
		if pack.number == number {
			p.vault.closeVolumes(packPath(day, number))
			s.sealed = append(s.sealed[:i:i], s.sealed[i+1:]...)
			return true, away()
		}
	}
	return false, nil
}

// create makes a file for a pack, and its day's folder when that is missing.
func (p *packs) create(path string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_EXCL | os.O_RDWR
	return openIn(p.root, path, flags)
}

// openIn opens a file of a day and makes the day's folder when it is missing.
func openIn(root *os.Root, path string, flags int) (*os.File, error) {
	file, err := root.OpenFile(path, flags, fileMode)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	err = root.Mkdir(path[:len(dayLayout)], dirMode)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return root.OpenFile(path, flags, fileMode)
}

// eachEntry calls do with what a folder holds, in no order.
func (p *packs) eachEntry(path string, do func(fs.DirEntry) error) error {
	dir, err := p.root.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(256)
		for _, entry := range entries {
			if err := do(entry); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", path, err)
		}
	}
}
