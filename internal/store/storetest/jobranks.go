package storetest

import (
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// labelled writes jobs that differ in labels, status, titles and instants.
func (b *bench) labelled() []job.Job {
	b.Helper()
	var all []job.Job
	for i, title := range []string{"beta", "Alpha", "", "alpha", "Über"} {
		all = append(all, b.create(func(j *job.Job) {
			j.Title, j.Group = title, []string{"g1", "g2"}[i%2]
			j.Labels = map[string]string{"owner": []string{"x", "y"}[i%2], "n": string(rune('0' + i)), "odd": `a=b"`}
			j.UpdatedAt, j.NextAt = b.at(100-7*i), b.at(50*(i%3))
			if i == 2 {
				j.Enabled, j.Schedule = false, schedule.Spec{Kind: schedule.KindManual}
			}
		}))
	}
	return all
}

func findLabelled(b *bench) {
	jobs := b.labelled()
	keys := func(of ...int) (keys []string) {
		for _, i := range of {
			keys = append(keys, jobs[i].Key)
		}
		return keys
	}
	eight := make([]string, queries.MaxLabels)
	for i := range eight {
		eight[i] = "n=" + string(rune('0'+i))
	}
	for i, c := range []struct {
		q    queries.JobQuery
		want []string
	}{
		{queries.JobQuery{Labels: []string{"owner=x", "n"}}, keys(0, 2, 4)},
		{queries.JobQuery{Labels: []string{"owner=x", "n=2"}}, keys(2)},
		{queries.JobQuery{Labels: []string{"owner=x", "n=1"}}, nil},
		{queries.JobQuery{Labels: []string{"owner=x", "n=1"}, AnyLabel: true}, keys(0, 1, 2, 4)},
		{queries.JobQuery{Labels: []string{"none", "n=3"}, AnyLabel: true}, keys(3)},
		{queries.JobQuery{Labels: []string{`odd=a=b"`}}, keys(0, 1, 2, 3, 4)},
		{queries.JobQuery{Labels: eight, AnyLabel: true}, keys(0, 1, 2, 3, 4)},
		{queries.JobQuery{Labels: eight}, nil},
		{queries.JobQuery{Owner: "y"}, keys(1, 3)},
		{queries.JobQuery{Owner: "y", Labels: []string{"owner=x"}}, nil},
		{queries.JobQuery{Status: queries.JobStarted}, keys(0, 1, 3, 4)},
		{queries.JobQuery{Status: queries.JobStopped}, keys(2)},
		{queries.JobQuery{Status: queries.JobGaveUp}, nil},
		{queries.JobQuery{Status: queries.JobHeld}, nil},
	} {
		c.q.Sight, c.q.Namespace, c.q.Limit = everywhere, job.DefaultNamespace, 100
		found, err := b.JobPage(b.ctx(), c.q)
		b.ok(err)
		var got []string
		for _, j := range found {
			got = append(got, j.Key)
		}
		if !slices.Equal(got, c.want) {
			b.Fatalf("query %d: got %v, want %v", i, got, c.want)
		}
	}
}

// rankedKeys returns the keys of a query, page by page.
func (b *bench) rankedKeys(q queries.JobQuery) []string {
	b.Helper()
	var keys []string
	for range 100 {
		page, err := b.JobRanks(b.ctx(), q)
		b.ok(err)
		for i := range page {
			b.same("key of a mark", page[i].Mark.Key, page[i].Job.Key)
			keys = append(keys, page[i].Job.Key)
		}
		if len(page) < q.Limit {
			return keys
		}
		q.Mark = &page[len(page)-1].Mark
	}
	b.Fatalf("the pages of %+v have no end", q)
	return nil
}

func rankJobs(b *bench) {
	jobs := b.labelled()
	for i, ended := range []int{3, 0, 1} { // the last run of a job counts, and not the latest
		r := b.firing(jobs[ended], b.at(i))
		r.State, r.ReadyAt, r.EndedAt = job.Failed, b.at(0), b.at(1000-i)
		b.ok(b.AddRun(b.ctx(), r))
	}
	b.ok(b.AddRun(b.ctx(), b.firing(jobs[3], b.at(30))))
	groups := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: job.DefaultNamespace, Group: "g2"}}}
	for _, c := range []struct {
		by   string
		down bool
		want []int
	}{
		{jobrows.ByKey, false, []int{0, 1, 2, 3, 4}},
		{jobrows.ByKey, true, []int{4, 3, 2, 1, 0}},
		{jobrows.ByTitle, false, []int{1, 3, 0, 2, 4}}, // that of 2 is its key, job-…
		{jobrows.ByTitle, true, []int{4, 2, 0, 3, 1}},
		{jobrows.ByUpdated, false, []int{4, 3, 2, 1, 0}},
		{jobrows.ByUpdated, true, []int{0, 1, 2, 3, 4}},
		{jobrows.ByNext, false, []int{0, 3, 1, 4, 2}},
		{jobrows.ByNext, true, []int{1, 4, 0, 3, 2}},
		{jobrows.ByLastEnded, false, []int{1, 0, 3, 2, 4}},
		{jobrows.ByLastEnded, true, []int{3, 0, 1, 2, 4}},
	} {
		var want []string
		for _, i := range c.want {
			want = append(want, jobs[i].Key)
		}
		for _, limit := range []int{1, 2, 100} {
			for name, sight := range map[string]access.Sight{"all": everywhere, "two groups": groups} {
				q := queries.JobQuery{Sight: sight, Namespace: job.DefaultNamespace, Order: jobrows.Order{By: c.by, Down: c.down}, Limit: limit}
				if got := b.rankedKeys(q); !slices.Equal(got, want) {
					b.Fatalf("by %s (down: %t) in pages of %d, who sees %s: got %v, want %v", c.by, c.down, limit, name, got, want)
				}
			}
		}
	}
	none, err := b.JobRanks(b.ctx(), queries.JobQuery{Namespace: job.DefaultNamespace, Order: jobrows.Order{By: jobrows.ByKey}})
	b.ok(err)
	b.same("jobs without rights", len(none), 0)
}
