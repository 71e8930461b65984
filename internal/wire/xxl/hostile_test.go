package xxl

import (
	"bufio"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
)

// attack is one request that must change nothing.
type attack struct {
	name    string // with the numbers of the list of attacks that is published for products like this one
	request string // as it goes over the wire
	status  string // the HTTP status, empty for 200
	want    string // is in the answer
}

// hostileFor is the longest time until an answer. What is late is asked for again before
// it is judged: an attack that is work is so each time, and a machine that stood still
// once is not. How long answers take is printed.
const hostileFor = 2 * time.Second

// strike sends the attacks one after the other, each on a connection of its own. Each must
// be answered as it requires, soon, without a word of what is inside; and changed must
// report nothing.
func strike(t *testing.T, addr string, attacks []attack, changed func() string) {
	t.Helper()
	var times []time.Duration
	for _, a := range attacks {
		began := time.Now()
		conn := dial(t, addr)
		send(t, conn, a.request)
		got := receive(t, bufio.NewReader(conn))
		took := time.Since(began)
		times = append(times, took)
		_ = conn.Close()
		status := a.status
		if status == "" {
			status = "200 OK"
		}
		if !strings.HasPrefix(got, "HTTP/1.1 "+status) || !strings.Contains(got, a.want) {
			t.Errorf("%s: %.300s; want %s with %s", a.name, got, status, a.want)
		}
		for _, inside := range []string{"goroutine ", ".go:", "panic", "runtime.", "s3cr3t-t0ken", "/secret", "orthg_"} {
			if strings.Contains(got, inside) {
				t.Errorf("%s: the answer has %q: %.300s", a.name, inside, got)
			}
		}
		if what := changed(); what != "" {
			t.Errorf("%s: it had an effect: %s", a.name, what)
		}
		for again := 0; took > hostileFor && again < 3; again++ {
			began := time.Now()
			conn := dial(t, addr)
			send(t, conn, a.request)
			receive(t, bufio.NewReader(conn))
			took = min(took, time.Since(began))
			_ = conn.Close()
			if what := changed(); what != "" {
				t.Errorf("%s: it had an effect: %s", a.name, what)
			}
		}
		if took > hostileFor {
			t.Errorf("%s: answered after %s", a.name, took)
		}
	}
	slices.Sort(times)
	t.Logf("%d attacks; half of the answers within %s, 99 of 100 within %s", len(times), times[len(times)/2], times[len(times)*99/100])
}

// hostile makes a request with a token under a header; the header may be several.
func hostile(method, target, headers, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", method, target, headers, len(body), body)
}

const (
	goodToken   = "XXL-JOB-ACCESS-TOKEN: s3cr3t-t0ken\r\n"
	shellAttack = `{"jobId":1,"executorHandler":"","executorParams":"","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,` +
		`"logId":1,"logDateTime":1700000000000,"glueType":"GLUE_SHELL","glueSource":"touch M","glueUpdatetime":1,"broadcastIndex":0,"broadcastTotal":1}`
)

// wrongTokens are headers that open nothing.
func wrongTokens() map[string]string {
	wrong := map[string]string{
		"no token":      "",
		"in a cookie":   "Cookie: XXL_JOB_LOGIN_IDENTITY=7b226964223a317d; token=s3cr3t-t0ken\r\n",
		"as a bearer":   "Authorization: Bearer s3cr3t-t0ken\r\n",
		"a header more": "X-Forwarded-For: 127.0.0.1\r\nX-Original-URL: /beat\r\n",
		"two wrong ones": "XXL-JOB-ACCESS-TOKEN: default_token\r\n" +
			"XXL-JOB-ACCESS-TOKEN: s3cr3t\r\n",
	}
	for _, token := range []string{
		"", "default_token", "orth-secret-token", "xxl-job", "s3cr3t-t0kem", "S3CR3T-T0KEN", "s3cr3t-t0ke", "s3cr3t-t0kenn", "*", "null", "' OR '1'='1",
		strings.Repeat("a", 5000),
	} {
		wrong[fmt.Sprintf("token %.20q", token)] = "XXL-JOB-ACCESS-TOKEN: " + token + "\r\n"
		wrong[fmt.Sprintf("token %.20q under the fork's name", token)] = "ORTH-ACCESS-TOKEN: " + token + "\r\n"
	}
	return wrong
}

