package storetest

import (
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func jobTableTests() []test {
	return []test{
		{"jobs report their recent activity", activity},
		{"jobs are counted by what they have", facets},
	}
}

// endedAt writes a run of a job that has ended.
func (b *bench) endedAt(j job.Job, at int, state job.State, edit ...func(*completer.Completion)) job.Run {
	b.Helper()
	a := b.dispatch(b.trigger(j, b.at(at)))
	c := b.completion(a, state)
	c.JobID, c.StartedAt, c.EndedAt, c.Reported = j.ID, b.at(at), b.at(at+2), true
	for _, fn := range edit {
		fn(&c)
	}
	b.same("completion", b.commit(c), []bool{true})
	return b.run(a.RunID)
}

func activity(b *bench) {
	busy, quiet, never := b.create(), b.create(), b.create(func(j *job.Job) { j.Group = "elsewhere" })
	states := []job.State{job.Succeeded, job.Succeeded, job.Failed, job.Cancelled, job.TimedOut, job.Lost}
	now := time.Now().UTC().Truncate(time.Millisecond)
	var want []int64
	for i := range queries.MaxRecent + 5 {
		r := b.endedAt(busy, i, states[i%len(states)], func(c *completer.Completion) { c.EndedAt = now.Add(time.Duration(i) * time.Millisecond) })
		want = append([]int64{r.ID}, want...)
	}
	b.endedAt(quiet, 0, job.Failed, func(c *completer.Completion) { c.EndedAt = now.AddDate(0, 0, -30) })
	running := b.dispatch(b.trigger(busy, b.at(100)))
	b.accept(running)
	waiting := b.trigger(busy, b.at(101))
	b.trigger(busy, b.at(102))
	found, err := b.Activity(b.ctx(), []int64{busy.ID, quiet.ID, never.ID, 1 << 30}, now.AddDate(0, 0, -6))
	b.ok(err)

	a := found[busy.ID]
	var got []int64
	for _, r := range a.Ended {
		got = append(got, r.ID)
	}
	b.same("ended runs", got, want[:queries.MaxRecent])
	last := b.run(want[0])
	b.same("the newest", []any{a.Ended[0].State, a.Ended[0].StartedAt, a.Ended[0].EndedAt}, []any{last.State, last.StartedAt, last.EndedAt})
	b.same("running and waiting", []int{a.Running, a.Waiting}, []int{1, 2})
	b.same("the last one waits", []any{a.Last.State, a.Last.ID > waiting.ID, a.Last.EndedAt.IsZero()}, []any{job.Planned, true, true})
	b.same("what ended in the week", []int64{a.Week.Succeeded, a.Week.Failed, a.Week.TimedOut, a.Week.Lost, a.Week.Cancelled, a.Rated()}, []int64{9, 4, 4, 4, 4, 21})

	a = found[quiet.ID]
	b.same("a job whose run is long over", []any{len(a.Ended), a.Last.State, a.Rated(), a.Running, a.Waiting}, []any{1, job.Failed, int64(0), 0, 0})
	b.same("a job that never ran", len(found[never.ID].Ended)+int(found[never.ID].Last.ID), 0)
	none, err := b.Activity(b.ctx(), nil, now)
	b.ok(err)
	b.same("of no jobs", len(none), 0)
}

func facets(b *bench) {
	script := job.Handler{Kind: job.HandlerShell, Source: `echo "name":"odd"`}
	for i := range 4 {
		b.create(func(j *job.Job) {
			j.Group = []string{"g1", "g1", "g2", "g1"}[i]
			j.Labels = map[string]string{"owner": []string{"x", "y"}[i%2], "n": fmt.Sprint(i)}
			switch i {
			case 2:
				j.Handler = script
			case 3:
				j.Handler.Name, j.Labels = `a "quoted" one`, nil
			}
		})
	}
	b.create(func(j *job.Job) { j.Namespace, j.Group = "team", "g9" })
	gone := b.create(func(j *job.Job) { j.Group = "g7" })
	b.ok(b.DeleteJob(b.ctx(), gone, "over"))

	found, err := b.Facets(b.ctx(), everywhere, job.DefaultNamespace)
	b.ok(err)
	b.same("facets", found, queries.JobFacets{
		Jobs:     4,
		Groups:   []queries.Facet{{Value: "g1", Jobs: 3}, {Value: "g2", Jobs: 1}},
		Labels:   []queries.Facet{{Value: "owner=x", Jobs: 2}, {Value: "n=0", Jobs: 1}, {Value: "n=1", Jobs: 1}, {Value: "n=2", Jobs: 1}, {Value: "owner=y", Jobs: 1}},
		Handlers: []queries.Facet{{Value: "demo", Jobs: 2}, {Value: `a "quoted" one`, Jobs: 1}, {Value: "shell", Jobs: 1}},
		Owners:   []queries.Facet{{Value: "x", Jobs: 2}, {Value: "y", Jobs: 1}},
	})
	narrow := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g2"}, {Namespace: "team", Group: access.All}}}
	found, err = b.Facets(b.ctx(), narrow, job.DefaultNamespace)
	b.ok(err)
	b.same("who sees one group", []any{found.Jobs, found.Groups, found.Handlers}, []any{1, []queries.Facet{{Value: "g2", Jobs: 1}}, []queries.Facet{{Value: "shell", Jobs: 1}}})
	found, err = b.Facets(b.ctx(), access.Sight{}, job.DefaultNamespace)
	b.ok(err)
	b.same("who sees nothing", found.Jobs, 0)
}
