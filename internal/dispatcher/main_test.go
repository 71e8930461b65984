package dispatcher

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Tests have one job, of group 1, with the executors that alive names.
const (
	theJob   = 3
	theGroup = 1
)

// world is everything around a dispatcher, in memory, with the rules that its
// interfaces promise.
type world struct {
	ahead    time.Duration // how far the machine's clock was ahead when attempts were marked
	mu       sync.Mutex
	runs     map[int64]*row
	attempts map[int64]*job.Attempt
	jobs     map[int64]job.Job
	alive    map[int64][]string
	features map[string][]string // by address
	loads    map[string]job.Load // by address
	outcomes []job.Outcome
	sends    []send
	asked    map[int64]time.Time // when runs without an answer are looked at
	lastRun  int64
	last     int64
	together int   // tasks of a call; 0 for one
	calls    []int // how many tasks each had
	claims   int
	marks    int
	firings  int                 // transactions with moves
	next     map[int64]time.Time // of jobs that were moved on
	settled  []bool              // what was told of moves that were offered
	reads    int                 // of jobs
	requeued int
	renewed  int
	rivals   int // how many of the next rows that are claimed another server takes

	fail     func() error // before a write: nothing happens
	failLate func() error // after a write: it has happened
	answer   func(address string, t job.Task) (time.Duration, error)
	beat     func(address string) error
	busy     func(address string, jobID int64) bool
	meet     func(m Mark) Meeting // what becomes of a mark with a limit; nil lets all through
}

// row is a run as it is stored: ReadyAt is when it may be claimed.
type row struct {
	job.Run
	due time.Time
}

// send is a task that reached an executor.
type send struct {
	address string
	run     int64
	task    job.Task
	at      time.Time
}

func newWorld() *world {
	never := func() error { return nil }
	return &world{
		next: make(map[int64]time.Time), asked: make(map[int64]time.Time), runs: make(map[int64]*row), attempts: make(map[int64]*job.Attempt),
		jobs:  map[int64]job.Job{theJob: {ID: theJob, GroupID: theGroup, Group: "g", Route: job.RouteRound, Version: 1}},
		alive: map[int64][]string{theGroup: {"http://1"}}, fail: never, failLate: never,
		answer: func(string, job.Task) (time.Duration, error) { return 0, nil },
		beat:   func(string) error { return nil },
		busy:   func(string, int64) bool { return false },
	}
}

// lock returns the lock's release, for one-line use with defer.
func (w *world) lock() func() { w.mu.Lock(); return w.mu.Unlock }

func (w *world) change(fn func()) {
	defer w.lock()()
	fn()
}

// add writes a run that is due at the instant and hidden until a while later.
func (w *world) add(due time.Time, hidden time.Duration) job.Run {
	defer w.lock()()
	w.lastRun++
	r := job.Run{
		ID: w.lastRun, JobID: theJob, JobVersion: 1, GroupID: theGroup, PlannedAt: due, CreatedAt: time.Now(),
		State: job.Planned, ReadyAt: due.Add(hidden),
	}
	w.runs[r.ID] = &row{r, due}
	return r
}

func (w *world) run(id int64) job.Run {
	defer w.lock()()
	return w.runs[id].Run
}

// count reads one of the counters.
func (w *world) count(n *int) int {
	defer w.lock()()
	return *n
}

// sent returns what reached the executors so far.
func (w *world) sent() []send {
	defer w.lock()()
	return slices.Clone(w.sends)
}

