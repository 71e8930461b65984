package jobs

import (
	"context"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// JobLists finds jobs where the caller may see them.
type JobLists interface {
	FindJobs(ctx context.Context, q queries.JobQuery) ([]job.Job, error)
	// RankJobs finds them in another order than that of keys.
	RankJobs(ctx context.Context, q queries.JobQuery) ([]queries.RankedJob, error)
	JobTables
}

// Triggers makes runs of jobs by hand.
type Triggers interface {
	Trigger(ctx context.Context, namespace, key string, t jobs.Trigger) (job.Run, error)
}

type jobQuery struct {
	Namespace string        `query:"namespace" default:"default" doc:"Jobs of this namespace; * for those of all that the caller may see."`
	Group     string        `query:"group" doc:"Only jobs of this group."`
	Enabled   string        `query:"enabled" enum:"true,false" doc:"Only jobs that are started, or only those that are not."`
	Kind      schedule.Kind `query:"kind" enum:"manual,cron,every,after,daily,once,several" doc:"Only jobs whose schedule is of this kind."`
	Handler   string        `query:"handler" maxLength:"100" doc:"Only jobs that run this handler, or scripts of this kind."`
	Label     []string      `query:"label,explode" maxItems:"8" doc:"Only jobs with this label: a key, or key=value. It may be given several times."`
	LabelMode string        `query:"label_mode" enum:"all,any" default:"all" doc:"Whether jobs have all of the labels, or one of them."`
	Owner     string        `query:"owner" maxLength:"100" doc:"Only jobs whose label owner has this value."`
	Status    string        `query:"status" enum:"started,stopped,gave_up,held" doc:"Only jobs that are started; that are not; that stopped by themselves; that a pause holds back."`
	Text      string        `query:"text" maxLength:"100" doc:"Only jobs with this in the key or the title; capital and small letters are the same."`
	Calendar  string        `query:"calendar" maxLength:"64" doc:"Only jobs whose schedule names this calendar."`
	Template  string        `query:"template" maxLength:"64" doc:"Only jobs that run the code of the job with this key."`
	Last      job.State     `query:"last" enum:"succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only jobs whose last run that is over has ended like this."`
	Sort      string        `query:"sort" enum:"key,-key,title,-title,next_at,-next_at,updated_at,-updated_at,last_ended_at,-last_ended_at" default:"key" doc:"The order, with - the other way round. title is the key of jobs without one; last_ended_at is when the newest run that is over ended. Jobs without a value come last. At most 20,000 jobs of the namespaces, or of the group that is named, are sorted otherwise than by key."`
	With      string        `query:"with" enum:"recent" doc:"recent: include the recent runs of each job; a page then has at most 100 jobs."`
	After     string        `query:"after" maxLength:"2000" doc:"Next of the page before; in order of key, any key, with its namespace before it when those of all are listed: team/report."`
	Limit     int           `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many jobs. A page of large jobs ends earlier."`
}

func (s *jobRoom) listJobs(ctx context.Context, in *jobQuery) (*jobList, error) {
	q := queries.JobQuery{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Group: in.Group, Kind: in.Kind, Handler: in.Handler,
		Labels: in.Label, AnyLabel: in.LabelMode == "any", Owner: in.Owner, Status: queries.JobStatus(in.Status),
		Text: in.Text, Calendar: in.Calendar, Template: in.Template, Last: in.Last, After: in.After, Limit: in.Limit,
	}
	if in.Namespace == access.All {
		q.Everywhere, q.Namespace = true, ""
	}
	if in.Enabled != "" {
		q.Enabled = new(in.Enabled == "true")
	}
	if in.With == "recent" && in.Limit > maxActive {
		return nil, job.FieldErrorf("limit", "%d exceeds the limit of %d jobs for with=recent", in.Limit, maxActive)
	}
	find := s.findJobs
	if in.Sort != "key" {
		find = s.rankJobs
	}
	list, err := find(ctx, in, &q)
	if err == nil && in.With == "recent" {
		err = s.addActivity(ctx, list.Jobs)
	}
	if err != nil {
		return nil, err
	}
	return &jobList{list}, nil
}

// fromEverywhere makes a query one for all namespaces: it goes on behind the namespace and
// the key that After has. field is what After is called in the request.
func fromEverywhere(q *queries.JobQuery, field string) error {
	q.Everywhere, q.Namespace = true, ""
	if q.After == "" {
		return nil
	}
	space, key, ok := strings.Cut(q.After, "/")
	if !ok {
		return job.FieldErrorf(field, "%q names no namespace: write it such as team/report", q.After)
	}
	q.Namespace, q.After = space, key
	return nil
}

// findJobs answers a list of jobs in order of key.
func (s *jobRoom) findJobs(ctx context.Context, in *jobQuery, q *queries.JobQuery) (api.JobList, error) {
	if strings.HasPrefix(in.After, "~") {
		_, err := guard.CursorParts(in.After, in.Sort, 0)
		return api.JobList{}, err
	}
	if q.Everywhere {
		if err := fromEverywhere(q, "after"); err != nil {
			return api.JobList{}, err
		}
	}
	jobs, err := s.config.Lists.FindJobs(ctx, *q)
	if err != nil {
		return api.JobList{}, err
	}
	last := func(shown []api.Job) string {
		if end := &shown[len(shown)-1]; q.Everywhere {
			return end.Namespace + "/" + end.Key // no name has a slash
		}
		return shown[len(shown)-1].Key
	}
	list, size := api.JobList{Jobs: []api.Job{}}, 0
	for i := range jobs {
		size += bulkOf(&jobs[i])
		if size > guard.MaxPage && len(list.Jobs) > 0 {
			list.Next = last(list.Jobs)
			break
		}
		list.Jobs = append(list.Jobs, api.FromJob(jobs[i]))
	}
	if n := len(list.Jobs); n >= in.Limit {
		list.Next = last(list.Jobs)
	}
	return list, s.unnamed(ctx, pointers(list.Jobs)...)
}

// bulkOf returns the bytes of a job that its user wrote.
func bulkOf(j *job.Job) int {
	size := len(j.Handler.Source) + len(j.Param) + len(j.Title) + len(j.Description) + sizeOf(&j.Schedule)
	for key, value := range j.Labels {
		size += len(key) + len(value)
	}
	for _, address := range j.AlarmEmails {
		size += len(address)
	}
	for _, child := range j.Children {
		size += len(child.Key) + len(child.Param)
	}
	for i := range j.Inputs {
		size += j.Inputs[i].Size()
	}
	return size
}
