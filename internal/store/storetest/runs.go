package storetest

import (
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func runTests() []test {
	return []test{
		{"added runs are read", addedIsRead},
		{"a run is due at its DueAt, or when it is ready", addedDue},
		{"a run for no slot has none", addedWithoutSlot},
		{"a run is added under its job's version", addedVersion},
		{"runs are listed in pages", runPages},
		{"a run that waits is cancelled", cancelWaits},
		{"a run that does not wait is not cancelled", cancelLate},
		{"attempts come in order", attemptOrder},
		{"past runs are added once", pastOnce},
		{"past runs count when they ended", pastCounted},
	}
}

// runs returns the runs of a job, the newest first.
func (b *bench) runs(j job.Job) []job.Run {
	b.Helper()
	runs, err := b.Runs(b.ctx(), jobrows.RunFilter{JobID: j.ID})
	b.ok(err)
	return runs
}

func addedIsRead(b *bench) {
	j := b.create()
	for _, param := range []*string{nil, new(""), new("größe=1\n")} {
		want := b.firing(j, b.now)
		want.Cause, want.CauseID, want.Param, want.Reason = job.CauseAPI, want.ID, param, "because"
		b.ok(b.AddRun(b.ctx(), want))
		want.JobKey = j.Key
		b.same("run", b.run(want.ID), want)
	}
	again := b.firing(j, b.now)
	again.Cause, again.CauseID = job.CauseAPI, again.ID-1
	b.kind(b.AddRun(b.ctx(), again), job.Conflict)
	again.JobID = 777
	b.kind(b.AddRun(b.ctx(), again), job.NotFound)
	_, err := b.RunByID(b.ctx(), 777_777)
	b.kind(err, job.NotFound)
}

func pastOnce(b *bench) {
	j := b.create()
	past := func(number int64, state job.State) job.Run {
		r := b.firing(j, time.Time{})
		r.PlannedAt, r.ReadyAt, r.DueAt = time.Time{}, time.Time{}, time.Time{}
		r.Cause, r.CauseID, r.State, r.Reason, r.Message = job.CauseAPI, number, state, "of another", "said"
		r.StartedAt, r.EndedAt = b.at(-90), b.at(-60)
		return r
	}
	first, second := past(4, job.Failed), past(5, job.Succeeded)
	added, err := b.AddPastRuns(b.ctx(), []job.Run{first, second})
	b.ok(err)
	b.same("added", added, 2)
	first.JobKey, first.DueAt = j.Key, first.StartedAt
	b.same("run", b.run(first.ID), first)
	added, err = b.AddPastRuns(b.ctx(), []job.Run{past(4, job.Failed), past(6, job.Lost)})
	b.ok(err)
	b.same("added again", added, 1)
	b.same("runs", len(b.runs(j)), 3)
	history, err := b.History(b.ctx(), j.ID, 0, 10)
	b.ok(err)
	b.same("its end", history[0].EndedAt, b.at(-60))
	added, err = b.AddPastRuns(b.ctx(), nil)
	b.ok(err)
	b.same("none", added, 0)
}

// pastCounted: what is taken over counts on the day and in the hour of its end, once, and
// in no minute, by which the work of now is judged.
func pastCounted(b *bench) {
	j := b.create()
	yesterday := job.DayOf(b.now).Add(-90 * time.Minute)
	past := func(number int64, state job.State, ended time.Time, took time.Duration) job.Run {
		r := b.firing(j, time.Time{})
		r.PlannedAt, r.ReadyAt, r.DueAt = time.Time{}, time.Time{}, time.Time{}
		r.Cause, r.CauseID, r.State = job.CauseAPI, number, state
		r.StartedAt, r.EndedAt = ended.Add(-took), ended
		return r
	}
	for range 2 { // with new ids
		_, err := b.AddPastRuns(b.ctx(), []job.Run{
			past(1, job.Succeeded, yesterday, time.Minute), past(2, job.Failed, yesterday.Add(time.Second), 0),
			past(3, job.Lost, yesterday, time.Hour), past(4, job.TimedOut, b.at(-60), time.Second),
		})
		b.ok(err)
	}
	first := job.Stats{Day: job.DayOf(yesterday), Succeeded: 1, Failed: 1, Lost: 1, Timed: 1, Took: time.Minute, TookMax: time.Minute}
	second := job.Stats{Day: job.DayOf(b.at(-60)), TimedOut: 1, Timed: 1, Took: time.Second, TookMax: time.Second}
	b.same("days", b.statsOf(j), []job.Stats{first, second})
	f := b.hours()
	f.From, f.To = yesterday.Add(-time.Hour), job.DayOf(b.now)
	hour := queries.Slot{From: yesterday.Truncate(queries.SlotLength), Stats: first}
	hour.Day = time.Time{}
	hour.Spread.Count(time.Minute)
	b.same("hours", b.slots(f), []queries.Slot{hour})
	f.Short = true
	b.same("minutes", len(b.slots(f)), 0)
}

func addedDue(b *bench) {
	j := b.create()
	for i, c := range []struct{ planned, ready, due, want time.Time }{
		{b.at(1), b.at(2), b.at(3), b.at(3)},
		{b.at(1), b.at(2), time.Time{}, b.at(2)},
		{b.at(1), time.Time{}, time.Time{}, b.at(1)},
	} {
		r := b.firing(j, c.planned)
		r.CauseID, r.ReadyAt, r.DueAt = int64(i), c.ready, c.due
		if c.ready.IsZero() {
			r.State, r.EndedAt = job.Skipped, b.now
		}
		b.ok(b.AddRun(b.ctx(), r))
		b.same("due", b.run(r.ID).DueAt, c.want)
	}
	runs := b.claim(b.at(9), b.at(99), 9, j.GroupID)
	b.same("number of claimed runs", len(runs), 2)
	for _, r := range runs {
		b.same("ready and due of a claimed run", []time.Time{r.ReadyAt, r.DueAt}, []time.Time{b.run(r.ID).DueAt, r.ReadyAt})
	}
}

func addedWithoutSlot(b *bench) {
	j := b.create()
	for range 2 {
		want := b.firing(j, b.now)
		want.Cause, want.CauseID, want.PlannedAt = job.CauseManual, want.ID, time.Time{}
		b.ok(b.AddRun(b.ctx(), want))
		want.JobKey = j.Key
		b.same("run", b.run(want.ID), want)
		a := b.dispatch(want)
		b.same("slot in the snapshot", b.snapshot(a.ID).Run.PlannedAt, time.Time{})
	}
}

func addedVersion(b *bench) {
	old := b.create()
	r := b.firing(old, b.now)
	saved := b.save(old, func(j *job.Job) { j.Group = changed })
	b.ok(b.AddRun(b.ctx(), r))
	got := b.run(r.ID)
	b.same("version and group", []int64{got.JobVersion, got.GroupID}, []int64{2, saved.GroupID})
	b.dispatch(got)
}

func runPages(b *bench) {
	one, two := b.create(), b.create()
	var ids []int64 // newest first
	for i := range 6 {
		j := one
		if i%3 == 2 {
			j = two
		}
		ids = append([]int64{b.trigger(j, b.now).ID}, ids...)
	}
	b.dispatch(b.run(ids[1]))
	for _, c := range []struct {
		filter jobrows.RunFilter
		want   []int64
	}{
		{jobrows.RunFilter{}, ids},
		{jobrows.RunFilter{Limit: 2}, ids[:2]},
		{jobrows.RunFilter{Limit: 2, BeforeID: ids[1]}, ids[2:4]},
		{jobrows.RunFilter{JobID: two.ID}, []int64{ids[0], ids[3]}},
		{jobrows.RunFilter{JobID: two.ID, BeforeID: ids[0]}, []int64{ids[3]}},
		{jobrows.RunFilter{JobID: one.ID, Limit: 1, State: job.Planned}, []int64{ids[2]}},
		{jobrows.RunFilter{State: job.Dispatched}, []int64{ids[1]}},
		{jobrows.RunFilter{State: job.Lost}, []int64{}},
		{jobrows.RunFilter{JobID: 777}, []int64{}},
	} {
		runs, err := b.Runs(b.ctx(), c.filter)
		b.ok(err)
		b.same("runs", idsOf(runs), c.want)
		for _, r := range runs {
			b.same("run", r, b.run(r.ID))
		}
	}
}

func cancelWaits(b *bench) {
	j := b.create()
	planned, queued := b.trigger(j, b.now), b.trigger(j, b.now)
	b.requeue(queued, 0)
	retried := b.retrying(b.trigger(j, b.now), b.at(60))
	for _, r := range []job.Run{planned, queued, retried} {
		got, err := b.CancelRun(b.ctx(), r.ID, "enough", b.at(2))
		b.ok(err)
		b.same("state, reason", []any{got.State, got.Reason}, []any{job.Cancelled, "enough"})
		b.same("end and next look", []time.Time{got.EndedAt, got.ReadyAt}, []time.Time{b.at(2), {}})
		b.same("job key", got.JobKey, j.Key)
		b.same("stored run", b.run(r.ID), got)
	}
	b.same("claim", len(b.claim(b.at(99), b.at(199), 9, j.GroupID)), 0)
	_, err := b.CancelRun(b.ctx(), 777_777, "", b.now)
	b.kind(err, job.NotFound)
}

func cancelLate(b *bench) {
	j := b.create()
	sent, running, over := b.trigger(j, b.now), b.trigger(j, b.now), b.trigger(j, b.now)
	b.dispatch(sent)
	b.accept(b.dispatch(running))
	b.complete(b.dispatch(over), job.Succeeded)
	for _, r := range []job.Run{sent, running, over} {
		before := b.run(r.ID)
		got, err := b.CancelRun(b.ctx(), r.ID, "enough", b.at(2))
		b.ok(err)
		b.same("returned run", got, before)
		b.same("stored run", b.run(r.ID), before)
	}
}

func attemptOrder(b *bench) {
	r := b.trigger(b.create(), b.now)
	b.same("attempts before the first", len(b.attempts(r.ID)), 0)
	var want []int64
	for range 3 {
		a := b.dispatch(b.run(r.ID))
		want = append(want, a.ID)
		b.requeue(b.run(r.ID), a.ID)
	}
	var got []int64
	for i, a := range b.attempts(r.ID) {
		b.same("number", a.Number, i+1)
		got = append(got, a.ID)
	}
	b.same("attempts", got, want)
}
