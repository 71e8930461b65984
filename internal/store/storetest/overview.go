package storetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func overviewTests() []test {
	return []test{
		{"what each place holds is counted", countHeld},
		{"activity is counted where the caller may read", countWithin},
		{"what waits for people, and for another attempt, is counted", countOpen},
	}
}

// held returns what all places hold, in order.
func (b *bench) held() []queries.Held {
	b.Helper()
	all, err := b.Held(b.ctx())
	b.ok(err)
	slices.SortFunc(all, func(x, y queries.Held) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Group, y.Group))
	})
	return all
}

func countHeld(b *bench) {
	b.same("nothing", len(b.held()), 0)
	jobs := b.placed()
	_, err := b.SaveCalendar(b.ctx(), job.Calendar{Namespace: "days", Key: "c", CreatedAt: b.now, UpdatedAt: b.now})
	b.ok(err)
	_, err = b.CreateGroup(b.ctx(), job.Group{Namespace: job.DefaultNamespace, Key: "empty", CreatedAt: b.now})
	b.ok(err)
	want := []queries.Held{
		{Namespace: "days", Calendars: 1},
		{Namespace: job.DefaultNamespace, Group: "empty", Groups: 1},
		{Namespace: job.DefaultNamespace, Group: "g1", Groups: 1, Jobs: 2},
		{Namespace: job.DefaultNamespace, Group: "g2", Groups: 1, Jobs: 1},
		{Namespace: job.DefaultNamespace, Group: "g3", Groups: 1},
		{Namespace: otherSpace, Group: "g2", Jobs: 1},
		{Namespace: "team", Group: "g1", Jobs: 1},
		{Namespace: "team", Group: "g3", Jobs: 1},
	}
	slices.SortFunc(want, func(x, y queries.Held) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Group, y.Group))
	})
	b.same("held", b.held(), want)
	for _, j := range jobs {
		if j.Namespace == otherSpace {
			b.ok(b.DeleteJob(b.ctx(), j, "gone"))
		}
	}
	b.same("without the deleted job", len(b.held()), len(want)-1)
}

func countWithin(b *bench) {
	jobs := b.placed() // of default g1, g2, g1, team g1, g3, other g2; the first, third and fifth are started
	for _, j := range jobs {
		b.trigger(j, b.now)
		b.dispatch(b.trigger(j, b.now))
	}
	counts := func(sight access.Sight, now time.Time) queries.Counts {
		b.Helper()
		c, err := b.Counts(b.ctx(), sight, now)
		b.ok(err)
		return c
	}
	scheduled := func(of ...job.Job) (all, soon int) {
		for _, j := range of {
			if j.Enabled && !j.NextAt.IsZero() {
				all++
				if j.NextAt.Before(b.now.Add(time.Hour)) {
					soon++
				}
			}
		}
		return all, soon
	}
	all, soon := scheduled(jobs...)
	b.same("everywhere", counts(everywhere, b.now), queries.Counts{Waiting: 6, Running: 6, Scheduled: all, Soon: soon})
	late := b.now.Add(queries.LateAfter + time.Second)
	b.same("late", counts(everywhere, late).Late, 6)
	b.same("nowhere", counts(access.Sight{}, late), queries.Counts{})
	all, soon = scheduled(jobs[0], jobs[2])
	one := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}}}
	b.same("a group", counts(one, b.now), queries.Counts{Waiting: 2, Running: 2, Scheduled: all, Soon: soon})
	all, soon = scheduled(jobs[3:]...)
	two := access.Sight{Places: []access.Place{{Namespace: "team", Group: access.All}, {Namespace: otherSpace, Group: "g2"}}}
	b.same("two places", counts(two, b.now), queries.Counts{Waiting: 3, Running: 3, Scheduled: all, Soon: soon})
}

func countOpen(b *bench) {
	j := b.create(func(j *job.Job) { j.Group = "g1" })
	b.bury(j, b.at(100), job.Failed)
	closed := b.bury(j, b.at(200), job.Failed)
	b.ok(b.closeLetters("known", closed.ID)[0])
	c := b.completion(b.dispatch(b.trigger(j, b.now)), job.Failed)
	c.RunState, c.RetryAt = job.WaitingRetry, b.at(9)
	b.same("retried", b.commit(c), []bool{true})
	b.decide(func(c *alerting.Changes) {
		over := b.alarmOf(2, 6)
		over.State, over.EndedAt, over.LookAt = words.Resolved, b.at(3), time.Time{}
		c.To.EventID, c.To.LastID, c.Alarms = 1, 2, []*alerting.Alarm{b.alarmOf(1, 5), over}
	})
	for _, of := range []struct {
		group string
		want  [3]int // letters, retries, alarms
	}{{"g1", [3]int{1, 1, 0}}, {"workers", [3]int{0, 0, 1}}, {access.All, [3]int{1, 1, 1}}, {"none", [3]int{}}} {
		sight := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: of.group}}}
		c, err := b.Counts(b.ctx(), sight, b.at(3600))
		b.ok(err)
		b.same(of.group, [3]int{c.DeadLetters, c.Retrying, c.Alarms}, of.want)
		b.same("late of "+of.group, c.Late, 0) // a run that waits for another attempt is not late
	}
}
