package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a store, the executors and the completer in memory, for one caller at
// a time.
type world struct {
	jobs      map[string]job.Job
	runs      map[int64]job.Run
	attempts  map[int64][]job.Attempt // by run
	executors []job.Executor
	calendars map[string]job.Calendar // by namespace/key
	pauses    map[string]job.Pause
	backfills map[int64]job.Backfill
	lastID    int64
	fail      error
	rival     func()                                        // between a read of a job and its write
	rivals    func()                                        // before a run is stopped
	late      func(jobID int64, at time.Time) (bool, error) // plans what is due
	due       bool                                          // firings are due at a write
	news      func()                                        // before a read of a run

	kill      func(ctx context.Context) error
	withdraw  func(attempt int64) bool
	logs      *desk
	asked     []string // what executors were asked
	filters   []any
	stops     map[int64]job.Stop // by run
	beside    []int64            // runs that one kill ends as well
	besideWhy string
	splits    map[int64]job.Broadcast // by run
	busy      error                   // of a broadcast that is made
	barriers  int                     // wakes of the broadcasts
	scheduled int
	filled    int     // wakes of the backfills
	over      []int64 // runs that have ended without an attempt
	ready     []time.Time
}

func newWorld() (*world, *Catalog) {
	w := &world{
		jobs: make(map[string]job.Job), runs: make(map[int64]job.Run), attempts: make(map[int64][]job.Attempt),
		calendars: make(map[string]job.Calendar), pauses: make(map[string]job.Pause), backfills: make(map[int64]job.Backfill),
		executors: []job.Executor{{GroupID: 1, Group: "g", Address: "http://1"}}, stops: make(map[int64]job.Stop),
		splits: make(map[int64]job.Broadcast), logs: &desk{},
		rival: func() {}, rivals: func() {}, late: func(int64, time.Time) (bool, error) { return false, nil }, news: func() {}, kill: func(context.Context) error { return nil }, withdraw: func(int64) bool { return false },
	}
	return w, New(Config{
		Writer: w, Reader: w, RunWriter: w, RunReader: w, Stopper: w, Calendars: w, Almanac: w, Pauses: w, Backfills: w, IDs: w, Executors: w, Outcomes: w, Leases: w,
		History: w, Broadcasts: w, Logs: w.logs, Due: w,
		Hooks: Hooks{
			Scheduled: func() { w.scheduled++ },
			Backfill:  func() { w.filled++ },
			Broadcast: func() { w.barriers++ },
			Ended:     func(run int64) { w.over = append(w.over, run) },
			Ready:     func(at time.Time) { w.ready = append(w.ready, at) },
			Withdraw:  func(attempt int64) bool { return w.withdraw(attempt) },
		},
	})
}

// good returns a job that may be created.
func good() job.Job {
	return job.Job{
		Key: "report", Group: "g", Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute},
	}
}

// create creates a job that must be taken.
func create(t *testing.T, c *Catalog, j job.Job) job.Job {
	t.Helper()
	created, err := c.CreateJob(t.Context(), j)
	if err != nil {
		t.Fatalf("CreateJob: %v", err)
	}
	return created
}

func (w *world) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	if _, taken := w.jobs[j.Key]; taken {
		return job.Job{}, job.Errorf(job.Conflict, "the key %q is taken", j.Key)
	}
	w.lastID++
	j.ID, j.GroupID, j.Version = w.lastID, 1, 1
	w.jobs[j.Key] = j
	return j, w.fail
}

func (w *world) Job(_ context.Context, namespace, key string) (job.Job, error) {
	j, ok := w.jobs[key]
	if !ok || namespace != j.Namespace {
		return job.Job{}, job.Errorf(job.NotFound, "there is no job %s", key)
	}
	w.rival()
	return j, nil
}

func (w *world) JobsByID(_ context.Context, ids []int64) (found []job.Job, err error) {
	for _, j := range w.jobs {
		if slices.Contains(ids, j.ID) {
			found = append(found, j)
		}
	}
	return found, w.fail
}

// standing returns the job of the id.
func (w *world) standing(id int64) (job.Job, bool) {
	for _, j := range w.jobs {
		if j.ID == id {
			return j, true
		}
	}
	return job.Job{}, false
}

func (w *world) PlanDue(_ context.Context, jobID int64, at time.Time) (bool, error) {
	return w.late(jobID, at)
}

func (w *world) write(j job.Job) error {
	known, ok := w.standing(j.ID)
	switch {
	case w.due:
		w.due = false
		return job.Errorf(job.Conflict, "job %s: %w", j.Key, ErrFiringsDue)
	case w.fail != nil:
		return w.fail
	case !ok:
		return job.Errorf(job.NotFound, "there is no job %s", j.Key)
	case known.Version != j.Version:
		return job.Errorf(job.Conflict, "job %s was changed", j.Key)
	}
	return nil
}

func (w *world) SaveJob(_ context.Context, j job.Job, reason string) (job.Job, error) {
	if err := w.write(j); err != nil {
		return job.Job{}, err
	}
	known, _ := w.standing(j.ID)
	if _, taken := w.jobs[j.Key]; taken && known.Key != j.Key {
		return job.Job{}, job.Errorf(job.Conflict, "the key %q is taken", j.Key)
	}
	delete(w.jobs, known.Key)
	j.Version++
	w.jobs[j.Key] = j
	for id, r := range w.runs {
		if !j.Enabled && r.JobID == j.ID && r.State == job.Planned {
			r.State, r.Reason = job.Cancelled, reason
			w.runs[id] = r
		}
	}
	return j, nil
}

