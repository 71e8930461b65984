package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/orthd/orth/internal/mcp"
	"github.com/orthd/orth/job"
)

var update = flag.Bool("update", false, "write the golden files")

// toolsOf returns all tools that an assistant sees.
func toolsOf(t *testing.T, session *sdk.ClientSession) (all []*sdk.Tool) {
	t.Helper()
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool)
	}
	return all
}

// The tools, their hints and their arguments are those of a golden file, and each comes
// from the document of the API.
func TestTools(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	session := assist(t, newFake(t, always(200, "{}")), mcp.Config{AllowWrites: true, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	var list strings.Builder
	for _, tool := range toolsOf(t, session) {
		hints := tool.Annotations
		words := []string{}
		for word, has := range map[string]bool{
			"reads": hints.ReadOnlyHint, "again": hints.IdempotentHint, "destroys": hints.DestructiveHint != nil && *hints.DestructiveHint,
		} {
			if has {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		schema, ok := tool.InputSchema.(map[string]any)
		if !ok || schema["additionalProperties"] != false {
			t.Fatalf("%s takes %v", tool.Name, tool.InputSchema)
		}
		properties, _ := schema["properties"].(map[string]any)
		fmt.Fprintf(&list, "%s [%s] %s\n", tool.Name, strings.Join(words, " "), strings.Join(slices.Sorted(maps.Keys(properties)), " "))
		defined, _ := schema["$defs"].(map[string]any)
		resolves(t, tool.Name, schema, defined)
		if tool.Title == "" || !strings.HasPrefix(tool.Description, tool.Title) {
			t.Errorf("%s is told as %q, %q", tool.Name, tool.Title, tool.Description)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("tools are missing: %s", &logged)
	}
	path := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(path, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), list.String()); diff != "" {
		t.Errorf("with -update the file is written anew (-want +got):\n%s", diff)
	}
}

// resolves fails when a schema refers to what is not in it.
func resolves(t *testing.T, name string, schema any, defined map[string]any) {
	t.Helper()
	switch v := schema.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			if _, has := defined[strings.TrimPrefix(ref, "#/$defs/")]; !has {
				t.Errorf("%s refers to %s, which is not there", name, ref)
			}
		}
		for _, member := range v {
			resolves(t, name, member, defined)
		}
	case []any:
		for _, member := range v {
			resolves(t, name, member, defined)
		}
	}
}

func TestReadOnlyHasNoWritingTool(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, "{}"))
	session := assist(t, f, mcp.Config{})
	all := toolsOf(t, session)
	if len(all) < 30 {
		t.Errorf("there are only %d tools", len(all))
	}
	for _, tool := range all {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s writes", tool.Name)
		}
	}
	for _, name := range []string{"trigger_job", "delete_job", "stop_job", "save_pause", "create_user", "prune_audit"} {
		if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{"key": "report"}}); err == nil {
			t.Errorf("%s can be called", name)
		}
	}
	f.expect(t)
}

