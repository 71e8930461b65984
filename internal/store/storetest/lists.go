package storetest

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func listTests() []test {
	return []test{
		{"runs are found by each filter, page by page", findRuns},
		{"runs are listed where the caller may read", seeRuns},
		{"jobs are found by each filter, page by page", findJobs},
	}
}

// everywhere is the sight of the server itself.
var everywhere = access.Sight{All: true}

// placed writes jobs into two namespaces and three groups.
func (b *bench) placed() []job.Job {
	b.Helper()
	var all []job.Job
	for i, place := range []access.Place{
		{Namespace: job.DefaultNamespace, Group: "g1"},
		{Namespace: job.DefaultNamespace, Group: "g2"},
		{Namespace: job.DefaultNamespace, Group: "g1"},
		{Namespace: "team", Group: "g1"},
		{Namespace: "team", Group: "g3"},
		{Namespace: otherSpace, Group: "g2"},
	} {
		all = append(all, b.create(func(j *job.Job) {
			j.Namespace, j.Group, j.Title = place.Namespace, place.Group, "Title \" of "+place.Group
			j.Labels = map[string]string{"owner": place.Group, "tier": `a"b`}
			if i%2 == 1 {
				j.Enabled, j.Schedule = false, schedule.Spec{Kind: schedule.KindManual}
				j.Handler = job.Handler{Kind: job.HandlerShell, Source: `echo "name":"demo"`}
			}
		}))
	}
	return all
}

// found returns the runs of a query, page by page, and checks their order.
func (b *bench) found(t failer, q queries.RunQuery) []queries.FoundRun {
	var all []queries.FoundRun
	for range 100 {
		part, next, err := b.RunPage(b.ctx(), q)
		if err != nil {
			t.Fatalf("RunPage(%+v): %v", q, err)
		}
		if len(part) > q.Limit {
			t.Fatalf("a page of %d has %d runs", q.Limit, len(part))
		}
		for _, r := range part {
			if q.BeforeID > 0 && r.Run.ID >= q.BeforeID || len(all) > 0 && r.Run.ID >= all[len(all)-1].Run.ID {
				t.Fatalf("run %d is out of order", r.Run.ID)
			}
			all = append(all, r)
		}
		if next == 0 {
			return all
		}
		q.BeforeID = next
	}
	t.Fatalf("the pages of %+v have no end", q)
	return nil
}

// failer is a test, or a check of one with values drawn.
type failer interface {
	Fatalf(format string, args ...any)
}

