package upkeep

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// past is a history in memory.
type past struct {
	mu      sync.Mutex
	jobs    []Retention
	runs    map[int64][]Past // by job, in order of id
	held    map[int64]bool   // runs that something open still needs
	fills   int              // old backfills
	stats   int              // old rows of statistics
	spreads int              // of shorter times

	fail       error
	slow       time.Duration // of each transaction
	reads      int           // runs that were read
	largest    int           // runs in a transaction
	busy       time.Duration // in transactions
	befores    map[string]time.Time
	beginnings []time.Time // of sweeps
}

func (p *past) Retentions(_ context.Context, after int64, limit int) ([]Retention, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if after == 0 {
		p.beginnings = append(p.beginnings, time.Now())
	}
	var found []Retention
	for _, j := range p.jobs {
		if j.JobID > after && len(found) < limit {
			found = append(found, j)
		}
	}
	return found, p.fail
}

func (p *past) History(_ context.Context, jobID, after int64, limit int) ([]Past, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []Past
	for _, r := range p.runs[jobID] {
		if r.ID > after && len(found) < limit {
			found = append(found, r)
		}
	}
	p.reads += len(found)
	return found, nil
}

func (p *past) Surplus(_ context.Context, jobID int64, keep int) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range slices.Backward(p.runs[jobID]) {
		if r.EndedAt.IsZero() {
			continue
		}
		if keep--; keep < 0 {
			return r.ID, nil
		}
	}
	return 0, nil
}

func (p *past) RemoveRuns(_ context.Context, runs []int64) (int, error) {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy += p.slow
	p.largest = max(p.largest, len(runs))
	named := make(map[int64]bool)
	for _, id := range runs {
		named[id] = true
	}
	removed := 0
	for id := range p.runs {
		before := len(p.runs[id])
		p.runs[id] = slices.DeleteFunc(p.runs[id], func(r Past) bool {
			return named[r.ID] && !r.EndedAt.IsZero() && !p.held[r.ID]
		})
		removed += before - len(p.runs[id])
	}
	return removed, nil
}

func (p *past) RemoveBackfills(_ context.Context, before time.Time, limit int) (int, error) {
	return p.remove("backfills", &p.fills, before, limit)
}

func (p *past) RemoveStats(_ context.Context, before time.Time, limit int) (int, error) {
	return p.remove("statistics", &p.stats, before, limit)
}

func (p *past) RemoveSpreads(_ context.Context, now time.Time, limit int) (int, error) {
	return p.remove("spreads", &p.spreads, now, limit)
}

func (p *past) remove(name string, old *int, before time.Time, limit int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.befores[name] = before
	n := min(*old, limit)
	*old -= n
	return n, nil
}

// left returns the runs of a job that are there.
func (p *past) left(jobID int64) []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := []int64{}
	for _, r := range p.runs[jobID] {
		ids = append(ids, r.ID)
	}
	return ids
}

func newPast(jobs ...Retention) *past {
	return &past{jobs: jobs, runs: make(map[int64][]Past), held: make(map[int64]bool), befores: make(map[string]time.Time)}
}

// ended adds runs of a job, a second long, that ended so long before now.
func (p *past) ended(now time.Time, jobID, from int64, ages ...time.Duration) {
	for i, age := range ages {
		end := now.Add(-age)
		p.runs[jobID] = append(p.runs[jobID], Past{ID: from + int64(i), CreatedAt: end.Add(-time.Second), EndedAt: end})
	}
}

// open adds a run of a job that is not over.
func (p *past) open(now time.Time, jobID, id int64, age time.Duration) {
	p.runs[jobID] = append(p.runs[jobID], Past{ID: id, CreatedAt: now.Add(-age)})
}

const dayLong = 24 * time.Hour

