package xxl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/http1"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// newClient returns a client that gives up late enough for a busy machine.
func newClient(t *testing.T, token string, timeout time.Duration) *ExecutorClient {
	t.Helper()
	client := NewExecutorClient(ClientConfig{Token: token, Timeout: timeout})
	t.Cleanup(client.Close)
	return client
}

// bothWays returns a client of each way that requests may take.
func bothWays(t *testing.T, token string, timeout time.Duration) map[string]*ExecutorClient {
	t.Helper()
	standard := NewExecutorClient(ClientConfig{Token: token, Timeout: timeout, Plain: true})
	t.Cleanup(standard.Close)
	return map[string]*ExecutorClient{"lean": newClient(t, token, timeout), "net/http": standard}
}

// listen serves each connection with handle until the test ends.
func listen(t *testing.T, handle func(conn net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		group.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}

// readRequest reads one request and returns it as it came.
func readRequest(r *bufio.Reader) (string, error) {
	var head strings.Builder
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return head.String(), err
		}
		head.WriteString(line)
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "content-length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return head.String(), err
			}
		}
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return head.String() + string(body), err
}

// TestRequestsByteForByte pins what leaves: the case of the token header, the
// length, no chunks, nothing that peers have not seen.
func TestRequestsByteForByte(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	address := listen(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			request, err := readRequest(r)
			if err != nil {
				return
			}
			got <- request
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"code\":200}")
		}
	})
	host := strings.Trim(strings.TrimPrefix(address, "http://"), "/")
	want := func(path, body string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: orth\r\nContent-Length: " + strconv.Itoa(len(body)) +
			"\r\nContent-Type: application/json;charset=UTF-8\r\nORTH-ACCESS-TOKEN: tok\r\nXXL-JOB-ACCESS-TOKEN: tok\r\n\r\n" + body
	}
	at := time.UnixMilli(1795226987336)
	for name, c := range map[string]struct {
		call func(client *ExecutorClient) error
		want string
	}{
		"run":  {func(client *ExecutorClient) error { return client.Run(t.Context(), address, sampleTask()) }, want("/run", sampleRun)},
		"beat": {func(client *ExecutorClient) error { return client.Beat(t.Context(), address) }, want("/beat", "")},
		"idle beat": {
			func(client *ExecutorClient) error { _, err := client.IdleBeat(t.Context(), address, 7); return err },
			want("/idleBeat", `{"jobId":7}`),
		},
		"kill": {
			func(client *ExecutorClient) error { return client.Kill(t.Context(), address+"job//", 7) },
			want("/job/kill", `{"jobId":7}`),
		},
		"log": {
			func(client *ExecutorClient) error {
				_, err := client.ReadLog(t.Context(), strings.TrimSuffix(address, "/"), 9, at, -2)
				if job.Is(err, job.Ambiguous) { // the peer reports success and shows no page
					return nil
				}
				return errors.Join(err, errors.New("an answer without a page was taken"))
			},
			want("/log", `{"logDateTim":1795226987336,"logDateTime":1795226987336,"logId":9,"fromLineNum":-2}`),
		},
	} {
		for way, client := range bothWays(t, "tok", 10*time.Second) {
			if err := c.call(client); err != nil {
				t.Errorf("%s, %s: %v", name, way, err)
			}
			if diff := cmp.Diff(c.want, <-got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, way, diff)
			}
		}
	}
}

// TestBothWaysSayTheSame: what a server understands does not depend on the way.
func TestBothWaysSayTheSame(t *testing.T) {
	t.Parallel()
	got := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		got <- r
		answer(w, executorContent, dialect.ExecutorSuccess)
	}))
	t.Cleanup(server.Close)
	long := sampleTask()
	long.PlannedAt, long.OnCrash, long.RunID, long.Try, long.Labels = time.Now(), job.CrashRerun, 7, 2, longestLabels()
	large := sampleTask()
	large.Param = strings.Repeat("p", http1.MaxBody)
	odd := "/pa th/ü/%2f"
	for name, task := range map[string]job.Task{"plain": sampleTask(), "headers": long, "large": large} {
		var texts []string
		for way, client := range bothWays(t, "tok en ✓", 10*time.Second) {
			if err := client.Run(t.Context(), server.URL+odd, task); err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			r := <-got
			body, _ := io.ReadAll(r.Body)
			texts = append(texts, fmt.Sprintf("%s %s %v %d\n%s", r.RequestURI, r.Host, r.Header, r.ContentLength, body))
		}
		if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
			t.Errorf("%s (-one +other):\n%s", name, diff)
		}
	}
}

