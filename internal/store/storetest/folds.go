package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
)

// Folds tests that statistics are the same whenever, and by whichever server of a database,
// counts are added to them. Pairs need no Undo.
func Folds(t *testing.T, open func(tb testing.TB, dir string) Pair) {
	t.Helper()
	withPairs(t, open, map[string]func(b *bench, p *Pair){
		"a history of two servers": foldedHistory,
		"concurrent readers":       foldedMeanwhile,
	})
}

// UndoneFolds tests that a fold that the database undoes is done once in the end.
func UndoneFolds(t *testing.T, open func(tb testing.TB, dir string) Pair) {
	t.Helper()
	withPairs(t, open, map[string]func(b *bench, p *Pair){"a fold that is undone": foldUndone})
}

func withPairs(t *testing.T, open func(tb testing.TB, dir string) Pair, tests map[string]func(b *bench, p *Pair)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p Pair
			b := newBench(t, func(tb testing.TB, dir string) store.Store {
				tb.Helper()
				p = open(tb, dir)
				return both{p.First, p.Second}
			})
			test(b, &p)
		})
	}
}

// happened is what a test counts itself.
type happened struct {
	at            time.Time
	job           *job.Job
	state         job.State
	attempt, long bool
	timed         bool
	took, late    time.Duration
}

// stats returns what it adds.
func (p *happened) stats() (s job.Stats) {
	s.Count(p.state, 1)
	if p.attempt {
		s.Attempts, s.Late, s.LateMax = 1, p.late, p.late
	}
	if p.timed {
		s.Timed, s.Took, s.TookMax = 1, p.took, p.took
	}
	return s
}

// history is what two servers do, and what is to be counted of it.
type history struct {
	*bench
	pair   *Pair
	random *rand.Rand
	jobs   []job.Job
	all    []happened
}

// server returns one of the two.
func (h *history) server() store.Store {
	if h.random.IntN(2) == 0 {
		return h.pair.First
	}
	return h.pair.Second
}

// soon returns an instant within some days, most of them within the first minutes.
func (h *history) soon() time.Time {
	return h.at(h.random.IntN([]int{30, 200, 4000, 200_000}[h.random.IntN(4)])).Add(time.Duration(h.random.IntN(1000)) * time.Millisecond)
}

func (h *history) pickJob() *job.Job { return &h.jobs[h.random.IntN(len(h.jobs))] }

// end ends some runs by attempts, in one call.
func (h *history) end() {
	var batch []completer.Completion
	for range 1 + h.random.IntN(4) {
		j := h.pickJob()
		outcome := []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost}[h.random.IntN(5)]
		p := happened{at: h.soon(), job: j, state: outcome, attempt: true, took: time.Duration(h.random.IntN(90_000)) * time.Millisecond}
		p.timed = outcome == job.Succeeded || outcome == job.Failed || outcome == job.TimedOut
		c := h.counted(h.dispatch(h.trigger(*j, h.now)), outcome, p.at, p.took)
		p.late = c.Late.Truncate(time.Millisecond)
		if h.random.IntN(2) == 0 {
			c.Namespace, c.Group = j.Namespace, j.Group
		}
		if p.timed && h.random.IntN(3) == 0 { // it is tried again
			c.RunState, c.RetryAt, p.state = job.WaitingRetry, h.at(1_000_000), ""
		}
		batch, h.all = append(batch, c), append(h.all, p)
	}
	_, err := h.server().CommitCompletions(h.ctx(), batch)
	h.ok(err)
}

// cancel cancels a run that waits.
func (h *history) cancel() {
	p := happened{at: h.soon(), job: h.pickJob(), state: job.Cancelled}
	_, err := h.server().CancelRun(h.ctx(), h.trigger(*p.job, h.now).ID, "", p.at)
	h.ok(err)
	h.all = append(h.all, p)
}

// skip leaves out a firing.
func (h *history) skip() {
	p := happened{at: h.soon(), job: h.pickJob(), state: job.Skipped}
	due, err := h.DueJobs(h.ctx(), planner.Cursor{}, h.at(1_000_000_000), 100)
	h.ok(err)
	for _, d := range due {
		if d.JobID != p.job.ID {
			continue
		}
		r := h.firing(*p.job, d.Next)
		r.State, r.Reason, r.EndedAt = job.Skipped, "missed", p.at
		done, err := h.server().CommitPlan(h.ctx(), []planner.Move{{
			JobID: d.JobID, Version: d.Version, From: d.Next, Next: d.Next.Add(time.Second), Last: d.Next, Runs: []job.Run{r},
		}})
		h.ok(err)
		h.same("skipped", done, []bool{true})
		h.all = append(h.all, p)
	}
}

