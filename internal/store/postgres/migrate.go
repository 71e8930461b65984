package postgres

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
// they were released. Those of SQLite have the same numbers.
//
//go:embed migrations/*.sql
var migrations embed.FS

// buildersTurn is the key of the lock of whoever changes the schema.
const buildersTurn = 0x4F727468_00000002

// migrate brings the schema up to date: forward only, each step in a transaction of its
// own, so that an interrupted start goes on at the next one. Of several servers that
// start at once one does it, and the others wait; the lock of one that dies is free.
func migrate(ctx context.Context, db *sql.DB, name string) error {
	turn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = turn.Close() }()
	if _, err := turn.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_lock(%d)", int64(buildersTurn))); err != nil {
		return fmt.Errorf("wait for the turn to change the schema: %w", err)
	}
	defer func() {
		// The connection may be gone, and the lock with it.
		_, _ = turn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("SELECT pg_advisory_unlock(%d)", int64(buildersTurn)))
	}()
	if err := claim(ctx, turn, name); err != nil {
		return err
	}
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, steps,
		goose.WithDisableGlobalRegistry(true), goose.WithTableName(versionsTable), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		wrong := job.Errorf(job.Invalid, "the database %s has schema version %d, and this Orth knows versions up to %d", name, current, target)
		wrong.Hint = "it was used by a newer Orth: start that one, or put a backup in its place"
		return wrong
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// versionsTable says which steps were made.
const versionsTable = "schema_versions"

const countTables = `SELECT COUNT(*), COUNT(*) FILTER (WHERE tablename = '` + versionsTable + `') FROM pg_tables
	WHERE schemaname = current_schema()`

// claim refuses a schema with tables of another program.
func claim(ctx context.Context, conn *sql.Conn, name string) error {
	var tables, own int64
	if err := conn.QueryRowContext(ctx, countTables).Scan(&tables, &own); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	if tables > 0 && own == 0 {
		wrong := job.Errorf(job.Invalid, "the database %s has tables of another program", name)
		wrong.Hint = "choose an empty database, or an empty schema of it with ?search_path=orth behind the address"
		return wrong
	}
	return nil
}
