package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

func pauseTests() []test {
	return []test{
		{"saved pauses are read", pauseIsRead},
		{"a pause is written over", pauseReplaced},
		{"a pause is changed from the version that was seen", pauseVersions},
		{"groups are found when they exist", pauseGroups},
		{"a held job is looked at when its pause changes", pauseHolds},
		{"a pause that was lifted holds nothing", pauseLost},
		{"a held job that is changed is not held", pauseSaved},
		{"limits", pauseLimits},
	}
}

// pause writes an open pause; edit may change it.
func (b *bench) pause(key string, edit ...func(*job.Pause)) job.Pause {
	b.Helper()
	p := job.Pause{Key: key, Reason: "维护", From: b.now, CreatedAt: b.now}
	for _, fn := range edit {
		fn(&p)
	}
	p, err := b.SavePause(b.ctx(), p)
	b.ok(err)
	return p
}

// hold lets a planner hold the job until an instant.
func (b *bench) hold(j job.Job, pause string, until time.Time) bool {
	b.Helper()
	return b.holdBy(b.rules(0).Version, j, pause, until)
}

// holdBy does so by rules of a version.
func (b *bench) holdBy(version int64, j job.Job, pause string, until time.Time) bool {
	b.Helper()
	return b.plan(planner.Move{
		JobID: j.ID, Version: j.Version, Rules: version, From: j.NextAt, Next: j.NextAt, Look: until, HeldBy: pause,
	})
}

func pauseIsRead(b *bench) {
	none, err := b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses at first", len(none), 0)
	full := b.pause("b", func(p *job.Pause) {
		p.Namespace, p.Groups, p.Until = "team-a", []string{"one", "two"}, b.at(900)
		p.Window = &job.Window{Cron: "0 0 2 * * ?", Zone: "Europe/Berlin", For: time.Hour}
	})
	open := b.pause("a")
	b.reopen()
	all, err := b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses", all, []job.Pause{open, full})
	b.same("pauses of the rules", b.rules(0).Pauses, []planner.Pause{{Pause: open}, {Pause: full}})
	if full.ID == open.ID || full.ID == 0 {
		b.Fatalf("ids %d and %d", full.ID, open.ID)
	}
	b.ok(b.DeletePause(b.ctx(), "a", b.now))
	b.kind(b.DeletePause(b.ctx(), "a", b.now), job.NotFound)
	all, err = b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses", all, []job.Pause{full})
}

func pauseReplaced(b *bench) {
	old := b.pause("a")
	next := b.pause("a", func(p *job.Pause) { p.Reason, p.Until, p.CreatedAt = changed, b.at(60), b.at(9) })
	b.same("id and creation", []any{next.ID, next.CreatedAt}, []any{old.ID, b.now})
	all, err := b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses", all, []job.Pause{next})
}

func pauseVersions(b *bench) {
	p := b.pause("a")
	b.same("first version", p.Version, int64(1))
	p.Reason = changed
	p, err := b.SavePause(b.ctx(), p)
	b.ok(err)
	b.same("next version", p.Version, int64(2))
	stale := p
	stale.Version = 1
	_, err = b.SavePause(b.ctx(), stale)
	b.kind(err, job.Conflict)
	stale.Key = "nobody made it"
	_, err = b.SavePause(b.ctx(), stale)
	b.kind(err, job.Conflict)
	b.reopen()
	all, err := b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses", all, []job.Pause{p})
}

func pauseGroups(b *bench) {
	b.pause("a", func(p *job.Pause) { p.Groups = []string{"second", "demo", "third"} })
	b.same("no group exists", b.rules(0).Pauses[0].GroupIDs, []int64(nil))
	j := b.create()
	b.same("one exists", b.rules(0).Pauses[0].GroupIDs, []int64{j.GroupID})
	b.beat("second", executorAddress, 90)
	second := b.create(func(j *job.Job) { j.Group = "second" })
	b.same("two exist", b.rules(0).Pauses[0].GroupIDs, []int64{second.GroupID, j.GroupID})
}

