package database

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mariadb returns a new database of a real server, and the address of who may only read
// it.
func mariadb(t *testing.T, statements ...string) (db *sql.DB, reader string) {
	t.Helper()
	config := dbtest.NewMySQL(t, "CHARACTER SET utf8mb4", dbtest.MariaDB)
	db = dbtest.Open(t, "mysql", config.FormatDSN())
	dbtest.Must(t, db, statements...)
	return db, dbtest.Reader(t, config).FormatDSN()
}

func source(t *testing.T, address string) *Source {
	t.Helper()
	s, err := Open(address, "", redacted.Text{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// The tables of every release are read by somebody who may do nothing else, and come to
// the same jobs.
func TestReadReleases(t *testing.T) {
	t.Parallel()
	versions := map[string]string{
		"2.2": "XXL-JOB 2.2 or older", "2.3": "XXL-JOB 2.3 or 2.4", "2.5": "XXL-JOB 2.5 to 3.1", "3.2": "XXL-JOB 3.2 or 3.3", "3.4": "XXL-JOB 3.4",
		"3.5": "XXL-JOB 3.5", "orth": "the Java Orth",
	}
	for _, release := range releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			_, reader := mariadb(t, append(schemaOf(release), contentsOf(release)...)...)
			found, err := source(t, reader).Read(t.Context(), "", true)
			if err != nil {
				t.Fatal(err)
			}
			if found.Prefix != prefixOf(release) || found.Versions[2] != 2 || found.ZoneFrom == "" {
				t.Errorf("prefix %q, versions %v, zone of %q", found.Prefix, found.Versions, found.ZoneFrom)
			}
			turned, err := found.Turn(xxlimport.InstallationOptions{Namespace: "default", Zone: "UTC", Role: "editor"})
			if err != nil {
				t.Fatal(err)
			}
			if turned.Version != versions[release] {
				t.Errorf("it is %q, want %q", turned.Version, versions[release])
			}
			files, err := manifest.Files(turned.Objects, false)
			if err != nil {
				t.Fatal(err)
			}
			documents := ""
			for _, file := range files {
				documents += string(file.Text)
			}
			for _, want := range []string{
				"title: 报表", "key: nightly-report\n", "cron: 0 30 2 * * ?", "route: failover", "overlap: cover", "timeout: 1m0s", "tries: 2", "param: 每日",
				"key: job-2\n", `echo "日"`, "- ops@example.com", "author: ada", "overlap_scope: executor",
			} {
				if !strings.Contains(documents, want) {
					t.Errorf("the documents lack %q:\n%s", want, documents)
				}
			}
			if java := strings.Contains(documents, "template: job-2") && strings.Contains(documents, "concurrency: 3"); java != (release == "orth") {
				t.Errorf("the job with a template is wrong:\n%s", documents)
			}
			if len(turned.Addresses) != 2 || turned.Addresses[0].URL != "http://10.0.0.5:9999" {
				t.Errorf("addresses %v", turned.Addresses)
			}
			if len(turned.Users) != 2 || turned.Users[1].Name != "ada" || len(turned.Users[1].Grants) != 1 {
				t.Errorf("users %v", turned.Users)
			}
		})
	}
}

// Tables of which some have been changed by hand, and others have gone, are read as far
// as they are there; the names of tables do not matter.
func TestReadMixed(t *testing.T) {
	t.Parallel()
	_, reader := mariadb(t,
		"CREATE TABLE `my-jobs_info` (ID INT PRIMARY KEY, JOB_GROUP INT, job_desc TEXT, executor_route_strategy TEXT, executor_handler TEXT, glue_type TEXT)",
		"CREATE TABLE `my-jobs_group` (id INT PRIMARY KEY, app_name TEXT)",
		"INSERT INTO `my-jobs_group` VALUES (3, 'etl')", "INSERT INTO `my-jobs_info` VALUES (9, 3, 'Load', 'ROUND', 'load', 'BEAN')",
		"CREATE TABLE other_info (id INT)")
	found, err := source(t, reader).Read(t.Context(), "", true)
	if err != nil || len(found.Jobs) != 1 || found.Jobs[0]["job_group"] != "3" || found.Jobs[0]["id"] != "9" {
		t.Fatalf("jobs %v, %v", found.Jobs, err)
	}
	turned, err := found.Turn(xxlimport.InstallationOptions{Namespace: "default"})
	if err != nil || len(turned.Objects) != 2 {
		t.Errorf("%v, %v: %v", turned.Objects, err, turned.Notes)
	}
}

