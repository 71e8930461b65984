package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/reconcile/imports"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/xxlimport"
	olddb "github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// oldDatabase returns the address, by TCP, of a new database with what XXL-JOB has, and
// of who may only read it, with the password of that one.
func oldDatabase(t *testing.T) (address, user, password string) {
	t.Helper()
	config := dbtest.NewMySQL(t, "CHARACTER SET utf8mb4", dbtest.MariaDB)
	reader, db := dbtest.Reader(t, config), dbtest.Open(t, "mysql", config.FormatDSN())
	dbtest.Must(t, db,
		"CREATE TABLE xxl_job_group (id INT PRIMARY KEY, app_name TEXT, title TEXT, address_type INT, address_list TEXT)",
		"CREATE TABLE xxl_job_info (id INT PRIMARY KEY, job_group INT, job_desc TEXT, executor_route_strategy TEXT, executor_handler TEXT, glue_type TEXT, schedule_type TEXT, schedule_conf TEXT, child_jobid TEXT)",
		"CREATE TABLE xxl_job_user (id INT PRIMARY KEY, username TEXT, password TEXT, role INT, permission TEXT)",
		"INSERT INTO xxl_job_group VALUES (1, 'etl', 'ETL', 1, '10.0.0.5:9999')",
		"INSERT INTO xxl_job_info VALUES (1, 1, 'Load', 'ROUND', 'load', 'BEAN', 'CRON', '0 0 2 * * ?', '3'), (2, 1, 'Bad', 'NEAR', 'x', 'BEAN', 'NONE', '', ''), (3, 1, 'Mail', 'ROUND', 'mail', 'BEAN', 'NONE', '', '')",
		"INSERT INTO xxl_job_user VALUES (1, 'ada', REPEAT('ab', 16), 0, '1'), (2, 'bob', MD5('123456'), 0, '')")
	var port int
	if err := db.QueryRowContext(t.Context(), "SELECT @@port").Scan(&port); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("jdbc:mysql://127.0.0.1:%d/%s?useSSL=false", port, config.DBName), reader.User, reader.Passwd
}

// importing runs a server that takes over what other schedulers have.
func importing(t *testing.T) *fortress {
	t.Helper()
	reach, err := egress.New(egress.Config{Private: true})
	if err != nil {
		t.Fatal(err)
	}
	f := new(fortress)
	f.Server = beginWith(t, Config{
		NoFirstUser: true, Data: t.TempDir(), Listen: "127.0.0.1:0", APIToken: redacted.New("programs-" + strings.Repeat("k", 32)),
		Logger: slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Imports: &imports.Importer{Read: func(ctx context.Context, wanted *api.NewImport) (xxlimport.Contents, error) {
			source, err := olddb.Open(wanted.Address, wanted.User, redacted.New(wanted.Password), reach.Dial)
			if err != nil {
				return xxlimport.Contents{}, err
			}
			defer func() { _ = source.Close() }()
			return source.Read(ctx, wanted.TablePrefix, wanted.Users)
		}},
	})
	return f
}

