package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
)

// oldDatabase returns the address of a new database with a job and users as XXL-JOB has
// them.
func oldDatabase(t *testing.T) string {
	t.Helper()
	address := dbtest.NewMySQL(t, "CHARACTER SET utf8mb4", dbtest.MariaDB).FormatDSN()
	dbtest.Must(t, dbtest.Open(t, "mysql", address),
		"CREATE TABLE xxl_job_group (id INT PRIMARY KEY, app_name TEXT, title TEXT, address_type INT, address_list TEXT)",
		"CREATE TABLE xxl_job_info (id INT PRIMARY KEY, job_group INT, job_desc TEXT, executor_route_strategy TEXT, executor_handler TEXT, glue_type TEXT, schedule_type TEXT, schedule_conf TEXT)",
		"CREATE TABLE xxl_job_user (id INT PRIMARY KEY, username TEXT, password TEXT, role INT, permission TEXT)",
		"INSERT INTO xxl_job_group VALUES (1, 'etl', 'ETL', 1, '10.0.0.5:9999,10.0.0.6:9999')",
		"INSERT INTO xxl_job_info VALUES (1, 1, 'Load', 'ROUND', 'load', 'BEAN', 'CRON', '0 0 2 * * ?'), (2, 1, 'Bad', 'NEAR', 'x', 'BEAN', 'NONE', '')",
		"INSERT INTO xxl_job_user VALUES (1, 'ada', REPEAT('ab', 16), 0, '1'), (2, 'bob', REPEAT('cd', 32), 1, ''), (3, 'old', REPEAT('ef', 16), 0, '')")
	return address
}

const noSuch = `404 {"code":"not_found","detail":"it does not exist"}`

// What goes to a server: groups and jobs first, then addresses and users; who is there
// stays, and who is refused stops nobody.
func TestImportDatabaseApply(t *testing.T) {
	t.Parallel()
	address := oldDatabase(t)
	user := `{"id":"3","name":"old","kind":"user","disabled":false,"must_change_password":false,"external":false,"grants":[]}`
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "GET /jobs/load": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`}, "POST /jobs": {"201 " + byHand},
		"GET /executors": {`200 {"executors":[{"group":"etl","address":"http://10.0.0.5:9999","manual":true}]}`}, "POST /groups/etl/addresses": {`201 {"group":"etl","address":"http://10.0.0.6:9999"}`},
		"GET /users": {`200 {"users":[` + user + `]}`}, "POST /users": {`422 {"code":"invalid","detail":"password_hash: is that of a password that others try first"}`, "201 " + user},
	})
	report := filepath.Join(t.TempDir(), "report.json")
	args := []string{"import", "xxl-job", "--dsn", address, "--zone", "Asia/Shanghai", "--users", "--addresses", "--apply", "--report", report}
	dry := orth(t.Context(), server.env(), append(args, "--dry-run")...)
	if dry.code != 0 || strings.Contains(server.seen(), "POST") || !strings.Contains(dry.stdout+dry.stderr, "+ user ada: editor@default/etl") {
		t.Errorf("dry: %+v\n%s", dry, server.seen())
	}
	r := orth(t.Context(), server.env(), append(args, "--yes")...)
	sent := server.seen()
	for _, want := range []string{
		`"key":"load"`, `"cron":"0 0 2 * * ?","zone":"Asia/Shanghai"`, `"address":"http://10.0.0.6:9999"`, `"name":"ada"`, `"password_hash":"` + strings.Repeat("ab", 16),
		`"name":"bob"`, `"role":"admin","namespace":"*","group":"*"`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("sent\n%s\nwant %s in it", sent, want)
		}
	}
	if strings.Contains(sent, `"name":"old"`) || strings.Contains(sent, `"key":"bad"`) || strings.Contains(sent, "10.0.0.5") {
		t.Errorf("sent\n%s", sent)
	}
	said := r.stdout + r.stderr
	for _, want := range []string{"XXL-JOB", `xxl_job_info 2 (bad): it is left out: its route, "NEAR"`, "user old already exists", "user ada skipped", "user bob created", "1 user of 2 not created"} {
		if !strings.Contains(said, want) {
			t.Errorf("said\n%s\nwant %q in it", said, want)
		}
	}
	if r.code == 0 || strings.Contains(said, strings.Repeat("ab", 16)) {
		t.Errorf("code %d, said\n%s", r.code, said)
	}
	text, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(text), `"id": 2`) {
		t.Errorf("the report is %s, %v", text, err)
	}
}

// Of many findings of a kind the first are told, and how many more there are; the file
// of --report gets all.
func TestImportDatabaseManyFindings(t *testing.T) {
	t.Parallel()
	address := oldDatabase(t)
	dbtest.Must(t, dbtest.Open(t, "mysql", address), "INSERT INTO xxl_job_info SELECT seq, 1, 'Bad', 'NEAR', 'x', 'BEAN', 'NONE', '' FROM seq_3_to_100")
	report := filepath.Join(t.TempDir(), "report.json")
	r := orth(t.Context(), nil, "import", "xxl-job", "--dsn", address, "--zone", "UTC", "--report", report)
	if got := strings.Count(r.stderr, `its route, "NEAR"`); r.code != 0 || got != 50 || !strings.Contains(r.stderr, "49 more of kind route-unknown are not listed: use --report") {
		t.Errorf("code %d, %d findings are told:\n%s", r.code, got, r.stderr)
	}
	text, err := os.ReadFile(report)
	if got := strings.Count(string(text), `"route-unknown"`); err != nil || got != 99 {
		t.Errorf("the report has %d findings, %v", got, err)
	}
}

// Documents need no server.
func TestImportDatabaseDocuments(t *testing.T) {
	t.Parallel()
	r := orth(t.Context(), nil, "import", "orth", "--dsn", oldDatabase(t), "--zone", "UTC", "--prefix", "old-")
	if r.code != 0 || !strings.Contains(r.stdout, "key: old-load") || !strings.Contains(r.stderr, "add --addresses") {
		t.Errorf("%+v", r)
	}
}

// What is wrong with the command is told before a database is asked.
func TestImportDatabaseUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"import xxl-job": "dsn", "import xxl-job --dsn a:b@tcp(x)/y --users": "--apply", "import xxl-job --dsn a:b@tcp(x)/y --role admin": "--role",
		"import xxl-job --dsn nonsense": "--dsn", "import xxl-job --dsn a:b@tcp(x)/y --password-file testdata/none": "testdata/none",
	} {
		if r := orth(t.Context(), nil, strings.Split(args, " ")...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
}
