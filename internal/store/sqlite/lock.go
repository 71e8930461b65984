package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// lock is a file that one process has locked. The file stays when the lock is
// released: removing it would let two processes lock two files of one name.
type lock struct{ file *os.File }

// acquire locks the file and writes the process id into it. Kinds: Conflict
// when another process, or this one, has locked it; Unavailable when it cannot
// be written.
func acquire(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(filepath.Dir(path), err)
	}
	taken, err := tryLock(file)
	switch {
	case taken:
		wrong := job.Errorf(job.Conflict, "another orth server (%s) uses this data folder: %s", owner(file), filepath.Dir(path))
		wrong.Hint = "stop it, or choose another folder"
		file.Close()
		return nil, wrong
	case err == nil:
		err = writeProcessID(file)
	}
	if err != nil {
		file.Close()
		return nil, unusable(filepath.Dir(path), err)
	}
	return &lock{file: file}, nil
}

// release lets others lock the file.
func (l *lock) release() error { return errors.Join(unlock(l.file), l.file.Close()) }

// writeProcessID writes the process id into the file.
func writeProcessID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// owner describes the process that has locked the file.
func owner(file *os.File) string {
	raw, err := io.ReadAll(io.NewSectionReader(file, 0, 32))
	if err != nil {
		return "pid unknown"
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return "pid unknown"
	}
	return fmt.Sprintf("pid %d", pid)
}
