package orth

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ourToken = "a-good-token"
	ourGroup = "reports"

	xxlToken  = "XXL-JOB-ACCESS-TOKEN"
	forkToken = "ORTH-ACCESS-TOKEN"
	xxlGroup  = "XXL-JOB-APPNAME"
)

// executor is a real one's front: it checks what executors of one generation check, in
// their order, and then accepts.
type executor struct {
	generation job.Dialect
	answer     string // to what it understands; a bare yes when empty

	mu       sync.Mutex
	requests []string // method, path, and what each carried of headers and body
	accepted int      // tasks
}

func (e *executor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	said := r.URL.Path
	for _, name := range []string{xxlToken, forkToken, xxlGroup} {
		if values, ok := r.Header[http.CanonicalHeaderKey(name)]; ok {
			said += " " + name + "=" + strings.Join(values, ",")
		}
	}
	e.requests = append(e.requests, said+"\n"+string(body))
	if refusal := e.check(r); refusal != "" {
		_, _ = io.WriteString(w, `{"code":500,"msg":"`+refusal+`"}`)
		return
	}
	if e.answer != "" {
		_, _ = io.WriteString(w, e.answer)
		return
	}
	if r.URL.Path == "/run" || r.URL.Path == "/trigger" {
		e.accepted++
	}
	_, _ = io.WriteString(w, `{"code":200,"msg":"Success"}`)
}

// first returns the first value of a header, whose name is as it leaves.
func first(h http.Header, name string) string {
	if values := h[http.CanonicalHeaderKey(name)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

func (e *executor) check(r *http.Request) string {
	token, group := first(r.Header, xxlToken), first(r.Header, xxlGroup)
	run, unknown := "/run", "invalid request, uri-mapping("
	named := e.generation == job.DialectXXL35
	switch {
	case named && (token == "" || group == ""):
		return "invalid request, accessToken or appname is empty."
	case named && (token != ourToken || group != ourGroup):
		return "invalid request, accessToken or appname invalid."
	case named:
		run = "/trigger"
	case e.generation == job.DialectOrthJava:
		token, unknown = first(r.Header, forkToken), "Invalid request, URI-mapping("
	}
	if token != ourToken {
		return "The access token is wrong."
	}
	switch r.URL.Path {
	case run, "/beat", "/idleBeat", "/kill", "/log":
		return ""
	}
	return unknown + r.URL.Path + ") not found."
}

// asked returns the requests since the last time.
func (e *executor) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.requests
	e.requests = nil
	return all
}

// became makes it one of another generation, or one with other answers.
func (e *executor) became(d job.Dialect, answer string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.generation, e.answer = d, answer
}

// world is one executor, and a server's client with what it knows of it.
type world struct {
	*executor

	client  *xxl.ExecutorClient
	address string

	mu    sync.Mutex
	peer  xxl.Peer
	heard []job.Dialect
}

func newWorld(t *testing.T, generation, known job.Dialect) *world {
	t.Helper()
	w := &world{executor: &executor{generation: generation}, peer: xxl.Peer{Dialect: known, Group: ourGroup, Token: ourToken}}
	server := httptest.NewServer(w.executor)
	t.Cleanup(server.Close)
	w.address = server.URL + "/"
	w.client = xxl.NewExecutorClient(xxl.ClientConfig{
		Timeout: 10 * time.Second, Speeches: []dialect.Speech{Speech()},
		Peer: func(string) xxl.Peer {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.peer
		},
		Heard: func(_ string, d job.Dialect) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.heard = append(w.heard, d)
		},
	})
	t.Cleanup(w.client.Close)
	return w
}

// told returns the dialect that was heard last.
func (w *world) told() job.Dialect {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.heard) == 0 {
		return ""
	}
	return w.heard[len(w.heard)-1]
}

func (w *world) speaks(d job.Dialect, group string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peer.Dialect, w.peer.Group = d, group
}

func task() job.Task {
	at := time.UnixMilli(1_795_226_987_336)
	return job.Task{
		JobID: 5, AttemptID: 9, RunID: 8, Try: 1, PlannedAt: at.Add(-time.Minute), TriggeredAt: at, Handler: job.Handler{Kind: job.HandlerNamed, Name: "ok"},
		Overlap: job.OverlapConcurrent, Concurrency: 3, ShardTotal: 1,
	}
}
