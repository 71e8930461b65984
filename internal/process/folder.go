package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthd/orth/job"
)

// folder is the private folder of one child; nil when it has none.
type folder struct{ dir string }

const (
	folderPrefix = "orth-"
	resultName   = "result"
	tempName     = "tmp"
)

// MaxResult is how much of a result is read, in bytes. A longer one ends in a line that
// reports the cut.
const MaxResult = 1 << 20

// openRoot makes the folder of private folders and removes what dead
// executors have left in it.
func (s *Spawner) openRoot() error {
	root, err := filepath.Abs(s.config.TempRoot)
	if err == nil {
		err = os.MkdirAll(root, 0o711) //nolint:gosec // the children's user enters it; what is in it is private
	}
	if err != nil {
		return job.Errorf(job.Unavailable, "make the folder for private folders: %w", err)
	}
	s.config.TempRoot = root
	if s.user != nil {
		if err := s.reachable(root); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return job.Errorf(job.Unavailable, "read the folder of private folders: %w", err)
	}
	for _, entry := range entries {
		if id, ours := strings.CutPrefix(entry.Name(), folderPrefix); ours && entry.IsDir() && isDead(id) {
			s.removeFolder(&folder{filepath.Join(root, entry.Name())})
		}
	}
	return nil
}

// newFolder makes the private folder of one child, when it needs one.
func (s *Spawner) newFolder(mark string, result bool) (*folder, error) {
	if !result && !s.config.PrivateTemp {
		return nil, nil
	}
	f := &folder{filepath.Join(s.config.TempRoot, folderPrefix+mark)}
	err := os.Mkdir(f.dir, 0o700)
	if err == nil && s.config.PrivateTemp {
		temp := filepath.Join(f.dir, tempName)
		err = errors.Join(os.Mkdir(temp, 0o700), s.user.chown(temp))
	}
	if err == nil {
		err = s.user.chown(f.dir)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(f.dir))
	}
	return f, nil
}

// environ names the folder's parts to the child.
func (f *folder) environ(temp bool) []string {
	if f == nil {
		return nil
	}
	env := []string{"ORTH_JOB_RESULT_FILE=" + filepath.Join(f.dir, resultName)}
	if temp {
		path := filepath.Join(f.dir, tempName)
		env = append(env, "TMPDIR="+path, "TEMP="+path, "TMP="+path)
	}
	return env
}

// copyResult reads the result that the child may have written. Only a plain
// file within the folder counts: the child could not read others.
func (f *folder) copyResult(to io.Writer) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return
	}
	defer root.Close()
	info, err := root.Lstat(resultName)
	if err != nil || !info.Mode().IsRegular() || !single(info) {
		return
	}
	file, err := root.Open(resultName)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = io.Copy(to, io.LimitReader(file, MaxResult))
	if size := info.Size(); size > MaxResult {
		_, _ = fmt.Fprintf(to, "\n"+cutResult, size, MaxResult)
	}
}

// cutResult is the last line of a result that is too long.
const cutResult = "… [cut: the result has %d bytes, the first %d are read]"

// removeFolder removes a private folder, also from those that a child made
// unreadable.
func (s *Spawner) removeFolder(f *folder) {
	if f == nil {
		return
	}
	err := os.RemoveAll(f.dir)
	if err == nil {
		return
	}
	_ = filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // WalkDir follows no links, and nobody is left to place them
		}
		return nil
	})
	if err = os.RemoveAll(f.dir); err != nil {
		s.config.Logger.Warn("a private folder stays", "folder", f.dir, "error", err)
	}
}

// Lend makes a file or folder of this process fit for children: of mode 0700,
// and where they run as another user of mode 0750 and that user's group. The
// error is of kind job.Invalid when that user cannot get to it.
func (s *Spawner) Lend(path string) error {
	if s.user == nil {
		return os.Chmod(path, 0o700) //nolint:gosec // scripts are run
	}
	if err := s.reachable(filepath.Dir(path)); err != nil {
		return err
	}
	if err := s.user.share(path); err != nil {
		return fmt.Errorf("lend %s to the children's user: %w", path, err)
	}
	return os.Chmod(path, 0o750) //nolint:gosec // scripts are run
}

// reachable reports a folder on the way to dir, or dir, that the children's
// user may not enter.
func (s *Spawner) reachable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if !s.user.mayEnter(info) {
			return job.Errorf(job.Invalid, "the user %s of child processes may not enter %s: choose a folder "+
				"that the user can reach, or allow it (chmod o+x)", s.config.User, dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}
