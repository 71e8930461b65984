package planner

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a store and a dispatcher in memory, with the rules that the
// interfaces promise.
type world struct {
	mu      sync.Mutex
	jobs    map[int64]*Due // enabled ones; Next is zero while one waits
	stopped map[int64]string
	written map[runKey]bool
	runs    []job.Run
	taken   []job.Run
	free    int
	lastRun int64
	reads   int
	looks   int // reads of what others have not planned
	commits int
	rules   Rules
	asked   int           // how often for the rules
	claimed int           // rows of group 1 that were claimed
	late    bool          // offers are committed shortly before they are due
	behind  time.Duration // or, with late, so much later: there is more to do than can be done
	offered int
	lost    int // moves that did not take effect

	fail     func() error // before a commit or a read: nothing happens
	failLate func() error // after a commit: it has happened
	between  func()       // between a read and its commit, under the lock
}

// runKey is what is unique of a run.
type runKey struct {
	job, planned int64
	cause        job.Cause
	causeID      int64
}

func newWorld() *world {
	well := func() error { return nil }
	return &world{
		jobs: make(map[int64]*Due), stopped: make(map[int64]string), written: make(map[runKey]bool), free: 1000,
		rules: Rules{Version: 1}, fail: well, failLate: well, between: func() {},
	}
}

func (w *world) change(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

// every adds a job that fires each period, first at the instant.
func (w *world) every(id int64, period time.Duration, first time.Time) {
	w.add(Due{
		JobID: id, Next: first, Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: period, Anchor: first},
	})
}

// add adds a job of group 1 that skips unless it says otherwise.
func (w *world) add(d Due) {
	w.change(func() {
		d.Version, d.GroupID, d.Namespace = 1, 1, job.DefaultNamespace
		d.Look = d.Next
		d.Misfire = cmp.Or(d.Misfire, schedule.MisfireSkip)
		w.jobs[d.JobID] = &d
	})
}

// ruled changes the rules, as a user does.
func (w *world) ruled(fn func(*Rules)) {
	w.change(func() {
		w.rules.Version++
		fn(&w.rules)
	})
}

// lift removes all pauses.
func (w *world) lift() {
	w.ruled(func(r *Rules) {
		r.Pauses = nil
		for _, d := range w.jobs {
			if d.HeldBy != "" {
				d.Look = d.Next
			}
		}
	})
}

func (w *world) Rules(_ context.Context, known int64) (*Rules, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	if known == w.rules.Version {
		return nil, w.fail()
	}
	fresh := w.rules
	fresh.Calendars, fresh.Pauses = slices.Clone(fresh.Calendars), slices.Clone(fresh.Pauses)
	return &fresh, w.fail()
}

func (w *world) DueJobs(_ context.Context, after Cursor, until time.Time, limit int) ([]Due, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if until.Before(time.Now()) {
		w.looks++
	}
	var due []Due
	for _, d := range w.jobs {
		behind := cmp.Or(d.Look.Compare(after.Look), cmp.Compare(d.JobID, after.JobID)) > 0
		if !d.Next.IsZero() && !d.Look.After(until) && behind {
			due = append(due, *d)
		}
	}
	slices.SortFunc(due, func(a, b Due) int { return cmp.Or(a.Look.Compare(b.Look), cmp.Compare(a.JobID, b.JobID)) })
	w.between()
	return due[:min(limit, len(due))], w.fail()
}

func (w *world) NextDue(context.Context) (next time.Time, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.jobs {
		if !d.Next.IsZero() && (!ok || d.Look.Before(next)) {
			next, ok = d.Look, true
		}
	}
	return next, ok, w.fail()
}

func (w *world) CommitPlan(_ context.Context, moves []Move) ([]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits++
	if err := w.fail(); err != nil {
		return nil, err
	}
	done := make([]bool, len(moves))
	for i, m := range moves {
		d := w.jobs[m.JobID]
		if d == nil || d.Version != m.Version || !d.Next.Equal(m.From) || m.Rules != w.rules.Version {
			continue
		}
		done[i] = true
		d.Next, d.Look, d.Fired, d.HeldBy = m.Next, m.Look, m.Fired, m.HeldBy
		if d.Look.IsZero() {
			d.Look = d.Next
		}
		if !m.Last.IsZero() {
			d.Last = m.Last
		}
		if m.Next.IsZero() && !m.Waits {
			delete(w.jobs, m.JobID)
			w.stopped[m.JobID] = m.StopReason
		}
		for _, r := range m.Runs {
			key := runKey{r.JobID, r.PlannedAt.UnixMilli(), r.Cause, r.CauseID}
			if !w.written[key] {
				w.written[key] = true
				w.runs = append(w.runs, r)
			}
		}
	}
	return done, w.failLate()
}

