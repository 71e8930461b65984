package xxl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/fastpath"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// serve starts a server for the handler, of the sort that it has in a program, and returns
// its address.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	if _, executor := h.(*ExecutorHandler); executor {
		return fastServer(t, h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// fastServer serves a handler as executors do, and returns the address.
func fastServer(tb testing.TB, h http.Handler) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := fastpath.New(fastpath.Config{HTTP: &http.Server{
		Handler: h, ReadHeaderTimeout: time.Minute, ReadTimeout: time.Minute, IdleTimeout: time.Minute,
	}})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	tb.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			tb.Error(err)
		}
	})
	return listener.Addr().String()
}

func serveExecutor(t *testing.T) (string, *executorRoom) {
	t.Helper()
	room := new(executorRoom)
	return serve(t, NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room})), room
}

func posted(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nXXL-JOB-ACCESS-TOKEN: tok\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// TestPipelining covers E9: three requests in one write are answered in order
// on one connection, which stays open.
func TestPipelining(t *testing.T) {
	t.Parallel()
	addr, _ := serveExecutor(t)
	conn := dial(t, addr)
	r := bufio.NewReader(conn)
	send(t, conn, posted("/idleBeat", `{"jobId":70}`)+posted("/beat", `""`)+posted("/nope", `{}`))
	for _, want := range []string{dialect.TextBusy, dialect.TextSuccess, "uri-mapping(/nope)"} {
		if got := receive(t, r); !strings.Contains(got, want) {
			t.Errorf("answer %s; want %q", got, want)
		}
	}
	send(t, conn, posted("/beat", ""))
	if got := receive(t, r); !strings.Contains(got, dialect.ExecutorSuccess) {
		t.Errorf("the connection did not stay usable: %s", got)
	}
}

// TestOldProtocols covers what clients that never learnt HTTP/1.1 send.
func TestOldProtocols(t *testing.T) {
	t.Parallel()
	addr, _ := serveExecutor(t)
	for name, request := range map[string]string{
		"1.0":            "POST /beat HTTP/1.0\r\nXXL-JOB-ACCESS-TOKEN: tok\r\n\r\n",
		"1.0 keep-alive": "POST /beat HTTP/1.0\r\nConnection: keep-alive\r\nXXL-JOB-ACCESS-TOKEN: tok\r\n\r\n",
		"close":          "POST /beat HTTP/1.1\r\nHost: x\r\nConnection: close\r\nXXL-JOB-ACCESS-TOKEN: tok\r\n\r\n",
	} {
		conn := dial(t, addr)
		send(t, conn, request)
		got := receive(t, bufio.NewReader(conn))
		if !strings.Contains(got, "Content-Length: 28\n") || !strings.HasSuffix(got, dialect.ExecutorSuccess) {
			t.Errorf("%s: %s", name, got)
		}
		if keep := strings.Contains(got, "Connection: keep-alive\n"); keep != (name == "1.0 keep-alive") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestBodyTooLarge covers E10, declared and discovered.
func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	addr, room := serveExecutor(t)

	conn := dial(t, addr)
	send(t, conn, fmt.Sprintf("POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", maxBody+1))
	got := receive(t, bufio.NewReader(conn))
	if !strings.HasPrefix(got, "HTTP/1.1 413 Request Entity Too Large\n") || !strings.Contains(got, "Content-Length: 0\n") {
		t.Errorf("declared: %s", got)
	}

	response := postLarge(t, "http://"+addr+"/run", maxBody+1)
	if response != "413 " {
		t.Errorf("discovered: %s", response)
	}
	if response := postLarge(t, "http://"+addr+"/run", maxBody); !strings.HasPrefix(response, "200 ") {
		t.Errorf("one byte less: %s", response)
	}
	if lines := room.take(); lines != "" {
		t.Errorf("the room was asked: %s", lines)
	}

	admin := serve(t, NewAdminHandler(AdminConfig{Token: "tok"}))
	if response := postLarge(t, "http://"+admin+"/api/callback", maxBody+1); !strings.HasPrefix(response, `200 {"code":500,"msg":"openapi invoke error: malformed request: `) {
		t.Errorf("admin: %s", response)
	}
}

// postLarge sends n blanks and an end, in chunks so that the receiver does not know n
// before.
func postLarge(t *testing.T, url string, n int) string {
	t.Helper()
	body := struct{ io.Reader }{strings.NewReader(strings.Repeat(" ", n-1) + "x")}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header[dialect.HeaderToken] = []string{"tok"}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, text)
}

// TestInternalErrorsAreLoggedNotSent: paths and causes stay here.
func TestInternalErrorsAreLoggedNotSent(t *testing.T) {
	t.Parallel()
	var log lockedText
	logger := slog.New(slog.NewTextHandler(&log, nil))
	room, server := new(executorRoom), new(serverRoom)
	executor := serve(t, NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room, Logger: logger}))
	admin := serve(t, NewAdminHandler(AdminConfig{Leases: server, Outcomes: server, Logger: logger}))
	for addr, request := range map[string]string{
		executor: posted("/run", strings.Replace(sampleRun, `"logId":1`, `"logId":504`, 1)),
		admin:    posted("/api/callback", `[{"logId":501,"handleCode":200}]`),
	} {
		conn := dial(t, addr)
		send(t, conn, request)
		if got := receive(t, bufio.NewReader(conn)); !strings.Contains(got, dialect.TextInternal) || strings.Contains(got, "/secret") {
			t.Errorf("answer: %s", got)
		}
	}
	if text := log.String(); strings.Count(text, "/secret/path") != 2 {
		t.Errorf("log: %s", text)
	}
}