// TestOddTokens: one that no header can carry is no request inside another.
func TestOddTokens(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a request came: %v", r.Header) }))
	t.Cleanup(server.Close)
	for way, client := range bothWays(t, "tok\r\nX: 1", 10*time.Second) {
		if err := client.Run(t.Context(), server.URL, sampleTask()); !job.Is(err, job.Unreachable) {
			t.Errorf("%s: error of kind %q: %v", way, job.KindOf(err), err)
		}
	}
}

// TestClientMeetsHandler plays our two sides against each other.
func TestClientMeetsHandler(t *testing.T) {
	t.Parallel()
	addr, room := serveExecutor(t)
	address := "http://" + addr + "/"
	client := newClient(t, "tok", 10*time.Second)
	run := func(attempt int64, name string) error {
		task := sampleTask()
		task.AttemptID, task.Handler.Name = attempt, name
		return client.Run(t.Context(), address, task)
	}
	if err := run(1, "ok"); err != nil {
		t.Errorf("run: %v", err)
	}
	for _, c := range []struct {
		err  error
		kind job.Kind
		text string
	}{
		{run(2, "nope"), job.Refused, "job handler [nope] not found."},
		{run(500, "ok"), job.Duplicate, "repeat trigger job, logId:500"},
		{run(501, "ok"), job.Refused, "the job is busy there, and its overlap discards the run: block strategy effect：Discard Later <b>&'="},
		{run(502, "ok"), job.Full, "10000 tasks of job 5 wait already"},
		{run(503, "ok"), job.Full, "the executor is stopping"},
		{run(504, "ok"), job.Refused, "request error: internal error"},
		{newClient(t, "tik", 10*time.Second).Beat(t.Context(), address), job.Refused, "The access token is wrong."},
	} {
		if job.KindOf(c.err) != c.kind || c.err.Error() != c.text {
			t.Errorf("error of kind %q: %v; want %q: %s", job.KindOf(c.err), c.err, c.kind, c.text)
		}
	}
	if err := run(506, "ok"); !job.Is(err, job.Ambiguous) {
		t.Errorf("a task that may have been accepted: %v", err)
	}
	for jobID, want := range map[int64]bool{77: false, 70: true} {
		if busy, err := client.IdleBeat(t.Context(), address, jobID); err != nil || busy != want {
			t.Errorf("IdleBeat(%d) = %v, %v; want %v", jobID, busy, err, want)
		}
		if err := client.Kill(t.Context(), address, jobID); err != nil {
			t.Errorf("Kill(%d): %v", jobID, err)
		}
	}
	if busy, err := newClient(t, "tik", 10*time.Second).IdleBeat(t.Context(), address, 70); busy || !job.Is(err, job.Refused) {
		t.Errorf("IdleBeat with a wrong token = %v, %v; want a refusal", busy, err)
	}
	room.take()
	at := time.UnixMilli(1795226987336)
	for attempt, want := range map[int64]job.LogPage{
		1: {From: 3, To: 4, Text: "three \"3\"\nvi\uFFFDr\n"},
		2: {From: 3, Text: "readLog fail, logFile not exists", End: true},
	} {
		if page, err := client.ReadLog(t.Context(), address, attempt, at, 3); err != nil || page != want {
			t.Errorf("ReadLog(%d) = %+v, %v; want %+v", attempt, page, err, want)
		}
	}
	if got := room.take(); !strings.Contains(got, "read attempt=1 at=2026-11-21T02:09:47.336Z from=3") {
		t.Errorf("the room was asked: %s", got)
	}
	if _, err := client.ReadLog(t.Context(), address, 504, at, 1); !job.Is(err, job.Refused) {
		t.Errorf("a log that cannot be read: %v", err)
	}
}

