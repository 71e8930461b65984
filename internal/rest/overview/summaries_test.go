package overview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/overview"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestSummaryStream(t *testing.T) {
	f := &growing{}
	inHall(t, func(c *rest.Config) { c.Overview = f }, func(t *testing.T, h *hall) {
		t.Helper()
		s := h.watch(t, "/events?kinds=summary&namespace=team&group=g&zone=Asia/Tokyo", resttest.Token, "", nil)
		time.Sleep(10*time.Second + time.Millisecond)
		f.mu.Lock()
		f.away = true
		f.mu.Unlock()
		<-s.done
		if want := (queries.SummaryQuery{Sight: access.Sight{All: true}, Namespace: "team", Group: "g", Zone: "Asia/Tokyo"}); !reflect.DeepEqual(f.last, want) {
			t.Errorf("asked for %+v", f.last)
		}
		odd := h.watch(t, "/events?kinds=summary&zone=Nowhere", resttest.Token, "", nil)
		<-odd.done
		if got := odd.String(); !strings.Contains(got, `"field":"zone"`) || strings.Contains(got, "event:") {
			t.Errorf("a zone that there is not: %s", got)
		}
		var counted []int
		for block := range strings.SplitSeq(s.String(), "\n\n") {
			if data, is := strings.CutPrefix(block, "event: summary\ndata: "); is {
				var one api.Summary
				if err := json.Unmarshal([]byte(data), &one); err != nil {
					t.Fatal(err)
				}
				counted = append(counted, one.Runs.Running)
			}
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4}, counted); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if !strings.HasSuffix(s.String(), "\n\n") || !strings.Contains(s.String(), "event: problem") {
			t.Errorf("a summary that cannot be counted ends with %s", s)
		}
	})
}

// figures is a store that has one waiting run more each time that it is asked, and
// tells apart who asks: ten thousand for all, and for a part its own.
type figures struct {
	queries.OverviewReader
	mu    sync.Mutex
	asked map[string]int // how often, by the sight; guarded by mu
}

func (f *figures) Held(context.Context) ([]queries.Held, error) { return nil, nil }

func (f *figures) Stats(context.Context, queries.StatsFilter) ([]job.Stats, error) { return nil, nil }

func (f *figures) Counts(_ context.Context, sight access.Sight, _ time.Time) (queries.Counts, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key, dead := "all", 0
	if !sight.All {
		key, dead = sight.Places[0].Group, 1
	}
	f.asked[key]++
	return queries.Counts{Waiting: f.asked[key], DeadLetters: dead}, nil
}

func (f *figures) Executors() []job.Executor { return nil }

// A hundred viewers with the same sight cost as much counting as one, and two with
// different ones are never given the figures of each other, also not after a change of
// their rights.
func TestSummaryIsShared(t *testing.T) {
	f := &figures{asked: map[string]int{}}
	inHall(t, func(c *rest.Config) { c.Overview, c.ViewersEach = queries.NewOverview(f, f), 200 }, func(t *testing.T, h *hall) {
		t.Helper()
		part := access.Grant{Role: access.Viewer, Namespace: "default", Group: "g0"}
		h.people.set("ada", 1, access.Grant{Role: access.Viewer, Namespace: access.All, Group: access.All})
		h.people.set("bob", 2, part)
		var all, some []*screen
		for range 100 {
			all = append(all, h.watch(t, "/events?kinds=run,summary", "ada", "", nil))
			time.Sleep(3 * time.Millisecond) // they come one after the other
		}
		for range 10 {
			some = append(some, h.watch(t, "/events?kinds=summary", "bob", "", nil))
		}
		time.Sleep(20 * time.Second)
		f.mu.Lock()
		if f.asked["all"] < 15 || f.asked["all"] > 22 || f.asked["g0"] < 15 || f.asked["g0"] > 21 || len(f.asked) != 2 {
			t.Errorf("in 20 s it was counted %v times", f.asked)
		}
		f.mu.Unlock()
		h.people.set("ada", 1, part)
		time.Sleep(6 * time.Second) // rights are looked at again
		kept := make([]int, len(all))
		for i, s := range all {
			if !strings.Contains(s.String(), `"dead_letters":0`) {
				t.Fatalf("viewer %d of all was given no figures of it: %s", i, s)
			}
			kept[i] = len(s.String())
		}
		time.Sleep(5 * time.Second)
		for i, s := range all {
			if rest := s.String()[kept[i]:]; strings.Contains(rest, `"dead_letters":0`) || !strings.Contains(rest, `"dead_letters":1`) {
				t.Errorf("viewer %d, who sees a part now, is shown %s", i, rest)
			}
		}
		for _, s := range some {
			if strings.Contains(s.String(), `"dead_letters":0`) || !strings.Contains(s.String(), `"dead_letters":1`) {
				t.Errorf("who sees a part was shown %s", s)
			}
		}
		for _, s := range append(all, some...) {
			s.leave()
			<-s.done
		}
	})
}

