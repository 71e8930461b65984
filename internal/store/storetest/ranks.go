package storetest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func rankTests() []test {
	return []test{
		{"runs are found by their history", findHappened},
		{"runs are sorted, page by page", rankRuns},
		{"of a long history the newest runs are sorted", rankNewest},
		{"jobs are found by labels and status", findLabelled},
		{"jobs are sorted, page by page", rankJobs},
		{"a run keeps when it was first started", firstStart},
	}
}

// happened writes runs of jobs to which all kinds of things have happened: they wait,
// are sent, run, have ended one way or the other, or are tried again.
func (b *bench) happened(jobs []job.Job) {
	b.Helper()
	for i := range 6 * len(jobs) {
		j := jobs[i%len(jobs)]
		r := b.firing(j, b.at(10*i))
		r.CreatedAt = b.at(10 * i)
		if i%4 == 1 {
			r.Cause, r.CauseID, r.By = job.CauseManual, r.ID, []string{"user-1", "user-2"}[i/4%2]
		}
		b.ok(b.AddRun(b.ctx(), r))
		if i%6 == 0 {
			continue
		}
		m := b.markOf(b.run(r.ID), []string{executorAddress, executorAddress + "0"}[i%2])
		b.same("mark", b.mark(m), []bool{true})
		started := b.at(10*i + i%9)
		switch a := m.Attempt; i % 6 {
		case 2:
			b.ok(b.MarkAccepted(b.ctx(), []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: started}}))
		case 3, 4, 5:
			c := b.completion(a, []job.State{job.Succeeded, job.Failed, job.Failed}[i%3])
			c.JobID, c.StartedAt, c.EndedAt, c.Reported, c.Message = a.JobID, started, started.Add(time.Duration(i%7)*time.Second), true, "Code "+string(rune('a'+i%3))
			if i%6 == 5 {
				c.RunState, c.RetryAt, c.Reason = job.WaitingRetry, b.at(9000), "again later"
			}
			b.same("completion", b.commit(c), []bool{true})
		}
	}
}

// happenedTo computes by hand whether the newer filters of a query select a run.
func happenedTo(q *queries.RunQuery, f *queries.FoundRun, labels map[int64]map[string]string) bool {
	r := &f.Run
	start, end := r.StartedAt, r.EndedAt
	if start.IsZero() {
		if start = q.Now; !end.IsZero() {
			start = r.PlannedAt
		}
	}
	if end.IsZero() {
		end = q.Now
	}
	took := end.Sub(r.StartedAt)
	key, value, pair := strings.Cut(q.Label, "=")
	of, has := labels[r.JobID][key]
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
	return wanted(q, f) && (q.Executor == "" || q.Executor == f.Executor) && (q.By == "" || q.By == r.By) &&
		(q.Label == "" || has && (!pair || of == value)) && (q.Text == "" || contains(r.Message) || contains(r.Reason)) &&
		(q.Late == 0 || r.Cause == job.CauseSchedule && start.Sub(r.PlannedAt) > q.Late) &&
		(q.MinTook == 0 && q.MaxTook == 0 || !r.StartedAt.IsZero() && took >= q.MinTook && (q.MaxTook == 0 || took < q.MaxTook)) &&
		r.Tries >= q.MinTries && (q.MaxTries == 0 || r.Tries <= q.MaxTries)
}

// happenings writes jobs and their runs, and returns the runs, the newest first, with
// the labels of the jobs.
func (b *bench) happenings() ([]queries.FoundRun, []job.Job, map[int64]map[string]string) {
	b.Helper()
	jobs, labels := b.placed(), make(map[int64]map[string]string)
	for _, j := range jobs {
		labels[j.ID] = j.Labels
	}
	b.happened(jobs)
	return b.found(b, queries.RunQuery{Sight: everywhere, Limit: 1000}), jobs, labels
}

