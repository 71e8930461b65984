// Package jobstest has the store, the executors and the completer in memory, for tests of
// the commands and the queries about jobs.
package jobstest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// World is a store, the executors and the completer in memory, for one caller at
// a time.
type World struct {
	JobsByKey      map[string]job.Job
	RunsByID       map[int64]job.Run
	AttemptsByRun  map[int64][]job.Attempt // by run
	Alive          []job.Executor
	CalendarsByKey map[string]job.Calendar // by namespace/key
	PausesByKey    map[string]job.Pause
	BackfillsByID  map[int64]job.Backfill
	LastID         int64
	Fail           error
	Rival          func()                                        // between a read of a job and its write
	Rivals         func()                                        // before a run is stopped
	Late           func(jobID int64, at time.Time) (bool, error) // plans what is due
	DueNow         bool                                          // firings are due at a write
	News           func()                                        // before a read of a run

	Kill      func(ctx context.Context) error
	Withdraw  func(attempt int64) bool
	Logs      *desk
	Asked     []string // what executors were asked
	Filters   []any
	Stops     map[int64]job.Stop // by run
	Beside    []int64            // runs that one kill ends as well
	BesideWhy string
	Splits    map[int64]job.Broadcast // by run
	Busy      error                   // of a broadcast that is made
	Barriers  int                     // wakes of the broadcasts
	Scheduled int
	Filled    int     // wakes of the backfills
	Over      []int64 // runs that have ended without an attempt
	Ready     []time.Time
}

// New returns an empty world with one executor, at http://1.
func New() *World {
	return &World{
		JobsByKey: make(map[string]job.Job), RunsByID: make(map[int64]job.Run), AttemptsByRun: make(map[int64][]job.Attempt),
		CalendarsByKey: make(map[string]job.Calendar), PausesByKey: make(map[string]job.Pause), BackfillsByID: make(map[int64]job.Backfill),
		Alive: []job.Executor{{GroupID: 1, Group: "g", Address: "http://1"}}, Stops: make(map[int64]job.Stop),
		Splits: make(map[int64]job.Broadcast), Logs: &desk{},
		Rival: func() {}, Rivals: func() {}, Late: func(int64, time.Time) (bool, error) { return false, nil }, News: func() {}, Kill: func(context.Context) error { return nil }, Withdraw: func(int64) bool { return false },
	}
}

// GoodJob returns a job that may be created.
func GoodJob() job.Job {
	return job.Job{
		Key: "report", Group: "g", Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute},
	}
}

// Midnight is the beginning of a day that has passed.
var Midnight = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Day returns a date that must exist.
func Day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// WantField wants an Invalid error about a field.
func WantField(t *testing.T, err error, field string) {
	t.Helper()
	got, is := errors.AsType[*job.Error](err)
	if !is || got.Kind != job.Invalid || got.Field != field || got.Message == "" {
		t.Errorf("got %v, want an error about %s", err, field)
	}
}

// CreateJob implements jobs.JobWriter.
func (w *World) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	if _, taken := w.JobsByKey[j.Key]; taken {
		return job.Job{}, job.Errorf(job.Conflict, "the key %q is taken", j.Key)
	}
	w.LastID++
	j.ID, j.GroupID, j.Version = w.LastID, 1, 1
	w.JobsByKey[j.Key] = j
	return j, w.Fail
}

// Job implements jobrows.JobReader.
func (w *World) Job(_ context.Context, namespace, key string) (job.Job, error) {
	j, ok := w.JobsByKey[key]
	if !ok || namespace != j.Namespace {
		return job.Job{}, job.Errorf(job.NotFound, "there is no job %s", key)
	}
	w.Rival()
	return j, nil
}

// JobsByID implements jobrows.JobReader.
func (w *World) JobsByID(_ context.Context, ids []int64) (found []job.Job, err error) {
	for _, j := range w.JobsByKey {
		if slices.Contains(ids, j.ID) {
			found = append(found, j)
		}
	}
	return found, w.Fail
}

