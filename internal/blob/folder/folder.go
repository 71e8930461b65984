// Package folder keeps blobs as files below one folder.
//
// It knows files and what makes them durable. It must never know what is in a blob. Names,
// and bytes to keep, come in; bytes go out. A blob is one file with the name of the blob,
// and appears whole or not at all. No name and no symbolic link in the folder leads outside
// of it.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// fresh is where files are written before they get their names: no blob is called
// so.
const fresh = ".new"

// staleAfter is the age from which a file in fresh is no longer being written. Another
// server may share the folder, so younger ones are kept.
const staleAfter = time.Hour

// Store is a logbook.Blobs. Its methods are safe for concurrent use, also by
// processes that share the folder.
type Store struct {
	root *os.Root
	path string
}

// Open returns the store in the folder, which is made if need be, readable for its
// owner only. Kinds: Unavailable when the folder cannot be used.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	s := &Store{root: root, path: dir}
	if err := s.removeLeftovers(); err != nil {
		return nil, errors.Join(unusable(dir, err), root.Close())
	}
	return s, nil
}

func unusable(dir string, err error) error {
	e := job.Errorf(job.Unavailable, "use the folder %s for logs: %w", dir, err)
	e.Hint = "the server must be able to make, read and remove files there"
	return e
}

// Close gives the folder back; the store must not be used any more.
func (s *Store) Close() error { return s.root.Close() }

// removeLeftovers removes what a process left that died while it wrote.
func (s *Store) removeLeftovers() error {
	if err := s.root.Mkdir(fresh, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	old := time.Now().Add(-staleAfter)
	return s.eachEntry(fresh, func(entry fs.DirEntry) (bool, error) {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(old) {
			return true, nil //nolint:nilerr // gone, or not ours
		}
		if err := s.root.Remove(path.Join(fresh, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		return true, nil
	})
}

// Get returns size bytes from offset on.
func (s *Store) Get(ctx context.Context, name string, offset, size int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := logbook.CheckBlobName(name); err != nil {
		return nil, err
	}
	if offset < 0 || size < 0 {
		return nil, job.Errorf(job.Invalid, "%d bytes from %d on cannot be read from the blob %s", size, offset, name)
	}
	file, err := s.openBlob(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, failed("read", name, err)
	}
	if offset > info.Size() || size > info.Size()-offset {
		return nil, job.Errorf(job.NotFound, "the blob %s has %d bytes, and not %d from %d on", name, info.Size(), size, offset)
	}
	data := make([]byte, size)
	if n, err := file.ReadAt(data, offset); n < len(data) {
		return nil, failed("read", name, err)
	}
	return data, nil
}

// openBlob opens a blob. A symbolic link is none, wherever it leads.
func (s *Store) openBlob(name string) (*os.File, error) {
	info, err := s.root.Lstat(name)
	if absent(err) || err == nil && !info.Mode().IsRegular() {
		return nil, notFound(name)
	}
	if err != nil {
		return nil, failed("read", name, err)
	}
	file, err := s.root.Open(name)
	switch {
	case absent(err):
		return nil, notFound(name)
	case err != nil:
		return nil, failed("read", name, err)
	}
	return file, nil
}

func notFound(name string) error { return job.Errorf(job.NotFound, "there is no blob %s", name) }

// Delete removes blobs, and the folders that are empty then.
func (s *Store) Delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := logbook.CheckBlobName(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.remove(name); err != nil {
			return failed("remove", name, err)
		}
	}
	return ctx.Err()
}

// remove removes what has the name, if that is a file.
func (s *Store) remove(name string) error {
	info, err := s.root.Lstat(name)
	if err == nil && info.IsDir() {
		return nil // a folder is no blob
	}
	if err == nil {
		err = s.root.Remove(name)
	}
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	for dir != "." && s.root.Remove(dir) == nil { // until one has other files, or another process is faster
		dir = path.Dir(dir)
	}
	return nil
}

// List visits the blobs. Those that are added or removed at the same time are visited or
// not.
func (s *Store) List(ctx context.Context, visit func(name string, size int64, at time.Time) bool) error {
	if _, err := s.walkBlobs(ctx, ".", visit); err != nil {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		return job.Errorf(job.Unavailable, "list the blobs in %s: %w", s.path, err)
	}
	return nil
}

// walkBlobs visits the blobs below a folder and reports whether visit wants more. Names are at
// most [logbook.MaxBlobName] long, so it does not go deep.
func (s *Store) walkBlobs(ctx context.Context, dir string, visit func(string, int64, time.Time) bool) (more bool, err error) {
	more = true
	err = s.eachEntry(dir, func(entry fs.DirEntry) (bool, error) {
		name := path.Join(dir, entry.Name())
		if ended := ctx.Err(); ended != nil {
			return false, ended
		}
		if !isName(name) {
			return true, nil
		}
		if entry.IsDir() {
			var err error
			if more, err = s.walkBlobs(ctx, name, visit); absent(err) {
				return true, nil
			}
			return more, err
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return true, nil //nolint:nilerr // gone, or not ours
		}
		more = visit(name, info.Size(), info.ModTime())
		return more, nil
	})
	return more, err
}

// isName reports whether a file may be one of ours.
func isName(name string) bool { return logbook.CheckBlobName(name) == nil }

// eachEntry calls take with what a folder holds until it returns false, some at a time.
func (s *Store) eachEntry(dir string, take func(fs.DirEntry) (bool, error)) error {
	file, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		entries, err := file.ReadDir(256)
		for _, entry := range entries {
			if more, err := take(entry); !more || err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the folder %s: %w", dir, err)
		}
	}
}
