package storetest

import (
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/watch"
	"github.com/orthd/orth/job"
)

func watchTests() []test {
	return []test{
		{"groups with waiting runs", groupsThatWait},
		{"runs that wait although they are due", runsThatWait},
		{"groups without executors", groupsWithout},
		{"jobs as events name them", jobsNamed},
		{"a reported problem lasts until it is over", saidLasts},
		{"one of two reports of the same problem takes effect", saidOnce},
	}
}

func (b *bench) said() []watch.Said {
	b.Helper()
	said, err := b.Said(b.ctx())
	b.ok(err)
	return said
}

func (b *bench) say(changes ...watch.Change) {
	b.Helper()
	b.ok(b.Say(b.ctx(), changes))
}

// groups returns the ids of groups that a page names.
func groups(events []alarm.Event) (ids []int64) {
	for _, e := range events {
		ids = append(ids, e.GroupID)
	}
	return ids
}

func groupsThatWait(b *bench) {
	idle := b.create(func(j *job.Job) { j.Group = "idle" })
	busy := b.create(func(j *job.Job) { j.Group = "busy" })
	more := b.create(func(j *job.Job) { j.Group = "more" })
	b.trigger(busy, b.now)
	b.trigger(more, b.at(99))
	b.dispatch(b.trigger(idle, b.now))
	found, err := b.WaitingGroups(b.ctx(), 0, 9)
	b.ok(err)
	b.same("groups", found, []alarm.Event{
		{Namespace: job.DefaultNamespace, GroupID: busy.GroupID, Group: "busy"},
		{Namespace: job.DefaultNamespace, GroupID: more.GroupID, Group: "more"},
	})
	found, err = b.WaitingGroups(b.ctx(), busy.GroupID, 9)
	b.ok(err)
	b.same("the next page", groups(found), []int64{more.GroupID})
}

func runsThatWait(b *bench) {
	j := b.create()
	first, second := b.trigger(j, b.at(-20)), b.trigger(j, b.at(-10))
	b.trigger(j, b.at(1)) // not due
	again := b.retrying(b.trigger(j, b.at(-30)), b.at(-5))
	hidden := b.trigger(b.create(func(j *job.Job) { j.Delivery.Priority = job.PriorityHigh }), b.at(-9))
	b.same("claimed", len(b.claim(b.now, b.at(60), 9, j.GroupID)) > 0, true)
	waiting, err := b.Waiting(b.ctx(), j.GroupID, b.now, 9)
	b.ok(err)
	got := make(map[int64]watch.Waiting)
	for _, w := range waiting {
		got[w.RunID] = w
	}
	b.same("runs", got, map[int64]watch.Waiting{
		hidden.ID: {RunID: hidden.ID, JobID: hidden.JobID, PlannedAt: b.at(-9), DueAt: b.at(-9), Cause: job.CauseManual},
		first.ID:  {RunID: first.ID, JobID: j.ID, PlannedAt: b.at(-20), DueAt: b.at(-20), Cause: job.CauseManual},
		second.ID: {RunID: second.ID, JobID: j.ID, PlannedAt: b.at(-10), DueAt: b.at(-10), Cause: job.CauseManual},
		again.ID:  {RunID: again.ID, JobID: j.ID, PlannedAt: b.at(-30), DueAt: b.at(-5), Cause: job.CauseManual, Begun: true},
	})
	few, err := b.Waiting(b.ctx(), j.GroupID, b.now, 2)
	b.ok(err)
	b.same("up to a limit", len(few), 2)
	for limit, want := range map[int]int{9: 4, 3: 3} {
		n, err := b.CountWaiting(b.ctx(), j.GroupID, b.now, limit)
		b.ok(err)
		b.same("counted", n, want)
	}
	b.dispatch(b.run(first.ID))
	still, err := b.StillWaiting(b.ctx(), []int64{first.ID, second.ID, 9999})
	b.ok(err)
	b.same("still waiting", still, []int64{second.ID})
}

