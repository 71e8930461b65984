package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/job"
)

const (
	// maxDrift is how far the clock of a server may be from that of the database: by
	// it several servers agree what is due.
	maxDrift = time.Second
	// leastPacket is the longest statement that the database must take, in bytes.
	leastPacket = 8 << 20
	// leastPage is the size of a page, in bytes, that has room for the longest keys.
	leastPage = 16 << 10
)

// The oldest releases that have all that the schema uses: checks that are kept, and
// texts that are compared with the spaces at their ends.
var (
	oldestMariaDB = [3]int{10, 6, 0}
	oldestMySQL   = [3]int{8, 0, 17}
)

// session holds the values that a new session reports.
type session struct {
	version, comment      string
	readOnly, innodbReads bool
	packet, page          int64
	logs, format          string // whether there is a binary log, and of what
	flush                 int64
	replica               bool
	divides               bool      // its user may make and drop partitions
	origin                string    // how it is asked for its history
	at                    time.Time // by the database's clock
	asked, answered       time.Time // by this machine's
}

const lookAround = `SELECT @@version, @@version_comment, @@global.read_only <> 0, @@global.innodb_read_only <> 0, @@global.max_allowed_packet, @@innodb_page_size,
	CONCAT(@@global.log_bin), @@global.binlog_format, @@global.innodb_flush_log_at_trx_commit, CAST(UNIX_TIMESTAMP(NOW(6)) * 1000 AS SIGNED)`

// look asks the database what it is, and refuses one that cannot be Orth's.
func look(ctx context.Context, db *sql.DB) (s session, err error) {
	conn, err := db.Conn(ctx) // so that the time to connect is not in the clock's
	if err != nil {
		return s, err
	}
	defer func() { _ = conn.Close() }()
	var at int64
	s.asked = time.Now()
	row := conn.QueryRowContext(ctx, lookAround)
	if err := row.Scan(&s.version, &s.comment, &s.readOnly, &s.innodbReads, &s.packet, &s.page, &s.logs, &s.format, &s.flush, &at); err != nil {
		return s, fmt.Errorf("ask the database what it is: %w", err)
	}
	s.answered, s.at = time.Now(), job.FromMillis(at)
	if s.replica, err = follows(ctx, conn); err != nil {
		return s, err
	}
	for _, query := range origins {
		var name sql.NullString
		err := conn.QueryRowContext(ctx, query).Scan(&name)
		if _, said := errors.AsType[*mysql.MySQLError](err); err != nil && !said {
			return s, err
		}
		if err == nil && name.String != "" {
			s.origin = query
			break
		}
	}
	err = s.check()
	return s, err
}

// origins are queries for the name of a database's history, as far as the database knows
// it. The members of a group lose nothing that they have acknowledged, and are one; others
// have the name that replication distinguishes them by.
var origins = [...]string{
	"SELECT CONCAT('group ', NULLIF(@@global.group_replication_group_name, ''))",
	"SELECT CASE WHEN @@global.wsrep_on THEN CONCAT('cluster ', @@global.wsrep_cluster_name) END",
	"SELECT CONCAT('server ', @@global.server_uuid)",
	"SELECT CONCAT('server ', @@global.server_id)",
}

// follows reports whether the database applies what another one writes. It returns false
// for a user without the right to ask.
func follows(ctx context.Context, conn *sql.Conn) (bool, error) {
	rows, err := conn.QueryContext(ctx, "SHOW REPLICA STATUS")
	if _, said := errors.AsType[*mysql.MySQLError](err); said {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return false, err
	}
	running := false
	for rows.Next() {
		row, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		for i, name := range columns {
			applies := name == "Replica_SQL_Running" || name == "Slave_SQL_Running"
			running = running || applies && row[i].String == "Yes"
		}
	}
	return running, rows.Err()
}

// mariaDB reports whether it is MariaDB, and not MySQL.
func (s *session) mariaDB() bool {
	return strings.Contains(strings.ToLower(s.version+" "+s.comment), "mariadb")
}

