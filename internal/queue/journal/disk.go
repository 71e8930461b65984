package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/orthd/orth/job"
)

const (
	fileMode   = 0o600
	folderMode = 0o700
	// lockWait is how long an open waits for another process to let go, and
	// lockTries how often it looks.
	lockWait  = time.Second
	lockTries = 50
)

// Disk is the few things done to a folder, so that tests can cut the power.
type Disk interface {
	// Lock makes the folder this process's own until the closer is closed. A
	// folder that another process has is job.Conflict.
	Lock() (io.Closer, error)
	// Names returns the names of the files.
	Names() ([]string, error)
	// Open opens a file for reading and writing; create makes a new, empty one
	// in place of whatever has the name.
	Open(name string, create bool) (File, error)
	// Rename gives a file another name, durably.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	// Sync makes durable what was written so far.
	Sync() error
}

// Folder returns the operating system's folder of a path, which is made when it
// is missing. A file path+".db" was written by a development version that kept
// its queue in a database file: it is refused with job.Conflict.
func Folder(path string) Disk { return folder(path) }

type folder string

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &fs.PathError{Op: "open", Path: f.Name(), Err: fs.ErrInvalid}
	}
	return info.Size(), nil
}

func (d folder) pathOf(name string) string { return filepath.Join(string(d), name) }

func (d folder) Lock() (io.Closer, error) {
	if err := d.refuseOld(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(string(d), folderMode); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.pathOf("lock"), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	again := time.NewTicker(lockWait / lockTries)
	defer again.Stop()
	for try := 1; ; try++ {
		switch err = lockFile(f); {
		case err == nil:
			return f, nil
		case !errors.Is(err, errLocked):
		case try < lockTries:
			<-again.C
			continue
		default:
			err = &job.Error{
				Kind: job.Conflict, Message: fmt.Sprintf("another process has the queue in %s open", string(d)),
				Hint: "stop that process, or give this one another data folder",
			}
		}
		f.Close()
		return nil, err
	}
}

var errLocked = errors.New("locked by another process")

// refuseOld refuses a folder of a version that was never released.
func (d folder) refuseOld() error {
	old := string(d) + ".db"
	if _, err := os.Lstat(old); err == nil {
		return &job.Error{
			Kind:    job.Conflict,
			Message: old + " is the queue of a development version of Orth: this version keeps its queue in the folder " + string(d) + " and cannot read that file",
			Hint: "run the version that wrote it until nothing waits ('orth queue stats'); then remove " + old + " and the files " +
				filepath.Base(string(d)) + ".log*, or give this one another data folder",
		}
	}
	return nil
}

func (d folder) Names() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d folder) Open(name string, create bool) (File, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(d.pathOf(name), flags, fileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d folder) Rename(from, to string) error {
	if err := os.Rename(d.pathOf(from), d.pathOf(to)); err != nil {
		return err
	}
	return syncFolder(string(d))
}

func (d folder) Remove(name string) error { return os.Remove(d.pathOf(name)) }
