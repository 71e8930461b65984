package database

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// dump returns the rows of the table of jobs but for the column that is stopped with.
func dump(t *testing.T, db *sql.DB, release string) (text string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+prefixOf(release)+"info ORDER BY id") //nolint:unqueryvet // All of it is compared.
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			if name != "trigger_status" {
				text += fmt.Sprintf("%s=%v ", name, values[i])
			}
		}
		text += "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return text
}

// writer returns a source whose user may write.
func writer(t *testing.T, db *sql.DB) *Source {
	t.Helper()
	var name string
	if err := db.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	config, err := mysql.ParseDSN(dbtest.Server(t, dbtest.MariaDB))
	if err != nil {
		t.Fatal(err)
	}
	config.DBName = name
	return source(t, config.FormatDSN())
}

// Exactly the jobs that are named are stopped, nothing else of them changes, and the
// statement for the way back undoes it, in every release.
func TestStop(t *testing.T) {
	t.Parallel()
	next := time.Date(2030, 1, 31, 2, 30, 0, 0, time.UTC)
	for _, release := range releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			statements := append(schemaOf(release), contentsOf(release)...)
			statements = append(statements, fmt.Sprintf("UPDATE %sinfo SET trigger_status = 1, trigger_next_time = %d", prefixOf(release), next.UnixMilli()),
				"INSERT INTO "+prefixOf(release)+"lock VALUES ('schedule_lock')")
			db, _ := mariadb(t, statements...)
			l, err := writer(t, db).Log(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			was := dump(t, db, release)
			before, err := l.Stop(t.Context(), []int64{1, 77})
			if err != nil || len(before) != 1 || !before[1].Started || !before[1].Next.Equal(next) {
				t.Fatalf("%v, %v", before, err)
			}
			after, err := l.States(t.Context(), []int64{1, 2})
			if err != nil || after[1].Started || !after[1].Next.Equal(next) || !after[2].Started {
				t.Errorf("%v, %v", after, err)
			}
			if is := dump(t, db, release); is != was {
				t.Errorf("more was written:\n%swas\n%s", is, was)
			}
			back, err := l.Back([]int64{1})
			if err != nil {
				t.Fatal(err)
			}
			dbtest.Must(t, db, back)
			if again, err := l.States(t.Context(), []int64{1}); err != nil || !again[1].Started {
				t.Errorf("%v, %v", again, err)
			}
		})
	}
}

// While the scheduler of the old server plans, nothing is stopped.
func TestStopWaitsForTheScheduler(t *testing.T) {
	t.Parallel()
	statements := append(schemaOf("3.4"), contentsOf("3.4")...)
	db, _ := mariadb(t, append(statements, "INSERT INTO xxl_job_lock VALUES ('schedule_lock')")...)
	l, err := writer(t, db).Log(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	planning, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	if err := planning.QueryRowContext(t.Context(), "SELECT lock_name FROM xxl_job_lock FOR UPDATE").Scan(&name); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan map[int64]xxlimport.JobState, 1)
	wrong := make(chan error, 1)
	go func() {
		before, err := l.Stop(context.WithoutCancel(t.Context()), []int64{1})
		stopped <- before
		wrong <- err
	}()
	var own int64 // its statement may be listed for a moment after its end
	if err := planning.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&own); err != nil {
		t.Fatal(err)
	}
	for waits := 0; waits == 0; {
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM information_schema.processlist
			WHERE db = DATABASE() AND info LIKE '%FOR UPDATE' AND id NOT IN (CONNECTION_ID(), ?)`, own).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	// What the scheduler has planned by the end of its turn is seen.
	if _, err := planning.ExecContext(t.Context(), "UPDATE xxl_job_info SET trigger_next_time = 1893456000000 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if err := planning.Commit(); err != nil {
		t.Fatal(err)
	}
	if before, err := <-stopped, <-wrong; err != nil || before[1].Next.UnixMilli() != 1893456000000 {
		t.Errorf("%v, %v", before, err)
	}
}

func TestStopRefuses(t *testing.T) {
	t.Parallel()
	db, reader := mariadb(t, append(schemaOf("3.4"), contentsOf("3.4")...)...)
	l, err := source(t, reader).Log(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	was := dump(t, db, "3.4")
	if _, err := l.Stop(t.Context(), []int64{1}); !job.Is(err, job.Forbidden) {
		t.Errorf("a user who may only read: %v", err)
	}
	for _, ids := range [][]int64{nil, make([]int64, MaxStopped+1)} {
		if _, err := l.Stop(t.Context(), ids); !job.Is(err, job.Invalid) {
			t.Errorf("%d jobs: %v", len(ids), err)
		}
	}
	if is := dump(t, db, "3.4"); is != was {
		t.Error("something was written")
	}
}