// Where a server says that what is to read only writes, nothing is served.
func TestADocumentThatLiesIsRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, "{}"))
	f.document = bytes.Replace(f.document, []byte(`"operationId": "list-runs"`), []byte(`"operationId": "was-list-runs"`), 1)
	f.document = bytes.Replace(f.document, []byte(`"operationId": "clean-runs"`), []byte(`"operationId": "list-runs"`), 1)
	_, err := mcp.New(t.Context(), mcp.Config{Address: f.URL})
	if job.KindOf(err) != job.Refused || !strings.Contains(err.Error(), "list-runs") {
		t.Errorf("New says %v", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, `{"id":"123456789012345678"}`+"\n"))
	session := assist(t, f, mcp.Config{Namespace: "team-a"})
	for _, c := range []struct {
		tool, want string
		arguments  map[string]any
	}{
		{"list_jobs", "GET /jobs?namespace=team-a", nil},
		{"list_jobs", "GET /jobs?limit=5&namespace=b", map[string]any{"limit": 5, "namespace": "b"}},
		{"list_runs", "GET /runs?shards=true&state=failed%2Clost", map[string]any{"state": []string{"failed", "lost"}, "shards": true}},
		{"get_job", "GET /jobs/a%2Fb%3Fc?namespace=team-a", map[string]any{"key": "a/b?c"}},
		{"get_run", "GET /runs/9007199254740993", map[string]any{"id": json.Number("9007199254740993")}},
		{"explain_run", "GET /runs/7/explanation", map[string]any{"id": "7"}},
		{"get_log", "GET /runs/7/log?tail=20", map[string]any{"id": "7", "tail": 20}},
	} {
		if got := does(t, session, c.tool, c.arguments); got != `{"id":"123456789012345678"}` {
			t.Errorf("%s answers %s", c.tool, got)
		}
		for _, header := range f.expect(t, c.want) {
			if header.Get("Authorization") != "Bearer "+token || header.Get("Idempotency-Key") != "" {
				t.Errorf("%s sends %v", c.tool, header)
			}
		}
	}
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, "{}"))
	session := assist(t, f, mcp.Config{AllowWrites: true})
	for _, c := range []struct {
		tool, want string
		arguments  map[string]any
	}{
		{"get_job", "key: is missing", nil},
		{"get_job", "key: is missing", map[string]any{"key": nil}},
		{"get_job", `".." names nothing`, map[string]any{"key": ".."}},
		{"get_job", `"" names nothing`, map[string]any{"key": ""}},
		{"get_job", "key: must be a text", map[string]any{"key": map[string]any{}}},
		{"list_jobs", "filter: is no argument of this tool\nit takes after, calendar, enabled", map[string]any{"filter": "x"}},
		{"list_runs", "state: must be a list of texts", map[string]any{"state": []any{[]any{"x"}}}},
		{"list_runs", "confirm: is no argument", map[string]any{"confirm": "x"}},
		{"delete_job", "dry_run: is no argument", map[string]any{"key": "report", "dry_run": true}},
		{"delete_job", "If-Match: is no argument", map[string]any{"key": "report", "If-Match": "*"}},
		{"delete_job", "confirm: must be the code", map[string]any{"key": "report", "confirm": 5}},
		{"create_job", "body: is missing", nil},
		{"create_job", "body: must be a JSON object", map[string]any{"body": "x"}},
	} {
		refused(t, session, c.tool, c.arguments, c.want)
	}
	f.expect(t)
}

func TestWhatTheServerRefusesIsTold(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(403, `{"code":"forbidden","detail":"mia lacks the right to see this","hint":"ask an owner"}`))
	session := assist(t, f, mcp.Config{AllowWrites: true})
	refused(t, session, "get_job", map[string]any{"key": "report"}, "forbidden: mia lacks the right to see this\nask an owner")
	refused(t, session, "trigger_job", map[string]any{"key": "report"}, "forbidden: mia lacks")
	f.answer = always(302, "elsewhere")
	refused(t, session, "get_job", map[string]any{"key": "report"}, "status 302")
	f.answer = func(*http.Request, string) (int, string, string) { panic(http.ErrAbortHandler) }
	refused(t, session, "get_job", map[string]any{"key": "report"}, "unreachable: ")
	refused(t, session, "stop_job", map[string]any{"key": "report"}, "look before you call again")
}

// A page that is too large is asked for again in a smaller size; what is one thing is
// cut, and says so.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	const row = 2000
	f := newFake(t, func(r *http.Request, _ string) (int, string, string) {
		if strings.HasSuffix(r.URL.Path, "/calendars/large") {
			return 200, "", `{"text":"` + strings.Repeat("é", 100<<10) + `"}`
		}
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			limit = 100
		}
		one := `"` + strings.Repeat("x", row) + `",`
		return 200, "", `{"runs":[` + strings.TrimSuffix(strings.Repeat(one, limit), ",") + `],"next":"n` + strconv.Itoa(limit) + `"}`
	})
	session := assist(t, f, mcp.Config{})
	texts, failed := use(t, session, "list_runs", nil)
	if failed || len(texts) != 2 || len(texts[0]) > 64<<10 || !strings.Contains(texts[1], "lowered to 28") {
		t.Fatalf("%d texts, the last %q", len(texts), texts[len(texts)-1])
	}
	var page struct {
		Runs []string
		Next string
	}
	if err := json.Unmarshal([]byte(texts[0]), &page); err != nil || len(page.Runs) != 28 || page.Next != "n28" {
		t.Errorf("the page has %d runs and next %q: %v", len(page.Runs), page.Next, err)
	}
	f.expect(t, "GET /runs", "GET /runs?limit=28")

	texts, failed = use(t, session, "get_calendar", map[string]any{"key": "large"})
	if failed || len(texts) != 2 || len(texts[0]) > 64<<10 || strings.Contains(texts[0], "\uFFFD") || !strings.Contains(texts[1], "64 KiB of 200") {
		t.Errorf("%d texts, the last %q", len(texts), texts[len(texts)-1])
	}
}