// standing returns the job of the id.
func (w *World) standing(id int64) (job.Job, bool) {
	for _, j := range w.JobsByKey {
		if j.ID == id {
			return j, true
		}
	}
	return job.Job{}, false
}

// PlanDue implements jobs.DuePlanner.
func (w *World) PlanDue(_ context.Context, jobID int64, at time.Time) (bool, error) {
	return w.Late(jobID, at)
}

func (w *World) write(j job.Job) error {
	known, ok := w.standing(j.ID)
	switch {
	case w.DueNow:
		w.DueNow = false
		return job.Errorf(job.Conflict, "job %s: %w", j.Key, jobrows.ErrFiringsDue)
	case w.Fail != nil:
		return w.Fail
	case !ok:
		return job.Errorf(job.NotFound, "there is no job %s", j.Key)
	case known.Version != j.Version:
		return job.Errorf(job.Conflict, "job %s was changed", j.Key)
	}
	return nil
}

// SaveJob implements jobs.JobWriter.
func (w *World) SaveJob(_ context.Context, j job.Job, reason string) (job.Job, error) {
	if err := w.write(j); err != nil {
		return job.Job{}, err
	}
	known, _ := w.standing(j.ID)
	if _, taken := w.JobsByKey[j.Key]; taken && known.Key != j.Key {
		return job.Job{}, job.Errorf(job.Conflict, "the key %q is taken", j.Key)
	}
	delete(w.JobsByKey, known.Key)
	j.Version++
	w.JobsByKey[j.Key] = j
	for id, r := range w.RunsByID {
		if !j.Enabled && r.JobID == j.ID && r.State == job.Planned {
			r.State, r.Reason = job.Cancelled, reason
			w.RunsByID[id] = r
		}
	}
	return j, nil
}

// DeleteJob implements jobs.JobWriter.
func (w *World) DeleteJob(_ context.Context, j job.Job, reason string) error {
	if err := w.write(j); err != nil {
		return err
	}
	delete(w.JobsByKey, j.Key)
	for id, r := range w.RunsByID {
		if r.JobID == j.ID && r.State.Waiting() {
			r.State, r.Reason = job.Cancelled, reason
			w.RunsByID[id] = r
		}
	}
	return nil
}

// Jobs implements jobrows.JobReader.
func (w *World) Jobs(_ context.Context, f jobrows.JobFilter) ([]job.Job, error) {
	w.Filters = append(w.Filters, f)
	return nil, w.Fail
}

// Runs implements jobrows.RunReader.
func (w *World) Runs(_ context.Context, f jobrows.RunFilter) ([]job.Run, error) {
	w.Filters = append(w.Filters, f)
	return nil, w.Fail
}

// AddRun implements jobs.RunWriter.
func (w *World) AddRun(_ context.Context, r job.Run) error {
	w.RunsByID[r.ID] = r
	return w.Fail
}

// AddPastRuns implements jobs.RunWriter.
func (w *World) AddPastRuns(_ context.Context, runs []job.Run) (added int, err error) {
	for _, r := range runs {
		known := false
		for _, have := range w.RunsByID {
			known = known || have.JobID == r.JobID && have.Cause == r.Cause && have.CauseID == r.CauseID
		}
		if !known {
			w.RunsByID[r.ID] = r
			added++
		}
	}
	return added, w.Fail
}

// CancelRun implements jobs.RunWriter.
func (w *World) CancelRun(_ context.Context, id int64, reason string, now time.Time) (job.Run, error) {
	r, ok := w.RunsByID[id]
	if !ok {
		return job.Run{}, job.Errorf(job.NotFound, "there is no run %d", id)
	}
	if r.State.Waiting() {
		r.State, r.Reason, r.EndedAt = job.Cancelled, reason, now
		w.RunsByID[id] = r
	}
	return r, w.Fail
}

