package storetest

import (
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func troubleTests() []test {
	return []test{
		{"the jobs that fail most", failingJobs},
		{"what waits, by group", backlogOfGroups},
		{"the jobs that fire next", upcomingJobs},
		{"how runs and jobs are called", namedThings},
	}
}

func failingJobs(b *bench) {
	often, once, good, gone := b.create(), b.create(), b.create(), b.create()
	fail := func(j job.Job, state job.State, at time.Time) int64 {
		a := b.dispatch(b.trigger(j, b.now))
		c := b.completion(a, state)
		c.EndedAt, c.Message, c.Reason = at, "it broke", "gave up"
		b.commit(c)
		return a.RunID
	}
	fail(often, job.Failed, b.at(-3600))
	fail(often, job.Failed, b.at(1))
	fail(good, job.Succeeded, b.at(1))
	fail(good, job.Cancelled, b.at(1))
	fail(gone, job.Failed, b.at(1))
	fail(gone, job.Failed, b.at(1))
	fail(gone, job.Failed, b.at(1))
	lost := fail(once, job.Lost, b.at(2))
	late := fail(often, job.TimedOut, b.at(3))
	b.ok(b.DeleteJob(b.ctx(), b.job(gone.Key), "gone"))
	f := queries.SlotFilter{Sight: everywhere, From: b.now, To: b.at(100)}
	found, partly, err := b.Failing(b.ctx(), &f)
	b.ok(err)
	entry := func(j job.Job, runs int, run int64, state job.State, at time.Time) queries.FailingJob {
		return queries.FailingJob{
			Namespace: j.Namespace, Group: j.Group, JobID: j.ID, JobKey: j.Key, Runs: runs,
			Last: job.Run{ID: run, State: state, EndedAt: at, Reason: "gave up", Message: "it broke"},
		}
	}
	b.same("failing", found, []queries.FailingJob{entry(often, 2, late, job.TimedOut, b.at(3)), entry(once, 1, lost, job.Lost, b.at(2))})
	b.same("all were looked at", partly, false)
	for _, other := range []queries.SlotFilter{
		{From: b.now, To: b.at(100)},
		{Sight: everywhere, From: b.at(50), To: b.at(100)},
		{Sight: everywhere, From: b.now, To: b.at(100), Group: "nobody"},
		{Sight: access.Sight{Places: []access.Place{{Namespace: "team", Group: access.All}}}, From: b.now, To: b.at(100)},
	} {
		found, _, err := b.Failing(b.ctx(), &other)
		b.ok(err)
		b.same("elsewhere", len(found), 0)
	}
}

func backlogOfGroups(b *bench) {
	jobs := b.placed() // of default g1, g2, g1, team g1, g3, other g2
	for i, j := range jobs {
		for n := range i + 1 {
			b.trigger(j, b.at(10*i+n))
		}
	}
	b.dispatch(b.trigger(jobs[0], b.at(-100)))
	f := queries.SlotFilter{Sight: everywhere, To: b.at(45)}
	found, err := b.Backlog(b.ctx(), &f)
	b.ok(err)
	entry := func(at, waiting int) queries.GroupBacklog {
		return queries.GroupBacklog{Namespace: jobs[at].Namespace, Group: jobs[at].Group, Waiting: waiting, Oldest: b.at(10 * at)}
	}
	b.same("backlog", found, []queries.GroupBacklog{entry(0, 4), entry(1, 2), entry(3, 4), entry(4, 5)})
	f.Sight = access.Sight{Places: []access.Place{{Namespace: "team", Group: "g3"}}}
	found, err = b.Backlog(b.ctx(), &f)
	b.ok(err)
	b.same("within a group", found, []queries.GroupBacklog{entry(4, 5)})
}

func upcomingJobs(b *bench) {
	at := func(seconds int) job.Job { return b.create(func(j *job.Job) { j.NextAt = b.at(seconds) }) }
	third, first, second := at(30), at(10), at(20)
	at(4000)
	b.create(func(j *job.Job) { j.Enabled = false })
	keys := func(f queries.SlotFilter, limit int) (keys []string) {
		b.Helper()
		f.To = b.at(3600)
		found, err := b.Upcoming(b.ctx(), &f, limit)
		b.ok(err)
		for i := range found {
			keys = append(keys, found[i].Key)
		}
		return keys
	}
	b.same("all", keys(queries.SlotFilter{Sight: everywhere}, 9), []string{first.Key, second.Key, third.Key})
	b.same("the first ones", keys(queries.SlotFilter{Sight: everywhere}, 2), []string{first.Key, second.Key})
	b.same("of nobody", len(keys(queries.SlotFilter{}, 9)), 0)
	b.same("elsewhere", len(keys(queries.SlotFilter{Sight: everywhere, Namespace: "team"}, 9)), 0)
}

func namedThings(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	about := news.About{Namespace: j.Namespace, Group: j.Group, JobID: j.ID, JobKey: j.Key}
	runs, err := b.NamedRuns(b.ctx(), []int64{r.ID, 777_777})
	b.ok(err)
	b.same("runs", runs, []news.Named{{Run: r.ID, About: about, Cause: r.Cause, PlannedAt: r.PlannedAt}})
	b.ok(b.DeleteJob(b.ctx(), b.job(j.Key), "gone"))
	jobs, err := b.NamedJobs(b.ctx(), []int64{j.ID, 777_777})
	b.ok(err)
	b.same("jobs, also one that is deleted", jobs, []news.About{about})
	none, err := b.NamedRuns(b.ctx(), nil)
	b.ok(err)
	b.same("none", len(none), 0)
}
