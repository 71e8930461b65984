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
	// tx is the transaction of a snapshot, nil outside of one; unprepared collects the
	// queries of the snapshot that were not prepared before it.
	tx         *sql.Tx
	unprepared []string

	shared *statements
}

// statements are those that are prepared for the pool.
type statements struct {
	mu sync.Mutex
	of map[string]*sql.Stmt // guarded by mu
}

func newReader(db *sql.DB, d *Dialect) *reader {
	return &reader{db: db, dialect: d, shared: &statements{of: make(map[string]*sql.Stmt)}}
}

// prepared returns the statement, prepared for the pool and kept. Statements are
// constants, or constants with a list of one of three lengths. No lock is held while one
// is prepared: that takes a connection, for which it may have to wait.
func (r *reader) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if statement, ok := r.shared.get(query); ok {
		return statement, nil
	}
	statement, err := r.db.PrepareContext(ctx, r.dialect.Rebind(query))
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", startOf(query), err)
	}
	return r.shared.put(query, statement), nil
}

func (s *statements) get(query string) (*sql.Stmt, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	statement, ok := s.of[query]
	return statement, ok
}

// put keeps a statement, unless another goroutine has prepared it too, and returns the one
// that is kept.
func (s *statements) put(query string, statement *sql.Stmt) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.of[query]; ok {
		_ = statement.Close() // it is unused
		return first
	}
	s.of[query] = statement
	return statement
}

func (r *reader) close() {
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	for _, statement := range r.shared.of {
		_ = statement.Close() // the pool is closed next
	}
	clear(r.shared.of)
}

// snapshot calls do with a reader whose queries all see what was committed before the
// first of them. It holds one connection: do must use no other reader, so that it never
// waits for a connection while it holds one.
func (r *reader) snapshot(ctx context.Context, do func(r *reader) error) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		return r.dialect.translate(fmt.Errorf("begin a snapshot: %w", err))
	}
	own := &reader{db: r.db, dialect: r.dialect, tx: tx, shared: r.shared}
	err = do(own)
	_ = tx.Rollback() // it has only read
	for _, query := range own.unprepared {
		if err == nil {
			_, err = r.prepared(ctx, query) //nolint:sqlclosecheck // close does.
		}
	}
	return err
}

// rows runs a query.
func (r *reader) rows(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	args = r.dialect.storable(args)
	if r.tx == nil {
		statement, err := r.prepared(ctx, query) //nolint:sqlclosecheck // close does.
		if err != nil {
			return nil, err
		}
		return statement.QueryContext(ctx, args...)
	}
	if statement, ok := r.shared.get(query); ok {
		return r.tx.StmtContext(ctx, statement).QueryContext(ctx, args...) //nolint:sqlclosecheck // The transaction does.
	}
	r.unprepared = append(r.unprepared, query)
	return r.tx.QueryContext(ctx, r.dialect.Rebind(query), args...)
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
	rows, err := r.rows(ctx, query, args) //nolint:rowserrcheck // takeRows does.
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