// release returns the numbers of the version.
func (s *session) release() (numbers [3]int) {
	text := strings.TrimPrefix(s.version, "5.5.5-") // MariaDB's prefix for older clients
	for i, part := range strings.SplitN(text, ".", 3) {
		end := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
		if end < 0 {
			end = len(part)
		}
		numbers[i], _ = strconv.Atoi(part[:end]) // nothing is 0
	}
	return numbers
}

func older(is, than [3]int) bool {
	for i := range is {
		if is[i] != than[i] {
			return is[i] < than[i]
		}
	}
	return false
}

func refuse(kind job.Kind, hint, format string, args ...any) error {
	wrong := job.Errorf(kind, format, args...)
	wrong.Hint = hint
	return wrong
}

// check returns why the database cannot be Orth's.
func (s *session) check() error {
	name, oldest := "MySQL", oldestMySQL
	if s.mariaDB() {
		name, oldest = "MariaDB", oldestMariaDB
	}
	switch before, behind := s.asked.Sub(s.at), s.at.Sub(s.answered); {
	case older(s.release(), oldest):
		return refuse(job.Invalid, "use a newer one", "the database is %s %s, at least %s %d.%d.%d is needed", name, s.version, name, oldest[0], oldest[1], oldest[2])
	case s.replica:
		return refuse(job.Unavailable, "name the primary; if this is to be one, end its replication: STOP REPLICA, RESET REPLICA ALL",
			"the database is a replica, which takes what another one writes")
	case s.readOnly, s.innodbReads:
		return refuse(job.Unavailable, "name the primary, or SET GLOBAL read_only = OFF (in MySQL also super_read_only)",
			"the database takes no writes (read_only, super_read_only or innodb_read_only)")
	case s.packet < leastPacket:
		return refuse(job.Invalid, "SET GLOBAL max_allowed_packet = 67108864, and the same in its configuration",
			"the database takes statements of %d bytes (max_allowed_packet), at least %d are needed", s.packet, leastPacket)
	case s.page < leastPage:
		return refuse(job.Invalid, "use a server whose innodb_page_size is 16k, the default",
			"the database has pages of %d bytes, in which Orth's keys have no room", s.page)
	case (s.logs == "1" || strings.EqualFold(s.logs, "on")) && s.format == "STATEMENT":
		return refuse(job.Invalid, "SET GLOBAL binlog_format = 'ROW', and the same in its configuration",
			"the database logs statements (binlog_format), which READ COMMITTED does not allow")
	case before > maxDrift, behind > maxDrift:
		return refuse(job.Invalid, "let both machines take the time from the same source (chrony, systemd-timesyncd)",
			"the clock of this machine is %s off from the database's, at most %s are allowed", max(before, behind).Round(time.Millisecond), maxDrift)
	}
	return nil
}

// explain describes an error for the user who starts a server. It has no password.
func explain(name string, err error) error {
	if _, known := errors.AsType[*job.Error](err); known {
		return err
	}
	wrong := job.Errorf(job.Unavailable, "the database %s cannot be used: %w", name, err)
	wrong.Hint = "look whether it runs and can be reached from here"
	if said, ok := errors.AsType[*mysql.MySQLError](err); ok {
		switch said.Number {
		case errDenied:
			wrong.Hint = "look at the user and the password in the address, and at the hosts that the user may come from (CREATE USER orth@'%')"
		case errNoDatabase:
			wrong.Hint = "make it: CREATE DATABASE … CHARACTER SET utf8mb4"
		case errNoDBRight, errNoRight:
			wrong.Hint = "give the user all rights on the database: GRANT ALL ON orth.* TO orth@'%'"
		case errTooMany, 1203, 1226:
			wrong.Hint = "raise max_connections, or start fewer servers: each needs one connection that writes and some that read"
		}
	}
	return wrong
}
