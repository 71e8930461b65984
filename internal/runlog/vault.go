package runlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
)

// maxVault is how many sealed packs are kept open for readers.
const maxVault = 16

// vault reads sealed packs, and keeps open the ones that were read last.
type vault struct {
	root *os.Root

	mu   sync.Mutex
	open []*volume // guarded by mu: the one read last stands last
}

// volume is an open sealed pack.
type volume struct {
	path    string
	file    *os.File
	foot    foot
	entries []recordLocation // in order, when the index in the file is not to be trusted
}

// damagedError: a record is there and cannot be read.
type damagedError struct {
	path    string
	attempt int64
}

func (e *damagedError) Error() string {
	return fmt.Sprintf("the record of attempt %d in the pack %s is damaged: its checksum is wrong; its text is lost, "+
		"check the disk", e.attempt, e.path)
}

func damaged(path string, attempt int64) error { return &damagedError{path, attempt} }

func isDamaged(err error) bool {
	var d *damagedError
	return errors.As(err, &d)
}

// readText returns the text of an attempt in a sealed pack.
func (v *vault) readText(path string, attempt int64) (text []byte, found bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	u, err := v.openVolume(path)
	if err != nil {
		return nil, false, err
	}
	e, found, err := u.search(attempt)
	if !found || err != nil {
		return nil, false, err
	}
	if e.length > maxText {
		return nil, true, damaged(path, attempt)
	}
	record := make([]byte, recordHead+int(e.length))
	if _, err := u.file.ReadAt(record, int64(e.offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, true, fmt.Errorf("read the pack %s: %w", path, err)
	}
	id, text, ok := decodeRecord(record, u.foot.beacon)
	if !ok || id != attempt {
		return nil, true, damaged(path, attempt)
	}
	return text, true, nil
}

// openVolume returns an open pack. It is called with mu held.
func (v *vault) openVolume(path string) (*volume, error) {
	if i := slices.IndexFunc(v.open, func(u *volume) bool { return u.path == path }); i >= 0 {
		u := v.open[i]
		v.open = append(slices.Delete(v.open, i, i+1), u)
		return u, nil
	}
	u, err := openVolume(v.root, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	if err := u.check(); err != nil {
		u.file.Close()
		return nil, err
	}
	if len(v.open) >= maxVault {
		v.open[0].file.Close()
		v.open = slices.Delete(v.open, 0, 1)
	}
	v.open = append(v.open, u)
	return u, nil
}

// survey returns which attempts a pack may have. It seals one without a foot
// that fits, so that it is scanned only once.
func (v *vault) survey(path string) (spans, error) {
	u, err := openVolume(v.root, path, os.O_RDWR)
	if errors.Is(err, os.ErrPermission) {
		u, err = openVolume(v.root, path, os.O_RDONLY)
	}
	if err != nil {
		return spans{}, err
	}
	defer u.file.Close()
	if u.foot.count > 0 {
		return u.foot.spans, nil
	}
	if err := u.scanRecords(); err != nil {
		return spans{}, err
	}
	if info, err := u.file.Stat(); err == nil && len(u.entries) > 0 {
		// The seal goes behind whatever is there. Without it, for the disk may
		// be full, the pack is scanned by every reader that finds it closed.
		_, _ = u.file.WriteAt(appendSeal(nil, u.foot.beacon, uint32(info.Size()), u.entries), info.Size())
	}
	return makeSpans(u.entries), nil
}

// closeVolumes closes the packs whose path starts with prefix.
func (v *vault) closeVolumes(prefix string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = slices.DeleteFunc(v.open, func(u *volume) bool {
		gone := strings.HasPrefix(u.path, prefix)
		if gone {
			u.file.Close()
		}
		return gone
	})
}

// openVolume opens a pack. Its foot stays empty when the pack has none.
func openVolume(root *os.Root, path string, flags int) (*volume, error) {
	file, err := root.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	u := &volume{path: path, file: file}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	if size := info.Size(); size >= int64(footSize) {
		b := make([]byte, footSize)
		if _, err := file.ReadAt(b, size-int64(footSize)); err != nil {
			file.Close()
			return nil, fmt.Errorf("read the pack %s: %w", path, err)
		}
		if f, ok := decodeFoot(b, size); ok {
			u.foot = f
		}
	}
	return u, nil
}

// check reads the index once and puts a scan in its place when it is damaged.
func (u *volume) check() error {
	if u.foot.count > 0 {
		index := make([]byte, int(u.foot.count)*entrySize)
		_, err := u.file.ReadAt(index, int64(u.foot.start))
		if err == nil && checksum(index) == u.foot.crc {
			return nil
		}
	}
	return u.scanRecords()
}

// scanRecords finds the records without an index.
func (u *volume) scanRecords() error {
	b, err := io.ReadAll(io.NewSectionReader(u.file, 0, maxPack))
	if err != nil {
		return fmt.Errorf("read the pack %s: %w", u.path, err)
	}
	u.foot.beacon, u.entries = scanPack(b)
	if u.entries == nil {
		u.entries = []recordLocation{}
	}
	return nil
}

// search finds the entry of an attempt.
func (u *volume) search(attempt int64) (e recordLocation, found bool, err error) {
	count := int(u.foot.count)
	at := func(i int) recordLocation {
		if u.entries != nil {
			return u.entries[i]
		}
		b := make([]byte, entrySize)
		if _, readErr := u.file.ReadAt(b, int64(u.foot.start)+int64(i)*entrySize); readErr != nil && err == nil {
			err = fmt.Errorf("read the pack %s: %w", u.path, readErr)
		}
		return decodeEntry(b)
	}
	if u.entries != nil {
		count = len(u.entries)
	}
	i := sort.Search(count, func(i int) bool { return at(i).attempt >= attempt })
	if i < count {
		e = at(i)
	}
	return e, e.attempt == attempt && err == nil, err
}