// TestConnectionsAreKept: a thousand calls by eight callers share a few
// connections, also after answers that are refusals. On a busy machine net/http
// dials one more now and then while another is about to come free.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	room := new(executorRoom)
	server := httptest.NewUnstartedServer(NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient(t, "", 10*time.Second)
	var group sync.WaitGroup
	for caller := range 8 {
		group.Go(func() {
			for i := range 125 {
				task := sampleTask()
				task.AttemptID = int64(1 + i%2*500) // every other one is refused
				err := client.Run(t.Context(), server.URL, task)
				if want := i%2 == 1; job.Is(err, job.Refused) != want {
					t.Errorf("caller %d, call %d: %v", caller, i, err)
				}
			}
		})
	}
	group.Wait()
	if n := opened.Load(); n > 64 {
		t.Errorf("%d connections were opened", n)
	}
}

// TestAnswers: what is made of everything that may come back.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, c := range map[string]struct {
		answer string
		kind   job.Kind // "" for success
		text   string   // in the error
	}{
		"success":                {ok + "Content-Length: 12\r\n\r\n" + `{"code":200}`, "", ""},
		"bare line feeds":        {"HTTP/1.1 200 OK\nContent-Length: 12\n\n" + `{"code":200}`, "", ""},
		"chunks":                 {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"cod\r\n7\r\ne\":200}\r\n0\r\n\r\n", "", ""},
		"until the end":          {"HTTP/1.0 200 OK\r\n\r\n" + `{"code":200}`, "", ""},
		"201":                    {"HTTP/1.1 201 Created\r\nContent-Length: 12\r\n\r\n" + `{"code":200}`, "", ""},
		"refused":                {ok + "Content-Length: 23\r\n\r\n" + `{"code":500,"msg":"no"}`, job.Refused, "no"},
		"refused without reason": {ok + "Content-Length: 12\r\n\r\n" + `{"code":500}`, job.Refused, "code 500 and no reason"},
		"another code":           {ok + "Content-Length: 12\r\n\r\n" + `{"code":406}`, job.Refused, "code 406"},
		"repeat":                 {ok + "Content-Length: 44\r\n\r\n" + `{"code":500,"msg":"repeat trigger job, a:1"}`, job.Duplicate, ""},
		"repeate":                {ok + "Content-Length: 45\r\n\r\n" + `{"code":500,"msg":"repeate trigger job, a:1"}`, job.Duplicate, ""},
		"401 with a reply":       {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 23\r\n\r\n" + `{"code":401,"msg":"no"}`, job.Refused, "no"},
		"list":                   {ok + "Content-Length: 7\r\n\r\n" + `["bad"]`, job.Refused, `["bad"]`},
		"redirect":               {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", job.Refused, "redirect"},
		"404 page":               {"HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>", job.Refused, "404"},
		"413":                    {"HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 0\r\n\r\n", job.Refused, "413"},
		"502 page":               {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", job.Ambiguous, "502"},
		"500 with success":       {"HTTP/1.1 500 Oops\r\nContent-Length: 12\r\n\r\n" + `{"code":200}`, job.Ambiguous, "500"},
		"page":                   {ok + "Content-Length: 6\r\n\r\n<html>", job.Ambiguous, "something else"},
		"nothing":                {ok + "Content-Length: 0\r\n\r\n", job.Ambiguous, "something else"},
		"no code":                {ok + "Content-Length: 2\r\n\r\n{}", job.Ambiguous, "no code"},
		"half a list":            {ok + "Content-Length: 2\r\n\r\n[1", job.Ambiguous, ""},
		"half a head":            {"HTTP/1.1 200 OK\r\nContent-Le", job.Ambiguous, "no answer"},
		"half a body":            {ok + "Content-Length: 12\r\n\r\n{\"code\"", job.Ambiguous, "no answer"},
		"half a chunk":           {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"c", job.Ambiguous, "no answer"},
		"garbage":                {"\x16\x03\x01\x00\x00 what\r\n\r\n", job.Ambiguous, "no answer"},
		"closed at once":         {"", job.Ambiguous, "no answer"},
		"too long a body":        {ok + "\r\n" + strings.Repeat(" ", maxAnswer+1), job.Ambiguous, "over 1048576 bytes"},
		"too long a body, told":  {ok + "Content-Length: 1048577\r\n\r\n" + strings.Repeat(" ", maxAnswer+1), job.Ambiguous, "over 1048576 bytes"},
		"100 first":              {"HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 12\r\n\r\n" + `{"code":200}`, "", ""},
		"100 and no more":        {"HTTP/1.1 100 Continue\r\n\r\n", job.Ambiguous, "no answer"},
		"another protocol":       {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", job.Ambiguous, "101"},
		"204":                    {"HTTP/1.1 204 No Content\r\n\r\n", job.Ambiguous, "something else"},
		"odd case":               {"HTTP/1.1 200 oK\r\ncONTENT-lENGTH:12\r\n\r\n" + `{"code":200}`, "", ""},
		"chunk extensions":       {ok + "Transfer-Encoding: chunked\r\n\r\nc;a=b\r\n{\"code\":200}\r\n0;c\r\nX-Sum: 1\r\n\r\n", "", ""},
		"two answers":            {ok + "Content-Length: 12\r\n\r\n" + `{"code":200}` + ok + "Content-Length: 12\r\n\r\n" + `{"code":500}`, "", ""},
		"garbage behind":         {ok + "Content-Length: 12\r\n\r\n" + `{"code":200}` + "\x00\xff", "", ""},
		"two lengths":            {ok + "Content-Length: 12\r\nContent-Length: 1\r\n\r\n" + `{"code":200}`, job.Ambiguous, "no answer"},
		"too small a length":     {ok + "Content-Length: 5\r\n\r\n" + `{"code":200}`, job.Ambiguous, "something else"},
		"a huge length":          {ok + "Content-Length: 9223372036854775807\r\n\r\n" + `{"code":200}`, job.Ambiguous, "no answer"},
		"a negative length":      {ok + "Content-Length: -1\r\n\r\n" + `{"code":200}`, job.Ambiguous, "no answer"},
		"another coding":         {ok + "Transfer-Encoding: gzip\r\n\r\n" + `{"code":200}`, job.Ambiguous, "no answer"},
		"headers for ever":       {ok + strings.Repeat("X: y\r\n", 40<<10), job.Ambiguous, "no answer"},
		"too long a head":        {ok + "X: " + strings.Repeat("x", 200<<10) + "\r\n\r\n", job.Ambiguous, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := listen(t, func(conn net.Conn) {
				if _, err := readRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn, c.answer)
				}
			})
			for way, client := range bothWays(t, "", 10*time.Second) {
				err := client.Run(t.Context(), address, sampleTask())
				if job.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.text) {
					t.Errorf("%s: error of kind %q: %v; want kind %q and %q", way, job.KindOf(err), err, c.kind, c.text)
				}
			}
		})
	}
}

