package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/app/oldadmin"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// oldScript is a script that was written against the web API of an old admin.
type oldScript struct {
	*testing.T
	server  *Server
	client  http.Client
	headers map[string]string
}

func newScript(t *testing.T, s *Server, headers map[string]string) *oldScript {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &oldScript{T: t, server: s, client: http.Client{Jar: jar, Timeout: 20 * time.Second}, headers: headers}
	t.Cleanup(o.client.CloseIdleConnections)
	return o
}

// oldReply is an answer of any generation.
type oldReply struct {
	status  int
	text    string
	Code    int             `json:"code"`
	Msg     string          `json:"msg"`
	Content json.RawMessage `json:"content"`
	Data    json.RawMessage `json:"data"`
	Total   int             `json:"recordsTotal"`
}

// post sends a form of names and values.
func (o *oldScript) post(path string, pairs ...any) oldReply {
	o.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return o.send(http.MethodPost, path, form.Encode())
}

func (o *oldScript) send(method, path, body string) oldReply {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, o.server.URL()+"/xxl-job-admin/"+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	}
	for name, value := range o.headers {
		r.Header.Set(name, value)
	}
	response, err := o.client.Do(r)
	if err != nil {
		o.Fatal(err)
	}
	defer response.Body.Close()
	reply := oldReply{status: response.StatusCode}
	var raw json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&raw); err != nil {
		o.Fatalf("%s: %v", path, err)
	}
	if reply.text = string(raw); json.Unmarshal(raw, &reply) != nil {
		o.Fatalf("%s: %s", path, raw)
	}
	return reply
}

// must sends a form that has to be carried out.
func (o *oldScript) must(path string, pairs ...any) oldReply {
	o.Helper()
	reply := o.post(path, pairs...)
	if reply.status != http.StatusOK || reply.Code != 200 && !strings.HasPrefix(reply.text, `{"recordsTotal"`) {
		o.Fatalf("%s %v: %d %s", path, pairs, reply.status, reply.text)
	}
	return reply
}

// oldJob is what a script reads of a job.
type oldJob struct {
	ID       int64  `json:"id"`
	Group    int64  `json:"jobGroup"`
	Title    string `json:"jobDesc"`
	Handler  string `json:"executorHandler"`
	Conf     string `json:"scheduleConf"`
	Children string `json:"childJobId"`
	Status   int    `json:"triggerStatus"`
	Next     int64  `json:"triggerNextTime"`
}

// jobs lists jobs in the generation of the names of the page.
func (o *oldScript) jobs(pairs ...any) []oldJob {
	o.Helper()
	var found []oldJob
	data := o.must("jobinfo/pageList", pairs...).Data
	if slices.Contains(pairs, any("offset")) {
		var paged struct{ Data json.RawMessage }
		if err := json.Unmarshal(data, &paged); err != nil {
			o.Fatal(err)
		}
		data = paged.Data
	}
	if err := json.Unmarshal(data, &found); err != nil {
		o.Fatalf("%s: %v", data, err)
	}
	return found
}

// newJobForm is what the old page sends for a new job. Of a field that is there twice
// the first one counts.
func newJobForm(group int64, title string, first ...any) []any {
	return append(first,
		"jobGroup", group, "jobDesc", title, "author", "ada", "alarmEmail", "", "scheduleType", "CRON", "scheduleConf", "0 30 2 * * ?",
		"cronGen_display", "0 30 2 * * ?", "schedule_conf_CRON", "0 30 2 * * ?", "schedule_conf_FIX_RATE", "", "glueType", "BEAN", "executorHandler", "part",
		"executorParam", "", "executorRouteStrategy", "FIRST", "childJobId", "", "misfireStrategy", "DO_NOTHING",
		"executorBlockStrategy", "SERIAL_EXECUTION", "executorTimeout", "0", "executorFailRetryCount", "0", "glueRemark", "GLUE代码初始化", "glueSource", "",
	)
}

const oldPassword = "correct horse battery"

