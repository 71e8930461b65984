package app

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// knock posts to the wire, as an executor that shows the token and, unless it is
// empty, the name of a group.
func knock(t *testing.T, s *Server, token, group, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header["XXL-JOB-ACCESS-TOKEN"] = []string{token}
	if group != "" {
		r.Header["XXL-JOB-APPNAME"] = []string{group}
	}
	return send(t, r)
}

// send makes a request and returns the status and the body of the answer.
func send(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// tokenOf makes a token of a group.
func tokenOf(t *testing.T, s *Server, group string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1/groups/"+group+"/tokens", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.config.APIToken.Reveal())
	r.Header.Set("Content-Type", "application/json")
	status, text := send(t, r)
	var made struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s: %v", status, text, err)
	}
	return made.Token
}

// passing are the columns that time alone changes.
func passing() []string { return []string{"seen_at", "used_at", "lease_until", "last_used_at"} }

// rows returns everything in the database, one line for each row, but for what the server
// writes by itself: leases, where the engine of alarms stands, and when a log is copied.
func rows(t *testing.T, s *Server) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(s.config.Data, "orth.db"))+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var text strings.Builder
	for _, table := range column(t, db, `SELECT name FROM sqlite_schema
		WHERE type = 'table' AND name NOT IN ('leases', 'alarm_cursor', 'run_logs') ORDER BY name`) {
		lines := dump(t, db, table)
		slices.Sort(lines)
		fmt.Fprintf(&text, "%s\n%s\n", table, strings.Join(lines, "\n"))
	}
	return text.String()
}

func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var values []string
	for found.Next() {
		var value string
		if err := found.Scan(&value); err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}

