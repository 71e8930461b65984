package wal

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
)

const sector = 512

var (
	errCut = errors.New("the power is gone")
	errBad = errors.New("input/output error")
)

// faultyDisk is files in memory. What was not synced when the power is cut may
// be there afterwards or not, sector by sector. After a sync that failed, what
// was written is taken for clean: no later sync writes it.
type faultyDisk struct {
	mu      sync.Mutex
	random  *rand.Rand
	files   map[string]*faultyFile
	steps   int
	cutAt   int // the step at which the power is cut; 0 is never
	badness int // one of so many writes and syncs fails; 0 is none
}

type faultyFile struct {
	disk    *faultyDisk
	now     []byte
	durable []byte
	dirty   map[int]bool // sectors written and not synced
}

func newFaultyDisk(seed uint64) *faultyDisk {
	return &faultyDisk{random: rand.New(rand.NewPCG(seed, 7)), files: make(map[string]*faultyFile)}
}

// step counts a change and reports whether it fails. mu is held.
func (d *faultyDisk) step() error {
	d.steps++
	switch {
	case d.cutAt != 0 && d.steps >= d.cutAt:
		return errCut
	case d.badness != 0 && d.random.IntN(d.badness) == 0:
		return errBad
	}
	return nil
}

func (d *faultyDisk) Open(name string) (file, []byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		d.files[name] = &faultyFile{disk: d, dirty: make(map[int]bool)}
	}
	return d.files[name], slices.Clone(d.files[name].now), nil
}

func (d *faultyDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (d *faultyDisk) Exists(name string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] != nil, nil
}

// reboot returns what the disk has after a power cut.
func (d *faultyDisk) reboot(seed uint64) *faultyDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := newFaultyDisk(seed)
	for name, f := range d.files {
		f.settle(d.random)
		next.files[name] = &faultyFile{
			disk: next, now: slices.Clone(f.durable), durable: slices.Clone(f.durable), dirty: make(map[int]bool),
		}
	}
	return next
}

// settle has some dirty sectors reach the disk and forgets the others.
func (f *faultyFile) settle(random *rand.Rand) {
	dirty := make([]int, 0, len(f.dirty))
	for s := range f.dirty {
		dirty = append(dirty, s)
	}
	slices.Sort(dirty)
	for _, s := range dirty {
		if random.IntN(2) == 0 {
			f.persist(s)
		}
	}
	clear(f.dirty)
}

func (f *faultyFile) persist(s int) {
	end := min((s+1)*sector, len(f.now))
	if grow := end - len(f.durable); grow > 0 {
		f.durable = append(f.durable, make([]byte, grow)...)
	}
	copy(f.durable[s*sector:end], f.now[s*sector:end])
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.step()
	if err != nil { // some of it may be written all the same
		b = b[:f.disk.random.IntN(len(b)+1)]
		if at == 0 { // a header is smaller than a sector, which disks write whole or not at all
			b = b[:len(b)/sector*sector]
		}
	}
	if grow := int(at) + len(b) - len(f.now); grow > 0 {
		f.now = append(f.now, make([]byte, grow)...)
	}
	copy(f.now[at:], b)
	for s := int(at) / sector; s*sector < int(at)+len(b); s++ {
		f.dirty[s] = true
	}
	return len(b), err
}

func (f *faultyFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.step(); err != nil {
		if errors.Is(err, errBad) {
			f.settle(f.disk.random)
		}
		return err
	}
	for s := range f.dirty {
		f.persist(s)
	}
	clear(f.dirty)
	return nil
}

func (f *faultyFile) Close() error { return nil }

// faultyInner is a back end on the same power supply. A commit that is cut off
// may be there afterwards or not.
type faultyInner struct {
	*mem.Backend
	disk *faultyDisk
	bad  bool // commits fail
	kept bool // and take effect all the same
}

func (b *faultyInner) Update(fn func(queue.Txn) error) error {
	b.disk.mu.Lock()
	b.disk.steps++
	cut := b.disk.cutAt != 0 && b.disk.steps >= b.disk.cutAt
	lost := cut && (b.disk.steps > b.disk.cutAt || b.disk.random.IntN(2) == 0)
	bad, kept := b.bad, b.kept
	b.disk.mu.Unlock()
	if bad && !kept {
		return errBad
	}
	if lost {
		return errCut
	}
	err := b.Backend.Update(fn)
	switch {
	case err != nil:
		return err
	case bad:
		return errBad
	case cut:
		return errCut
	}
	return nil
}