// TestUnreachable: the request certainly did not arrive.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1" // a port that nobody is given
	plain, _ := serveExecutor(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		address string
	}{
		"nobody listens":    {t.Context(), closed},
		"no such name":      {t.Context(), "http://orth.invalid:1/"},
		"TLS to plain HTTP": {t.Context(), "https://" + plain},
		"no address":        {t.Context(), ""},
		"another scheme":    {t.Context(), "ftp://127.0.0.1/"},
		"a password":        {t.Context(), "http://u:hunter2@127.0.0.1/"},
		"the caller left":   {ended, closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, client := range bothWays(t, "", 5*time.Second) {
				if err := client.Run(c.ctx, c.address, sampleTask()); !job.Is(err, job.Unreachable) {
					t.Errorf("%s: error of kind %q: %v", way, job.KindOf(err), err)
				}
			}
		})
	}
}

// TestUntrustedCertificate: a peer that cannot prove its name gets nothing.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	room := new(executorRoom)
	server := httptest.NewUnstartedServer(NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	if err := newClient(t, "", 10*time.Second).Run(t.Context(), server.URL, sampleTask()); !job.Is(err, job.Unreachable) {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
	if lines := room.take(); lines != "" {
		t.Errorf("the room was asked: %s", lines)
	}
}

// TestTrustedCertificate: both clients trust the configured authorities.
func TestTrustedCertificate(t *testing.T) {
	t.Parallel()
	executor, server := new(executorRoom), new(serverRoom)
	mux := http.NewServeMux()
	mux.Handle("/api/", NewAdminHandler(AdminConfig{Leases: server, Outcomes: server}))
	mux.Handle("/", NewExecutorHandler(ExecutorConfig{Tasks: executor, Logs: executor}))
	peer := httptest.NewTLSServer(mux)
	t.Cleanup(peer.Close)
	roots := x509.NewCertPool()
	roots.AddCert(peer.Certificate())
	trust := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}
	client := NewExecutorClient(ClientConfig{Timeout: 10 * time.Second, TLS: trust})
	t.Cleanup(client.Close)
	if err := client.Run(t.Context(), peer.URL, sampleTask()); err != nil {
		t.Error(err)
	}
	admin, err := NewAdminClient(AdminClientConfig{Addresses: []string{peer.URL}, Timeout: 10 * time.Second, TLS: trust})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	if err := admin.Register(t.Context(), "a", "http://h/"); err != nil {
		t.Error(err)
	}
}

