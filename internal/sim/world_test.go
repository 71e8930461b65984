package sim

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// world is one platform with everything around it. It lives in a bubble.
type world struct {
	t      *testing.T
	seed   uint64
	folder string

	store    store.Store // as it is, without faults
	network  *network
	servers  []*server
	machines []*machine
	trace    *trace
	journal  *journal
	judge    *judge
	logger   *slog.Logger

	diskDice, routeDice *dice
	background          sync.WaitGroup // all goroutines but the store's
	stopStore           func()

	mu      sync.Mutex
	badDisk disk              // guarded by mu
	jobs    map[int64]job.Job // guarded by mu: as they were made
	byKey   map[string]int64  // guarded by mu
}

// database is the name of the database's file.
const database = "orth.db"

// newWorld opens a copy of the database and names the hosts; nothing runs.
func newWorld(t *testing.T, seed uint64, empty []byte) *world {
	t.Helper()
	w := &world{
		t: t, seed: seed, folder: memoryFolder(t), trace: newTrace(), logger: slog.New(slog.DiscardHandler),
		diskDice: newDice(seed, "disk"), routeDice: newDice(seed, "servers"),
		jobs: make(map[int64]job.Job), byKey: make(map[string]int64),
	}
	w.judge, w.network = newJudge(w), newNetwork(w)
	w.journal = newJournal(w)
	path := filepath.Join(w.folder, database)
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Config{Readers: 4})
	if err != nil {
		t.Fatal(err)
	}
	w.store = db
	for i := range 3 {
		w.servers = append(w.servers, &server{w: w, name: fmt.Sprintf("server%d", i+1)})
	}
	for i := range 5 {
		group := alpha
		if i >= 3 {
			group = beta
		}
		w.machines = append(w.machines, &machine{
			w: w, name: fmt.Sprintf("executor%d", i+1), group: group, folder: w.folder, logs: newLogs(), disk: mem.New(),
		})
	}
	return w
}

// machine returns the one at the address.
func (w *world) machine(address string) *machine {
	for _, m := range w.machines {
		if m.address() == address {
			return m
		}
	}
	panic("no machine has the address " + address)
}

func (w *world) disk() disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.badDisk
}

func (w *world) setDisk(bad disk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.badDisk = bad
}

func (w *world) serialJob(id int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.jobs[id].Overlap == job.OverlapSerial
}

// start runs everything and makes the jobs, in fair weather.
func (w *world) start(drafts []draft) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.store.Run(ctx) }()
	w.stopStore = func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("the store ended: %v", err)
		}
		if err := w.store.Close(); err != nil {
			w.t.Errorf("close the store: %v", err)
		}
	}
	for _, s := range w.servers {
		s.start()
	}
	for _, m := range w.machines {
		m.start()
	}
	for _, d := range drafts {
		for _, c := range d.children {
			d.Children = append(d.Children, job.Child{JobID: w.byKey[c.key], On: c.on})
		}
		made, err := w.servers[0].current().catalog.CreateJob(w.t.Context(), d.Job)
		if err != nil {
			w.t.Fatalf("create job %s: %v", d.Key, err)
		}
		w.mu.Lock()
		w.jobs[made.ID], w.byKey[made.Key] = made, made.ID
		w.mu.Unlock()
	}
}

// stop kills everybody and waits until nothing is left.
func (w *world) stop() {
	for _, s := range w.servers {
		s.kill()
	}
	for _, m := range w.machines {
		m.kill()
	}
	w.background.Wait()
	w.stopStore()
}

// weatherLasts is how long the storm lasts, and settleFor how long everything has
// to come to its end afterwards.
const (
	weatherLasts = 60 * time.Second
	settleFor    = 60 * time.Second
)

// run lets the storm pass, and then waits until everything is over.
func (w *world) run(lasts time.Duration) {
	began := time.Now()
	w.network.set(stormWeather)
	w.setDisk(stormDisk)
	for _, b := range storm(w, lasts) {
		w.background.Go(func() {
			time.Sleep(b.at)
			w.trace.note("FAULT %s for %s", b.what, b.lasts)
			heal := b.strike()
			time.Sleep(b.lasts)
			w.trace.note("HEAL %s", b.what)
			heal()
		})
	}
	people := &users{w: w, dice: newDice(w.seed, "users")}
	w.background.Go(func() { people.use(began.Add(lasts)) })
	for time.Since(began) < lasts {
		time.Sleep(10 * time.Second)
		w.judge.look()
	}
	w.network.set(weather{})
	w.setDisk(disk{})
	w.trace.note("the storm is over")
	for waited := time.Duration(0); waited < settleFor && !w.judge.settled(); waited += 5 * time.Second {
		time.Sleep(5 * time.Second)
	}
	w.judge.look()
}

// memoryFolder returns a new folder, in memory where the system has such a place:
// the simulation is about order, not about disks.
func memoryFolder(t *testing.T) string {
	t.Helper()
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp(memory, "orth-sim-") //nolint:usetesting // Its folders are on the disk.
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Errorf("remove the folder: %v", err)
		}
	})
	return folder
}

// emptyDatabase returns the file of a database that has its tables and nothing
// else: to copy it is quicker than to migrate each time.
func emptyDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(memoryFolder(t), database)
	db, err := sqlite.Open(path, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
