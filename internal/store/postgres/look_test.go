package postgres

import (
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
	good := session{version: 150018, encoding: "UTF8", at: now, asked: now, answered: now}
	for name, c := range map[string]struct {
		change func(*session)
		kind   job.Kind
		says   string
	}{
		"good":           {func(*session) {}, "", ""},
		"a slow answer":  {func(s *session) { s.asked, s.answered = now.Add(-3*time.Second), now.Add(3*time.Second) }, "", ""},
		"just right":     {func(s *session) { s.at = now.Add(time.Second) }, "", ""},
		"old":            {func(s *session) { s.version = 120_004 }, job.Invalid, "PostgreSQL 12.4"},
		"other letters":  {func(s *session) { s.encoding = "SQL_ASCII" }, job.Invalid, "SQL_ASCII"},
		"no schema":      {func(s *session) { s.nowhere = true }, job.Invalid, "search_path"},
		"a standby":      {func(s *session) { s.standby = true }, job.Unavailable, "standby"},
		"read-only":      {func(s *session) { s.readOnly = true }, job.Unavailable, "read-only"},
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
	for _, address := range []string{
		"postgres://orth:" + password + "@host:port/db", "postgres://orth:" + password + "@/%zz",
		"postgres://orth:" + password + "@host/db?sslmode=odd", "postgres://orth:" + password + "@host/db?sslrootcert=/no/such/file&sslmode=verify-full",
		"postgres://orth:a@" + password + "@host/db", "postgres://orth:a@" + password + ",b@host/db", "postgres://orth:a@" + password + "/b@host/db", // not written as %40
	} {
		if _, err := parse(address); !job.Is(err, job.Invalid) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", address, err)
		}
	}
	config, err := parse("postgres://orth:" + password + "@one:1,two:2/db?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := nameOf(config), "orth@one:1,two:2/db"; got != want {
		t.Errorf("it is called %s, want %s", got, want)
	}
	if config.ConnectTimeout != dialFor || config.RuntimeParams["application_name"] != "orth" {
		t.Errorf("timeout %s, %v", config.ConnectTimeout, config.RuntimeParams)
	}
	// Nobody listens there.
	_, err = Open(t.Context(), "postgres://orth:"+password+"@127.0.0.1:1/db?sslmode=disable", Config{})
	if !job.Is(err, job.Unavailable) || strings.Contains(err.Error(), password) || !strings.Contains(err.Error(), "orth@127.0.0.1:1/db") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestOrigin asks the database for the name of its history, which is kept beside the numbers that belong to
// it. Where they belong to another history, they skip ahead.
func TestOrigin(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
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
	if first != 1 || !regexp.MustCompile(`^\d+ [0-9A-F]{8}$`).MatchString(name) {
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
