package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/orthd/orth/internal/store/schema"
)

// migrations are applied in the order of their numbers and never change once they were
// released. Those of SQLite have the same numbers.
//
//go:embed migrations/*.sql
var migrations embed.FS

// buildersTurn is the key of the lock that a change of the schema holds.
const buildersTurn = 0x4F727468_00000002

// migrate brings the schema up to date: forward only, each step in a separate transaction,
// so that an interrupted start continues with the next one. Of several servers that start
// at once one does it, and the others wait; the lock of one that dies is free.
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
	of, err := describe(db, name)
	if err != nil {
		return err
	}
	_, err = of.Up(ctx)
	return err
}

// describe returns the schema of a database.
func describe(db *sql.DB, name string) (*schema.Schema, error) {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return &schema.Schema{
		DB: db, Dialect: goose.DialectPostgres, Steps: steps, Name: name,
		Fit:    func(ctx context.Context) error { return fit(ctx, db, name) },
		Has:    "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1",
		Live:   "SELECT name FROM servers WHERE stopped_at = 0 AND lease_until > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 ORDER BY name",
		Insert: "INSERT INTO schema_steps (number, name, checksum) VALUES ($1, $2, $3) ON CONFLICT (number) DO NOTHING",
	}, nil
}

// Steps returns how the schema of the database of an address stands, and changes nothing.
// Kinds: as Open.
func Steps(ctx context.Context, address string) (schema.State, error) {
	base, err := parse(address)
	if err != nil {
		return schema.State{}, err
	}
	name := nameOf(base)
	db := pool(base, 1, readerSettings())
	defer func() { _ = db.Close() }()
	of, err := describe(db, name)
	if err != nil {
		return schema.State{Name: name}, err
	}
	found, err := of.Look(ctx)
	if err != nil {
		return found, explain(name, err)
	}
	return found, nil
}

const countTables = `SELECT COUNT(*), COUNT(*) FILTER (WHERE tablename = '` + schema.Table + `'), COUNT(*) FILTER (WHERE tablename = '` + schema.Checksums + `')
	FROM pg_tables WHERE schemaname = current_schema()`

// fit refuses a schema with tables of another program.
func fit(ctx context.Context, db *sql.DB, name string) error {
	var tables, own, orths int64
	if err := db.QueryRowContext(ctx, countTables).Scan(&tables, &own, &orths); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	if tables > 0 && own == 0 {
		return schema.Foreign(name, "choose an empty database, or an empty schema of it with ?search_path=orth behind the address", orths > 0)
	}
	return nil
}

// Migrate brings the schema of the database of an address up to date, as the start of a
// server does. Kinds: as Open.
func Migrate(ctx context.Context, address string) error {
	base, err := parse(address)
	if err != nil {
		return err
	}
	if _, err := prepare(ctx, base); err != nil {
		return explain(nameOf(base), err)
	}
	return nil
}