// firstUserForScripts gives the first user a password that scripts can log in with.
func firstUserForScripts(t *testing.T, s *Server) {
	t.Helper()
	admin := visit(t, s)
	first := firstPassword(t, s)
	admin.want(http.StatusOK, "POST", "/session", credentials("admin", first))
	admin.want(http.StatusOK, "POST", "/session/password", change(first, oldPassword))
}

// oldWords are the paths and names in which generations differ.
type oldWords struct{ login, logout, save, add, remove, id, start, length string }

// TestOldAdminRoundTrip is the life of a group and a job by the calls of each generation,
// with an executor, and what the audit says of it.
func TestOldAdminRoundTrip(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]oldWords{
		"2.4": {"login", "logout", "jobgroup/save", "jobinfo/add", "jobinfo/remove", "id", "start", "length"},
		"3.2": {"auth/doLogin", "auth/logout", "jobgroup/save", "jobinfo/add", "jobinfo/remove", "id", "start", "length"},
		"3.4": {"auth/doLogin", "auth/logout", "jobgroup/insert", "jobinfo/insert", "jobinfo/delete", "ids[]", "offset", "pagesize"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, w)
		})
	}
}

func roundTrip(t *testing.T, w oldWords) {
	t.Helper()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0"})
	firstUserForScripts(t, s)
	fleet := assemble(t, s, 1)
	o := newScript(t, s, nil)
	o.must(w.login, "userName", "admin", "password", oldPassword, "ifRemember", "on")
	var groups []struct {
		ID       int64    `json:"id"`
		App      string   `json:"appname"`
		Registry []string `json:"registryList"`
	}
	list := o.must("jobgroup/pageList", "appname", "G", "title", "", w.start, "0", w.length, "10").Data
	if w.start == "offset" {
		var paged struct{ Data json.RawMessage }
		if err := json.Unmarshal(list, &paged); err != nil {
			t.Fatal(err)
		}
		list = paged.Data
	}
	if err := json.Unmarshal(list, &groups); err != nil || len(groups) != 1 || groups[0].App != "g" || len(groups[0].Registry) != 1 {
		t.Fatalf("the groups are %s, %v", list, err)
	}
	group := groups[0].ID
	if again := o.post(w.save, "appname", "g", "title", "G", "addressType", "0"); again.Code != 500 {
		t.Errorf("a group that there is: %s", again.text)
	}
	o.must("jobgroup/update", "id", group, "appname", "g", "title", "The G", "addressType", "0")

	added := o.must(w.add, newJobForm(group, "Nightly report")...)
	var made string
	if err := json.Unmarshal(cmpOr(added.Content, added.Data), &made); err != nil {
		t.Fatalf("%s: %v", added.text, err)
	}
	id, err := strconv.ParseInt(made, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	look := func() oldJob {
		t.Helper()
		found := o.jobs("jobGroup", group, "triggerStatus", "-1", "jobDesc", "", "executorHandler", "PART", "author", "", w.start, "0", w.length, "1000")
		if len(found) != 1 || found[0].ID != id || found[0].Group != group {
			t.Fatalf("the jobs are %+v", found)
		}
		return found[0]
	}
	if j := look(); j.Status != 0 || j.Next != 0 || j.Conf != "0 30 2 * * ?" {
		t.Errorf("the new job is %+v", j)
	}
	o.must("jobinfo/update", append(newJobForm(group, "Weekly report"), "id", id)...)
	o.must("jobinfo/start", w.id, id)
	if j := look(); j.Title != "Weekly report" || j.Status != 1 || j.Next <= time.Now().UnixMilli() {
		t.Errorf("the job that was started is %+v", j)
	}
	o.must("jobinfo/trigger", "id", id, "executorParam", "once", "addressList", groups[0].Registry[0])
	until(t, "the run is done", func() bool {
		reply := o.must("joblog/pageList", "jobGroup", group, "jobId", id, "logStatus", "1", "filterTime", "", w.start, "0", w.length, "10")
		return strings.Contains(reply.text, `"handleCode":200`) && strings.Contains(reply.text, `"executorParam":"once"`)
	})
	if len(fleet.of("once")) != 1 {
		t.Error("the executor has not had the task")
	}
	o.must("joblog/logDetailCat", "logId", 1, "fromLineNum", 1)
	o.must("jobinfo/stop", w.id, id)
	if j := look(); j.Status != 0 {
		t.Errorf("the job that was stopped is %+v", j)
	}
	o.must(w.remove, w.id, id)
	if found := o.jobs(w.start, "0"); len(found) != 0 {
		t.Errorf("after its removal there is %+v", found)
	}
	o.must(w.logout)
	if gone := o.post("jobinfo/pageList"); gone.status != http.StatusUnauthorized {
		t.Errorf("after the logout: %s", gone.text)
	}
	want := []string{
		"sign-in //admin open", "edit-group default/g/g own", "create-job default/g/weekly-report edit", "update-job default/g/nightly-report edit", "start-job default/g/nightly-report operate",
		"trigger-job default/g/nightly-report operate", "stop-job default/g/nightly-report operate", "delete-job default/g/nightly-report edit", "sign-out //admin self",
	}
	want[2] = "create-job default/g/nightly-report edit"
	lines := newestLines(t, s, len(want))
	for i := range want {
		if want[i] = "user admin 127.0.0.1 " + want[i]; i >= len(lines) || lines[i] != want[i] {
			t.Errorf("of the script the audit says %q, want %q", lines, want)
			break
		}
	}
}

func cmpOr(content, data json.RawMessage) json.RawMessage {
	if len(content) == 0 || string(content) == "null" {
		return data
	}
	return content
}

// oldCalls are calls of every route about the job and the group g, with what a caller
// needs: the right to see, or to change.
func oldCalls(id, group, run int64) map[string][]any {
	return map[string][]any{
		"jobinfo/pageList": {"jobGroup", group}, "jobinfo/nextTriggerTime": {"scheduleType", "CRON", "scheduleConf", "0 0 2 * * ?"},
		"jobinfo/getById": {"id", id}, "jobgroup/pageList": {}, "jobgroup/loadById": {"id", group}, "joblog/getJobsByGroup": {"jobGroup", group},
		"joblog/pageList": {"jobId", id}, "joblog/logDetailCat": {"logId", run, "fromLineNum", 1},

		"jobinfo/add": newJobForm(group, "Another"), "jobinfo/insert": newJobForm(group, "Another"), "jobinfo/update": {"id", id, "jobDesc", "Changed"},
		"jobinfo/start": {"id", id}, "jobinfo/stop": {"id", id}, "jobinfo/trigger": {"id", id}, "jobinfo/remove": {"id", id}, "jobinfo/delete": {"ids[]", id},
		"jobgroup/save": {"appname", "fresh", "title", "x"}, "jobgroup/insert": {"appname", "fresh", "title", "x"}, "jobgroup/update": {"id", group, "title", "Changed"},
		"jobgroup/remove": {"id", group}, "jobgroup/delete": {"ids[]", group},
		"joblog/logKill": {"id", run}, "joblog/clearLog": {"jobId", id, "type", 9},
	}
}

// TestOldAdminRights is A10, A11, A16, A22, A27, A28 and A35: every route, by callers of
// each sort. Who may not is told the same of what is there and of what is not, and no row
// changes.
func TestOldAdminRights(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	c := &campaign{T: t, f: f, dice: newDice(1, nil)}
	for _, p := range [][2]string{{"viewer", "g"}, {"operator", "h"}, {"editor", "h"}, {"owner", "h"}} {
		c.hire(p[0]+"-of-"+p[1], p[0], "default", p[1])
	}
	j, theirs := find(t, f.Jobs(), "report"), find(t, f.Jobs(), "theirs")
	if _, err := f.Jobs().UpdateJob(t.Context(), "", "theirs", 0, func(old job.Job) (job.Job, error) {
		old.Children = []job.Child{{JobID: j.ID}}
		return old, nil
	}); err != nil {
		t.Fatal(err)
	}
	run := attempted(t, f.Server, j)
	before := rows(t, f.Server)
	reads := func(path string) bool {
		return strings.HasSuffix(path, "List") || strings.HasSuffix(path, "Time") || strings.HasSuffix(path, "ById") || strings.HasSuffix(path, "Cat") || strings.HasSuffix(path, "ByGroup")
	}
	for who, headers := range map[string]map[string]string{
		"nobody": nil, "a wrong token": {"Authorization": "Bearer default_token"}, "an executor": {"XXL-JOB-ACCESS-TOKEN": f.mine},
		"the server's key": {"XXL-JOB-ACCESS-TOKEN": f.config.ExecutorToken.Reveal()}, "all executors": {"XXL-JOB-ACCESS-TOKEN": f.config.AdmitSharedToken.Reveal()}, "a made-up session": {"Cookie": "XXL_JOB_LOGIN_IDENTITY=" + strings.Repeat("A", 43)},
	} {
		o := newScript(t, f.Server, headers)
		for path, form := range oldCalls(j.ID, j.GroupID, run) {
			if reply := o.post(path, form...); reply.status != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d %s", who, path, reply.status, reply.text)
			}
		}
	}
	for i, p := range c.people {
		headers := p.headers
		if i%2 == 1 { // the other place for the token of a user
			headers = map[string]string{"XXL-JOB-ACCESS-TOKEN": strings.TrimPrefix(headers["Authorization"], "Bearer ")}
		}
		o := newScript(t, f.Server, headers)
		there, absent := oldCalls(j.ID, j.GroupID, run), oldCalls(4711, 4712, 4713)
		for path, form := range there {
			reply := o.post(path, form...)
			seen := strings.Contains(reply.text, "Crown Jewels") || strings.Contains(reply.text, `"appname":"g"`) || strings.Contains(reply.text, "executorAddress") || strings.Contains(reply.text, "logContent")
			listed := reads(path) && (path == "jobinfo/nextTriggerTime" || p.name == "viewer-of-g")
			switch {
			case reply.status != http.StatusOK:
				t.Errorf("%s, %s: %d %s", p.name, path, reply.status, reply.text)
			case p.name == "viewer-of-g" && reads(path) && path != "jobinfo/nextTriggerTime" && !seen:
				t.Errorf("%s does not see by %s: %s", p.name, path, reply.text)
			case !reads(path) && reply.Code != 500:
				t.Errorf("%s may %s: %s", p.name, path, reply.text)
			case p.name != "viewer-of-g" && (seen && path != "jobinfo/pageList" && path != "jobgroup/pageList" || reply.text == "" || listed && reply.Code != 200):
				t.Errorf("%s is told by %s: %s", p.name, path, reply.text)
			}
			if p.name == "viewer-of-g" || strings.HasPrefix(path, "jobgroup/save") || strings.HasPrefix(path, "jobgroup/insert") {
				continue
			}
			other := o.post(path, absent[path]...)
			numbers := strings.NewReplacer("4711", strconv.FormatInt(j.ID, 10), "4712", strconv.FormatInt(j.GroupID, 10), "4713", strconv.FormatInt(run, 10))
			if got := numbers.Replace(other.text); got != reply.text {
				t.Errorf("%s learns by %s what there is: %s, and else %s", p.name, path, reply.text, got)
			}
		}
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	o := newScript(t, f.Server, map[string]string{"Authorization": "Bearer " + f.config.APIToken.Reveal()})
	for path, form := range oldCalls(j.ID, j.GroupID, run) {
		if reads(path) {
			o.must(path, form...)
		}
	}
	if found := o.jobs("jobGroup", theirs.GroupID); len(found) != 1 || found[0].Children != strconv.FormatInt(j.ID, 10) {
		t.Errorf("the job with a child is %+v", found)
	}
	o.headers = c.people[1].headers // it does not see the child
	if found := o.jobs("offset", "0"); len(found) != 1 || found[0].ID != theirs.ID || found[0].Children != "" {
		t.Errorf("who does not see the child sees %+v", found)
	}
}

// attempted writes a run of the job with an attempt that is over, and returns the id of
// the attempt.
func attempted(t *testing.T, s *Server, j job.Job) int64 {
	t.Helper()
	r := trigger(t, s.Jobs(), j.Key, "x")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"code":200,"msg":"Success"}`)
	}))
	t.Cleanup(server.Close)
	body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, j.Group, server.URL)
	if _, got := knock(t, s, madeFor(s, j.Group), "", "/api/registry", body); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	var attempt int64
	until(t, "an executor has it", func() bool {
		now, err := s.Jobs().Run(t.Context(), r.ID)
		attempt = now.AttemptID
		return err == nil && now.State == job.Running
	})
	callback := fmt.Sprintf(`[{"logId":%d,"handleCode":200}]`, attempt)
	if _, got := knock(t, s, madeFor(s, j.Group), "", "/api/callback", callback); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	until(t, "it is over", func() bool {
		now, err := s.Jobs().Run(t.Context(), r.ID)
		return err == nil && now.State.Final()
	})
	if _, got := knock(t, s, madeFor(s, j.Group), "", "/api/registryRemove", body); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	return attempt
}

// TestOldAdminRefusesInWords is A03, A12, A13, A16, A20 and A29 for those that are let in:
// what is not safe is refused, and the text says what is allowed.
func TestOldAdminRefusesInWords(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	canary := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the canary was called: %s %s %v", r.Method, r.URL, r.Header)
	}))
	defer canary.Close()
	c := &campaign{T: t, f: f, dice: newDice(1, nil)}
	c.hire("editor-of-g", "editor", "default", "g")
	c.hire("owner-of-g", "owner", "default", "g")
	j := find(t, f.Jobs(), "report")
	editor, owner := newScript(t, f.Server, c.people[0].headers), newScript(t, f.Server, c.people[1].headers)
	before := rows(t, f.Server)
	for _, refused := range []struct {
		who  *oldScript
		path string
		form []any
		want string
	}{
		{editor, "jobinfo/trigger", []any{"id", j.ID, "addressList", canary.URL}, "is no executor of group g"},
		{editor, "jobinfo/trigger", []any{"id", j.ID, "addressList", "http://169.254.169.254/," + canary.URL}, "addresses: "},
		{editor, "jobinfo/add", newJobForm(j.GroupID, "Code", "glueType", "x"), "GLUE Typeillegal"},
		{editor, "jobinfo/add", scriptForm(j.GroupID), "script"},
		{editor, "jobinfo/add", newJobForm(4711, "Lost"), "there is no group 4711 that you may see"},
		{editor, "jobinfo/add", newJobForm(j.GroupID, "Child", "childJobId", "4711"), "Child Job ID(4711)not exist"},
		{editor, "jobinfo/update", []any{"id", j.ID, "jobGroup", find(t, f.Jobs(), "theirs").GroupID}, "that you may see"},
		{editor, "jobgroup/save", []any{"appname", "mine", "title", "x"}, "own"},
		{editor, "jobgroup/update", []any{"id", j.GroupID, "title", "x", "addressType", 1, "addressList", canary.URL}, "own"},
		{owner, "jobgroup/update", []any{"id", j.GroupID, "appname", "other"}, "stays so"},
		{owner, "jobgroup/update", []any{"id", j.GroupID, "addressType", 1, "addressList", "gopher://x"}, "is not the base URL of an executor"},
		{owner, "jobgroup/remove", []any{"id", j.GroupID}, "still has"},
		{owner, "jobcode/save", []any{"id", j.ID, "glueSource", "rm -rf /"}, "this server has no jobcode/save"},
		{owner, "user/pageList", nil, "this server has no user/pageList"},
		{owner, "jobinfo/start", []any{"id", j.ID}, "The current schedule type disables startup"},
	} {
		reply := refused.who.post(refused.path, refused.form...)
		if reply.Code != 500 || !strings.Contains(reply.Msg, refused.want) {
			t.Errorf("%s %v: %s; want %s", refused.path, refused.form, reply.text, refused.want)
		}
	}
	for _, path := range []string{"jobinfo/remove", "jobinfo/start", "jobgroup/remove", "joblog/logKill"} {
		if reply := owner.send(http.MethodGet, path+"?id="+strconv.FormatInt(j.ID, 10), ""); reply.status != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d %s", path, reply.status, reply.text)
		}
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	// A group is told without its tokens, though it has one.
	for _, path := range []string{"jobgroup/pageList", "jobgroup/loadById"} {
		if reply := owner.must(path, "id", j.GroupID); strings.Contains(reply.text, "oken") || strings.Contains(reply.text, f.mine) {
			t.Errorf("%s: %s", path, reply.text)
		}
	}
	// Who may write code may bring it.
	c.hire("scripter-of-g", "admin", "default", "g")
	newScript(t, f.Server, c.people[2].headers).must("jobinfo/add", scriptForm(j.GroupID)...)
}

func scriptForm(group int64) []any {
	return newJobForm(group, "Code", "glueType", "GLUE_SHELL", "glueSource", "echo 1")
}

// TestOldAdminSessions is A03, A07, A25, S04 and S05: who logs in by the old path is
// bound by the same limits, no other site uses the session, and nobody makes one up.
func TestOldAdminSessions(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{SignIn: SignIn{TrustedProxies: []string{"127.0.0.1"}}, Data: t.TempDir(), Listen: "127.0.0.1:0"})
	near := map[string]string{"X-Forwarded-For": "::1"} // passwords over plain connections are for this machine
	o := newScript(t, s, near)
	first := firstPassword(t, s)
	if reply := o.post("login", "userName", "admin", "password", first); reply.Code != 500 || !strings.Contains(reply.Msg, "has to change the password") {
		t.Errorf("with the first password: %s", reply.text)
	}
	if base, _ := url.Parse(s.URL()); len(o.client.Jar.Cookies(base)) != 0 {
		t.Error("a session of who has to change the password")
	}
	person := visit(t, s)
	person.from = "::1"
	person.want(http.StatusOK, "POST", "/session", credentials("admin", first))
	person.want(http.StatusOK, "POST", "/session/password", change(first, oldPassword))

	away := newScript(t, s, map[string]string{"X-Forwarded-For": "192.0.2.7"})
	if reply := away.post("auth/doLogin", "userName", "admin", "password", oldPassword); reply.Code != 500 || !strings.Contains(reply.Msg, "needs an encrypted connection") {
		t.Errorf("over a plain connection: %s", reply.text)
	}
	o.must("login", "userName", "admin", "password", oldPassword)
	o.must("jobinfo/pageList")
	add := newJobForm(1, "Foreign")
	for _, headers := range []map[string]string{
		{"Origin": "http://evil.test"},
		{"Origin": "null"},
		{"Sec-Fetch-Site": "cross-site"},
		{"Sec-Fetch-Site": "same-site"},
		{"Origin": s.URL(), "Sec-Fetch-Site": "cross-site"},
		{"Origin": "http://rebound.test", "Host": "rebound.test"},
	} {
		foreign := newScript(t, s, map[string]string{"X-Forwarded-For": "::1"})
		foreign.client.Jar = o.client.Jar
		maps.Copy(foreign.headers, headers)
		for _, path := range []string{"jobinfo/add", "jobgroup/save", "joblog/clearLog", "jobinfo/pageList", "logout"} {
			if reply := foreign.post(path, append(add, "appname", "x", "title", "x")...); reply.status != http.StatusForbidden || reply.Code != 500 {
				t.Errorf("%v to %s: %d %s", headers, path, reply.status, reply.text)
			}
		}
		if reply := foreign.post("login", "userName", "admin", "password", oldPassword); reply.status != http.StatusForbidden {
			t.Errorf("%v logs in: %s", headers, reply.text)
		}
	}
	o.headers = map[string]string{"X-Forwarded-For": "::1", "Origin": s.URL(), "Sec-Fetch-Site": "same-origin"} // as some scripts send it
	o.must("jobgroup/save", "appname", "fresh", "title", "Fresh")
	if status, _ := person.ask("GET", "/groups/fresh", ""); status != http.StatusOK {
		t.Error("the group is not there")
	}
	for _, made := range []string{"", "x", strings.Repeat("A", 43), "7b226964223a312c22757365726e616d65223a2261646d696e222c22726f6c65223a317d"} {
		for _, name := range []string{"XXL_JOB_LOGIN_IDENTITY", "xxl_job_login_token"} {
			forger := newScript(t, s, map[string]string{"X-Forwarded-For": "::1", "Cookie": name + "=" + made})
			if reply := forger.post("jobinfo/pageList"); reply.status != http.StatusUnauthorized {
				t.Errorf("%s=%s: %s", name, made, reply.text)
			}
		}
	}
	counts := map[int]int{} // by both doors together
	for i := range 40 {
		if i%2 == 0 {
			status, _ := person.ask("POST", "/session", credentials("admin", fmt.Sprint("guess ", i)))
			counts[status]++
			continue
		}
		guesser := newScript(t, s, near)
		counts[guesser.post("login", "userName", "admin", "password", fmt.Sprint("guess ", i)).status]++
	}
	if counts[http.StatusUnauthorized] > 10 || counts[http.StatusUnauthorized]+counts[http.StatusTooManyRequests] != 40 {
		t.Errorf("40 guesses were answered %v", counts)
	}
	o.must("jobinfo/pageList") // who is in stays in
}

// TestOldAdminZone: schedules without a zone are of the one that is set, and what fires
// next is told in it.
func TestOldAdminZone(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, XXLJobZone: "Asia/Shanghai"})
	token := tokenOf(t, s, "g")
	called := addJob(t, s, token, "", fmt.Sprintf(addForm, "CRON", "0 0 2 * * ?", ""))
	o := newScript(t, s, map[string]string{"Authorization": "Bearer " + s.config.APIToken.Reveal()})
	var groups []struct{ ID int64 }
	if err := json.Unmarshal(o.must("jobgroup/pageList").Data, &groups); err != nil || len(groups) != 1 {
		t.Fatalf("%+v, %v", groups, err)
	}
	o.must("jobinfo/add", newJobForm(groups[0].ID, "日报")...)
	berlin := job.Job{
		Key: "berlin", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 2 * * ?", Zone: "Europe/Berlin"}, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"},
	}
	if _, err := s.Jobs().CreateJob(t.Context(), berlin); err != nil {
		t.Fatal(err)
	}
	o.must("jobinfo/update", "id", find(t, s.Jobs(), "berlin").ID, "scheduleConf", "0 0 3 * * ?")
	jobs, err := s.Jobs().Jobs(t.Context(), jobrows.JobFilter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	zones := map[string]string{}
	for _, j := range jobs {
		zones[j.Key] = j.Schedule.Zone + " " + j.Schedule.Cron
		if j.ID == called && j.Schedule.Zone != "Asia/Shanghai" {
			t.Errorf("the job of the executor is of the zone %q", j.Schedule.Zone)
		}
	}
	if zones["part"] != "Asia/Shanghai 0 30 2 * * ?" || zones["berlin"] != "Europe/Berlin 0 0 3 * * ?" {
		t.Errorf("the zones are %v", zones)
	}
	var next []string
	if err := json.Unmarshal(o.must("jobinfo/nextTriggerTime", "scheduleType", "CRON", "scheduleConf", "0 30 2 * * ?").Content, &next); err != nil || len(next) != 5 || !strings.HasSuffix(next[0], " 02:30:00") {
		t.Errorf("what fires next is %v, %v", next, err)
	}
}

// TestOldAdminManyJobs: lists go by id, the newest first, over all namespaces, and are cut
// into pages without a gap.
func TestOldAdminManyJobs(t *testing.T) {
	t.Parallel()
	s := begin(t)
	want := []int64{}
	for i := range 2*oldadmin.LookedAtOnce + 7 {
		space := []string{"default", "team-b", "team-a"}[i%3]
		made, err := s.Jobs().CreateJob(t.Context(), job.Job{
			Namespace: space, Key: fmt.Sprintf("j%03d", (i*7)%500), Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual}, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, made.ID)
	}
	slices.Reverse(want)
	o := newScript(t, s, map[string]string{"Authorization": "Bearer " + s.config.APIToken.Reveal()})
	got := []int64{}
	for start := 0; ; start += 100 {
		part := o.jobs("start", start, "length", 100)
		for _, j := range part {
			got = append(got, j.ID)
		}
		if len(part) < 100 {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the lists have (-want +got):\n%s", diff)
	}
	if whole := o.jobs("start", 0, "length", 100_000); len(whole) != len(want) {
		t.Errorf("%d jobs at once", len(whole))
	}
}
