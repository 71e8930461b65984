package javascript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/egress"
)

// TestMain is also the child process: with ORTH_TEST_CHILD it runs a script.
func TestMain(m *testing.M) {
	if os.Getenv("ORTH_TEST_NO_ZONES") != "" {
		zoneDirs = nil
	}
	if os.Getenv("ORTH_TEST_CHILD") != "" {
		os.Exit(Main(os.Args[1:], os.Environ(), os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

// runScript runs a source as Main does and returns what is seen of it.
func runScript(ctx context.Context, t *testing.T, source string, env map[string]string, args ...string) (exit int, result, log string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "job.js")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"ORTH_JOB_RESULT_FILE": filepath.Join(dir, "result")}
	maps.Copy(all, env)
	var out bytes.Buffer
	exit = runSource(ctx, append([]string{file}, args...), all, &out, func(int) { t.Error("ended hard") })
	text, err := os.ReadFile(filepath.Join(dir, "result"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	stamps := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} `)
	return exit, string(text), stamps.ReplaceAllString(out.String(), "")
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, source string
		exit         int
		result, log  string // log: a part
	}{
		{"nothing", "", 0, "", ""},
		{"log", `log("a %s %d %j %% %x", "b", 2.7, {c: [1]}, "d"); log({e: 1}, "f"); log()`, 0, "", "a b 2 {\"c\":[1]} % %x d\n{\"e\":1} f\n\n"},
		{"console", "console.log('a'); console.info('b'); console.warn('c'); console.error('d')", 0, "", "a\nb\nWARN c\nERROR d\n"},
		{"result", `result("3 rows")`, 0, "3 rows", ""},
		{"fail", `fail("no rows")`, 1, "no rows", ""},
		{"the last counts", `fail("no"); result("yes")`, 0, "yes", ""},
		{"main", `async function main(p) { await null; return "got " + p }`, 0, "got P", ""},
		{"main returns an object", `const main = () => ({a: 1})`, 0, `{"a":1}`, ""},
		{"main and result", `function main() { result("a"); return "b" }`, 0, "a", ""},
		{"await everywhere", "const a = await Promise.resolve(2)\nresult(a + 1)", 0, "3", ""},
		{"comment at the end", `result("x") // end`, 0, "x", ""},
		{"shebang", "#!/usr/bin/env node\nresult('x')", 0, "x", ""},
		{"strict", "'use strict'\nundeclared = 1", 1, "ReferenceError: 'undeclared' is not defined (line 2 of job.js)", ""},
		{"thrown", "function f() {\n  throw new TypeError('bad')\n}\nf()", 1, "TypeError: bad (line 2 of job.js)", "job.js:2:"},
		{"thrown on the first line", "null.x", 1, "", "job.js:1:5"},
		{"thrown text", `throw "plain"`, 1, "plain", "Uncaught plain"},
		{"thrown after await", "await sleep(1)\n\nundefined.x", 1, "", "job.js:3:"},
		{"thrown and not to be shown", "throw {toJSON() { throw 1 }, toString() { throw 2 }}", 1, "a value that cannot be shown", ""},
		{"rejection", "Promise.reject(new Error('lost'))\nawait sleep(1)", 1, "Error: lost (line 1 of job.js)", "Uncaught Error: lost"},
		{"rejection handled", "Promise.reject(new Error('lost')).catch(e => result(e.message))", 0, "lost", ""},
		{"syntax", "let a = 1\nlet b = = 2", 1, "SyntaxError: unexpected token in expression: '=' at job.js line 2, column 9", "line 2, column 9"},
		{"syntax on the first line", "let = =", 1, "", "line 1, column "},
		{"early error", "let a = 1\nlet a = 2", 1, "", "at job.js line 2"},
		{"bracket", "if (true) {\nlog(1)", 1, "", "is a bracket missing"},
		{"import", "import fs from 'fs'", 1, "", "there are no modules"},
		{"require", "require('fs')", 1, "", "there is no module"},
		{"never settled", "await new Promise(() => {})", 1, "the script waits for a promise that nothing is left to settle", ""},
		{"timers", `setTimeout(x => result(x), 5, "late"); setTimeout(() => log("early"), 1); clearTimeout(setTimeout(() => fail("x"), 2))`, 0, "late", "early\n"},
		{"timer throws", "setTimeout(() => {\n throw new Error('in timer') }, 1)", 1, "Error: in timer (line 2 of job.js)", ""},
		{"too many timers", "for (let i = 0; i < 65; i++) setTimeout(() => {}, 1)", 1, "", "64 timers wait already"},
		{"no function", "setTimeout('x', 1)", 1, "", "setTimeout wants a function"},
		{"dynamic import", "await import('fs')", 1, "ReferenceError: could not load module 'fs'", ""},
		{"recursion", "function f() { f() }\nf()", 1, "", "too many calls are open"},
		{"recursion caught", "function f() { f() }\ntry { f() } catch (e) { result(e.name) }", 0, "InternalError", ""},
		{"deep", "function f(n) { return n ? 1 + f(n - 1) : 0 }; result(f(15000))", 0, "15000", ""},
		{"subclass", "class Mine extends Error {}\nthrow new Mine('bad')", 1, "Error: bad (line 1 of job.js)", ""},
		{"error logged", "log('%s', new TypeError('bad'))", 0, "", "TypeError: bad\n    at <anonymous> (job.js:1:24)\n"},
		{"thrown in a job of a promise", "Promise.resolve().then(() => {\nnull.x })\nawait sleep(1)", 1, "TypeError: cannot read property 'x' of null (line 2 of job.js)", ""},
		{"texts of any kind", "log('\\0é\\u{1F600}\\ud800'); result('a\\0b'.length)", 0, "3", "\x00é😀"},
		{"no files", "result([typeof std, typeof os, typeof print, typeof process, typeof globalThis.Worker].join())", 0, strings.Repeat(",undefined", 5)[1:], ""},
		{"languages", "result(['z', 'Ä', 'b', 'B', 'a', 'é', 'e'].sort((a, b) => a.localeCompare(b)).join(''))", 0, "aÄbBeéz", ""},
		{"builtins replaced", "JSON.parse = JSON.stringify = Promise = null; result({a: 1})", 0, `{"a":1}`, ""},
		{"cycle", "const a = {}; a.a = a; log(a)", 0, "", ""},
		{"long result", "result('x'.repeat(300000))", 0, strings.Repeat("x", maxResult-len([]rune("… [cut]"))) + "… [cut]", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			exit, result, log := runScript(t.Context(), t, test.source, nil, "P")
			if exit != test.exit || test.result != "" && result != test.result || !strings.Contains(log, test.log) {
				t.Errorf("exit %d, result %q, log %q", exit, result, log)
			}
			if exit != 0 && result == "" {
				t.Error("a failure without a message")
			}
		})
	}
}

func TestJob(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"ORTH_JOB_ID": "7", "ORTH_JOB_RUN_ID": "9007199254740993", "ORTH_JOB_TRY": "2",
		"ORTH_JOB_SCHEDULE_TIME": "2026-01-02T03:04:05Z", "ORTH_LABEL_TEAM": "red",
	}
	_, result, _ := runScript(t.Context(), t, `const {id, runId, ["log" + "Id"]: log, try: n, shardIndex, shardTotal, labels, deadline} = job
		result([param, id + 1, runId, log, n, shardIndex, shardTotal, labels.team, new Date(job.scheduleTime).getUTCHours(), deadline])`, env, "p", "1", "3")
	if want := `["p",8,"9007199254740993","",2,1,3,"red",3,""]`; result != want {
		t.Errorf("%s, want %s", result, want)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-r.Context().Done()
		case "/huge":
			_, _ = w.Write(make([]byte, maxAnswer+1))
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		default:
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Thing", "thing")
			_, _ = fmt.Fprintf(w, `{"seen":"%s %s %s"}`, r.Method, r.Header.Get("X-A"), body)
		}
	}))
	t.Cleanup(s.Close)
	config, _ := json.Marshal(egress.Config{Private: true})
	for _, test := range []struct{ name, source, want string }{
		{
			"json", `const r = await fetch(U + "/", {method: "put", headers: {"X-A": "a"}, body: "b"})
			result([r.status, r.ok, r.headers.get("x-thing"), r.headers.get("none"), r.headers.has("X-Thing"), (await r.json()).seen])`,
			`[200,true,"thing",null,true,"PUT a b"]`,
		},
		{"text twice", `const r = await fetch(U); await r.text(); result(await r.text())`, `{"seen":"GET  "}`},
		{"not found", `const r = await fetch(U + "/missing"); result([r.ok, r.status]); await r.json().catch(e => log(e.name))`, `[false,404]`},
		{"together", `const rs = await Promise.all([1, 2, 3].map(() => fetch(U))); result(rs.map(r => r.status))`, `[200,200,200]`},
		{"timeout", `await fetch(U + "/slow", {timeout: 10})`, "TypeError: fetch: no whole answer in the time allowed: give the option timeout, in milliseconds, when it needs longer"},
		{"huge", `await fetch(U + "/huge")`, "TypeError: fetch: the body is longer than 8 MiB"},
		{"option", `await fetch(U, {mode: "cors"})`, `TypeError: fetch: the option "mode" is unknown: there are method, headers, body and timeout (line 1 of job.js)`},
		{"object as body", `await fetch(U, {method: "POST", body: {}})`, "TypeError: fetch: body must be a text: use JSON.stringify (line 1 of job.js)"},
		{"refused", `try { await fetch("http://169.254.169.254/") } catch (e) { result(e.message.includes("metadata")) }`, "true"},
		{"too many", `const all = await Promise.allSettled(Array.from({length: 65}, () => fetch(U))); result(all.filter(r => r.status == "rejected").length)`, "1"},
		{"not awaited", `fetch(U).then(r => result(r.status))`, "200"},
		{"left behind by an error", `fetch(U + "/slow"); throw "end"`, "end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, result, log := runScript(t.Context(), t, `const U = "`+s.URL+`"; `+test.source, map[string]string{"ORTH_JS_EGRESS": string(config)})
			if result != test.want && !strings.HasPrefix(result, test.want+" (") {
				t.Errorf("result %q, want %q; log %q", result, test.want, log)
			}
		})
	}
	if _, result, _ := runScript(t.Context(), t, `await fetch("`+s.URL+`")`, nil); !strings.Contains(result, "loopback") {
		t.Errorf("without a configuration loopback is open: %q", result)
	}
	if exit, result, _ := runScript(t.Context(), t, ``, map[string]string{"ORTH_JS_EGRESS": `{"alow":[]}`}); exit != 1 || !strings.Contains(result, "alow") {
		t.Errorf("a misspelt configuration: %d, %q", exit, result)
	}
}