// nonsense are bodies that are no request of anything.
func nonsense() map[string]string {
	return map[string]string{
		"A04 Hessian":           "c\x00\x01\x52\x00m\x00\x03run\xc0R\x00",
		"A04 a Java object":     "\xac\xed\x00\x05sr\x00\x11java.util.HashMap",
		"A21 a Java class":      "\xca\xfe\xba\xbe\x00\x00\x00\x34",
		"a gob":                 "\x0f\xff\x81\x03\x01\x01\x01T\x01",
		"XML":                   `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`,
		"YAML":                  "!!javax.script.ScriptEngineManager [!!java.net.URL [\"http://127.0.0.1/\"]]",
		"a form":                "jobId=1&logId=1&executorParam=x",
		"a number":              "1",
		"a text":                `"x"`,
		"a NUL":                 "\x00",
		"half a text":           `{"jobId`,
		"half an escape":        `{"jobId":1,"executorHandler":"\u00`,
		"half a list":           `[{"logId":1,"handleCode":200}`,
		"two bodies":            `{"jobId":1}{"jobId":2}`,
		"a trailing comma":      `{"jobId":1,}`,
		"10,000 lists":          strings.Repeat("[", 10_000),
		"10,000 lists, closed":  strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"10,000 objects":        strings.Repeat(`{"a":`, 10_000),
		"deep in a known field": `{"logId":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
		"deep in another field": `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
		"NaN":                   `{"jobId":NaN,"logId":NaN}`,
		"hexadecimal":           `{"jobId":0x1,"logId":0x1,"id":0x1}`,
		"a number like a bomb":  `{"jobId":1e400,"logId":1e400,"id":1e400}`,
		"a number of 9 kB":      `{"jobId":` + strings.Repeat("9", 9000) + `,"logId":` + strings.Repeat("9", 9000) + `,"id":` + strings.Repeat("9", 9000) + `}`,
		"a fraction":            `{"jobId":1.5,"logId":1.5,"id":1.5}`,
		"a path":                `{"jobId":"../../etc/passwd","logDateTim":0,"logId":"../../etc/passwd","id":"../../etc/passwd"}`,
		"SQL":                   `{"jobId":"1 OR 1=1; DROP TABLE runs --","logId":"1 OR 1=1; DROP TABLE runs --","id":"1 OR 1=1; DROP TABLE runs --"}`,
	}
}

// TestHostileRequestsToExecutors is A01, A02, A04, A36, S01, S07, S14 and what the
// list calls path and type, sent to an executor.
func TestHostileRequestsToExecutors(t *testing.T) {
	t.Parallel()
	var log lockedText
	room := new(executorRoom)
	addr := serve(t, NewExecutorHandler(ExecutorConfig{
		Token: "s3cr3t-t0ken", Tasks: room, Logs: room, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}))
	paths := []string{dialect.PathRun, dialect.PathTrigger, dialect.PathKill, dialect.PathLog, dialect.PathBeat, dialect.PathIdleBeat}
	var attacks []attack
	for name, headers := range wrongTokens() {
		for _, path := range paths {
			attacks = append(attacks, attack{name: "A01 A36 S01 " + path + ", " + name, request: hostile("POST", path, headers, shellAttack), want: dialect.TextToken})
		}
	}
	for name, body := range nonsense() {
		for _, path := range []string{dialect.PathRun, dialect.PathTrigger, dialect.PathKill, dialect.PathLog, dialect.PathIdleBeat} {
			if name == "deep in another field" || name == "deep in a known field" && path != dialect.PathLog && path != dialect.PathRun && path != dialect.PathTrigger {
				continue // see below
			}
			attacks = append(attacks, attack{name: path + ", " + name, request: hostile("POST", path, goodToken, body), want: dialect.TextRequestError})
		}
	}
	for _, path := range []string{dialect.PathRun, dialect.PathKill, dialect.PathLog} {
		attacks = append(attacks, attack{
			name: path + ", deep in another field", request: hostile("POST", path, goodToken, nonsense()["deep in another field"]), want: "nested deeper than 32 levels",
		})
	}
	for _, target := range []string{
		"/%72un", "/run/.", "//x//run", "/run;x", "/run.", "/RUN", "/run%00", "/run%2f", "/./run", "/x/../run", "/%2e%2e/run", "/%c0%af/run", "/run?x=1", "/api/run", "/orth/run",
		"http://x/run", "/run%0d%0aX:%20y", "/actuator/heapdump", "/run\\..\\beat",
	} {
		attacks = append(attacks, attack{name: "S14 " + target, request: hostile("POST", target, goodToken, shellAttack), want: dialect.TextPathUnknown})
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "post", "RUN"} {
		attacks = append(attacks, attack{name: "A29 " + method, request: hostile(method, dialect.PathRun, goodToken, shellAttack), want: dialect.TextMethod})
	}
	attacks = append(attacks, smuggled(dialect.PathRun, shellAttack)...)
	strike(t, addr, attacks, room.take)
	if text := log.String(); strings.Contains(text, "panic") || strings.Contains(text, "s3cr3t") {
		t.Errorf("log: %s", text)
	}
}

