package jobs

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// JobTables returns the further columns of a table of jobs.
type JobTables interface {
	// JobActivity returns the recent runs of jobs, by id.
	JobActivity(ctx context.Context, jobs []int64) (map[int64]queries.JobActivity, error)
	JobFacets(ctx context.Context, sight access.Sight, namespace string) (queries.JobFacets, error)
}

// maxActive bounds the jobs of a page with recent runs.
const maxActive = 100

type facetQuery struct {
	Namespace string `query:"namespace" default:"default" doc:"Of the jobs of this namespace; * for those of all that the caller may see."`
}

type facetReply struct{ Body api.JobFacets }

func (s *jobRoom) registerJobTable() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-job-facets", Method: http.MethodGet, Path: "/job-facets", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary: "List the groups, labels, handlers and owners of the jobs of a namespace",
		Description: "Those of the jobs that the caller may see, with the number of jobs of each: the values by which lists of jobs can be filtered. " +
			"Each list has at most 200 values, those of the most jobs first.",
	}, s.getJobFacets)
}

func (s *jobRoom) getJobFacets(ctx context.Context, in *facetQuery) (*facetReply, error) {
	found, err := s.config.Lists.JobFacets(ctx, s.Sight(ctx, access.View), in.Namespace)
	if err != nil {
		return nil, err
	}
	return &facetReply{api.JobFacets{
		Jobs: found.Jobs, Partial: found.Partial, Groups: facets(found.Groups), Labels: facets(found.Labels),
		Handlers: facets(found.Handlers), Owners: facets(found.Owners),
	}}, nil
}

func facets(all []queries.Facet) []api.Facet {
	shown := make([]api.Facet, len(all))
	for i, f := range all {
		shown[i] = api.Facet(f)
	}
	return shown
}

// addActivity adds to the jobs of a page what happened to them lately.
func (s *jobRoom) addActivity(ctx context.Context, jobs []api.Job) error {
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	found, err := s.config.Lists.JobActivity(ctx, ids)
	if err != nil {
		return err
	}
	for i := range jobs {
		a := found[jobs[i].ID]
		jobs[i].Activity = shownActivity(&a)
	}
	return nil
}

func shownActivity(a *queries.JobActivity) *api.JobActivity {
	shown := &api.JobActivity{
		Recent: make([]api.RecentRun, len(a.Ended)), Running: a.Running, Waiting: a.Waiting, Rated: a.Rated(),
	}
	for i := range a.Ended {
		r := &a.Ended[i]
		shown.Recent[i] = api.RecentRun{RunID: api.ID(r.ID), State: r.State, EndedAt: api.At(r.EndedAt), DurationMS: tookMS(r)}
	}
	if last := &a.Last; last.ID != 0 {
		at := last.EndedAt
		if at.IsZero() {
			at = last.StartedAt
		}
		if at.IsZero() {
			at = last.CreatedAt
		}
		shown.Last = &api.LastRun{RunID: api.ID(last.ID), State: last.State, At: api.At(at)}
	}
	if shown.Rated > 0 {
		shown.SuccessRate = new(math.Round(1e4*float64(a.Week.Succeeded)/float64(shown.Rated)) / 1e4)
	}
	return shown
}

// tookMS returns how many milliseconds a run took, at least one when an executor took
// it; zero when none did.
func tookMS(r *job.Run) int64 {
	if r.StartedAt.IsZero() || r.EndedAt.IsZero() {
		return 0
	}
	return max(int64(r.EndedAt.Sub(r.StartedAt)/time.Millisecond), 1)
}
