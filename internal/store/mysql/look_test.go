package mysql

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/job"
)

func TestLook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	good := session{version: "10.11.6-MariaDB-1", packet: 16 << 20, page: 16 << 10, logs: "1", format: "MIXED", flush: 1, at: now, asked: now, answered: now}
	for name, c := range map[string]struct {
		change func(*session)
		kind   job.Kind
		says   string
	}{
		"MariaDB":        {func(*session) {}, "", ""},
		"MySQL":          {func(s *session) { s.version, s.comment = "8.0.36", "MySQL Community Server - GPL" }, "", ""},
		"a newer MySQL":  {func(s *session) { s.version = "9.1.0" }, "", ""},
		"Percona":        {func(s *session) { s.version = "8.4.2-2" }, "", ""},
		"a proxy's":      {func(s *session) { s.version = "5.5.5-10.6.12-MariaDB" }, "", ""},
		"a slow answer":  {func(s *session) { s.asked, s.answered = now.Add(-3*time.Second), now.Add(3*time.Second) }, "", ""},
		"just right":     {func(s *session) { s.at = now.Add(time.Second) }, "", ""},
		"old MariaDB":    {func(s *session) { s.version = "10.5.23-MariaDB" }, job.Invalid, "MariaDB 10.5.23-MariaDB, at least MariaDB 10.6.0"},
		"old MySQL":      {func(s *session) { s.version = "5.7.44-log" }, job.Invalid, "MySQL 5.7.44-log, at least MySQL 8.0.17"},
		"an early 8.0":   {func(s *session) { s.version = "8.0.11-TiDB-v7.5.0" }, job.Invalid, "at least MySQL 8.0.17"},
		"read-only":      {func(s *session) { s.readOnly = true }, job.Unavailable, "takes no writes"},
		"InnoDB is":      {func(s *session) { s.innodbReads = true }, job.Unavailable, "takes no writes"},
		"a replica":      {func(s *session) { s.replica, s.readOnly = true, true }, job.Unavailable, "is a replica"},
		"small packets":  {func(s *session) { s.packet = 1 << 20 }, job.Invalid, "max_allowed_packet"},
		"small pages":    {func(s *session) { s.page = 4 << 10 }, job.Invalid, "pages of 4096 bytes"},
		"statements":     {func(s *session) { s.format = "STATEMENT" }, job.Invalid, "binlog_format"},
		"no log":         {func(s *session) { s.format, s.logs = "STATEMENT", "0" }, "", ""},
		"a clock before": {func(s *session) { s.at = now.Add(-1500 * time.Millisecond) }, job.Invalid, "1.5s off"},
		"a clock behind": {func(s *session) { s.at = now.Add(1001 * time.Millisecond) }, job.Invalid, "1.001s off"},
	} {
		s := good
		c.change(&s)
		err := s.check()
		if job.KindOf(err) != c.kind || c.says != "" && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	const password = "hunter2hunter2"
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "empty.pem"), []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		"mysql://orth:" + password + "@host:port/db", "mysql://orth:" + password + "@host/%zz", "mysql://orth:" + password + "@host", "mysql://:" + password + "@host/db",
		"mysql://orth:" + password + "@host/db?tls=odd", "mysql://orth:" + password + "@host/db?tls-ca=/no/such/file", "mysql://orth:" + password + "@host/db?sql_mode=ANSI",
		"mysql://orth:" + password + "@host/db?tls-ca=" + folder + "/empty.pem", "mysql://orth:" + password + "@host/db?tls-cert=/no/such/file",
		"mysql://orth:" + password + "@host/db?timeout=soon", "mysql://orth:" + password + "@/db",
		"orth:" + password + "@tcp(host:1)/", "orth:" + password + "@tcp(host:1)/db?sql_mode=ANSI", "orth:" + password + "@tcp(host:1)/db?timeout=soon",
	} {
		if _, err := parse(address); !job.Is(err, job.Invalid) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]string{
		"mysql://orth:" + password + "@one/db":                        "orth@one:3306/db",
		"mariadb://orth:p%40ss@[::1]:3307/db?tls=true&timeout=1s":     "orth@[::1]:3307/db",
		"mysql://orth@/db?socket=/run/mysqld/mysqld.sock":             "orth@/run/mysqld/mysqld.sock/db",
		"orth:" + password + "@tcp(one:1)/db?tls=skip-verify":         "orth@one:1/db",
		"orth@unix(/run/mysqld/mysqld.sock)/db?clientFoundRows=false": "orth@/run/mysqld/mysqld.sock/db",
	} {
		config, err := parse(address)
		if err != nil || !IsAddress(address) {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got := nameOf(config); got != want {
			t.Errorf("%s is called %s, want %s", address, got, want)
		}
		if !config.ClientFoundRows || config.MultiStatements || config.AllowAllFiles || config.Timeout == 0 {
			t.Errorf("%s: %+v", address, config)
		}
	}
	for _, address := range []string{"", "postgres://orth@host/db", "host/db", "orth@host/db", "orth@host:3306/db", "C:/orth@tcp/db"} {
		if IsAddress(address) {
			t.Errorf("%q is the address of MySQL", address)
		}
	}
	// Nobody listens there.
	_, err := Open(t.Context(), "mysql://orth:"+password+"@127.0.0.1:1/db", Config{})
	if !job.Is(err, job.Unavailable) || strings.Contains(err.Error(), password) || !strings.Contains(err.Error(), "orth@127.0.0.1:1/db") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestOrigin asks the database for the name of its history, which is kept beside the numbers that belong to
// it. Where they belong to another history, they skip ahead.
func TestOrigin(t *testing.T) {
	t.Parallel()
	address := database(t)
	db := query(t, address)
	opened := func() (first int64, name string) {
		t.Helper()
		s, err := Open(t.Context(), address, Config{Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		defer lifecycletest.Start(t, s.Run)()
		if first, err = s.NextRunID(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRowContext(t.Context(), "SELECT name FROM database_origin").Scan(&name); err != nil {
			t.Fatal(err)
		}
		return first, name
	}
	first, name := opened()
	if first != 1 || !regexp.MustCompile(`^server .+$`).MatchString(name) {
		t.Errorf("the first run of a database with the history %q is %d", name, first)
	}
	if next, same := opened(); next > 10_000 || same != name {
		t.Errorf("the next run of a database with the history %q, and then %q, is %d", name, same, next)
	}
	dbtest.Must(t, db, "UPDATE database_origin SET name = 'before'")
	if next, same := opened(); next < 1_000_000 || same != name {
		t.Errorf("the next run of a database with another history, and then %q, is %d", same, next)
	}
}
