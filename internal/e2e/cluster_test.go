//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// newCluster starts servers on one database.
func newCluster(t *testing.T, address string, servers int, flags ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, began: time.Now(), dir: scratch(t)}
	var keys string
	for i := range servers {
		name, listen := fmt.Sprintf("server-%d", i+1), freeAddress(t)
		data := filepath.Join(f.dir, name)
		if i == 0 {
			f.address, keys = listen, data
		} else {
			f.urls = append(f.urls, "http://"+listen)
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"secrets.key", "executor.token", "api.token"} {
				mustWrite(t, filepath.Join(data, key), mustRead(t, filepath.Join(keys, key)))
			}
		}
		args := append([]string{
			"server", "--data", data, "--listen", listen, "--server-name", name, "--log-level", "warn", "--log-store", "database", "--no-first-user",
		}, flags...)
		m := &member{name: name, address: "http://" + listen, begin: func(env ...string) *process {
			return start(t, name, append(env, "ORTH_DB="+address), args...)
		}}
		m.now = m.begin()
		m.well(t)
		if i == 0 {
			f.server = m
		} else {
			f.others = append(f.others, m)
		}
	}
	f.secret = groupToken(mustRead(t, filepath.Join(keys, "executor.token")), fleetGroup)
	f.client = f.clientOf(f.server)
	return f
}

// well waits until a server answers that it is ready.
func (m *member) well(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if m.ended() {
			t.Fatalf("%s has ended: %v\n%s", m.name, m.now.err, m.now.out)
		}
		if status, text := readiness(m.address); status != http.StatusOK {
			return fmt.Errorf("%s is not ready: %s", m.name, text)
		}
		return nil
	})
}

// readiness returns what /readyz says.
func readiness(url string) (status int, text string) {
	c := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := c.Get(url + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var body [2048]byte
	n, _ := answer.Body.Read(body[:])
	return answer.StatusCode, string(body[:n])
}

// clientOf returns a client of one of the servers.
func (f *fleet) clientOf(m *member) *client.Client {
	f.t.Helper()
	token := strings.TrimSpace(mustRead(f.t, filepath.Join(f.dir, "server-1", "api.token")))
	c, err := client.New(client.Config{Address: m.address, Token: token})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// TestClusterStorm kills three servers and three executors, one of each tongue, at random
// moments, while a hundred firings are due in each second, and lets the judge compare what
// was due, what the database has and what the handlers wrote down.
func TestClusterStorm(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE storm")
	clusterStorm(t, pg.at("storm"))
}

// TestMariaDBStorm is TestClusterStorm on MariaDB.
func TestMariaDBStorm(t *testing.T) {
	t.Parallel()
	_, _, address := newMariaDB(t)
	clusterStorm(t, address)
}

// clusterStorm is the storm on the database of an address.
func clusterStorm(t *testing.T, address string) {
	t.Helper()
	storm := crashes{last: 12 * time.Second, calm: time.Second, more: 2 * time.Second, away: time.Second}
	if *longFlag {
		storm = crashes{last: 90 * time.Second, calm: 3 * time.Second, more: 6 * time.Second, away: 3 * time.Second}
	}
	random := dice(t)
	f := newCluster(t, address, 3, "--catch-up-rate", "1000")
	for _, speaks := range tongues() {
		f.addWorker(speaks, nil)
	}
	from := f.soon()
	to := from.Add(storm.last)
	due := f.hundred(from, to)
	f.rage(storm, to, random)
	for _, m := range f.servers() {
		m.well(t)
	}
	f.settled()
	f.verdict()
	t.Logf("%d firings were due, %.0f in a second", due, float64(due)/storm.last.Seconds())
	killed := 0
	for _, m := range f.servers() {
		killed += m.kills
	}
	if killed == 0 {
		t.Error("no server was killed: that is no storm")
	}
}

// steady makes jobs that fire ten times in a second together until the end, each slot of
// which must have a run.
func (f *fleet) steady(from, to time.Time) {
	f.t.Helper()
	retries := api.Retry{Tries: 20, Initial: api.Duration(50 * time.Millisecond), Multiplier: 1, Max: api.Duration(50 * time.Millisecond)}
	for i := range 5 {
		beat := rhythm{every: 500 * time.Millisecond}
		f.due(fmt.Sprintf("steady-%d", i), &beat, from, to,
			api.NewJob{Param: "5 0", Overlap: job.OverlapConcurrent, Concurrency: 8, Retry: retries}, duty{ends: []job.State{job.Succeeded}})
	}
}

// TestRollingRestart restarts each of two servers in good order, under load: no firing is
// late.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE rolling")
	f := newCluster(t, pg.at("rolling"), 2)
	f.addWorker(tongues()[0], nil)
	f.addWorker(tongues()[1], nil)
	from := f.soon()
	to := from.Add(16 * time.Second)
	asleep := sleeps(t)
	f.steady(from, to)
	rest(t, time.Until(from.Add(2*time.Second)))
	for _, m := range f.servers() {
		if code := m.now.stop(); code != 0 {
			t.Errorf("%s stopped with exit code %d", m.name, code)
		}
		m.restart("")
		m.well(t)
		rest(t, 2*time.Second)
	}
	rest(t, time.Until(to))
	f.settled()
	slept := asleep()
	f.verdict()
	runs, err := f.list()
	if err != nil {
		t.Fatal(err)
	}
	most := 10*time.Second + slept // on a busy machine; what a claim hides that nobody gives back is 15 s late
	var worst time.Duration
	for i := range runs {
		r := &runs[i]
		worst = max(worst, r.StartedAt.Sub(r.PlannedAt.Time))
	}
	t.Logf("of %d firings the latest was %s late; the machine stood still for %s", len(runs), worst, slept)
	if worst > most {
		t.Errorf("a firing was %s late, at most %s are allowed", worst, most)
	}
}

// sleeps returns a function that tells for how long this machine has stood still since: ticks that
// come late show that.
func sleeps(t *testing.T) (asleep func() time.Duration) {
	t.Helper()
	ask, total := make(chan chan time.Duration), time.Duration(0)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-tick.C:
				now := time.Now() // the tick may have waited
				if gap := now.Sub(last); gap > 500*time.Millisecond {
					total += gap
				}
				last = now
			case answer := <-ask:
				answer <- total
			case <-t.Context().Done():
				return
			}
		}
	}()
	return func() time.Duration {
		answer := make(chan time.Duration)
		ask <- answer
		return <-answer
	}
}