// before writes a run of another scheduler.
func (h *history) before() {
	p := happened{at: h.soon(), job: h.pickJob(), state: job.Succeeded, long: true, timed: true, took: time.Duration(1+h.random.IntN(9000)) * time.Millisecond}
	r := h.firing(*p.job, p.at)
	r.State, r.ReadyAt, r.StartedAt, r.EndedAt = job.Succeeded, time.Time{}, p.at.Add(-p.took), p.at
	added, err := h.server().AddPastRuns(h.ctx(), []job.Run{r})
	h.ok(err)
	if added > 0 { // no firing of the same instant was skipped
		h.all = append(h.all, p)
	}
}

// compare compares all that is read with what was counted.
func (h *history) compare(step int) {
	h.Helper()
	some := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: "team", Group: access.All}}}
	for name, f := range map[string]queries.StatsFilter{
		"all": {Sight: everywhere}, "a group": {Sight: everywhere, Group: "g1"}, "a job": {Sight: everywhere, JobID: h.jobs[0].ID},
		"some": {Sight: some}, "a group of some": {Sight: some, Group: "g3"},
	} {
		f.From, f.To = h.now, h.at(100_000)
		got, err := h.server().Stats(h.ctx(), f)
		h.ok(err)
		h.same(fmt.Sprintf("days of %s, step %d", name, step), got, h.days(&f))
	}
	for name, f := range map[string]queries.SlotFilter{
		"all": {Sight: everywhere}, "minutes": {Sight: everywhere, Short: true}, "some": {Sight: some, Short: true},
		"a namespace": {Sight: everywhere, Namespace: "team"}, "a group": {Sight: some, Group: "g1"},
	} {
		f.From, f.To = h.at(60), h.at(90_000)
		got, err := h.server().Slots(h.ctx(), &f)
		h.ok(err)
		want, late, most := h.slotsOf(&f)
		h.same(fmt.Sprintf("intervals of %s, step %d", name, step), got, want)
		gotLate, gotMost, err := h.server().Late(h.ctx(), &f)
		h.ok(err)
		if f.Short {
			h.same(fmt.Sprintf("late %s, step %d", name, step), []any{gotLate, gotMost}, []any{late, most})
		}
	}
	ids := []int64{h.jobs[0].ID, h.jobs[3].ID}
	week, err := h.server().Activity(h.ctx(), ids, h.now)
	h.ok(err)
	for _, id := range ids {
		var want job.Stats
		for i := range h.all {
			if p := &h.all[i]; p.job.ID == id {
				want.Count(p.state, 1)
			}
		}
		h.same(fmt.Sprintf("a week of job %d, step %d", id, step), week[id].Week, want)
	}
}

// days counts for a filter.
func (h *history) days(f *queries.StatsFilter) []job.Stats {
	of := map[time.Time]*job.Stats{}
	for i := range h.all {
		p := &h.all[i]
		day := job.DayOf(p.at)
		seen := f.Sight.Sees(access.Object{Namespace: p.job.Namespace, Group: p.job.Group})
		if !seen || f.Group != "" && f.Group != p.job.Group || f.JobID != 0 && f.JobID != p.job.ID || day.After(f.To) {
			continue
		}
		if of[day] == nil {
			of[day] = &job.Stats{Day: day}
		}
		of[day].Add(p.stats())
	}
	var all []job.Stats
	for _, s := range of {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b job.Stats) int { return a.Day.Compare(b.Day) })
	return all
}

// slotsOf counts for a filter.
func (h *history) slotsOf(f *queries.SlotFilter) (all []queries.Slot, late job.Spread, most time.Duration) {
	of, width := map[time.Time]*queries.Slot{}, queries.SlotLength
	if f.Short {
		width = time.Minute
	}
	for i := range h.all {
		p := &h.all[i]
		from := p.at.Truncate(width)
		in := !from.Before(f.From) && from.Before(f.To) && (f.Namespace == "" || f.Namespace == p.job.Namespace) && (f.Group == "" || f.Group == p.job.Group)
		if !in || p.long && f.Short || !f.Sight.Sees(access.Object{Namespace: p.job.Namespace, Group: p.job.Group}) {
			continue
		}
		if of[from] == nil {
			of[from] = &queries.Slot{From: from}
		}
		of[from].Add(p.stats())
		if p.timed {
			of[from].Spread.Count(p.took)
		}
		if p.attempt {
			late.Count(p.late)
			most = max(most, p.late)
		}
	}
	for _, s := range of {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b queries.Slot) int { return a.From.Compare(b.From) })
	return all, late, most
}

