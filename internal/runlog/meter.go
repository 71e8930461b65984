package runlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxCandidates is how many files of a day are weighed against each other at a
// time. When they are not enough, the next Prune goes on.
const maxCandidates = 64 << 10

// meter knows about how many bytes the logs have, without a look at the disk.
type meter struct {
	mu       sync.Mutex // held during a measurement
	measured bool
	total    int64 // bytes at the last measurement
	written  int64 // packs.written then
}

// shrink deletes the oldest logs while all together have more than MaxTotal
// bytes. The first call, and each one that finds too much, looks at all files.
func (l *Logs) shrink() error {
	if l.config.MaxTotal == 0 {
		return nil
	}
	l.meter.mu.Lock()
	defer l.meter.mu.Unlock()
	m := &l.meter
	if m.measured && m.total+l.packs.written.Load()-m.written <= l.config.MaxTotal {
		return nil
	}
	m.written = l.packs.written.Load()
	names, err := l.names()
	if err != nil {
		return err
	}
	slices.Sort(names)
	m.total = 0
	days := names[:0]
	for _, name := range names {
		if _, err := time.Parse(dayLayout, name); err != nil {
			continue
		}
		size, err := l.weigh(name)
		if err != nil {
			return err
		}
		m.total += size
		days = append(days, name)
	}
	m.measured = true
	var errs []error
	for _, day := range days {
		if m.total <= l.config.MaxTotal {
			break
		}
		freed, err := l.deleteOldest(day, m.total-l.config.MaxTotal)
		m.total -= freed
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (l *Logs) weigh(day string) (size int64, err error) {
	err = l.packs.eachEntry(day, func(entry fs.DirEntry) error {
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}

// deleteOldest deletes the oldest logs of a day until so many bytes are freed.
func (l *Logs) deleteOldest(day string, excess int64) (freed int64, err error) {
	files := []fs.FileInfo{}
	older := func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	}
	err = l.packs.eachEntry(day, func(entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(info.Name(), ".idx") {
			return nil //nolint:nilerr // it is gone already, or not ours
		}
		if files = append(files, info); len(files) >= 2*maxCandidates {
			slices.SortFunc(files, older)
			files = files[:maxCandidates]
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(files, older)
	for _, file := range files {
		if freed >= excess {
			break
		}
		gone, err := l.remove(day, file.Name())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return freed, fmt.Errorf("delete %s/%s: %w", day, file.Name(), err)
		}
		if gone {
			freed += file.Size()
		}
	}
	_ = l.root.Remove(day) // when nothing is left
	return freed, nil
}

// remove deletes one file of a day, unless it is being written.
func (l *Logs) remove(day, name string) (bool, error) {
	l.days.Lock()
	defer l.days.Unlock()
	path := day + "/" + name
	number, kind, _ := strings.Cut(name, ".")
	switch kind {
	case "log":
		if l.writing(path) != nil {
			return false, nil
		}
		_ = l.root.Remove(indexPath(path))
	case "pack":
		n, err := strconv.Atoi(number)
		if err != nil {
			return false, nil // not ours
		}
		return l.packs.forgetPack(day, n, func() error { return l.root.Remove(path) })
	default:
		return false, nil
	}
	return true, l.root.Remove(path)
}