func findHappened(b *bench) {
	all, _, labels := b.happenings()
	now := b.at(1000)
	some := 0
	for i, q := range []queries.RunQuery{
		{Executor: executorAddress},
		{Executor: executorAddress + "0"},
		{Executor: "http://none"},
		{Label: "owner=g1"},
		{Label: "tier"},
		{Label: `tier=a"b`},
		{Label: "g1"},
		{By: "user-1"},
		{By: "user-2", States: []job.State{job.Succeeded, job.Failed, job.Running, job.Dispatched}},
		{By: "nobody"},
		{Text: "CODE A"},
		{Text: "later"},
		{Text: "%"},
		{Late: 4 * time.Second, Now: now},
		{Late: 500 * time.Second, Now: now},
		{Late: time.Hour, Now: now},
		{MinTook: 3 * time.Second, Now: now},
		{MaxTook: 3 * time.Second, Now: now},
		{MinTook: 2 * time.Second, MaxTook: 5 * time.Second, Now: now},
		{MinTries: 1},
		{MaxTries: 1},
		{MinTries: 2},
		{Group: "g1", Executor: executorAddress, By: "user-1", MinTries: 1, Text: "code"},
	} {
		q.Sight = everywhere
		var want []int64
		for j := range all {
			if happenedTo(&q, &all[j], labels) {
				want = append(want, all[j].Run.ID)
			}
		}
		if len(want) > 0 {
			some++
		}
		for _, q.Limit = range []int{2, 100} {
			var got []int64
			for _, f := range b.found(b, q) {
				got = append(got, f.Run.ID)
			}
			if !slices.Equal(got, want) {
				b.Fatalf("query %d in pages of %d: found %v, want %v", i, q.Limit, got, want)
			}
		}
	}
	if some < 14 {
		b.Fatalf("only %d of the queries find anything", some)
	}
}

// valueOf computes by hand the rank of a run in an order.
func valueOf(o jobrows.Order, r *job.Run) int64 {
	var v int64
	switch o.By {
	case jobrows.ByPlanned:
		v = job.Millis(r.PlannedAt)
	case jobrows.ByStarted:
		v = job.Millis(r.StartedAt)
	case jobrows.ByEnded:
		v = job.Millis(r.EndedAt)
	case jobrows.ByDuration:
		if !r.StartedAt.IsZero() && !r.EndedAt.IsZero() {
			v = r.EndedAt.Sub(r.StartedAt).Milliseconds() + 1
		}
	default:
		v = int64(r.Tries) + 1
	}
	switch {
	case v == 0:
		return math.MaxInt64
	case o.Down:
		return -v
	}
	return v
}

// ranks returns the ids of a query, page by page.
func (b *bench) ranks(t failer, q queries.RunQuery) []int64 {
	var ids []int64
	for range 200 {
		page, err := b.RunRanks(b.ctx(), q)
		if err != nil {
			t.Fatalf("RunRanks(%+v): %v", q, err)
		}
		if len(page.Runs) > q.Limit || len(page.Marks) != len(page.Runs) || !page.Since.IsZero() {
			t.Fatalf("a page of %d has %d runs, %d marks, since %s", q.Limit, len(page.Runs), len(page.Marks), page.Since)
		}
		for _, f := range page.Runs {
			ids = append(ids, f.Run.ID)
		}
		if !page.More {
			return ids
		}
		q.Mark = &page.Marks[len(page.Marks)-1]
	}
	t.Fatalf("the pages of %+v have no end", q)
	return nil
}

// Whatever the order, the sight and the filter, the pages together are what one would
// sort by hand.
func rankRuns(b *bench) {
	all, jobs, labels := b.happenings()
	place := rapid.Custom(func(r *rapid.T) access.Place {
		return access.Place{
			Namespace: rapid.SampledFrom([]string{job.DefaultNamespace, "team", otherSpace}).Draw(r, "namespace"),
			Group:     rapid.SampledFrom([]string{"g1", "g2", "g3", access.All}).Draw(r, "group"),
		}
	})
	rapid.Check(b.T, func(r *rapid.T) {
		q := queries.RunQuery{
			Sight: access.Sight{All: rapid.Bool().Draw(r, "all"), Places: rapid.SliceOfN(place, 0, 3).Draw(r, "places")},
			Order: jobrows.Order{
				By:   rapid.SampledFrom([]string{jobrows.ByPlanned, jobrows.ByStarted, jobrows.ByEnded, jobrows.ByDuration, jobrows.ByTries}).Draw(r, "by"),
				Down: rapid.Bool().Draw(r, "down"),
			},
			Group:  rapid.SampledFrom([]string{"", "", "g1"}).Draw(r, "group"),
			JobID:  rapid.SampledFrom([]int64{0, 0, 0, jobs[1].ID}).Draw(r, "job"),
			By:     rapid.SampledFrom([]string{"", "", "", "user-1"}).Draw(r, "user"),
			Cause:  rapid.SampledFrom([]job.Cause{"", "", job.CauseManual}).Draw(r, "cause"),
			States: rapid.SliceOfN(rapid.SampledFrom([]job.State{job.Failed, job.Succeeded, job.Planned}), 0, 1).Draw(r, "states"),
			Limit:  rapid.SampledFrom([]int{1, 3, 7, 100}).Draw(r, "limit"),
		}
		var kept []queries.FoundRun
		for i := range all {
			if happenedTo(&q, &all[i], labels) {
				kept = append(kept, all[i])
			}
		}
		slices.SortFunc(kept, func(x, y queries.FoundRun) int {
			return cmp.Or(cmp.Compare(valueOf(q.Order, &x.Run), valueOf(q.Order, &y.Run)), cmp.Compare(y.Run.ID, x.Run.ID))
		})
		var want []int64
		for _, f := range kept {
			want = append(want, f.Run.ID)
		}
		if got := b.ranks(r, q); !slices.Equal(got, want) {
			r.Fatalf("%+v: got %v, want %v", q, got, want)
		}
	})
}

