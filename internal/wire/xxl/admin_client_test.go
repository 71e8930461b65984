package xxl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func newAdminClient(t *testing.T, token string, addresses ...string) *AdminClient {
	t.Helper()
	client, err := NewAdminClient(AdminClientConfig{Addresses: addresses, Token: token, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// fakeAdmin is a server with configurable answers.
type fakeAdmin struct {
	calls
	url    string
	answer atomic.Pointer[http.HandlerFunc]
}

func newFakeAdmin(t *testing.T, answer http.HandlerFunc) *fakeAdmin {
	t.Helper()
	admin := new(fakeAdmin)
	admin.answer.Store(&answer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		admin.add("%s %s", r.URL.Path, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		(*admin.answer.Load())(w, r)
	}))
	t.Cleanup(server.Close)
	admin.url = server.URL
	return admin
}

func replies(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, adminContent, text) }
}

func denies(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { deny(w, text) }
}

func TestAdminClientMeetsHandler(t *testing.T) {
	t.Parallel()
	room := new(serverRoom)
	addr := serve(t, NewAdminHandler(AdminConfig{Token: "tok", Leases: room, Outcomes: room}))
	for _, base := range []string{"", "/", "/xxl-job-admin", "/xxl-job-admin/"} {
		client := newAdminClient(t, "tok", "http://"+addr+base)
		err := errors.Join(
			client.Register(t.Context(), "app-x", "http://127.0.0.1:9999/"),
			client.SendOutcomes(t.Context(), append(sampleOutcomes(), job.Outcome{AttemptID: 7, State: job.Cancelled, Message: "stopped"})),
			client.Deregister(t.Context(), "app-x", "http://127.0.0.1:9999/"),
		)
		if err != nil {
			t.Errorf("%q: %v", base, err)
		}
		want := strings.Join([]string{
			`register app-x http://127.0.0.1:9999/`,
			`complete attempt=9004 timed_out triggered=2026-11-21T02:12:34.000Z "job execute timeout "`,
			`complete attempt=9005 succeeded triggered=2026-11-21T02:12:34.000Z ""`,
			`complete attempt=7 cancelled triggered=- "stopped"`,
			`deregister app-x http://127.0.0.1:9999/`,
		}, "\n")
		if got := room.take(); got != want {
			t.Errorf("%q: the room was asked:\n%s\nwant:\n%s", base, got, want)
		}
	}
	client := newAdminClient(t, "tok", "http://"+addr)
	for attempt, want := range map[int64]job.Kind{500: job.Unavailable, 501: job.Unavailable, 502: ""} {
		if err := client.SendOutcomes(t.Context(), []job.Outcome{{AttemptID: attempt}}); job.KindOf(err) != want {
			t.Errorf("attempt %d: error of kind %q: %v; want %q", attempt, job.KindOf(err), err, want)
		}
	}
	if err := newAdminClient(t, "tik", "http://"+addr).Register(t.Context(), "app-x", "http://h/"); !job.Is(err, job.Unauthorized) {
		t.Errorf("a wrong token: error of kind %q: %v", job.KindOf(err), err)
	}
	if err := client.Register(t.Context(), "app-x", "nowhere"); !job.Is(err, job.Refused) {
		t.Errorf("no address: error of kind %q: %v", job.KindOf(err), err)
	}
}

// TestServersInTurn covers C3: the first that answers gets everything.
func TestServersInTurn(t *testing.T) {
	t.Parallel()
	first, second := newFakeAdmin(t, denies("openapi invoke error: down")), newFakeAdmin(t, replies(`{"code":200}`))
	client := newAdminClient(t, "", "http://127.0.0.1:1", first.url, second.url)
	for range 2 {
		if err := client.Register(t.Context(), "a", "http://h/"); err != nil {
			t.Error(err)
		}
	}
	if a, b := strings.Count(first.take(), "/api/registry "), strings.Count(second.take(), "/api/registry "); a != 2 || b != 2 {
		t.Errorf("down: the servers were asked %d and %d times; want 2 and 2", a, b)
	}
	up := replies(`{"code":200,"msg":null,"content":null}`)
	first.answer.Store(&up)
	if err := client.Register(t.Context(), "a", "http://h/"); err != nil {
		t.Error(err)
	}
	if a, b := first.take(), second.take(); !strings.Contains(a, "registry") || b != "" {
		t.Errorf("up: the servers were asked %q and %q", a, b)
	}
}

