package sqlstore

import (
	"context"
	"slices"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

const (
	jobColumns = `j.id, j.namespace, j.job_key, j.title, j.description, j.group_id, g.group_key, j.schedule, j.misfire,
		j.misfire_limits, j.handler, j.param, j.inputs, j.route, j.shards, j.overlap, j.overlap_scope, j.overlap_queue, j.timeout_ms, j.retry, j.on_crash, j.children, j.concurrency,
		j.labels, j.delivery, j.logs, j.template, j.template_version,
		(SELECT t.job_key FROM jobs t WHERE t.id = j.template), j.alarm_emails, j.stop_after, p.enabled, p.stop_reason, p.held_by, p.fired, j.failures, j.version,
		p.next_at, p.last_at, j.created_at, j.updated_at`
	// By the primary keys of executor_groups and job_plans, after jobs.
	joinJob  = ` JOIN executor_groups g ON g.id = j.group_id JOIN job_plans p ON p.job_id = j.id `
	fromJobs = ` FROM jobs j` + joinJob

	// By jobs_key.
	readJob = `SELECT ` + jobColumns + fromJobs + `WHERE j.namespace = ? AND j.tombstone = 0 AND j.job_key = ?`
	// By jobs_key, in its order.
	listJobs = `SELECT ` + jobColumns + fromJobs +
		`WHERE j.namespace = ? AND j.tombstone = 0 AND j.job_key > ? ORDER BY j.job_key LIMIT ?`
	// By jobs_key, in its order; jobs of other groups are passed over.
	listGroupJobs = `SELECT ` + jobColumns + fromJobs +
		`WHERE j.namespace = ? AND j.tombstone = 0 AND j.job_key > ? AND g.group_key = ? ORDER BY j.job_key LIMIT ?`
	// By jobs' primary key.
	listJobsByID = `SELECT ` + jobColumns + fromJobs + `WHERE j.id IN (%s) AND j.tombstone = 0`
)

// maxPage bounds what a list returns.
const maxPage = 1000

// Job returns the job that has the key, or NotFound.
func (s *Store) Job(ctx context.Context, namespace, key string) (job.Job, error) {
	j, found, err := first(ctx, s.reader, jobFields, readJob, namespace, key)
	if err == nil && !found {
		err = job.Errorf(job.NotFound, "job %s does not exist in namespace %s", key, namespace)
	}
	return j, err
}

// Jobs returns the jobs of the filter in order of key, at most 1,000.
func (s *Store) Jobs(ctx context.Context, f jobrows.JobFilter) ([]job.Job, error) {
	if f.Group != "" {
		return list(ctx, s.reader, jobFields, listGroupJobs, f.Namespace, f.AfterKey, f.Group, page(f.Limit))
	}
	return list(ctx, s.reader, jobFields, listJobs, f.Namespace, f.AfterKey, page(f.Limit))
}

// JobsByID returns the jobs that exist and are not deleted, in no particular
// order.
func (s *Store) JobsByID(ctx context.Context, ids []int64) ([]job.Job, error) {
	jobs := make([]job.Job, 0, len(ids))
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, jobFields, func(j *job.Job) { jobs = append(jobs, *j) },
			in(listJobsByID, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

func jobFields(j *job.Job) []any {
	return []any{
		(*integer)(&j.ID), (*text)(&j.Namespace), (*text)(&j.Key), (*text)(&j.Title), (*text)(&j.Description), (*integer)(&j.GroupID),
		(*text)(&j.Group),
		document[schedule.Spec]{&j.Schedule},
		(*text)(&j.Misfire),
		document[schedule.MisfireLimits]{&j.MisfireLimits},
		document[job.Handler]{&j.Handler},
		(*text)(&j.Param),
		document[[]job.Input]{&j.Inputs},
		(*text)(&j.Route), (*count)(&j.Shards), (*text)(&j.Overlap), (*text)(&j.OverlapScope), (*count)(&j.OverlapQueue), (*period)(&j.Timeout),
		document[retry.Policy]{&j.Retry},
		(*text)(&j.OnCrash),
		document[[]job.Child]{&j.Children},
		(*count)(&j.Concurrency),
		document[map[string]string]{&j.Labels},
		document[job.Delivery]{&j.Delivery},
		document[job.LogPolicy]{&j.Logs},
		(*integer)(&j.Template), (*integer)(&j.TemplateVersion), (*text)(&j.TemplateKey),
		document[[]string]{&j.AlarmEmails},
		(*count)(&j.StopAfter), (*truth)(&j.Enabled), (*text)(&j.StopReason), (*text)(&j.HeldBy),
		(*count)(&j.Fired), (*count)(&j.Failures), (*integer)(&j.Version),
		(*instant)(&j.NextAt), (*instant)(&j.LastAt), (*instant)(&j.CreatedAt), (*instant)(&j.UpdatedAt),
	}
}

// page bounds a limit; one that names no limit is the most.
func page(limit int) int {
	if limit <= 0 {
		return maxPage
	}
	return min(limit, maxPage)
}
