package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

// migrations are applied in the order of their numbers and never change once they were
// released. Until the first release the baseline may.
//
//go:embed migrations/*.sql
var migrations embed.FS

// applicationID in the file's header marks the database as Orth's: "Orth".
const applicationID = 0x4F727468

// migrate brings the schema up to date: forward only, each step in a separate transaction,
// so that an interrupted start continues with the next one.
func migrate(db *sql.DB, path string) error {
	ctx := context.Background()
	if err := claim(ctx, db, path); err != nil {
		return err
	}
	of, err := describe(db, path)
	if err != nil {
		return err
	}
	_, err = of.Up(ctx)
	return err
}

// describe returns the schema of a file. A program that has the file alone has no live
// servers: it must hold the lock of the file to change it.
func describe(db *sql.DB, path string) (*schema.Schema, error) {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return &schema.Schema{
		DB: db, Dialect: goose.DialectSQLite3, Steps: steps, Name: path,
		Fit:    func(ctx context.Context) error { _, err := checkDatabase(ctx, db, path); return err },
		Has:    "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = ?",
		Live:   "SELECT name FROM servers WHERE 1 = 0",
		Insert: "INSERT OR IGNORE INTO schema_steps (number, name, checksum) VALUES (?, ?, ?)",
	}, nil
}

// Steps returns how the schema of a file stands, and changes nothing: a server may have it
// open. Kinds: as Open; NotFound when there is no file.
func Steps(ctx context.Context, path string) (schema.State, error) {
	if _, err := os.Stat(path); err != nil {
		return schema.State{}, job.Errorf(job.NotFound, "there is no database %s: %w", path, err)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return schema.State{}, fmt.Errorf("find the database: %w", err)
	}
	db, err := openPool(whole, 1, readSettings())
	if err != nil {
		return schema.State{}, err
	}
	defer func() { _ = db.Close() }()
	of, err := describe(db, path)
	if err != nil {
		return schema.State{}, err
	}
	found, err := of.Look(ctx)
	if err != nil {
		return found, explain(path, err)
	}
	return found, nil
}

// checkDatabase refuses another program's database, and reports whether it is marked as Orth's.
func checkDatabase(ctx context.Context, db *sql.DB, path string) (marked bool, err error) {
	var id, tables int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return false, fmt.Errorf("read the file's header: %w", err)
	}
	if id == applicationID {
		return true, nil
	}
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return false, fmt.Errorf("read the schema: %w", err)
	}
	if id != 0 || tables > 0 {
		wrong := job.Errorf(job.Invalid, "%s is a database of another program", path)
		wrong.Hint = "choose another folder; an empty one gets a new database"
		return false, wrong
	}
	return false, nil
}

// claim marks an empty database as Orth's, and refuses another program's.
func claim(ctx context.Context, db *sql.DB, path string) error {
	if marked, err := checkDatabase(ctx, db, path); marked || err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return fmt.Errorf("write the file's header: %w", err)
	}
	return nil
}
