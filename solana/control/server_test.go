package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// changes are those of a ledger, as a stopped node has them.
type changes struct{ *ledger.Ledger }

func (c changes) Redrive(ctx context.Context, ids ...ledger.ID) error {
	return c.Ledger.Redrive(ctx, time.Now(), ids...)
}

var now = time.Unix(1_900_000_000, 0)

// newLedger returns a ledger with one scheduled task and some dead ones.
func newLedger(t *testing.T, dead int) *ledger.Ledger {
	t.Helper()
	l, err := service.OpenLedger(t.TempDir(), ledger.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, l.Close()); err != nil {
			t.Error(err)
		}
	})
	var tasks []ledger.Task
	for i := range dead + 1 {
		tasks = append(tasks, ledger.Task{
			Thread: thread.Key{1, byte(i), byte(i >> 8)}, ExecCount: 6, TriggerTime: now.Unix() - 60,
			State: &thread.Thread{ID: fmt.Appendf(nil, "thread-%d", i), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, ExecCount: 6, Fibers: []uint8{0}},
			Due:   thread.Due{Unit: thread.Seconds, At: now.Unix() - 60},
		})
	}
	offered, err := l.Offer(t.Context(), now, tasks...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offered[1:] {
		failed := ledger.Failure{Class: failure.Program, Reason: "the fiber fails", At: now, Logs: []string{"Program log: no"}}
		if _, err := l.Bury(t.Context(), now, o.ID, failed, ledger.Cost{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

const token = "0123456789012345678901234567890123456789012"

func config(l *ledger.Ledger) Config {
	return Config{About: About{Version: "1.2.3"}, Ledger: l, Changes: changes{l}, Token: redacted.New(token), Open: true}
}

// answer asks a handler, with the token unless it is to be left out.
func answer(t *testing.T, h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:6180"
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A caller without the token reads and changes nothing; metrics are for this machine, by
// its own names.
func TestToken(t *testing.T) {
	t.Parallel()
	c := config(newLedger(t, 1))
	c.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures") })
	c.Ready = func() error { return errors.New("the chain's clock is not known yet") }
	h := NewHandler(c)
	for _, path := range []string{"GET /v1/stats", "GET /v1/tasks?place=dead", "GET /v1/tasks/1", "GET /v1/threads", "GET /v1/profit", "GET /v1/retry", "PUT /v1/retry", "POST /v1/redrive", "POST /v1/purge", "GET /v1/backup", "GET /v1/else"} {
		method, path, _ := strings.Cut(path, " ")
		for _, shown := range []string{"", "Bearer", "Bearer " + token[1:], "Basic " + token, "Bearer " + token + "x"} {
			if w := answer(t, h, method, path, `{"all":true}`, "Authorization", shown); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), token) {
				t.Errorf("%s %s with %q: %d %s", method, path, shown, w.Code, w.Body)
			}
		}
	}
	for _, one := range []struct {
		path, host, shown string
		want              int
	}{
		{"/metrics", "127.0.0.1:6180", "", 200},
		{"/metrics", "localhost:6180", "", 200},
		{"/metrics", "evil.example:6180", "", 401},
		{"/metrics", "evil.example", "Bearer " + token, 200},
		{"/healthz", "evil.example", "", 200},
		{"/readyz", "127.0.0.1", "", 503},
	} {
		if w := answer(t, h, http.MethodGet, one.path, "", "Authorization", one.shown, "Host", one.host); w.Code != one.want {
			t.Errorf("%+v: %d %s", one, w.Code, w.Body)
		}
	}
	c.Open = false
	if w := answer(t, NewHandler(c), http.MethodGet, "/metrics", "", "Authorization", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("beyond this machine metrics are shown: %d", w.Code)
	}
	if w := answer(t, h, http.MethodGet, "/readyz", ""); w.Body.String() != "the chain's clock is not known yet\n" {
		t.Errorf("it is not ready because of %q", w.Body)
	}
}

func TestRequestsThatAreWrong(t *testing.T) {
	t.Parallel()
	h := NewHandler(config(newLedger(t, 2)))
	for _, c := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"GET", "/v1/tasks", "", 422, "is no place of tasks"},
		{"GET", "/v1/tasks?place=gone", "", 422, "is no place of tasks"},
		{"GET", "/v1/tasks?place=dead&limit=501", "", 422, "is no number from 1 to 500"},
		{"GET", "/v1/tasks?place=dead&limit=0", "", 422, "is no number from 1 to 500"},
		{"GET", "/v1/tasks?place=dead&after=-1", "", 422, "is no number"},
		{"GET", "/v1/tasks/abc", "", 422, "is no task"},
		{"GET", "/v1/tasks/5", "", 404, ""},
		{"GET", "/v1/profit?after=x", "", 422, "is no address of a thread"},
		{"GET", "/v1/threads", "", 503, "no threads are watched"},
		{"POST", "/v1/redrive", "", 422, "cannot be read"},
		{"POST", "/v1/redrive", "{}", 422, "name the ids"},
		{"POST", "/v1/redrive", `{"ids":["1"],"all":true}`, 422, "name the ids"},
		{"POST", "/v1/redrive", `{"ids":["one"]}`, 422, "is no task"},
		{"POST", "/v1/redrive", `{"ids":["1"]}`, 404, ""},
		{"POST", "/v1/purge", `{"ids":["1"]} {}`, 422, "something stands behind"},
		{"POST", "/v1/purge", `{"id":"1"}`, 422, "cannot be read"},
		{"POST", "/v1/purge", `{"ids":[` + strings.Repeat(`"1",`, MaxTasks) + `"1"]}`, 422, "are too many"},
		{"POST", "/v1/purge", `{"ids":["` + strings.Repeat("1", control.MaxBody) + `"]}`, 422, "cannot be read"},
		{"PUT", "/v1/retry", `{"multiplier":0.5}`, 422, "is 0.5"},
		{"PUT", "/v1/retry", `{"max_retries":101}`, 422, "is 101"},
		{"DELETE", "/v1/retry", "", 404, "there is no DELETE here"},
		{"GET", "/v1/nothing", "", 404, "there is no GET here"},
	} {
		w := answer(t, h, c.method, c.path, c.body)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.says) || w.Header().Get("Content-Type") != api.ProblemType {
			t.Errorf("%s %s %.40s: %d %s, want %d %q", c.method, c.path, c.body, w.Code, w.Body, c.code, c.says)
		}
	}
	if w := answer(t, h, "POST", "/v1/redrive", `{"all":true}`, "Content-Type", "text/plain"); w.Code == http.StatusOK {
		t.Errorf("a form of a page in a browser is taken: %s", w.Body)
	}
}

