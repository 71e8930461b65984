package storetest

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

func planTests() []test {
	return []test{
		{"due jobs come earliest first", dueOrder},
		{"the next firing of all", nextDue},
		{"a plan moves the job and writes its runs", planWrites},
		{"a plan that lost writes nothing", planLoses},
		{"a plan by old rules writes nothing", planByOldRules},
		{"an edit wins over a plan that was made before it", editWins},
		{"a firing is written once", firingOnce},
		{"a slot has one run, whatever its cause", slotOnce},
		{"a job without a further firing is stopped", planEnds},
		{"many planners of one firing make one run", manyPlanners},
		{"due jobs are read in pages", duePages},
		{"a firing is a move, a run and its attempt", firingWrites},
		{"a firing that lost writes nothing", firingLoses},
		{"a firing of a busy job waits", firingMeets},
		{"a firing that exists is not sent again", firingExists},
		{"a firing is split into shards", firingSplits},
		{"the last firing, and one that awaits its run", firingEnds},
		{"a firing and a plan make one run", firingRace},
	}
}

// planner1 is a move without runs.
func planner1(j job.Job, from, next time.Time) planner.Move {
	return planner.Move{JobID: j.ID, Version: j.Version, From: from, Next: next}
}

// A plan that was made by earlier calendars and pauses changes nothing: the job is to be
// looked at again, and that would be lost.
func planByOldRules(b *bench) {
	b.saveCalendar(b.calendar("a"))
	j := b.create(naming("a"))
	before := b.rules(0).Version
	b.saveCalendar(b.calendar("b"))
	move := planner.Move{JobID: j.ID, Version: 1, Rules: before, From: j.NextAt, Next: b.at(60)}
	b.same("plan by old rules", b.plan(move), false)
	b.same("job", b.job(j.Key), j)
	move.Rules = b.rules(0).Version
	b.same("plan by the present ones", b.plan(move), true)
	b.next(j, b.at(60))
}

// A plan is of the job that was read for it, and of no other version: its runs would never
// be sent, or be of a job that has come since.
func editWins(b *bench) {
	j := b.create()
	edited := b.save(j, func(j *job.Job) { j.Title = changed })
	b.same("version and next firing", []any{edited.Version, edited.NextAt}, []any{int64(2), j.NextAt})
	for _, version := range []int64{1, 3} {
		r := b.firing(j, b.now)
		r.JobVersion = version
		move := planner.Move{JobID: j.ID, Version: version, From: b.now, Next: b.at(1), Last: b.now, Runs: []job.Run{r}}
		b.same(fmt.Sprintf("plan of version %d", version), b.plan(move), false)
		b.same("job", b.job(j.Key), edited)
		b.same("runs", len(b.runs(j)), 0)
	}
}

func dueOrder(b *bench) {
	late := b.create(func(j *job.Job) { j.NextAt = b.at(3) })
	early := b.create(func(j *job.Job) { j.NextAt = b.at(1) })
	b.create(func(j *job.Job) { j.NextAt = b.at(5) })
	b.create(func(j *job.Job) { j.Enabled, j.NextAt = false, time.Time{} })
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(3), 10)
	b.ok(err)
	want := make([]planner.Due, 0, 2)
	for _, j := range []job.Job{early, late} {
		want = append(want, planner.Due{
			JobID: j.ID, Version: 1, Namespace: job.DefaultNamespace, GroupID: j.GroupID, Next: j.NextAt, Look: j.NextAt,
			Since: j.UpdatedAt, Schedule: j.Schedule, Misfire: j.Misfire,
		})
	}
	b.same("due jobs", due, want)
	due, err = b.DueJobs(b.ctx(), planner.Cursor{}, b.at(9), 1)
	b.ok(err)
	b.same("due jobs within the limit", due, want[:1])
	due, err = b.DueJobs(b.ctx(), planner.Cursor{}, b.at(0), 10)
	b.ok(err)
	b.same("jobs due earlier", len(due), 0)
}

func nextDue(b *bench) {
	_, ok, err := b.NextDue(b.ctx())
	b.ok(err)
	b.same("found in an empty store", ok, false)
	b.create(func(j *job.Job) { j.NextAt = b.at(3) })
	j := b.create(func(j *job.Job) { j.NextAt = b.at(1) })
	next, ok, err := b.NextDue(b.ctx())
	b.ok(err)
	b.same("found", ok, true)
	b.same("next", next, b.at(1))
	b.save(j, func(j *job.Job) { j.Enabled = false })
	next, _, err = b.NextDue(b.ctx())
	b.ok(err)
	b.same("next after a stop", next, b.at(3))
}

