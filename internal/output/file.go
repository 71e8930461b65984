package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orthd/orth/job"
)

// WriteNew atomically writes a new file with mode 0600 and returns its size in bytes. Kinds
// of error: Conflict when the file exists, NotFound when its folder does not.
func WriteNew(path string, write func(io.Writer) error) (size int64, err error) {
	taken := &job.Error{
		Kind: job.Conflict, Message: path + " already exists", Hint: "choose another file: existing files are not overwritten",
	}
	if _, err := os.Lstat(path); err == nil {
		return 0, taken
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".copy-*") // mode 0600
	if errors.Is(err, fs.ErrNotExist) {
		return 0, &job.Error{
			Kind: job.NotFound, Message: fmt.Sprintf("the folder %s does not exist", filepath.Dir(path)),
			Hint: "create it first, or choose another folder", Err: err,
		}
	}
	if err != nil {
		return 0, fmt.Errorf("create the copy: %w", err)
	}
	defer func() {
		if gone := os.Remove(file.Name()); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
	}()
	err = write(file)
	if info, stat := file.Stat(); stat == nil {
		size = info.Size()
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, err
	}
	err = os.Link(file.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, taken
	case err != nil: // file system without hard links
		if _, there := os.Lstat(path); there == nil {
			return 0, taken
		}
		err = os.Rename(file.Name(), path)
	}
	return size, err
}