func pauseHolds(b *bench) {
	b.pause("a")
	b.pause("second")
	j, stranger, free := b.create(), b.create(), b.create()
	b.same("held", b.hold(j, "a", b.at(3600)), true)
	b.same("held", b.hold(stranger, "second", b.at(3600)), true)
	check := func(what string, look time.Time) {
		b.Helper()
		b.next1(j, b.now, look)
		b.next1(stranger, b.now, b.at(3600))
		b.next1(free, b.now, b.now)
		b.same("pause that held it, "+what, b.job(j.Key).HeldBy, "a")
	}
	check("held", b.at(3600))
	due, err := b.DueJobs(b.ctx(), planner.Cursor{}, b.at(1), 9)
	b.ok(err)
	b.same("due jobs", len(due), 1)

	b.pause("a", func(p *job.Pause) { p.Until = b.at(60) })
	check("replaced", b.now)
	b.same("held again", b.hold(j, "a", b.at(60)), true)
	check("held again", b.at(60))
	b.reopen()
	b.ok(b.DeletePause(b.ctx(), "a", b.at(5)))
	check("lifted", b.now)

	b.same("took effect", b.plan(planner1(j, b.now, b.at(1))), true)
	b.next(j, b.at(1))
	b.same("held by nothing", b.job(j.Key).HeldBy, "")
	due, err = b.DueJobs(b.ctx(), planner.Cursor{}, b.at(4000), 9)
	b.ok(err)
	held := map[int64]string{}
	for _, d := range due {
		held[d.JobID] = d.HeldBy
	}
	b.same("held", held, map[int64]string{j.ID: "", stranger.ID: "second", free.ID: ""})
}

// A planner that read the rules before a pause was deleted must not hold a job after that:
// nothing would release it.
func pauseLost(b *bench) {
	j := b.create()
	b.pause("a")
	before := b.rules(0).Version
	b.ok(b.DeletePause(b.ctx(), "a", b.now))
	b.same("held", b.holdBy(before, j, "a", b.at(3600)), false)
	b.next(j, b.now)
	b.same("job", b.job(j.Key), j)

	var all sync.WaitGroup
	jobs := make([]job.Job, 20)
	for i := range jobs {
		jobs[i] = b.create()
	}
	b.pause("b")
	before = b.rules(0).Version
	all.Go(func() {
		if err := b.DeletePause(b.ctx(), "b", b.now); err != nil {
			b.Errorf("unexpected error: %v", err)
		}
	})
	for _, j := range jobs {
		all.Go(func() {
			_, err := b.CommitPlan(b.ctx(), []planner.Move{{
				JobID: j.ID, Version: 1, Rules: before, From: b.now, Next: b.now, Look: b.at(3600), HeldBy: "b",
			}})
			if err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	for _, j := range jobs {
		b.next(j, b.now)
	}
}

func pauseSaved(b *bench) {
	b.pause("a")
	j := b.create()
	b.same("held", b.hold(j, "a", b.at(3600)), true)
	saved := b.save(j, func(j *job.Job) { j.Title, j.HeldBy = changed, "made up" })
	b.same("saved", b.job(j.Key), saved)
	b.same("held by", saved.HeldBy, "")
	b.next(saved, b.now)
	b.same("held", b.hold(saved, "a", b.at(3600)), true)
	saved = b.save(saved, func(j *job.Job) { j.Enabled = false })
	b.next(saved, time.Time{})
	b.ok(b.DeletePause(b.ctx(), "a", b.now))
	b.next(saved, time.Time{})
	b.same("stopped job", b.job(j.Key), saved)
}

func pauseLimits(b *bench) {
	var all sync.WaitGroup
	for i := range job.MaxPauses {
		all.Go(func() {
			if _, err := b.SavePause(b.ctx(), job.Pause{Key: fmt.Sprintf("p-%d", i), From: b.now}); err != nil {
				b.Errorf("pause %d: %v", i, err)
			}
		})
	}
	all.Wait()
	_, err := b.SavePause(b.ctx(), job.Pause{Key: "one-more"})
	b.kind(err, job.Full)
	b.pause("p-7")
	b.ok(b.DeletePause(b.ctx(), "p-7", b.now))
	b.pause("one-more")
	pauses, err := b.Pauses(b.ctx())
	b.ok(err)
	b.same("pauses", len(pauses), job.MaxPauses)
}
