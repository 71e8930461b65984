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

	"github.com/orthd/orth/internal/logbook"
)

// mayDivide counts which of the rights that a partition needs the user has directly: on the
// server, the database or the table. It does not look into those of roles.
const mayDivide = `SELECT COUNT(DISTINCT r.privilege_type) FROM (
	SELECT privilege_type, grantee FROM information_schema.user_privileges
	UNION SELECT privilege_type, grantee FROM information_schema.schema_privileges WHERE DATABASE() LIKE table_schema
	UNION SELECT privilege_type, grantee FROM information_schema.table_privileges WHERE table_schema = DATABASE() AND table_name = 'log_blob_parts') r
	WHERE r.privilege_type IN ('ALTER', 'CREATE', 'DROP', 'INSERT')
	AND r.grantee = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`

// divides reports whether partitions can be made and dropped. It returns false for a user
// without the right to ask.
func divides(ctx context.Context, db *sql.DB) (bool, error) {
	var rights int
	err := db.QueryRowContext(ctx, mayDivide).Scan(&rights)
	if _, said := errors.AsType[*mysql.MySQLError](err); said {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for the rights on log_blob_parts: %w", err)
	}
	return rights == 4, nil
}

// partitions are those of log_blob_parts.
type partitions struct {
	read    *sql.DB
	base    *mysql.Config
	config  *Config
	session *session
}

// waitFor is how long a change of the table waits for others who hold it, in seconds, and so
// those who come after it.
const waitFor = 1

// errNoPartition is the error of a missing partition.
const errNoPartition = 1507

const (
	listPartitions = `SELECT partition_name, partition_description, COALESCE(data_length + index_length, 0) FROM information_schema.partitions
		WHERE table_schema = DATABASE() AND table_name = 'log_blob_parts' AND partition_name <> 'rest' ORDER BY partition_ordinal_position`
	addPartition = `ALTER TABLE log_blob_parts REORGANIZE PARTITION rest INTO (PARTITION %s VALUES LESS THAN (%d), PARTITION rest VALUES LESS THAN MAXVALUE)`
	// What information_schema has of a partition is as it was counted last.
	countPartition = `ALTER TABLE log_blob_parts ANALYZE PARTITION %s`
	dropPartition  = `ALTER TABLE log_blob_parts DROP PARTITION %s`
)

// List implements sqlstore.Divided.
func (p *partitions) List(ctx context.Context) (all []logbook.Partition, err error) {
	rows, err := p.read.QueryContext(ctx, listPartitions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	from := int64(0)
	for rows.Next() {
		one := logbook.Partition{From: from}
		var to string
		if err := rows.Scan(&one.Name, &to, &one.Bytes); err != nil {
			return nil, err
		}
		if one.To, err = strconv.ParseInt(to, 10, 64); err != nil {
			return nil, fmt.Errorf("the partition %s has a bound that is not Orth's: %w", one.Name, err)
		}
		all, from = append(all, one), one.To
	}
	return all, rows.Err()
}

// Add implements sqlstore.Divided. The partition before it is counted: nothing is written
// into it any more.
func (p *partitions) Add(ctx context.Context, number int64) error {
	statements := []string{fmt.Sprintf(addPartition, time.Unix(number*3600, 0).UTC().Format("p2006010215"), (number+1)*logbook.PartitionIDs)}
	all, err := p.List(ctx)
	if err != nil {
		return err
	}
	if n := len(all); n > 0 {
		statements = append(statements, fmt.Sprintf(countPartition, quoted(all[n-1].Name)))
	}
	return p.change(ctx, statements...)
}

// Drop implements sqlstore.Divided.
func (p *partitions) Drop(ctx context.Context, name string) error {
	err := p.change(ctx, fmt.Sprintf(dropPartition, quoted(name)))
	if said, ok := errors.AsType[*mysql.MySQLError](err); ok && said.Number == errNoPartition {
		return nil
	}
	return err
}

// quoted is a name as the database takes it in a statement.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// change carries out statements about the table in a session of its own.
func (p *partitions) change(ctx context.Context, statements ...string) error {
	first := append(p.session.forBuilder(), fmt.Sprintf("SET SESSION lock_wait_timeout = %d", waitFor))
	db, err := pool(p.base, p.config, 1, 0, first)
	if err != nil {
		return err
	}
	for _, one := range statements {
		if _, err = db.ExecContext(ctx, one); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}