func (w *world) ClaimRuns(_ context.Context, c Claim) (Claimed, error) {
	defer w.lock()()
	w.claims++
	if err := w.fail(); err != nil {
		return Claimed{}, err
	}
	var ready []*row
	for _, r := range w.runs {
		if r.State.Waiting() && slices.Contains(c.Groups, r.GroupID) && !r.ReadyAt.After(c.Until) {
			ready = append(ready, r)
		}
	}
	slices.SortFunc(ready, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.Priority.Rank(), b.Priority.Rank()), a.ReadyAt.Compare(b.ReadyAt), cmp.Compare(a.ID, b.ID))
	})
	taken := share(ready, c)
	claimed := Claimed{Lease: c.Lease, More: len(taken) < len(ready)}
	for i, r := range taken {
		r.ReadyAt = c.Lease
		if i < w.rivals { // another server was quicker
			continue
		}
		out := r.Run
		out.ReadyAt = r.due
		claimed.Runs = append(claimed.Runs, out)
	}
	w.rivals = max(w.rivals-len(taken), 0)
	return claimed, w.failLate()
}

func (w *world) RenewClaims(_ context.Context, renewals []Renewal) ([]bool, error) {
	defer w.lock()()
	w.renewed++
	if err := w.fail(); err != nil {
		return nil, err
	}
	done := make([]bool, len(renewals))
	for i, n := range renewals {
		r := w.runs[n.Run.ID]
		if done[i] = r.State == n.Run.State && r.State.Waiting() && r.ReadyAt.Equal(n.From); done[i] {
			if r.ReadyAt = n.Until; n.Reason != "" {
				r.State, r.Reason = job.Queued, n.Reason
			}
		}
	}
	return done, w.failLate()
}

// share returns what the groups of a claim get: one row in turn.
func share(ready []*row, c Claim) []*row {
	queues := make(map[int64][]*row)
	for _, r := range ready {
		if n := len(queues[r.GroupID]); c.PerGroup == 0 || n < c.PerGroup {
			queues[r.GroupID] = append(queues[r.GroupID], r)
		}
	}
	var out []*row
	for before := -1; before < len(out); {
		before = len(out)
		for _, group := range c.Groups {
			if queue := queues[group]; len(queue) > 0 && len(out) < c.Limit {
				out, queues[group] = append(out, queue[0]), queue[1:]
			}
		}
	}
	return out
}

func (w *world) ExpireRuns(_ context.Context, runs []job.Run) ([]bool, error) {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return nil, err
	}
	done := make([]bool, len(runs))
	for i, r := range runs {
		at := w.runs[r.ID]
		if done[i] = at.State.Waiting() && at.Tries == at.Undelivered; done[i] {
			at.State, at.Reason, at.EndedAt = job.Skipped, r.Reason, r.EndedAt
		}
	}
	return done, w.failLate()
}

func (w *world) MarkDispatched(_ context.Context, marks []Mark) ([]bool, error) {
	defer w.lock()()
	w.marks++
	if err := w.fail(); err != nil {
		return nil, err
	}
	done := make([]bool, len(marks))
	for i, m := range marks {
		r := w.runs[m.Attempt.RunID]
		if r == nil || r.State != m.From || r.JobVersion != m.JobVersion || w.meet != nil && m.Limit.Runs > 0 {
			continue
		}
		done[i] = true
		marks[i].Attempt.TriggeredAt = m.Attempt.TriggeredAt.Add(w.ahead)
		w.mark(&m)
	}
	return done, w.failLate()
}

// CommitFirings moves each job on that is as the move says: its firings follow each other by
// the second.
func (w *world) CommitFirings(_ context.Context, firings []Firing) ([]Birth, error) {
	defer w.lock()()
	w.firings++
	if err := w.fail(); err != nil {
		return nil, err
	}
	births := make([]Birth, len(firings))
	for i, f := range firings {
		r := f.Move.Runs[0]
		if j, ok := w.jobs[r.JobID]; !ok || j.Version != f.Move.Version || w.next[f.Move.JobID].After(f.Move.From) {
			continue
		}
		free := f.Mark != nil && (w.meet == nil || f.Mark.Limit.Runs == 0)
		if f.IfFree && !free {
			births[i] = BirthBusy
			continue
		}
		w.next[f.Move.JobID] = f.Move.Next
		w.runs[r.ID] = &row{r, r.DueAt}
		births[i] = BirthWaits
		if free {
			births[i] = BirthSent
			w.mark(f.Mark)
		}
	}
	return births, w.failLate()
}

