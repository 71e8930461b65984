package storetest

import (
	"slices"
	"time"

	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/job"
)

func explainTests() []test {
	return []test{
		{"runs are found by their slot", runsOfSlot},
		{"the firing before an instant is that of the latest slot", firingBefore},
		{"a firing that was made long after its slot is found by it", lateFiringBefore},
		{"runs of a higher priority and earlier ones are ahead of a run", runsAhead},
	}
}

// add writes a run for the slot so many seconds after now.
func (b *bench) add(j job.Job, at int, cause job.Cause, change ...func(r *job.Run)) int64 {
	r := b.firing(j, b.at(at))
	r.Cause = cause
	if cause == job.CauseManual {
		r.CauseID = r.ID
	}
	for _, c := range change {
		c(&r)
	}
	b.ok(b.AddRun(b.ctx(), r))
	return r.ID
}

func runsOfSlot(b *bench) {
	one, other := b.create(), b.create()
	b.add(one, 1, job.CauseSchedule)
	second, again := b.add(one, 2, job.CauseSchedule), b.add(one, 2, job.CauseManual)
	b.add(one, 3, job.CauseSchedule)
	foreign := b.add(other, 2, job.CauseSchedule)
	none := b.add(one, 0, job.CauseManual, func(r *job.Run) { r.PlannedAt = time.Time{} })
	for _, c := range []struct {
		job   job.Job
		at    time.Time
		limit int
		want  []int64
	}{
		{one, b.at(2), 10, []int64{second, again}},
		{one, b.at(2), 0, []int64{second, again}},
		{other, b.at(2), 10, []int64{foreign}},
		{other, b.at(1), 10, []int64{}},
		{one, b.at(2).Add(time.Millisecond), 10, []int64{}},
		{one, time.Time{}, 10, []int64{}}, // none serves it: not even the run without a slot
	} {
		runs, err := b.RunsOfSlot(b.ctx(), c.job.ID, c.at, c.limit)
		b.ok(err)
		found := idsOf(runs)
		slices.Sort(found)
		b.same("runs", found, c.want)
		for _, r := range runs {
			b.same("run", r, b.run(r.ID))
		}
	}
	runs, err := b.RunsOfSlot(b.ctx(), one.ID, b.at(2), 1)
	b.ok(err)
	b.same("at most", len(runs), 1)
	b.same("a run without a slot", b.run(none).PlannedAt.IsZero(), true)
}

func firingBefore(b *bench) {
	one, other := b.create(), b.create()
	first := b.add(one, 1, job.CauseSchedule)
	third := b.add(one, 3, job.CauseSchedule)
	b.add(one, 4, job.CauseManual)
	b.add(other, 4, job.CauseSchedule)
	missed := b.add(one, 5, job.CauseMisfire)
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{b.at(9), missed}, {b.at(5), third}, {b.at(3), first}, {b.at(3).Add(time.Millisecond), third}, {b.at(1), 0}, {time.Time{}, 0},
	} {
		run, known, err := b.FiringBefore(b.ctx(), one.ID, c.at)
		b.ok(err)
		b.same("known", known, c.want != 0)
		b.same("run", run.ID, c.want)
		if known {
			b.same("run", run, b.run(c.want))
		}
	}
}

func lateFiringBefore(b *bench) {
	j := b.create()
	early := b.add(j, 1, job.CauseSchedule)
	hour := 3600
	made := func(at int) func(r *job.Run) {
		return func(r *job.Run) { r.CreatedAt = b.at(at) }
	}
	late := b.add(j, 2*hour, job.CauseMisfire, made(9*hour)) // after an outage of hours
	b.add(j, 9*hour, job.CauseSchedule, made(9*hour))
	for at, want := range map[int]int64{3 * hour: late, hour: early} {
		run, _, err := b.FiringBefore(b.ctx(), j.ID, b.at(at))
		b.ok(err)
		b.same("run", run.ID, want)
	}
}

func runsAhead(b *bench) {
	low, normal, high := b.create(withPriority(job.PriorityLow)), b.create(), b.create(withPriority(job.PriorityHigh))
	foreign := b.create(withPriority(job.PriorityHigh), func(j *job.Job) { j.Group = "another" })
	b.trigger(high, b.at(1))
	b.trigger(high, b.at(9))  // due later than the run, and sent before it
	b.trigger(high, b.at(60)) // not due
	b.trigger(normal, b.at(2))
	b.trigger(normal, b.at(3))
	run := b.trigger(normal, b.at(4))
	b.trigger(normal, b.at(5))
	b.trigger(low, b.at(1))
	b.trigger(foreign, b.at(1))
	for _, c := range []struct {
		limit int
		want  explain.Ahead
	}{{10, explain.Ahead{Higher: 2, Earlier: 2}}, {1, explain.Ahead{Higher: 1, Earlier: 1}}, {-1, explain.Ahead{}}} {
		ahead, err := b.RunsAhead(b.ctx(), &run, b.at(10), c.limit)
		b.ok(err)
		b.same("ahead", ahead, c.want)
	}
}