// Runs that are made between two pages are on none, and a forged mark sorts no more runs
// than others do.
func rankNewest(b *bench) {
	j := b.create()
	var ids []int64
	for i := range 4 {
		r := b.firing(j, b.at(i))
		r.CreatedAt = b.at(i)
		b.ok(b.AddRun(b.ctx(), r))
		ids = append(ids, r.ID)
	}
	q := queries.RunQuery{Sight: everywhere, Order: jobrows.Order{By: jobrows.ByPlanned, Down: true}, Limit: 2}
	first, err := b.RunRanks(b.ctx(), q)
	b.ok(err)
	b.same("the first page is full", len(first.Runs) == 2 && first.More, true)
	late := b.firing(j, b.at(1).Add(time.Millisecond))
	b.ok(b.AddRun(b.ctx(), late))
	q.Mark = &first.Marks[1]
	second, err := b.RunRanks(b.ctx(), q)
	b.ok(err)
	b.same("the second page", []int64{second.Runs[0].Run.ID, second.Runs[1].Run.ID}, []int64{ids[1], ids[0]})
	b.same("others follow", second.More, false)
	q.Mark = &queries.RunMark{Value: math.MinInt64, Top: math.MaxInt64, Floor: math.MinInt64}
	made, err := b.RunRanks(b.ctx(), q)
	b.ok(err)
	b.same("runs of a mark that is made up", len(made.Runs), 2)
}

// The first start of a run counts, whatever its later attempts do; a run that no executor
// took was never started.
func firstStart(b *bench) {
	j := b.create()
	r := b.retrying(b.trigger(j, b.now), b.at(20)) // its end does not report that it was taken
	b.same("start of a run that no executor took", r.StartedAt.IsZero(), true)
	a := b.dispatch(r)
	b.accept(a)
	b.same("start", b.run(r.ID).StartedAt, b.at(1))
	c := b.completion(a, job.Failed)
	c.RunState, c.RetryAt, c.StartedAt, c.Reported = job.WaitingRetry, b.at(30), b.at(1), true
	b.same("completion", b.commit(c), []bool{true})
	last := b.dispatch(b.run(r.ID))
	c = b.completion(last, job.Succeeded)
	c.StartedAt, c.Reported, c.EndedAt = b.at(40), true, b.at(41)
	b.same("completion", b.commit(c), []bool{true})
	b.same("start after two more attempts", b.run(r.ID).StartedAt, b.at(1))
	quick := b.dispatch(b.trigger(j, b.now))
	c = b.completion(quick, job.Succeeded)
	c.StartedAt, c.Reported = b.at(5), true
	b.same("completion", b.commit(c), []bool{true})
	b.same("start of what was quicker than the note", b.run(quick.RunID).StartedAt, b.at(5))
	asked := b.firing(j, b.at(77))
	asked.By = "user-1"
	b.ok(b.AddRun(b.ctx(), asked))
	b.same("who asked", b.run(asked.ID).By, "user-1")
	ctx := b.wants("trigger-job", intent.Object{Kind: "job", Namespace: j.Namespace, Key: j.Key})
	asked = b.firing(j, b.at(78))
	b.ok(b.AddRun(ctx, asked))
	b.same("who asked, by the context", b.run(asked.ID).By, intent.Of(ctx).By.Name)
}