// At most 4 calls are with the server at a time, and 32 wait.
func TestCallsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	entered, leave := make(chan struct{}, 100), make(chan struct{})
	f := newFake(t, func(*http.Request, string) (int, string, string) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		entered <- struct{}{}
		<-leave
		now.Add(-1)
		return 200, "", "{}"
	})
	session := assist(t, f, mcp.Config{})
	const calls = 50
	refusals := make(chan bool, calls)
	for range calls {
		go func() {
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_me"})
			refusals <- err != nil || result.IsError
		}()
	}
	for range 4 {
		<-entered
	}
	for range calls - 36 { // these are refused while the others wait
		if !<-refusals {
			t.Error("a call ended before its turn")
		}
	}
	close(leave)
	for range 36 {
		if <-refusals {
			t.Error("a call that waited was refused")
		}
	}
	if most.Load() != 4 {
		t.Errorf("%d were asked at a time", most.Load())
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }))
	t.Cleanup(stranger.Close)
	const gone = "http://127.0.0.1:1" // a port that nobody is given
	for address, want := range map[string]job.Kind{
		"": job.Invalid, "ftp://x": job.Invalid, "http://u:p@x": job.Invalid, "http://x?y": job.Invalid,
		stranger.URL: job.Refused, gone: job.Unreachable,
	} {
		if _, err := mcp.New(t.Context(), mcp.Config{Address: address}); job.KindOf(err) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// What is no message ends the session with an error, and so does one without end.
func TestWrongInputEnds(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, "{}"))
	for name, input := range map[string]io.Reader{
		"text": strings.NewReader("hello\n"), "long": io.MultiReader(strings.NewReader(`"`), endless{}),
	} {
		s, err := mcp.New(t.Context(), mcp.Config{Address: f.URL})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), io.NopCloser(input), discard{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := mcp.New(ctx, mcp.Config{Address: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	in, _ := io.Pipe()
	if err := s.Run(ctx, in, discard{}); err == nil {
		t.Error("the end of the context is no error")
	}
}

// What was asked is answered though the input has ended, and the end of the context
// breaks it off.
func TestTheEndWaitsForAnswers(t *testing.T) {
	t.Parallel()
	const ask = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_me"}}` + "\n"
	entered, leave := make(chan struct{}), make(chan struct{})
	f := newFake(t, func(r *http.Request, _ string) (int, string, string) {
		entered <- struct{}{}
		select {
		case <-leave:
		case <-r.Context().Done():
		}
		return 200, "", `{"name":"mia"}`
	})
	for name, breakOff := range map[string]bool{"answered": false, "broken off": true} {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := mcp.New(ctx, mcp.Config{Address: f.URL})
		if err != nil {
			t.Fatal(err)
		}
		var out answers
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx, io.NopCloser(strings.NewReader(ask)), &out) }()
		<-entered
		if breakOff {
			cancel()
		} else {
			leave <- struct{}{}
		}
		err = <-ended
		cancel()
		if answered := strings.Contains(out.String(), "mia"); answered == breakOff || (err == nil) == breakOff {
			t.Errorf("%s: ends with %v, after %s", name, err, out.String())
		}
	}
}

// answers keeps what is written; read it when the writing has ended.
type answers struct{ strings.Builder }

func (*answers) Close() error { return nil }

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
