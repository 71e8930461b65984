package script

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// files keeps the script files of a folder: the current version of each job.
type files struct {
	dir    string
	suffix string
	mu     *sync.Mutex // held while the folder changes
}

func openFiles(dir, suffix string) (files, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	return files{dir: dir, suffix: suffix, mu: new(sync.Mutex)}, err
}

// ensure returns the path of a file that holds the source, and writes it unless
// it does already. The name tells versions apart, the content decides: two
// servers may use the same job id. Other versions of the job are removed; a
// script that still runs from one is not disturbed where files can be removed
// while open.
func (f files) ensure(jobID int64, at time.Time, source string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	prefix := strconv.FormatInt(jobID, 10) + "_"
	name := prefix + strconv.FormatInt(millis(at), 10) + f.suffix
	path := filepath.Join(f.dir, name)
	current, err := os.ReadFile(path)
	if err == nil && bytes.Equal(current, []byte(source)) {
		return path, nil
	}
	f.remove(prefix, name)
	if err := f.write(path, prefix, source); err != nil {
		return "", err
	}
	return path, nil
}

// write replaces the file in one step, so that no crash leaves half a script.
func (f files) write(path, prefix, source string) error {
	temporary, err := os.CreateTemp(f.dir, prefix+"*.tmp")
	if err != nil {
		return err
	}
	_, err = temporary.WriteString(source)
	err = errors.Join(err, temporary.Chmod(0o700), temporary.Sync())
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// remove deletes the job's files but one. What cannot be deleted now, because a
// script runs from it, is deleted with the next version.
func (f files) remove(prefix, keep string) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if name := entry.Name(); name != keep && strings.HasPrefix(name, prefix) {
			_ = os.Remove(filepath.Join(f.dir, name))
		}
	}
}

// millis is the version in a file's name; 0 when there is none.
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}
