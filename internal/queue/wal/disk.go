package wal

import (
	"io"
	"io/fs"
	"os"
)

const fileMode = 0o600

// disk is the few things done to files, so that tests can cut the power.
type disk interface {
	// Open opens or creates a file, makes a new one's name durable, and
	// returns what is in it.
	Open(name string) (file, []byte, error)
	// Rename gives a closed file another name, durably.
	Rename(from, to string) error
	// Exists reports whether a name is taken.
	Exists(name string) (bool, error)
}

// file is an open log file.
type file interface {
	io.WriterAt
	io.Closer
	// Sync makes durable what was written so far.
	Sync() error
}

// osDisk is the operating system's.
type osDisk struct {
	sync func(name string) error // makes the name of a file durable
}

type osFile struct{ *os.File }

func (d osDisk) Open(name string) (file, []byte, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, nil, err
	}
	content, err := readAll(f)
	if err == nil {
		err = d.sync(name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return osFile{f}, content, nil
}

// readAll reads a file whole: it is as long as records have made it, and there
// are two of them.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: f.Name(), Err: fs.ErrInvalid}
	}
	content := make([]byte, info.Size())
	n, err := io.ReadFull(f, content)
	if err != nil && n < len(content) {
		return nil, err
	}
	return content, nil
}

func (d osDisk) Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return d.sync(to)
}

func (osDisk) Exists(name string) (bool, error) {
	_, err := os.Lstat(name)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}
