// Package mem is the folder of a queue in memory, for tests: with faults, and
// with power cuts.
//
// It knows files, sectors and syncs. It must never know what the files mean.
// Calls of internal/queue come in; what a disk would have after a crash comes out
// of [Disk.Reopen] and [Disk.Reboot].
package mem

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/job"
)

const sector = 512

// Errors of faults.
var (
	ErrCut = errors.New("the power is gone")
	ErrBad = errors.New("input/output error")
)

// Disk is a folder in memory. What was not synced when the power is cut may be
// there afterwards or not, sector by sector. After a sync that failed, what was
// written is taken for clean: no later sync writes it.
type Disk struct {
	mu     sync.Mutex // guards all of it
	random *rand.Rand
	files  map[string]*file
	locked bool
	steps  int
	cutAt  int
	fault  func(op, name string) error
}

// file is a file. Zeros at its end are not kept.
type file struct {
	disk    *Disk
	name    string
	now     []byte
	size    int64
	durable []byte
	synced  int64        // the durable size
	dirty   map[int]bool // sectors written and not synced
}

// New returns an empty folder.
func New() *Disk { return Seeded(1) }

// Seeded returns an empty folder whose faults depend on the seed.
func Seeded(seed uint64) *Disk {
	return &Disk{random: rand.New(rand.NewPCG(seed, 7)), files: make(map[string]*file)}
}

// CutAt cuts the power at the n-th change from the start; 0 is never.
func (d *Disk) CutAt(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cutAt = n
}

// Steps returns how many changes there were.
func (d *Disk) Steps() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps
}

// Fault has fn asked before each write, sync, create, rename, remove and read of a file;
// its error is the change's. Some of a write may be done all the same. nil is no
// fault.
func (d *Disk) Fault(fn func(op, name string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fn
}

// Fail has every write, sync, create and rename fail with an error, nil none.
func (d *Disk) Fail(err error) {
	if err == nil {
		d.Fault(nil)
		return
	}
	d.Fault(func(op, _ string) error {
		if op == "read" {
			return nil
		}
		return err
	})
}

// Reopen returns the folder as the next process finds it after this one was
// killed. The two share nothing.
func (d *Disk) Reopen() *Disk { return d.copy(1, false) }

// Reboot returns the folder as it is after a power cut.
func (d *Disk) Reboot(seed uint64) *Disk { return d.copy(seed, true) }

func (d *Disk) copy(seed uint64, cut bool) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := Seeded(seed)
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		content, size := f.now, f.size
		if cut {
			f.settle()
			content, size = f.durable, f.synced
		}
		next.files[name] = &file{
			disk: next, name: name, now: slices.Clone(content), durable: slices.Clone(content), size: size, synced: size,
			dirty: make(map[int]bool),
		}
	}
	return next
}

// Read returns a file's content, and nil when there is none.
func (d *Disk) Read(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil {
		return nil
	}
	return append(slices.Clone(f.now), make([]byte, f.size-int64(len(f.now)))...)
}

// Write sets a file's content.
func (d *Disk) Write(name string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = &file{
		disk: d, name: name, now: slices.Clone(content), durable: slices.Clone(content),
		size: int64(len(content)), synced: int64(len(content)), dirty: make(map[int]bool),
	}
}

// Change changes the bytes of a file in place, as a disk that goes bad.
func (d *Disk) Change(name string, fn func(content []byte)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn(d.files[name].now)
	fn(d.files[name].durable)
}

// Kill has everything fail from now on: the process that uses the folder is gone.
func (d *Disk) Kill() { d.Fault(func(string, string) error { return ErrCut }) }

// Untar returns a folder with the files of a [queue.Store] backup.
func Untar(r io.Reader) (*Disk, error) {
	d := New()
	in := tar.NewReader(r)
	for {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		d.Write(head.Name, content)
	}
}

