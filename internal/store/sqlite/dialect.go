package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/internal/store/sqlstore"
)

func dialect() sqlstore.Dialect {
	return sqlstore.Dialect{
		Begin: "BEGIN IMMEDIATE", Now: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
		Rebind: rebind, Spans: &jobSpans, KeepFirst: keepFirst, Fault: fault,
	}
}

// rebind hides the value of a LIMIT from SQLite's planner, which would otherwise prepare
// the statement again each time that the value is bound.
func rebind(query string) string { return strings.ReplaceAll(bySpans(query), "LIMIT ?", "LIMIT +?") }

func keepFirst(insert string, unique ...string) string {
	return insert + " ON CONFLICT (" + strings.Join(unique, ", ") + ") DO NOTHING"
}

// fault reads SQLite's result codes. A file that is damaged, or no database, is
// not away: trying again does not help.
func fault(err error) sqlstore.Fault {
	if errors.Is(err, errClosed) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) {
		return sqlstore.FaultAway
	}
	code := codeOf(err)
	switch code {
	case lib.SQLITE_CONSTRAINT_PRIMARYKEY, lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_ROWID:
		return sqlstore.FaultTaken
	}
	switch code & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN,
		lib.SQLITE_READONLY, lib.SQLITE_NOMEM, lib.SQLITE_PROTOCOL, lib.SQLITE_PERM:
		return sqlstore.FaultAway
	}
	return sqlstore.FaultOther
}

// codeOf returns SQLite's extended result code, 0 for other errors.
func codeOf(err error) int {
	if e, ok := errors.AsType[*resultError](err); ok {
		return e.code
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