// RunByID implements jobrows.RunReader.
func (w *World) RunByID(_ context.Context, id int64) (job.Run, error) {
	w.News()
	r, ok := w.RunsByID[id]
	if !ok {
		return job.Run{}, job.Errorf(job.NotFound, "there is no run %d", id)
	}
	r.JobKey = "report"
	return r, nil
}

// Attempts implements jobrows.RunReader.
func (w *World) Attempts(_ context.Context, run int64) ([]job.Attempt, error) {
	return slices.Clone(w.AttemptsByRun[run]), w.Fail
}

// NextRunID implements jobrows.IDs.
func (w *World) NextRunID(context.Context) (int64, error) {
	w.LastID++
	return w.LastID, w.Fail
}

// Executors implements jobrows.Leases.
func (w *World) Executors() []job.Executor { return w.Alive }

// KillAttempt implements jobs.Executors.
func (w *World) KillAttempt(ctx context.Context, address string, jobID, attempt int64) error {
	w.Asked = append(w.Asked, fmt.Sprintf("kill %d of %d on %s", attempt, jobID, address))
	return w.Kill(ctx)
}

// StopRun implements jobs.Stopper.
func (w *World) StopRun(_ context.Context, s job.Stop, reason string) (bool, error) {
	w.Rivals()
	r := w.RunsByID[s.RunID]
	if w.Fail != nil || r.AttemptID != s.AttemptID || r.State != job.Dispatched && r.State != job.Running {
		return false, w.Fail
	}
	r.State, r.Reason, r.Message = job.Stopping, reason, ""
	w.RunsByID[s.RunID], w.Stops[s.RunID] = r, s
	return true, nil
}

// SaveStop implements jobs.Stopper.
func (w *World) SaveStop(ctx context.Context, s job.Stop, note string) error {
	if w.Fail != nil || ctx.Err() != nil {
		return cmp.Or(w.Fail, ctx.Err())
	}
	r := w.RunsByID[s.RunID]
	w.Stops[s.RunID] = s
	if r.State == job.Stopping {
		r.Message = note
		w.RunsByID[s.RunID] = r
	}
	return nil
}

// NoteBeside implements jobs.Stopper.
func (w *World) NoteBeside(_ context.Context, _ job.Attempt, reason string) ([]int64, error) {
	w.BesideWhy = reason
	return w.Beside, w.Fail
}

