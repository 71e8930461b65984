//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// relay stands before a process. It delivers each call whole and reads the whole
// answer; of some calls the caller then hears nothing.
type relay struct {
	url string

	each int // of so many answers of a path one is lost

	mu      sync.Mutex
	random  *rand.Rand     // guarded by mu
	carried map[string]int // calls by path; guarded by mu
	lost    map[string]int // of those, the ones whose answer was lost; guarded by mu
	next    map[string]int // which call of a path is the next to lose its answer; guarded by mu
}

// newRelay returns a relay to a base URL.
func newRelay(t *testing.T, to string, each int, seed uint64) *relay {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{
		random: rand.New(rand.NewPCG(seed, 0)), each: each,
		carried: make(map[string]int), lost: make(map[string]int), next: make(map[string]int),
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport,
		ErrorLog:  log.New(io.Discard, "", 0),
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ModifyResponse: func(answer *http.Response) error {
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				return err
			}
			answer.Body = io.NopCloser(bytes.NewReader(text))
			return r.fate(answer.Request.URL.Path)
		},
		// The connection is closed without a word.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// fate throws the dice for an answer; an error loses it. They say which of the next few
// it is: where calls are few, because this machine is slow, some are lost as well.
func (r *relay) fate(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.carried[path]
	if n%r.each == 0 {
		r.next[path] = n + r.random.IntN(r.each)
	}
	r.carried[path]++
	if n != r.next[path] {
		return nil
	}
	r.lost[path]++
	return fmt.Errorf("the answer to %s is lost", path)
}

// calls returns how many calls of a path it has carried, and of how many the answer
// was lost.
func (r *relay) calls(path string) (carried, lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.carried[path], r.lost[path]
}

// TestLostAnswers puts a relay before the server and before each executor that
// loses each tenth answer: to tasks, outcomes, registrations and beats. Nothing is
// lost and nothing is doubled.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	last := 6 * time.Second
	if *longFlag {
		last = 20 * time.Second
	}
	random := dice(t)
	f := newFleet(t, "--log-level", "error")
	var relays []*relay
	before := func(url string) string {
		r := newRelay(t, url, 10, random.Uint64())
		relays = append(relays, r)
		return r.url
	}
	for _, speaks := range tongues() {
		f.addWorker(speaks, func(server, worker string) (string, string) { return before(server), before(worker) })
	}
	from := f.soon()
	due := f.flow(from, from.Add(last))
	rest(t, time.Until(from.Add(last)))
	f.settled()
	f.verdict()
	for _, path := range []string{
		"/run", "/api/callback", "/orth/v1/tasks", "/orth/v1/outcomes", "/orth/v1/pull", "/orth/v1/answers",
	} {
		carried, lost := 0, 0
		for _, r := range relays {
			c, l := r.calls(path)
			carried, lost = carried+c, lost+l
		}
		t.Logf("%s: %d of %d answers were lost", path, lost, carried)
		if lost == 0 {
			t.Errorf("no answer to %s was lost: that proves nothing", path)
		}
	}
	t.Logf("%d firings were due, %.0f in a second", due, float64(due)/last.Seconds())
}

// flow makes jobs with some hundred firings in a second together, none of which may
// fail but as it was made to.
func (f *fleet) flow(from, to time.Time) (due int) {
	f.t.Helper()
	retries := api.Retry{Tries: 20, Initial: api.Duration(50 * time.Millisecond), Multiplier: 1, Max: api.Duration(50 * time.Millisecond)}
	success := []job.State{job.Succeeded}
	f.create(api.NewJob{Key: "child", Param: "0 0", Overlap: job.OverlapConcurrent, Concurrency: 64}, duty{ends: success})
	for i := range 40 {
		r := rhythm{every: 100 * time.Millisecond}
		j, d := api.NewJob{Param: "2 0", Overlap: job.OverlapConcurrent, Concurrency: 4}, duty{ends: success}
		switch i % 10 {
		case 3:
			j.Param, j.Retry = "2 20", retries
		case 5:
			j.Overlap, j.Concurrency = job.OverlapSerial, 0
			r.every = time.Second // each waits for the one before, and that for its outcome
		case 7:
			j.Children, d.children = []api.Child{{Key: "child"}}, map[string]job.ChildOn{"child": job.ChildOnSuccess}
		}
		due += f.due(fmt.Sprintf("flow-%d", i), &r, from, to, j, d)
	}
	if !*longFlag {
		return due
	}
	// These still run when it is asked what became of those without an answer.
	slow := rhythm{every: 500 * time.Millisecond}
	return due + f.due("slow", &slow, from, to, api.NewJob{Param: "17000 0", Overlap: job.OverlapConcurrent, Concurrency: 64}, duty{ends: success})
}