type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// slowTasks accepts only when its caller has gone.
type slowTasks struct {
	executorRoom

	accepting chan struct{}
}

func (s *slowTasks) Accept(ctx context.Context, _ job.Task) error {
	close(s.accepting)
	<-ctx.Done()
	return ctx.Err()
}

// TestCallerGone: when the caller leaves while a task is being accepted, the task's fate is
// unknown, so the caller must not get a refusal.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	room := &slowTasks{accepting: make(chan struct{})}
	handler := NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room})
	ctx, cancel := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/run", strings.NewReader(sampleRun))
	answer := httptest.NewRecorder()
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		handler.ServeHTTP(answer, request)
	}()
	<-room.accepting
	cancel()
	if what, _ := (<-ended).(error); !errors.Is(what, http.ErrAbortHandler) {
		t.Errorf("the handler ended with %v; want it to drop the connection", what)
	}
	if answer.Body.Len() > 0 {
		t.Errorf("it answered %s", answer.Body)
	}
}

// TestRepeatedCallbacks covers A9 as far as the wire goes: 50 at once all reach
// the room and all are answered with success.
func TestRepeatedCallbacks(t *testing.T) {
	t.Parallel()
	room := new(serverRoom)
	addr := serve(t, NewAdminHandler(AdminConfig{Leases: room, Outcomes: room}))
	client, err := NewAdminClient(AdminClientConfig{Addresses: []string{"http://" + addr}, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if err := client.SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 7, State: job.Succeeded}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := strings.Count(room.take(), "complete attempt=7"); got != 50 {
		t.Errorf("%d reached the room", got)
	}
}

// TestRequestsOfServersArePlain: what servers of Orth send to executors takes the fast
// path.
func TestRequestsOfServersArePlain(t *testing.T) {
	t.Parallel()
	room := new(executorRoom)
	handler := NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room})
	address := "http://" + fastServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, std := w.(http.Flusher); std {
			t.Errorf("net/http got %s %v", r.RequestURI, r.Header)
		}
		handler.ServeHTTP(w, r)
	})) + "/"
	for _, dialect := range []job.Dialect{"", job.DialectXXL2, job.DialectXXL3, job.DialectXXL35} {
		client := NewExecutorClient(ClientConfig{Peer: func(string) Peer { return Peer{Token: "tok", Group: "a", Dialect: dialect} }})
		t.Cleanup(client.Close)
		task := sampleTask()
		for range 2 { // the second knows the executor's clock
			if err := client.Run(t.Context(), address, task); err != nil {
				t.Error(err)
			}
		}
		if err := client.Beat(t.Context(), address); err != nil {
			t.Error(err)
		}
		if _, err := client.IdleBeat(t.Context(), address, 70); err != nil {
			t.Error(err)
		}
		if _, err := client.ReadLog(t.Context(), address, 1, time.UnixMilli(1), 1); err != nil {
			t.Error(err)
		}
	}
}
