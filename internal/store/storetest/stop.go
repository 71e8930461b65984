package storetest

import (
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func stopTests() []test {
	return []test{
		{"an ended job keeps its reason until it is started", stopReasons},
		{"the count of firings restarts", firedAnew},
		{"failed runs in a row are counted", streaks},
		{"a completion stops the job", completionStops},
		{"a stop of a stopped or deleted job changes nothing", stopTwice},
		{"misfire limits are kept", limitsKept},
	}
}

// end plans the job's last firing.
func (b *bench) end(j job.Job, fired int) {
	b.Helper()
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: j.Version, From: j.NextAt, Last: j.NextAt, Fired: fired, StopReason: "it fired often enough",
		Runs: []job.Run{b.firing(j, j.NextAt)},
	}), true)
}

func stopReasons(b *bench) {
	j := b.create()
	b.end(j, 3)
	j = b.job(j.Key)
	b.same("ended job", []any{j.Enabled, j.NextAt, j.StopReason, j.Fired}, []any{false, time.Time{}, "it fired often enough", 3})
	j = b.save(j, func(j *job.Job) { j.Title, j.StopReason, j.UpdatedAt = changed, "", b.now })
	b.same("reason after a change", j.StopReason, "it fired often enough")
	b.same("job", b.job(j.Key), j)
	b.reopen()
	j = b.save(j, func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(9) })
	b.same("reason after a start", j.StopReason, "")
	b.same("job", b.job(j.Key), j)
	j = b.save(j, func(j *job.Job) { j.Enabled, j.StopReason = false, "made up" })
	b.same("reason after a user's stop", j.StopReason, "")
	b.same("job", b.job(j.Key), j)
}

func firedAnew(b *bench) {
	for _, c := range []struct {
		name string
		edit func(*job.Job)
		want int
	}{
		{"another title", func(j *job.Job) { j.Title = changed }, 4},
		{"another count in the job", func(j *job.Job) { j.Fired = 77 }, 4},
		{"another schedule", func(j *job.Job) { j.Schedule.Every = time.Hour }, 0},
		{"a user's stop", func(j *job.Job) { j.Enabled = false }, 4},
	} {
		j := b.create()
		b.same("took effect", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Fired: 4}), true)
		b.same("fired", b.job(j.Key).Fired, 4)
		j = b.save(j, c.edit)
		b.same("fired after "+c.name, []int{j.Fired, b.job(j.Key).Fired}, []int{c.want, c.want})
		if !j.Enabled {
			j = b.save(j, func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(5) })
			b.same("fired after a user's start", b.job(j.Key).Fired, 4)
		}
		due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(99), 9)
		b.ok(err)
		b.same("fired of the due job", due[0].Fired, c.want)
		b.ok(b.DeleteJob(b.ctx(), j, ""))
	}
	j := b.create()
	b.end(j, 3)
	j = b.save(b.job(j.Key), func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(9) })
	b.same("fired after its end and a start", []int{j.Fired, b.job(j.Key).Fired}, []int{0, 0})
}

// fail ends a run of the job and changes its streak.
func (b *bench) fail(j job.Job, streak completer.Streak) {
	b.Helper()
	c := b.completion(b.dispatch(b.trigger(j, b.now)), job.Failed)
	c.Failures = streak
	b.same("completion", b.commit(c), []bool{true})
}

func streaks(b *bench) {
	j, other := b.create(func(j *job.Job) { j.StopAfter = 5 }), b.create()
	for i, c := range []struct {
		streak completer.Streak
		want   int
	}{
		{completer.StreakSame, 0},
		{completer.StreakGrows, 1},
		{completer.StreakGrows, 2},
		{completer.StreakSame, 2},
		{completer.StreakBroken, 0},
		{completer.StreakBroken, 0},
		{completer.StreakGrows, 1},
	} {
		b.fail(j, c.streak)
		b.same("failures", []int{i, b.job(j.Key).Failures}, []int{i, c.want})
		s := b.snapshot(b.dispatch(b.trigger(j, b.now)).ID)
		b.same("snapshot", []int{s.StopAfter, s.Failures}, []int{5, c.want})
	}
	b.same("failures of another job", b.job(other.Key).Failures, 0)
	j = b.save(b.job(j.Key), func(j *job.Job) { j.Title, j.Failures = changed, 77 })
	b.same("failures after a change", []int{j.Failures, b.job(j.Key).Failures}, []int{1, 1})
	j = b.save(j, func(j *job.Job) { j.Enabled = false })
	b.same("failures after a stop", b.job(j.Key).Failures, 1)
	j = b.save(j, func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(5) })
	b.same("failures after a start", []int{j.Failures, b.job(j.Key).Failures}, []int{0, 0})
	b.fail(j, completer.StreakGrows)
	j = b.save(j, func(j *job.Job) { j.StopAfter = 0 })
	b.same("failures that are not counted any more", []int{j.Failures, b.job(j.Key).Failures}, []int{0, 0})
}