// TestHostileRequestsToServers is the same for a server, with S02, A34 and what
// belongs to calls about jobs.
func TestHostileRequestsToServers(t *testing.T) {
	t.Parallel()
	var log lockedText
	room, jobs := new(serverRoom), newJobRoom()
	h := NewAdminHandler(AdminConfig{
		Leases: room, Outcomes: room, Credentials: guests{}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		JobCalls: JobCalls{Book: jobs, Switch: jobs, Groups: jobs},
	})
	addr, before := serve(t, h), maps.Clone(jobs.jobs)
	bodies := map[string]string{
		dialect.APIRegistry:       `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"http://10.0.0.1:9999/"}`,
		dialect.APIRegistryRemove: `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"http://10.0.0.1:9999/"}`,
		dialect.APICallback:       `[{"logId":1,"handleCode":200}]`,
		callAddJob:                fmt.Sprintf(newForm, ""), callUpdateJob: `{"id":1,"name":"N"}`, callRemoveJob: `{"id":1}`,
		callStartJob: `{"id":1}`, callStopJob: `{"id":1}`, callTriggerJob: `{"id":1}`,
	}
	const named = goodToken + "XXL-JOB-APPNAME: a\r\n"
	var attacks []attack
	for call, body := range bodies {
		for name, headers := range wrongTokens() {
			attacks = append(attacks, attack{
				name: "A02 S01 " + call + ", " + name, request: hostile("POST", "/api/"+call, headers, body), want: dialect.TextToken,
			})
		}
		for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "post"} {
			attacks = append(attacks, attack{name: "A29 " + method + " " + call, request: hostile(method, "/api/"+call, named, body), want: dialect.TextMethod})
		}
		for _, target := range []string{
			"/API/", "/api;x/", "/api./", "/xapi/", "/x/../api%00/", "/%c0%af/api/", "/api/%2e%2e/", "/api/v0/", "/orth/api/", "/xxl-job-admin/xxl-job-admin/api/",
		} {
			attacks = append(attacks, attack{name: "S14 " + target + call, request: hostile("POST", target+call, named, body), want: dialect.TextPathUnknown})
		}
		for _, end := range []string{"/.", "%00", ".", ";x", "%20", "%2f..", "\xff"} {
			attacks = append(attacks, attack{name: "S14 " + call + end, request: hostile("POST", "/api/"+call+end, named, body), want: dialect.TextPathUnknown})
		}
	}
	for call := range bodies {
		for name, body := range nonsense() {
			want := dialect.TextAPIError + dialect.TextMalformed
			switch {
			case call == dialect.APICallback && slices.Contains([]string{"a number like a bomb", "a number of 9 kB", "a fraction", "a path", "SQL", "NaN", "hexadecimal", "deep in a known field"}, name),
				(call == dialect.APIRegistry || call == dialect.APIRegistryRemove || call == callAddJob) && strings.Contains(body, `"logId"`):
				continue // TestCallbackItemsAreJudgedOneByOne; fields of no meaning here
			case call != dialect.APICallback && call != dialect.APIRegistry && call != dialect.APIRegistryRemove && name == "deep in a known field":
				continue // none of its fields
			}
			attacks = append(attacks, attack{name: call + ", " + name, request: hostile("POST", "/api/"+call, named, body), want: want})
		}
		attacks = append(attacks, smuggled("/api/"+call, bodies[call])...)
	}
	for _, address := range []string{
		`javascript:alert(1)`, `file:///etc/passwd`, `gopher://127.0.0.1:1/`, `http://`, `http://u:p@h/`, `http://127.0.0.1:1#@h/`, `//h/`, `http://h:0/`, `http://h:65536/`,
		`\"><img src=x onerror=alert(1)>`, `http://h/\u0000`, `http://h/?a=b`, "http://" + strings.Repeat("h", 600),
	} {
		body := `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"` + address + `"}`
		attacks = append(attacks, attack{name: "A34 S07 " + address, request: hostile("POST", "/api/registry", goodToken, body), want: dialect.TextIllegal})
	}
	strike(t, addr, attacks, func() string {
		h.jobRate.mu.Lock()
		clear(h.jobRate.busy) // each attack is the first one
		h.jobRate.mu.Unlock()
		if diff := cmp.Diff(before, jobs.jobs); diff != "" {
			return diff
		}
		return room.take() + jobs.take()
	})
	if text := log.String(); strings.Contains(text, "panic") || strings.Contains(text, "s3cr3t") {
		t.Errorf("log: %s", text)
	}
}

