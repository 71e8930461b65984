package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/job"
)

// Copied is what a copy of a database holds.
type Copied struct {
	// Taken is before the instant that the copy is of, by no more than it takes to begin.
	Taken  time.Time
	Schema int64
	backup.Contents
}

// Copy writes the database at path, as it is at one instant, into a new file, which only
// its owner may read, while a server works on it or not. Writers do not wait for it. When
// it fails, or ctx ends, no file is left. Kinds: NotFound when there is no database,
// Invalid when it is another program's, Conflict when the file to exists, Unavailable when
// there is no room, Internal when it is damaged or lacks its log.
func Copy(ctx context.Context, path, to string) (Copied, error) {
	if _, err := os.Stat(path); err != nil {
		return Copied{}, job.Errorf(job.NotFound, "look at the database: %w", err)
	}
	if err := checkLog(path); err != nil {
		return Copied{}, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return Copied{}, fmt.Errorf("find the database: %w", err)
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return Copied{}, job.Errorf(job.Conflict, "make the copy: %w", err)
	case err != nil:
		return Copied{}, unusable(filepath.Dir(to), err)
	}
	done := Copied{Taken: time.Now()}
	err = file.Close()
	if err == nil {
		err = vacuum(ctx, whole, to)
	}
	if err == nil {
		err = done.readContent(ctx, to)
	}
	if err != nil {
		_ = os.Remove(to) // The error that matters is the other one.
		if ctx.Err() != nil {
			return Copied{}, context.Cause(ctx)
		}
		return Copied{}, explain(path, err)
	}
	return done, nil
}

func vacuum(ctx context.Context, path, to string) error {
	db, err := openPool(path, 1, []string{patience, "temp_store(MEMORY)"})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var id int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return fmt.Errorf("read the file's header: %w", err)
	}
	if id != applicationID {
		return job.Errorf(job.Invalid, "%s is a database of another program", path)
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// readContent reads what the copy holds.
func (c *Copied) readContent(ctx context.Context, path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the copy: %w", err)
	}
	db, err := openPool(whole, 1, []string{"query_only(1)"})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, q := range []struct {
		query string
		into  *int64
	}{
		{"SELECT MAX(version_id) FROM schema_versions WHERE is_applied = 1", &c.Schema},
		{"SELECT COUNT(*) FROM jobs WHERE tombstone = 0", &c.Jobs},
		{"SELECT COUNT(*) FROM runs", &c.Runs},
		{"SELECT COUNT(*) FROM runs WHERE ended_at IS NULL", &c.Open},
	} {
		if err := db.QueryRowContext(ctx, q.query).Scan(q.into); err != nil {
			return fmt.Errorf("read the copy: %w", err)
		}
	}
	return nil
}

// Check is [Inspect] that also compares all indexes with their tables, which takes as
// long again.
func Check(ctx context.Context, path string) (Condition, error) {
	found, err := Inspect(ctx, path)
	if err != nil || found.Damage != "" {
		return found, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return found, fmt.Errorf("find the database: %w", err)
	}
	db, err := openPool(whole, 1, []string{patience, "query_only(1)"})
	if err != nil {
		return found, err
	}
	defer func() { _ = db.Close() }()
	found.Damage, err = damage(ctx, db, "PRAGMA integrity_check(3)")
	return found, err
}

// Hold keeps servers from opening the database at path until the returned function is
// called. Kinds: Conflict when a server has it open, Unavailable when the folder cannot
// be used.
func Hold(path string) (release func() error, err error) {
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	return lock.release, nil
}