// growing is an overview that has something else to tell each third time it is asked.
type growing struct {
	overview.Overview
	mu    sync.Mutex
	asked int
	away  bool
	last  queries.SummaryQuery
}

func (g *growing) Summary(_ context.Context, q *queries.SummaryQuery) (queries.Summary, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = *q
	if g.away {
		return queries.Summary{}, job.Errorf(job.Unavailable, "away")
	}
	g.asked++
	return queries.Summary{At: time.Now(), Counts: queries.Counts{Running: (g.asked + 2) / 3}}, nil
}

// spaces is an overview whose figures tell the namespace. While it is held it does not
// answer, and once it is broken it panics.
type spaces struct {
	overview.Overview
	mu     sync.Mutex
	held   chan struct{} // guarded by mu; nil when it answers at once
	broken bool          // guarded by mu
	late   int           // guarded by mu
}

func (o *spaces) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func (o *spaces) Summary(ctx context.Context, q *queries.SummaryQuery) (queries.Summary, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if held := o.held; held != nil {
		o.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
		}
		o.mu.Lock()
	}
	if o.broken {
		panic("no figures")
	}
	return queries.Summary{
		At: time.Now(), Namespace: q.Namespace, Group: q.Group, Zone: "UTC",
		Counts: queries.Counts{Late: o.late, Waiting: len(q.Namespace)},
	}, ctx.Err()
}

