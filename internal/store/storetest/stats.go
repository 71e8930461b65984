package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
)

func statsTests() []test {
	return []test{
		{"outcomes are counted on their day", statsOfOutcomes},
		{"a retry is an attempt and no run", statsOfRetries},
		{"only what took effect is counted", statsOnce},
		{"runs that end without an attempt are counted", statsWithoutAttempts},
		{"many outcomes at once", statsRace},
		{"of a job, a group and all", statsSelected},
		{"old days are removed", statsRemoved},
	}
}

// counted is the end of an attempt with what is counted of it.
func (b *bench) counted(a job.Attempt, outcome job.State, at time.Time, took time.Duration) completer.Completion {
	c := b.completion(a, outcome)
	c.JobID, c.EndedAt, c.StartedAt, c.Late = a.JobID, at, at.Add(-took), took/10
	return c
}

// fold adds what was counted to the rows of the statistics.
func (b *bench) fold() {
	b.Helper()
	b.ok(foldAll(b.ctx(), b.Store))
}

func foldAll(ctx context.Context, s store.Store) error {
	for {
		if _, more, err := s.FoldStats(ctx); err != nil || !more {
			return err
		}
	}
}

// stats reads what is counted from the day before the test's to two days after it.
func (b *bench) stats(f queries.StatsFilter) []job.Stats {
	b.Helper()
	day := job.DayOf(b.now)
	f.Sight, f.From, f.To = everywhere, day.AddDate(0, 0, -1), day.AddDate(0, 0, 2)
	found, err := b.Stats(b.ctx(), f)
	b.ok(err)
	return found
}

func (b *bench) statsOf(j job.Job) []job.Stats {
	b.Helper()
	return b.stats(queries.StatsFilter{JobID: j.ID})
}

func statsOfOutcomes(b *bench) {
	j := b.create()
	b.same("before", len(b.statsOf(j)), 0)
	today := job.DayOf(b.now)
	midnight := today.AddDate(0, 0, 1)
	var batch []completer.Completion
	for i, outcome := range []job.State{job.Succeeded, job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost} {
		batch = append(batch, b.counted(b.dispatch(b.trigger(j, b.now)), outcome, b.at(60), time.Duration(i+1)*time.Second))
	}
	late := b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, midnight.Add(-time.Millisecond), 100*time.Millisecond)
	next := b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, midnight, 1500*time.Millisecond)
	b.commit(append(batch, late, next)...)
	first := job.Stats{
		Day: today, Succeeded: 3, Failed: 1, TimedOut: 1, Cancelled: 1, Lost: 1, Attempts: 7,
		Timed: 5, Took: 10100 * time.Millisecond, TookMax: 4 * time.Second, Late: 2110 * time.Millisecond, LateMax: 600 * time.Millisecond,
	}
	second := job.Stats{
		Day: midnight, Succeeded: 1, Attempts: 1, Timed: 1, Took: 1500 * time.Millisecond, TookMax: 1500 * time.Millisecond,
		Late: 150 * time.Millisecond, LateMax: 150 * time.Millisecond,
	}
	b.same("counted", b.statsOf(j), []job.Stats{first, second})

	b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.at(61), time.Second))
	first.Add(job.Stats{
		Succeeded: 1, Attempts: 1, Timed: 1, Took: time.Second, TookMax: time.Second, Late: 100 * time.Millisecond, LateMax: 100 * time.Millisecond,
	})
	b.reopen()
	b.same("counted later", b.statsOf(j), []job.Stats{first, second})
	b.fold()
	b.same("folded", b.statsOf(j), []job.Stats{first, second})
	b.remove(batch[0].RunID)
	b.same("after a run was removed", b.statsOf(j), []job.Stats{first, second})
}

func statsOfRetries(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	c := b.counted(b.dispatch(r), job.Failed, b.at(6), time.Second)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(10)
	b.commit(c)
	want := job.Stats{
		Day: job.DayOf(b.now), Attempts: 1, Timed: 1, Took: time.Second, TookMax: time.Second,
		Late: 100 * time.Millisecond, LateMax: 100 * time.Millisecond,
	}
	b.same("after the first attempt", b.statsOf(j), []job.Stats{want})
	b.commit(b.counted(b.dispatch(b.run(r.ID)), job.Succeeded, b.at(12), time.Second))
	want.Add(want)
	want.Succeeded = 1
	b.same("after the second", b.statsOf(j), []job.Stats{want})
}

func statsOnce(b *bench) {
	j := b.create()
	a, other := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(j, b.now))
	b.commit(b.counted(a, job.Succeeded, b.at(6), 0))
	b.commit(b.counted(a, job.Failed, b.at(7), 0), b.counted(other, job.Lost, b.at(7), 0))
	b.commit(b.counted(other, job.Succeeded, b.at(8), 0))
	b.same("counted", b.statsOf(j), []job.Stats{{Day: job.DayOf(b.now), Succeeded: 1, Lost: 1, Attempts: 2, Timed: 1}})
}

