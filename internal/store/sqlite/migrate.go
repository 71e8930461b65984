package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/orthd/orth/job"
)

// migrations are applied in the order of their numbers and never change once
// they were released.
//
//go:embed migrations/*.sql
var migrations embed.FS

// applicationID in the file's header says that the database is Orth's: "Orth".
const applicationID = 0x4F727468

// migrate brings the schema up to date: forward only, each step in a
// transaction of its own, so that an interrupted start goes on at the next one.
func migrate(db *sql.DB, path string) error {
	ctx := context.Background()
	if err := claim(ctx, db, path); err != nil {
		return err
	}
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, steps,
		goose.WithDisableGlobalRegistry(true), goose.WithTableName("schema_versions"), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		wrong := job.Errorf(job.Invalid, "the database %s has schema version %d, and this Orth knows versions up to %d",
			path, current, target)
		wrong.Hint = "it was used by a newer Orth: start that one, or put a backup in its place"
		return wrong
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// claim marks an empty database as Orth's, and refuses somebody else's.
func claim(ctx context.Context, db *sql.DB, path string) error {
	var id, tables int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return fmt.Errorf("read the file's header: %w", err)
	}
	if id == applicationID {
		return nil
	}
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	if id != 0 || tables > 0 {
		wrong := job.Errorf(job.Invalid, "%s is a database of another program", path)
		wrong.Hint = "choose another folder; an empty one gets a new database"
		return wrong
	}
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return fmt.Errorf("write the file's header: %w", err)
	}
	return nil
}
