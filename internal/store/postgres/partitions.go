package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/orthd/orth/internal/logbook"
)

// mayDivide asks whether the role owns the table, and so may divide it.
const mayDivide = `SELECT COALESCE((SELECT pg_has_role(current_user, relowner, 'USAGE') AND has_schema_privilege(current_user, relnamespace, 'CREATE')
	FROM pg_class WHERE oid = to_regclass('log_blob_parts') AND relkind = 'p'), false)`

// divides reports whether partitions can be made and dropped.
func divides(ctx context.Context, db *sql.DB) (yes bool, err error) {
	if err := db.QueryRowContext(ctx, mayDivide).Scan(&yes); err != nil {
		return false, fmt.Errorf("ask for the rights on log_blob_parts: %w", err)
	}
	return yes, nil
}

// partitions are those of log_blob_parts.
type partitions struct {
	read *sql.DB
	base *pgx.ConnConfig
}

// holdFor is how long a change of the table waits for others who hold it, in milliseconds,
// and so those who come after it; changeFor bounds the change.
const (
	holdFor   = 200
	changeFor = 10_000
)

const (
	listPartitions = `SELECT c.relname, pg_get_expr(c.relpartbound, c.oid), COALESCE(pg_total_relation_size(c.oid), 0)
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('log_blob_parts')
		AND NOT pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' ORDER BY substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(\d+)''\)')::bigint`
	addPartition  = `CREATE TABLE %s PARTITION OF log_blob_parts FOR VALUES FROM (%d) TO (%d)`
	dropPartition = `DROP TABLE IF EXISTS %s`
)

// bounds are those of a partition, as PostgreSQL writes them.
var bounds = regexp.MustCompile(`^FOR VALUES FROM \((?:'(\d+)'|MINVALUE)\) TO \('(\d+)'\)$`)

// List implements sqlstore.Divided.
func (p *partitions) List(ctx context.Context) (all []logbook.Partition, err error) {
	rows, err := p.read.QueryContext(ctx, listPartitions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one logbook.Partition
		var text string
		if err := rows.Scan(&one.Name, &text, &one.Bytes); err != nil {
			return nil, err
		}
		ends := bounds.FindStringSubmatch(text)
		if ends == nil {
			return nil, fmt.Errorf("the partition %s has bounds that are not Orth's: %s", one.Name, text)
		}
		one.From, _ = strconv.ParseInt(ends[1], 10, 64) // 0 for none
		if one.To, err = strconv.ParseInt(ends[2], 10, 64); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Add implements sqlstore.Divided.
func (p *partitions) Add(ctx context.Context, number int64) error {
	name := "log_blob_parts_" + time.Unix(number*3600, 0).UTC().Format("2006010215")
	from := number * logbook.PartitionIDs
	return p.change(ctx, fmt.Sprintf(addPartition, name, from, from+logbook.PartitionIDs))
}

// Drop implements sqlstore.Divided.
func (p *partitions) Drop(ctx context.Context, name string) error {
	return p.change(ctx, fmt.Sprintf(dropPartition, pgx.Identifier{name}.Sanitize()))
}

// change executes a statement about the table in a separate session.
func (p *partitions) change(ctx context.Context, statement string) error {
	db := pool(p.base, 1, map[string]string{"lock_timeout": strconv.Itoa(holdFor), "statement_timeout": strconv.Itoa(changeFor)})
	_, err := db.ExecContext(ctx, statement)
	return errors.Join(err, db.Close())
}
