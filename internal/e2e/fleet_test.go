//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// fleet is a server and executors that keep journals, each a process, at addresses
// that stay.
type fleet struct {
	t       *testing.T
	server  *member
	others  []*member // further servers on the same database
	urls    []string  // base URLs of those
	workers []*member
	address string // host:port of the server
	secret  string // that executors know
	client  *client.Client
	dir     string
	duties  []duty
	began   time.Time // the start of its processes
}

// member is a process that can be killed and started again.
type member struct {
	name    string
	begin   func(env ...string) *process
	now     *process
	kills   int
	plan    string // at which failpoint it ends by itself; empty for none
	address string // base URL under which the server reaches it; of workers
	journal string // of workers
}

const fleetGroup = "fleet"

// newFleet starts a server.
func newFleet(t *testing.T, flags ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, began: time.Now(), dir: scratch(t), address: freeAddress(t)}
	data := filepath.Join(f.dir, "server")
	f.server = &member{name: "the server", begin: func(env ...string) *process {
		args := append([]string{"server", "--data", data, "--listen", f.address, "--log-level", "warn"}, flags...)
		return start(t, "the server", env, args...)
	}}
	f.server.now = f.server.begin()
	eventually(t, func() error {
		if status, text := health(t, f.address); status != 200 {
			return fmt.Errorf("the server is not well: %s", text)
		}
		return nil
	})
	f.secret = groupToken(mustRead(t, filepath.Join(data, "executor.token")), fleetGroup)
	token := strings.TrimSpace(mustRead(t, filepath.Join(data, "api.token")))
	c, err := client.New(client.Config{Address: "http://" + f.address, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	f.client = c
	t.Cleanup(c.Close)
	return f
}

// groupToken returns the token of a group that is made of a server's key.
func groupToken(key, group string) string {
	return credential.OfGroup(redacted.New(strings.TrimSpace(key)), group).Reveal()
}

// tongue is how an executor and the server speak with each other.
type tongue struct {
	name    string
	dialect string
	pull    bool
}

// tongues are the wire of the XXL-JOB family and the native one, with and without a
// port.
func tongues() []tongue {
	return []tongue{{name: "family", dialect: "xxl-job"}, {name: "push", dialect: "native"}, {name: "pull", dialect: "native", pull: true}}
}

// addWorker starts an executor and waits until the server knows it. via says
// through which addresses they reach each other; nil for their own.
func (f *fleet) addWorker(speaks tongue, via func(server, worker string) (serverURL, workerURL string)) {
	f.t.Helper()
	n := len(f.workers) + 1
	listen := freeAddress(f.t)
	server, address := "http://"+f.address, "http://"+listen
	if via != nil {
		server, address = via(server, address)
	}
	w := &member{name: fmt.Sprintf("executor %d (%s)", n, speaks.name), address: address, journal: filepath.Join(f.dir, fmt.Sprintf("journal-%d", n))}
	role, err := json.Marshal(workerConfig{
		Servers: append([]string{server}, f.urls...), Token: f.secret, Group: fleetGroup, Listen: listen, Address: address, Dialect: speaks.dialect, Pull: speaks.pull,
		Data: filepath.Join(f.dir, fmt.Sprintf("executor-%d", n)), Journal: w.journal,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	w.begin = func(env ...string) *process {
		return startFile(f.t, w.name, self, append(env, workerRole+"="+string(role)))
	}
	w.now = w.begin()
	f.workers = append(f.workers, w)
	eventually(f.t, func() error {
		known, err := f.client.Executors(f.t.Context())
		if err != nil {
			return err
		}
		for _, e := range known {
			pulls := strings.HasPrefix(e.Address, "pull://")
			if strings.TrimRight(e.Address, "/") == address || pulls && speaks.pull && !f.has(e.Address) {
				w.address = e.Address
				return nil
			}
		}
		return fmt.Errorf("%s is not registered", w.name)
	})
}

// has reports whether another worker than the last is known to be at the address.
func (f *fleet) has(address string) bool {
	return slices.ContainsFunc(f.workers[:len(f.workers)-1], func(w *member) bool { return w.address == address })
}

// ended reports whether the process has ended.
func (m *member) ended() bool {
	select {
	case <-m.now.done:
		return true
	default:
		return false
	}
}

// kill ends the process the way a power cut does.
func (m *member) kill() {
	m.kills++
	m.now.kill()
}

// restart starts the process again, with a plan to end by itself or none. Nobody
// waits for it to be well.
func (m *member) restart(plan string) {
	m.plan = plan
	m.now = m.begin("ORTH_FAILPOINTS=" + plan)
}

// create makes a job and takes it up among the duties.
func (f *fleet) create(j api.NewJob, d duty) (made api.Job) {
	f.t.Helper()
	if j.Group == "" {
		j.Group = fleetGroup
	}
	if j.Handler.Kind == "" {
		j.Handler = api.Handler{Kind: job.HandlerNamed, Name: noteHandler}
	}
	made, err := f.client.CreateJob(f.t.Context(), j)
	if err != nil {
		f.t.Fatalf("create job %s: %v", j.Key, err)
	}
	d.key = j.Key
	d.rerun = j.OnCrash == job.CrashRerun
	d.width = j.Concurrency
	f.duties = append(f.duties, d)
	return made
}

// settled waits until no schedule will fire any more and every run is over: as long as more runs
// come to their end, for how many that are in a minute is the machine's.
func (f *fleet) settled() {
	f.t.Helper()
	const most = 8 * time.Minute // below the limit of the test program
	ended, moved := 0, time.Now()
	within(f.t, most, func() error {
		before, err := f.over()
		if before > ended {
			ended, moved = before, time.Now()
		}
		if err != nil {
			if time.Since(moved) > patience {
				f.t.Fatalf("for %s no run has come to its end, of which %d did before: %v", patience, ended, err)
			}
			return err
		}
		jobs, err := f.client.Jobs(f.t.Context(), client.JobQuery{Limit: 1000})
		if err != nil {
			return err
		}
		for i := range jobs.Jobs {
			if j := &jobs.Jobs[i]; j.Enabled {
				return fmt.Errorf("job %s is not over: its next firing is %s", j.Key, j.NextAt)
			}
		}
		// What a run has started while the list was read is on the next one.
		after, err := f.over()
		if err == nil && before != after {
			err = fmt.Errorf("there were %d runs and are %d now", before, after)
		}
		return err
	})
}

// over returns how many runs have come to their end, and an error that names one that has not.
func (f *fleet) over() (ended int, err error) {
	runs, err := f.list()
	if err != nil {
		return 0, err
	}
	var left *api.Run
	for i := range runs {
		if runs[i].Final {
			ended++
		} else {
			left = &runs[i]
		}
	}
	if left != nil {
		err = fmt.Errorf("%d of %d runs are over; run %d of job %s is %s: %s", ended, len(runs), left.ID, left.JobKey, left.State, left.Reason)
	}
	return ended, err
}

// list returns all runs, the newest first.
func (f *fleet) list() ([]api.Run, error) {
	var runs []api.Run
	for q := (client.RunQuery{Limit: 1000}); ; {
		page, err := f.client.Runs(f.t.Context(), q)
		if err != nil {
			return nil, err
		}
		runs = append(runs, page.Runs...)
		if q.Before = page.Next; q.Before == 0 {
			return runs, nil
		}
	}
}

// evidence returns the three lists.
func (f *fleet) evidence() *trial {
	f.t.Helper()
	tr := &trial{duties: f.duties, runs: f.records()}
	for _, w := range f.workers {
		tr.kills += w.kills
		for _, text := range lines(mustRead(f.t, w.journal)) {
			e := entry{worker: w.address}
			if _, err := fmt.Sscan(text, &e.what, &e.attempt, &e.run, &e.job, &e.planned, &e.well); err != nil {
				f.t.Errorf("the journal of %s has the line %q: %v", w.name, text, err)
				continue
			}
			tr.journal = append(tr.journal, e)
		}
	}
	stats, err := f.client.Stats(f.t.Context(), client.StatsQuery{})
	if err != nil {
		f.t.Fatal(err)
	}
	tr.stats = stats.Total
	return tr
}

// records returns all runs with their attempts.
func (f *fleet) records() []record {
	f.t.Helper()
	runs, err := f.list()
	if err != nil {
		f.t.Fatal(err)
	}
	records := make([]record, len(runs))
	err = side(8, len(runs), func(i int) error {
		var err error
		records[i].run = runs[i]
		records[i].attempts, err = f.client.Attempts(f.t.Context(), runs[i].ID)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return records
}

// side calls do for each of n, so many of them beside each other.
func side(width, n int, do func(i int) error) error {
	work := make(chan int)
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	var doing sync.WaitGroup
	for range width {
		doing.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	doing.Wait()
	return context.Cause(ctx)
}

// verdict lets the judge compare, and prints what there was.
func (f *fleet) verdict() *trial {
	f.t.Helper()
	tr := f.evidence()
	states := make(map[job.State]int)
	attempts := 0
	for _, r := range tr.runs {
		states[r.run.State]++
		attempts += len(r.attempts)
	}
	killed := 0
	for _, m := range f.servers() {
		killed += m.kills
	}
	f.t.Logf("%d runs, %d attempts, %d lines of journals, %d kills of executors, %d of servers: %v",
		len(tr.runs), attempts, len(tr.journal), tr.kills, killed, states)
	faults := tr.faults()
	for i, fault := range faults {
		if i == 40 {
			f.t.Errorf("and %d more faults", len(faults)-i)
			break
		}
		f.t.Error(fault)
	}
	return tr
}

// servers are all of them.
func (f *fleet) servers() []*member { return append([]*member{f.server}, f.others...) }