// foldedHistory compares what is read of a random history with what happened, while two
// servers count and fold.
func foldedHistory(b *bench, p *Pair) {
	seed := rand.Uint64()
	b.Logf("seed %d", seed)
	h := &history{bench: b, pair: p, random: rand.New(rand.NewPCG(seed, 1)), jobs: b.placed()}
	steps := []func(){h.end, h.end, h.end, h.cancel, h.skip, h.before}
	for step := range 60 {
		steps[h.random.IntN(len(steps))]()
		if h.random.IntN(4) == 0 {
			_, _, err := h.server().FoldStats(h.ctx())
			h.ok(err)
		}
		if step%5 == 0 {
			h.compare(step)
		}
	}
	h.compare(-1)
	h.fold()
	h.compare(-2)
	rows, more, err := p.Second.FoldStats(h.ctx())
	h.ok(err)
	h.same("what is left to fold", []any{rows, more}, []any{0, false})
	b.reopen()
	h.compare(-3)
}

// foldedMeanwhile reads while others count and fold: an end is there once it is
// acknowledged, and never twice.
func foldedMeanwhile(b *bench, p *Pair) {
	j := b.create()
	const n = 60
	attempts := make([]job.Attempt, n)
	for i := range attempts {
		attempts[i] = b.dispatch(b.trigger(j, b.now))
	}
	var begun, over atomic.Int64
	var ending, others sync.WaitGroup
	done := make(chan struct{})
	goOn := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	servers := [...]store.Store{p.First, p.Second}
	for i, s := range servers {
		others.Go(func() {
			for more := true; more; {
				more = goOn()
				least := over.Load()
				got, err := seen(b, s)
				if most := begun.Load(); err != nil || slices.Min(got[:]) < least || slices.Max(got[:]) > most {
					b.Errorf("%d ends are seen, of at least %d and at most %d: %v", got, least, most, err)
				}
			}
		})
		ending.Go(func() {
			for _, a := range attempts[i*n/2 : (i+1)*n/2] {
				begun.Add(1)
				c := b.counted(a, job.Succeeded, b.at(6), time.Second)
				if _, err := s.CommitCompletions(b.ctx(), []completer.Completion{c}); err != nil {
					b.Errorf("end: %v", err)
				}
				over.Add(1)
				if _, _, err := servers[1-i].FoldStats(b.ctx()); err != nil {
					b.Errorf("fold: %v", err)
				}
			}
		})
	}
	ending.Wait()
	close(done)
	others.Wait()
	got, err := seen(b, p.First)
	b.ok(err)
	b.same("ends", got, [4]int64{n, n, n, n})
}

// seen counts the ends of the test's day by each way to read them.
func seen(b *bench, s store.Store) (got [4]int64, err error) {
	days, err := s.Stats(b.ctx(), queries.StatsFilter{Sight: everywhere, From: b.now, To: b.now})
	for _, d := range days {
		got[0] += d.Succeeded
	}
	if err != nil {
		return got, err
	}
	f := b.hours()
	slots, err := s.Slots(b.ctx(), &f)
	for i := range slots {
		got[1] += slots[i].Succeeded
	}
	if err != nil {
		return got, err
	}
	late, _, err := s.Late(b.ctx(), &f)
	if got[2] = late.Total(); err != nil {
		return got, err
	}
	group, err := s.Stats(b.ctx(), queries.StatsFilter{Sight: everywhere, Group: "demo", From: b.now, To: b.now})
	for _, d := range group {
		got[3] += d.Succeeded
	}
	return got, err
}

// foldUndone has the database undo a fold, while no other server folds, and while one does.
func foldUndone(b *bench, p *Pair) {
	j := b.create()
	want := job.Stats{Day: job.DayOf(b.now)}
	for i, between := range []func(){func() {}, func() {
		_, _, err := p.Second.FoldStats(b.ctx())
		b.ok(err)
	}} {
		for range 3 {
			r := b.trigger(j, b.now)
			_, err := b.CancelRun(b.ctx(), r.ID, "", b.at(1))
			b.ok(err)
			want.Cancelled++
		}
		undone := false
		p.Undo(func() { undone = true; between() })
		rows, more, err := p.First.FoldStats(b.ctx())
		b.ok(err)
		b.same("undone", undone, true)
		b.same("folded", []any{rows, more}, []any{3 * (1 - i), false})
		b.same("counted", b.statsOf(j), []job.Stats{want})
	}
}
