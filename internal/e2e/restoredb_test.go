//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/job"
)

// tool runs a program of others.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is needed beside the database: %v", name, err)
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// TestRestoreDatabase copies the database of a server under load with the tools of the
// database, kills the server a while later, and puts the copy back with them and 'orth
// restore --db': by the journal of the executor no slot runs twice, and what nobody knows
// is told.
func TestRestoreDatabase(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		lost, found := dbtest.NewPostgres(t, ""), dbtest.NewPostgres(t, "")
		restoreDatabase(t, lost, found, func(file string) {
			tool(t, "pg_dump", "--format=custom", "--file="+file, lost)
		}, func(file string) {
			tool(t, "pg_restore", "--exit-on-error", "--no-owner", "--dbname="+found, file)
		})
	})
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		_, lostDSN, lost := newMariaDB(t)
		_, foundDSN, found := newMariaDB(t)
		restoreDatabase(t, lost, found, func(file string) {
			args, name := mariadbArgs(t, lostDSN)
			tool(t, "mariadb-dump", append(args, "--single-transaction", "--hex-blob", "--result-file="+file, name)...)
		}, func(file string) {
			args, name := mariadbArgs(t, foundDSN)
			tool(t, "mariadb", append(args, "--execute=source "+file, name)...)
		})
	})
}

// mariadbArgs returns what the tools of MariaDB are told of a server, and a database.
func mariadbArgs(t *testing.T, dsn string) (args []string, name string) {
	t.Helper()
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	args = []string{"--no-defaults", "--user=" + config.User, "--password=" + config.Passwd}
	if host, port, err := net.SplitHostPort(config.Addr); err == nil && config.Net != "unix" {
		return append(args, "--protocol=tcp", "--host="+host, "--port="+port), config.DBName
	}
	return append(args, "--socket="+config.Addr), config.DBName
}

// restoreDatabase is the trial of one kind of database: copy writes a file, back puts it
// into the one that is found.
func restoreDatabase(t *testing.T, lost, found string, copyTo, back func(file string)) {
	t.Helper()
	s := newSite(t)
	server := s.startServer("ORTH_DB=" + lost)
	s.startExecutor()
	journal := filepath.Join(s.dir, "journal")
	ran := func() []string { return lines(mustRead(t, journal)) }
	grown := func(least int) {
		t.Helper()
		eventually(t, func() error {
			if n := len(ran()); n < least {
				return fmt.Errorf("%d slots ran, want %d", n, least)
			}
			return nil
		})
	}
	s.orth("job", "create", "tick", "--group", s.group, "--cron", "* * * * * ?", "--misfire", "fire-all",
		"--shell", "sleep 0.8; echo $ORTH_JOB_SCHEDULE_TIME >>"+journal, "--enable")
	grown(3)
	dump := filepath.Join(s.dir, "orth.dump")
	begun := time.Now()
	copyTo(dump)
	after := len(ran())
	grown(after + 4)
	if _, stderr, code := run(t, nil, "restore", "--db", lost, "--yes"); code != 5 || !strings.Contains(stderr, "is in use") {
		t.Errorf("a database in use: %d, %s", code, stderr)
	}
	server.kill()
	if _, stderr, code := run(t, nil, "restore", "--db", found, "--yes"); code != 1 || !strings.Contains(stderr, "restore the backup first") {
		t.Errorf("an empty database: %d, %s", code, stderr)
	}
	back(dump)
	tried, stderr, code := run(t, nil, "restore", "--db", found, "--dry-run", "--taken-at", begun.UTC().Format(time.RFC3339), "-o", "json")
	var would backup.Report
	if err := json.Unmarshal([]byte(tried), &would); code != 0 || err != nil {
		t.Fatalf("dry: %d, %v, %s", code, err, stderr)
	}
	var stdout string
	stdout, stderr, code = run(t, []string{"ORTH_DB=" + found}, "restore", "--taken-at", begun.UTC().Format(time.RFC3339), "--yes", "-o", "json")
	if code != 0 {
		t.Fatalf("restore: %d, %s", code, stderr)
	}
	var report struct {
		Database string
		backup.Report
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if report.LateJobs != 1 || report.Jobs[0].Job != "tick" || report.Slots+report.Waited < 4 || report.NumbersFrom <= backup.MinJump || report.Database == "" {
		t.Errorf("the report: %s", stdout)
	}
	if would.LateJobs != report.LateJobs || would.Waited != report.Waited || would.Asked != report.Asked || would.NumbersFrom != report.NumbersFrom || would.Slots > report.Slots {
		t.Errorf("it would have come to %+v, and came to %+v", would, report.Report)
	}
	again := &site{t: t, dir: scratch(t), server: s.server, executor: s.executor, group: s.group}
	if err := os.Mkdir(again.data(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range backup.Keys() {
		mustWrite(t, filepath.Join(again.data(), key), mustRead(t, filepath.Join(s.data(), key)))
	}
	before := len(ran())
	again.startServer("ORTH_DB=" + found)
	grown(before + 4)
	again.orth("job", "disable", "tick")
	seen := map[string]bool{}
	for _, slot := range ran() {
		if seen[slot] {
			t.Errorf("the slot %s ran twice", slot)
		}
		seen[slot] = true
	}
	left := 0
	for _, r := range again.runs("tick") {
		if r.State == job.Skipped && strings.Contains(r.Reason, "it is not known whether the firing of") {
			left++
		}
	}
	if left != report.Slots {
		t.Errorf("%d slots are told as left out, the report says %d", left, report.Slots)
	}
	if audit := again.orth("audit", "list", "--operation", "restore", "-o", "json"); !strings.Contains(audit, "orth restore") || !strings.Contains(audit, "numbers_from") {
		t.Errorf("the audit has no line of it: %s", audit)
	}
}
