package queries

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func (s *shelf) RunRanks(_ context.Context, q RunQuery) (RankedRuns, error) {
	s.runs = q
	return RankedRuns{Runs: []FoundRun{{Run: job.Run{ID: 5}}}, Marks: []RunMark{{ID: 5}}, More: true}, nil
}

func (s *shelf) JobRanks(_ context.Context, q JobQuery) ([]RankedJob, error) {
	s.jobs = q
	return []RankedJob{{Mark: JobMark{Key: "a"}}}, nil
}

func (s *shelf) Activity(_ context.Context, jobs []int64, since time.Time) (map[int64]JobActivity, error) {
	s.since = since
	return map[int64]JobActivity{jobs[0]: {Running: 1}}, nil
}

func (s *shelf) Facets(_ context.Context, sight access.Sight, namespace string) (JobFacets, error) {
	s.jobs = JobQuery{Sight: sight, Namespace: namespace}
	return JobFacets{Jobs: 3}, nil
}

func TestRankRuns(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	j := c.create(t, jobstest.GoodJob())
	sees := access.Sight{Places: []access.Place{{Namespace: "default", Group: "g"}}}
	found, err := c.RankRuns(t.Context(), RunQuery{Sight: sees, Job: "report", Order: jobrows.Order{By: jobrows.ByEnded, Down: true}, Late: time.Second})
	if err != nil || len(found.Runs) != 1 || !found.More {
		t.Fatalf("got %+v, %v", found, err)
	}
	if s.runs.JobID != j.ID || s.runs.Limit != 100 || s.runs.Now.IsZero() || !s.runs.Order.Down {
		t.Errorf("asked %+v", s.runs)
	}
	if _, err := c.RankRuns(t.Context(), RunQuery{Job: "report", Order: jobrows.Order{By: jobrows.ByEnded}}); !job.Is(err, job.NotFound) {
		t.Errorf("a job out of sight: got %v", err)
	}
	long := strings.Repeat("x", 501)
	for name, q := range map[string]RunQuery{
		"sort": {Order: jobrows.Order{By: "luck"}}, "state": {States: []job.State{"confused"}},
		"max_duration": {MinTook: time.Second, MaxTook: time.Second}, "max_tries": {MinTries: 2, MaxTries: 1},
		"text": {Text: long}, "label": {Label: long}, "by": {By: long}, "executor": {Executor: long},
	} {
		if q.Order.By == "" {
			q.Order.By = jobrows.ByTries
		}
		_, err := c.RankRuns(t.Context(), q)
		jobstest.WantField(t, err, name)
	}
}

func TestRankJobs(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	found, err := c.RankJobs(t.Context(), JobQuery{Order: jobrows.Order{By: jobrows.ByTitle}, Status: JobGaveUp, Limit: 5})
	if err != nil || len(found) != 1 || s.jobs.Namespace != "default" || s.jobs.Limit != 5 || s.jobs.Status != JobGaveUp {
		t.Fatalf("got %+v, %v; asked %+v", found, err, s.jobs)
	}
	for name, q := range map[string]JobQuery{
		"sort": {Order: jobrows.Order{By: jobrows.ByTries}}, "status": {Status: "odd"}, "label": {Labels: slices.Repeat([]string{"a"}, MaxLabels+1)},
		"owner": {Owner: strings.Repeat("x", 101)},
	} {
		if q.Order.By == "" {
			q.Order.By = jobrows.ByKey
		}
		_, err := c.RankJobs(t.Context(), q)
		jobstest.WantField(t, err, name)
	}
}

// The week of a rate is today and the six days before.
func TestJobActivity(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	found, err := c.JobActivity(t.Context(), []int64{7})
	if days := time.Since(s.since).Hours() / 24; err != nil || found[7].Running != 1 || days < 5.9 || days > 6.1 {
		t.Errorf("got %+v, %v, %v days", found, err, days)
	}
	a := JobActivity{Week: job.Stats{Succeeded: 1, Failed: 2, TimedOut: 4, Lost: 8, Cancelled: 16, Skipped: 32}}
	if n := a.Rated(); n != 15 {
		t.Errorf("%d are rated", n)
	}
	facets, err := c.JobFacets(t.Context(), access.Sight{All: true}, "")
	if err != nil || facets.Jobs != 3 || s.jobs.Namespace != "default" || !s.jobs.Sight.All {
		t.Errorf("got %+v, %v; asked %+v", facets, err, s.jobs)
	}
}
