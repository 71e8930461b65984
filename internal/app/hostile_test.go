package app

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/internal/wire/xxladmin"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// fortress is a server with something to take, that logs all it does.
type fortress struct {
	*Server

	log       journal
	mine, its string // tokens of the groups g and h
	times     []time.Duration
}

// besiege runs a server with two groups and a job of each.
func besiege(t *testing.T) *fortress {
	t.Helper()
	f, data := new(fortress), t.TempDir()
	t.Cleanup(func() { f.keptSecrets(t) }) // after the server has ended
	f.Server = beginWith(t, Config{
		NoFirstUser: true, Guesses: tries.Pace{AtOnce: 1_000_000, Every: 1},
		Data: data, Listen: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		ExecutorToken: credential.GenerateServer(), AdmitSharedToken: redacted.New("executors-" + strings.Repeat("k", 32)), APIToken: redacted.New("programs-" + strings.Repeat("k", 32)),
	})
	f.mine, f.its = tokenOf(t, f.Server, "g"), tokenOf(t, f.Server, "h")
	for key, group := range map[string]string{"report": "g", "theirs": "h"} {
		_, err := f.Jobs().CreateJob(t.Context(), job.Job{
			Key: key, Group: group, Title: "Crown Jewels", Param: "the-parameter", Schedule: schedule.Spec{Kind: schedule.KindManual},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// secrets are the texts that nobody may read anywhere.
func (f *fortress) secrets() []string {
	return []string{f.mine, f.its, f.config.ExecutorToken.Reveal(), madeFor(f.Server, "g"), f.config.AdmitSharedToken.Reveal(), f.config.APIToken.Reveal()}
}

// keptSecrets is S10 and S18: no secret is in the log, nor in a file of the server
// after it has ended, nor did anything panic.
func (f *fortress) keptSecrets(t *testing.T) {
	t.Helper()
	if f.Server == nil {
		return
	}
	text := f.log.String()
	for _, word := range append(f.secrets(), "panic", "goroutine ") {
		if strings.Contains(text, word) {
			t.Errorf("%q is in the log", word)
		}
	}
	err := filepath.WalkDir(f.config.Data, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, word := range f.secrets() {
			if bytes.Contains(content, []byte(word)) {
				t.Errorf("%s holds a secret", entry.Name())
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// raid is one request, and what must be in its answer, as regular expressions.
type raid struct{ name, request, want string }

// suffer sends the requests, each on a connection of its own. They must be answered
// as they say, soon, without a word of what is inside, and leave every row as it is.
func (f *fortress) suffer(t *testing.T, raids []raid) {
	t.Helper()
	before := rows(t, f.Server)
	for _, r := range raids {
		f.strike(t, r)
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	slices.Sort(f.times)
	t.Logf("%d requests; half of the answers within %s, 99 of 100 within %s", len(f.times), f.times[len(f.times)/2], f.times[len(f.times)*99/100])
}

// soonAnswered is within what time an answer comes that is no work. What is late is asked for
// again before it is judged: a request that is work is so each time, and a machine that
// stood still once is not.
const soonAnswered = 2 * time.Second

func (f *fortress) strike(t *testing.T, r raid) {
	t.Helper()
	took := f.ask(t, r)
	for again := 0; took > soonAnswered && again < 3; again++ {
		took = min(took, f.ask(t, r))
	}
	f.times = append(f.times, took)
	if took > soonAnswered {
		t.Errorf("%s: answered after %s", r.name, took)
	}
}

// ask sends one request, judges the answer, and returns when it was there.
func (f *fortress) ask(t *testing.T, r raid) (took time.Duration) {
	t.Helper()
	began := time.Now()
	dialer := new(net.Dialer)
	if runtime.GOOS == "linux" { // all of 127/8 is this machine: no address asks more often than strangers may
		dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+len(f.times)%200))}
	}
	conn, err := dialer.DialContext(t.Context(), "tcp", f.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(began.Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// Who is refused before all was read may close while this is written.
	_, _ = io.WriteString(conn, r.request)
	method, _, _ := strings.Cut(r.request, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Errorf("%s: no answer: %v", r.name, err)
		return 0
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: half an answer: %v", r.name, err)
	}
	took = time.Since(began)
	answer := fmt.Sprintf("%d %s", response.StatusCode, body)
	if !regexp.MustCompile(`^(?:` + r.want + `)`).MatchString(answer) {
		t.Errorf("%s: %.300s; want %s", r.name, answer, r.want)
	}
	for _, inside := range append(f.secrets(), "Crown Jewels", "the-parameter", "goroutine ", ".go:", "panic", "sqlite", "SELECT ", "/internal/", f.config.Data) {
		if strings.Contains(answer, inside) {
			t.Errorf("%s: the answer has %q: %.300s", r.name, inside, answer)
		}
	}
	return took
}

// raw is the text of a request.
func raw(method, target, headers, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", method, target, headers, len(body), body)
}

// The tokens that forgers of other products try (A02, A03, A25).
func forgeries() map[string]string {
	return map[string]string{
		"nothing":          "",
		"an empty bearer":  "Authorization: Bearer \r\n",
		"a known token":    "Authorization: Bearer default_token\r\n",
		"the fork's token": "Authorization: Bearer orth-secret-token\r\n",
		"a known password": "Authorization: Basic YWRtaW46MTIzNDU2\r\n",
		"JWT alg none":     "Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiIsInJvbGUiOiJBRE1JTiJ9.\r\n",
		"JWT HS256":        "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
		"a forged cookie":  "Cookie: XXL_JOB_LOGIN_IDENTITY=7b226964223a312c22757365726e616d65223a2261646d696e222c22726f6c65223a317d\r\n",
		"two bearers":      "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
		"a proxy's word":   "X-Forwarded-For: 127.0.0.1\r\nX-Original-URL: /healthz\r\nX-User: admin\r\n",
	}
}

// TestHostileWithoutCredentials is A11, A29, A37, S04 and S14 on every route of the
// API: without the token there is nothing to get, whatever else is shown, and
// wherever a page is that sends the request.
func TestHostileWithoutCredentials(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL()+"/api/v1/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.config.APIToken.Reveal())
	_, text := send(t, r)
	var document struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil || len(document.Paths) < 20 {
		t.Fatalf("%d paths, %v", len(document.Paths), err)
	}
	names := regexp.MustCompile(`\{[a-z]+\}`)
	var raids []raid
	for path, methods := range document.Paths {
		target := names.ReplaceAllString(path, "report")
		if !strings.HasPrefix(target, "/api/v1") {
			target = "/api/v1" + target
		}
		want := "401 "
		if strings.HasPrefix(target, "/api/v1/session") {
			want = "40[13] " // those of sign-in refuse hosts and pages that are not the server's own
		}
		for method := range methods {
			method = strings.ToUpper(method)
			for name, headers := range forgeries() {
				raids = append(raids, raid{"A37 " + method + " " + path + ", " + name, raw(method, target, headers, `{}`), want})
			}
			for _, kind := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "application/xml"} {
				headers := "Content-Type: " + kind + "\r\nOrigin: http://evil.test\r\nSec-Fetch-Site: cross-site\r\nCookie: token=x\r\n"
				raids = append(raids, raid{"S04 " + method + " " + path + " as " + kind, raw(method, target, headers, `{"key":"x"}`), want})
			}
		}
	}
	for _, target := range []string{
		"/api/v1/jobs;.css", "/api/v1//jobs", "/api/v1/jobs/", "/api/v1/./jobs", "/api/v1/x/../jobs", "/api/v1/%2e%2e/v1/jobs", "/api/v1/jobs%00", "/api/v1/jobs.",
		"/API/v1/jobs", "/api/V1/jobs", "//api/v1/jobs", "/api/%761/jobs", "/api//v1/jobs", "/healthz/../api/v1/jobs", "/healthz;/../api/v1/jobs", "/healthz%2f..%2fapi/v1/jobs",
		"/%c0%ae%c0%ae/api/v1/jobs", "/api/v1/jobs?token=default_token", "http://x/api/v1/jobs", "/xxl-job-admin/api/v1/jobs", "/orth-admin/api/v1/jobs",
	} {
		for _, method := range []string{"GET", "POST", "HEAD", "DELETE"} {
			raids = append(raids, raid{"S14 " + method + " " + target, raw(method, target, "", ""), `401 |301 |307 |404 |200 \{"code":500|200 $`})
		}
	}
	f.suffer(t, raids)
}

// TestHostileTemplates is A03, A07, A13, A16, A19, A20, A26, A27, A29, A36, A37 and
// S16: the requests of published scanners for XXL-JOB, PowerJob and their like lead
// nowhere here, and nothing is sent to the addresses that they name.
func TestHostileTemplates(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	canary := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the canary was called: %s %s %v", r.Method, r.URL, r.Header)
	}))
	defer canary.Close()
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	nowhere := `200 \{"code":500,"msg":"invalid request, (?:HttpMethod not support|uri-mapping)`
	var raids []raid
	for _, c := range []struct{ method, target, body string }{
		{"POST", "/login", "userName=admin&password=123456"},
		{"POST", "/auth/doLogin", "userName=admin&password=123456"},
		{"POST", "/user/add", "username=x&password=x&role=1"},
		{"POST", "/user/insert", "username=x&password=x&role=1"},
		{"GET", "/user/pageList", ""},
		{"GET", "/joblog/logDetailCat?executorAddress=CANARY&triggerTime=0&logId=1&fromLineNum=1", ""},
		{"POST", "/joblog/logDetailCat", "executorAddress=CANARY&triggerTime=0&logId=1&fromLineNum=1"},
		{"POST", "/joblog/logKill", "id=1"},
		{"POST", "/joblog/clearLog", "jobGroup=0&jobId=0&type=9"},
		{"POST", "/jobinfo/trigger", "id=1&executorParam=x&addressList=CANARY"},
		{"POST", "/jobinfo/remove", "id=1"},
		{"GET", "/jobinfo/remove?id=1", ""},
		{"POST", "/jobinfo/add", "jobGroup=1&glueType=GLUE_SHELL&glueSource=touch+M"},
		{"POST", "/jobcode/save", "id=1&glueSource=x"},
		{"POST", "/jobgroup/insert", "appname=x&title=<script>&addressType=1&addressList=CANARY"},
		{"POST", "/jobgroup/loadById", "id=1"},
		{"GET", "/jobinfo/getJobsByGroup?jobGroup=1", ""},
		{"GET", "/joblog/getJobsByGroup?jobGroup=1", ""},
		{"POST", "/jobinfo/pageList", "jobGroup=0&triggerStatus=-1&start=0&length=1000"},
		{"POST", "/jobinfo/insert", "jobGroup=1&glueType=GLUE_SHELL&glueSource=touch+M"},
		{"POST", "/jobinfo/update", "id=1&executorHandler=x"},
		{"POST", "/jobinfo/delete", "ids[]=1"},
		{"POST", "/jobinfo/start", "ids[]=1"},
		{"POST", "/jobinfo/stop", "id=1"},
		{"HEAD", "/jobinfo/start?id=1", ""},
		{"POST", "/jobgroup/pageList", "start=0&length=1000"},
		{"POST", "/jobgroup/update", "id=1&addressType=1&addressList=CANARY"},
		{"POST", "/jobgroup/remove", "id=1"},
		{"POST", "/jobgroup/delete", "ids[]=1"},
		{"POST", "/user/delete", "ids[]=1"},
		{"POST", "/run", `{"jobId":1,"logId":1,"glueType":"GLUE_SHELL","glueSource":"touch M"}`},
		{"POST", "/trigger", `{"jobId":1,"logId":1,"glueType":"GLUE_SHELL","glueSource":"touch M"}`},
		{"POST", "/log", `{"logDateTim":0,"logId":"../../etc/passwd","fromLineNum":1}`},
		{"POST", "/kill", `{"jobId":1}`},
		{"POST", "/api", "c0\x52\x00"},
		{"POST", "/openApi/runJob", "jobId=1&appId=1"},
		{"POST", "/user/save", `{"username":"x"}`},
		{"POST", "/friend/process", "x"},
		{"POST", "/worker/deployContainer", `{"downloadURL":"CANARY"}`},
		{"POST", "/server/acquire", "x"},
		{"GET", "/actuator/heapdump", ""},
		{"GET", "/actuator/env", ""},
		{"GET", "/debug/pprof/heap", ""},
		{"GET", "/druid/index.html", ""},
		{"GET", "/.git/config", ""},
		{"GET", "/../../../../etc/passwd", ""},
		{"GET", "/static/..%2f..%2f..%2fetc%2fpasswd", ""},
		{"PUT", "/fileserver/x.jsp", "x"},
		{"TRACE", "/", ""},
		{"OPTIONS", "*", ""},
		{"CONNECT", "127.0.0.1:22", ""},
	} {
		for _, prefix := range []string{"", "/xxl-job-admin", "/orth-admin"} {
			if prefix != "" && !strings.HasPrefix(c.target, "/") {
				continue
			}
			fill := strings.NewReplacer("CANARY", canary.URL)
			for _, token := range []string{"", "default_token", f.mine} {
				headers := form + "XXL-JOB-ACCESS-TOKEN: " + token + "\r\n"
				want := nowhere
				if name, _, _ := strings.Cut(strings.TrimPrefix(c.target, "/"), "?"); xxladmin.Serves("/" + name) {
					want = `401 \{"code":401,"msg":"no login`
				}
				switch {
				case strings.HasPrefix(c.target, "/login"), strings.HasPrefix(c.target, "/auth/"):
					want = `200 \{"code":500,"msg":"sign-in needs an encrypted connection` // Host: x
				case c.method == "GET" && strings.HasPrefix(c.target, "/jobinfo/remove"), c.method == "HEAD":
					want = `405 `
				}
				if c.method == "OPTIONS" {
					want += `|200 $`
				}
				raids = append(raids, raid{c.method + " " + prefix + c.target, raw(c.method, prefix+fill.Replace(c.target), headers, fill.Replace(c.body)), want})
			}
		}
	}
	f.suffer(t, raids)
}

// TestHostileSizes is S08 and A04: what is too large, never ends, or grows when it is
// unpacked is refused before it was read.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	api := "Authorization: Bearer " + f.config.APIToken.Reveal() + "\r\nContent-Type: application/json\r\n"
	wire := "XXL-JOB-ACCESS-TOKEN: " + f.mine + "\r\n"
	declared := func(method, target, headers string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sExpect: 100-continue\r\nContent-Length: 104857600\r\n\r\n", method, target, headers)
	}
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	if _, err := packer.Write(bytes.Repeat([]byte(" "), 10<<20)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	const packed = "Content-Encoding: gzip\r\n"
	deep := strings.Repeat("[", 500_000)
	tooLarge := strings.Repeat(" ", 5<<20) + "[]"
	f.suffer(t, []raid{
		{"64 KiB of cookies", raw("POST", "/api/registry", "Cookie: "+strings.Repeat("a=b; ", 13_000)+"\r\n", ""), "431 "},
		{"10,000 headers", raw("POST", "/api/registry", strings.Repeat("X: y\r\n", 10_000), ""), "431 "},
		{"a target of 64 KiB", raw("POST", "/api/"+strings.Repeat("x", 64<<10), "", ""), "431 "},
		{"a name of 8 KiB", raw("POST", "/api/"+strings.Repeat("x", 8<<10), wire, "x"), `200 \{"code":500,"msg":"invalid request, uri-mapping\(x{500}… \[cut\]`},
		{"100 MiB declared, no token", declared("POST", "/api/v1/jobs", ""), "401 "},
		{"100 MiB of chunks, no token", "POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n6400000\r\n", "401 "},
		{"5 MiB and 2 bytes", raw("POST", "/api/callback", wire, tooLarge), `200 \{"code":500,"msg":"openapi invoke error: malformed request: the body is over 5 MiB"`},
		{"5 MiB and 2 bytes, a wrong token", raw("POST", "/api/callback", "", tooLarge), `200 \{"code":500,"msg":"The access token is wrong\."`},
		{"2 MiB for the API", raw("POST", "/api/v1/jobs", api, strings.Repeat(" ", 2<<20)), "413 "},
		{"half a million lists for the API", raw("POST", "/api/v1/jobs", api, deep), "400 "},
		{"half a million lists", raw("POST", "/api/callback", wire, deep), `200 \{"code":500,"msg":"openapi invoke error: malformed request`},
		{"a bomb", raw("POST", "/api/callback", wire+packed, bomb.String()), `200 \{"code":500,"msg":"openapi invoke error: malformed request`},
		{"a bomb for the API", raw("POST", "/api/v1/jobs", api+packed, bomb.String()), "4[012][0-9] "},
		{"A04 Hessian", raw("POST", "/api", "Content-Type: application/octet-stream\r\n", "\xc0\x52\x00"), `200 \{"code":500,"msg":"invalid request, uri-mapping empty`},
		{"A04 a Java object", raw("POST", "/api/", "", "\xac\xed\x00\x05"), `200 \{"code":500,"msg":"invalid request, uri-mapping empty`},
		{"A04 a Java object for the API", raw("POST", "/api/v1/jobs", strings.Replace(api, "application/json", "application/x-java-serialized-object", 1), "\xac\xed\x00\x05"), "4[01][0-9] "},
		{"smuggled", "POST /api/callback HTTP/1.1\r\nHost: x\r\n" + wire + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST /api/v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n", "400 |200 "},
	})
}

// TestHostileTexts is S15 and A05: what looks like code to a database or a browser is
// text like any other, and comes back as it was.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	c, ctx := f.Jobs(), t.Context()
	for i, text := range []string{
		`'; DROP TABLE jobs; --`, `" OR "1"="1`, `%' OR 1=1 /*`, `\'; SELECT load_extension('x'); --`, `${7*7}{{7*7}}<%= 7*7 %>`, `"><img src=x onerror=alert(1)>`, `$(id)`, "`id`",
		"@/etc/passwd", "=HYPERLINK(1)", "\u202etxt\u2028\u2029", "%s%n%d",
	} {
		form, err := json.Marshal(map[string]any{
			"name": text, "author": "ada", "executorParam": text, "scheduleType": "NONE", "glueType": "BEAN", "executorHandler": text,
			"executorRouteStrategy": "FIRST", "misfireStrategy": "DO_NOTHING", "executorBlockStrategy": "SERIAL_EXECUTION",
		})
		if err != nil {
			t.Fatal(err)
		}
		id := addJob(t, f.Server, f.mine, "", string(form))
		jobs, err := c.Jobs(ctx, jobrows.JobFilter{Group: "g", Limit: 1000})
		at := slices.IndexFunc(jobs, func(j job.Job) bool { return j.ID == id })
		if err != nil || at < 0 || jobs[at].Title != text || jobs[at].Param != text || jobs[at].Handler.Name != text {
			t.Errorf("text %d, %q: %v", i, text, err)
		}
		for _, filter := range []jobrows.JobFilter{{Group: text}, {Namespace: text}, {AfterKey: "zzz" + text}} {
			if found, err := c.Jobs(ctx, filter); err != nil || len(found) != 0 {
				t.Errorf("%+v finds %d jobs, %v", filter, len(found), err)
			}
		}
		body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":"http://127.0.0.1:1/"}`, text)
		if _, got := knock(t, f.Server, f.config.AdmitSharedToken.Reveal(), "", "/api/registry", body); !strings.Contains(got, `"code":500`) {
			t.Errorf("a group %q: %s", text, got)
		}
	}
	if executors, err := c.Executors(ctx); err != nil || len(executors) != 0 {
		t.Errorf("executors: %+v, %v", executors, err)
	}
}

// TestHostileExecutor is S02 and S07: an executor of one group can say nothing about
// what another one's do, and nobody makes the server call what is no executor.
func TestHostileExecutor(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"code":200,"msg":"Success"}`)
	}))
	defer victim.Close()
	registration := func(group string) string {
		return fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, group, victim.URL)
	}
	if _, got := knock(t, f.Server, f.its, "", "/api/registry", registration("h")); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	run, err := f.Jobs().Trigger(t.Context(), "", "theirs", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	look := func() job.Run {
		r, err := f.Jobs().Run(context.WithoutCancel(t.Context()), run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	until(t, "the run is sent", func() bool { return look().State == job.Running })
	attempt := look().AttemptID
	for _, items := range []string{`[{"logId":%d,"handleCode":200}]`, `{"callbackList":[{"logId":%d,"handleCode":500}]}`} {
		body := fmt.Sprintf(items, attempt)
		for _, group := range []string{"", "g", "h"} {
			_, got := knock(t, f.Server, f.mine, group, "/api/callback", body)
			if (group == "h") == strings.Contains(got, `"code":200`) {
				t.Errorf("as %q: %s", group, got)
			}
		}
	}
	for _, name := range []string{"registry", "registryRemove"} {
		for _, group := range []string{"", "g", "h"} {
			if _, got := knock(t, f.Server, f.mine, group, "/api/"+name, registration("h")); !strings.Contains(got, `"code":500`) {
				t.Errorf("%s as %q: %s", name, group, got)
			}
		}
	}
	for _, address := range []string{
		"http://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://0.0.0.0:9999/", "http://224.0.0.1/",
		"http://2852039166/", "http://0xa9fea9fe/", "http://0x7f.1:9999/", "http://2130706433:9999/", "http://[64:ff9b::a9fe:a9fe]/",
	} {
		body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":"g","registryValue":%q}`, address)
		if _, got := knock(t, f.Server, f.mine, "g", "/api/registry", body); !strings.Contains(got, "no executor can be called there") {
			t.Errorf("%s: %s", address, got)
		}
	}
	executors, err := f.Jobs().Executors(t.Context())
	if r := look(); r.State != job.Running || err != nil || len(executors) != 1 {
		t.Errorf("the run is %s, executors are %+v, %v", r.State, executors, err)
	}
	if _, got := knock(t, f.Server, f.its, "", "/api/callback", fmt.Sprintf(`[{"logId":%d,"handleCode":200}]`, attempt)); !strings.Contains(got, `"code":200`) {
		t.Error(got)
	}
	until(t, "the run is over", func() bool { return look().State == job.Succeeded })
}

// TestHostileSignatures is S01, S11 and S14 for the native protocol: knowing the name
// of a key, or showing the token itself, is not knowing how to sign.
func TestHostileSignatures(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	key := credential.KeyID(f.mine)
	now := time.Now().UnixMilli()
	signed := func(key string, at int64, signature string) string {
		return fmt.Sprintf("Orth-Protocol: 1.0\r\nOrth-Key: %s\r\nOrth-Time: %d\r\nOrth-Nonce: AAAAAAAAAAAAAAAAAAAAAA\r\nOrth-Signature: %s\r\n", key, at, signature)
	}
	zeros := strings.Repeat("0", 64)
	forged := map[string]string{
		"nothing":               "",
		"the token of a group":  "XXL-JOB-ACCESS-TOKEN: " + f.mine + "\r\n",
		"the token as a bearer": "Authorization: Bearer " + f.mine + "\r\n",
		"an unknown key":        signed("0123456789abcdef", now, zeros),
		"a signature of zeros":  signed(key, now, zeros),
		"an empty signature":    signed(key, now, ""),
		"half a signature":      signed(key, now, "00"),
		"no hexadecimal":        signed(key, now, strings.Repeat("z", 64)),
		"a time long past":      signed(key, 1, zeros),
		"a time that is none":   strings.Replace(signed(key, 7, zeros), "Orth-Time: 7", "Orth-Time: 9223372036854775808", 1),
		"no nonce":              strings.Replace(signed(key, now, zeros), "Orth-Nonce: AAAAAAAAAAAAAAAAAAAAAA\r\n", "", 1),
		"a long nonce":          strings.Replace(signed(key, now, zeros), "AAAAAAAAAAAAAAAAAAAAAA", strings.Repeat("A", 10_000), 1),
		"a key that is a path":  signed("../../etc/passwd", now, zeros),
		"two keys":              "Orth-Key: " + key + "\r\n" + signed("0123456789abcdef", now, zeros),
	}
	var raids []raid
	for _, name := range []string{"register", "farewell", "outcomes", "pull", "answers"} {
		for how, headers := range forged {
			for what, body := range map[string]string{
				"an object": `{"group":"g","address":"http://127.0.0.1:1/","outcomes":[{"attempt":1,"state":"succeeded"}]}`, "nonsense": "\xac\xed\x00\x05", "deep": strings.Repeat("[", 100_000),
			} {
				raids = append(raids, raid{name + ", " + how + ", " + what, raw("POST", "/orth/v1/"+name, headers, body), `401 \{"kind":"unauthorized"`})
			}
		}
		for _, target := range []string{"/orth/v2/", "/orth/v01/", "/ORTH/v1/", "//orth/v1/", "/orth//v1/", "/orth/v1/../v1/", "/orth/v1%2f", "/orth/v1/x/"} {
			raids = append(raids, raid{"S14 " + target + name, raw("POST", target+name, "", "{}"), `401 |404 |400 |200 \{"code":500`})
		}
		raids = append(raids, raid{"A29 GET " + name, raw("GET", "/orth/v1/"+name, "", ""), `40[145] |200 \{"code":500`})
	}
	f.suffer(t, raids)
}
