package overview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// register says that the job of a run is called j, in a group g that its id tells.
type register struct{}

func (register) NamedRuns(_ context.Context, ids []int64) (all []news.Named, err error) {
	for _, id := range ids {
		all = append(all, news.Named{Run: id, About: news.About{Namespace: "default", Group: fmt.Sprintf("g%d", id%2), JobID: id%2 + 1, JobKey: "j"}})
	}
	return all, nil
}

func (register) NamedJobs(context.Context, []int64) ([]news.About, error) { return nil, nil }

// people are those who call, as long as they may.
type people struct {
	mu sync.Mutex
	of map[string]access.Principal
}

func (p *people) Caller(_ context.Context, token string) (access.Principal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who, known := p.of[token]
	if !known {
		return who, job.Errorf(job.Unauthorized, "nobody has this token")
	}
	return who, nil
}

func (p *people) set(token string, id int64, grants ...access.Grant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(grants) == 0 {
		delete(p.of, token)
		return
	}
	p.of[token] = access.Principal{Kind: access.Person, ID: id, Name: token, Grants: grants}
}

// hall is an API that tells events, in a bubble.
type hall struct {
	*news.News
	handler http.Handler
	people  *people
	stop    chan struct{}
}

func inHall(t *testing.T, change func(*rest.Config), test func(t *testing.T, h *hall)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{people: &people{of: map[string]access.Principal{}}, stop: make(chan struct{})}
		h.News = news.New(news.Config{Store: register{}, Started: time.Now()})
		c := (&resttest.Fake{}).Config()
		c.Events, c.Callers, c.Stopping = h.News, h.people, h.stop
		if change != nil {
			change(&c)
		}
		var err error
		if h.handler, err = rest.New(c); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = h.Run(ctx) })
		defer running.Wait()
		defer cancel()
		test(t, h)
	})
}

// screen shows what a stream sends. While it is held it takes nothing.
type screen struct {
	mu     sync.Mutex
	text   bytes.Buffer // guarded by mu
	held   chan struct{}
	status int
	header http.Header
	done   chan struct{}
	leave  context.CancelFunc
}

func (s *screen) Header() http.Header              { return s.header }
func (s *screen) WriteHeader(status int)           { s.status = status }
func (s *screen) FlushError() error                { return nil }
func (s *screen) SetWriteDeadline(time.Time) error { return nil }