// offer returns a move of the job with a run that is due at the instant.
func (w *world) offer(due time.Time) planner.Offered {
	defer w.lock()()
	w.lastRun++
	r := job.Run{
		ID: w.lastRun, JobID: theJob, JobVersion: 1, GroupID: theGroup, PlannedAt: due, DueAt: due, CreatedAt: time.Now(),
		State: job.Planned, ReadyAt: due,
	}
	return planner.Offered{
		Move: &planner.Move{JobID: theJob, Version: 1, From: due, Next: due.Add(time.Second), Runs: []job.Run{r}},
		Land: due.Add(500 * time.Millisecond),
	}
}

// mark moves the run of a mark to dispatched.
func (w *world) mark(m *Mark) {
	a := m.Attempt
	w.attempts[a.ID] = &a
	r := w.runs[a.RunID]
	r.State, r.AttemptID, r.ReadyAt = job.Dispatched, a.ID, m.CheckAt
	r.Tries++
	w.split(m)
}

func (w *world) Meet(_ context.Context, marks []Mark) ([]Meeting, error) {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return nil, err
	}
	met := make([]Meeting, len(marks))
	for i, m := range marks {
		r := w.runs[m.Attempt.RunID]
		if r.State != m.From || r.JobVersion != m.JobVersion {
			continue
		}
		switch met[i] = w.meet(m); met[i].Fate {
		case FateMarked:
			w.mark(&m)
		case FateBlocked:
			r.State, r.Reason, r.ReadyAt = job.Queued, "busy", m.Limit.Again
		case FateSkipped:
			r.State = job.Skipped
		case FateLost:
		}
	}
	return met, w.failLate()
}

func (w *world) Requeue(_ context.Context, items []Requeued) error {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return err
	}
	w.requeued += len(items)
	for _, it := range items {
		r := w.runs[it.RunID]
		switch {
		case r == nil:
			continue
		case it.AttemptID == 0 && !r.State.Waiting():
			continue
		case it.AttemptID != 0 && (r.AttemptID != it.AttemptID || r.State != job.Dispatched):
			continue
		case it.TakenBack:
			delete(w.attempts, it.AttemptID)
			r.AttemptID = 0
			r.Tries--
		case it.AttemptID != 0:
			w.attempts[it.AttemptID].State = job.Failed
			r.Undelivered++
		}
		if it.Early {
			r.ReadyAt = it.ReadyAt
			continue
		}
		r.State, r.Reason, r.ReadyAt, r.due = job.Queued, it.Reason, it.ReadyAt, it.ReadyAt
	}
	return w.failLate()
}

func (w *world) CancelRun(_ context.Context, id int64, reason string, _ time.Time) (job.Run, error) {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return job.Run{}, err
	}
	r := w.runs[id]
	if r.State.Waiting() {
		r.State, r.Reason = job.Cancelled, reason
	}
	return r.Run, nil
}

func (w *world) Postpone(_ context.Context, runs []int64, at time.Time) error {
	defer w.lock()()
	for _, id := range runs {
		w.asked[id] = at
	}
	return w.fail()
}

func (w *world) MarkAccepted(_ context.Context, accepted []Accepted) error {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return err
	}
	for _, a := range accepted {
		if attempt := w.attempts[a.AttemptID]; attempt.State == job.Dispatched {
			attempt.State = job.Running
			w.runs[a.RunID].State = job.Running
		}
	}
	return w.failLate()
}

func (w *world) Complete(_ context.Context, outcomes []job.Outcome) error {
	defer w.lock()()
	if err := w.fail(); err != nil {
		return err
	}
	for _, o := range outcomes {
		if a := w.attempts[o.AttemptID]; !a.State.Final() {
			a.State = o.State
			w.runs[a.RunID].State = o.State
			w.outcomes = append(w.outcomes, o)
		}
	}
	return w.failLate()
}