func planWrites(b *bench) {
	j := b.create()
	planned, skipped := b.firing(j, b.now), b.firing(j, b.at(-60))
	planned.ReadyAt = b.at(15) // claimed by the planner's server
	planned.Reason = "missed by 3s"
	skipped.Cause, skipped.State, skipped.Reason = job.CauseMisfire, job.Skipped, "2 firings missed"
	skipped.ReadyAt, skipped.EndedAt = time.Time{}, b.now
	done := b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Last: b.now, Runs: []job.Run{skipped, planned},
	})
	b.same("took effect", done, true)
	for _, want := range []job.Run{planned, skipped} {
		want.JobKey = j.Key
		b.same("run", b.run(want.ID), want)
	}
	moved := b.job(j.Key)
	b.same("next, last and version", []any{moved.NextAt, moved.LastAt, moved.Version}, []any{b.at(1), b.now, int64(1)})

	b.same("took effect", b.plan(planner1(j, b.at(1), b.at(2))), true)
	b.same("last without a new one", b.job(j.Key).LastAt, b.now)
}

func planLoses(b *bench) {
	j := b.create()
	stopped := b.save(b.create(), func(j *job.Job) { j.Enabled = false })
	good := b.create()
	r := b.firing(j, b.now)
	moves := []planner.Move{
		{JobID: j.ID, Version: 2, From: b.now, Next: b.at(1), Runs: []job.Run{r}},
		{JobID: j.ID, Version: 1, From: b.at(1), Next: b.at(2), Runs: []job.Run{r}},
		{JobID: stopped.ID, Version: 2, From: b.now, Next: b.at(1), Runs: []job.Run{b.firing(stopped, b.now)}},
		{JobID: 777, Version: 1, From: b.now, Next: b.at(1)},
		{JobID: good.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{b.firing(good, b.now)}},
	}
	done, err := b.CommitPlan(b.ctx(), moves)
	b.ok(err)
	b.same("took effect", done, []bool{false, false, false, false, true})
	b.same("untouched job", b.job(j.Key), j)
	b.same("stopped job", b.job(stopped.Key), stopped)
	for _, m := range moves[:4] {
		for _, r := range m.Runs {
			_, err := b.RunByID(b.ctx(), r.ID)
			b.kind(err, job.NotFound)
		}
	}
	b.state(moves[4].Runs[0].ID, job.Planned)
	done, err = b.CommitPlan(b.ctx(), nil)
	b.ok(err)
	b.same("results of no moves", len(done), 0)
}

func firingOnce(b *bench) {
	j := b.create()
	first := b.firing(j, b.now)
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{first},
	}), true)
	again, misfire, next := b.firing(j, b.now), b.firing(j, b.now), b.firing(j, b.at(1))
	misfire.Cause = job.CauseMisfire
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.at(1), Next: b.at(2), Runs: []job.Run{again, misfire, next},
	}), true)
	for _, r := range []job.Run{again, misfire} {
		_, err := b.RunByID(b.ctx(), r.ID)
		b.kind(err, job.NotFound)
	}
	b.state(first.ID, job.Planned)
	b.state(next.ID, job.Planned)
	b.kind(b.AddRun(b.ctx(), b.firing(j, b.now)), job.Conflict)
}

// A slot has one run, on time or late, whichever planner comes first. What users ask for
// at the same instant is another firing.
func slotOnce(b *bench) {
	j := b.create()
	late := b.firing(j, b.now)
	late.Cause = job.CauseMisfire
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{late},
	}), true)
	onTime, told, backfilled := b.firing(j, b.now), b.firing(j, b.now), b.firing(j, b.now)
	told.Cause, told.State, told.ReadyAt, told.EndedAt = job.CauseMisfire, job.Skipped, time.Time{}, b.now
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.at(1), Next: b.at(2), Runs: []job.Run{onTime, told},
	}), true)
	b.same("runs", len(b.runs(j)), 1)
	b.kind(b.AddRun(b.ctx(), onTime), job.Conflict)
	backfilled.Cause, backfilled.CauseID = job.CauseBackfill, 7
	b.ok(b.AddRun(b.ctx(), backfilled))
	b.same("runs with that of a backfill", len(b.runs(j)), 2)
}

func planEnds(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	b.same("took effect", b.plan(planner.Move{
		JobID: j.ID, Version: 1, From: b.now, Last: b.now, Runs: []job.Run{r},
	}), true)
	ended := b.job(j.Key)
	b.same("enabled, next", []any{ended.Enabled, ended.NextAt}, []any{false, time.Time{}})
	b.same("a second end", b.plan(planner.Move{JobID: j.ID, Version: 1, From: b.now}), false)
	b.dispatch(b.state(r.ID, job.Planned)) // the last run is sent all the same
	b.same("run and job have one version", b.run(r.ID).JobVersion, ended.Version)
}

func manyPlanners(b *bench) {
	j := b.create()
	wins := make(chan bool, 30)
	for range cap(wins) {
		r := b.firing(j, b.now)
		go func() {
			done, err := b.CommitPlan(b.ctx(), []planner.Move{{
				JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{r},
			}})
			if err != nil {
				b.Errorf("unexpected error: %v", err)
			}
			wins <- len(done) == 1 && done[0]
		}()
	}
	n := 0
	for range cap(wins) {
		if <-wins {
			n++
		}
	}
	b.same("winners", n, 1)
	b.same("runs", len(b.runs(j)), 1)
}