func (s *screen) Write(p []byte) (int, error) {
	if s.held != nil {
		<-s.held
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// watch opens a stream.
func (h *hall) watch(t *testing.T, path, token, last string, held chan struct{}) *screen {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1"+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	s := &screen{header: http.Header{}, done: make(chan struct{}), leave: cancel, held: held}
	go func() {
		defer close(s.done)
		h.handler.ServeHTTP(s, r)
	}()
	synctest.Wait()
	return s
}

// seen is an event as a stream sends it.
type seen struct {
	name, id string
	api.Event
	reset string
}

// events reads what a screen shows.
func (s *screen) events(t *testing.T) (all []seen) {
	t.Helper()
	for block := range strings.SplitSeq(s.String(), "\n\n") {
		var e seen
		for line := range strings.Lines(block) {
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			var err error
			switch {
			case field == "event":
				e.name = value
			case field == "id":
				e.id = value
			case field == "data" && e.name == "reset":
				var r api.EventReset
				err = json.Unmarshal([]byte(value), &r)
				e.reset = r.Reason
			case field == "data" && e.name != "open":
				err = json.Unmarshal([]byte(value), &e.Event)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if e.name != "" {
			all = append(all, e)
		}
	}
	return all
}

// words tells the events in short.
func (s *screen) words(t *testing.T) (all []string) {
	t.Helper()
	for _, e := range s.events(t) {
		word := e.name
		switch {
		case e.reset != "":
			word += " " + e.reset
		case e.Run != nil:
			word += fmt.Sprintf(" %d %s", e.Run.ID, e.Change)
		case e.Job != nil:
			word += " " + e.Job.Key + " " + e.Change
		}
		all = append(all, word)
	}
	return all
}

func changed(id int64, states ...job.State) (all []news.Change) {
	for _, state := range states {
		all = append(all, news.Change{Kind: news.Run, ID: id, State: state})
	}
	return all
}

// Each viewer is told what it may see and has asked for, and nothing else.
func TestEventsAreNarrowed(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		h.people.set("ada", 1, access.Grant{Role: access.Viewer, Namespace: "default", Group: "g0"})
		h.people.set("bob", 2, access.Grant{Role: access.Viewer, Namespace: "default", Group: "g1"})
		h.people.set("eve", 3, access.Grant{Role: access.Viewer, Namespace: "team", Group: access.All})
		screens := map[string]*screen{}
		for _, q := range []string{
			"ada ", "bob ", "eve ", resttest.Token + " ", resttest.Token + " ?group=g1", resttest.Token + " ?namespace=team", resttest.Token + " ?run=2", resttest.Token + " ?job=j", resttest.Token + " ?job=1",
			resttest.Token + " ?kinds=job,alarm", "ada ?group=g1",
		} {
			who, query, _ := strings.Cut(q, " ")
			screens[q] = h.watch(t, "/events"+query, who, "", nil)
		}
		h.Tell(append(changed(2, job.Running), changed(3, job.Failed)...))
		h.Tell([]news.Change{{Kind: news.Job, ID: 9, Became: news.Saved, About: &news.About{Namespace: "team", Group: "x", JobID: 9, JobKey: "k"}}})
		time.Sleep(time.Second)
		two, three, nine := "run 2 running", "run 3 failed", "job k saved"
		for q, want := range map[string][]string{
			"ada ": {two}, "bob ": {three}, "eve ": {nine}, resttest.Token + " ": {two, three, nine}, resttest.Token + " ?group=g1": {three}, resttest.Token + " ?namespace=team": {nine},
			resttest.Token + " ?run=2": {two}, resttest.Token + " ?job=j": {two, three}, resttest.Token + " ?job=1": {two}, resttest.Token + " ?kinds=job,alarm": {nine}, "ada ?group=g1": nil,
		} {
			s := screens[q]
			if diff := cmp.Diff(append([]string{"open"}, want...), s.words(t)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", q, diff)
			}
			if got := s.header.Get("Content-Type"); got != "text/event-stream" || s.status != http.StatusOK {
				t.Errorf("%s: %d, %s", q, s.status, got)
			}
			s.leave()
			<-s.done
		}
	})
}

// Who may no longer see something is not told of it, and who may see nothing at all is
// sent away.
func TestEventsOfTheRevoked(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		both := []access.Grant{{Role: access.Viewer, Namespace: "default", Group: "g0"}, {Role: access.Viewer, Namespace: "default", Group: "g1"}}
		h.people.set("ada", 1, both...)
		h.people.set("bob", 2, both...)
		ada, bob := h.watch(t, "/events", "ada", "", nil), h.watch(t, "/events?kinds=summary", "bob", "", nil)
		h.Tell(append(changed(2, job.Running), changed(3, job.Running)...))
		time.Sleep(time.Second)
		h.people.set("ada", 1, both[1])
		h.people.set("bob", 2)
		time.Sleep(10 * time.Second)
		h.Tell(append(changed(2, job.Failed), changed(3, job.Failed)...))
		time.Sleep(time.Second)
		<-bob.done
		if got := bob.String(); !strings.Contains(got, "event: problem") || !strings.Contains(got, `"code":"unauthorized"`) {
			t.Errorf("the summary of somebody who was sent away ends with %s", got)
		}
		want := []string{"open", "run 2 running", "run 3 running", "run 3 failed"}
		if diff := cmp.Diff(want, ada.words(t)); diff != "" {
			t.Errorf("a right less (-want +got)\n%s", diff)
		}
		h.people.set("ada", 1, access.Grant{Role: access.Scripter, Namespace: "default", Group: "g1"})
		<-ada.done
		if got := ada.String(); !strings.Contains(got, `"code":"forbidden"`) {
			t.Errorf("no right ends with %s", got)
		}
	})
}

// A stream that is silent is kept awake and told where it stands, and ends when the
// server stops.
func TestEventsBeat(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		s, summary := h.watch(t, "/events?kinds=job", resttest.Token, "", nil), h.watch(t, "/events?kinds=summary", resttest.Token, "", nil)
		h.Tell(changed(2, job.Running))
		time.Sleep(time.Minute + time.Second)
		if n := strings.Count(s.String(), ": beat\nid: "+h.Epoch()+"-1\n\n"); n != 4 {
			t.Errorf("%d beats in a minute: %s", n, s)
		}
		if got := summary.String(); strings.Count(got, ": beat\n\n") != 4 || strings.Count(got, "event: summary\n") != 1 {
			t.Errorf("a summary that does not change: %s", got)
		}
		close(h.stop)
		<-s.done
		<-summary.done
		if strings.Contains(s.String()+summary.String(), "problem") {
			t.Errorf("a stop is a problem: %s %s", s, summary)
		}
	})
}

func TestAudience(t *testing.T) {
	inHall(t, func(c *rest.Config) { c.Viewers, c.ViewersEach = 4, 2 }, func(t *testing.T, h *hall) {
		t.Helper()
		all := access.Grant{Role: access.Viewer, Namespace: access.All, Group: access.All}
		h.people.set("ada", 1, all)
		h.people.set("bob", 2, all)
		var open []*screen
		for i, c := range []struct {
			path, who string
			want      int
		}{
			{"/events", "ada", http.StatusOK},
			{"/events?kinds=summary", "ada", http.StatusOK},
			{"/events", "ada", http.StatusTooManyRequests},
			{"/events", "bob", http.StatusOK},
			{"/events", resttest.Token, http.StatusOK},
			{"/events", "bob", http.StatusServiceUnavailable},
			{"/events", resttest.Token, http.StatusServiceUnavailable},
		} {
			s := h.watch(t, c.path, c.who, "", nil)
			if s.status != c.want {
				t.Errorf("stream %d: %d %s, want %d", i, s.status, s, c.want)
			}
			open = append(open, s)
		}
		open[0].leave()
		<-open[0].done
		if s := h.watch(t, "/events", "ada", "", nil); s.status != http.StatusOK {
			t.Errorf("after one has left: %d %s", s.status, s)
		}
	})
}