func (w *world) JobsByID(_ context.Context, ids []int64) ([]job.Job, error) {
	defer w.lock()()
	w.reads++
	if err := w.fail(); err != nil {
		return nil, err
	}
	var found []job.Job
	for _, id := range ids {
		if j, ok := w.jobs[id]; ok {
			found = append(found, j)
		}
	}
	return found, nil
}

// laterAttempts is below the ids of attempts that are not the first of their runs, and above
// those of runs.
const laterAttempts = 1_000_000

func (w *world) NextAttemptID(context.Context) (int64, error) {
	defer w.lock()()
	w.last++
	return laterAttempts + w.last, w.fail()
}

func (w *world) NextRunID(context.Context) (int64, error) {
	defer w.lock()()
	w.lastRun++
	return w.lastRun, w.fail()
}

func (w *world) Alive(group int64) []string {
	defer w.lock()()
	return w.alive[group]
}

func (w *world) AliveGroups() []int64 {
	defer w.lock()()
	return slices.Sorted(maps.Keys(w.alive))
}

func (w *world) Executor(group, address string) (job.Executor, bool) {
	defer w.lock()()
	e := job.Executor{Group: group, Address: address, Features: w.features[address]}
	if load, ok := w.loads[address]; ok {
		e.Load = &load
	}
	return e, true
}

func (w *world) Together(string) int {
	defer w.lock()()
	return w.together
}

func (w *world) SendAll(_ context.Context, address string, tasks []job.Task) []error {
	answers, longest := make([]error, len(tasks)), time.Duration(0)
	w.mu.Lock()
	w.calls = append(w.calls, len(tasks))
	for i, t := range tasks {
		wait, err := w.answer(address, t)
		answers[i], longest = err, max(longest, wait)
		w.sends = append(w.sends, send{address, w.attempts[t.AttemptID].RunID, t, time.Now()})
	}
	w.mu.Unlock()
	time.Sleep(longest)
	return answers
}

func (w *world) Beat(ctx context.Context, address string) error {
	w.mu.Lock()
	err := w.beat(address)
	w.mu.Unlock()
	if err != nil { // a silent executor costs the prober's time
		select {
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
		}
	}
	return err
}

func (w *world) IdleBeat(_ context.Context, address string, jobID int64) (bool, error) {
	defer w.lock()()
	return w.busy(address, jobID), nil
}

// wire fills in everything that the test has not.
func (w *world) wire(c Config) Config {
	c.Nap = time.Sleep // the bubble's clock, not the kernel's
	c.Store, c.Acceptor, c.Jobs, c.IDs, c.Executors, c.Sender, c.Outcomes, c.Expirer, c.Overlaps = w, w, w, w, w, w, w, w, w
	c.Hooks.Settled = func(_ []*planner.Move, done []bool) { w.change(func() { w.settled = append(w.settled, done...) }) }
	c.Router = route.NewSet(route.Config{Prober: w, Random: func(int) int { return 0 }})
	return c
}

// acceptDelay is how long acceptances wait for their rows here.
const acceptDelay = 25 * time.Millisecond

// start runs a dispatcher within the bubble of a test, until stop or the test's
// end. stop waits for it.
func start(t *testing.T, c Config) (w *world, d *Dispatcher, stop func()) {
	t.Helper()
	w = newWorld()
	c.Settle = acceptDelay
	d = New(w.wire(c))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() {
		stop()
		if n := d.count.Load() - int64(d.held.Size()); n != 0 {
			t.Errorf("%d runs were counted and are nowhere", n)
		}
	})
	synctest.Wait()
	return w, d, stop
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) want(t *testing.T, id int64, state job.State, reason string) {
	t.Helper()
	if r := w.run(id); r.State != state || !strings.Contains(r.Reason, reason) {
		t.Errorf("run %d is %s (%q), want %s (%q)", id, r.State, r.Reason, state, reason)
	}
}