// What a node is asked within the process is what it is asked over the network.
func TestClient(t *testing.T) {
	t.Parallel()
	for _, far := range []bool{false, true} {
		t.Run(fmt.Sprintf("far %v", far), func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, 3)
			client := Local(config(l), "folder")
			if far {
				client = dialled(t, config(l))
			}
			defer client.Close()
			operate(t, client)
		})
	}
}

// dialled returns a client of a node that listens.
func dialled(t *testing.T, c Config) *Client {
	t.Helper()
	server := httptest.NewServer(NewHandler(c))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, TokenFile), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Note{Address: server.Listener.Addr().String(), Token: filepath.Join(folder, TokenFile)}).Write(folder); err != nil {
		t.Fatal(err)
	}
	client, err := Dial(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// operate does all that an operator may.
func operate(t *testing.T, c *Client) {
	t.Helper()
	ctx := t.Context()
	page, err := c.Tasks(ctx, "dead", 0, 2)
	if err != nil || len(page.Tasks) != 2 || page.Next == 0 {
		t.Fatalf("%+v, %v", page, err)
	}
	rest, err := c.Tasks(ctx, "dead", page.Next, 2)
	if err != nil || len(rest.Tasks) != 1 || rest.Next != 0 {
		t.Fatalf("%+v, %v", rest, err)
	}
	task, err := c.Task(ctx, page.Tasks[0].ID)
	if err != nil || task.ThreadID != "thread-1" || task.Exec != 7 || task.Trigger != "every 1m0s" || task.Failure == nil || task.Failure.Reason != "the fiber fails" || task.Place != "dead" {
		t.Errorf("%+v, %v", task, err)
	}
	if n, err := c.Redrive(ctx, Selection{IDs: []string{task.ID}}); n != 1 || err != nil {
		t.Errorf("redriven: %d, %v", n, err)
	}
	if _, err := c.Redrive(ctx, Selection{IDs: []string{task.ID}}); !job.Is(err, job.NotFound) {
		t.Errorf("redriven again: %v", err)
	}
	if n, err := c.Purge(ctx, Selection{All: true}); n != 2 || err != nil {
		t.Errorf("purged: %d, %v", n, err)
	}
	stats, err := c.Stats(ctx)
	if err != nil || stats.Ledger.Scheduled != 2 || stats.Ledger.Dead != 0 || stats.About.Version != "1.2.3" || stats.Work != nil {
		t.Errorf("%+v, %v", stats, err)
	}
	retry, err := c.Retry(ctx)
	if err != nil || retry != RetryOf(ledger.DefaultRetry()) {
		t.Errorf("%+v, %v", retry, err)
	}
	retry.MaxRetries = 9
	if set, err := c.SetRetry(ctx, retry); err != nil || set != retry {
		t.Errorf("%+v, %v", set, err)
	}
	if profit, err := c.Profit(ctx, "", 10); err != nil || profit.Total.Executions != 0 || profit.Threads == nil {
		t.Errorf("%+v, %v", profit, err)
	}
	var copied bytes.Buffer
	if err := c.Backup(ctx, &copied); err != nil || copied.Len() < 4096 {
		t.Errorf("the copy has %d bytes, %v", copied.Len(), err)
	}
	if _, err := c.Threads(ctx, "", 10); !job.Is(err, job.Unavailable) {
		t.Errorf("threads of a stopped node: %v", err)
	}
}

// Where no node answers, the error explains why.
func TestDial(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := Dial(t.Context(), folder); !job.Is(err, job.NotFound) {
		t.Errorf("no note: %v", err)
	}
	// Port 1 is given to no process, and so none answers there.
	if err := (Note{Address: "127.0.0.1:1", Token: filepath.Join(folder, TokenFile)}).Write(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), folder); !job.Is(err, job.NotFound) {
		t.Errorf("the note of a node that was killed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, NoteFile), []byte(`{"address":"x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), folder); !job.Is(err, job.NotFound) {
		t.Errorf("a torn note: %v", err)
	}
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	defer stranger.Close()
	c := &Client{control.Caller{Peer: newPeer(folder), Base: stranger.URL, HTTP: stranger.Client()}}
	if _, err := c.Stats(t.Context()); !job.Is(err, job.Refused) {
		t.Errorf("somebody else answers: %v", err)
	}
	if err := c.Backup(t.Context(), io.Discard); !job.Is(err, job.Refused) {
		t.Errorf("somebody else copies: %v", err)
	}
	if err := errors.Join(RemoveNote(folder), RemoveNote(folder)); err != nil {
		t.Errorf("the note is taken away twice: %v", err)
	}
}

