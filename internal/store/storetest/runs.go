package storetest

import (
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

func runTests() []test {
	return []test{
		{"what is added is read", addedIsRead},
		{"a run is due when it says, or when it is ready", addedDue},
		{"a run for no slot has none", addedWithoutSlot},
		{"a run is added under its job's version", addedVersion},
		{"runs are listed in pages", runPages},
		{"a run that waits is cancelled", cancelWaits},
		{"a run that does not wait is not cancelled", cancelLate},
		{"attempts come in order", attemptOrder},
	}
}

// runs returns the runs of a job, the newest first.
func (b *bench) runs(j job.Job) []job.Run {
	b.Helper()
	runs, err := b.Runs(b.ctx(), catalog.RunFilter{JobID: j.ID})
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
		filter catalog.RunFilter
		want   []int64
	}{
		{catalog.RunFilter{}, ids},
		{catalog.RunFilter{Limit: 2}, ids[:2]},
		{catalog.RunFilter{Limit: 2, BeforeID: ids[1]}, ids[2:4]},
		{catalog.RunFilter{JobID: two.ID}, []int64{ids[0], ids[3]}},
		{catalog.RunFilter{JobID: two.ID, BeforeID: ids[0]}, []int64{ids[3]}},
		{catalog.RunFilter{JobID: one.ID, Limit: 1, State: job.Planned}, []int64{ids[2]}},
		{catalog.RunFilter{State: job.Dispatched}, []int64{ids[1]}},
		{catalog.RunFilter{State: job.Lost}, []int64{}},
		{catalog.RunFilter{JobID: 777}, []int64{}},
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
