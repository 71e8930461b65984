package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/job"
)

const (
	// oldestServer is the oldest PostgreSQL that has all that the schema uses.
	oldestServer = 13
	// maxDrift is how far the clock of a server may be from that of the database: by
	// it several servers agree what is due.
	maxDrift = time.Second
)

// session holds the values that a new session reports.
type session struct {
	version           int // 150018 for 15.18
	standby, readOnly bool
	nowhere           bool // no schema of its search_path is there
	encoding, syncing string
	at                time.Time // by the database's clock
	asked, answered   time.Time // by this machine's
	unsynced          bool
}

const lookAround = `SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(),
	current_setting('transaction_read_only') = 'on', current_setting('server_encoding'), current_setting('synchronous_commit'), current_schema() IS NULL,
	(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint`

// look asks the database what it is, and refuses one that cannot be Orth's.
func look(ctx context.Context, db *sql.DB) (s session, err error) {
	if err := db.PingContext(ctx); err != nil { // so that the time to connect is not in the clock's
		return s, err
	}
	var at int64
	s.asked = time.Now()
	row := db.QueryRowContext(ctx, lookAround)
	if err := row.Scan(&s.version, &s.standby, &s.readOnly, &s.encoding, &s.syncing, &s.nowhere, &at); err != nil {
		return s, fmt.Errorf("ask the database what it is: %w", err)
	}
	s.answered, s.at, s.unsynced = time.Now(), job.FromMillis(at), s.syncing == off
	err = s.check()
	return s, err
}

// check returns why the database cannot be Orth's.
func (s *session) check() error {
	refuse := func(kind job.Kind, hint, format string, args ...any) error {
		wrong := job.Errorf(kind, format, args...)
		wrong.Hint = hint
		return wrong
	}
	switch before, behind := s.asked.Sub(s.at), s.at.Sub(s.answered); {
	case s.version < oldestServer*10_000:
		return refuse(job.Invalid, "use a newer PostgreSQL", "the database is PostgreSQL %d.%d, at least %d is needed",
			s.version/10_000, s.version%10_000, oldestServer)
	case s.encoding != "UTF8":
		return refuse(job.Invalid, "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
			"the database stores texts as %s, and Orth's are UTF-8", s.encoding)
	case s.nowhere:
		return refuse(job.Invalid, "make one: CREATE SCHEMA orth AUTHORIZATION …, and name it with ?search_path=orth behind the address",
			"no schema that search_path names is there, or may be used by this role")
	case s.standby:
		return refuse(job.Unavailable, "name the primary, or all of them: postgres://user@one,two/database?target_session_attrs=read-write",
			"the database is a standby, which takes no writes")
	case s.readOnly:
		return refuse(job.Unavailable, "ALTER ROLE or ALTER DATABASE … RESET default_transaction_read_only, or take it out of the address",
			"sessions of this role are read-only (default_transaction_read_only)")
	case before > maxDrift, behind > maxDrift:
		return refuse(job.Invalid, "let both machines take the time from the same source (chrony, systemd-timesyncd)",
			"the clock of this machine is %s off from the database's, at most %s are allowed", max(before, behind).Round(time.Millisecond), maxDrift)
	}
	return nil
}

// noRight is PostgreSQL's code of a statement that the role may not run.
const noRight = "42501"

// explain describes an error for the user who starts a server. It has no password.
func explain(name string, err error) error {
	if _, known := errors.AsType[*job.Error](err); known {
		return err
	}
	wrong := job.Errorf(job.Unavailable, "the database %s cannot be used: %w", name, err)
	wrong.Hint = "look whether it runs and can be reached from here"
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch said.Code {
		case "28000", "28P01":
			wrong.Hint = "look at the role and its password (in the address, PGPASSWORD or ~/.pgpass), and at pg_hba.conf"
		case "3D000":
			wrong.Hint = "make it: CREATE DATABASE … ENCODING 'UTF8'"
		case noRight:
			wrong.Hint = "give the role the right to make tables: it should own the database, or GRANT CREATE ON SCHEMA public"
		case "53300":
			wrong.Hint = "raise max_connections, or start fewer servers: each needs one connection that writes and some that read"
		}
	}
	return wrong
}