// A reader that takes nothing holds nobody up, and is told what it has missed.
func TestSlowReader(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		held := make(chan struct{})
		fast := h.watch(t, "/events", resttest.Token, "", nil)
		slow := h.watch(t, "/events", resttest.Token, "", held)
		const n = 3000
		for i := range int64(n) {
			h.Tell(changed(i, job.Succeeded))
			if i%100 == 0 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		time.Sleep(time.Second)
		if got := len(fast.events(t)); got != n+1 {
			t.Errorf("the fast one has got %d events", got)
		}
		close(held)
		<-slow.done
		words := slow.words(t)
		if last := words[len(words)-1]; last != "reset slow" || len(words) > 1000 {
			t.Errorf("the slow one got %d events, the last one %s", len(words), last)
		}
		fast.leave()
		<-fast.done
	})
}

func TestEventsResume(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		s := h.watch(t, "/events", resttest.Token, "", nil)
		h.Tell(changed(2, job.Running, job.Failed))
		time.Sleep(time.Second)
		s.leave()
		<-s.done
		events := s.events(t)
		open, first := events[0].id, events[1].id
		h.Tell(changed(4, job.Running))
		for _, c := range []struct {
			path, last string
			want       []string
		}{
			{"/events", open, []string{"open", "run 2 running", "run 2 failed", "run 4 running"}},
			{"/events?after=" + open, first, []string{"open", "run 2 failed", "run 4 running"}},
			{"/events?after=" + first, "", []string{"open", "run 2 failed", "run 4 running"}},
			{"/events", "1-1", []string{"reset restarted"}},
			{"/events", "nonsense", []string{"reset restarted"}},
		} {
			time.Sleep(time.Second)
			s := h.watch(t, c.path, resttest.Token, c.last, nil)
			if diff := cmp.Diff(c.want, s.words(t)); diff != "" {
				t.Errorf("%s after %q (-want +got)\n%s", c.path, c.last, diff)
			}
			s.leave()
			<-s.done
		}
	})
}

// In a storm of changes a reader that goes and comes back at random is told of each end
// exactly once, or that it has missed something.
func TestEventStorm(t *testing.T) {
	inHall(t, nil, func(t *testing.T, h *hall) {
		t.Helper()
		random := rand.New(rand.NewPCG(1, 2))
		const runs = 2000
		finals := make(map[int64]int)
		last, reset, opened := "", 0, 0
		var s *screen
		take := func() {
			time.Sleep(200 * time.Millisecond) // what was told is there by then
			s.leave()
			<-s.done
			for _, e := range s.events(t) {
				last = e.id
				if e.reset != "" {
					reset++
				}
				if e.Run != nil && e.Run.Final {
					finals[int64(e.Run.ID)]++
				}
			}
			s = nil
		}
		for i := int64(1); i <= runs; i++ {
			h.Tell(changed(i, job.Dispatched, job.Running, job.Succeeded))
			switch {
			case s == nil && random.IntN(20) == 0:
				s = h.watch(t, "/events", resttest.Token, last, nil)
				opened++
			case s != nil && random.IntN(30) == 0:
				take()
			}
			if random.IntN(4) == 0 {
				time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
			}
		}
		if s == nil {
			s = h.watch(t, "/events", resttest.Token, last, nil)
		}
		take()
		if opened < 10 || reset > 0 && opened == reset {
			t.Fatalf("%d streams, %d resets", opened, reset)
		}
		missed := 0
		for i := int64(1); i <= runs; i++ {
			switch n := finals[i]; {
			case n > 1:
				t.Errorf("the end of run %d was told %d times", i, n)
			case n == 0:
				missed++
			}
		}
		first := runs
		for id := range finals {
			first = min(first, int(id))
		}
		if missed >= first && reset == 0 {
			t.Errorf("%d ends are missing, the first that was told is that of run %d, and nobody said so", missed, first)
		}
	})
}

func TestEventsOfNobody(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, path := range []string{"/events", "/dashboard"} {
		if response, body := resttest.Send(t, server, http.MethodGet, "/api/v1"+path, ""); response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	for request, field := range map[string]string{"/events?kinds=runs": "kinds[0]", "/events?run=x": "run", "/events?after=x": "after"} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1"+request, "")
		if response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", request, response.StatusCode, body)
		}
	}
}
