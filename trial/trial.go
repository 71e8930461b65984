package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// trial is one configuration under load and faults.
type trial struct {
	config    config
	seed      uint64
	orth      string // the program under trial
	dir       string // the folder of the trial
	net       *network
	database  *database // nil for SQLite
	servers   []*server
	executors []*executor
	rest      *rest
	plan      plan
	mu        sync.Mutex // of the file of actions
}

// config is a kind of database and how many servers it has.
type config struct {
	name    string
	servers int
	window  time.Duration // in which jobs fire
}

type server struct {
	*process
	address string // host:port
	ip      string
	data    string
	base    *relay // before its database; nil for SQLite
}

type executor struct {
	*process
	ip     string
	listen string
	data   string
	pulls  bool
	small  bool     // its folder is on a small disk
	before *relay   // that servers call
	to     []*relay // before each server
}

const group = "trial"

func split(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err) // it was made here
	}
	return host, port
}

func (t *trial) process(name string, command []string) *process {
	return &process{name: name, command: func() []string { return command }, log: filepath.Join(t.dir, name+".log")}
}

// note writes down what was done.
func (t *trial) note(a action) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := appendLine(filepath.Join(t.dir, actionsFile), a); err != nil {
		panic(err) // without it there is nothing to judge
	}
}

// run makes everything, lets it run, and leaves the folder for the judge.
func (t *trial) run(stop <-chan struct{}) error {
	defer t.end()
	random := rand.New(rand.NewPCG(t.seed, 0))
	steps := []func() error{t.startDatabase, t.startServers, t.startExecutors, func() error { return t.createJobs(random) }}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	var doing sync.WaitGroup
	window := make(chan struct{})
	for lane := range 2 {
		dice := rand.New(rand.NewPCG(t.seed, uint64(lane)+1))
		doing.Go(func() { t.storm(dice, window) })
	}
	for i, load := range []func(*rand.Rand, <-chan struct{}){t.toggle, t.edit, t.trigger, t.cancel, t.look} {
		dice := rand.New(rand.NewPCG(t.seed, uint64(i)+100))
		doing.Go(func() { load(dice, window) })
	}
	err := error(nil)
	select {
	case <-time.After(time.Until(t.plan.To)):
	case <-stop:
		err = errInterrupted
	}
	close(window)
	doing.Wait()
	if err == nil {
		err = t.settle(stop)
	}
	if err != nil {
		return err
	}
	runs, err := t.rest.accounts()
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(t.dir, accountsFile), runs)
}

// end stops all processes: the executors first, so that servers take what they say.
func (t *trial) end() {
	var all []*process
	for _, e := range t.executors {
		all = append(all, e.process)
	}
	for _, s := range t.servers {
		all = append(all, s.process)
	}
	if t.database != nil {
		all = append(all, t.database.process)
	}
	for _, p := range all {
		p.kill()
	}
	for _, e := range t.executors {
		for _, r := range append(slices.Clone(e.to), e.before) {
			if r != nil {
				r.close()
			}
		}
		if e.small {
			_ = syscall.Unmount(e.data, syscall.MNT_DETACH)
		}
	}
	for _, s := range t.servers {
		if s.base != nil {
			s.base.close()
		}
	}
	t.must(t.net.leave())
}

func (t *trial) startDatabase() (err error) {
	switch t.config.name {
	case "postgres":
		t.database, err = t.newPostgres()
	case "mariadb":
		t.database, err = t.newMariaDB()
	}
	return err
}

// relay makes a relay on the host's side.
func (t *trial) relay(target string) (*relay, error) {
	listen, err := t.net.listen(t.net.host)
	if err != nil {
		return nil, err
	}
	return newRelay(listen, target)
}

func (t *trial) startServers() error {
	for i := range t.config.servers {
		name := fmt.Sprintf("server-%d", i+1)
		host, prefix, err := t.net.join(name)
		if err != nil {
			return err
		}
		s := &server{ip: host, data: filepath.Join(t.dir, name)}
		if s.address, err = t.net.listen(host); err != nil {
			return err
		}
		args := append(prefix, t.orth, "server", "--data", s.data, "--listen", s.address, "--server-name", name, "--no-first-user", "--log-level", "info",
			"--log-format", "text", "--lease-ttl", "45s", "--drain-timeout", "5s", "--catch-up-rate", "1000")
		if t.database != nil {
			args = append(args, "--log-store", "database")
		}
		s.process = t.process(name, args)
		if t.database != nil {
			if s.base, err = t.relay(t.database.listen); err != nil {
				return err
			}
			s.env = []string{"ORTH_DB=" + fmt.Sprintf(t.database.url, s.base.address())}
		}
		if err := os.Mkdir(s.data, 0o700); err != nil {
			return err
		}
		for _, key := range []string{"secrets.key", "executor.token", "api.token"} {
			if i == 0 {
				break // it makes them
			}
			text, err := os.ReadFile(filepath.Join(t.servers[0].data, key))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(s.data, key), text, 0o600); err != nil {
				return err
			}
		}
		t.servers = append(t.servers, s)
		if err := s.start(); err != nil {
			return err
		}
		if err := t.ready(s); err != nil {
			return err
		}
	}
	var urls []string
	for _, s := range t.servers {
		urls = append(urls, "http://"+s.address)
	}
	var err error
	t.rest, err = newREST(urls, filepath.Join(t.servers[0].data, "api.token"))
	return err
}

