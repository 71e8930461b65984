//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// rig is one executor under a server that is the test itself.
type rig struct {
	t       *testing.T
	admin   *admin
	client  *xxl.ExecutorClient
	data    string   // the executor's folder
	journal string   // where the scripts write that they ran
	address string   // host:port of the executor
	flags   []string // further flags of the executor
	none    string   // a program that does nothing
	now     *process // the executor that was started last
	kills   int      // how often an executor was killed

	ids  atomic.Int64
	mu   sync.Mutex
	sent map[int64]*request // guarded by mu
}

// request is one task that was sent, and what the executor said to it.
type request struct {
	task job.Task
	fate fate
	text string // of a refusal
	sure bool   // the first answer was "accepted"
}

// fate is what the sender of a task knows about it.
type fate int

const (
	unknown fate = iota // no answer: it may have been taken
	accepted
	refused // or never sent
)

func newRig(t *testing.T, data string, flags ...string) *rig {
	t.Helper()
	none, err := exec.LookPath("false")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, admin: newAdmin(t), data: data, journal: filepath.Join(t.TempDir(), "journal"), address: freeAddress(t),
		flags: flags, none: none, sent: make(map[int64]*request),
		client: xxl.NewExecutorClient(xxl.ClientConfig{Token: secretToken, Timeout: 20 * time.Second}),
	}
	t.Cleanup(r.client.Close)
	return r
}

// start starts the executor and waits until it answers, or has ended: a plan
// of kills may end it at once.
func (r *rig) start(kills string) {
	r.t.Helper()
	args := append([]string{
		"executor", "--servers", r.admin.url, "--group", "torture", "--listen", r.address,
		"--data", r.data, "--scripts", "--log-level", "debug",
		// Where Groovy is installed, each first start compiles for seconds.
		"--interpreters", "groovy=" + r.none,
	}, r.flags...)
	env := []string{"ORTH_EXECUTOR_TOKEN=" + secretToken, "ORTH_FAILPOINTS=" + kills}
	r.now = start(r.t, "executor", env, args...)
	eventually(r.t, func() error {
		if r.ended() {
			// A child of one that was killed has its ports until it is another program.
			if out := r.now.out.String(); strings.Contains(out, "address already in use") {
				r.now = start(r.t, "executor", env, args...)
				return errors.New(out)
			}
			return nil
		}
		return r.client.Beat(r.t.Context(), "http://"+r.address)
	})
}

func (r *rig) ended() bool {
	select {
	case <-r.now.done:
		return true
	default:
		return false
	}
}

// kill ends the executor at once.
func (r *rig) kill() {
	r.t.Helper()
	r.kills++
	r.now.kill()
}

// killedItself waits for the kill that the executor was started with.
func (r *rig) killedItself() {
	r.t.Helper()
	r.kills++
	r.now.killedItself()
}

// stop ends the executor in peace.
func (r *rig) stop() {
	r.t.Helper()
	if code := r.now.stop(); code != 0 {
		r.t.Errorf("the executor's exit code is %d, want 0", code)
	}
}

// load is one job and how it is sent.
type load struct {
	id      int64
	overlap job.Overlap
	width   int
	onCrash job.OnCrash
	bytes   int    // how much its script is blown up
	body    string // of the script, between its two lines of the journal
}

// task returns a task of the job whose script writes to the journal when it
// begins and when it ends.
func (r *rig) task(l load) job.Task {
	id := r.ids.Add(1)
	source := fmt.Sprintf("echo S $ORTH_JOB_LOG_ID >>%[1]s\n%[2]s\necho E $ORTH_JOB_LOG_ID >>%[1]s\n", r.journal, l.body)
	for line := strings.Repeat("#", 1023) + "\n"; len(source) < l.bytes; {
		source += line
	}
	return job.Task{
		AttemptID: id, JobID: l.id, RunID: id, Try: 1, Overlap: l.overlap, Concurrency: l.width, OnCrash: l.onCrash,
		TriggeredAt: time.Now(), ShardTotal: 1,
		Handler: job.Handler{Kind: job.HandlerShell, Source: source, SourceAt: time.UnixMilli(1772366400000)},
	}
}

