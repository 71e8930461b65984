package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// stock is jobs that stand in a database before its server starts.
type stock struct {
	group string
	jobs  int
	first time.Time     // when the first of them fires
	every time.Duration // the period of each
	step  time.Duration // from the first firing of one to that of the next
	// missed is how late a firing counts as missed; zero means the default.
	missed time.Duration
	// parallel is how many runs of a job may be open; more than one keeps a run
	// of which nobody knows what became from holding up the next.
	parallel int
}

// fill puts these jobs, in another number for each of a group, into the database of a rig: a command makes one of each
// kind, and the database copies it, because a million of them through commands
// would take many minutes.
func (r *rig) fill(ctx context.Context, stocks ...stock) error {
	server, err := newServer(r.o)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Run(running) }()
	ids := make([]int64, len(stocks))
	for i, s := range stocks {
		overlap := job.OverlapSerial
		if s.parallel > 1 {
			overlap = job.OverlapConcurrent
		}
		made, createErr := server.Jobs().CreateJob(ctx, job.Job{
			Overlap: overlap, Concurrency: s.parallel,
			Key: fmt.Sprintf("%s-%d", s.group, s.jobs), Group: s.group,
			Schedule:      schedule.Spec{Kind: schedule.KindEvery, Every: s.every, Anchor: s.first},
			MisfireLimits: schedule.MisfireLimits{Threshold: s.missed},
			Handler:       job.Handler{Kind: job.HandlerNamed, Name: "nothing"},
		})
		if createErr != nil {
			err = createErr
			break
		}
		ids[i] = made.ID
	}
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(r.path()))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1) // the pragmas are of a connection
	for i, s := range stocks {
		if err := copyJob(ctx, db, ids[i], s); err != nil {
			return errors.Join(fmt.Errorf("copy a job %d times: %w", s.jobs, err), db.Close())
		}
	}
	return db.Close()
}

// copyJob writes the copies in one transaction that nobody needs to be durable.
func copyJob(ctx context.Context, db *sql.DB, id int64, s stock) error {
	for _, pragma := range []string{"PRAGMA synchronous = OFF", "PRAGMA cache_size = -262144"} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	var copies []string
	for _, of := range []struct{ table, key string }{{"jobs", "id"}, {"job_plans", "job_id"}} {
		statement, err := copying(ctx, db, of.table, of.key)
		if err != nil {
			return err
		}
		copies = append(copies, statement)
	}
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	for _, statement := range copies {
		done, err := t.ExecContext(ctx, statement, id, s.first.UnixMilli(), s.step.Milliseconds(), s.jobs)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n != int64(s.jobs) {
			return fmt.Errorf("%d rows were made (%w): %s", n, err, statement)
		}
	}
	if _, err := t.ExecContext(ctx, "UPDATE sequences SET next = next + ? WHERE name = 'jobs'", s.jobs); err != nil {
		return err
	}
	return t.Commit()
}

// copying returns the statement that copies the row of a job in a table: ?1 is the
// job, ?2 the first firing of the first copy, ?3 the step, ?4 how many there are.
func copying(ctx context.Context, db *sql.DB, table, key string) (string, error) {
	columns, err := columnsOf(ctx, db, table)
	if err != nil {
		return "", err
	}
	const due = "?2 + n.i * ?3"
	values := make([]string, len(columns))
	for i, name := range columns {
		switch name {
		case key:
			values[i] = "(SELECT next FROM sequences WHERE name = 'jobs') + n.i"
		case "job_key":
			values[i] = "printf('%s-%07d', job_key, n.i)"
		case "enabled":
			values[i] = "1"
		case "next_at", "look_at":
			values[i] = due
		case "schedule":
			values[i] = "json_set(schedule, '$.anchor', strftime('%Y-%m-%dT%H:%M:%fZ', (" + due + ") / 1000.0, 'unixepoch'))"
		default:
			values[i] = name
		}
	}
	return "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?4 - 1) INSERT INTO " + table + " (" +
		strings.Join(columns, ", ") + ") SELECT " + strings.Join(values, ", ") + " FROM " + table + ", n WHERE " + key + " = ?1", nil
}

func columnsOf(ctx context.Context, db *sql.DB, table string) (columns []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		columns = append(columns, name)
	}
	return columns, rows.Err()
}