// TestSilence: a peer that receives the request and does not answer leaves it open, whether
// it reads or the kernel took the bytes for it.
func TestSilence(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	defer close(done) // before the listeners wait for their connections
	reads := listen(t, func(conn net.Conn) {
		_, _ = readRequest(bufio.NewReader(conn))
		<-done
	})
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // never accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Close() })
	for name, address := range map[string]string{"reads": reads, "never accepts": "http://" + deaf.Addr().String()} {
		for way, client := range bothWays(t, "", time.Second) { // in which the request leaves also where the machine is busy
			err := client.Run(t.Context(), address, sampleTask())
			if !job.Is(err, job.Ambiguous) || !strings.Contains(err.Error(), "within 1s") || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %s: error of kind %q: %v", name, way, job.KindOf(err), err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	leave := listen(t, func(conn net.Conn) {
		_, _ = readRequest(bufio.NewReader(conn))
		close(asked)
		<-done
	})
	go func() {
		<-asked
		cancel()
	}()
	if err := newClient(t, "", time.Minute).Run(ctx, leave, sampleTask()); !job.Is(err, job.Ambiguous) {
		t.Errorf("the caller left: error of kind %q: %v", job.KindOf(err), err)
	}
}

// TestReset: a connection that breaks after the request was read leaves it
// open; one that breaks before may not be taken for an answer.
func TestReset(t *testing.T) {
	t.Parallel()
	reset := func(conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	after := listen(t, func(conn net.Conn) {
		_, _ = readRequest(bufio.NewReader(conn))
		reset(conn)
	})
	client := newClient(t, "", 10*time.Second)
	if err := client.Run(t.Context(), after, sampleTask()); !job.Is(err, job.Ambiguous) {
		t.Errorf("after: error of kind %q: %v", job.KindOf(err), err)
	}
	for name, before := range map[string]string{
		"reset":  listen(t, reset),
		"closed": listen(t, func(net.Conn) {}),
	} {
		for range 20 { // either side may be first
			err := client.Run(t.Context(), before, sampleTask())
			if !job.Is(err, job.Ambiguous) && !job.Is(err, job.Unreachable) {
				t.Errorf("%s: error of kind %q: %v", name, job.KindOf(err), err)
			}
		}
	}
}

// TestFallback: executors after release 3.4 have another path for runs.
func TestFallback(t *testing.T) {
	t.Parallel()
	var paths calls
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths.add("%s", r.RequestURI)
		if strings.HasSuffix(r.RequestURI, "/trigger") {
			answer(w, executorContent, dialect.ExecutorSuccess)
		} else {
			refuse(w, pathUnknown(r.RequestURI))
		}
	}))
	t.Cleanup(server.Close)
	client := newClient(t, "", 10*time.Second)
	for base, want := range map[string]string{"": "/run\n/trigger", "/job/": "/job/run\n/job/trigger"} {
		if err := client.Run(t.Context(), server.URL+base, sampleTask()); err != nil {
			t.Error(err)
		}
		if got := paths.take(); got != want {
			t.Errorf("asked %q; want %q", got, want)
		}
	}
	if err := client.Kill(t.Context(), server.URL, 7); !job.Is(err, job.Refused) {
		t.Errorf("kill: %v", err)
	}
}
