package executor_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// tower is a server of Orth's own protocol.
type tower struct {
	board

	url      string
	client   *native.ExecutorClient
	beats    []job.Beat
	gone     []string
	outcomes map[int64]job.Outcome
	pulls    int              // times that an executor came to pull
	logs     map[int64]string // what was brought, by attempt
	over     map[int64]bool   // attempts of which no more is to come
	told     []string         // the facts of executors
}

func newTower(t *testing.T, tokens ...string) *tower {
	t.Helper()
	s := &tower{outcomes: make(map[int64]job.Outcome), logs: make(map[int64]string), over: make(map[int64]bool)}
	boxes := mailbox.New(mailbox.Config{Timeout: patience, Away: patience, Came: func(string) { s.change(func() { s.pulls++ }) }})
	server := httptest.NewServer(native.NewServerHandler(native.ServerConfig{
		Keys: signing.NewTokens(tokens...), Leases: s, Outcomes: s, Mailboxes: boxes, Chunks: s, Facts: s, Self: "tower",
	}))
	t.Cleanup(server.Close)
	t.Cleanup(boxes.Close)
	s.url = server.URL
	s.client = native.NewExecutorClient(native.ClientConfig{
		Peer: func(string) (string, string) { return tokens[0], s.incarnation() }, Mailboxes: boxes, Timeout: patience,
		Self: "tower", Follow: func(job.Task) bool { return true },
	})
	t.Cleanup(s.client.Close)
	return s
}

func (s *tower) incarnation() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.beats) == 0 {
		return ""
	}
	return s.beats[len(s.beats)-1].Life.Incarnation
}

func (s *tower) Register(_ context.Context, b job.Beat) error {
	s.change(func() { s.beats = append(s.beats, b) })
	return nil
}

func (s *tower) Deregister(_ context.Context, group, address string) error {
	s.change(func() { s.gone = append(s.gone, group+" "+address) })
	return nil
}

func (s *tower) TakeFacts(_ context.Context, group, address string, f job.Facts) error {
	s.change(func() { s.told = append(s.told, strings.Join([]string{f.Kind, group, address, f.Text}, " ")) })
	return nil
}

func (s *tower) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	s.change(func() {
		for _, o := range outcomes {
			s.outcomes[o.AttemptID] = o
			if o.Log != "" { // all of it
				s.logs[o.AttemptID], s.over[o.AttemptID] = o.Log, true
			}
		}
	})
	return nil
}

func (s *tower) Put(_ job.Caller, address string, attempt int64, page job.LogPage) (wanted bool) {
	s.change(func() {
		have := strings.Count(s.logs[attempt], "\n")
		if page.From == have+1 && s.address() == address {
			s.logs[attempt] += page.Text
		}
		s.over[attempt] = page.End
	})
	return !page.End
}

// address is where the executor was last. mu is held.
func (s *tower) address() string { return s.beats[len(s.beats)-1].Address }

// brought waits for all of a log to come, or for the lines until the wanted one.
func (s *tower) brought(t *testing.T, attempt int64, whole bool, want string) {
	t.Helper()
	s.await(t, "the log of attempt "+strconv.FormatInt(attempt, 10), func() bool {
		return s.over[attempt] == whole && strings.Contains(s.logs[attempt], want)
	})
}

// outcome waits for that of an attempt.
func (s *tower) outcome(t *testing.T, attempt int64) (o job.Outcome) {
	t.Helper()
	s.await(t, "an outcome", func() (found bool) { o, found = s.outcomes[attempt]; return found })
	return o
}

// beat waits for the wanted one.
func (s *tower) beat(t *testing.T, what string, wanted func(b job.Beat) bool) (found job.Beat) {
	t.Helper()
	s.await(t, what, func() bool {
		for _, b := range s.beats {
			if wanted(b) {
				found = b
				return true
			}
		}
		return false
	})
	return found
}

// launchNative runs an executor until the returned function is called.
func launchNative(t *testing.T, c executor.Config) (stop func()) {
	t.Helper()
	c.Logger = slog.New(slog.DiscardHandler)
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e.Handle("echo", func(_ context.Context, task *handler.Task) error {
		task.Log("it says %s", task.Param)
		if task.Param == "fail" {
			return errors.New("as it was told")
		}
		return nil
	})
	e.Handle("hold", func(ctx context.Context, task *handler.Task) error {
		task.Log("it holds")
		<-ctx.Done()
		return ctx.Err()
	})
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		end()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func named(attempt, jobID int64, name, param string) job.Task {
	return job.Task{
		AttemptID: attempt, JobID: jobID, RunID: attempt, Try: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: name}, Param: param,
		Overlap: job.OverlapSerial, TriggeredAt: time.Now(), ShardTotal: 1,
	}
}

