package storetest

import (
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

func reviveTests() []test {
	return []test{
		{"a change made before the last firing does not start the job again", reviveLate},
		{"a job whose firings are over can be started", reviveStart},
	}
}

// spend has the planner take the last firing of a job.
func (b *bench) spend(j job.Job) {
	b.Helper()
	b.same("moved", b.plan(planner.Move{
		JobID: j.ID, Version: j.Version, From: j.NextAt, Last: j.NextAt, Fired: 1, StopReason: "no further firing",
		Runs: []job.Run{b.firing(j, j.NextAt)},
	}), true)
}

func reviveLate(b *bench) {
	j := b.create()
	b.spend(j)

	late := j
	late.Title, late.UpdatedAt = changed, b.now
	_, err := b.SaveJob(b.ctx(), late, "")
	b.kind(err, job.Conflict)
	b.same("started", b.job(j.Key).Enabled, false)
	b.next(j, time.Time{})

	b.save(b.job(j.Key), func(j *job.Job) { j.Title = changed })
	b.same("started", b.job(j.Key).Enabled, false)
}

func reviveStart(b *bench) {
	j := b.create()
	b.spend(j)
	b.save(b.job(j.Key), func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(60) })
	b.next(j, b.at(60))
}