// CountReady counts what is ready and was neither handed over nor claimed.
func (w *world) CountReady(_ context.Context, group int64, now time.Time, limit int) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows, taken := 0, make(map[int64]bool, len(w.taken))
	for _, r := range w.taken {
		taken[r.ID] = true
	}
	for _, r := range w.runs {
		if r.GroupID == group && r.State == job.Planned && !taken[r.ID] && !r.ReadyAt.After(now) {
			rows++
		}
	}
	if group == 1 {
		rows -= w.claimed
	}
	return min(rows, limit), nil
}

func (w *world) NextRunID(context.Context) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastRun++
	return w.lastRun, nil
}

func (w *world) Free() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.free
}

func (w *world) Take(runs []job.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = append(w.taken, runs...)
	w.free -= len(runs)
}

// handoff is a dispatcher of a world that commits what one planner offers: at once, or with
// late just before it is due.
type handoff struct {
	*world
	p *Planner
}

// lead is how long before its time a move is committed late.
const lead = 20 * time.Millisecond

// Offer implements Handoff.
func (h *handoff) Offer(moves []Offered) {
	h.change(func() {
		h.free -= len(moves)
		h.offered += len(moves)
	})
	if !h.late {
		h.commit(moves)
		return
	}
	for i := range moves {
		time.AfterFunc(time.Until(moves[i].Run().DueAt)-lead+h.behind, func() { h.commit(moves[i : i+1]) })
	}
}

// commit tries to commit moves until the store says what came of them.
func (h *handoff) commit(offered []Offered) {
	moves, of := make([]Move, len(offered)), make([]*Move, len(offered))
	for i, o := range offered {
		o.Run().ReadyAt = o.Run().DueAt.Add(15 * time.Second)
		moves[i], of[i] = *o.Move, o.Move
	}
	done, err := h.CommitPlan(context.Background(), moves)
	if err != nil {
		time.AfterFunc(time.Second, func() { h.commit(offered) })
		return
	}
	h.change(func() {
		for i, o := range offered {
			if done[i] {
				h.taken = append(h.taken, *o.Run())
			} else {
				h.free++
				h.lost++
			}
		}
	})
	h.p.Settled(of, done)
}

// planned returns the planned times of the job's runs, in order.
func (w *world) planned(id int64) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	var at []time.Time
	for _, r := range w.runs {
		if r.JobID == id && r.State == job.Planned {
			at = append(at, r.PlannedAt)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// start runs a planner within the bubble of a test, until its end.
func start(t *testing.T, c Config) (*world, *Planner) {
	t.Helper()
	w := newWorld()
	p, stop := w.run(t, c)
	t.Cleanup(stop)
	synctest.Wait()
	return w, p
}

// run runs one more planner of the world, until it is stopped.
func (w *world) run(t *testing.T, c Config) (p *Planner, stop func()) {
	t.Helper()
	h := &handoff{world: w}
	c.Store, c.IDs, c.Handoff = w, w, h
	p = New(c)
	h.p = p
	return p, lifecycletest.Start(t, p.Run)
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var quiet = slog.New(slog.DiscardHandler)

// summedUp returns how many more firings than one the record tells of.
func summedUp(t interface{ Fatal(...any) }, reason string) int {
	n := 0
	if _, err := fmt.Sscanf(reason, "%d firings from", &n); err == nil {
		return n - 1
	}
	if strings.HasPrefix(reason, "more than") {
		t.Fatal("a test of too many firings: ", reason)
	}
	return 0
}

func (w *world) DueJob(ctx context.Context, id int64, until time.Time) (Due, bool, error) {
	all, err := w.DueJobs(ctx, Cursor{}, until, len(w.jobs))
	for _, d := range all {
		if d.JobID == id {
			return d, true, err
		}
	}
	return Due{}, false, err
}
