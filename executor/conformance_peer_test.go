package executor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait; no test that passes comes near it.
const patience = 2 * time.Minute

// token is what servers and the executor under test share.
const token = "tok"

// item is one outcome of a callback.
type item struct {
	LogID      int64   `json:"logId"`
	LogDateTim int64   `json:"logDateTim"`
	HandleCode int     `json:"handleCode"`
	HandleMsg  *string `json:"handleMsg"`

	raw string // as it came
}

// String shows an outcome as "code message".
func (i item) String() string {
	if i.HandleMsg == nil {
		return fmt.Sprintf("%d", i.HandleCode)
	}
	return fmt.Sprintf("%d %s", i.HandleCode, *i.HandleMsg)
}

// call is one request that an admin was sent.
type call struct {
	path, body string
	header     http.Header
}

// board collects what a test waits for. Each change wakes all that wait.
type board struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change, and replaced
}

func (b *board) change(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// await returns when done, which is called with the board locked, is true.
func (b *board) await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		b.mu.Lock()
		if done() {
			b.mu.Unlock()
			return
		}
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-deadline.C:
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// admin is a server of the dialect that collects what executors send it.
type admin struct {
	board

	url   string
	calls []call
	items map[int64][]item
}

const adminSuccess = `{"code":200,"msg":null,"content":null}`

func newAdmin(t *testing.T) *admin {
	t.Helper()
	a := &admin{items: make(map[int64][]item)}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	a.url = server.URL + "/xxl-job-admin"
	return a
}

// ServeHTTP implements http.Handler.
func (a *admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/xxl-job-admin")
	var raw []json.RawMessage
	if path == "/api/callback" {
		if err := json.Unmarshal(body, &raw); err != nil {
			_, _ = fmt.Fprintf(w, `{"code":500,"msg":%q}`, err)
			return
		}
	}
	a.change(func() {
		a.calls = append(a.calls, call{path, string(body), r.Header})
		for _, text := range raw {
			i := item{raw: string(text)}
			if json.Unmarshal(text, &i) == nil {
				a.items[i.LogID] = append(a.items[i.LogID], i)
			}
		}
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, adminSuccess)
}

// outcome waits for the callback of an attempt.
func (a *admin) outcome(t *testing.T, attempt int64) item {
	t.Helper()
	var got []item
	a.await(t, fmt.Sprintf("the callback of %d", attempt), func() bool {
		got = a.items[attempt]
		return len(got) > 0
	})
	return got[0]
}

// want waits for the callback of an attempt and compares it.
func (a *admin) want(t *testing.T, attempt int64, outcome string) {
	t.Helper()
	if got := a.outcome(t, attempt).String(); got != outcome {
		t.Errorf("attempt %d was called back as %q; want %q", attempt, got, outcome)
	}
}

// paths returns the paths of the calls so far, each once in a row.
func (a *admin) paths() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var paths []string
	for _, c := range a.calls {
		paths = append(paths, c.path)
	}
	return slices.Compact(paths)
}

// subject is the executor under test, and what its handlers did.
type subject struct {
	board

	url    string
	admin  *admin
	events []string           // "start 7", "end 7" in order
	gates  map[int64]chan any // what a held run waits for

	inits, destroyed int // calls of the handler "inited"

	stop func() // ends the executor and waits for it
}

// start runs an executor with the handlers that the cases name. tweak may be
// nil.
func start(t *testing.T, a *admin, tweak func(*executor.Config)) *subject {
	t.Helper()
	s := &subject{admin: a, gates: make(map[int64]chan any)}
	c := executor.Config{
		Servers: []string{a.url}, Token: token, Group: "app-x", Listen: "127.0.0.1:0", Data: t.TempDir(),
		// A Groovy that is not there is not looked for: that takes seconds.
		Programs: executor.Programs{Interpreters: map[job.HandlerKind]string{job.HandlerGroovy: "/no/groovy"}},
		Scripts:  true, DrainFor: 5 * time.Second, Logger: slog.New(slog.DiscardHandler),
	}
	if tweak != nil {
		tweak(&c)
	}
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e.Handle("demo", func(_ context.Context, h *handler.Task) error {
		h.Log("demo %s", h.Param)
		return nil
	})
	e.Handle("say", func(_ context.Context, h *handler.Task) error {
		h.Result("said " + h.Param)
		return nil
	})
	e.Handle("words", func(_ context.Context, h *handler.Task) error {
		h.Result(fmt.Sprintf("run %d, try %d, %d labels", h.RunID, h.Try, len(h.Labels)))
		return nil
	})
	e.Handle("wait", func(context.Context, *handler.Task) error {
		return retry.NotReady(errors.New("too early"), time.Minute)
	})
	e.Handle("fail", func(_ context.Context, h *handler.Task) error { return errors.New(h.Param) })
	e.Handle("boom", func(context.Context, *handler.Task) error { panic("the sky fell") })
	e.Handle("long", func(context.Context, *handler.Task) error { return errors.New(strings.Repeat("数", 60_000)) })
	e.Handle("raw", func(_ context.Context, h *handler.Task) error {
		_, err := io.WriteString(h.Output(), "bad \xff\xfe bytes\nafter them\n")
		return err
	})
	e.Handle("hold", s.hold)
	e.Handle("other", s.hold)
	e.HandleWith("inited", initer{s})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the executor ended with %v", err)
		}
	})
	t.Cleanup(s.stop)
	waiting, done := context.WithTimeout(ctx, patience)
	defer done()
	if s.url, err = e.Address(waiting); err != nil {
		t.Fatal(err)
	}
	s.url = strings.TrimSuffix(s.url, "/")
	if got := s.ask(t, "/beat", ""); got != success {
		s.stop()
		t.Fatalf("the executor does not serve: %s", got)
	}
	return s
}