// mixed writes runs of all jobs in many states.
func (b *bench) mixed(jobs []job.Job) []int64 {
	b.Helper()
	var ids []int64
	for i := range 3 * len(jobs) {
		j := jobs[i%len(jobs)]
		r := b.firing(j, b.at(i))
		r.CreatedAt = b.at(i)
		switch i % 3 {
		case 0:
			r.Cause, r.CauseID = job.CauseManual, r.ID
		case 1:
			r.State, r.ReadyAt, r.EndedAt = job.Failed, b.at(0), b.at(i+100)
		}
		b.ok(b.AddRun(b.ctx(), r))
		if i%6 == 2 {
			b.dispatch(b.run(r.ID))
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// wanted computes by hand whether a query selects a run.
func wanted(q *queries.RunQuery, f *queries.FoundRun) bool {
	in := func(s queries.Span, ms int64) bool {
		return s.IsZero() || ms > 0 && (s.Since.IsZero() || ms >= s.Since.UnixMilli()) && (s.Until.IsZero() || ms < s.Until.UnixMilli())
	}
	r := &f.Run
	return q.Sight.Sees(access.Object{Namespace: f.Namespace, Group: f.Group}) &&
		(q.Namespace == "" || q.Namespace == f.Namespace) && (q.Group == "" || q.Group == f.Group) &&
		(q.JobID == 0 || q.JobID == r.JobID) && (len(q.States) == 0 || slices.Contains(q.States, r.State)) &&
		(q.Cause == "" || q.Cause == r.Cause) && (q.CauseID == 0 || q.CauseID == r.CauseID) && in(q.Created, job.Millis(r.CreatedAt)) &&
		in(q.Planned, job.Millis(r.PlannedAt)) && in(q.Ended, job.Millis(r.EndedAt))
}

// compare checks what is found for a query against all runs, one by one.
func (b *bench) compare(t failer, all []queries.FoundRun, q queries.RunQuery) {
	var want, got []int64
	for i := range all {
		if wanted(&q, &all[i]) {
			want = append(want, all[i].Run.ID)
		}
	}
	for _, f := range b.found(t, q) {
		got = append(got, f.Run.ID)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%+v: found %v, want %v", q, got, want)
	}
}

func findRuns(b *bench) {
	jobs := b.placed()
	ids := b.mixed(jobs)
	all := b.found(b, queries.RunQuery{Sight: everywhere, Limit: 100})
	slices.Reverse(ids)
	for i, f := range all {
		b.same("run", f.Run, b.run(ids[i]))
	}
	b.same("number of runs", len(all), len(ids))
	for _, q := range []queries.RunQuery{
		{},
		{JobID: jobs[3].ID},
		{Group: "g1"},
		{Namespace: "team"},
		{Namespace: "team", Group: "g1"},
		{Namespace: "nowhere"},
		{Group: "nowhere"},
		{States: []job.State{job.Failed}},
		{States: []job.State{job.Failed, job.Lost, job.Failed}},
		{States: []job.State{job.Planned}},
		{States: []job.State{job.Dispatched, job.Planned}},
		{States: []job.State{job.Succeeded}},
		{States: []job.State{job.Failed, job.Planned}},
		{Cause: job.CauseManual},
		{Cause: job.CauseSchedule},
		{Cause: job.CauseBackfill},
		{CauseID: ids[0]},
		{Cause: job.CauseManual, CauseID: ids[0]},
		{CauseID: math.MaxInt64},
		{Created: queries.Span{Since: b.at(4)}},
		{Created: queries.Span{Since: b.at(4), Until: b.at(9)}},
		{Created: queries.Span{Until: b.at(2)}},
		{Created: queries.Span{Since: b.at(40_000)}},
		{Created: queries.Span{Until: b.at(-40_000)}},
		{Planned: queries.Span{Since: b.at(4), Until: b.at(9)}},
		{Ended: queries.Span{Since: b.at(104), Until: b.at(112)}},
		{Ended: queries.Span{Until: b.at(112)}},
		{Group: "g1", States: []job.State{job.Failed}, Cause: job.CauseSchedule},
	} {
		q.Sight = everywhere
		for _, q.Limit = range []int{1, 3, 100} {
			b.compare(b, all, q)
		}
	}
	if found := b.found(b, queries.RunQuery{Limit: 9}); len(found) > 0 {
		b.Fatalf("a caller without rights sees %+v", found)
	}
}

// What is found is what may be seen one by one, whatever the sight and the filter.
func seeRuns(b *bench) {
	b.mixed(b.placed())
	all := b.found(b, queries.RunQuery{Sight: everywhere, Limit: 100})
	place := rapid.Custom(func(r *rapid.T) access.Place {
		return access.Place{
			Namespace: rapid.SampledFrom([]string{job.DefaultNamespace, "team", otherSpace, "nowhere"}).Draw(r, "namespace"),
			Group:     rapid.SampledFrom([]string{"g1", "g2", "g3", access.All}).Draw(r, "group"),
		}
	})
	rapid.Check(b.T, func(r *rapid.T) {
		q := queries.RunQuery{
			Sight:     access.Sight{Places: rapid.SliceOfN(place, 0, 4).Draw(r, "places")},
			Namespace: rapid.SampledFrom([]string{"", "", job.DefaultNamespace, "team"}).Draw(r, "namespace"),
			Group:     rapid.SampledFrom([]string{"", "", "g1", "g2"}).Draw(r, "group"),
			CauseID:   rapid.SampledFrom([]int64{0, 0, all[0].Run.CauseID, all[len(all)-1].Run.CauseID}).Draw(r, "cause id"),
			Cause:     rapid.SampledFrom([]job.Cause{"", "", job.CauseManual, job.CauseSchedule}).Draw(r, "cause"),
			States:    rapid.SliceOfN(rapid.SampledFrom([]job.State{job.Planned, job.Failed, job.Dispatched}), 0, 2).Draw(r, "states"),
			Limit:     rapid.IntRange(1, 20).Draw(r, "limit"),
		}
		b.compare(r, all, q)
	})
}

func findJobs(b *bench) {
	b.saveCalendar(b.calendar("days"))
	jobs := b.placed()
	jobs[0] = b.save(jobs[0], naming("days"))
	b.mixed(jobs[:1])
	for i, c := range []struct {
		q    queries.JobQuery
		want []job.Job
	}{
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace}, jobs[:3]},
		{queries.JobQuery{Sight: everywhere, Namespace: "team"}, jobs[3:5]},
		{queries.JobQuery{Namespace: job.DefaultNamespace}, nil},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Calendar: "days"}, jobs[:1]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Calendar: "other"}, nil},
		{queries.JobQuery{Sight: everywhere, Namespace: "team", Calendar: "days"}, nil},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Group: "g1"}, []job.Job{jobs[0], jobs[2]}},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Enabled: new(true)}, []job.Job{jobs[0], jobs[2]}},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Enabled: new(false)}, jobs[1:2]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Kind: schedule.KindManual}, jobs[1:2]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Handler: b.draft().Handler.Name}, []job.Job{jobs[0], jobs[2]}},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Handler: "shell"}, jobs[1:2]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Labels: []string{"owner=g2"}}, jobs[1:2]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Labels: []string{`tier=a"b`}}, jobs[:3]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Labels: []string{"tier"}}, jobs[:3]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Labels: []string{"g2"}}, nil},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Text: "OF g2"}, jobs[1:2]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Text: jobs[2].Key}, jobs[2:3]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Last: job.Failed}, jobs[:1]},
		{queries.JobQuery{Sight: everywhere, Namespace: job.DefaultNamespace, Last: job.Succeeded}, nil},
		{queries.JobQuery{Sight: access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g2"}, {Namespace: "team", Group: "g1"}}}, Namespace: job.DefaultNamespace}, jobs[1:2]},
		{queries.JobQuery{Sight: access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: job.DefaultNamespace, Group: "g2"}}}, Namespace: job.DefaultNamespace}, jobs[:3]},
		{queries.JobQuery{Sight: access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: access.All}}}, Namespace: job.DefaultNamespace, Group: "g1"}, []job.Job{jobs[0], jobs[2]}},
		{queries.JobQuery{Sight: access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: access.All}}}, Namespace: "team"}, nil},
		{queries.JobQuery{Sight: access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}}}, Namespace: job.DefaultNamespace, Group: "g2"}, nil},
	} {
		for _, limit := range []int{1, 2, 100} {
			c.q.Limit, c.q.After = limit, ""
			var got, want []string
			for {
				part, err := b.JobPage(b.ctx(), c.q)
				b.ok(err)
				for _, j := range part {
					got = append(got, j.Key)
					b.same("job", j.Namespace, c.q.Namespace)
				}
				if len(part) < limit {
					break
				}
				c.q.After = part[len(part)-1].Key
			}
			for _, j := range c.want {
				want = append(want, j.Key)
			}
			if !slices.Equal(got, want) {
				b.Fatalf("query %d in pages of %d: got %v, want %v", i, limit, got, want)
			}
		}
	}
	b.everywhere(jobs)
}