// send sends a new task of the job and returns what is known of it.
func (r *rig) send(l load) *request {
	q := &request{task: r.task(l)}
	r.mu.Lock()
	r.sent[q.task.AttemptID] = q
	r.mu.Unlock()
	err := r.client.Run(r.t.Context(), "http://"+r.address, q.task)
	q.learn(err)
	q.sure = q.fate == accepted
	return q
}

// resend sends every task again of which nothing is known. As servers of Orth
// do, it takes a duplicate for a yes.
func (r *rig) resend() {
	r.t.Helper()
	for id := int64(1); id <= r.ids.Load(); id++ {
		r.mu.Lock()
		q := r.sent[id]
		r.mu.Unlock()
		if q == nil || q.fate != unknown {
			continue
		}
		q.learn(r.client.Run(r.t.Context(), "http://"+r.address, q.task))
	}
}

// learn takes in the answer to a request.
func (q *request) learn(err error) {
	switch {
	case err == nil, job.Is(err, job.Duplicate):
		q.fate = accepted
	case job.Is(err, job.Ambiguous):
		q.fate = unknown
	default:
		q.fate, q.text = refused, err.Error()
	}
}

// accepted returns the requests that were accepted, in the order of sending.
func (r *rig) accepted() []*request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*request
	for id := int64(1); id <= r.ids.Load(); id++ {
		if q := r.sent[id]; q != nil && q.fate == accepted {
			all = append(all, q)
		}
	}
	return all
}

// settled waits until every accepted task has an outcome.
func (r *rig) settled() {
	r.t.Helper()
	eventually(r.t, func() error {
		var missing []int64
		for _, q := range r.accepted() {
			if len(r.admin.of(q.task.AttemptID)) == 0 {
				missing = append(missing, q.task.AttemptID)
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("accepted and without an outcome: %v", missing)
		}
		return nil
	})
}

// queue runs a command of `orth queue` on the executor's folder.
func (r *rig) queue(args ...string) string {
	r.t.Helper()
	stdout, stderr, code := run(r.t, nil, append(append([]string{"queue"}, args...), "--data", r.data)...)
	if code != 0 {
		r.t.Fatalf("orth queue %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// health returns what /healthz says.
func health(t *testing.T, address string) (status int, text string) {
	t.Helper()
	answer, err := http.Get("http://" + address + "/healthz")
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var body [4096]byte
	n, _ := answer.Body.Read(body[:])
	return answer.StatusCode, string(body[:n])
}

// mix is jobs of every overlap, and of both ways to take a crash.
func mix() []load {
	return []load{
		{id: 1, overlap: job.OverlapSerial},
		{id: 2, overlap: job.OverlapSerial, body: "sleep 0.02"},
		{id: 3, overlap: job.OverlapConcurrent, width: 4, body: "sleep 0.02"},
		{id: 4, overlap: job.OverlapSerial, onCrash: job.CrashRerun},
		{id: 5, overlap: job.OverlapConcurrent, width: 3, onCrash: job.CrashRerun, body: "sleep 0.02"},
		{id: 6, overlap: job.OverlapDiscard, body: "sleep 0.02"},
		{id: 7, overlap: job.OverlapCover, body: "sleep 0.05"},
	}
}

// flood sends n tasks of each job, the jobs side by side. A job stops when the
// executor does not answer.
func (r *rig) flood(loads []load, n int) {
	r.t.Helper()
	var senders sync.WaitGroup
	for _, l := range loads {
		senders.Go(func() {
			for range n {
				if q := r.send(l); q.fate == unknown || r.ended() {
					return
				}
			}
		})
	}
	senders.Wait()
}
