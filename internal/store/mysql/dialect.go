package mysql

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// takeTurn begins a transaction, for the session has autocommit off, and waits until no
// other writer is in one. Each statement sees what was committed before it.
const takeTurn = "SELECT id FROM writers_turn WHERE id = 1 FOR UPDATE"

// dialect is that of the database that was found. Lists are MariaDB's, which they were tried on.
func dialect(found *session) sqlstore.Dialect {
	d := sqlstore.Dialect{
		Begin: takeTurn, Rebind: rebindApart, KeepFirst: keepFirst, Kept: kept, OneByOne: true, Sparing: true, Gone: gone, Fault: fault, Elsewhere: elsewhere, Text: storable,
		Origin: found.origin,
		Now:    "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)",
	}
	if found.mariaDB() {
		d.Rebind = rebind
		d.ByList = byList(found.collation())
	}
	return d
}

// Appended to an insert that leaves a row out, for [kept]: the error that it then returns.
// (INSERT IGNORE would hide other mistakes too, and ON DUPLICATE KEY UPDATE returns the
// same number of rows for a row that was kept.)
const (
	keepsPrimary = " -- keeps the row with the same primary key"
	keepsUnique  = " -- keeps the row with the same unique columns"
)

func keepFirst(insert string, unique ...string) string {
	if strings.Contains(insert, " (id, ") && !slices.Equal(unique, []string{"id"}) {
		return insert + keepsUnique // the primary key is another one
	}
	return insert + keepsPrimary
}

// kept reports whether an insert of keepFirst found its row. Another key that is taken
// is a mistake.
func kept(insert string, err error) bool {
	said, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok || said.Number != errTaken && said.Number != errTakenKey {
		return false
	}
	// 'PRIMARY', or 'runs.PRIMARY' since MySQL 8.0.19.
	primary := strings.HasSuffix(said.Message, "'PRIMARY'") || strings.HasSuffix(said.Message, ".PRIMARY'")
	return primary && strings.HasSuffix(insert, keepsPrimary) || !primary && strings.HasSuffix(insert, keepsUnique)
}

// storable returns a text without bytes that are no UTF-8. A mark stands in their place.
func storable(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Error numbers of both databases that are named elsewhere too.
const (
	errDenied      = 1045 // the user, or the password
	errNoRight     = 1142 // on a table
	errNoDatabase  = 1049
	errNoDBRight   = 1044
	errTooMany     = 1040 // connections
	errTaken       = 1062
	errTakenKey    = 1586
	errTableExists = 1050
	// What takes no writes: the whole server (read_only, super_read_only), a transaction
	// that was begun so, and InnoDB.
	errReadOnly        = 1290
	errReadTransaction = 1792
	errReadMode        = 1836
)

// elsewhere reports whether a write was refused because the database takes none: another
// one may be the primary by now, to which a new connection leads.
func elsewhere(err error) bool {
	said, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (said.Number == errReadOnly || said.Number == errReadTransaction || said.Number == errReadMode)
}

// fault reads error numbers, and errors of connections.
func fault(err error) sqlstore.Fault {
	said, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return faultOfConnection(err)
	}
	switch said.Number {
	case errTaken, errTakenKey:
		return sqlstore.FaultTaken
	case 1213, 1205, // a deadlock; a lock that did not come in time
		1020, 1613, 1614, 1615, // a row that has changed, a deadlock of XA, a statement to be prepared again
		3101: // a group of servers that has refused it
		return sqlstore.FaultLost
	case errTooMany, errNoDBRight, errDenied, errNoDatabase, // and denied access, while an administrator changes it
		1021, 1026, 1028, 1030, 1037, 1038, 1041, 1114, 1206, // disk, memory, table or locks that are full
		1042, 1043, 1047, 1053, 1077, 1079, 1129, // the host, the handshake, a node without its group, the end of the server
		1152, 1158, 1159, 1160, 1161, 1184, 1189, 1190, // the network
		1180, 1203, 1226, 1461, // a commit that failed, and limits of a user and of statements
		errReadOnly, errReadTransaction, errReadMode,
		1317, 1927, 1969, 3024, 4031: // cut off by an operator, or by a time limit of ours
		return sqlstore.FaultAway
	}
	return sqlstore.FaultOther
}

func faultOfConnection(err error) sqlstore.Fault {
	_, failed := errors.AsType[net.Error](err)
	for _, over := range []error{
		driver.ErrBadConn, sql.ErrConnDone, mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrPktSync, mysql.ErrPktSyncMul, mysql.ErrBusyBuffer,
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
	} {
		failed = failed || errors.Is(err, over)
	}
	if failed {
		return sqlstore.FaultAway
	}
	return sqlstore.FaultOther
}

// gone reports whether a session had ended before the statement that begins a
// transaction: of that alone it does not matter whether it was done.
func gone(err error) bool {
	if said, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return said.Number == 4031 || said.Number == 1927 // idle for too long, killed
	}
	return faultOfConnection(err) == sqlstore.FaultAway
}