// everywhere lists placed jobs of all namespaces, page by page, in order of key and sorted,
// with sight of all of them and of some.
func (b *bench) everywhere(jobs []job.Job) {
	b.Helper()
	some := access.Sight{Places: []access.Place{
		{Namespace: "team", Group: "g3"}, {Namespace: job.DefaultNamespace, Group: access.All}, {Namespace: "nobody", Group: access.All},
	}}
	named := func(jobs []job.Job) (names []string) {
		for i := range jobs {
			names = append(names, jobs[i].Namespace+"/"+jobs[i].Key)
		}
		slices.Sort(names) // no key is the beginning of another one
		return names
	}
	for i, c := range []struct {
		q    queries.JobQuery
		want []job.Job
	}{
		{queries.JobQuery{Sight: everywhere}, jobs},
		{queries.JobQuery{}, nil},
		{queries.JobQuery{Sight: some}, []job.Job{jobs[0], jobs[1], jobs[2], jobs[4]}},
		{queries.JobQuery{Sight: everywhere, Group: "g1"}, []job.Job{jobs[0], jobs[2], jobs[3]}},
		{queries.JobQuery{Sight: some, Group: "g3"}, jobs[4:5]},
		{queries.JobQuery{Sight: everywhere, Handler: "shell"}, []job.Job{jobs[1], jobs[3], jobs[5]}},
	} {
		want := named(c.want)
		for _, limit := range []int{1, 2, 100} {
			q := c.q
			q.Everywhere, q.Limit = true, limit
			var got []string
			for range 100 {
				part, err := b.JobPage(b.ctx(), q)
				b.ok(err)
				for i := range part {
					got = append(got, part[i].Namespace+"/"+part[i].Key)
				}
				if len(part) < limit {
					break
				}
				q.Namespace, q.After = part[limit-1].Namespace, part[limit-1].Key
			}
			if !slices.Equal(got, want) {
				b.Fatalf("query %d of all namespaces in pages of %d: got %v, want %v", i, limit, got, want)
			}
			b.everywhereSorted(c.q, limit, want)
		}
	}
	found, err := b.Facets(b.ctx(), some, access.All)
	b.ok(err)
	b.same("facets of some namespaces", found.Groups, []queries.Facet{{Value: "g1", Jobs: 2}, {Value: "g2", Jobs: 1}, {Value: "g3", Jobs: 1}})
}