// sweep sweeps once.
func (p *past) sweep(t *testing.T, c PruneConfig, now time.Time) int {
	t.Helper()
	c.History, c.Remover = p, p
	removed, err := NewPruner(c).sweep(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	return removed
}

func TestPruneByAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		p := newPast(Retention{JobID: 1}, Retention{JobID: 2, KeepFor: time.Hour}, Retention{JobID: 3, KeepFor: 90 * dayLong})
		for id := range int64(3) {
			at := (id + 1) * 100
			p.ended(now, id+1, at, 91*dayLong, 31*dayLong, 30*dayLong, 30*dayLong-1, time.Hour, time.Hour-1)
			p.open(now, id+1, at+6, time.Minute)
		}
		if removed := p.sweep(t, PruneConfig{}, now); removed != 3+5+1 {
			t.Errorf("%d were removed", removed)
		}
		want := map[int64][]int64{1: {103, 104, 105, 106}, 2: {205, 206}, 3: {301, 302, 303, 304, 305, 306}}
		for id, runs := range want {
			if diff := cmp.Diff(runs, p.left(id)); diff != "" {
				t.Errorf("job %d: %s", id, diff)
			}
		}
		if removed := p.sweep(t, PruneConfig{}, now); removed != 0 {
			t.Errorf("%d more were removed by a second sweep", removed)
		}
	})
}

func TestPruneByNumber(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		p := newPast(Retention{JobID: 1, KeepRuns: 2}, Retention{JobID: 2, KeepRuns: 9}, Retention{JobID: 3, KeepRuns: 2, KeepFor: time.Hour})
		for id := range int64(3) {
			at := (id + 1) * 100
			p.open(now, id+1, at, 40*dayLong) // the oldest one is still at work
			p.ended(now, id+1, at+1, 5*time.Hour, 4*time.Hour, 3*time.Hour)
			p.open(now, id+1, at+4, time.Second)
			p.ended(now, id+1, at+5, 0)
		}
		p.sweep(t, PruneConfig{}, now)
		want := map[int64][]int64{1: {100, 103, 104, 105}, 2: {200, 201, 202, 203, 204, 205}, 3: {300, 304, 305}}
		for id, runs := range want {
			if diff := cmp.Diff(runs, p.left(id)); diff != "" {
				t.Errorf("job %d: %s", id, diff)
			}
		}
	})
}

// What is held back does not stop the sweep, and is removed when it is free.
func TestPruneGoesOnBehindWhatIsHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		p := newPast(Retention{JobID: 1})
		for id := range int64(50) {
			p.ended(now, 1, id+1, 40*dayLong)
			p.held[id+1] = id < 40
		}
		if removed := p.sweep(t, PruneConfig{Slice: 7}, now); removed != 10 {
			t.Errorf("%d were removed", removed)
		}
		clear(p.held)
		if removed := p.sweep(t, PruneConfig{Slice: 7}, now); removed != 40 {
			t.Errorf("%d were removed when all were free", removed)
		}
	})
}

// A sweep works in small transactions, leaves the database to others most of the
// time, and does not read what is kept.
func TestPruneIsCalm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		p := newPast()
		p.slow = 20 * time.Millisecond
		const jobs, old, young = 600, 5, 100
		for j := range int64(jobs) {
			p.jobs = append(p.jobs, Retention{JobID: j + 1})
			p.ended(now, j+1, j*10_000+1, slices.Repeat([]time.Duration{31 * dayLong}, old)...)
			p.ended(now, j+1, j*10_000+1+old, slices.Repeat([]time.Duration{dayLong}, young)...)
		}
		p.fills, p.stats, p.spreads = 1200, 501, 502
		began := time.Now()
		if removed := p.sweep(t, PruneConfig{}, now); removed != jobs*old+1200+501+502 {
			t.Errorf("%d were removed", removed)
		}
		if p.largest != 500 {
			t.Errorf("%d runs in a transaction", p.largest)
		}
		if took := time.Since(began); p.busy*3 > took {
			t.Errorf("busy for %s of %s", p.busy, took)
		}
		if p.reads > jobs*firstLook {
			t.Errorf("%d runs were read to remove %d", p.reads, jobs*old)
		}
		want := map[string]time.Time{"backfills": now.Add(-30 * dayLong), "statistics": now.Add(-job.KeepStats), "spreads": now}
		if diff := cmp.Diff(want, p.befores); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPrunerSweepsEveryHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPast()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		began := time.Now()
		go func() { ended <- NewPruner(PruneConfig{History: p, Remover: p}).Run(ctx) }()
		pass(2 * time.Minute)
		p.mu.Lock()
		p.fail = errors.New("the database is away")
		p.mu.Unlock()
		pass(10 * time.Hour)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if n := len(p.beginnings); n < 9 || n > 11 || p.beginnings[0].Sub(began) > 2*time.Minute {
			t.Errorf("%d sweeps, the first one after %s", n, p.beginnings[0].Sub(began))
		}
	})
}