// TestNative: both transports do the same.
func TestNative(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*executor.Config){
		"push": func(c *executor.Config) { c.Dialect, c.Listen = "native", "127.0.0.1:0" },
		"pull": func(c *executor.Config) { c.Pull, c.Listen = true, "nowhere" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTower(t, token)
			c := executor.Config{
				Servers: []string{s.url}, Token: token, Group: "g", Data: t.TempDir(), Beat: 50 * time.Millisecond,
				DrainFor: 10 * time.Millisecond, Labels: map[string]string{"zone": "eu"},
				Facts: executor.Facts{Kind: "sample", Tell: func(context.Context) ([]byte, error) { return []byte(`{"n":1}`), nil }},
			}
			change(&c)
			stop := launchNative(t, c)
			address := s.beat(t, "a beat", func(job.Beat) bool { return true }).Address
			if message.Pulls(address) != c.Pull {
				t.Errorf("it is at %s", address)
			}
			s.await(t, "a pull", func() bool { return !c.Pull || s.pulls > 0 })
			work(t, s, address)
			s.await(t, "what it tells about itself", func() bool { return len(s.told) > 0 && s.told[0] == "sample g "+address+` {"n":1}` })
			instance, err := os.ReadFile(filepath.Join(c.Data, "instance"))
			if err != nil || len(strings.TrimSpace(string(instance))) != 24 {
				t.Errorf("the instance is %q, %v", instance, err)
			}
			stop()
			if o := s.outcome(t, 15); o.State != job.Failed {
				t.Errorf("what the stop ended is %+v", o)
			}
			s.brought(t, 15, true, "it holds")
			s.await(t, "a farewell", func() bool { return len(s.gone) == 1 && s.gone[0] == "g "+address })
			former := s.incarnation()
			launchNative(t, c)
			again := s.beat(t, "a beat of the next start", func(b job.Beat) bool { return b.Life.Incarnation != former })
			if c.Pull && again.Address != address {
				t.Errorf("it was at %s and is at %s", address, again.Address)
			}
			if holds, err := s.client.Holds(t.Context(), again.Address, 11, time.Now()); !holds || err != nil {
				t.Errorf("after a restart attempt 11 is not known: %v", err)
			}
			if err := s.client.Send(t.Context(), again.Address, named(11, 1, "echo", "")); !job.Is(err, job.Duplicate) {
				t.Errorf("the same again: %v", err)
			}
		})
	}
}