// ready waits until a server is.
func (t *trial) ready(s *server) error {
	probe := rest{}
	probe.client.Timeout = time.Second
	return within(time.Minute, func() error {
		if !probe.ready("http://" + s.address) {
			return fmt.Errorf("%s is not ready: see %s", s.name, s.log)
		}
		return nil
	})
}

// familyExecutor is the executor of startExecutors that speaks the protocol of XXL-JOB.
const familyExecutor = "executor-3"

// startExecutors starts one executor for each way to speak with servers. One has its folder
// on a small disk.
func (t *trial) startExecutors() error {
	for i, speaks := range [][]string{{"--dialect", "native"}, {"--pull"}, {"--dialect", "xxl-job"}} {
		name := fmt.Sprintf("executor-%d", i+1)
		host, prefix, err := t.net.join(name)
		if err != nil {
			return err
		}
		e := &executor{ip: host, data: filepath.Join(t.dir, name), pulls: speaks[0] == "--pull", small: i == 0 && t.net.own}
		if e.small {
			if err := smallDisk(e.data, 32); err != nil {
				return err
			}
		}
		var servers []string
		for _, s := range t.servers {
			r, err := t.relay(s.address)
			if err != nil {
				return err
			}
			e.to = append(e.to, r)
			servers = append(servers, "http://"+r.address())
		}
		if !e.pulls {
			if e.before, err = t.relay(""); err != nil {
				return err
			}
			if err := t.movesIn(e, host); err != nil {
				return err
			}
		}
		e.process = t.process(name, nil)
		e.env = []string{programVar + "=" + self(), evidenceVar + "=" + filepath.Join(t.dir, "evidence-"+name+".jsonl")}
		e.command = func() []string {
			args := append(slices.Clone(prefix), t.orth, "executor", "--group", group, "--data", e.data, "--servers", strings.Join(servers, ","),
				"--executor-token-file", filepath.Join(t.servers[0].data, "executor.token"), "--scripts", "--isolation", "group",
				"--keep-env", programVar+","+evidenceVar, "--drain-timeout", "3s", "--log-level", "info", "--log-format", "text")
			if !e.pulls {
				args = append(args, "--listen", e.listen, "--address", "http://"+e.before.address())
			}
			return append(args, speaks...)
		}
		t.executors = append(t.executors, e)
		if err := e.start(); err != nil {
			return err
		}
		if e.pulls {
			if err := within(30*time.Second, func() error { return t.notePuller(e) }); err != nil {
				return err
			}
		} else {
			t.noteAddress(e)
		}
	}
	return within(30*time.Second, t.registered)
}

func (t *trial) registered() error {
	var list struct{ Executors []struct{ Group string } }
	if _, err := t.rest.call("GET", "/executors", "", nil, &list); err != nil {
		return err
	}
	if n := len(list.Executors); n < len(t.executors) {
		return fmt.Errorf("%d of %d executors are registered", n, len(t.executors))
	}
	return nil
}

// movesIn gives an executor another port, behind its relay.
func (t *trial) movesIn(e *executor, host string) (err error) {
	if e.listen, err = t.net.listen(host); err == nil {
		e.before.move(e.listen)
	}
	return err
}

func (t *trial) noteAddress(e *executor) {
	t.note(action{What: "address", At: time.Now(), Ack: time.Now(), Target: e.name, Text: "http://" + e.before.address()})
}

func (t *trial) notePuller(e *executor) error {
	text, err := os.ReadFile(filepath.Join(e.data, "instance"))
	if err == nil {
		t.note(action{What: "address", At: time.Now(), Ack: time.Now(), Target: e.name, Text: "pull://" + group + "/" + strings.TrimSpace(string(text))})
	}
	return err
}

// open are the states of runs that are not over.
const open = "planned,queued,dispatched,running,stopping,waiting_retry"

// settle waits, after the last fault, until no run is left, but no longer than the waiting
// runs need. The judge reports what is left then.
func (t *trial) settle(stop <-chan struct{}) error {
	work, err := t.work()
	if err != nil {
		return err
	}
	for end := time.Now().Add(150*time.Second + work); time.Now().Before(end); {
		var page struct{ Runs []run }
		if err := t.rest.insist("GET", "/runs?limit=1&state="+open, "", nil, &page); err != nil {
			return err
		}
		left := len(page.Runs)
		var fills struct{ Backfills []struct{ State string } }
		if err := t.rest.insist("GET", "/backfills", "", nil, &fills); err != nil {
			return err
		}
		for _, f := range fills.Backfills {
			if f.State == "running" {
				left++
			}
		}
		if left == 0 {
			return nil
		}
		if !pause(stop, time.Second) {
			return errInterrupted
		}
	}
	return nil
}

// work returns how long the jobs whose runs go one after another need for those that wait:
// one with many has the longest, at a second more for each than its handler takes.
func (t *trial) work() (longest time.Duration, err error) {
	for i := range t.plan.Jobs {
		d := &t.plan.Jobs[i]
		if d.Overlap != "serial" {
			continue
		}
		var page struct{ Runs []run }
		if err := t.rest.insist("GET", "/runs?limit=1000&state="+open+"&job="+d.Key, "", nil, &page); err != nil {
			return 0, err
		}
		var name string
		var ms int
		if _, err := fmt.Sscan(d.Param, &name, &ms); err != nil { // as the handler reads it
			return 0, fmt.Errorf("the parameter of job %s is %q: %w", d.Key, d.Param, err)
		}
		longest = max(longest, time.Duration(len(page.Runs))*(time.Second+time.Duration(ms)*time.Millisecond))
	}
	return longest, nil
}

func key(random *rand.Rand) string { return strconv.FormatUint(random.Uint64(), 36) }
