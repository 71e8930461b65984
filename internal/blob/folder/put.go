package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// putTries bounds how often a blob's folder is made again because it was removed, for it
// was empty, before the blob was in it.
const putTries = 100

// Put stores a blob: when it returns nil the file and the folders above it survive
// a power cut. Kinds: Conflict when the name has other data.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := logbook.CheckBlobName(name); err != nil {
		return err
	}
	temp, err := s.write(data)
	if err != nil {
		return failed("write", name, err)
	}
	defer func() { _ = s.root.Remove(temp) }() // it has its name by then, or is not wanted; tidy gets what is left
	for range putTries {
		err = s.linkName(temp, name)
		switch {
		case errors.Is(err, fs.ErrExist):
			if err = s.checkSame(name, data); !job.Is(err, job.NotFound) {
				return err
			} // it was removed again
		case !errors.Is(err, fs.ErrNotExist):
			return failed("write", name, err)
		}
	}
	return failed("write", name, err)
}

// write writes a file that has no final name yet, and makes it durable.
func (s *Store) write(data []byte) (temp string, err error) {
	temp = path.Join(fresh, strings.ToLower(rand.Text()))
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // another process has cleaned up
		if err = s.root.Mkdir(fresh, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			file, err = s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, s.root.Remove(temp))
	}
	return temp, nil
}

// linkName gives a file its name, for good. fs.ErrExist: the name is taken; fs.ErrNotExist: the
// folder was removed since.
func (s *Store) linkName(temp, name string) error {
	dir := path.Dir(name)
	if err := s.folders(dir); err != nil {
		return err
	}
	err := s.root.Link(temp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		// A file system without hard links: the rename is as atomic, but of two puts that
		// use the name at once the last one wins.
		if _, taken := s.root.Lstat(name); taken == nil {
			return fs.ErrExist
		}
		err = s.root.Rename(temp, name)
	}
	if err != nil {
		return err
	}
	return s.syncFolder(dir)
}

// folders makes the folder of a blob, and makes it durable.
func (s *Store) folders(dir string) error {
	if dir == "." {
		return nil
	}
	err := s.root.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.folders(path.Dir(dir)); err == nil {
			err = s.root.Mkdir(dir, 0o700)
		}
	}
	if err == nil {
		return s.syncFolder(path.Dir(dir))
	}
	if isNoFolder(err) {
		return below(path.Dir(dir))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := s.root.Stat(dir); err == nil && !info.IsDir() {
		return below(dir)
	}
	return nil
}

func below(blob string) error {
	return job.Errorf(job.Conflict, "%s is a blob, so no blob can be below it", blob)
}

func (s *Store) syncFolder(dir string) error {
	file, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(file), file.Close())
}

// checkSame checks that a name that is taken has the very same data.
func (s *Store) checkSame(name string, data []byte) error {
	if info, err := s.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return job.Errorf(job.Conflict, "%s is a folder, so no blob can have this name", name)
	}
	file, err := s.openBlob(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return failed("read", name, err)
	}
	if info.Size() == int64(len(data)) {
		there, err := io.ReadAll(io.LimitReader(file, info.Size()))
		if err != nil {
			return failed("read", name, err)
		}
		if bytes.Equal(there, data) {
			return s.syncFolder(path.Dir(name)) // the put of that file may be about to do so
		}
	}
	return job.Errorf(job.Conflict, "the blob %s is there already, with other data", name)
}

// absent reports whether an error means that there is no such file, or that a file is in
// the place of a folder.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNoFolder(err) }

// failed gives an error of the disk its kind. An error that has one keeps it.
func failed(what, name string, err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*job.Error](err); known {
		return err
	}
	if isFull(err) {
		full := job.Errorf(job.Full, "%s the blob %s: %w", what, name, err)
		full.Hint = "make room on the disk of the log folder, or keep logs for a shorter time"
		return full
	}
	return job.Errorf(job.Unavailable, "%s the blob %s: %w", what, name, err)
}
