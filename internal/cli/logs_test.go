package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stream is a server that streams a log and breaks off after the first lines, once.
func stream(t *testing.T) map[string]string {
	t.Helper()
	broken := false
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/runs/5/log/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		text := "event: attempt\ndata: {\"number\":1,\"id\":\"9\",\"address\":\"http://1\"}\n\n" +
			"event: lines\nid: 1:2\ndata: {\"attempt\":1,\"from\":1,\"to\":2,\"text\":\"one\\n\\u001b[31mtwo\\u001b[0m\\n\"}\n\n"
		if broken {
			if last := r.Header.Get("Last-Event-ID"); last != "1:2" {
				t.Errorf("the stream goes on behind %q", last)
			}
			text = "event: attempt\ndata: {\"number\":1}\n\nevent: lines\ndata: {\"attempt\":1,\"from\":3,\"to\":3,\"text\":\"three\\n\"}\n\n" +
				"event: attempt\ndata: {\"number\":2}\n\nevent: lines\ndata: {\"attempt\":2,\"from\":1,\"to\":1,\"text\":\"again\\n\"}\n\n" +
				"event: end\ndata: {\"state\":\"failed\",\"final\":true}\n\n"
		}
		broken = true
		_, _ = io.WriteString(w, text)
	})
	mux.HandleFunc("GET /api/v1/runs/6/log/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: end\ndata: {\"state\":\"cancelled\",\"final\":true,\"reason\":\"the job was deleted\"}\n\n")
	})
	mux.HandleFunc("GET /api/v1/runs/7/log/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: attempt\ndata: {\"number\":3}\n\nevent: end\ndata: {\"state\":\"succeeded\",\"final\":true}\n\n")
	})
	mux.HandleFunc("GET /api/v1/runs/8/log/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: attempt\ndata: {\"number\":1}\n\n"+
			"event: lines\ndata: {\"attempt\":1,\"from\":1,\"to\":2,\"text\":\"8:00 <br>----------- start -----------<br>----------- Param:x\\nmy <br> own\\n\"}\n\n"+
			"event: end\ndata: {\"state\":\"succeeded\",\"final\":true}\n\n")
	})
	mux.HandleFunc("GET /api/v1/runs/5/log/download", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if r.URL.Query().Get("attempt") == "2" {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "all of it, "+r.URL.RawQuery+"\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token}
}

func TestFollowThroughAStream(t *testing.T) {
	t.Parallel()
	env := stream(t)
	for _, c := range []struct{ args, stdout, stderr string }{
		{"run log 5 --follow --color always -N", "     1  one\n     2  \x1b[31mtwo\x1b[0m\n     3  three\n     1  again\n", "--- attempt 2\n"},
		{"run log 6 --follow", "", "--- run 6 has no attempt yet: it is cancelled: the job was deleted\n"},
		{"run log 7 --follow", "", "--- attempt 3 has written no log\n"},
		{"run log 8 --follow", "8:00 ----------- start ----------- ----------- Param:x\nmy <br> own\n", ""},
		{"run log 8 --follow --raw", "8:00 <br>----------- start -----------<br>----------- Param:x\nmy <br> own\n", ""},
	} {
		if r := orth(t.Context(), env, strings.Fields(c.args)...); r.code != 0 || r.stdout != c.stdout || r.stderr != c.stderr {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", c.args, r.code, r.stdout, r.stderr)
		}
	}
}

// TestFollowIsInterrupted: who presses a key ends it at once.
func TestFollowIsInterrupted(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		close(began)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	at := time.Now()
	r := orth(ctx, map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token}, "run", "log", "5", "-f")
	if took := time.Since(at); r.code != 130 || r.stderr != "orth: interrupted\n" || took > time.Minute { // machines are busy
		t.Errorf("exit code %d after %s, standard error %q", r.code, took, r.stderr)
	}
}

