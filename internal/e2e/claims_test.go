//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// slowDoor stands before an executor that takes its time before it takes a task: it
// returns its base URL. A task whose server has given up meanwhile does not arrive.
func slowDoor(t *testing.T, to string, takes time.Duration) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	next := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(target) },
		// The connection is closed without a word.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/run" || r.URL.Path == "/orth/v1/tasks" {
			// Read whole, so that it is seen when the caller goes away.
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			select {
			case <-time.After(takes):
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// addSlow starts an executor of each tongue that has a port, each behind a slow door.
func (f *fleet) addSlow(takes time.Duration) {
	f.t.Helper()
	for _, speaks := range tongues()[:2] {
		f.addWorker(speaks, slowly(f.t, takes))
	}
}

// slowly puts a slow door before an executor, and nothing before the server.
func slowly(t *testing.T, takes time.Duration) func(server, worker string) (string, string) {
	t.Helper()
	return func(server, worker string) (string, string) { return server, slowDoor(t, worker, takes) }
}

// metric returns a figure that a server shows, by its name with its labels.
func (f *fleet) metric(m *member, name string) (int, error) {
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, m.address+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(mustRead(f.t, filepath.Join(f.dir, "server-1", "api.token"))))
	c := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answers %s", m.name, answer.Status)
	}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if text, is := strings.CutPrefix(lines.Text(), "orth_"+name+" "); is {
			value, err := strconv.ParseFloat(text, 64)
			return int(value), err
		}
	}
	return 0, fmt.Errorf("%s shows no orth_%s", m.name, name)
}

// figures returns what each of some servers shows for a metric.
func (f *fleet) figures(name string, servers ...*member) []int {
	f.t.Helper()
	all := make([]int, len(servers))
	for i, m := range servers {
		eventually(f.t, func() (err error) {
			all[i], err = f.metric(m, name)
			return err
		})
	}
	return all
}

// sum adds figures up.
func sum(all []int) (n int) {
	for _, one := range all {
		n += one
	}
	return n
}

// stands waits until a server says of itself that it stands so: others may know earlier.
func (f *fleet) stands(m *member, want api.ServerState) {
	f.t.Helper()
	self := f.clientOf(m)
	eventually(f.t, func() error {
		s, err := self.Server(f.t.Context(), m.name)
		if err == nil && s.State != want {
			err = fmt.Errorf("%s is %s, not %s", m.name, s.State, want)
		}
		return err
	})
}

// drain has servers drain, or work again.
func (f *fleet) drain(on bool, servers ...*member) {
	f.t.Helper()
	want := api.ServerWorking
	if on {
		want = api.ServerDraining
	}
	for _, m := range servers {
		eventually(f.t, func() error { // another one may have to be back before
			_, err := f.client.DrainServer(f.t.Context(), m.name, on)
			return err
		})
	}
	for _, m := range servers {
		f.stands(m, want)
	}
}

// counts returns the counts in the lines of a server's log that have a text.
func (m *member) counts(text string) (all []int) {
	for _, line := range lines(m.now.out.String()) {
		var said struct {
			Count int `json:"count"`
		}
		if strings.Contains(line, text) && json.Unmarshal([]byte(line), &said) == nil {
			all = append(all, said.Count)
		}
	}
	return all
}

// began returns how often each run began, as executors wrote it down.
func (tr *trial) began() map[int64]int {
	began := make(map[int64]int)
	for _, e := range tr.journal {
		if e.what == "S" {
			began[e.run]++
		}
	}
	return began
}

// once checks that each run was accepted by one executor once and began once there, as
// the executors wrote it down themselves.
func (tr *trial) once(t *testing.T) {
	t.Helper()
	began := tr.began()
	for i := range tr.runs {
		r := &tr.runs[i]
		taken := 0
		for j := range r.attempts {
			if a := &r.attempts[j]; a.State == job.Succeeded || !a.AcceptedAt.IsZero() {
				taken++
			}
		}
		if n := began[int64(r.run.ID)]; n != 1 || taken != 1 {
			t.Errorf("run %d of job %s began %d times, and %d of its %d attempts were accepted; want one", r.run.ID, r.run.JobKey, n, taken, len(r.attempts))
		}
	}
}

