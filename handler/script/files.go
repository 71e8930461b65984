package script

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// files keeps the script files of a folder: the current version of each job,
// and older ones that still run.
type files struct {
	dir  string
	lend func(path string) error // makes a file fit for children

	mu    sync.Mutex     // held while the folder changes
	inUse map[string]int // runs by file name; guarded by mu
	stale map[string]bool
}

func openFiles(dir string, lend func(string) error) (*files, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = lend(dir)
	}
	return &files{dir: dir, lend: lend, inUse: make(map[string]int), stale: make(map[string]bool)}, err
}

// takeFile returns the path of a file that holds the source, and writes the file unless it
// holds the source already. The name distinguishes versions, the content decides: two
// servers may use the same job id. Other versions of the job are removed, those in use when
// they no longer are. done must be called after the run.
func (f *files) takeFile(jobID int64, at time.Time, suffix, source string) (path string, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	prefix := strconv.FormatInt(jobID, 10) + "_"
	stem := prefix + strconv.FormatInt(job.Millis(at), 10)
	name := stem + suffix
	same := f.holds(name, source)
	if !same && f.inUse[name] > 0 {
		sum := sha256.Sum256([]byte(source))
		name = stem + "-" + hex.EncodeToString(sum[:8]) + suffix
		same = f.holds(name, source)
	}
	path = filepath.Join(f.dir, name)
	if !same {
		f.prune(prefix, name)
		if err := f.write(path, prefix, source); err != nil {
			return "", nil, err
		}
	}
	f.inUse[name]++
	delete(f.stale, name)
	return path, sync.OnceFunc(func() { f.release(name) }), nil
}

func (f *files) holds(name, source string) bool {
	current, err := os.ReadFile(filepath.Join(f.dir, name))
	return err == nil && bytes.Equal(current, []byte(source))
}

// write replaces the file in one step, so that no crash leaves half a script.
func (f *files) write(path, prefix, source string) error {
	temporary, err := os.CreateTemp(f.dir, prefix+"*.tmp")
	if err != nil {
		return err
	}
	_, err = temporary.WriteString(source)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = f.lend(temporary.Name())
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// prune deletes the job's files but one. f.mu is held.
func (f *files) prune(prefix, keep string) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == keep || !strings.HasPrefix(name, prefix):
		case f.inUse[name] > 0:
			f.stale[name] = true
		default:
			_ = os.Remove(filepath.Join(f.dir, name))
		}
	}
}

// release ends one use of a file.
func (f *files) release(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse[name]--; f.inUse[name] > 0 {
		return
	}
	delete(f.inUse, name)
	if f.stale[name] {
		delete(f.stale, name)
		_ = os.Remove(filepath.Join(f.dir, name))
	}
}
