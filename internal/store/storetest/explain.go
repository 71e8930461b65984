package storetest

import (
	"time"

	"github.com/orthd/orth/job"
)

func explainTests() []test {
	return []test{
		{"runs are found by their slots, the latest first", plannedRuns},
		{"runs without a slot are not found by slots", plannedWithoutSlot},
	}
}

func plannedRuns(b *bench) {
	one, other := b.create(), b.create()
	add := func(j job.Job, at int, cause job.Cause) int64 {
		r := b.firing(j, b.at(at))
		r.Cause = cause
		if cause == job.CauseManual {
			r.CauseID = r.ID
		}
		b.ok(b.AddRun(b.ctx(), r))
		return r.ID
	}
	third, first := add(one, 3, job.CauseSchedule), add(one, 1, job.CauseSchedule)
	second, again := add(one, 2, job.CauseSchedule), add(one, 2, job.CauseManual)
	foreign := add(other, 2, job.CauseSchedule)
	for _, c := range []struct {
		from, to, limit int
		want            []int64
	}{
		{0, 9, 10, []int64{third, second, again, first}},
		{0, 9, 0, []int64{third, second, again, first}},
		{0, 9, 1, []int64{third}},
		{1, 3, 10, []int64{second, again, first}},
		{3, 3, 10, []int64{}},
		{4, 9, 10, []int64{}},
	} {
		runs, err := b.RunsPlanned(b.ctx(), one.ID, b.at(c.from), b.at(c.to), c.limit)
		b.ok(err)
		b.same("number of runs", len(runs), len(c.want))
		seen := map[int64]bool{}
		for i, r := range runs {
			seen[r.ID] = true
			b.same("run", r, b.run(r.ID))
			if i > 0 && r.PlannedAt.After(runs[i-1].PlannedAt) {
				b.Errorf("the slot %s comes after %s", r.PlannedAt, runs[i-1].PlannedAt)
			}
		}
		for _, id := range c.want { // those of one slot are in no order
			b.same("found", seen[id], true)
		}
	}
	runs, err := b.RunsPlanned(b.ctx(), other.ID, b.at(2), b.at(2).Add(time.Millisecond), 10)
	b.ok(err)
	b.same("runs of the other job", idsOf(runs), []int64{foreign})
}

func plannedWithoutSlot(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	r.Cause, r.CauseID, r.PlannedAt = job.CauseManual, r.ID, time.Time{}
	b.ok(b.AddRun(b.ctx(), r))
	runs, err := b.RunsPlanned(b.ctx(), j.ID, time.Time{}, b.at(1), 10)
	b.ok(err)
	b.same("runs", idsOf(runs), []int64{})
}
