package rest_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

func (f *fake) RankJobs(_ context.Context, q catalog.JobQuery) ([]catalog.RankedJob, error) {
	var found []catalog.RankedJob
	for i, j := range f.jobs[:min(len(f.jobs), max(q.Limit, 0))] {
		mark := catalog.JobMark{Value: int64(i), Text: "é" + j.Title, Key: j.Key}
		if q.Everywhere {
			mark.Namespace = j.Namespace
		}
		found = append(found, catalog.RankedJob{Job: j, Mark: mark})
	}
	mark := "none"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	return found, f.note("rank jobs by %+v behind %s: %s any=%t owner=%s status=%s", q.Order, mark, queried(q), q.AnyLabel, q.Owner, q.Status)
}

func (f *fake) RankRuns(_ context.Context, q catalog.RunQuery) (catalog.RankedRuns, error) {
	found := catalog.RankedRuns{Since: instant}
	for i, r := range f.runs {
		if found.More = len(found.Runs) == q.Limit; found.More {
			break
		}
		found.Runs = append(found.Runs, catalog.FoundRun{Run: r, Namespace: "default", Group: "g", Executor: "http://one:9999"})
		found.Marks = append(found.Marks, catalog.RunMark{Value: -int64(i), ID: r.ID, Top: 1 << 61, Floor: 7})
	}
	mark := "none"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	return found, f.note("rank runs by %+v behind %s: %s", q.Order, mark, queried(q))
}

func (f *fake) JobActivity(_ context.Context, jobs []int64) (map[int64]catalog.JobActivity, error) {
	return map[int64]catalog.JobActivity{7: {
		Ended: []job.Run{
			{ID: 1 << 60, State: job.Failed, StartedAt: instant, EndedAt: instant.Add(1500 * time.Millisecond)},
			{ID: 5, State: job.Skipped, EndedAt: instant},
		},
		Last: job.Run{ID: 1<<60 + 1, State: job.Running, CreatedAt: instant, StartedAt: instant.Add(time.Second)},
		Week: job.Stats{Succeeded: 2, Failed: 1, Skipped: 9}, Running: 1, Waiting: 2,
	}}, f.note("activity of %v", jobs)
}

func (f *fake) JobFacets(_ context.Context, sight access.Sight, namespace string) (catalog.JobFacets, error) {
	some := []catalog.Facet{{Value: "a", Jobs: 2}, {Value: "b", Jobs: 1}}
	return catalog.JobFacets{Jobs: 2, Partial: strings.HasPrefix(namespace, "big"), Groups: some, Handlers: some}, f.note("facets of %s: %+v", namespace, sight)
}

// last returns what was asked last.
func (f *fake) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		return ""
	}
	return f.calls[len(f.calls)-1]
}