// work has an executor do all that it can.
func work(t *testing.T, s *tower, address string) {
	t.Helper()
	ctx := t.Context()
	if err := s.client.Beat(ctx, address); err != nil {
		t.Errorf("it is not there: %v", err)
	}
	b := s.beat(t, "a whole beat", func(b job.Beat) bool { return b.Life.Whole })
	if b.Group != "g" || b.Dialect != job.DialectNative || b.Life.Load == nil || b.Features[0] != "zone=eu" || !slices.Equal(b.Handlers, []string{"echo", "hold"}) {
		t.Errorf("the beat is %+v", b)
	}
	send := func(task job.Task, want job.Kind) {
		t.Helper()
		if err := s.client.Send(ctx, address, task); job.KindOf(err) != want {
			t.Errorf("attempt %d: kind %q, %v; want %q", task.AttemptID, job.KindOf(err), err, want)
		}
	}
	first := named(11, 1, "echo", "hello")
	send(first, "")
	send(first, job.Duplicate)
	send(named(12, 2, "echo", "fail"), "")
	send(named(13, 3, "nothing", ""), job.Refused)
	script := named(14, 4, "", "")
	script.Handler = job.Handler{Kind: job.HandlerShell, Source: "id"}
	send(script, job.Refused)
	if o := s.outcome(t, 11); o.State != job.Succeeded || o.EndedAt.IsZero() {
		t.Errorf("attempt 11 is %+v", o)
	}
	if o := s.outcome(t, 12); o.State != job.Failed || o.Message != "as it was told" {
		t.Errorf("attempt 12 is %+v", o)
	}
	s.brought(t, 11, true, "it says hello")
	s.brought(t, 12, true, "it says fail")
	if page, err := s.client.ReadLog(ctx, address, 11, first.TriggeredAt, 1); err != nil || !strings.Contains(page.Text, "it says hello") {
		t.Errorf("the log: %+v, %v", page, err)
	}
	send(named(15, 5, "hold", ""), "")
	s.brought(t, 15, false, "it holds")
	if busy, err := s.client.Busy(ctx, address, 5); !busy || err != nil {
		t.Errorf("busy: %v, %v", busy, err)
	}
	for attempt, want := range map[int64]bool{11: true, 13: false, 15: true, 99: false} {
		if holds, err := s.client.Holds(ctx, address, attempt, first.TriggeredAt); holds != want || err != nil {
			t.Errorf("holds %d: %v, %v", attempt, holds, err)
		}
	}
	asked := []job.Attempt{{ID: 11}, {ID: 12}, {ID: 13}, {ID: 15}}
	eventually(t, "outcomes that were taken are told as gone", func() bool {
		rid, err := s.client.Rid(ctx, address, asked)
		return err == nil && slices.Equal(rid, []bool{true, true, true, false})
	})
	if draining, err := s.client.Drain(ctx, address, true); !draining || err != nil {
		t.Errorf("drain: %v, %v", draining, err)
	}
	s.beat(t, "a beat that says it drains", func(b job.Beat) bool { return b.Life.Draining })
	if !message.Pulls(address) { // one that pulls asks for no tasks now, unless its last question is open still
		send(first, job.Duplicate)
	}
	if draining, err := s.client.Drain(ctx, address, false); draining || err != nil {
		t.Errorf("the end of it: %v, %v", draining, err)
	}
	send(named(16, 6, "hold", ""), "")
	s.brought(t, 16, false, "it holds") // one that has not begun has no log
	if err := s.client.Cancel(ctx, address, 16, "enough"); err != nil {
		t.Errorf("cancel: %v", err)
	}
	if o := s.outcome(t, 16); o.State != job.Cancelled || !strings.HasPrefix(o.Message, "enough") {
		t.Errorf("attempt 16 is %+v", o)
	}
	s.brought(t, 16, true, "enough")
}

// TestNativeSpeaksBoth: the port of an executor that is pushed to serves the XXL-JOB family
// too, and refuses unsigned requests.
func TestNativeSpeaksBoth(t *testing.T) {
	t.Parallel()
	s := newTower(t, "of the group", token)
	launchNative(t, executor.Config{
		Servers: []string{s.url}, Token: token, GroupToken: "of the group", Group: "g", Data: t.TempDir(), Dialect: "native", Listen: "127.0.0.1:0",
	})
	address := s.beat(t, "a beat", func(job.Beat) bool { return true }).Address
	for path, want := range map[string]string{
		"beat": `{"code":200,"msg":"Success"}`, "orth/v1/beat": `{"kind":"unauthorized"`, "orth/v2/beat": `{"kind":"not_found"`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Xxl-Job-Access-Token", token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %s, %v; want %s", path, text, err, want)
		}
	}
	if err := s.client.Beat(t.Context(), address); err != nil {
		t.Errorf("signed with the token of the group: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestNativeConfig: what does not go together is refused with the reason.
func TestNativeConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*executor.Config)
		want   string
	}{
		"pull":               {func(c *executor.Config) { c.Pull, c.Listen, c.Token = true, "0.0.0.0:9999", "" }, ""},
		"pull natively":      {func(c *executor.Config) { c.Pull, c.Dialect = true, "native" }, ""},
		"pull of another":    {func(c *executor.Config) { c.Pull, c.Dialect = true, "xxl-job" }, "dialect: "},
		"a mixture":          {func(c *executor.Config) { c.Servers = []string{"native=http://a", "http://b"} }, "either all of them are native or none is"},
		"each natively":      {func(c *executor.Config) { c.Servers = []string{"native=http://a", "native=http://b"} }, ""},
		"natively, no token": {func(c *executor.Config) { c.Dialect, c.Token, c.Listen = "native", "", "0.0.0.0:9999" }, "token: "},
		"scripts, no token":  {func(c *executor.Config) { c.Pull, c.Scripts, c.Token = true, true, "" }, "token: "},
	} {
		config := executor.Config{Servers: []string{"http://a"}, Token: token, Group: "g"}
		c.change(&config)
		switch _, err := executor.New(config); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// TestBrokenInstance: a file that was not written here is not taken for a name.
func TestBrokenInstance(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "instance"), []byte("0123456789ABCDEF01234567\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := executor.New(executor.Config{Servers: []string{"http://127.0.0.1:1"}, Group: "g", Data: data, Pull: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(t.Context()); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("Run = %v", err)
	}
}
