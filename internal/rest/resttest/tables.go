package resttest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// RankJobs implements JobLists.
func (f *Fake) RankJobs(_ context.Context, q queries.JobQuery) ([]queries.RankedJob, error) {
	var found []queries.RankedJob
	for i, j := range f.FoundJobs[:min(len(f.FoundJobs), max(q.Limit, 0))] {
		mark := queries.JobMark{Value: int64(i), Text: "é" + j.Title, Key: j.Key}
		if q.Everywhere {
			mark.Namespace = j.Namespace
		}
		found = append(found, queries.RankedJob{Job: j, Mark: mark})
	}
	mark := "none"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	return found, f.Note("rank jobs by %+v behind %s: %s any=%t owner=%s status=%s", q.Order, mark, queried(q), q.AnyLabel, q.Owner, q.Status)
}

// RankRuns implements RunLists.
func (f *Fake) RankRuns(_ context.Context, q queries.RunQuery) (queries.RankedRuns, error) {
	found := queries.RankedRuns{Since: Instant}
	for i, r := range f.FoundRuns {
		if found.More = len(found.Runs) == q.Limit; found.More {
			break
		}
		found.Runs = append(found.Runs, queries.FoundRun{Run: r, Namespace: "default", Group: "g", Executor: "http://one:9999"})
		found.Marks = append(found.Marks, queries.RunMark{Value: -int64(i), ID: r.ID, Top: 1 << 61, Floor: 7})
	}
	mark := "none"
	if q.Mark != nil {
		mark = fmt.Sprintf("%+v", *q.Mark)
	}
	return found, f.Note("rank runs by %+v behind %s: %s", q.Order, mark, queried(q))
}

// JobActivity implements JobTables.
func (f *Fake) JobActivity(_ context.Context, jobs []int64) (map[int64]queries.JobActivity, error) {
	return map[int64]queries.JobActivity{7: {
		Ended: []job.Run{
			{ID: 1 << 60, State: job.Failed, StartedAt: Instant, EndedAt: Instant.Add(1500 * time.Millisecond)},
			{ID: 5, State: job.Skipped, EndedAt: Instant},
		},
		Last: job.Run{ID: 1<<60 + 1, State: job.Running, CreatedAt: Instant, StartedAt: Instant.Add(time.Second)},
		Week: job.Stats{Succeeded: 2, Failed: 1, Skipped: 9}, Running: 1, Waiting: 2,
	}}, f.Note("activity of %v", jobs)
}

// JobFacets implements JobTables.
func (f *Fake) JobFacets(_ context.Context, sight access.Sight, namespace string) (queries.JobFacets, error) {
	some := []queries.Facet{{Value: "a", Jobs: 2}, {Value: "b", Jobs: 1}}
	return queries.JobFacets{Jobs: 2, Partial: strings.HasPrefix(namespace, "big"), Groups: some, Handlers: some}, f.Note("facets of %s: %+v", namespace, sight)
}

// Last returns what was asked last.
func (f *Fake) Last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		return ""
	}
	return f.calls[len(f.calls)-1]
}