// The end of ctx ends a sweep between two transactions.
func TestPruneStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		p := newPast(Retention{JobID: 1})
		p.slow = time.Second
		p.ended(now, 1, 1, slices.Repeat([]time.Duration{40 * dayLong}, 1000)...)
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		_, err := NewPruner(PruneConfig{History: p, Remover: p, Slice: 10}).sweep(ctx, now)
		if left := len(p.left(1)); !errors.Is(err, context.DeadlineExceeded) || left < 970 || left > 990 {
			t.Errorf("%d runs are left; %v", left, err)
		}
	})
}

// Against the plain rule: a run goes when it is over and either old enough or
// behind enough others that are over.
func TestPruneRule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		c := PruneConfig{
			KeepFor: 20 * time.Second, Settle: time.Duration(rapid.IntRange(1, 30).Draw(r, "settle")) * time.Second,
			Slice: rapid.IntRange(1, 40).Draw(r, "slice"),
		}
		p := anyPast(r, now)
		want := kept(p, &c, now)
		c.History, c.Remover = p, p
		for range 2 { // what is gone changes nothing about the rest
			var err error
			synctest.Test(t, func(t *testing.T) { _, err = NewPruner(c).sweep(t.Context(), now) })
			if err != nil {
				r.Fatal(err)
			}
			if diff := cmp.Diff(want, p.left(1)); diff != "" {
				r.Fatal(diff)
			}
		}
	})
}

// anyPast draws the history of a job.
func anyPast(t *rapid.T, now time.Time) *past {
	p := newPast(Retention{
		JobID: 1, KeepFor: time.Duration(rapid.IntRange(0, 50).Draw(t, "keep for")) * time.Second,
		KeepRuns: rapid.IntRange(0, 6).Draw(t, "keep runs"),
	})
	created := now.Add(-100 * time.Second)
	for id := range int64(rapid.IntRange(0, 30).Draw(t, "runs")) {
		created = created.Add(time.Duration(rapid.IntRange(0, 6).Draw(t, "gap")) * time.Second)
		run := Past{ID: id + 1, CreatedAt: created}
		if rapid.Bool().Draw(t, "over") {
			run.EndedAt = created.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "length")) * time.Second)
		}
		p.runs[1] = append(p.runs[1], run)
	}
	return p
}

// kept returns the runs of the job that the rule leaves.
func kept(p *past, c *PruneConfig, now time.Time) []int64 {
	r := p.jobs[0]
	keepFor := r.KeepFor
	if keepFor == 0 {
		keepFor = c.KeepFor
	}
	ids, over := []int64{}, 0
	for _, run := range slices.Backward(p.runs[1]) {
		if run.EndedAt.IsZero() {
			ids = append(ids, run.ID)
			continue
		}
		over++
		age := now.Sub(run.EndedAt)
		if age < c.Settle || age < keepFor && (r.KeepRuns == 0 || over <= r.KeepRuns) {
			ids = append(ids, run.ID)
		}
	}
	slices.Reverse(ids)
	return ids
}