// More than some requests at once are refused, and those that are under way go on.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	c := config(newLedger(t, 0))
	begun, let := make(chan struct{}, maxAtOnce), make(chan struct{})
	c.Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-let })
	h := NewHandler(c)
	ended := make(chan int, maxAtOnce)
	for range maxAtOnce {
		go func() {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			r.Host = "localhost"
			h.ServeHTTP(w, r)
			ended <- w.Code
		}()
	}
	for range maxAtOnce {
		<-begun
	}
	if w := answer(t, h, http.MethodGet, "/healthz", ""); w.Code == http.StatusOK {
		t.Errorf("one more is answered: %d", w.Code)
	}
	close(let)
	for range maxAtOnce {
		if code := <-ended; code != http.StatusOK {
			t.Errorf("one that was under way ended with %d", code)
		}
	}
}

func TestThreadOf(t *testing.T) {
	t.Parallel()
	key := solana.MustPublicKeyFromBase58("8JCimNTViHvAwkvEBsUtChZdEpm1XRdnraJCdbLKFR4z")
	for name, c := range map[string]struct {
		trigger  thread.Trigger
		schedule thread.Schedule
		paused   bool
		words    string
		next     string
	}{
		"at once":  {thread.Trigger{Kind: thread.Immediate}, thread.Schedule{Kind: thread.Timed}, false, "at once", "now"},
		"interval": {thread.Trigger{Kind: thread.OnInterval, Every: 90, Skippable: true, Jitter: 0}, thread.Schedule{Kind: thread.Timed, Next: 1_900_000_000}, false, "every 1m30s, skippable", "2030-03-17T17:46:40Z"},
		"paused":   {thread.Trigger{Kind: thread.OnCron, Cron: "0 0 0 1 1 *", Jitter: 5}, thread.Schedule{Kind: thread.Timed, Next: 5}, true, "cron 0 0 0 1 1 *, up to 5s later", "paused"},
		"slot":     {thread.Trigger{Kind: thread.OnSlot, Number: 77}, thread.Schedule{Kind: thread.Block, Next: 77}, false, "in slot 77", "slot 77"},
		"epoch":    {thread.Trigger{Kind: thread.OnEpoch, Number: 3}, thread.Schedule{Kind: thread.Block, Next: 3}, false, "in epoch 3", "epoch 3"},
		"account":  {thread.Trigger{Kind: thread.OnAccount, Address: key, Offset: 8, Size: 4}, thread.Schedule{Kind: thread.OnChange}, false, "when 4 bytes at 8 of " + key.String() + " change", "when the account changes"},
		"nothing":  {thread.Trigger{Kind: thread.OnInterval, Every: 1 << 62}, thread.Schedule{Kind: thread.Block}, false, "every 1193046h28m16s", "never"},
	} {
		state := &thread.Thread{ID: []byte("a\x1bb"), Name: "named", Trigger: c.trigger, Schedule: c.schedule, Paused: c.paused, Fibers: []uint8{4}, Cursor: 4}
		got := ThreadOf(thread.Newest(), key, state, 9)
		if got.Trigger != c.words || got.Next != c.next || got.ID != "named" || got.LastExecutor != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Whatever is asked, the answer is one of those that are documented, and nothing ends the process.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{"GET /v1/tasks?place=dead&after=1 ", "POST /v1/redrive {\"ids\":[\"1\"]}", "PUT /v1/retry {\"jitter\":1e400}", "GET /v1/tasks/%zz ", "GET /v1/profit?after=1 "} {
		method, rest, _ := strings.Cut(seed, " ")
		path, body, _ := strings.Cut(rest, " ")
		f.Add(method, path, body)
	}
	folder := f.TempDir()
	l, err := service.OpenLedger(folder, ledger.Config{})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	f.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, l.Close()); err != nil {
			f.Error(err)
		}
	})
	h := NewHandler(config(l))
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(path, "/") {
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %s %q: %d %s", method, path, body, w.Code, w.Body)
		}
	})
}
