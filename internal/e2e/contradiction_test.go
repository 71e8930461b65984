//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// liar is an executor that takes each task and then reports, from many sides at
// once, that it ended in every way there is.
type liar struct {
	f       *fleet
	url     string
	http    *http.Client
	each    int // callbacks of an attempt
	reports chan report
	open    atomic.Int64 // callbacks that have no answer yet

	mu      sync.Mutex
	taken   []job.Task          // guarded by mu
	journal []entry             // guarded by mu
	came    map[int64]time.Time // when each attempt came first; guarded by mu
}

// report is one callback.
type report struct {
	attempt int64
	at      time.Time
	number  int
}

// newLiar registers the executor with the fleet's server.
func newLiar(f *fleet, each int) *liar {
	l := &liar{
		f: f, each: each, reports: make(chan report, 1<<20), came: make(map[int64]time.Time),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}, Timeout: patience},
	}
	f.t.Cleanup(l.http.CloseIdleConnections)
	server := httptest.NewServer(xxl.NewExecutorHandler(xxl.ExecutorConfig{Token: f.secret, Tasks: l, Logs: l}))
	f.t.Cleanup(server.Close)
	l.url = server.URL
	admin, err := xxl.NewAdminClient(xxl.AdminClientConfig{Addresses: []string{"http://" + f.address}, Token: f.secret})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(admin.Close)
	eventually(f.t, func() error { return admin.Register(f.t.Context(), fleetGroup, l.url) })
	return l
}

// Accept takes a task and queues the callbacks for it. One that comes again, since nobody answered
// in time the first time, is known, as it is to every executor.
func (l *liar) Accept(_ context.Context, t job.Task) error {
	l.mu.Lock()
	if first, known := l.came[t.AttemptID]; known {
		l.mu.Unlock()
		if took := time.Since(first); took < time.Second {
			l.f.t.Errorf("attempt %d was sent again after %s", t.AttemptID, took)
		}
		return job.Errorf(job.Duplicate, "attempt %d is known", t.AttemptID)
	}
	l.came[t.AttemptID] = time.Now()
	l.taken = append(l.taken, t)
	l.journal = append(l.journal, entry{
		what: "S", attempt: t.AttemptID, run: t.RunID, job: t.JobID, worker: l.url,
	})
	l.mu.Unlock()
	for n := range l.each {
		l.report(t, n)
	}
	return nil
}

// report queues a callback.
func (l *liar) report(t job.Task, number int) {
	l.open.Add(1)
	l.reports <- report{t.AttemptID, t.TriggeredAt, number}
}

// tasks returns what was taken so far.
func (l *liar) tasks() []job.Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.taken)
}

func (l *liar) Busy(int64) bool                          { return false }
func (l *liar) Kill(context.Context, int64, string) bool { return false }
func (l *liar) Read(int64, time.Time, int) (job.LogPage, error) {
	return job.LogPage{From: 1, End: true}, nil
}