func completionStops(b *bench) {
	j, other := b.create(func(j *job.Job) { j.StopAfter = 1 }), b.create()
	planned, queued, sent := b.firing(j, b.at(3)), b.trigger(j, b.now), b.trigger(j, b.now)
	b.ok(b.AddRun(b.ctx(), planned))
	stranger := b.trigger(other, b.at(3))
	b.requeue(queued, 0)
	a := b.dispatch(sent)
	c := b.completion(b.dispatch(b.trigger(j, b.now)), job.Failed)
	c.Failures, c.StopReason, c.NextAt = completer.StreakGrows, "1 run failed", b.at(60)
	b.same("completion", b.commit(c), []bool{true})

	want := j
	want.Enabled, want.NextAt, want.StopReason, want.Failures = false, time.Time{}, "1 run failed", 1
	want.Version, want.UpdatedAt = 2, b.at(6)
	b.same("stopped job", b.job(j.Key), want)
	b.next(j, time.Time{})
	over := b.state(planned.ID, job.Cancelled)
	b.same("reason and end", []any{over.Reason, over.EndedAt}, []any{"1 run failed", b.at(6)})
	b.state(stranger.ID, job.Planned)
	b.same("version of a sent run", b.state(sent.ID, job.Dispatched).JobVersion, int64(1))
	b.complete(a, job.Succeeded)
	got := b.state(queued.ID, job.Queued)
	b.same("version of a queued run", got.JobVersion, int64(2))
	b.dispatch(got)
	_, err := b.SaveJob(b.ctx(), j, "") // read before it was stopped
	b.kind(err, job.Conflict)

	waiting := b.after()
	c = b.completion(b.dispatch(b.fire(waiting, b.now)), job.Failed)
	c.StopReason = "enough"
	b.same("completion", b.commit(c), []bool{true})
	b.same("enabled", b.job(waiting.Key).Enabled, false)
	b.save(b.job(waiting.Key), func(j *job.Job) { j.Enabled, j.NextAt = true, b.at(30) })
	b.next(waiting, b.at(30))
}

func stopTwice(b *bench) {
	j, gone := b.create(), b.create()
	stop := func(a job.Attempt) {
		c := b.completion(a, job.Failed)
		c.Failures, c.StopReason = completer.StreakGrows, "it failed"
		b.same("completion", b.commit(c), []bool{true})
	}
	one, two := b.dispatch(b.trigger(j, b.now)), b.dispatch(b.trigger(gone, b.now))
	j = b.save(j, func(j *job.Job) { j.Enabled = false })
	planned := b.trigger(j, b.at(3))
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	stop(one)
	stop(two)
	j.Failures = 1
	b.same("stopped job", b.job(j.Key), j)
	b.state(planned.ID, job.Planned)
}

func limitsKept(b *bench) {
	limits := schedule.MisfireLimits{
		Threshold: 1500 * time.Millisecond, Window: 24 * time.Hour, Max: 7, Spacing: 30 * time.Second,
	}
	j := b.create(func(j *job.Job) { j.MisfireLimits, j.Misfire = limits, schedule.MisfireFireAll })
	b.same("created", b.job(j.Key), j)
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.now, 9)
	b.ok(err)
	b.same("limits of the due job", due[0].Limits, limits)
	j = b.save(j, func(j *job.Job) { j.MisfireLimits = schedule.MisfireLimits{} })
	b.same("changed", b.job(j.Key), j)
}