// figures returns the summaries that a screen shows, each as its namespace and late
// runs.
func (s *screen) figures(t *testing.T) (all []string) {
	t.Helper()
	for block := range strings.SplitSeq(s.String(), "\n\n") {
		data, is := strings.CutPrefix(block, "event: summary\ndata: ")
		if !is {
			continue
		}
		var one api.Summary
		if err := json.Unmarshal([]byte(data), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s/%s %d", one.Namespace, one.Group, one.Runs.Late))
	}
	return all
}

// One stream brings events and the summaries of several namespaces. A summary has no id:
// a reader that comes back goes on behind its last event.
func TestEventsWithSummaries(t *testing.T) {
	o := &spaces{}
	inHall(t, func(c *rest.Config) { c.Overview = o }, func(t *testing.T, h *hall) {
		t.Helper()
		const path = "/events?kinds=run,summary&summary_of=team,*,ops,team"
		s := h.watch(t, path, resttest.Token, "", nil)
		h.Tell(changed(2, job.Running))
		time.Sleep(1500 * time.Millisecond)
		o.set(func() { o.late = 1 })
		time.Sleep(time.Second)
		h.Tell(changed(3, job.Failed))
		time.Sleep(time.Second)
		s.leave()
		<-s.done
		want := []string{"open", "summary", "summary", "summary", "run 2 running", "summary", "summary", "summary", "run 3 failed"}
		if diff := cmp.Diff(want, s.words(t)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{"team/ 0", "/ 0", "ops/ 0", "team/ 1", "/ 1", "ops/ 1"}, s.figures(t)); diff != "" {
			t.Errorf("figures (-want +got)\n%s", diff)
		}
		for _, e := range s.events(t) {
			if (e.id == "") != (e.name == "summary") {
				t.Errorf("%s has the id %q", e.name, e.id)
			}
		}
		back := h.watch(t, "/events?kinds=run,summary&group=g1&summary_of=ops", resttest.Token, s.events(t)[4].id, nil)
		time.Sleep(time.Second)
		back.leave()
		<-back.done
		if diff := cmp.Diff([]string{"open", "run 3 failed", "summary"}, slices.Sorted(slices.Values(back.words(t)))); diff != "" {
			t.Errorf("back again (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{"ops/g1 1"}, back.figures(t)); diff != "" {
			t.Errorf("figures of a group (-want +got)\n%s", diff)
		}
	})
}

// Counting that takes long holds up no event, and counting that fails ends the stream
// with its reason.
func TestSlowSummaries(t *testing.T) {
	o := &spaces{}
	inHall(t, func(c *rest.Config) { c.Overview = o }, func(t *testing.T, h *hall) {
		t.Helper()
		held := make(chan struct{})
		o.set(func() { o.held = held })
		s := h.watch(t, "/events?kinds=run,summary", resttest.Token, "", nil)
		const n = 3000
		for i := range int64(n) {
			h.Tell(changed(i, job.Succeeded))
			if i%100 == 0 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		time.Sleep(time.Second)
		if got := len(s.words(t)); got != n+1 {
			t.Errorf("while a summary was counted %d events came", got)
		}
		alone := h.watch(t, "/events?kinds=summary", resttest.Token, "", nil)
		o.set(func() { o.broken = true })
		close(held)
		<-s.done
		<-alone.done
		for name, got := range map[string]string{"with events": s.String(), "alone": alone.String()} {
			if !strings.Contains(got, "event: problem") || !strings.Contains(got, `"code":"internal"`) || strings.Contains(got, "no figures") {
				t.Errorf("%s: a panic ends with %s", name, got[max(0, len(got)-500):])
			}
		}
	})
}

// A reader of summaries alone has no part in what changes cost.
func TestSummariesAlone(t *testing.T) {
	read := &counted{}
	inHall(t, func(c *rest.Config) { c.Overview, c.Events = &spaces{}, read }, func(t *testing.T, h *hall) {
		t.Helper()
		s := h.watch(t, "/events?kinds=summary&summary_of=ops", resttest.Token, "", nil)
		if diff := cmp.Diff([]string{"summary"}, s.words(t)); diff != "" || read.times != 0 {
			t.Errorf("changes were read %d times (-want +got)\n%s", read.times, diff)
		}
		s.leave()
		<-s.done
	})
}

// counted counts its readers.
type counted struct {
	overview.Events
	times int
}

func (c *counted) Read(context.Context, string) *news.Reader {
	c.times++
	panic("nobody was to read")
}

func TestSummaryParameters(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for query, field := range map[string]string{
		"summary_of=team":                                     "summary_of",
		"kinds=run&summary_of=team":                           "summary_of",
		"kinds=summary&summary_of=a,b,c,d,e,f,g,h,i":          "summary_of",
		"kinds=summary&summary_of=" + strings.Repeat("a", 65): "summary_of",
		"kinds=run,summary&zone=Nowhere":                      "zone",
		"kinds=summaries":                                     "kinds[0]",
	} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/events?"+query, "")
		if response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", query, response.StatusCode, body)
		}
	}
}

// BenchmarkSummaries is what a hundred viewers of the summary cost a second.
func BenchmarkSummaries(b *testing.B) {
	const viewers = 100
	f := &growing{}
	c := (&resttest.Fake{}).Config()
	c.Overview = f
	handler, err := rest.New(c)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() { // each viewer gets its first summary
		for range viewers {
			ctx, cancel := context.WithCancel(b.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/events?kinds=summary", nil)
			r.Header.Set("Authorization", "Bearer "+resttest.Token)
			cancel()
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
}
