package database

import (
	"context"
	"strings"

	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// Inspect inspects a database of either kind.
func Inspect(ctx context.Context, address string) (schema.Condition, error) {
	switch {
	case IsPostgres(address):
		return postgres.Inspect(ctx, address)
	case mysql.IsAddress(address):
		return mysql.Inspect(ctx, address)
	}
	return schema.Condition{}, CheckAddress(address)
}

// CheckAddress rejects an unsupported database address without repeating it, because it
// may contain a password.
func CheckAddress(address string) error {
	if IsPostgres(address) || mysql.IsAddress(address) {
		return nil
	}
	wrong := job.FieldErrorf("--db", "the database address must begin with postgres://, postgresql://, mysql:// or mariadb://")
	wrong.Hint = "use --data for SQLite in a data folder"
	return wrong
}

// IsPostgres reports whether an address is one of PostgreSQL.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// Store is a store in a shared database.
type Store interface {
	Name() string
	// Hold prevents servers from starting on the database until the function is called.
	Hold(ctx context.Context) (release func() error, err error)
	Run(ctx context.Context) error
	Close() error
}

// Open opens a database of either kind and migrates its schema.
func Open(ctx context.Context, address string) (Store, *sqlstore.Store, error) {
	if mysql.IsAddress(address) {
		s, err := mysql.Open(ctx, address, mysql.Config{})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Store, nil
	}
	s, err := postgres.Open(ctx, address, postgres.Config{})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Store, nil
}
