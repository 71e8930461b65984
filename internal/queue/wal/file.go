package wal

import (
	"fmt"

	"github.com/orthd/orth/internal/failpoint"
)

// growBytes is how much a file grows at a time. Zeroes are written ahead, for
// a record that overwrites costs the disk half of one that extends.
const growBytes = 1 << 20

// logFile is one of the two files. It belongs to the writer while it is the
// current one or idle, and to the checkpoint while its layer is frozen.
type logFile struct {
	name       string
	file       file
	step       int64
	generation uint64
	at         int64 // where the next record goes
	size       int64
	used       int64 // behind it there are only zeroes
	// ready says that records may be appended: the header is durable, and so
	// is every record before at.
	ready bool
	// dirty says that the file may have something of a record at at.
	dirty bool
	zeros []byte
}

// restart makes the file empty, of a new generation, with zeroes where records
// were: they may hold secrets of tasks that are over. What was in it must be in the
// back end inside, or in the other file.
func (f *logFile) restart(h header) error {
	f.ready = false
	block := make([]byte, blockBytes+recordHeader) // no record begins behind it
	copy(block, h.encode())
	if _, err := f.file.WriteAt(block, 0); err != nil {
		return fmt.Errorf("restart queue log %s: %w", f.name, err)
	}
	if err := f.wipe(int64(len(block))); err != nil {
		return fmt.Errorf("wipe queue log %s: %w", f.name, err)
	}
	failpoint.Hit("wal/restarting")
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("restart queue log %s: %w", f.name, err)
	}
	failpoint.Hit("wal/restarted")
	f.generation, f.at, f.used, f.ready, f.dirty = h.generation, blockBytes, blockBytes, true, false
	f.size = max(f.size, int64(len(block)))
	return nil
}

// wipe writes zeroes over all that was written from an offset on.
func (f *logFile) wipe(from int64) error {
	for at := from; at < f.used; {
		zeros := make([]byte, min(f.used-at, growBytes))
		if _, err := f.file.WriteAt(zeros, at); err != nil {
			return err
		}
		at += int64(len(zeros))
	}
	return nil
}

// append makes a record durable, with zeroes behind it where the next one will
// begin: an end without them has lost a record. After an error the file is not
// ready: what it has of the record is unknown.
func (f *logFile) append(record []byte) error {
	f.ready = false
	end := int64(len(record))
	record = append(record, make([]byte, recordHeader)...)
	if err := f.reserve(int64(len(record))); err != nil {
		return fmt.Errorf("extend queue log %s: %w", f.name, err)
	}
	f.dirty, f.used = true, f.at+int64(len(record))
	if _, err := f.file.WriteAt(record, f.at); err != nil {
		return fmt.Errorf("write queue log %s: %w", f.name, err)
	}
	failpoint.Hit("wal/appended")
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("sync queue log %s: %w", f.name, err)
	}
	failpoint.Hit("wal/synced")
	f.at += end
	f.ready, f.dirty = true, false
	return nil
}

// erase takes back what a failed append may have written, durably: no record
// begins there any more.
func (f *logFile) erase() error {
	if !f.dirty {
		return nil
	}
	if _, err := f.file.WriteAt(make([]byte, recordHeader), f.at); err != nil {
		return fmt.Errorf("erase from queue log %s: %w", f.name, err)
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("erase from queue log %s: %w", f.name, err)
	}
	f.dirty = false
	return nil
}

// reserve has zeroes where the next n bytes go, unless there is something
// already.
func (f *logFile) reserve(n int64) error {
	for f.at+n > f.size {
		if f.zeros == nil {
			f.zeros = make([]byte, min(f.step, growBytes))
		}
		if _, err := f.file.WriteAt(f.zeros, f.size); err != nil {
			return err
		}
		f.size += int64(len(f.zeros))
		if f.at+n <= f.size {
			f.zeros = nil
			return f.file.Sync()
		}
	}
	return nil
}