func groupsWithout(b *bench) {
	down := b.create(func(j *job.Job) { j.Group = "down" })
	b.create(func(j *job.Job) { j.Group = "up" })
	b.create(func(j *job.Job) { j.Group, j.Enabled = "stopped", false })
	gone := b.create(func(j *job.Job) { j.Group = "gone" })
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	was := b.create(func(j *job.Job) { j.Group = "was" })
	b.beat("up", "http://10.0.0.1:1", 60)
	b.beat("was", "http://10.0.0.2:1", -500)
	found, err := b.DownGroups(b.ctx(), 0, b.at(1), 9)
	b.ok(err)
	b.same("groups", found, []alarm.Event{
		{Namespace: job.DefaultNamespace, GroupID: down.GroupID, Group: "down"},
		{Namespace: job.DefaultNamespace, GroupID: was.GroupID, Group: "was"},
	})
	found, err = b.DownGroups(b.ctx(), down.GroupID, b.at(1), 9)
	b.ok(err)
	b.same("the next page", groups(found), []int64{was.GroupID})
}

func jobsNamed(b *bench) {
	j := b.create(func(j *job.Job) {
		j.Title, j.Labels, j.AlarmEmails = "Title", map[string]string{"a": "b"}, []string{mailAddress}
	})
	gone := b.create()
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	found, err := b.LateJobs(b.ctx(), []int64{j.ID, gone.ID, 9999})
	b.ok(err)
	b.same("jobs", found, []alarm.Event{{
		Namespace: j.Namespace, GroupID: j.GroupID, Group: j.Group, JobID: j.ID, JobKey: j.Key, JobTitle: "Title", Labels: j.Labels,
		Emails: j.AlarmEmails,
	}})
}

// trouble is a lasting problem, reported at an instant: of a job or a group with the number
// 4.
func trouble(source alarm.Source, at time.Time) watch.Said {
	e := alarm.Event{At: at, Source: source, GroupID: 4, Group: "four", Since: at, Reason: "trouble"}
	if source == alarm.SourceLate {
		e.JobID = 4
	}
	return watch.Said{Event: e, ToldAt: at}
}

func saidLasts(b *bench) {
	down, late := trouble(alarm.SourceDown, b.at(1)), trouble(alarm.SourceLate, b.at(1))
	b.say(watch.Change{Said: down, Tell: &down.Event}, watch.Change{Said: late, Tell: &late.Event})
	b.reopen()
	b.same("told", b.said(), []watch.Said{down, late})
	moved := late
	moved.Event.RunID, moved.ToldAt = 7, b.at(2)
	up := down.Event
	up.Source = alarm.SourceUp
	b.say(watch.Change{Said: moved, Was: late.ToldAt}, watch.Change{Said: down, Was: down.ToldAt, Over: true, Tell: &up})
	b.same("told later", b.said(), []watch.Said{moved})
	var told []alarm.Source
	for _, e := range b.events(0) {
		told = append(told, e.Source)
	}
	b.same("events", told, []alarm.Source{alarm.SourceDown, alarm.SourceLate, alarm.SourceUp})
}

func saidOnce(b *bench) {
	one := trouble(alarm.SourceWaiting, b.at(1))
	begin := watch.Change{Said: one, Tell: &one.Event}
	b.say(begin, begin)
	b.say(begin)
	later := trouble(alarm.SourceWaiting, b.at(2))
	again := watch.Change{Said: later, Was: one.ToldAt, Tell: &later.Event}
	b.say(again)
	b.say(again)
	b.say(watch.Change{Said: one, Was: one.ToldAt, Over: true, Tell: &one.Event}) // it was reported again since
	b.same("told", b.said(), []watch.Said{later})
	over := watch.Change{Said: later, Was: later.ToldAt, Over: true, Tell: &later.Event}
	b.say(over, over)
	b.same("nothing lasts", len(b.said()), 0)
	ids := make([]int64, 0, 3)
	for _, e := range b.events(0) {
		ids = append(ids, e.ID)
	}
	b.same("events", len(ids) == 3 && slices.IsSorted(ids), true)
}
