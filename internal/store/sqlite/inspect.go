package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// Condition is what an inspection found of a database.
type Condition struct {
	// Version is the schema's, and Newest the one that this Orth makes.
	Version, Newest int64
	// Damage is what is wrong with the file, in SQLite's words; empty when all is well.
	Damage string
	// Refused is the reason why a server cannot use its tables; nil for none.
	Refused *job.Error
	// Size is that of the file, in bytes.
	Size int64
}

// Inspect reads the database at path without changing it, while a server works on it or
// not. It reads all of the file, which takes a while when that is large: the end of ctx
// ends it. job.NotFound means that there is none, job.Invalid that it is another program's.
func Inspect(ctx context.Context, path string) (Condition, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Condition{}, job.Errorf(job.NotFound, "look at the database: %w", err)
	}
	found := Condition{Size: info.Size()}
	if found.Newest, err = newest(); err != nil {
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
	var id int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return found, job.Errorf(job.Invalid, "%s cannot be read as a database: %w", path, err)
	}
	if id != applicationID {
		return found, job.Errorf(job.Invalid, "%s is a database of another program", path)
	}
	if found.Damage, err = damage(ctx, db, "PRAGMA quick_check(3)"); err != nil {
		return found, err
	}
	of, err := describe(db, path)
	if err != nil {
		return found, err
	}
	state, err := of.Look(ctx)
	if err != nil && found.Damage == "" {
		return found, err
	}
	found.Refused, found.Version = state.Refused, state.Version()
	return found, nil
}

// damage returns the first things that a check of SQLite finds wrong.
func damage(ctx context.Context, db *sql.DB, check string) (string, error) {
	rows, err := db.QueryContext(ctx, check)
	if err != nil {
		return "", fmt.Errorf("check the database: %w", err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return "", fmt.Errorf("check the database: %w", err)
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	if err := rows.Err(); err != nil {
		return "", fmt.Errorf("check the database: %w", err)
	}
	return strings.Join(found, "; "), nil
}

// newest returns the version of the schema that this program makes.
func newest() (version int64, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the migrations: %w", err)
		}
		version = max(version, n)
	}
	return version, nil
}