func asking(t *testing.T, f *fortress) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{Address: f.URL(), Token: f.config.APIToken.Reveal()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// inShort returns what became of the things of an import.
func inShort(report *api.Import) string {
	text := ""
	for _, item := range report.Items {
		text += fmt.Sprintln(item.Kind, item.Key, item.Action, item.Result)
	}
	return text
}

// A database is looked at, taken over with all that is in it, and taken over again
// without a change; who is refused stops nobody. The password is nowhere.
func TestImportDatabase(t *testing.T) {
	t.Parallel()
	address, user, password := oldDatabase(t)
	f := importing(t)
	c := asking(t, f)
	wanted := api.NewImport{
		Kind: api.ImportDatabase, DryRun: true, Address: address, User: user, Password: password, Zone: "Asia/Shanghai", Users: true, Executors: true, Start: true,
	}
	dry, err := c.Import(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	planned := "group etl create planned\njob load create planned\njob mail create planned\nexecutor http://10.0.0.5:9999 create planned\nuser ada create planned\nuser bob create planned\n"
	if got := inShort(&dry); got != planned {
		t.Errorf("it would do\n%swant\n%s", got, planned)
	}
	if dry.Found != (api.ImportFound{Groups: 1, Jobs: 3, Links: 1, Users: 2, Executors: 1}) || len(dry.Findings) == 0 || dry.Findings[0].Table != "xxl_job_info" || dry.Findings[0].Row != 2 {
		t.Errorf("found %+v, told %+v", dry.Found, dry.Findings)
	}
	if _, err := c.Job(t.Context(), "load"); !job.Is(err, job.NotFound) {
		t.Errorf("after a look the job is there: %v", err)
	}
	wanted.DryRun = false
	done, err := c.Import(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(strings.ReplaceAll(planned, "planned", "done"), "bob create done", "bob create failed")
	if got := inShort(&done); got != want {
		t.Errorf("it did\n%swant\n%s%+v", got, want, done.Items)
	}
	load, err := c.Job(t.Context(), "load")
	if err != nil || load.Schedule.Zone != "Asia/Shanghai" || len(load.Children) != 1 || load.Children[0].Key != "mail" {
		t.Errorf("the job is %+v, %v", load, err)
	}
	again, err := c.Import(t.Context(), wanted)
	if err != nil || strings.Contains(inShort(&again), "done") || !strings.Contains(inShort(&again), "job load none left") {
		t.Errorf("again it did\n%s%v", inShort(&again), err)
	}
	lines := askAPI(t, f.Server, http.MethodGet, "/audit?limit=200", "").body
	if strings.Count(lines, `"operation":"import"`) != 3 || !strings.Contains(lines, `"operation":"create-job"`) {
		t.Errorf("the audit has\n%s", lines)
	}
	if strings.Contains(lines+f.log.String()+fmt.Sprint(done), password) {
		t.Error("the password is in the audit, the log or the report")
	}
}

// What is wrong is told at the field that it is about, and shows no password.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	c := asking(t, importing(t))
	for name, one := range map[string]struct {
		wanted api.NewImport
		field  string
		kind   job.Kind
	}{
		"no address":       {api.NewImport{Kind: api.ImportDatabase}, "address", job.Invalid},
		"no database":      {api.NewImport{Kind: api.ImportDatabase, Address: "mysql://u:hunter2@db"}, "address", job.Invalid},
		"a socket":         {api.NewImport{Kind: api.ImportDatabase, Address: "u:hunter2@unix(/run/mysqld.sock)/x"}, "address", job.Invalid},
		"nobody there":     {api.NewImport{Kind: api.ImportDatabase, Address: "u:hunter2@tcp(127.0.0.1:1)/x"}, "address", job.Unavailable},
		"a cloud's own":    {api.NewImport{Kind: api.ImportDatabase, Address: "u:hunter2@tcp(169.254.169.254:80)/x"}, "address", job.Refused},
		"a namespace":      {api.NewImport{Kind: api.ImportCrontab, Namespace: "No Name"}, "namespace", job.Invalid},
		"no group":         {api.NewImport{Kind: api.ImportCrontab, Text: "@daily true"}, "group", job.Invalid},
		"a wrong prefix":   {api.NewImport{Kind: api.ImportCrontab, Text: "@daily true", Group: "g", Prefix: "A b"}, "prefix", job.Invalid},
		"no JSON":          {api.NewImport{Kind: api.ImportJSON, Text: "{", Group: "g"}, "text", job.Invalid},
		"a number of none": {api.NewImport{Kind: api.ImportJSON, Text: "[]", Groups: map[string]string{"x": "g"}}, "groups", job.Invalid},
	} {
		_, err := c.Import(t.Context(), one.wanted)
		said, _ := err.(*job.Error) //nolint:errorlint // It is what the client returns.
		if !job.Is(err, one.kind) || said == nil || said.Field != one.field || strings.Contains(fmt.Sprint(err, said.Hint), "hunter2") || strings.Contains(fmt.Sprint(err, said.Hint), "--") {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// Texts need no database. Only who may do everything on the server imports.
func TestImportTexts(t *testing.T) {
	t.Parallel()
	f := importing(t)
	c := asking(t, f)
	table := "CRON_TZ=Europe/Berlin\n# Tidy up\n30 2 * * * /usr/bin/tidy\n@reboot nothing\n"
	made, err := c.Import(t.Context(), api.NewImport{Kind: api.ImportCrontab, Text: table, Group: "g", Prefix: "host1-", Namespace: "ops"})
	if err != nil || inShort(&made) != "job host1-tidy create done\n" || len(made.Findings) == 0 || made.Findings[len(made.Findings)-1].Line != 4 {
		t.Errorf("a table of cron: %+v, %v", made, err)
	}
	export := `[{"id": 5, "jobGroup": 1, "jobDesc": "Old one", "executorHandler": "old", "glueType": "BEAN", "scheduleType": "NONE", "executorRouteStrategy": "FIRST", "executorBlockStrategy": "SERIAL_EXECUTION", "misfireStrategy": "DO_NOTHING"}]`
	made, err = c.Import(t.Context(), api.NewImport{Kind: api.ImportJSON, Text: export, Groups: map[string]string{"1": "g"}})
	if err != nil || inShort(&made) != "job old-one create done\n" {
		t.Errorf("an export: %+v, %v", made, err)
	}
	answer := askAPI(t, f.Server, http.MethodPost, "/users", `{"name":"pat","kind":"service","grants":[{"role":"owner","namespace":"*","group":"*"}]}`)
	token := askAPI(t, f.Server, http.MethodPost, "/users/pat/tokens", `{"label":"x"}`)
	if answer.StatusCode != http.StatusCreated || token.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", answer.body, token.body)
	}
	_, rest, _ := strings.Cut(token.body, `"token":"`)
	held, _, _ := strings.Cut(rest, `"`)
	pat, err := client.New(client.Config{Address: f.URL(), Token: held})
	if err != nil {
		t.Fatal(err)
	}
	defer pat.Close()
	if _, err := pat.Import(t.Context(), api.NewImport{Kind: api.ImportCrontab, Text: table, Group: "g"}); !job.Is(err, job.Forbidden) {
		t.Errorf("who owns all but the server: %v", err)
	}
}