// TestServersAnswers covers C5: only code 200 with HTTP status 200 is success,
// and only a clear no to the content is a refusal.
func TestServersAnswers(t *testing.T) {
	t.Parallel()
	status := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}
	}
	redirect := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
	}
	for name, c := range map[string]struct {
		servers []http.HandlerFunc
		kind    job.Kind
	}{
		"success":                {[]http.HandlerFunc{replies(adminSuccess)}, ""},
		"success of 3.3":         {[]http.HandlerFunc{replies(`{"code":200,"data":null,"msg":"Success","success":true}`)}, ""},
		"redirect":               {[]http.HandlerFunc{redirect}, job.Unavailable},
		"page":                   {[]http.HandlerFunc{replies(`<html>`)}, job.Unavailable},
		"nothing":                {[]http.HandlerFunc{replies(``)}, job.Unavailable},
		"404":                    {[]http.HandlerFunc{status(404, `{"code":200}`)}, job.Unavailable},
		"500":                    {[]http.HandlerFunc{status(500, adminSuccess)}, job.Unavailable},
		"401":                    {[]http.HandlerFunc{status(401, ``)}, job.Unauthorized},
		"wrong token":            {[]http.HandlerFunc{denies(dialect.TextToken)}, job.Unauthorized},
		"wrong token, later":     {[]http.HandlerFunc{denies("invalid request, accessToken or appname invalid.")}, job.Unauthorized},
		"database away":          {[]http.HandlerFunc{denies("openapi invoke error: database")}, job.Unavailable},
		"list not understood":    {[]http.HandlerFunc{denies("openapi invoke error: Expected BEGIN_OBJECT but was BEGIN_ARRAY")}, job.Unavailable},
		"unknown path":           {[]http.HandlerFunc{denies(pathUnknown("callback"))}, job.Unavailable},
		"malformed":              {[]http.HandlerFunc{denies("openapi invoke error: malformed request: x")}, job.Refused},
		"malformed, then good":   {[]http.HandlerFunc{denies("openapi invoke error: malformed request: x"), replies(adminSuccess)}, ""},
		"malformed, then down":   {[]http.HandlerFunc{denies("openapi invoke error: malformed request: x"), denies("down")}, job.Unavailable},
		"malformed twice":        {[]http.HandlerFunc{denies("openapi invoke error: malformed request: x"), denies(dialect.TextIllegal)}, job.Refused},
		"wrong token, then down": {[]http.HandlerFunc{denies(dialect.TextToken), denies("down")}, job.Unauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addresses := []string{"http://127.0.0.1:1/"} // no server listens there, which settles nothing
			for _, server := range c.servers {
				addresses = append(addresses, newFakeAdmin(t, server).url)
			}
			err := newAdminClient(t, "", addresses...).SendOutcomes(t.Context(), sampleOutcomes())
			if job.KindOf(err) != c.kind {
				t.Errorf("error of kind %q: %v; want %q", job.KindOf(err), err, c.kind)
			}
			if err != nil && !strings.Contains(err.Error(), "http://127.0.0.1:1/api/callback cannot be reached") {
				t.Errorf("%v does not tell of the first server", err)
			}
		})
	}
	if err := newAdminClient(t, "", "http://127.0.0.1:1/").SendOutcomes(t.Context(), sampleOutcomes()); !job.Is(err, job.Unavailable) {
		t.Errorf("nobody: error of kind %q: %v", job.KindOf(err), err)
	}
	silent := listen(t, func(conn net.Conn) { _, _ = readRequest(bufio.NewReader(conn)) })
	if err := newAdminClient(t, "", silent).SendOutcomes(t.Context(), sampleOutcomes()); !job.Is(err, job.Unavailable) {
		t.Errorf("no answer: error of kind %q: %v", job.KindOf(err), err)
	}
}

// TestEmptyTokenIsSent covers C7: some servers insist on the header.
func TestEmptyTokenIsSent(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	address := listen(t, func(conn net.Conn) {
		request, _ := readRequest(bufio.NewReader(conn))
		got <- request
	})
	client := newAdminClient(t, "", address+"xxl-job-admin")
	if err := client.Register(t.Context(), "app-x", "http://127.0.0.1:21342/"); err == nil {
		t.Error("no answer was taken for success")
	}
	head, body, _ := strings.Cut(<-got, "\r\n\r\n")
	if body != sampleRegistry || !strings.HasPrefix(head, "POST /xxl-job-admin/api/registry HTTP/1.1\r\n") {
		t.Errorf("sent %q, %q", head, body)
	}
	for _, name := range []string{"XXL-JOB-ACCESS-TOKEN", "ORTH-ACCESS-TOKEN"} {
		if !strings.Contains(head+"\r\n", "\r\n"+name+": \r\n") {
			t.Errorf("no empty %s in %q", name, head)
		}
	}
}

// TestBatches: many outcomes travel in callbacks of at most 50.
func TestBatches(t *testing.T) {
	t.Parallel()
	admin := newFakeAdmin(t, replies(adminSuccess))
	client := newAdminClient(t, "", admin.url)
	batch := make([]job.Outcome, 120)
	for i := range batch {
		batch[i] = job.Outcome{AttemptID: int64(i + 1), State: job.Succeeded}
	}
	if err := client.SendOutcomes(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for line := range strings.Lines(admin.take()) {
		sizes = append(sizes, strings.Count(line, `"logId"`))
	}
	if fmt.Sprint(sizes) != "[50 50 20]" {
		t.Errorf("callbacks of %v", sizes)
	}
	if err := client.SendOutcomes(t.Context(), nil); err != nil || admin.take() != "" {
		t.Errorf("an empty batch: %v", err)
	}
}

// TestCallerEnds: the caller's own end is distinguished from unreachable servers, and no
// further server is called.
func TestCallerEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	first := newFakeAdmin(t, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		deny(w, "down")
	})
	second := newFakeAdmin(t, replies(adminSuccess))
	err := newAdminClient(t, "", first.url, second.url).Register(ctx, "a", "http://h/")
	if !job.Is(err, job.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
	if got := second.take(); got != "" {
		t.Errorf("the second server was asked: %s", got)
	}
}

func TestAdminClientConfig(t *testing.T) {
	t.Parallel()
	for name, addresses := range map[string][]string{
		"none": nil, "too many": make([]string, maxServers+1), "blank": {""}, "no scheme": {"localhost:8080"},
		"password": {"http://admin:hunter2@h/"}, "the second": {"http://h/", "h"},
	} {
		_, err := NewAdminClient(AdminClientConfig{Addresses: addresses})
		if !job.Is(err, job.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error of kind %q: %v", name, job.KindOf(err), err)
		}
	}
}
