package jobs

import (
	"context"
	"maps"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

type jobBulk struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the jobs; with a filter, * for those of all that the caller may see."`
	Body      api.JobBulk
}

func (s *jobRoom) registerBulk() {
	guard.Register(s.Guard, guard.Op{
		ID: "bulk-jobs", Method: http.MethodPost, Path: "/jobs/bulk", Tags: []string{guard.TagJobs},
		Right: access.Operate, Scope: guard.InBody, Class: guard.Writing,
		Summary: "Start, stop, trigger, label or delete many jobs",
		Description: "Each succeeds or fails by itself, and needs the right that the action needs on one; the answer has a result " +
			"for each, in order. A filter finds only jobs that the caller may see; those of all namespaces for the namespace *.",
	}, s.bulkJobs)
}

func (s *jobRoom) bulkJobs(ctx context.Context, in *jobBulk) (*guard.DoneReply, error) {
	wish := &in.Body
	switch {
	case (len(wish.Keys) > 0) == (wish.Filter != nil):
		return nil, job.Errorf(job.Invalid, "jobs are named by keys or found by a filter: give one of them")
	case (wish.Action == "label") != (len(wish.Labels) > 0):
		return nil, job.FieldErrorf("labels", "go with the action label, and it with them")
	case in.Namespace == access.All && wish.Filter == nil:
		return nil, guard.OneSpace("name the namespace of the keys, or find the jobs by a filter")
	}
	right := access.Operate
	if wish.Action == "label" || wish.Action == "delete" {
		right = access.Edit
	}
	var jobs []job.Job
	var more bool
	var err error
	items := make([]guard.BulkItem, 0, len(wish.Keys))
	if wish.Filter != nil {
		if jobs, more, err = s.jobsFor(ctx, in.Namespace, wish.Filter); err != nil {
			return nil, err
		}
		for i := range jobs {
			items = append(items, s.jobItem(&jobs[i], wish))
			if in.Namespace == access.All {
				items[i].Space = jobs[i].Namespace
			}
		}
	}
	for _, key := range wish.Keys {
		j, err := s.config.Jobs.Job(ctx, in.Namespace, key)
		switch {
		case job.Is(err, job.NotFound):
			items = append(items, guard.BulkItem{Key: key, Err: guard.Absent("job", key)})
		case err != nil:
			return nil, err
		default:
			items = append(items, s.jobItem(&j, wish))
		}
	}
	reply := s.Each(ctx, "bulk-jobs", right, wish.DryRun, items)
	if more {
		reply.Body.More, reply.Body.Next = true, items[len(items)-1].Place()
	}
	return reply, nil
}

// jobsFor finds the jobs of a filter, and whether there are more. In all namespaces
// they are in order of namespace and key.
func (s *jobRoom) jobsFor(ctx context.Context, namespace string, f *api.JobFilter) (jobs []job.Job, more bool, err error) {
	q := queries.JobQuery{
		Sight: s.Sight(ctx, access.View), Namespace: namespace, Group: f.Group, Enabled: f.Enabled, Kind: schedule.Kind(f.Kind),
		Handler: f.Handler, Labels: f.Labels, AnyLabel: f.Mode == "any", Owner: f.Owner, Status: queries.JobStatus(f.Status),
		Text: f.Text, Calendar: f.Calendar, Template: f.Template, Last: f.Last, After: f.After,
	}
	if f.Label != "" {
		q.Labels = append([]string{f.Label}, f.Labels...)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = guard.MaxBulk
	}
	q.Limit = limit
	if namespace == access.All {
		if err := fromEverywhere(&q, "filter.after"); err != nil {
			return nil, false, err
		}
	}
	if jobs, err = s.config.Lists.FindJobs(ctx, q); err != nil || len(jobs) < limit {
		return jobs, false, err
	}
	last := &jobs[len(jobs)-1]
	if q.Limit, q.After = 1, last.Key; q.Everywhere {
		q.Namespace = last.Namespace
	}
	behind, err := s.config.Lists.FindJobs(ctx, q)
	return jobs, len(behind) > 0, err
}

// jobItem returns what is done to a job.
func (s *jobRoom) jobItem(j *job.Job, wish *api.JobBulk) guard.BulkItem {
	namespace, key, keeper := j.Namespace, j.Key, s.config.Jobs
	one := guard.BulkItem{Key: key, Object: intent.Object{Kind: guard.KindJob, Namespace: namespace, Group: j.Group, Key: key}}
	switch wish.Action {
	case "start":
		if one.Would = (guard.Effect{Text: "it would be started"}); j.Enabled {
			one.Would = guard.Effect{Text: "it is started already", Unchanged: true}
		}
		one.Do = func(ctx context.Context) (int64, error) {
			_, err := keeper.StartJob(ctx, namespace, key)
			return 0, err
		}
	case "stop":
		if one.Would = (guard.Effect{Text: "it would be stopped"}); !j.Enabled {
			one.Would = guard.Effect{Text: "it is stopped already", Unchanged: true}
		}
		one.Do = func(ctx context.Context) (int64, error) { _, err := keeper.StopJob(ctx, namespace, key); return 0, err }
	case "delete":
		one.Would = guard.Effect{Text: "it would be deleted, and its waiting runs cancelled"}
		one.Do = func(ctx context.Context) (int64, error) { return 0, keeper.DeleteJob(ctx, namespace, key) }
	case "trigger":
		one.Would = guard.Effect{Text: "a run would be made"}
		one.Do = func(ctx context.Context) (int64, error) {
			r, err := s.config.Triggers.Trigger(ctx, namespace, key, jobs.Trigger{})
			return r.ID, err
		}
	default:
		if one.Would = (guard.Effect{Text: "its labels would change"}); maps.Equal(j.Labels, labelled(j.Labels, wish.Labels)) {
			one.Would = guard.Effect{Text: "it has these labels already", Unchanged: true}
		}
		one.Do = func(ctx context.Context) (int64, error) {
			_, err := keeper.UpdateJob(ctx, namespace, key, 0, func(old job.Job) (job.Job, error) {
				old.Labels = labelled(old.Labels, wish.Labels)
				return old, nil
			})
			return 0, err
		}
	}
	return one
}

// labelled returns labels with some set, and those removed that are nil.
func labelled(old map[string]string, set map[string]*string) map[string]string {
	labels := maps.Clone(old)
	if labels == nil {
		labels = make(map[string]string, len(set))
	}
	for key, value := range set {
		if value == nil {
			delete(labels, key)
		} else {
			labels[key] = *value
		}
	}
	return labels
}