// countChange counts a change and returns its fault. mu is held.
func (d *Disk) countChange(op, name string) error {
	d.steps++
	if d.cutAt != 0 && d.steps >= d.cutAt {
		return ErrCut
	}
	if d.fault != nil {
		return d.fault(op, name)
	}
	return nil
}

type unlocker struct{ disk *Disk }

func (u unlocker) Close() error {
	u.disk.mu.Lock()
	defer u.disk.mu.Unlock()
	u.disk.locked = false
	return nil
}

// Lock makes the folder one caller's.
func (d *Disk) Lock() (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked {
		return nil, job.Errorf(job.Conflict, "another store has the folder open")
	}
	d.locked = true
	return unlocker{d}, nil
}

// Names returns the names of the files.
func (d *Disk) Names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.files)), nil
}

// Open opens or creates a file.
func (d *Disk) Open(name string, create bool) (journal.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	switch {
	case create:
		if err := d.countChange("create", name); err != nil {
			return nil, err
		}
		f = &file{disk: d, name: name, dirty: make(map[int]bool)}
		d.files[name] = f
	case f == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f, nil
}

// Rename renames a file. When it fails, it may have been done.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.countChange("rename", to)
	if err != nil && d.random.IntN(2) == 0 {
		return err
	}
	d.files[from].name = to
	d.files[to] = d.files[from]
	delete(d.files, from)
	return err
}

// Remove removes a file. When it fails, it may have been done.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.countChange("remove", name)
	if err != nil && d.random.IntN(2) == 0 {
		return err
	}
	delete(d.files, name)
	return err
}

// settle has some dirty sectors reach the disk and forgets the others.
func (f *file) settle() {
	for _, s := range slices.Sorted(maps.Keys(f.dirty)) {
		if f.disk.random.IntN(2) == 0 {
			f.persist(s)
		}
	}
	clear(f.dirty)
}

func (f *file) persist(s int) {
	end := min((s+1)*sector, len(f.now))
	f.synced = max(f.synced, min(int64(s+1)*sector, f.size))
	if end <= s*sector {
		return // zeros
	}
	if grow := end - len(f.durable); grow > 0 {
		f.durable = append(f.durable, make([]byte, grow)...)
	}
	copy(f.durable[s*sector:end], f.now[s*sector:end])
}

// WriteAt writes. When it fails, some sectors may be written all the same.
func (f *file) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.countChange("write", f.name)
	n := len(b)
	if err != nil {
		end := (int(at) + f.disk.random.IntN(n+1)) / sector * sector
		n = max(0, end-int(at))
	}
	f.write(b[:n], at)
	return n, err
}

func (f *file) write(b []byte, at int64) {
	f.size = max(f.size, at+int64(len(b)))
	if at >= int64(len(f.now)) && isZero(b) {
		for s := int(at) / sector; s*sector < int(at)+len(b) && s < int(at)/sector+2; s++ {
			f.dirty[s] = true
		}
		f.dirty[(int(at)+len(b)-1)/sector] = true // its size
		return
	}
	if grow := int(at) + len(b) - len(f.now); grow > 0 {
		f.now = append(f.now, make([]byte, grow)...)
	}
	copy(f.now[at:], b)
	for s := int(at) / sector; s*sector < int(at)+len(b); s++ {
		f.dirty[s] = true
	}
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// ReadAt reads.
func (f *file) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.fault != nil {
		if err := f.disk.fault("read", f.name); err != nil {
			return 0, err
		}
	}
	if at >= f.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), f.size-at))
	clear(b[:n])
	if at < int64(len(f.now)) {
		copy(b[:n], f.now[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Size returns the size.
func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.size, nil
}

// Sync makes what was written durable.
func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.countChange("sync", f.name); err != nil {
		if !errors.Is(err, ErrCut) {
			f.settle()
		}
		return err
	}
	for s := range f.dirty {
		f.persist(s)
	}
	clear(f.dirty)
	return nil
}

// Close does nothing.
func (f *file) Close() error { return nil }

var _ queue.Disk = (*Disk)(nil)
