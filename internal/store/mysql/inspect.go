package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

const (
	readConnections = `SHOW GLOBAL STATUS LIKE 'Threads_connected'`
	// What the user may do in the database, but for what comes of a role.
	readRights = `SELECT COUNT(DISTINCT CASE WHEN p.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE') THEN p.privilege_type END),
		COUNT(DISTINCT CASE WHEN p.privilege_type IN ('CREATE', 'ALTER', 'DROP', 'INDEX', 'REFERENCES') THEN p.privilege_type END) FROM (
		SELECT grantee, privilege_type FROM information_schema.user_privileges UNION ALL
		SELECT grantee, privilege_type FROM information_schema.schema_privileges WHERE DATABASE() LIKE table_schema) p
		WHERE p.grantee = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''', '@', '''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`
	readRoles  = `SELECT COUNT(*) FROM information_schema.applicable_roles`
	readOthers = `SELECT CONCAT(user, ' from ', host) FROM information_schema.processlist
		WHERE db = DATABASE() AND id <> CONNECTION_ID() ORDER BY id LIMIT 20`
	// What the rights above count when none is missing.
	allWork, allBuild = 4, 5
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
	base.ConnectionAttributes = "program_name:orth-doctor"
	db, err := pool(base, &Config{}, 1, openFor, forLook())
	if err != nil {
		return found, explain(found.Name, err)
	}
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
	c.Server = "MySQL " + s.version
	if s.mariaDB() {
		c.Server = "MariaDB " + s.version
	}
	if s.flush != 1 {
		c.Loses = fmt.Sprintf("innodb_flush_log_at_trx_commit is %d: SET GLOBAL innodb_flush_log_at_trx_commit = 1, and the same in its configuration", s.flush)
	}
	c.Drift = max(s.asked.Sub(s.at), s.at.Sub(s.answered), 0).Round(time.Millisecond)
	of, err := describe(db, s.collation(), c.Name)
	if err != nil {
		return err
	}
	state, err := of.Look(ctx)
	if err != nil {
		return err
	}
	c.Refused, c.Version = state.Refused, state.Version()
	if err := rights(ctx, db, c); err != nil {
		return err
	}
	var name string
	if err := db.QueryRowContext(ctx, readConnections).Scan(&name, &c.Connections); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT @@global.max_connections").Scan(&c.Most); err != nil {
		return err
	}
	if c.Others, err = schema.Texts(ctx, db, readOthers); err != nil {
		return err
	}
	return db.QueryRowContext(ctx, tableSizes).Scan(&c.Size)
}

// rights reads the rights of the user. The database does not report the rights of roles in
// a way that both programs share: a user with a role is assumed to have all.
func rights(ctx context.Context, db *sql.DB, c *schema.Condition) error {
	var work, build, roles int64
	if err := db.QueryRowContext(ctx, readRights).Scan(&work, &build); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, readRoles).Scan(&roles); err != nil {
		roles = 0 // MySQL before 8.0.19 has no such table, and MariaDB needs no role to ask
	}
	c.MayCreate = build == allBuild || roles > 0
	if work < allWork && roles == 0 && c.Refused == nil {
		c.Denied = []string{"its tables (SELECT, INSERT, UPDATE, DELETE)"}
	}
	return nil
}

// Hold keeps servers from starting on the database until the returned function is called:
// they wait for their turn to look at the schema.
func (s *Store) Hold(ctx context.Context) (release func() error, err error) {
	conn, err := s.size.Conn(ctx)
	if err != nil {
		return nil, explain(s.name, err)
	}
	var got sql.NullInt64
	if err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT GET_LOCK(%s, %d)", buildersTurn, holdFor)).Scan(&got); err != nil || got.Int64 != 1 {
		_ = conn.Close()
		return nil, explain(s.name, errors.Join(job.Errorf(job.Unavailable, "somebody changes the schema of %s", s.name), err))
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_LOCK("+buildersTurn+")")
		return errors.Join(err, conn.Close())
	}, nil
}

// holdFor is how long Hold waits for a session that changes the schema, in seconds.
const holdFor = 20