// More rows than a page has are read, each once, and so are those with odd numbers.
func TestReadPages(t *testing.T) {
	t.Parallel()
	const many = 3*page + 7
	statements := schemaOf("3.4")
	statements = append(statements, "INSERT INTO xxl_job_group (app_name, title) VALUES ('a', 'A')",
		"INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type) VALUES (-5, 1, 'j0', 'BEAN')",
		fmt.Sprintf("INSERT INTO xxl_job_info (job_group, job_desc, glue_type, executor_handler) SELECT 1, CONCAT('j', seq), 'BEAN', 'h' FROM seq_1_to_%d", many))
	_, reader := mariadb(t, statements...)
	found, err := source(t, reader).Read(t.Context(), "xxl_job_", false)
	if err != nil || len(found.Jobs) != many+1 || found.Users != nil {
		t.Fatalf("%d jobs and %d users, %v", len(found.Jobs), len(found.Users), err)
	}
	for i, r := range found.Jobs {
		if r["job_desc"] != fmt.Sprintf("j%d", i) {
			t.Fatalf("job %d is %v", i, r)
		}
	}
}

// What is written while a database is read is not seen, and nothing can be written in
// the session that reads.
func TestReadSnapshot(t *testing.T) {
	t.Parallel()
	db, _ := mariadb(t, append(schemaOf("3.4"), contentsOf("3.4")...)...)
	err := writer(t, db).snapshot(t.Context(), "", func(r *reading) error {
		if _, err := r.readRows(t.Context(), xxlimport.TableGroups, 10, "id"); err != nil {
			return err
		}
		dbtest.Must(t, db, "DELETE FROM xxl_job_info")
		jobs, err := r.readRows(t.Context(), xxlimport.TableJobs, 10, "id")
		if err != nil || len(jobs) != 2 {
			t.Errorf("%d jobs, %v; want the 2 of the snapshot", len(jobs), err)
		}
		if _, err := r.tx.ExecContext(t.Context(), "INSERT INTO xxl_job_lock VALUES ('x')"); err == nil {
			t.Error("the session can write")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Errors say what to do, and never show a password.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	twice := append(schemaOf("3.4"), schemaOf("orth")...)
	db, reader := mariadb(t, twice...)
	config, err := mysql.ParseDSN(reader)
	if err != nil {
		t.Fatal(err)
	}
	config.Passwd = "hunter-2-wrong"
	wrong := config.FormatDSN()
	config.Addr, config.Net = "127.0.0.1:1", "tcp"
	nobody := config.FormatDSN()
	dbtest.Must(t, db, "CREATE TABLE odd_info (id INT PRIMARY KEY, executor_route_strategy INT, glue_type INT)", "CREATE TABLE odd_group (app_name INT)")
	for _, c := range []struct {
		name, address, prefix, want string
		kind                        job.Kind
	}{
		{"a wrong password", wrong, "", "--password-file", job.Forbidden},
		{"no server", nobody, "", "nothing answers there: look at the host and the port", job.Unavailable},
		{"two installations", reader, "", "--table-prefix", job.Invalid},
		{"another prefix", reader, "none_", "xxl_job_", job.Invalid},
		{"no id", reader, "odd_", "odd_group has no column id", job.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := source(t, c.address).Read(t.Context(), c.prefix, true)
			if !job.Is(err, c.kind) {
				t.Fatalf("got %v, want the kind %v", err, c.kind)
			}
			told := err.Error()
			if said, ok := errors.AsType[*job.Error](err); ok {
				told += " " + said.Field + " " + said.Hint
			}
			if !strings.Contains(told, c.want) || strings.Contains(told, "hunter") {
				t.Errorf("told %q, want %q in it and no password", told, c.want)
			}
		})
	}
}

// What takes connections and says nothing, as other databases do, is not waited for.
func TestReadWithoutGreeting(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	s := source(t, "u:hunter2@tcp("+silent.Addr().String()+")/xxl_job")
	s.patience = 50 * time.Millisecond
	_, err = s.Read(t.Context(), "", false)
	said, ok := errors.AsType[*job.Error](err)
	if !ok || said.Kind != job.Unavailable || !strings.Contains(said.Message, "nothing greets there within 50ms") || !strings.Contains(said.Hint, "no MySQL") {
		t.Errorf("got %v", err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, user, place, name, zone, signs string }{
		{"u:p@tcp(db:3307)/xxl_job", "", "db:3307", "xxl_job", "", "u:p "},
		{"u:p@tcp(db)/xxl_job", "w", "db:3306", "xxl_job", "", "w:p "},
		{"mysql://u:p%40@db/x", "", "db:3306", "x", "", "u:p@ preferred"},
		{
			"jdbc:mysql://127.0.0.1:3306/xxl_job?useUnicode=true&characterEncoding=UTF-8&autoReconnect=true&serverTimezone=Asia/Shanghai", "root",
			"127.0.0.1:3306", "xxl_job", "Asia/Shanghai", "root: preferred",
		},
		{"jdbc:mysql://db/x?useSSL=false&user=a&password=b", "", "db:3306", "x", "", "a:b "},
		{"jdbc:mysql://db/x?sslMode=VERIFY_IDENTITY", "", "db:3306", "x", "", ": true"},
		{"mysql://db/x?sslMode=REQUIRED", "", "db:3306", "x", "", ": skip-verify"},
	} {
		config, zone, err := parse(c.address)
		if err != nil {
			t.Errorf("%s: %v", c.address, err)
			continue
		}
		if c.user != "" {
			config.User = c.user
		}
		if signs := config.User + ":" + config.Passwd + " " + config.TLSConfig; config.Addr != c.place || config.DBName != c.name || zone != c.zone || signs != c.signs {
			t.Errorf("%s: %s %s %q %q", c.address, config.Addr, config.DBName, zone, signs)
		}
	}
	for _, bad := range []string{"", "hunter2", "mysql://", "jdbc:oracle://hunter2@db/x", "jdbc:mysql://a:1,b:2/hunter2", "u:hunter2@tcp(db:3306)/", "mysql://db", "u:hunter2@tcp(db"} {
		s, err := Open(bad, "", redacted.Text{}, nil)
		if s != nil || !job.Is(err, job.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// Tables of wrong types, and rows of nonsense, are read as far as they say anything: each
// row that is not taken over is told, and none stops the others.
func TestReadNonsense(t *testing.T) {
	t.Parallel()
	_, reader := mariadb(t,
		"SET SESSION sql_mode = ''",
		"CREATE TABLE xxl_job_group (id INT, app_name VARBINARY(200), title BLOB, address_type VARCHAR(20), address_list TEXT)",
		"INSERT INTO xxl_job_group VALUES (1, 'etl', x'ff00fe', NULL, NULL), (2, 'etl', NULL, 'many', 'x y,,://,http://[::1'), (3, NULL, NULL, NULL, NULL), (4, x'c328', '', '', ''), (NULL, 'lost', '', '', '')", //nolint:dupword // they are columns
		"CREATE TABLE xxl_job_info (id VARCHAR(20), job_group VARCHAR(20), job_desc BLOB, author TEXT, alarm_email TEXT, schedule_type TEXT, schedule_conf TEXT, misfire_strategy TEXT, "+
			"executor_route_strategy TEXT, executor_handler TEXT, executor_param LONGTEXT, executor_block_strategy TEXT, executor_timeout DOUBLE, executor_fail_retry_count BIGINT UNSIGNED, "+
			"glue_type TEXT, glue_source LONGTEXT, glue_remark TEXT, child_jobid TEXT, trigger_status TEXT, trigger_next_time TEXT, update_time VARCHAR(40))",
		"INSERT INTO xxl_job_info (id, job_group, job_desc, executor_handler, glue_type, child_jobid) VALUES ('1', '1', 'one', 'h', 'BEAN', '2'), ('2', '1', 'two', 'h', 'BEAN', '3'), ('3', '1', 'three', 'h', 'BEAN', '1,1,x,-5,99999999999999999999')",
		"INSERT INTO xxl_job_info (id, job_group, schedule_type, schedule_conf, executor_handler, glue_type) VALUES ('4', '1', 'CRON', '0 0 0 30 2 ?', 'h', 'BEAN'), ('5', '1', 'CRON', REPEAT('*', 100000), 'h', 'BEAN'), ('6', '1', 'FIX_RATE', '-1', 'h', 'BEAN')",
		"INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, glue_source) VALUES ('7', '1', x'1b5b324aff', 'GLUE_SHELL', REPEAT('x', 16 << 20))",
		"INSERT INTO xxl_job_info (id, job_group, executor_handler, executor_timeout, executor_fail_retry_count, update_time, trigger_next_time) VALUES ('8', 'x', 'h', 1e300, 18446744073709551615, '0000-00-00 00:00:00', '9223372036854775807'), (NULL, '1', 'h', 0, 0, '', ''), ('x', '1', 'h', 0, 0, '', '')",
		"CREATE TABLE xxl_job_logglue (id INT, job_id VARCHAR(20), glue_type TEXT, glue_source TEXT, update_time TEXT)",
		"INSERT INTO xxl_job_logglue VALUES (1, NULL, '', '', ''), (2, 'x', '', '', ''), (3, '1', '', '', '')",
		"CREATE TABLE xxl_job_user (id INT, username BLOB, password TEXT, role TEXT, permission TEXT)",
		"INSERT INTO xxl_job_user VALUES (1, 'ann', 'no-hash-a-secret', '1', NULL), (2, NULL, NULL, NULL, NULL), (3, x'ff', REPEAT('a', 32), 'x', ',,1,x,99'), (4, 'bob', '$2a$99$aaaa', '0', ''), (5, 'eve', REPEAT('0', 32), '0', '1,1,2,77')") //nolint:dupword // they are columns
	found, err := source(t, reader).Read(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := found.Turn(xxlimport.InstallationOptions{Namespace: "default", Zone: "UTC", Role: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for i := range turned.Objects {
		keys = append(keys, turned.Objects[i].Key)
	}
	if got := strings.Join(keys, " "); got != "etl one two three" {
		t.Errorf("made of it: %s", got)
	}
	if len(turned.Users) != 1 || turned.Users[0].Name != "eve" {
		t.Errorf("users %v", turned.Users)
	}
	notes := ""
	for _, n := range turned.Notes {
		notes += n.String() + "\n"
	}
	for _, want := range []string{
		"xxl_job_group 2 (etl): it has the name of group 1", "xxl_job_group 3: it is left out", "xxl_job_group 4: it is left out", "child_jobid 1 is left out: that job starts this one again",
		`xxl_job_group (lost): it is left out: its id, "", is no number`, `xxl_job_info: it is left out: its id, "x", is no number`, `xxl_job_info: it is left out: its id, "", is no number`,
		"xxl_job_info 4 (", "xxl_job_info 5 (", "xxl_job_info 6 (", "xxl_job_info 7 (", "xxl_job_info 8 (", "xxl_job_user 1 (ann): it is left out",
		"xxl_job_user 2: it is left out", "xxl_job_user 3: it is left out", "xxl_job_user 4 (bob): it is left out",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("nothing tells %q", want)
		}
	}
	if strings.Contains(notes, "a-secret") || len(notes) > 20_000 {
		t.Errorf("a password is told, or too much: %d bytes", len(notes))
	}
	if t.Failed() {
		t.Logf("%.20000s", notes)
	}
}
