package postgres

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// writersTurn is the key of the lock that writers take: "Orth", and what it is for.
const writersTurn = 0x4F727468_00000001

func dialect() sqlstore.Dialect {
	return sqlstore.Dialect{
		// Each statement sees what was committed before it, and no other writer commits
		// between two statements of a transaction that has the lock. A user who makes the
		// database read-only stops writers.
		Begin: fmt.Sprintf("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(%d)", int64(writersTurn)),
		Now:   "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint",
		// Plans are kept, and one that was made while a table was empty may read all of it
		// when it has grown.
		Refresh: "DISCARD PLANS",
		Sparing: true,
		Rebind:  rebind, KeepFirst: keepFirst, AtOnce: atOnce, Fault: fault, Gone: gone, Elsewhere: readOnly, Text: storable,
		Expects: &sqlstore.Expects{One: expectOne, All: expectAll, Failed: unexpected},
	}
}

// gone reports whether a connection was known to be lost when it was used again.
func gone(err error) bool { return errors.Is(err, errGone) }

func keepFirst(insert string, unique ...string) string {
	return insert + " ON CONFLICT (" + strings.Join(unique, ", ") + ") DO NOTHING"
}

// storable returns a text without what PostgreSQL stores in no text: the byte 0, and
// bytes that are no UTF-8. A mark stands in their place.
func storable(text string) string {
	const mark = "\uFFFD"
	return strings.ReplaceAll(strings.ToValidUTF8(text, mark), "\x00", mark)
}

// readOnly reports whether the session takes no writes: its database has become a
// standby, or was made read-only when it began.
func readOnly(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == "25006" // read_only_sql_transaction
}

// fault reads SQLSTATE codes, and errors of connections.
func fault(err error) sqlstore.Fault {
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return faultOfConnection(err)
	}
	switch said.Code {
	case "23505": // unique_violation
		return sqlstore.FaultTaken
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return sqlstore.FaultLost
	case "55P03", "57014", // lock_not_available, query_canceled: a time limit of ours
		"25006",                   // read_only_sql_transaction: a standby
		"25P03",                   // idle_in_transaction_session_timeout
		"3D000", "28000", "28P01": // no such database, and denied access, while an administrator changes it
		return sqlstore.FaultAway
	}
	switch said.Code[:min(2, len(said.Code))] {
	case "08", "53", "57", "58": // connection, resources, an operator's doing, the system
		return sqlstore.FaultAway
	}
	return sqlstore.FaultOther
}

func faultOfConnection(err error) sqlstore.Fault {
	_, failed := errors.AsType[net.Error](err)
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	_, lost := errors.AsType[*lostError](err)
	for _, over := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		failed = failed || errors.Is(err, over)
	}
	if failed || refused || lost || gone(err) || pgconn.SafeToRetry(err) {
		return sqlstore.FaultAway
	}
	return sqlstore.FaultOther
}