// Complete ends attempts; a failure of an attempt that nobody stops waits for a
// retry.
func (w *World) Complete(ctx context.Context, outcomes []job.Outcome) error {
	if w.Fail != nil {
		return w.Fail
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, o := range outcomes {
		for run, attempts := range w.AttemptsByRun {
			for i, a := range attempts {
				if a.ID != o.AttemptID || a.State.Final() {
					continue
				}
				attempts[i].State = o.State
				r := w.RunsByID[run]
				stopping := r.State == job.Stopping
				r.State, r.Message = o.State, o.Message
				if o.State == job.Failed && !stopping {
					r.State = job.WaitingRetry
				}
				w.RunsByID[run] = r
			}
		}
	}
	return nil
}

// Open adds a run in the state, with two attempts if it has been sent.
func (w *World) Open(state job.State) int64 {
	w.LastID++
	id := w.LastID
	r := job.Run{ID: id, JobID: 3, State: state}
	if !state.Waiting() {
		r.AttemptID, r.Tries = id*10+2, 2
		w.AttemptsByRun[id] = []job.Attempt{
			{ID: id*10 + 1, RunID: id, JobID: 3, Number: 1, Address: "http://old", State: job.Failed, TriggeredAt: time.Unix(100, 0)},
			{ID: id*10 + 2, RunID: id, JobID: 3, Number: 2, Address: "http://1", State: state, TriggeredAt: time.Unix(200, 0)},
		}
	}
	w.RunsByID[id] = r
	return id
}

// Broadcast implements jobs.BroadcastReader.
func (w *World) Broadcast(_ context.Context, run int64) (job.Broadcast, error) {
	b, ok := w.Splits[run]
	if !ok {
		return b, job.Errorf(job.NotFound, "run %d was not split into shards", run)
	}
	return b, nil
}

// CancelBroadcast implements jobs.BroadcastWriter.
func (w *World) CancelBroadcast(_ context.Context, run int64, reason string, _ time.Time) (job.Broadcast, error) {
	b := w.Splits[run]
	b.Cancel = reason
	w.Splits[run] = b
	return b, w.Fail
}

// AddBroadcast implements jobs.BroadcastWriter.
func (w *World) AddBroadcast(_ context.Context, r job.Run, shards []job.Run, deadline time.Duration) error {
	for _, other := range w.RunsByID {
		if other.JobID == r.JobID && other.Cause == r.Cause && other.CauseID == r.CauseID {
			return job.Errorf(job.Conflict, "it exists already")
		}
	}
	if w.Busy != nil {
		return w.Busy
	}
	r.State = job.Running
	w.RunsByID[r.ID] = r
	for _, s := range shards {
		w.RunsByID[s.ID] = s
	}
	w.Filters = append(w.Filters, deadline)
	return w.Fail
}

// Shards implements jobs.BroadcastReader.
func (w *World) Shards(_ context.Context, run int64) ([]job.ShardRun, error) {
	var found []job.ShardRun
	for _, r := range w.RunsByID {
		if r.Cause == job.CauseShard && r.CauseID == run {
			found = append(found, job.ShardRun{Run: r})
		}
	}
	slices.SortFunc(found, func(a, b job.ShardRun) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
	return found, w.Fail
}

// Split adds a run of the job that was split into shards, in these states.
func (w *World) Split(j job.Job, state job.State, shards ...job.State) job.Run {
	r := job.Run{ID: 100, JobID: j.ID, JobKey: j.Key, State: state, AttemptID: 900, PlannedAt: time.UnixMilli(5), Tries: 1, Param: new("p")}
	w.RunsByID[r.ID] = r
	w.AttemptsByRun[r.ID] = []job.Attempt{{ID: 900, RunID: 100, JobID: j.ID, Number: 1, State: state}}
	b := job.Broadcast{RunID: r.ID, Total: len(shards), Shards: len(shards)}
	for i, s := range shards {
		id := int64(101 + i)
		w.RunsByID[id] = job.Run{ID: id, JobID: j.ID, Cause: job.CauseShard, CauseID: r.ID, State: s, Shard: job.Shard{Index: i, Total: len(shards)}, Home: "http://home"}
		switch {
		case !s.Final():
			b.Open++
		case s != job.Succeeded:
			b.Failed++
		}
	}
	w.Splits[r.ID] = b
	w.LastID = 200
	return r
}

// RunsOfSlot finds the runs of a world.
func (w *World) RunsOfSlot(_ context.Context, jobID int64, at time.Time, limit int) ([]job.Run, error) {
	var found []job.Run
	for _, r := range w.RunsByID {
		if r.JobID == jobID && r.PlannedAt.Equal(at) && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, w.Fail
}

// FiringBefore finds a run of a world.
func (w *World) FiringBefore(_ context.Context, jobID int64, at time.Time) (latest job.Run, known bool, err error) {
	for _, r := range w.RunsByID {
		if r.JobID == jobID && r.PlannedAt.Before(at) && r.PlannedAt.After(latest.PlannedAt) {
			latest, known = r, true
		}
	}
	return latest, known, w.Fail
}

// RunsAhead counts the waiting runs of a world that have a higher priority.
func (w *World) RunsAhead(_ context.Context, run *job.Run, _ time.Time, limit int) (ahead explain.Ahead, err error) {
	for _, r := range w.RunsByID {
		if r.State.Waiting() && r.Priority.Rank() < run.Priority.Rank() && ahead.Higher < limit {
			ahead.Higher++
		}
	}
	return ahead, w.Fail
}

// OpenIn is open, for a run of a group.
func (w *World) OpenIn(group int64, state job.State) int64 {
	id := w.Open(state)
	r := w.RunsByID[id]
	r.GroupID = group
	w.RunsByID[id] = r
	return id
}

// Calendar implements jobrows.CalendarReader.
func (w *World) Calendar(_ context.Context, namespace, key string) (job.Calendar, error) {
	if w.Fail != nil {
		return job.Calendar{}, w.Fail
	}
	c, ok := w.CalendarsByKey[namespace+"/"+key]
	if !ok {
		return job.Calendar{}, job.Errorf(job.NotFound, "there is no calendar %s", key)
	}
	w.Rival()
	return c, nil
}

// Calendars implements jobrows.CalendarReader.
func (w *World) Calendars(_ context.Context, namespace string) ([]job.Calendar, error) {
	var found []job.Calendar
	for key, c := range w.CalendarsByKey {
		if strings.HasPrefix(key, namespace+"/") {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b job.Calendar) int { return cmp.Compare(a.Key, b.Key) })
	return found, w.Fail
}

// SaveCalendar implements jobs.CalendarWriter.
func (w *World) SaveCalendar(_ context.Context, c job.Calendar) (job.Calendar, error) {
	known, there := w.CalendarsByKey[c.Namespace+"/"+c.Key]
	if w.Fail != nil {
		return job.Calendar{}, w.Fail
	}
	if there != (c.Version > 0) || c.Version != known.Version {
		return job.Calendar{}, job.Errorf(job.Conflict, "the calendar %s has version %d", c.Key, known.Version)
	}
	if c.ID == 0 {
		w.LastID++
		c.ID = w.LastID
	}
	c.Version++
	w.CalendarsByKey[c.Namespace+"/"+c.Key] = c
	return c, nil
}

// DeleteCalendar implements jobs.CalendarWriter.
func (w *World) DeleteCalendar(_ context.Context, namespace, key string) error {
	if _, ok := w.CalendarsByKey[namespace+"/"+key]; !ok {
		return job.Errorf(job.NotFound, "there is no calendar %s", key)
	}
	delete(w.CalendarsByKey, namespace+"/"+key)
	return w.Fail
}

// SavePause implements jobs.PauseWriter.
func (w *World) SavePause(_ context.Context, p job.Pause) (job.Pause, error) {
	w.LastID++
	p.ID = w.LastID
	w.PausesByKey[p.Key] = p
	return p, w.Fail
}

// DeletePause implements jobs.PauseWriter.
func (w *World) DeletePause(_ context.Context, key string, _ time.Time) error {
	if _, ok := w.PausesByKey[key]; !ok {
		return job.Errorf(job.NotFound, "there is no pause %s", key)
	}
	delete(w.PausesByKey, key)
	return w.Fail
}

// Pauses implements jobrows.PauseReader.
func (w *World) Pauses(context.Context) ([]job.Pause, error) {
	var found []job.Pause
	for _, key := range slices.Sorted(maps.Keys(w.PausesByKey)) {
		found = append(found, w.PausesByKey[key])
	}
	return found, w.Fail
}

// AddBackfill implements jobs.BackfillWriter.
func (w *World) AddBackfill(_ context.Context, b job.Backfill) (job.Backfill, error) {
	w.LastID++
	b.ID = w.LastID
	w.BackfillsByID[b.ID] = b
	return b, w.Fail
}

// CancelBackfill implements jobs.BackfillWriter.
func (w *World) CancelBackfill(_ context.Context, id int64, reason string, now time.Time) (job.Backfill, error) {
	b, err := w.Backfill(context.Background(), id)
	if err == nil && b.State == job.BackfillRunning {
		b.State, b.Reason, b.EndedAt = job.BackfillCancelled, reason, now
		w.BackfillsByID[id] = b
	}
	return b, err
}

// Backfill implements jobs.BackfillReader.
func (w *World) Backfill(_ context.Context, id int64) (job.Backfill, error) {
	b, ok := w.BackfillsByID[id]
	if !ok {
		return b, job.Errorf(job.NotFound, "there is no backfill %d", id)
	}
	return b, w.Fail
}

// Backfills implements jobs.BackfillReader.
func (w *World) Backfills(_ context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error) {
	w.Filters = append(w.Filters, [3]int64{q.JobID, q.BeforeID, int64(q.Limit)})
	return nil, w.Fail
}

// Succeeded implements jobs.BackfillReader.
func (w *World) Succeeded(context.Context, int64, []time.Time) ([]time.Time, error) {
	return nil, w.Fail
}

// desk is where logs are read, with one page.
type desk struct {
	Answer job.LogPage
	Err    error
	Asked  []string
	Wants  []int64             // attempts that SearchJob offers: each is of the run a tenth of it
	Until  func(a job.Attempt) // Follow returns when it does
}

func (d *desk) note(format string, args ...any) error {
	d.Asked = append(d.Asked, fmt.Sprintf(format, args...))
	return d.Err
}

func (d *desk) Page(_ context.Context, a job.Attempt, group int64, from, limit int) (job.LogPage, error) {
	return d.Answer, d.note("page of %d in %d from %d limit %d", a.ID, group, from, limit)
}

func (d *desk) Tail(_ context.Context, a job.Attempt, n int) (int, error) {
	return 40, d.note("tail %d of %d", n, a.ID)
}

func (d *desk) At(_ context.Context, a job.Attempt, at time.Time) (int, error) {
	return 50, d.note("%s in %d", at.Format(time.TimeOnly), a.ID)
}

func (d *desk) Follow(
	ctx context.Context, a job.Attempt, group int64, from int, over func(context.Context) (bool, error), take func(job.LogPage) error,
) error {
	if err := d.note("follow %d in %d from %d", a.ID, group, from); err != nil {
		return err
	}
	if err := take(job.LogPage{From: from, To: from, Text: "a line\n"}); err != nil {
		return err
	}
	for ended := false; !ended; {
		var err error
		if ended, err = over(ctx); err != nil {
			return err
		}
		if d.Until != nil {
			d.Until(a)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (d *desk) Search(_ context.Context, a job.Attempt, q job.LogSearch) (job.LogHits, error) {
	return job.LogHits{Next: 7}, d.note("search %d for %s", a.ID, q.Text)
}

func (d *desk) SearchJob(
	ctx context.Context, q job.JobLogSearch, pick func(context.Context, int64, int64) (job.Attempt, bool, error),
) (job.LogHits, error) {
	found := job.LogHits{}
	for _, id := range d.Wants {
		a, wanted, err := pick(ctx, id/10, id)
		if err != nil {
			return found, err
		}
		if wanted {
			found.Hits = append(found.Hits, job.LogHit{Attempt: a.ID, Number: a.Number})
		}
	}
	return found, d.note("search job %d for %s", q.Job, q.Text)
}

// ErrorOf returns the error of a call that returns a value too.
func ErrorOf[T any](_ T, err error) error { return err }

// Link makes the jobs start each other: "a>b c" says that a starts b and c.
func (w *World) Link(lines ...string) {
	ids := map[string]int64{}
	id := func(key string) int64 {
		if ids[key] == 0 {
			ids[key] = int64(len(ids) + 1)
			w.JobsByKey[key] = job.Job{ID: ids[key], Namespace: job.DefaultNamespace, Key: key}
		}
		return ids[key]
	}
	for _, line := range lines {
		key, kids, _ := strings.Cut(line, ">")
		parent := id(key)
		for kid := range strings.FieldsSeq(kids) {
			j := w.JobsByKey[key]
			j.ID = parent
			j.Children = append(j.Children, job.Child{JobID: id(kid)})
			w.JobsByKey[key] = j
		}
	}
}