// TestDrainServer drains one of two servers: the other one does all the work, also what
// the first one is asked for, and both tell of it.
func TestDrainServer(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE drain")
	f := newCluster(t, pg.at("drain"), 2)
	f.addWorker(tongues()[1], nil)
	one, two := f.client, f.clientOf(f.others[0])
	const first, second = "server-1", "server-2"
	if _, err := one.CreateJob(t.Context(), api.NewJob{
		Key: "each", Group: fleetGroup, Enabled: true, Param: "0 0", Handler: api.Handler{Kind: job.HandlerNamed, Name: noteHandler},
		Schedule: api.Schedule{Kind: schedule.KindEvery, Every: api.Duration(200 * time.Millisecond)}, Overlap: job.OverlapConcurrent, Concurrency: 8,
	}); err != nil {
		t.Fatal(err)
	}
	server := func(name string) api.Server {
		t.Helper()
		s, err := two.Server(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// What happens is followed at the other server.
	told := make(chan client.Event, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for e, err := range two.Events(ctx, client.EventQuery{Kinds: []string{"run"}, Job: "asked"}) {
			if err != nil {
				return
			}
			told <- e
		}
	}()
	if _, err := one.CreateJob(t.Context(), api.NewJob{
		Key: "asked", Group: fleetGroup, Param: "0 0", Handler: api.Handler{Kind: job.HandlerNamed, Name: noteHandler}, Schedule: api.Schedule{Kind: schedule.KindManual},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := one.DrainServer(t.Context(), first, true); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if s := server(first); s.State != api.ServerDraining || s.Leads || s.Held != 0 {
			return fmt.Errorf("the first server is %+v", s)
		}
		return nil
	})
	if _, err := one.DrainServer(t.Context(), second, true); !job.Is(err, job.Conflict) {
		t.Errorf("the last one that works: %v", err)
	}
	// What it had begun is counted by a beat or two later.
	before, there, same := server(first), server(second), 0
	eventually(t, func() error {
		switch s := server(first); {
		case s.Planned != before.Planned || s.Sent != before.Sent:
			before, same = s, 0
		case s.BeatAt != before.BeatAt:
			before, same = s, same+1
		}
		if same < 2 {
			return fmt.Errorf("the first server drains and works: %+v", before)
		}
		return nil
	})
	eventually(t, func() error {
		if s := server(second); s.Planned < there.Planned+10 || !s.Leads {
			return fmt.Errorf("the second server is %+v", s)
		}
		return nil
	})
	began := time.Now()
	r, err := one.Trigger(t.Context(), "asked", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		now, err := one.Run(t.Context(), r.ID)
		if err == nil && now.State != job.Succeeded {
			err = fmt.Errorf("the run is %s %s", now.State, now.Reason)
		}
		return err
	})
	t.Logf("what a server that drains was asked for was done by the other one in %s", time.Since(began))
	if after := server(first); after.Planned != before.Planned || after.Sent != before.Sent {
		t.Errorf("the first server drains and works: %+v, then %+v", before, after)
	}
	last := ended(t, two, told, &r)
	if r, err = two.Trigger(t.Context(), "asked", api.Trigger{}); err != nil {
		t.Fatal(err)
	}
	end := ended(t, two, told, &r)
	// The server that nobody has asked so far knows the place, and what came behind it.
	for e, err := range one.Events(ctx, client.EventQuery{Kinds: []string{"run"}, Job: "asked", After: last}) {
		if err != nil || e.Reset != "" {
			t.Fatalf("the first server does not go on behind %s: %q, %v", last, e.Reset, err)
		}
		if e.Opened {
			continue
		}
		if e.Run.ID != r.ID {
			t.Errorf("it tells of run %d, behind %s", e.Run.ID, last)
		}
		if e.Run.Final {
			if e.ID != end {
				t.Errorf("the end of the run is event %s there and %s here", end, e.ID)
			}
			break
		}
	}
	f.idles(one)
	if _, err := two.DrainServer(t.Context(), first, false); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if s := server(first); s.State != api.ServerWorking {
			return fmt.Errorf("the first server is %+v", s)
		}
		return nil
	})
	// One that stops is shown as such, one that is killed as gone.
	f.server.kill()
	eventually(t, func() error {
		if s := server(first); s.State != api.ServerGone || s.Ready {
			return fmt.Errorf("the first server is %+v", s)
		}
		return nil
	})
}