func (w *world) DeleteJob(_ context.Context, j job.Job, reason string) error {
	if err := w.write(j); err != nil {
		return err
	}
	delete(w.jobs, j.Key)
	for id, r := range w.runs {
		if r.JobID == j.ID && r.State.Waiting() {
			r.State, r.Reason = job.Cancelled, reason
			w.runs[id] = r
		}
	}
	return nil
}

func (w *world) Jobs(_ context.Context, f JobFilter) ([]job.Job, error) {
	w.filters = append(w.filters, f)
	return nil, w.fail
}

func (w *world) Runs(_ context.Context, f RunFilter) ([]job.Run, error) {
	w.filters = append(w.filters, f)
	return nil, w.fail
}

func (w *world) AddRun(_ context.Context, r job.Run) error {
	w.runs[r.ID] = r
	return w.fail
}

func (w *world) AddPastRuns(_ context.Context, runs []job.Run) (added int, err error) {
	for _, r := range runs {
		known := false
		for _, have := range w.runs {
			known = known || have.JobID == r.JobID && have.Cause == r.Cause && have.CauseID == r.CauseID
		}
		if !known {
			w.runs[r.ID] = r
			added++
		}
	}
	return added, w.fail
}

func (w *world) CancelRun(_ context.Context, id int64, reason string, now time.Time) (job.Run, error) {
	r, ok := w.runs[id]
	if !ok {
		return job.Run{}, job.Errorf(job.NotFound, "there is no run %d", id)
	}
	if r.State.Waiting() {
		r.State, r.Reason, r.EndedAt = job.Cancelled, reason, now
		w.runs[id] = r
	}
	return r, w.fail
}

func (w *world) RunByID(_ context.Context, id int64) (job.Run, error) {
	w.news()
	r, ok := w.runs[id]
	if !ok {
		return job.Run{}, job.Errorf(job.NotFound, "there is no run %d", id)
	}
	r.JobKey = "report"
	return r, nil
}

func (w *world) Attempts(_ context.Context, run int64) ([]job.Attempt, error) {
	return slices.Clone(w.attempts[run]), w.fail
}

func (w *world) NextRunID(context.Context) (int64, error) {
	w.lastID++
	return w.lastID, w.fail
}

func (w *world) Executors() []job.Executor { return w.executors }

func (w *world) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	w.asked = append(w.asked, fmt.Sprintf("kill %d of %d on %s", attempt, jobID, address))
	return w.kill(ctx)
}

func (w *world) StopRun(_ context.Context, s job.Stop, reason string) (bool, error) {
	w.rivals()
	r := w.runs[s.RunID]
	if w.fail != nil || r.AttemptID != s.AttemptID || r.State != job.Dispatched && r.State != job.Running {
		return false, w.fail
	}
	r.State, r.Reason, r.Message = job.Stopping, reason, ""
	w.runs[s.RunID], w.stops[s.RunID] = r, s
	return true, nil
}

func (w *world) SaveStop(ctx context.Context, s job.Stop, note string) error {
	if w.fail != nil || ctx.Err() != nil {
		return cmp.Or(w.fail, ctx.Err())
	}
	r := w.runs[s.RunID]
	w.stops[s.RunID] = s
	if r.State == job.Stopping {
		r.Message = note
		w.runs[s.RunID] = r
	}
	return nil
}

func (w *world) NoteBeside(_ context.Context, _ job.Attempt, reason string) ([]int64, error) {
	w.besideWhy = reason
	return w.beside, w.fail
}

// Complete ends attempts; a failure of an attempt that nobody stops waits for a
// retry.
func (w *world) Complete(ctx context.Context, outcomes []job.Outcome) error {
	if w.fail != nil {
		return w.fail
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, o := range outcomes {
		for run, attempts := range w.attempts {
			for i, a := range attempts {
				if a.ID != o.AttemptID || a.State.Final() {
					continue
				}
				attempts[i].State = o.State
				r := w.runs[run]
				stopping := r.State == job.Stopping
				r.State, r.Message = o.State, o.Message
				if o.State == job.Failed && !stopping {
					r.State = job.WaitingRetry
				}
				w.runs[run] = r
			}
		}
	}
	return nil
}

// open adds a run in the state, with two attempts if it has been sent.
func (w *world) open(state job.State) int64 {
	w.lastID++
	id := w.lastID
	r := job.Run{ID: id, JobID: 3, State: state}
	if !state.Waiting() {
		r.AttemptID, r.Tries = id*10+2, 2
		w.attempts[id] = []job.Attempt{
			{ID: id*10 + 1, RunID: id, JobID: 3, Number: 1, Address: "http://old", State: job.Failed, TriggeredAt: time.Unix(100, 0)},
			{ID: id*10 + 2, RunID: id, JobID: 3, Number: 2, Address: "http://1", State: state, TriggeredAt: time.Unix(200, 0)},
		}
	}
	w.runs[id] = r
	return id
}
