package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/orthd/orth/internal/queue"
)

// rescued is what became of a damaged file.
type rescued struct {
	aside string
	rows  int
}

// freshName is the file that a rescue fills before it takes the damaged one's
// place.
func freshName(path string) string { return path + ".fresh" }

// rescue copies every readable row of a damaged file to a fresh one, sets the
// damaged file aside and puts the fresh one in its place. A crash at any point
// is made good by the next Open.
func rescue(path string, c Config) (rescued, error) {
	fresh := freshName(path)
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return rescued{}, err
	}
	rows, err := copyRows(path, fresh, c.LockWait)
	if err != nil {
		return rescued{}, err
	}
	aside := asideName(path)
	if err := os.Rename(path, aside); err != nil {
		return rescued{}, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return rescued{}, err
	}
	return rescued{aside, rows}, syncFolder(filepath.Dir(path))
}

// finishRescue completes a rescue that was cut off between its two renames.
// The fresh file is complete only when the damaged one is gone from its place.
func finishRescue(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(freshName(path), path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copyRows copies what can be read from one file to another, in commits of a
// bounded size.
func copyRows(from, to string, wait time.Duration) (rows int, err error) {
	db, err := openFile(to, wait)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const batchBytes = 4 << 20
	var batch []row
	size := 0
	flush := func() error {
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, r := range batch {
				b, err := tx.CreateBucketIfNotExists([]byte(r.bucket))
				if err != nil {
					return err
				}
				if err := b.Put(r.key, r.value); err != nil {
					return err
				}
			}
			return nil
		})
		batch, size = batch[:0], 0
		return err
	}
	_, rows, err = walkFile(from, func(r row) error {
		batch = append(batch, r)
		size += len(r.key) + len(r.value)
		if size < batchBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return 0, err
	}
	if err := flush(); err != nil {
		return 0, err
	}
	// What could not be read is missing, and what could may be an older state.
	batch = append(batch, row{queue.LossBucket, []byte(queue.LossKey), []byte{byte(queue.LossMany)}})
	return rows, flush()
}

// asideName returns a name that is not taken.
func asideName(path string) string {
	base := fmt.Sprintf("%s.damaged-%d", path, time.Now().Unix())
	name := base
	for i := 2; ; i++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
}