// TestCancelled: wherever the script is, the end of the process reaches it.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"for (;;) {}", "sleep(60000); log('on')", "await new Promise(r => setTimeout(r, 60000))",
		"for (;;) await null",
		"for (;;) { try { for (;;) {} } catch {} finally { continue } }",
		"/(a*)*b/.test('a'.repeat(40))",
		"setTimeout(() => { for (;;) {} }, 1)",
		"[2, 1].sort(() => { for (;;) {} })",
		"function* g() { for (;;) yield 1 }; for (const _ of g()) {}",
		"throw {toString() { for (;;) {} }, toJSON() { for (;;) {} }}",
		"function main() { return {toJSON() { for (;;) {} }} }",
		"const a = []; for (;;) { a.push({}); if (a.length > 100) a.length = 0 }",
		"let s; for (;;) s = 'x'.repeat(1e6) + s?.length",
		"(function f() { try { f() } finally { for (;;) {} } })()",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		exit, result, log := runScript(ctx, t, source, nil)
		cancel()
		if exit != exitCancelled || result != "cancelled" || log != "cancelled\n" {
			t.Errorf("%s: exit %d, result %q, log %q", source, exit, result, log)
		}
	}
}

func TestNoScript(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if exit := Main(nil, nil, &out); exit != 1 || !strings.Contains(out.String(), "no script is named") {
		t.Errorf("%d %q", exit, out.String())
	}
	if exit := Main([]string{"/no/such"}, nil, &out); exit != 1 || !strings.Contains(out.String(), "read the script: ") {
		t.Errorf("%d %q", exit, out.String())
	}
}

// child runs a script in a process of its own.
func child(t *testing.T, source string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "job.js")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), os.Args[0], file, "p")
	c.Env = append(os.Environ(), append(env, "ORTH_TEST_CHILD=1")...)
	c.Stdout, c.Stderr = &out, &out
	return c, &out
}

func TestSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("windows has no SIGTERM")
	}
	c, _ := child(t, "log('up'); for (;;) {}")
	c.Stdout = nil
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, _ := pipe.Read(line)
	_ = c.Process.Signal(syscall.SIGTERM)
	rest, _ := io.ReadAll(pipe)
	_ = c.Wait()
	if got := string(line[:n]) + string(rest); c.ProcessState.ExitCode() != exitCancelled || !strings.Contains(got, "up\n") || !strings.Contains(got, "cancelled") {
		t.Errorf("%v: %s", c.ProcessState, got)
	}
}