func statsWithoutAttempts(b *bench) {
	day := job.DayOf(b.now)
	cancelled := func(n int64) []job.Stats { return []job.Stats{{Day: day, Cancelled: n}} }

	j := b.create()
	for range 2 {
		r := b.trigger(j, b.now)
		for range 2 { // the second time it is over
			_, err := b.CancelRun(b.ctx(), r.ID, "", b.at(1))
			b.ok(err)
		}
	}
	b.same("cancelled by a user", b.statsOf(j), cancelled(2))

	planned := b.create(func(j *job.Job) { j.NextAt = b.at(9) })
	for i := range 3 {
		r := b.firing(planned, b.at(i))
		r.DueAt, r.ReadyAt = b.at(9), b.at(9) // it is made up for
		b.ok(b.AddRun(b.ctx(), r))
	}
	b.save(planned, func(j *job.Job) { j.Enabled, j.NextAt, j.UpdatedAt = false, time.Time{}, b.at(5) })
	b.same("cancelled by the end of the job", b.statsOf(planned), cancelled(3))

	filling := b.create()
	f, runs := b.begin(b.backfill(filling), filling)
	b.dispatch(b.run(runs[0].ID))
	_, err := b.CancelBackfill(b.ctx(), f.ID, "", b.at(7))
	b.ok(err)
	b.same("cancelled with a backfill", b.statsOf(filling), cancelled(1))

	missed := b.create()
	move := planner.Move{JobID: missed.ID, Version: missed.Version, From: b.now, Next: b.at(9), Last: b.at(2)}
	for i := range 3 {
		r := b.firing(missed, b.at(i))
		if i < 2 {
			r.State, r.Reason, r.EndedAt = job.Skipped, "missed", b.at(3)
		}
		move.Runs = append(move.Runs, r)
	}
	b.same("planned", []bool{b.plan(move), b.plan(move)}, []bool{true, false})
	b.same("skipped by the planner", b.statsOf(missed), []job.Stats{{Day: day, Skipped: 2}})

	expired := b.trigger(b.create(), b.now)
	expired.Reason, expired.EndedAt = "nobody took it", b.at(4)
	for range 2 { // the second time it is over
		_, err = b.ExpireRuns(b.ctx(), []job.Run{expired})
		b.ok(err)
	}
	b.same("given up", b.stats(queries.StatsFilter{JobID: expired.JobID}), []job.Stats{{Day: day, Skipped: 1}})
}

func statsRace(b *bench) {
	j := b.create()
	const n = 40
	attempts := make([]job.Attempt, n)
	for i := range attempts {
		attempts[i] = b.dispatch(b.trigger(j, b.now))
	}
	var all sync.WaitGroup
	for i := range 2 * n { // each of them twice
		c := b.counted(attempts[i%n], job.Succeeded, b.at(6), time.Second)
		all.Go(func() {
			if _, err := b.CommitCompletions(b.ctx(), []completer.Completion{c}); err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	b.fold()
	b.same("counted", b.statsOf(j), []job.Stats{{
		Day: job.DayOf(b.now), Succeeded: n, Attempts: n, Timed: n, Took: n * time.Second, TookMax: time.Second,
		Late: n * 100 * time.Millisecond, LateMax: 100 * time.Millisecond,
	}})
}

func statsSelected(b *bench) {
	day := job.DayOf(b.now)
	in := func(group string) job.Job { return b.create(func(j *job.Job) { j.Group = group }) }
	one, two, three := in("desk"), in("desk"), in("other")
	for i, j := range []job.Job{one, two, two, three} {
		b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, b.now.AddDate(0, 0, i%2), 0))
		if i == 1 { // half of them is folded
			b.fold()
		}
	}
	want := func(counts ...int64) []job.Stats {
		var days []job.Stats
		for i, n := range counts {
			if n > 0 {
				days = append(days, job.Stats{Day: day.AddDate(0, 0, i), Succeeded: n, Attempts: n, Timed: n})
			}
		}
		return days
	}
	b.same("a job", b.statsOf(two), want(1, 1))
	b.same("a group", b.stats(queries.StatsFilter{Group: "desk"}), want(2, 1))
	b.same("all", b.stats(queries.StatsFilter{}), want(2, 2))
	_, err := b.Stats(b.ctx(), queries.StatsFilter{Sight: everywhere, Group: "nobody", From: day, To: day})
	b.kind(err, job.NotFound)
	tomorrow, err := b.Stats(b.ctx(), queries.StatsFilter{Sight: everywhere, From: day.AddDate(0, 0, 1), To: day.AddDate(0, 0, 1)})
	b.ok(err)
	b.same("one day", tomorrow, want(0, 2))
	year, err := b.Stats(b.ctx(), queries.StatsFilter{JobID: one.ID, From: day.AddDate(0, 0, -399), To: day})
	b.ok(err)
	b.same("a year", year, want(1))
}

func statsRemoved(b *bench) {
	one, two := b.create(), b.create()
	day := job.DayOf(b.now)
	for _, j := range []job.Job{one, two} {
		for i := range 3 {
			b.commit(b.counted(b.dispatch(b.trigger(j, b.now)), job.Succeeded, day.AddDate(0, 0, i), 0))
		}
	}
	b.fold()
	remove := func(before time.Time, limit int) int {
		n, err := b.RemoveStats(b.ctx(), before, limit)
		b.ok(err)
		return n
	}
	b.same("none", remove(day, 9)+remove(day.AddDate(0, 0, 9), 0), 0)
	last := day.AddDate(0, 0, 2).Add(time.Hour)
	b.same("the oldest ones", []int{remove(last, 3), remove(last, 3), remove(last, 3)}, []int{3, 1, 0})
	for _, j := range []job.Job{one, two} {
		left := b.statsOf(j)
		b.same("left", len(left), 1)
		b.same("day", left[0].Day, day.AddDate(0, 0, 2))
	}
}
