package cli_test

import (
	"database/sql"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
)

// own returns the address of a role of its own that may sign in, and nothing else.
func own(t *testing.T, address string, db *sql.DB) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role := strings.TrimPrefix(u.Path, "/")
	dbtest.Must(t, db, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() {
		dbtest.Must(t, db, "REASSIGN OWNED BY "+role+" TO CURRENT_USER", "DROP OWNED BY "+role, "DROP ROLE "+role)
	})
	u.User = url.User(role)
	return u.String()
}

// checks returns what the doctor says of a database.
func checks(t *testing.T, want int, address string) map[string][2]string {
	t.Helper()
	r := orth(t.Context(), map[string]string{"ORTH_SERVER": "http://127.0.0.1:1", "ORTH_DB": address}, "doctor", "-o", "json")
	var all []struct{ Check, Status, Message, Remedy string }
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || r.code != want {
		t.Fatalf("%d, %v: %s%s", r.code, err, r.stdout, r.stderr)
	}
	found := map[string][2]string{}
	for _, f := range all {
		if f.Status != "ok" && f.Remedy == "" {
			t.Errorf("%s is %s without a remedy: %s", f.Check, f.Status, f.Message)
		}
		found[f.Check] = [2]string{f.Status, f.Message}
	}
	return found
}

