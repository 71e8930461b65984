package storetest

import (
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// firingOf returns the firing of a job that is due now, with a mark or without.
func (b *bench) firingOf(j job.Job, marked bool) dispatcher.Firing {
	b.Helper()
	r := b.firing(j, b.now)
	r.ReadyAt = b.at(15)
	f := dispatcher.Firing{Move: &planner.Move{
		JobID: j.ID, Version: j.Version, From: b.now, Next: b.at(60), Last: b.now, Fired: 1, Runs: []job.Run{r},
	}}
	if marked {
		m := b.limited(&j, r)
		f.Mark = &m
	}
	return f
}

// births commits firings.
func (b *bench) births(firings ...dispatcher.Firing) []dispatcher.Birth {
	b.Helper()
	births, err := b.CommitFirings(b.ctx(), firings)
	b.ok(err)
	return births
}

func duePages(b *bench) {
	var want []int64
	for i := range 7 {
		want = append(want, b.create(func(j *job.Job) { j.NextAt = b.at(i / 3) }).ID)
	}
	for size := 1; size < 9; size++ {
		var got []int64
		for cursor := (planner.Cursor{}); ; {
			page, err := b.DueJobs(b.ctx(), cursor, b.at(9), size)
			b.ok(err)
			for _, d := range page {
				got = append(got, d.JobID)
				cursor = planner.Cursor{Look: d.Look, JobID: d.JobID}
			}
			if len(page) < size {
				break
			}
		}
		b.same("jobs of all pages", got, want)
	}
}

func firingWrites(b *bench) {
	j := b.create()
	f := b.firingOf(j, true)
	f.Mark.Deadline = time.Minute
	waits := b.firingOf(b.create(), false)
	b.same("births", b.births(f, waits), []dispatcher.Birth{dispatcher.BirthSent, dispatcher.BirthWaits})

	want := f.Move.Runs[0]
	want.JobKey, want.State, want.ReadyAt, want.AttemptID, want.Tries = j.Key, job.Dispatched, time.Time{}, f.Mark.Attempt.ID, 1
	b.same("run", b.run(want.ID), want)
	b.same("attempts", b.attempts(want.ID), []job.Attempt{f.Mark.Attempt})
	moved := b.job(j.Key)
	b.same("next, last, fired", []any{moved.NextAt, moved.LastAt, moved.Fired}, []any{b.at(60), b.now, 1})
	overdue, _, err := b.Overdue(b.ctx(), b.at(61), 9)
	b.ok(err)
	b.same("runs with a deadline that has passed", len(overdue), 1)

	r := b.state(waits.Move.Runs[0].ID, job.Planned)
	b.same("hidden until", r.ReadyAt, b.at(15))
	b.same("claimed before", len(b.claim(b.at(14), b.at(30), 9, r.GroupID)), 0)
	b.same("claimed after", len(b.claim(b.at(16), b.at(30), 9, r.GroupID)), 1)

	// It goes on as any other run.
	b.accept(f.Mark.Attempt)
	b.state(want.ID, job.Running)
	b.same("end", b.commit(b.completion(f.Mark.Attempt, job.Succeeded)), []bool{true})
	b.state(want.ID, job.Succeeded)
}

func firingLoses(b *bench) {
	edited, stopped, moved, ruled := b.create(), b.create(), b.create(), b.create()
	firings := []dispatcher.Firing{b.firingOf(edited, true), b.firingOf(stopped, true), b.firingOf(moved, true), b.firingOf(ruled, true)}
	firings[3].Move.Rules = b.rules(0).Version + 1
	b.save(edited, func(j *job.Job) { j.Title = changed })
	b.save(stopped, func(j *job.Job) { j.Enabled = false })
	b.same("another planner was quicker", b.plan(planner1(moved, b.now, b.at(5))), true)
	none := dispatcher.BirthNone
	b.same("births", b.births(firings...), []dispatcher.Birth{none, none, none, none})
	for _, f := range firings {
		_, err := b.RunByID(b.ctx(), f.Move.Runs[0].ID)
		b.kind(err, job.NotFound)
		b.same("attempts", len(b.attempts(f.Move.Runs[0].ID)), 0)
	}
	b.same("the job of old rules", b.job(ruled.Key), ruled)

	for what, wrong := range map[string]func(f *dispatcher.Firing){
		"two runs":    func(f *dispatcher.Firing) { f.Move.Runs = append(f.Move.Runs, b.firing(ruled, b.at(1))) },
		"another run": func(f *dispatcher.Firing) { f.Mark.Attempt.RunID++ },
		"a later try": func(f *dispatcher.Firing) { f.Mark.Attempt.Number = 2 },
		"another id":  func(f *dispatcher.Firing) { f.Mark.Attempt.ID = b.runID() },
		"from queued": func(f *dispatcher.Firing) { f.Mark.From = job.Queued },
	} {
		f := b.firingOf(ruled, true)
		wrong(&f)
		births, err := b.CommitFirings(b.ctx(), []dispatcher.Firing{f})
		b.kind(err, job.Invalid)
		b.same(what, len(births), 0)
	}
	b.same("of none", len(b.births()), 0)
}

func firingMeets(b *bench) {
	serial, pair := b.create(overlapping(job.OverlapSerial, 0)), b.create(overlapping(job.OverlapConcurrent, 2))
	b.sends(&serial, b.trigger(serial, b.now).ID)
	b.sends(&pair, b.trigger(pair, b.now).ID)
	busy, free := b.firingOf(serial, true), b.firingOf(pair, true)
	early, earlyFree := busy, b.firingOf(b.create(overlapping(job.OverlapDiscard, 0)), true)
	early.IfFree, earlyFree.IfFree = true, true
	b.same("births of what is to be free", b.births(early, earlyFree), []dispatcher.Birth{dispatcher.BirthBusy, dispatcher.BirthSent})
	_, err := b.RunByID(b.ctx(), busy.Move.Runs[0].ID)
	b.kind(err, job.NotFound)
	b.same("the job of a firing that is not decided", b.job(serial.Key).NextAt, serial.NextAt)
	b.same("births", b.births(busy, free), []dispatcher.Birth{dispatcher.BirthWaits, dispatcher.BirthSent})
	b.state(busy.Move.Runs[0].ID, job.Planned)

	// One that waits for nothing but its time is not overtaken either.
	late := b.create(overlapping(job.OverlapSerial, 0))
	waits := b.trigger(late, b.at(30))
	second := b.firingOf(late, true)
	second.IfFree = true
	b.same("births of what would overtake", b.births(second), []dispatcher.Birth{dispatcher.BirthBusy})
	b.state(waits.ID, waits.State)
	b.blocks(&serial, busy.Move.Runs[0].ID, job.BusyReason(job.OverlapSerial, 1, b.runs(serial)[1].ID))

	// A later one does not overtake the one that waits, although there is room.
	b.same("end", b.commit(b.completion(b.attempts(b.runs(serial)[1].ID)[0], job.Succeeded)), []bool{true})
	next := b.firingOf(serial, true)
	next.Move.From, next.Move.Next = b.at(60), b.at(120)
	next.Move.Runs[0].PlannedAt = b.at(60)
	next.IfFree = true
	b.same("births of what is to be free", b.births(next), []dispatcher.Birth{dispatcher.BirthBusy})
	next.IfFree = false
	b.same("births", b.births(next), []dispatcher.Birth{dispatcher.BirthWaits})
}

func firingExists(b *bench) {
	j := b.create()
	b.ok(b.AddRun(b.ctx(), b.firing(j, b.now)))
	f := b.firingOf(j, true)
	b.same("births", b.births(f), []dispatcher.Birth{dispatcher.BirthKnown})
	b.next(j, b.at(60))
	_, err := b.RunByID(b.ctx(), f.Move.Runs[0].ID)
	b.kind(err, job.NotFound)
	b.same("runs", len(b.runs(j)), 1)
	open, err := b.Unanswered(b.ctx(), b.at(60), 9)
	b.ok(err)
	b.same("attempts without an executor", len(open), 0)
}

func firingSplits(b *bench) {
	j := b.create(func(j *job.Job) { j.Route = job.RouteBroadcast })
	f := b.firingOf(j, true)
	parent := f.Move.Runs[0]
	f.Mark.Attempt.Address, f.Mark.Reason = "", "split into 2 shards"
	for i := range 2 {
		f.Mark.Shards = append(f.Mark.Shards, job.Run{
			ID: b.runID(), JobID: j.ID, JobVersion: j.Version, GroupID: j.GroupID, PlannedAt: parent.PlannedAt, Cause: job.CauseShard,
			CauseID: parent.ID, Shard: job.Shard{Index: i, Total: 2}, State: job.Queued, ReadyAt: b.now, DueAt: b.now, CreatedAt: b.now,
		})
	}
	b.same("births", b.births(f), []dispatcher.Birth{dispatcher.BirthSent})
	b.state(parent.ID, job.Running)
	b.same("shards that wait", len(b.claim(b.at(1), b.at(30), 9, j.GroupID)), 2)
}

func firingEnds(b *bench) {
	last := b.create()
	f := b.firingOf(last, true)
	f.Move.Next, f.Move.StopReason = time.Time{}, "over"
	after := b.after()
	awaits := b.firingOf(after, true)
	awaits.Move.Next, awaits.Move.Waits = time.Time{}, true
	sent := dispatcher.BirthSent
	b.same("births", b.births(f, awaits), []dispatcher.Birth{sent, sent})
	ended := b.job(last.Key)
	b.same("enabled, reason", []any{ended.Enabled, ended.StopReason}, []any{false, "over"})
	waiting := b.job(after.Key)
	b.same("enabled, next", []any{waiting.Enabled, waiting.NextAt}, []any{true, time.Time{}})
	c := b.completion(awaits.Mark.Attempt, job.Succeeded)
	c.NextAt, c.JobID = b.at(40), after.ID
	b.same("end", b.commit(c), []bool{true})
	b.next(after, b.at(40))
}

func firingRace(b *bench) {
	j := b.create()
	wins := make(chan int, 30)
	for i := range cap(wins) {
		f := b.firingOf(j, i%3 != 0)
		go func() {
			if i%2 == 0 {
				done, err := b.CommitPlan(b.ctx(), []planner.Move{*f.Move})
				if err != nil || len(done) != 1 {
					b.Errorf("a plan: %v, %v", done, err)
				}
				wins <- len(idsWhere(done))
				return
			}
			births, err := b.CommitFirings(b.ctx(), []dispatcher.Firing{f})
			if err != nil || len(births) != 1 {
				b.Errorf("a firing: %v, %v", births, err)
			}
			wins <- min(int(births[0]), 1)
		}()
	}
	n := 0
	for range cap(wins) {
		n += <-wins
	}
	b.same("winners", n, 1)
	b.same("runs", len(b.runs(j)), 1)
}

// idsWhere returns the places of those that took effect.
func idsWhere(done []bool) (places []int) {
	for i, took := range done {
		if took {
			places = append(places, i)
		}
	}
	return places
}