// idles asks the server that drains for a workflow and a backfill: the other one does both.
func (f *fleet) idles(drains *client.Client) {
	f.t.Helper()
	if _, err := drains.SaveWorkflow(f.t.Context(), "both", api.NewWorkflow{Nodes: []api.WorkflowNode{{Name: "a", Job: "asked"}, {Name: "b", Job: "asked", After: []api.WorkflowEdge{{Node: "a"}}}}}); err != nil {
		f.t.Fatal(err)
	}
	flow, err := drains.StartWorkflow(f.t.Context(), "both", api.WorkflowStart{})
	if err != nil {
		f.t.Fatal(err)
	}
	now := time.Now().Truncate(time.Second)
	fill, err := drains.CreateBackfill(f.t.Context(), "each", api.NewBackfill{From: api.At(now.Add(-time.Second)), To: api.At(now)}, false)
	if err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, func() error {
		w, err := drains.WorkflowRun(f.t.Context(), flow.ID)
		if err != nil || w.State != job.WorkflowSucceeded {
			return fmt.Errorf("the workflow is %s %s: %w", w.State, w.Reason, err)
		}
		b, err := drains.Backfill(f.t.Context(), fill.ID)
		if err != nil || b.State != job.BackfillFinished {
			return fmt.Errorf("the backfill is %s: %w", b.State, err)
		}
		return nil
	})
}

// ended returns the id of the event that tells of the end of a run. When events were missed, as
// one is told then, that of its run may be among them: there is another one.
func ended(t *testing.T, c *client.Client, told <-chan client.Event, run *api.Run) string {
	t.Helper()
	for {
		select {
		case e := <-told:
			if e.Reset != "" {
				t.Logf("missed some: %s", e.Reset)
				var err error
				if *run, err = c.Trigger(t.Context(), "asked", api.Trigger{}); err != nil {
					t.Fatal(err)
				}
			}
			if e.Run != nil && e.Run.ID == run.ID && e.Run.Final {
				return e.ID
			}
		case <-time.After(patience):
			t.Fatalf("nobody told that run %d is over", run.ID)
		}
	}
}

// TestMigrationKilled kills the process that applies the schema after each step, before it has
// recorded the checksums: the next one goes on.
func TestMigrationKilled(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE steps")
	pg.do("postgres", "CREATE DATABASE whole")
	env := []string{"ORTH_DB=" + pg.at("steps")}
	kills := 0
	for {
		p := start(t, "orth migrate up", append(env, "ORTH_FAILPOINTS=schema/step=kill:1"), "migrate", "up")
		p.wait()
		if p.cmd.ProcessState.ExitCode() == 0 {
			break
		}
		p.killedItself()
		if kills++; kills > 500 {
			t.Fatal("it never ends")
		}
	}
	if steps := pg.one("steps", "SELECT COUNT(*) FROM schema_steps WHERE LENGTH(checksum) = 64"); kills == 0 || steps != kills {
		t.Errorf("it was killed %d times, and %d checksums are recorded", kills, steps)
	}
	if out, stderr, code := run(t, env, "migrate", "status"); code != 0 || strings.Contains(out, "pending") || !strings.Contains(stderr, "is up to date") {
		t.Errorf("status: exit code %d\n%s%s", code, out, stderr)
	}
	if _, stderr, code := run(t, []string{"ORTH_DB=" + pg.at("whole")}, "migrate", "up"); code != 0 {
		t.Fatalf("up: exit code %d, %s", code, stderr)
	}
	const columns = `SELECT COUNT(*) + SUM(LENGTH(table_name || column_name || data_type)) FROM information_schema.columns WHERE table_schema = 'public'`
	if killed, whole := pg.one("steps", columns), pg.one("whole", columns); killed != whole {
		t.Errorf("the schema that was made in pieces is %d, the one in one go %d", killed, whole)
	}
	t.Logf("killed %d times", kills)
}