// everywhereSorted sorts jobs of all namespaces in each order, and checks that each is
// there once, and that pages make no difference.
func (b *bench) everywhereSorted(q queries.JobQuery, limit int, want []string) {
	b.Helper()
	for _, by := range []string{jobrows.ByKey, jobrows.ByTitle, jobrows.ByNext, jobrows.ByUpdated, jobrows.ByLastEnded} {
		for _, down := range []bool{false, true} {
			q.Everywhere, q.Limit, q.Order, q.Mark = true, 100, jobrows.Order{By: by, Down: down}, nil
			var whole, got []string
			all, err := b.JobRanks(b.ctx(), q)
			b.ok(err)
			for i := range all {
				whole = append(whole, all[i].Job.Namespace+"/"+all[i].Job.Key)
			}
			q.Limit = limit
			for range 100 {
				part, err := b.JobRanks(b.ctx(), q)
				b.ok(err)
				for i := range part {
					b.same("namespace of a mark", part[i].Mark.Namespace, part[i].Job.Namespace)
					got = append(got, part[i].Job.Namespace+"/"+part[i].Job.Key)
				}
				if len(part) < limit {
					break
				}
				q.Mark = &part[limit-1].Mark
			}
			if !slices.Equal(got, whole) {
				b.Fatalf("all namespaces by %s (down: %t) in pages of %d: got %v, and %v in one", by, down, limit, got, whole)
			}
			slices.Sort(got)
			b.same("jobs by "+by, got, want)
		}
	}
}
