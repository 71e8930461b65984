package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// reader reads outside of the writer's transactions. It sees what is committed.
type reader struct {
	db      *sql.DB
	dialect *Dialect

	mu         sync.Mutex
	statements map[string]*sql.Stmt // guarded by mu
}

func newReader(db *sql.DB, d *Dialect) *reader {
	return &reader{db: db, dialect: d, statements: make(map[string]*sql.Stmt)}
}

// prepared returns the statement, prepared once for the pool. Statements are
// constants, or constants with a list of one of three lengths.
func (r *reader) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if statement, ok := r.statements[query]; ok {
		return statement, nil
	}
	statement, err := r.db.PrepareContext(ctx, r.dialect.Rebind(query)) //nolint:sqlclosecheck // close does.
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", startOf(query), err)
	}
	r.statements[query] = statement
	return statement, nil
}

func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, statement := range r.statements {
		_ = statement.Close() // the pool is closed next
	}
	clear(r.statements)
}

// list returns the rows of a query. fields returns where the columns go, in
// order; it is called once, and each row overwrites what the last one left.
func list[T any](ctx context.Context, r *reader, fields func(*T) []any, query string, args ...any) ([]T, error) {
	var rows []T
	err := each(ctx, r, fields, func(row *T) { rows = append(rows, *row) }, query, args...)
	return rows, err
}

// each calls take for each row of a query. The row is overwritten afterwards.
func each[T any](ctx context.Context, r *reader, fields func(*T) []any, take func(*T), query string, args ...any) error {
	if err := scanAll(ctx, r, fields, take, query, args); err != nil {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		return r.dialect.translate(err)
	}
	return nil
}

func scanAll[T any](
	ctx context.Context, r *reader, fields func(*T) []any, take func(*T), query string, args []any,
) error {
	statement, err := r.prepared(ctx, query) //nolint:sqlclosecheck // close does.
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, r.dialect.storable(args)...) //nolint:rowserrcheck // takeRows does.
	if err != nil {
		return fmt.Errorf("%s: %w", startOf(query), err)
	}
	return takeRows(rows, fields, take, query)
}

// takeRows calls take with each row of a query, and closes the rows. The row that it gets is
// overwritten by the next one.
func takeRows[T any](rows Rows, fields func(*T) []any, take func(*T), query string) error {
	defer func() { _ = rows.Close() }() // Err has what went wrong
	var row T
	dest := fields(&row)
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return fmt.Errorf("%s: %w", startOf(query), err)
		}
		take(&row)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", startOf(query), err)
	}
	return nil
}

// first returns the one row of a query, and false when there is none.
func first[T any](ctx context.Context, r *reader, fields func(*T) []any, query string, args ...any) (T, bool, error) {
	rows, err := list(ctx, r, fields, query, args...)
	if err != nil || len(rows) == 0 {
		var none T
		return none, false, err
	}
	return rows[0], true, nil
}