func dump(t *testing.T, db *sql.DB, table string) []string {
	t.Helper()
	var columns []string
	for _, name := range column(t, db, `SELECT name FROM pragma_table_info('`+table+`')`) {
		if !slices.Contains(passing(), name) {
			columns = append(columns, `quote("`+name+`")`)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return column(t, db, `SELECT `+strings.Join(columns, ` || ' ' || `)+` FROM "`+table+`"`)
}

const (
	done    = `{"code":200,"msg":"Success","data":null,"success":true}`
	illegal = `{"code":500,"msg":"Job ID is illegal","data":null,"success":false}`
	addForm = `{"name":"Report","author":"ada","scheduleType":"%s","scheduleConf":"%s","glueType":"BEAN","executorHandler":"hello","executorParam":"own",` +
		`"executorRouteStrategy":"ROUND","misfireStrategy":"DO_NOTHING","executorBlockStrategy":"SERIAL_EXECUTION"%s}`
)

// addJob makes a job by a call and returns its id.
func addJob(t *testing.T, s *Server, token, group, body string) int64 {
	t.Helper()
	_, text := knock(t, s, token, group, "/api/addJob", body)
	var reply struct {
		Code int
		Data string
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || reply.Code != 200 {
		t.Fatalf("addJob: %s", text)
	}
	id, err := strconv.ParseInt(reply.Data, 10, 32)
	if err != nil {
		t.Fatalf("addJob: the id %q: %v", reply.Data, err)
	}
	return id
}

// TestJobCalls follows a job through the calls by which an executor keeps it. It
// covers A29, A30 and A32.
func TestJobCalls(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, ctx, token := s.Jobs(), t.Context(), tokenOf(t, s, "g")
	create(t, c, "child", schedule.Spec{Kind: schedule.KindManual})
	calls := func(name, body, want string) {
		t.Helper()
		status, got := knock(t, s, token, "g", "/xxl-job-admin/api/"+name, body)
		if status != http.StatusOK || !strings.HasPrefix(got, want) {
			t.Fatalf("%s %s: %d %s; want %s", name, body, status, got, want)
		}
	}
	id := addJob(t, s, token, "", fmt.Sprintf(addForm, "CRON", "0 0 2 * * ?", `,"alarmEmail":"ann@example.com, bob@example.com"`))
	look := func() job.Job { return find(t, c, "report") }
	j := look()
	if j.ID != id || j.Enabled || j.Group != "g" || j.Title != "Report" || j.Version != 1 || j.Labels["author"] != "ada" {
		t.Fatalf("the new job is %+v", j)
	}
	if diff := cmp.Diff([]string{"ann@example.com", "bob@example.com"}, j.AlarmEmails); diff != "" {
		t.Errorf("alarm mails (-want +got):\n%s", diff)
	}
	with := func(fields string) string { return fmt.Sprintf(`{"id":%d%s}`, id, fields) }

	// A30: children stay.
	_, err := c.UpdateJob(ctx, "", "report", 0, func(j job.Job) (job.Job, error) {
		j.Children = []job.Child{{JobID: find(t, c, "child").ID}}
		return j, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	calls("updateJob", with(`,"name":"Daily","executorFailRetryCount":2,"childJobId":""`), done)
	if j = look(); len(j.Children) != 1 || j.Title != "Daily" || j.Retry.Tries != 2 || j.Param != "own" || j.Version != 3 {
		t.Fatalf("the changed job is %+v", j)
	}
	calls("updateJob", with(`,"name":"Daily"`), done)
	if j = look(); j.Version != 3 {
		t.Errorf("a change that is none made version %d", j.Version)
	}
	calls("updateJob", with(`,"executorHandler":""`), `{"code":500,"msg":"handler.name: is missing`)
	calls("updateJob", with(`,"executorTimeout":99999999`), `{"code":500,"msg":"timeout: `)

	calls("startJob", with(""), done)
	if j = look(); !j.Enabled || j.NextAt.IsZero() {
		t.Errorf("the started job is %+v", j)
	}
	calls("startJob", with(""), done)
	calls("updateJob", with(`,"scheduleConf":"0 0 3 * * ?"`), done)
	if now := look(); now.NextAt.Equal(j.NextAt) || now.NextAt.Hour() != 3 {
		t.Errorf("it fires next at %s, and was to at %s", now.NextAt, j.NextAt)
	}
	calls("stopJob", with(""), done)
	if look().Enabled {
		t.Error("it is not stopped")
	}

	// A29, otherwise: absent is the job's own, empty is empty.
	for fields, want := range map[string]*string{"": nil, `,"executorParam":null`: nil, `,"executorParam":""`: new(""), `,"executorParam":"x"`: new("x")} {
		calls("triggerJob", with(fields), done)
		runs, err := c.Runs(ctx, jobrows.RunFilter{JobID: id, Limit: 1})
		if err != nil || len(runs) != 1 || !cmp.Equal(runs[0].Param, want) {
			t.Errorf("triggered with %s: %+v, %v", fields, runs, err)
		}
	}

	// A32.
	other := addJob(t, s, token, "g", fmt.Sprintf(addForm, "NONE", "", ""))
	calls("startJob", fmt.Sprintf(`{"id":%d}`, other), `{"code":500,"msg":"The current schedule type disables startup"`)
	calls("startJob", `{"id":4711}`, illegal)
	calls("removeJob", `{"id":4711}`, done)
	calls("removeJob", with(""), done)
	calls("removeJob", with(""), done)
	calls("stopJob", with(""), illegal)
	calls("updateJob", with(""), `{"code":500,"msg":"Job IDnot exist"`)
	if _, err := c.Job(ctx, "", "report"); !job.Is(err, job.NotFound) {
		t.Errorf("the removed job: %v", err)
	}
}

// TestJobCallsOfOthers: what a group has no right to changes not one row, whoever
// calls.
func TestJobCallsOfOthers(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, AdmitSharedToken: redacted.New("what-all-executors-have")})
	mine, theirs, servers := tokenOf(t, s, "g"), tokenOf(t, s, "h"), s.config.AdmitSharedToken.Reveal()
	id := addJob(t, s, mine, "", fmt.Sprintf(addForm, "CRON", "0 0 2 * * ?", ""))
	groupID := find(t, s.Jobs(), "report").GroupID
	knock(t, s, theirs, "", "/api/triggerJob", `{"id":0}`) // so that the use of the token is written
	before := rows(t, s)
	if !strings.Contains(before, "Report") {
		t.Fatalf("the job is not in the rows:\n%s", before)
	}
	for _, c := range []struct {
		token, group string
		job          int64
		wrong        string // begins all answers; empty: as if the job did not exist
	}{
		{theirs, "", id, ""},
		{theirs, "h", id, ""},
		{servers, "h", id, ""},
		{servers, "nobody", id, ""},
		{mine, "g", id + 1000, ""},
		{theirs, "g", id, "invalid request, accessToken or appname invalid."},
		{servers, "", id, "invalid request, accessToken or appname is empty."},
		{"", "g", id, ""},
		{"default_token", "g", id, ""},
	} {
		known := c.token == mine || c.token == theirs || c.token == servers
		for name, want := range map[string]string{
			"updateJob": `{"code":500,"msg":"Job IDnot exist"`, "removeJob": done, "startJob": illegal, "stopJob": illegal, "triggerJob": illegal,
		} {
			_, got := knock(t, s, c.token, c.group, "/api/"+name, fmt.Sprintf(`{"id":%d,"name":"taken"}`, c.job))
			if c.wrong != "" {
				want = `{"code":500,"msg":"` + c.wrong
			}
			if known && !strings.HasPrefix(got, want) || !known && !strings.HasPrefix(got, `{"code":500,`) {
				t.Errorf("%s as %q of job %d: %s; want %s", name, c.group, c.job, got, want)
			}
		}
	}
	// A new job is one of the caller's group, and of no other.
	for _, c := range []struct{ token, group string }{{theirs, ""}, {servers, "h"}, {servers, "nobody"}} {
		for _, wanted := range []int64{groupID, 4711, -1} {
			_, got := knock(t, s, c.token, c.group, "/api/addJob", fmt.Sprintf(addForm, "NONE", "", fmt.Sprintf(`,"jobGroup":%d`, wanted)))
			if !strings.HasPrefix(got, `{"code":500,"msg":"please choose Executor`) {
				t.Errorf("a job for group %d as %q: %s", wanted, c.group, got)
			}
		}
	}
	if diff := cmp.Diff(before, rows(t, s)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	addJob(t, s, mine, "", fmt.Sprintf(addForm, "NONE", "", fmt.Sprintf(`,"jobGroup":%d`, groupID)))
	addJob(t, s, servers, "g", fmt.Sprintf(addForm, "NONE", "", fmt.Sprintf(`,"jobGroup":"%d"`, groupID)))
}

// TestJobCallsWithAKnownToken: who shows what everybody knows may register for the
// time of a migration, and has no say about jobs.
func TestJobCallsWithAKnownToken(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", AdmitDefaultTokens: []string{"default_token"}, NoFirstUser: true})
	const registration = `{"registryGroup":"EXECUTOR","registryKey":"g","registryValue":"http://127.0.0.1:1/"}`
	if _, got := knock(t, s, "default_token", "g", "/api/registry", registration); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	before := rows(t, s)
	for _, name := range []string{"addJob", "updateJob", "removeJob", "startJob", "stopJob", "triggerJob"} {
		_, got := knock(t, s, "default_token", "g", "/api/"+name, fmt.Sprintf(addForm, "NONE", "", `,"id":1`))
		if !strings.HasPrefix(got, `{"code":500,"msg":"invalid request, accessToken or appname invalid. (everybody knows the token shown`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if diff := cmp.Diff(before, rows(t, s)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
}

// TestTriggerJobAddresses: a run is sent to executors of the group alone, and to
// nobody else is even a connection made.
func TestTriggerJobAddresses(t *testing.T) {
	t.Parallel()
	s := begin(t)
	token := tokenOf(t, s, "g")
	id := addJob(t, s, token, "", fmt.Sprintf(addForm, "NONE", "", ""))
	listening, touched := new(net.ListenConfig), make(chan string, 10)
	canary, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(touched)
		for {
			conn, err := canary.Accept()
			if err != nil {
				return
			}
			touched <- conn.RemoteAddr().String()
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(canary.Addr().String())

	// The group's own executor is another port that nobody listens at.
	const own = "http://127.0.0.1:1/"
	register := func(group, address string) {
		t.Helper()
		body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, group, address)
		if _, got := knock(t, s, madeFor(s, group), "", "/api/registry", body); !strings.Contains(got, `"code":200`) {
			t.Fatal(got)
		}
	}
	register("g", own)
	register("h", "http://127.0.0.1:2/")
	until(t, "both executors are known", func() bool {
		executors, err := s.Jobs().Executors(t.Context())
		return err == nil && len(executors) == 2
	})
	for _, address := range []string{
		"http://127.0.0.1:" + port, "http://127.0.0.1:" + port + "/", "http://[::1]:" + port, "http://0:" + port, "http://0x7f000001:" + port,
		"http://2130706433:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://127.0.0.1:1@127.0.0.1:" + port, "http://127.0.0.1:1#@127.0.0.1:" + port,
		"127.0.0.1:" + port, "https://127.0.0.1:" + port, "http://169.254.169.254/", "file:///etc/passwd", "gopher://127.0.0.1:" + port, "http://127.0.0.1:2/",
		own + "," + "http://127.0.0.1:" + port,
	} {
		body, err := json.Marshal(map[string]any{"id": id, "addressList": address})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := knock(t, s, token, "g", "/api/triggerJob", string(body)); !strings.HasPrefix(got, `{"code":500,"msg":"addresses: `) || strings.Contains(got, ":2/\"") {
			t.Errorf("%s: %s", address, got)
		}
	}
	runs, err := s.Jobs().Runs(t.Context(), jobrows.RunFilter{JobID: id})
	if err != nil || len(runs) != 0 {
		t.Errorf("runs: %+v, %v", runs, err)
	}
	if _, got := knock(t, s, token, "g", "/api/triggerJob", fmt.Sprintf(`{"id":%d,"addressList":" http://127.0.0.1:1 "}`, id)); got != done {
		t.Errorf("its own executor: %s", got)
	}
	runs, err = s.Jobs().Runs(t.Context(), jobrows.RunFilter{JobID: id})
	if err != nil || len(runs) != 1 || !slices.Equal(runs[0].Addresses, []string{own}) {
		t.Errorf("runs: %+v, %v", runs, err)
	}
	_ = canary.Close()
	for from := range touched {
		t.Errorf("a connection was made from %s", from)
	}
}