func TestSaveLog(t *testing.T) {
	t.Parallel()
	env, dir := stream(t), t.TempDir()
	path := filepath.Join(dir, "run.log")
	if r := orth(t.Context(), env, "run", "log", "5", "--save", path, "--no-color"); r.code != 0 || r.stderr != "Wrote 32 bytes to "+path+".\n" {
		t.Errorf("%+v", r)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "all of it, ansi=strip&attempt=0\n" {
		t.Errorf("%q, %v", text, err)
	}
	if r := orth(t.Context(), env, "run", "log", "5", "--save", "-", "--attempt", "1"); r.stdout != "all of it, attempt=1\n" {
		t.Errorf("%+v", r)
	}
	if r := orth(t.Context(), env, "run", "log", "5", "--save", path, "--attempt", "2"); r.code != 6 || !strings.Contains(r.stderr, "was cut after 4 bytes") {
		t.Errorf("%+v", r)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 1 {
		t.Errorf("what was cut is left: %v, %v", names, err)
	}
}

// TestLogQuestions looks at what is asked, and at what is printed.
func TestLogQuestions(t *testing.T) {
	t.Parallel()
	const run, log, search = "GET /runs/" + runID, "GET /runs/" + runID + "/log", "GET /runs/" + runID + "/log/search"
	const jobs = "GET /jobs/report/log/search"
	hit := func(line, before, text, after string) string {
		return `{"run_id":"12","attempt":1,"line":` + line + `,"before":[` + before + `],"text":"` + text + `","after":[` + after + `]}`
	}
	found := func(rest string, hits ...string) string {
		return `200 {"hits":[` + strings.Join(hits, ",") + `],"lines":9,"logs":1,` + rest + `}`
	}
	for _, c := range []struct {
		args           string
		answers        map[string][]string
		stdout, stderr string
		asked          string
	}{
		{
			"run log ID --tail 2 -N",
			map[string][]string{run: {"200 " + failed}, log: {page("2", "2", `b\n`), page("2", "2", `b\n`), page("3", "2", "")}},
			"     2  b\n", "", "attempt=2&limit=1&tail=2 attempt=2&from=2 attempt=2&from=3",
		},
		{
			"run log ID --since 2030-01-31T08:00 --until 2030-01-31T09:00 --attempt 1",
			map[string][]string{run: {"200 " + failed}, log: {
				`200 {"from":2,"to":2,"next":3,"text":"b\n","done":false}`, `200 {"from":4,"to":4,"next":5,"text":"d\n","done":false}`,
				`200 {"from":2,"to":4,"next":5,"text":"b\nc\nd\n","done":true}`,
			}},
			"b\nc\n", "", "at=2030-01-31T00%3A00%3A00Z&attempt=1&limit=1 at=2030-01-31T01%3A00%3A00Z&attempt=1&limit=1 attempt=1&from=2",
		},
		{
			"run log ID --from 3",
			map[string][]string{run: {"200 " + succeeded}, log: {`200 {"from":3,"to":2,"next":3,"text":"","done":true,"note":"the executor was gone"}`}},
			"", "--- the executor was gone\n", "attempt=1&from=3",
		},
		{
			"run log ID --grep b -i -C 1",
			map[string][]string{search: {
				found(`"complete":false,"next":"9"`, hit("2", `"a"`, "b", `"c"`), hit("4", `"c"`, "B", `"e"`), hit("8", `"g"`, "\\u001b[1mb", "")),
				found(`"complete":true`, hit("10", `"i"`, "b", "")),
			}},
			"1-a\n2:b\n3-c\n4:B\n5-e\n--\n7-g\n8:b\n9-i\n10:b\n", "",
			"context=1&fold=true&for=10s&from=1&limit=1000&text=b context=1&fold=true&for=10s&from=9&limit=997&text=b",
		},
		{
			"run log ID --regexp b. --limit 1 --attempt 2",
			map[string][]string{search: {found(`"complete":false,"next":"3"`, hit("2", "", "bc", ""))}},
			"2:bc\n", "More matches may exist; raise --limit to list them.\n", "attempt=2&for=10s&from=1&limit=1&regexp=true&text=b.",
		},
		{
			"run log ID --grep x", map[string][]string{search: {found(`"complete":true`)}}, "", "No match in 9 lines.\n", "for=10s&from=1&limit=1000&text=x",
		},
		{
			"job logs report --grep b --state failed --since 2030-01-31T08:00 --until 2030-01-31T09:00",
			map[string][]string{jobs: {
				found(`"complete":false,"next":"7"`, hit("2", "", "b", "")),
				found(`"complete":false,"note":"attempt 3: damaged"`, hit("1", "", "b2", "")),
			}},
			"run 12, attempt 1\n2:b\nrun 12, attempt 1\n1:b2\n", "The search is incomplete: attempt 3: damaged.\n",
			"for=10s&limit=1000&namespace=default&since=2030-01-31T00%3A00%3A00Z&state=failed&text=b&until=2030-01-31T01%3A00%3A00Z " +
				"before=7&for=10s&limit=999&namespace=default&since=2030-01-31T00%3A00%3A00Z&state=failed&text=b&until=2030-01-31T01%3A00%3A00Z",
		},
	} {
		server := newFake(t, c.answers)
		r := orth(t.Context(), server.env(), strings.Fields(strings.Replace(c.args, "ID", runID, 1))...)
		if r.code != 0 || r.stdout != c.stdout || r.stderr != c.stderr {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", c.args, r.code, r.stdout, r.stderr)
		}
		var asked []string
		for line := range strings.Lines(server.seen()) {
			if path, query, ok := strings.Cut(strings.TrimSpace(line), "?"); ok && strings.Contains(path, "/log") {
				asked = append(asked, query)
			}
		}
		if got := strings.Join(asked, " "); got != c.asked {
			t.Errorf("%s: asked %s", c.args, got)
		}
	}
}

func TestLogFlagsThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"run log 5 --tail -1":                   "--tail: must not be negative, got -1",
		"run log 5 --from -1":                   "--from: must be at least 1, got -1",
		"run log 5 --tail 1 --from 2":           "--tail, --from and --since are mutually exclusive",
		"run log 5 -f --until 1m":               "--follow and --until are mutually exclusive",
		"run log 5 -f --grep x":                 "--grep and --regexp cannot be combined with --follow, --tail and --until",
		"run log 5 --grep x --regexp y":         "--grep and --regexp are mutually exclusive",
		"run log 5 -i":                          "require --grep or --regexp",
		"run log 5 --grep x -C 21":              "--context: must be between 0 and 20, got 21",
		"run log 5 --grep x --limit 0":          "--limit: must be at least 1, got 0",
		"run log 5 --save x --follow":           "--save can only be combined with --attempt and --color",
		"run log 5 --since soon":                `--since: "soon" is not a time`,
		"run log 5 --color sometimes":           "must be one of auto, always, never",
		"job logs report":                       "--grep or --regexp is required; 'orth run list --job report' lists the runs",
		"job logs report --grep x -C -1":        "--context: must be between 0 and 20, got -1",
		"job logs report --grep x --state done": "must be one of planned, queued",
	} {
		if r := orth(t.Context(), map[string]string{"ORTH_SERVER": "http://127.0.0.1:1"}, strings.Fields(args)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, %s", args, r.code, r.stderr)
		}
	}
}