// The doctor looks at a PostgreSQL database, from an empty one to one that servers use.
func TestDatabaseDoctor(t *testing.T) {
	t.Parallel()
	address := dbtest.NewPostgres(t, "")
	db := dbtest.Open(t, "pgx", address)
	do := func(query string) {
		t.Helper()
		dbtest.Must(t, db, query)
	}
	expect := func(when string, want map[string]string) {
		t.Helper()
		found := checks(t, 1, address) // the server itself does not respond
		for check, text := range want {
			status, says, _ := strings.Cut(text, ": ")
			if got := found[check]; got[0] != status || !strings.Contains(got[1], says) {
				t.Errorf("%s: %s is %v, want %s", when, check, got, text)
			}
		}
	}
	expect("empty", map[string]string{
		"database": "ok: writable", "database clock": "ok: matches", "schema": "warn: no tables exist", "privileges": "ok: create tables", "connections": "ok: free",
	})
	s, err := postgres.Open(t.Context(), address, postgres.Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Size(t.Context()); err != nil { // it connects when it has to
		t.Fatal(err)
	}
	expect("made", map[string]string{"schema": "ok: up to date", "servers connected": "ok: orth"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	do("INSERT INTO schema_versions (version_id, is_applied) VALUES (9999, TRUE)")
	expect("newer", map[string]string{"schema": "fail: schema version"})
	var name string
	if err := db.QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	do("ALTER DATABASE " + name + " SET default_transaction_read_only = on")
	expect("read-only", map[string]string{"database": "fail: read-only"})
}

// A role without rights is told which it needs.
func TestDatabaseDoctorOfARole(t *testing.T) {
	t.Parallel()
	address := dbtest.NewPostgres(t, "")
	db := dbtest.Open(t, "pgx", address)
	role := own(t, address, db)
	dbtest.Must(t, db, "REVOKE CREATE ON SCHEMA public FROM PUBLIC", "CREATE TABLE other (id INT)")
	if found := checks(t, 1, role); found["schema"][0] != "fail" || !strings.Contains(found["schema"][1], "another program") {
		t.Errorf("%v", found)
	}
	dbtest.Must(t, db, "DROP TABLE other")
	if found := checks(t, 1, role)["privileges"]; found[0] != "fail" || !strings.Contains(found[1], "cannot create tables") {
		t.Errorf("%v", found)
	}
	s, err := postgres.Open(t.Context(), address, postgres.Config{Readers: 1})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if found := checks(t, 1, role); found["privileges"][0] != "fail" || found["schema"] != [2]string{"fail", "the role cannot read it"} {
		t.Errorf("%v", found)
	}
	dbtest.Must(t, db, "GRANT SELECT ON schema_versions TO PUBLIC")
	if found := checks(t, 1, role)["privileges"]; found[0] != "fail" || !strings.Contains(found[1], "cannot read and write") {
		t.Errorf("%v", found)
	}
	u, err := url.Parse(role)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Must(t, db, "ALTER ROLE "+u.User.Username()+" CONNECTION LIMIT 3")
	if found := checks(t, 1, role)["connections"]; found != [2]string{"warn", "2 of 3 free"} {
		t.Errorf("%v", found)
	}
	u.RawQuery = strings.TrimPrefix(u.RawQuery+"&search_path=nowhere", "&")
	if found := checks(t, 1, u.String())["database"]; found[0] != "fail" || !strings.Contains(found[1], "no schema that search_path names") {
		t.Errorf("%v", found)
	}
}

// What cannot be asked is told without its password.
func TestDoctorOfNoDatabase(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://orth:hunter-2-secret@127.0.0.1:1/orth": "cannot be used", "oracle://orth:hunter-2-secret@db/orth": "must begin with",
		"postgres://orth:hunter-2-secret@host:port/db":       "cannot be read",
		"postgres://orth:a@hunter-2-secret@127.0.0.1:1/orth": "cannot be read", "postgres://orth:a@hunter-2-secret,b@127.0.0.1:1/orth": "cannot be read",
		"mysql://orth:hunter-2-secret@127.0.0.1:1/orth": "cannot be used", "mariadb://orth:hunter-2-secret@db/orth?x=y": "cannot be read",
	} {
		if got := checks(t, 1, address)["database"]; got[0] != "fail" || !strings.Contains(got[1], want) || strings.Contains(got[1], "hunter-2-secret") {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// A database of its own is not copied, and the way is told without its password.
func TestBackupOfADatabase(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"postgres://orth:hunter-2-secret@db/orth": "pg_dump", "mysql://orth:hunter-2-secret@db/orth": "mariadb-dump", "oracle://orth:hunter-2-secret@db/orth": "must begin with"} {
		r := orth(t.Context(), map[string]string{"ORTH_DB": address}, "backup", t.TempDir()+"/a")
		if r.code != 1 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "hunter-2-secret") {
			t.Errorf("%d, %s", r.code, r.stderr)
		}
	}
}

func TestRestoreOfADatabaseUsage(t *testing.T) {
	t.Parallel()
	const db = "postgres://orth:hunter-2-secret@127.0.0.1:1/orth"
	for _, c := range []struct{ args, want string }{
		{"restore", "give an archive"},
		{"restore a --db " + db, "without an archive"},
		{"restore --dry-run --db " + db, "cannot be used"},
		{"restore --dry-run --db mysql://orth:hunter-2-secret@127.0.0.1:1/orth", "cannot be used"},
		{"restore --missed often --db " + db, "--missed"},
		{"restore --taken-at never --db " + db, "--taken-at"},
		{"restore --taken-at 2999-01-01 --db " + db, "future"},
		{"restore --yes --db " + db, "cannot be used"},
		{"restore --yes --db oracle://x:hunter-2-secret@y/z", "must begin with"},
	} {
		if r := orth(t.Context(), nil, strings.Fields(c.args)...); r.code == 0 || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "hunter-2-secret") {
			t.Errorf("%s: %d, %s", c.args, r.code, r.stderr)
		}
	}
}

// The doctor looks at a MariaDB database, from an empty one to one that servers use, and
// at a user without rights.
func TestDatabaseDoctorOfMariaDB(t *testing.T) {
	t.Parallel()
	config := dbtest.NewMySQL(t, "CHARACTER SET utf8mb4", dbtest.MariaDB)
	root := config.FormatDSN()
	db := dbtest.Open(t, "mysql", root)
	do := func(queries ...string) {
		t.Helper()
		dbtest.Must(t, db, queries...)
	}
	expect := func(when, address string, want map[string]string) {
		t.Helper()
		found := checks(t, 1, address) // the server itself does not respond
		for check, text := range want {
			status, says, _ := strings.Cut(text, ": ")
			if got := found[check]; got[0] != status || !strings.Contains(got[1], says) {
				t.Errorf("%s: %s is %v, want %s", when, check, got, text)
			}
		}
	}
	expect("empty", root, map[string]string{
		"database": "ok: writable", "database clock": "ok: matches", "schema": "warn: no tables exist", "privileges": "ok: create tables", "connections": "ok: free",
		"servers connected": "warn: no server",
	})
	s, err := mysql.Open(t.Context(), root, mysql.Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Size(t.Context()); err != nil { // it connects when it has to
		t.Fatal(err)
	}
	expect("made", root, map[string]string{"schema": "ok: up to date", "servers connected": "ok: session"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	name, user := config.DBName, config.DBName
	do("CREATE USER "+user+"@'%' IDENTIFIED BY 'reads-only'", "GRANT SELECT ON "+name+".* TO "+user+"@'%'") //nolint:unqueryvet // It is a right.
	t.Cleanup(func() { do("DROP USER " + user + "@'%'") })
	config.User, config.Passwd = user, "reads-only"
	expect("rights", config.FormatDSN(), map[string]string{"privileges": "fail: SELECT, INSERT"})
	do("GRANT SELECT, INSERT, UPDATE, DELETE ON " + name + ".* TO " + user + "@'%'")
	expect("few rights", config.FormatDSN(), map[string]string{"privileges": "warn: cannot create tables"})
	do("ALTER TABLE once_keys ENGINE = Aria")
	expect("another engine", root, map[string]string{"schema": "fail: InnoDB"})
	do("ALTER TABLE once_keys ENGINE = InnoDB ROW_FORMAT = DYNAMIC")
	do("INSERT INTO schema_versions (version_id, statements, is_applied) VALUES (9999, 1, 1)")
	expect("newer", root, map[string]string{"schema": "fail: schema version"})
}