// hold is a handler that runs until release, or until it is cancelled.
func (s *subject) hold(ctx context.Context, h *handler.Task) error {
	gate := s.gate(h.AttemptID)
	s.note("start", h.AttemptID)
	defer s.note("end", h.AttemptID)
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *subject) note(event string, attempt int64) {
	s.change(func() { s.events = append(s.events, fmt.Sprintf("%s %d", event, attempt)) })
}

type initer struct{ *subject }

func (i initer) Init(context.Context) error {
	i.change(func() { i.inits++ })
	return nil
}

func (i initer) Destroy() { i.change(func() { i.destroyed++ }) }

func (i initer) Handle(context.Context, *handler.Task) error { return nil }

func (s *subject) gate(attempt int64) chan any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[attempt] == nil {
		s.gates[attempt] = make(chan any)
	}
	return s.gates[attempt]
}

// release lets held runs end, also ones that have not begun.
func (s *subject) release(attempts ...int64) {
	for _, attempt := range attempts {
		close(s.gate(attempt))
	}
}

// started waits until a held run has begun.
func (s *subject) started(t *testing.T, attempt int64) {
	t.Helper()
	s.await(t, fmt.Sprintf("the start of %d", attempt), func() bool { return s.has("start", attempt) })
}

// has reports whether an event was. The board is locked.
func (s *subject) has(event string, attempt int64) bool {
	return slices.Contains(s.events, fmt.Sprintf("%s %d", event, attempt))
}

// happened returns the events of these attempts, in order.
func (s *subject) happened(attempts ...int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of []string
	for _, event := range s.events {
		for _, attempt := range attempts {
			if strings.HasSuffix(event, fmt.Sprintf(" %d", attempt)) {
				of = append(of, event)
			}
		}
	}
	return strings.Join(of, ", ")
}

// ask sends one request as an admin does and returns the reply's text.
func (s *subject) ask(t *testing.T, path, body string) string {
	t.Helper()
	return s.send(t, http.MethodPost, path, body, http.Header{"Xxl-Job-Access-Token": {token}})
}

