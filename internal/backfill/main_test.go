package backfill

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// day is when the slots of the tests begin.
var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// secondly returns a running backfill with so many slots, one a second.
func secondly(slots int) job.Backfill {
	return job.Backfill{
		ID: 9, JobID: 3, From: day, To: day.Add(time.Duration(slots) * time.Second), Slots: slots,
		First: day, Last: day.Add(time.Duration(slots-1) * time.Second), Parallel: 1, State: job.BackfillRunning,
	}
}

// theJob is the job of the backfills in these tests: it fires once a second.
func theJob() job.Job {
	return job.Job{
		ID: 3, Version: 5, GroupID: 2, Key: "report",
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Second},
	}
}

// rows is a store in memory with the rules that its interface promises.
type rows struct {
	mu        sync.Mutex
	backfills map[int64]*row
	job       job.Job
	deleted   bool
	calendars []job.Calendar
	runs      map[int64]*job.Run // by id
	firings   map[time.Time]int64
	succeeded map[time.Time]bool // slots that other runs have succeeded for
	lastID    int64
	claims    int
	commits   int
	asked     []int // sizes of the questions to Succeeded
	mute      bool  // Succeeded has no answer
	peeks     int   // the most runs that EndedRuns was asked about

	fail     func() error // before a call: nothing happens
	failLate func() error // after a write: it has happened
	made     func(r job.Run)
}

// row is a backfill as it is stored.
type row struct {
	job.Backfill
	step int64
	look time.Time
}

func newRows(backfills ...job.Backfill) *rows {
	never := func() error { return nil }
	r := &rows{
		backfills: make(map[int64]*row), job: theJob(), runs: make(map[int64]*job.Run),
		firings: make(map[time.Time]int64), succeeded: make(map[time.Time]bool),
		fail: never, failLate: never, made: func(job.Run) {},
	}
	for _, b := range backfills {
		r.backfills[b.ID] = &row{Backfill: b}
	}
	return r
}

// lock returns the lock's release, for one-line use with defer.
func (r *rows) lock() func() { r.mu.Lock(); return r.mu.Unlock }

func (r *rows) ClaimBackfills(_ context.Context, c Claim) ([]Work, error) {
	defer r.lock()()
	r.claims++
	if err := r.fail(); err != nil {
		return nil, err
	}
	var due []*row
	for _, b := range r.backfills {
		if b.State == job.BackfillRunning && !b.look.After(c.Until) {
			due = append(due, b)
		}
	}
	slices.SortFunc(due, func(a, b *row) int { return cmp.Or(a.look.Compare(b.look), cmp.Compare(a.ID, b.ID)) })
	due = due[:min(c.Limit, len(due))]
	for _, id := range c.IDs {
		if b := r.backfills[id]; b != nil && b.State == job.BackfillRunning && !slices.Contains(due, b) {
			due = append(due, b)
		}
	}
	var works []Work
	for _, b := range due {
		b.look = c.Lease
		w := Work{
			Backfill: b.Backfill, Step: b.step, Job: r.job, Deleted: r.deleted, Calendars: r.calendars,
			Ended: make(map[int64]job.State),
		}
		w.Backfill.Open = slices.Clone(b.Open)
		for _, id := range b.Open {
			if state := r.runs[id].State; state.Final() {
				w.Ended[id] = state
			}
		}
		works = append(works, w)
	}
	return works, r.failLate()
}

func (r *rows) Succeeded(_ context.Context, _ int64, planned []time.Time) ([]time.Time, error) {
	defer r.lock()()
	r.asked = append(r.asked, len(planned))
	var found []time.Time
	for _, at := range planned {
		if r.succeeded[at] {
			found = append(found, at)
		}
	}
	if r.mute {
		return nil, job.Errorf(job.Internal, "the rows cannot be read")
	}
	return found, r.fail()
}

func (r *rows) CommitStep(_ context.Context, s Step) (bool, error) {
	defer r.lock()()
	if err := r.fail(); err != nil {
		return false, err
	}
	b := r.backfills[s.Backfill.ID]
	if b.State != job.BackfillRunning || b.step != s.Number {
		return false, r.failLate()
	}
	r.commits++
	*b = row{Backfill: s.Backfill, step: s.Number + 1, look: s.Look}
	b.Open = slices.Clone(s.Backfill.Open)
	for _, run := range s.Runs {
		if _, known := r.firings[run.PlannedAt]; known {
			continue
		}
		r.firings[run.PlannedAt], r.runs[run.ID] = run.ID, &run
		r.made(run)
	}
	return true, r.failLate()
}

func (r *rows) LetGoBackfills(_ context.Context, ids []int64, now time.Time) error {
	defer r.lock()()
	if err := r.fail(); err != nil {
		return err
	}
	for _, id := range ids {
		if b := r.backfills[id]; b != nil && b.State == job.BackfillRunning && b.look.After(now) {
			b.look = now
		}
	}
	return r.failLate()
}

func (r *rows) EndedRuns(_ context.Context, runs []int64) ([]int64, error) {
	defer r.lock()()
	r.peeks = max(r.peeks, len(runs))
	var ended []int64
	for _, id := range runs {
		if run := r.runs[id]; run == nil || run.State.Final() {
			ended = append(ended, id)
		}
	}
	return ended, r.fail()
}

func (r *rows) NextRunID(context.Context) (int64, error) {
	defer r.lock()()
	r.lastID++
	return r.lastID, r.fail()
}

func (r *rows) end(run int64, state job.State) {
	defer r.lock()()
	r.runs[run].State = state
}

// open returns the ids of the runs that are not final, in order.
func (r *rows) open() []int64 {
	defer r.lock()()
	var open []int64
	for id, run := range r.runs {
		if !run.State.Final() {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	return open
}

func (r *rows) change(fn func()) {
	defer r.lock()()
	fn()
}

func (r *rows) of(id int64) row {
	defer r.lock()()
	return *r.backfills[id]
}