// TestClaimsAreRenewed has one of three servers hold more runs than its executors accept
// while a claim lasts: it renews the claims, so that the others leave those runs alone; what
// it cannot send before it stops it gives back, and the others send that at once.
func TestClaimsAreRenewed(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE claims")
	renewedClaims(t, pg.at("claims"))
}

// TestMariaDBClaims is TestClaimsAreRenewed on MariaDB.
func TestMariaDBClaims(t *testing.T) {
	t.Parallel()
	_, _, address := newMariaDB(t)
	renewedClaims(t, address)
}

// renewedClaims is the test on the database of an address.
func renewedClaims(t *testing.T, address string) {
	t.Helper()
	const (
		runs    = 180
		onWay   = 8 // tasks on their way at once, of each server
		takes   = time.Second
		renewed = 40 // claims, at least: otherwise the test proves nothing
	)
	f := newCluster(t, address, 3, "--per-group", strconv.Itoa(onWay), "--log-level", "info")
	f.addSlow(takes)
	f.create(api.NewJob{
		Key: "asked", Param: "0 0", Overlap: job.OverlapConcurrent, Concurrency: 64, Schedule: api.Schedule{Kind: schedule.KindManual},
	}, duty{ends: []job.State{job.Succeeded}})
	f.drain(true, f.others...)
	began := time.Now()
	ids := make([]api.ID, runs)
	if err := side(16, runs, func(i int) error {
		r, err := f.client.Trigger(t.Context(), "asked", api.Trigger{})
		ids[i] = r.ID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	f.duties[0].runs = ids
	eventually(t, func() error {
		if n := f.figures("dispatcher_claimed_runs_total", f.server); n[0] < runs {
			return fmt.Errorf("%s has claimed %d of %d runs", f.server.name, n[0], runs)
		}
		return nil
	})
	f.drain(false, f.others...)
	t.Logf("%s holds %d of %d runs after %s", f.server.name, f.figures("dispatcher_held_runs", f.server)[0], runs, time.Since(began).Round(time.Millisecond))
	eventually(t, func() error {
		if n := f.figures(`dispatcher_renewals_total{result="renewed"}`, f.server); n[0] < renewed {
			return fmt.Errorf("%s has renewed %d claims; it holds %d runs", f.server.name, n[0], f.figures("dispatcher_held_runs", f.server)[0])
		}
		return nil
	})
	// A server that was held up for seconds may lose some; without renewals it would lose all.
	kept, stolen := f.figures(`dispatcher_renewals_total{result="renewed"}`, f.server)[0], sum(f.figures("dispatcher_claimed_runs_total", f.others...))
	t.Logf("after %s %d claims were renewed, and others have taken %d runs", time.Since(began).Round(time.Millisecond), kept, stolen)
	if 2*stolen > kept {
		t.Errorf("others have taken %d runs whose claims were renewed", stolen)
	}
	f.givenBack(stolen)
	f.settled()
	f.verdict().once(t)
	f.late(began, runs*takes/onWay)
}

// givenBack stops the first server, and checks that the others take what it held.
func (f *fleet) givenBack(before int) {
	f.t.Helper()
	stopped := time.Now()
	if code := f.server.now.stop(); code != 0 {
		f.t.Errorf("%s stopped with exit code %d", f.server.name, code)
	}
	f.client = f.clientOf(f.others[0])
	back := sum(f.server.counts("are given back"))
	eventually(f.t, func() error {
		if n := sum(f.figures("dispatcher_claimed_runs_total", f.others...)); n < before+back {
			return fmt.Errorf("of %d runs that were given back others have claimed %d", back, n-before)
		}
		return nil
	})
	f.t.Logf("%d runs were given back at the stop; others had claimed them all %s after its beginning", back, time.Since(stopped).Round(time.Millisecond))
	if back < 20 {
		f.t.Errorf("%s gave %d runs back at its stop: that proves nothing", f.server.name, back)
	}
}

// late checks that no run was later than slow executors explain.
func (f *fleet) late(began time.Time, explained time.Duration) {
	f.t.Helper()
	all, err := f.list()
	if err != nil {
		f.t.Fatal(err)
	}
	var last time.Duration
	for i := range all {
		last = max(last, all[i].StartedAt.Sub(began))
	}
	f.t.Logf("the last run began after %s; the executors alone explain %s", last.Round(time.Millisecond), explained)
	if most := 2*explained + 30*time.Second; last > most {
		f.t.Errorf("the last run began after %s, at most %s are allowed", last, most)
	}
}