func (s *subject) send(t *testing.T, method, path, body string, header http.Header) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Header = header
	request.Close = true
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%s %s: status %d, %v", method, path, response.StatusCode, err)
	}
	return string(text)
}

// success and refusal are the replies of executors.
const (
	success       = `{"code":200,"msg":"Success"}`
	killedAlready = `{"code":200,"msg":"Success","data":"job thread already killed.","content":"job thread already killed."}`
)

func refusal(text string) string { return `{"code":500,"msg":"` + text + `"}` }

// runAt is the trigger time of every run of the cases.
const runAt = int64(1795226987336)

// run is a request to run something; fields that a case does not name have the
// dialect's defaults.
type run struct {
	JobID       int64   `json:"jobId"`
	Handler     string  `json:"executorHandler"`
	Param       string  `json:"executorParams"`
	Block       *string `json:"executorBlockStrategy"`
	Concurrency *int    `json:"executorConcurrency,omitempty"`
	Timeout     int     `json:"executorTimeout"`
	LogID       int64   `json:"logId"`
	At          int64   `json:"logDateTime"`
	Glue        string  `json:"glueType"`
	Source      string  `json:"glueSource"`
	SourceAt    int64   `json:"glueUpdatetime"`
	Index       int     `json:"broadcastIndex"`
	Total       int     `json:"broadcastTotal"`
}

// bean is a run of a named handler, in series.
func bean(jobID, logID int64, name string) run {
	return run{JobID: jobID, LogID: logID, Handler: name, Glue: "BEAN", Block: new("SERIAL_EXECUTION"), At: runAt, Total: 1}
}

// shell is a run of a script.
func shell(jobID, logID int64, source string) run {
	r := bean(jobID, logID, "")
	r.Glue, r.Source, r.SourceAt = "GLUE_SHELL", source, 1795226987000
	return r
}

// with returns the run changed.
func (r run) with(change func(*run)) run {
	change(&r)
	return r
}

// block names what happens when the run meets another.
func (r run) block(name string) run { return r.with(func(r *run) { r.Block = &name }) }

// concurrent lets n runs of the job go at once.
func (r run) concurrent(n int) run {
	return r.block("CONCURRENT").with(func(r *run) { r.Concurrency = &n })
}

// run sends a run and compares the reply.
func (s *subject) run(t *testing.T, r run, want string) {
	t.Helper()
	if got := s.try(t, r); got != want {
		t.Errorf("run %d of job %d: %s; want %s", r.LogID, r.JobID, got, want)
	}
}

func (s *subject) try(t *testing.T, r run) string {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return s.ask(t, "/run", string(body))
}

// page is a reply about a log.
type page struct {
	From int    `json:"fromLineNum"`
	To   int    `json:"toLineNum"`
	Text string `json:"logContent"`
	End  *bool  `json:"isEnd"`
	Fork *bool  `json:"end"`
}

// log reads the log of an attempt from a line on, with the date under the name.
func (s *subject) log(t *testing.T, date string, attempt int64, from int) page {
	t.Helper()
	text := s.ask(t, "/log", fmt.Sprintf(`{%q:%d,"logId":%d,"fromLineNum":%d}`, date, runAt, attempt, from))
	var reply struct {
		Code    int  `json:"code"`
		Data    page `json:"data"`
		Content page `json:"content"`
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || reply.Code != 200 {
		t.Errorf("log of %d: %s, %v", attempt, text, err)
	}
	if reply.Data.Text != reply.Content.Text || reply.Data.To != reply.Content.To {
		t.Errorf("log of %d: data and content differ: %s", attempt, text)
	}
	if reply.Data.End == nil || reply.Data.Fork == nil || *reply.Data.End != *reply.Data.Fork {
		t.Fatalf("log of %d: the end under one name: %s", attempt, text)
	}
	return reply.Data
}