// say sends a callback. Of each attempt they differ in their codes and texts, and
// some come twice.
func (l *liar) say(ctx context.Context, r report) error {
	code := [...]int{200, 500, 502}[r.number%3]
	body := fmt.Sprintf(`[{"logId":%d,"logDateTim":%d,"handleCode":%d,"handleMsg":"%s, as claim %d says"}]`,
		r.attempt, r.at.UnixMilli(), code, madeToFail, r.number*9/10)
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.f.address+"/api/callback", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	call.Header["XXL-JOB-ACCESS-TOKEN"] = []string{l.f.secret}
	answer, err := l.http.Do(call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && !strings.Contains(string(text), `"code":200`) {
		err = fmt.Errorf("the callback %s was answered with %s", body, text)
	}
	return err
}

// hail sends what is reported, from many sides, until ctx ends.
func (l *liar) hail(ctx context.Context, sides int) (wait func()) {
	var senders sync.WaitGroup
	for range sides {
		senders.Go(func() {
			for {
				select {
				case r := <-l.reports:
					if err := l.say(ctx, r); err != nil && ctx.Err() == nil {
						l.f.t.Error(err)
					}
					l.open.Add(-1)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return senders.Wait
}

// witness looks at runs and attempts while they are lied about, and keeps the first
// end that it saw of each.
type witness struct {
	f        *fleet
	runs     map[api.ID]api.Run
	attempts map[api.ID]api.Attempt
	looks    int
}

// look compares all ends with those seen before. The evidence may grow.
func (w *witness) look(records []record) {
	w.looks++
	for i := range records {
		if r := records[i].run; r.Final {
			first, seen := w.runs[r.ID]
			if !seen {
				w.runs[r.ID] = r
			} else if diff := cmp.Diff(first, r); diff != "" {
				w.f.t.Errorf("the end of run %d has changed (-first +now):\n%s", r.ID, diff)
			}
		}
		for _, a := range records[i].attempts {
			if n := len(a.Evidence); n > job.MaxEvidence {
				w.f.t.Errorf("attempt %d has %d pieces of evidence, at most %d are kept", a.ID, n, job.MaxEvidence)
			}
			if !a.State.Final() {
				continue
			}
			a.Evidence = nil
			first, seen := w.attempts[a.ID]
			if !seen {
				w.attempts[a.ID] = a
			} else if diff := cmp.Diff(first, a); diff != "" {
				w.f.t.Errorf("the end of attempt %d has changed (-first +now):\n%s", a.ID, diff)
			}
		}
	}
}

// TestContradictions has each attempt reported a hundred times, at the same time and
// in contradiction: it ends once, as the first report said that was recorded, with
// its children and its retry once, and what is kept of the others is bounded.
func TestContradictions(t *testing.T) {
	t.Parallel()
	triggers := 50 // with retries and children some 200 attempts
	if *longFlag {
		triggers = 150 // and then some 600
	}
	f := newFleet(t, "--lease-ttl", "1h") // it registers once
	l := newLiar(f, 100)
	f.contradicted()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	wait := l.hail(ctx, 100)
	w := &witness{f: f, runs: make(map[api.ID]api.Run), attempts: make(map[api.ID]api.Attempt)}
	began := time.Now()
	f.trigger(triggers)
	for l.open.Load() > 0 || w.looks == 0 {
		w.look(f.records())
		rest(t, 200*time.Millisecond)
	}
	f.settled()
	l.quiet()
	took := time.Since(began)
	w.look(f.records())
	// And again, when all has been over for a while.
	tasks := l.tasks()
	for _, task := range tasks {
		for n := range 3 {
			l.report(task, 1000+n)
		}
	}
	l.quiet()
	stop()
	wait()
	tr := f.evidence()
	w.look(tr.runs)
	tr.journal = l.ended(tr.runs)
	for _, fault := range tr.faults() {
		t.Error(fault)
	}
	l.once(tr.runs)
	t.Logf("%d runs, %d attempts, %d callbacks in %s, %d looks", len(tr.runs), len(tasks), len(tasks)*l.each, took.Round(time.Millisecond), w.looks)
	f.bounded()
}

// contradicted makes the jobs: one with retries, and a child for each end.
func (f *fleet) contradicted() {
	f.t.Helper()
	anything := []job.State{job.Succeeded, job.Failed, job.TimedOut}
	children := map[string]job.ChildOn{"on-success": job.ChildOnSuccess, "on-failure": job.ChildOnFailure, "on-end": job.ChildOnAlways}
	parent := api.NewJob{Key: "contradicted", Overlap: job.OverlapConcurrent, Concurrency: 64, Retry: api.Retry{Tries: 2}}
	for _, child := range slices.Sorted(maps.Keys(children)) {
		f.create(api.NewJob{Key: child, Overlap: job.OverlapConcurrent, Concurrency: 64}, duty{ends: anything})
		parent.Children = append(parent.Children, api.Child{Key: child, On: children[child]})
	}
	f.create(parent, duty{ends: anything, children: children})
}

// trigger makes so many runs of the job that was made last.
func (f *fleet) trigger(n int) {
	f.t.Helper()
	d := &f.duties[len(f.duties)-1]
	runs := make([]api.ID, n)
	err := side(8, n, func(i int) error {
		r, err := f.client.Trigger(f.t.Context(), d.key, api.Trigger{})
		runs[i] = r.ID
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	d.runs = runs
}

// quiet waits until every callback has its answer.
func (l *liar) quiet() {
	l.f.t.Helper()
	eventually(l.f.t, func() error {
		if n := l.open.Load(); n > 0 {
			return fmt.Errorf("%d callbacks have no answer", n)
		}
		return nil
	})
}

// ended returns the journal with an end for each attempt, as the server says: this
// executor has no opinion.
func (l *liar) ended(records []record) []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	journal := slices.Clone(l.journal)
	states := make(map[int64]job.State)
	for i := range records {
		for _, a := range records[i].attempts {
			states[int64(a.ID)] = a.State
		}
	}
	for _, e := range l.journal {
		e.what, e.well = "E", states[e.attempt] == job.Succeeded
		journal = append(journal, e)
	}
	return journal
}

// once checks that each attempt was sent once and says what one callback said, and
// that a failed one was followed by one retry while there were any.
func (l *liar) once(records []record) {
	l.f.t.Helper()
	sent := make(map[int64]int)
	for _, task := range l.tasks() {
		sent[task.AttemptID]++
	}
	for i := range records {
		r := &records[i]
		for _, a := range r.attempts {
			if n := sent[int64(a.ID)]; n != 1 {
				l.f.t.Errorf("attempt %d was sent %d times", a.ID, n)
			}
			if !strings.HasPrefix(a.Message, madeToFail) {
				l.f.t.Errorf("attempt %d says %q", a.ID, a.Message)
			}
			if len(a.Evidence) != job.MaxEvidence {
				l.f.t.Errorf("attempt %d has %d pieces of evidence, want %d of so many", a.ID, len(a.Evidence), job.MaxEvidence)
			}
		}
		if failed := r.run.State != job.Succeeded; failed && r.run.JobKey == "contradicted" && r.run.Tries != 3 {
			l.f.t.Errorf("run %d ended as %s after %d attempts, want 3", r.run.ID, r.run.State, r.run.Tries)
		}
	}
}

// bounded checks how much memory the server has needed, where the system says so.
func (f *fleet) bounded() {
	f.t.Helper()
	const most = 512 << 10 // KiB, with what is not collected yet where the machine is busy: some 250 MiB
	if runtime.GOOS != "linux" {
		return
	}
	status := mustRead(f.t, fmt.Sprintf("/proc/%d/status", f.server.now.cmd.Process.Pid))
	_, rest, _ := strings.Cut(status, "VmHWM:")
	peak := 0
	if _, err := fmt.Sscan(rest, &peak); err != nil {
		f.t.Fatalf("%v in %q", err, status)
	}
	f.t.Logf("the server has needed %d MiB at most", peak>>10)
	if peak > most {
		f.t.Errorf("the server has needed %d MiB, want at most %d", peak>>10, most>>10)
	}
}
