package sim

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// setting is what a world is made from.
type setting struct {
	seed  uint64
	empty []byte // the file of a database without rows
	all   bool   // with all jobs, not a part of them
	long  bool   // with all jobs, and a long storm

	// What is broken on purpose, in the way to the database and in that to the
	// executors. Both may be nil.
	breakStore func(store.Store) store.Store
	breakWire  func(w *world, to string, r *http.Request) (more []string)
	deaf       bool // servers do not hear that executors hold attempts

	fair   bool // no storm
	native bool // no executor speaks the XXL-JOB family's wire
}

// world is one platform with everything around it. It lives in a bubble.
type world struct {
	setting
	t      *testing.T
	lasts  time.Duration // of the storm
	folder string

	store    store.Store // as it is, without faults
	broken   store.Store // what servers get
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

	mu         sync.Mutex
	badDisk    disk              // guarded by mu
	badPlatter disk              // guarded by mu: of executors' disks
	badSince   time.Time         // guarded by mu: when that began
	scratches  []spell           // guarded by mu: when it was so before
	jobs       map[int64]job.Job // guarded by mu: as they were made
	byKey      map[string]int64  // guarded by mu
}

// database is the name of the database's file.
const database = "orth.db"

// newWorld opens a copy of the database and names the hosts; nothing runs.
func newWorld(t *testing.T, s setting) *world {
	t.Helper()
	size := newDice(s.seed, "size")
	w := &world{
		setting: s, t: t, lasts: size.between(16*time.Second, 30*time.Second),
		folder: memoryFolder(t), trace: newTrace(), logger: slog.New(slog.DiscardHandler),
		diskDice: newDice(s.seed, "disk"), routeDice: newDice(s.seed, "servers"),
		jobs: make(map[int64]job.Job), byKey: make(map[string]int64),
	}
	switch {
	case s.long:
		w.all, w.lasts = true, 2*time.Minute
	case size.chance(0.04):
		w.all, w.lasts = true, time.Minute
	}
	w.judge, w.network = newJudge(w), newNetwork(w)
	w.journal = newJournal(w)
	path := filepath.Join(w.folder, database)
	if err := os.WriteFile(path, s.empty, 0o600); err != nil {
		t.Fatal(err)
	}
	w.openStore()
	for i := range 2 + size.below(2) {
		s := &server{w: w, name: fmt.Sprintf("server%d", i+1)}
		s.step(size.between(-maxSkew, maxSkew))
		w.servers = append(w.servers, s)
	}
	speech := newDice(s.seed, "speech")
	for i := range 4 + size.below(2) {
		group := alpha
		if i%2 == 1 {
			group = beta
		}
		w.machines = append(w.machines, &machine{
			w: w, name: fmt.Sprintf("executor%d", i+1), number: i + 1, tongue: w.tongue(speech), group: group,
			folder: w.folder, logs: newLogs(), disk: w.medium(i + 1), dice: newDice(s.seed, fmt.Sprintf("disk of executor%d", i+1)),
		})
	}
	return w
}

// openStore opens the database; runStore works on it until stopStore.
func (w *world) openStore() {
	path := filepath.Join(w.folder, database)
	db, err := sqlite.Open(path, sqlite.Config{Readers: 1, Hooks: sqlstore.Hooks{Released: w.released}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store, w.broken = db, db
	if w.breakStore != nil {
		w.broken = w.breakStore(db)
	}
}

func (w *world) runStore() {
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
}

// released tells the dispatchers that runs have been let go.
func (w *world) released() {
	for _, s := range w.servers {
		if l := s.current(); l != nil {
			l.dispatch.WakeAt(time.Now())
		}
	}
}

// host returns the place with the name.
func (w *world) host(name string) place {
	name, moves := hostOf(name)
	for _, s := range w.servers {
		if s.name == name {
			return place{s}
		}
	}
	for _, m := range w.machines {
		if m.name == name && m.moved() == moves {
			return place{m}
		}
		if m.name == name {
			return place{nobody{}}
		}
	}
	panic("no host has the name " + name)
}

// serverAddresses returns the URLs of the servers, in an order that the dice choose.
func (w *world) serverAddresses() []string {
	var all []string
	for i, first := 0, w.routeDice.below(len(w.servers)); i < len(w.servers); i++ {
		all = append(all, "http://"+w.servers[(first+i)%len(w.servers)].name)
	}
	return all
}

func (w *world) disk() disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.badDisk
}

// platter is how bad the disks of executors are.
func (w *world) platter() disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.badPlatter
}

