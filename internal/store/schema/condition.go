package schema

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// Condition is what an inspection found of a database. Nothing was changed.
type Condition struct {
	// Name is where it is, without a password, and Server the program's version.
	Name, Server string
	// Unfit is the reason why a server would not start on it, without which all is well so
	// far.
	Unfit *job.Error
	// Drift is how far its clock is from that of this machine, at least.
	Drift time.Duration
	// Version is the schema's, 0 when there is none yet, and Newest the one that this
	// Orth makes.
	Version, Newest int64
	// Refused is the reason why a server cannot use its tables; nil for none.
	Refused *job.Error
	// MayCreate reports that the role may make tables in the schema; it is needed when
	// Version is behind Newest. Denied are tables that it may not read and write.
	MayCreate bool
	Denied    []string
	// Connections are open of Most, those kept for administrators left out.
	Connections, Most int64
	// Others are sessions of Orth on it, or of the same role: a program and a host each.
	Others []string
	// Size is what it has on its disk, in bytes, as it estimates them.
	Size int64
	// Loses names the setting by which the database may lose what it has acknowledged;
	// empty for none.
	Loses string
}

// Newest returns the version of the schema that the steps in the folder migrations make.
func Newest(migrations fs.FS) (version int64, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the migrations: %w", err)
		}
		version = max(version, n)
	}
	return version, nil
}

// Texts returns what a query finds, one text a row. The query bounds how many that are.
func Texts(ctx context.Context, db *sql.DB, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
