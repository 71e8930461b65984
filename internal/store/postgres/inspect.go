package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

// inspectorName is what an inspection calls itself to the database.
const inspectorName = "orth-doctor"

const (
	// Of the limits of the server, the role and the database that of which least is left.
	readConnections = `SELECT used, most FROM (
		SELECT (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
			current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS most
		UNION ALL SELECT (SELECT COUNT(*) FROM pg_stat_activity WHERE usename = current_user), rolconnlimit::bigint
			FROM pg_roles WHERE rolname = current_user AND rolconnlimit >= 0 AND NOT rolsuper
		UNION ALL SELECT (SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'), datconnlimit::bigint
			FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0) limits ORDER BY most - used LIMIT 1`
	readMayCreate = `SELECT COALESCE(has_schema_privilege(current_user, current_schema(), 'CREATE'), false)`
	readDenied    = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
		AND NOT (has_table_privilege(current_user, quote_ident(schemaname) || '.' || quote_ident(tablename), 'SELECT')
			AND has_table_privilege(current_user, quote_ident(schemaname) || '.' || quote_ident(tablename), 'INSERT, UPDATE, DELETE'))
		ORDER BY tablename LIMIT 5`
	readOthers = `SELECT application_name || ' of ' || COALESCE(usename, '?') || ' from ' || COALESCE(host(client_addr), 'this machine')
		FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
		AND application_name <> '` + inspectorName + `' AND (application_name = 'orth' OR usename = current_user) ORDER BY backend_start LIMIT 20`
)

// Inspect looks at the database of an address, while servers work on it or not, and
// changes nothing. Kinds: Invalid when the address cannot be read, Unavailable when the
// database cannot be reached.
func Inspect(ctx context.Context, address string) (schema.Condition, error) {
	base, err := parse(address)
	if err != nil {
		return schema.Condition{}, err
	}
	found := schema.Condition{Name: nameOf(base)}
	if found.Newest, err = schema.Newest(migrations); err != nil {
		return found, err
	}
	base.RuntimeParams["application_name"] = inspectorName
	db := pool(base, 1, nil)
	defer func() { _ = db.Close() }()
	if err := examine(ctx, db, &found); err != nil {
		return found, explain(found.Name, err)
	}
	return found, nil
}

// examine asks the database one thing after the other.
func examine(ctx context.Context, db *sql.DB, c *schema.Condition) error {
	s, err := look(ctx, db)
	if refused, ok := err.(*job.Error); ok { //nolint:errorlint // look returns what check has made as it is.
		c.Unfit = refused
	} else if err != nil {
		return err
	}
	c.Server = fmt.Sprintf("PostgreSQL %d.%d", s.version/10_000, s.version%10_000)
	if s.unsynced {
		c.Loses = "synchronous_commit is off for the role, which a server overrules in its own sessions; other programs of the role do not"
	}
	c.Drift = max(s.asked.Sub(s.at), s.at.Sub(s.answered), 0)
	of, err := describe(db, c.Name)
	if err != nil {
		return err
	}
	state, err := of.Look(ctx)
	if denied, ok := errors.AsType[*pgconn.PgError](err); err != nil && (!ok || denied.Code != noRight) {
		return err
	}
	if c.Refused, c.Version = state.Refused, state.Version(); c.Refused == nil {
		if c.Denied, err = schema.Texts(ctx, db, readDenied); err != nil {
			return err
		}
	}
	if err := db.QueryRowContext(ctx, readMayCreate).Scan(&c.MayCreate); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, readConnections).Scan(&c.Connections, &c.Most); err != nil {
		return err
	}
	if c.Others, err = schema.Texts(ctx, db, readOthers); err != nil {
		return err
	}
	return db.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&c.Size)
}

// Hold keeps servers from starting on the database until the returned function is called:
// they wait for their turn to look at the schema.
func (s *Store) Hold(ctx context.Context) (release func() error, err error) {
	conn, err := s.size.Conn(ctx)
	if err != nil {
		return nil, explain(s.name, err)
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_lock(%d)", int64(buildersTurn))); err != nil {
		_ = conn.Close()
		return nil, explain(s.name, err)
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("SELECT pg_advisory_unlock(%d)", int64(buildersTurn)))
		if closing := conn.Close(); err == nil {
			err = closing
		}
		return err
	}, nil
}