func (w *world) setPlatter(bad disk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.badPlatter != bad && w.badPlatter != (disk{}) {
		w.scratches = append(w.scratches, spell{w.badSince, now})
	}
	w.badPlatter, w.badSince = bad, now
}

// scratched reports whether the disks of executors were bad at any time between two instants,
// or so shortly before that what they refused was not tried again yet.
func (w *world) scratched(from, to time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.badPlatter != (disk{}) && w.badSince.Before(to) {
		return true
	}
	return slices.ContainsFunc(w.scratches, func(s spell) bool { return s.meets(from.Add(-6*time.Second), to) })
}

// medium returns what the queue of an executor is kept on: files for some.
func (w *world) medium(number int) medium {
	d := newDice(w.seed, fmt.Sprintf("medium of executor%d", number))
	if d.chance(filesShare) {
		return &files{folder: filepath.Join(w.folder, fmt.Sprintf("queue%d", number))}
	}
	return &memory{disk: mem.New()}
}

// tongue chooses how an executor and the servers speak with each other.
func (w *world) tongue(d *dice) tongue {
	if w.native {
		return push + tongue(d.below(int(tongues-push)))
	}
	return tongue(d.below(int(tongues)))
}

// filesShare is how many executors have their queue in files.
const filesShare = 0.3

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
	w.runStore()
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
		if isSwitched(made.Key) {
			w.judge.switched(made.Key)
		}
	}
	w.makeWorkflows(w.t.Context())
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

// settleFor is how long everything has to come to its end when the storm is over,
// stopFor how much longer when an executor that could not be reached is still to be
// told to end a run: it is called ever less often, at last once in a minute. lineFor
// is how much longer at most when runs still wait for one another, while one of their
// job ends within each stepFor: what the first one did may have been told late. maxSkew
// is how wrong a server's clock is.
const (
	settleFor = 60 * time.Second
	stopFor   = 150 * time.Second
	lineFor   = 150 * time.Second
	stepFor   = 10 * time.Second
	maxSkew   = 7 * time.Second
)

// run lets the storm pass, and then waits until everything is over.
func (w *world) run() {
	began, lasts := time.Now(), w.lasts
	var blows []blow
	if !w.fair {
		w.network.set(stormWeather)
		w.setDisk(stormDisk)
		blows = storm(w, lasts)
	}
	for _, b := range blows {
		w.background.Go(func() {
			time.Sleep(b.at)
			w.trace.note("FAULT %s for %s", b.what, b.lasts)
			calm := w.disturb(b.hosts)
			heal := b.strike(time.Now().Add(b.lasts))
			time.Sleep(b.lasts)
			w.trace.note("HEAL %s", b.what)
			heal()
			calm()
		})
	}
	people := &users{w: w, dice: newDice(w.seed, "users"), halted: make(map[string]bool)}
	w.background.Go(func() { people.use(began.Add(lasts)) })
	for _, key := range []string{toggled, rescheduled} {
		if _, made := w.byKey[key]; made {
			w.background.Go(func() { w.toggle(key, began.Add(lasts)) })
		}
	}
	for time.Since(began) < lasts {
		time.Sleep(10 * time.Second)
		w.judge.look()
	}
	w.network.set(weather{})
	w.setDisk(disk{})
	w.setPlatter(disk{})
	w.trace.note("the storm is over")
	const look = 5 * time.Second
	limit, last := settleFor, settleFor+lineFor
	for waited := time.Duration(0); waited < limit && !w.judge.settled(); {
		time.Sleep(look)
		waited += look
		if waited == settleFor/2+look && w.judge.stopping() {
			limit, last = limit+stopFor, last+stopFor
		}
		if waited == limit && limit < last && w.judge.advancing(time.Now().Add(-stepFor)) {
			limit += look
		}
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