// smuggled are requests whose end is not clear (S08): two that follow each other
// must not be made of them.
func smuggled(path, body string) []attack {
	begin := "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + goodToken + "XXL-JOB-APPNAME: a\r\n"
	const refused = "400 Bad Request"
	return []attack{
		{"S08 two lengths", begin + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + body, refused, ""},
		{"S08 a length below zero", begin + "Content-Length: -1\r\n\r\n" + body, refused, ""},
		{"S08 a length with a sign", begin + "Content-Length: +5\r\n\r\n" + body, refused, ""},
		{"S08 a length that is none", begin + "Content-Length: 0x10\r\n\r\n" + body, refused, ""},
		{"S08 an unknown coding", begin + "Transfer-Encoding: xchunked\r\n\r\n" + body, "501 Not Implemented", ""},
		{"S08 two codings", begin + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "501 Not Implemented", ""},
		{"S08 a chunk that is none", begin + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body + "\r\n0\r\n\r\n", "", `"code":500`},
		{"S08 a chunk of 2^64", begin + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n" + body, "", `"code":500`},
		{"S08 a folded header", begin + " x: y\r\nContent-Length: 0\r\n\r\n", "", `"code":500`},
		{"S08 a header without a name", begin + ": y\r\nContent-Length: 0\r\n\r\n", refused, ""},
		{"S08 a header with a blank", begin + "Content-Length : 0\r\n\r\n" + body, refused, ""},
		{"S08 no host", "POST " + path + " HTTP/1.1\r\n" + goodToken + "\r\n", refused, ""},
		{"S08 two hosts", begin + "Host: y\r\nContent-Length: 0\r\n\r\n", refused, ""},
		{"S08 a blank in the target", "POST " + path + " x HTTP/1.1\r\nHost: x\r\n\r\n", refused, ""},
		{"S08 another protocol", "POST " + path + " HTTP/9.9\r\nHost: x\r\n\r\n", "505 HTTP Version Not Supported", ""},
		{"S08 no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", refused, ""},
	}
}

// TestRepeatedFieldsAndHeaders: when a request carries a field twice, all readers use the
// same one: what was checked is what is done.
func TestRepeatedFieldsAndHeaders(t *testing.T) {
	t.Parallel()
	jobs, room := newJobRoom(), new(serverRoom)
	h := NewAdminHandler(AdminConfig{
		Leases: room, Outcomes: room, Credentials: guests{}, JobCalls: JobCalls{Book: jobs, Switch: jobs, Groups: jobs},
	})
	if _, got := ask(t, h, "orthg_a", "", "/api/stopJob", `{"id":1,"id":2}`); !strings.Contains(got, textNoJob) || jobs.take() != "" {
		t.Errorf("two ids: %s", got)
	}
	body := `{"registryGroup":"EXECUTOR","registryKey":"a","registryKey":"b","registryValue":"http://10.0.0.1:9999/"}`
	if _, got := ask(t, h, "orthg_a", "", "/api/registry", body); !strings.Contains(got, `"code":500`) || room.take() != "" {
		t.Errorf("two groups: %s", got)
	}
	caller, err := guests{}.Caller(t.Context(), "orthg_a")
	if err != nil {
		t.Fatal(err)
	}
	if group, err := spokenFor(caller, http.Header{dialect.HeaderGroupCanonical: {"a", "b"}}); err != nil || group != "a" {
		t.Errorf("two names: %q, %v", group, err)
	}
	if _, err := spokenFor(caller, http.Header{dialect.HeaderGroupCanonical: {"b", "a"}}); err == nil {
		t.Error("two names, the other first")
	}
}
