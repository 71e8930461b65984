package rest

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Lists finds jobs and runs where the caller may see them.
type Lists interface {
	FindJobs(ctx context.Context, q catalog.JobQuery) ([]job.Job, error)
	// FindRuns returns the id that the next page is asked before, 0 for none: a page
	// may have fewer runs than its limit, or none, and be followed by others.
	FindRuns(ctx context.Context, q catalog.RunQuery) ([]catalog.FoundRun, int64, error)
	Rankings
	JobTables
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

type runQuery struct {
	Job          string      `query:"job" doc:"Only runs of the job with this key."`
	Namespace    string      `query:"namespace" doc:"Only runs of jobs of this namespace. With job it defaults to default, else to all that the caller may see."`
	Group        string      `query:"group" doc:"Only runs for this group."`
	State        []job.State `query:"state" maxItems:"12" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only runs in one of these states, separated by commas."`
	Cause        job.Cause   `query:"cause" enum:"schedule,misfire,manual,api,parent,retry,backfill,redrive,shard,trial" doc:"Only runs that exist because of this."`
	CauseID      string      `query:"cause_id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an id" doc:"Only runs that this run, or this backfill, has caused; name cause too, since their ids are not of one kind."`
	CreatedSince time.Time   `query:"created_since" doc:"Only runs made then or later."`
	CreatedUntil time.Time   `query:"created_until" doc:"Only runs made before."`
	PlannedSince time.Time   `query:"planned_since" doc:"Only runs for slots then or later."`
	PlannedUntil time.Time   `query:"planned_until" doc:"Only runs for slots before."`
	EndedSince   time.Time   `query:"ended_since" doc:"Only runs that ended then or later."`
	EndedUntil   time.Time   `query:"ended_until" doc:"Only runs that ended before."`
	Executor     string      `query:"executor" maxLength:"500" doc:"Only runs whose current or last attempt this executor has or had: its base URL."`
	Label        string      `query:"label" maxLength:"200" doc:"Only runs of jobs that have this label now: a key, or key=value."`
	By           string      `query:"by" maxLength:"200" doc:"Only runs that this user asked for."`
	Text         string      `query:"text" maxLength:"100" doc:"Only runs with this in the message or the reason; capital and small letters are the same."`
	Late         string      `query:"late" maxLength:"20" example:"30s" doc:"Only runs of schedules that started more than so much after they were planned, or wait for that long: a duration such as 30s or 5m."`
	MinDuration  string      `query:"min_duration" maxLength:"20" example:"10s" doc:"Only runs with at least this duration since an executor first accepted them."`
	MaxDuration  string      `query:"max_duration" maxLength:"20" example:"1m" doc:"Only runs with a shorter duration."`
	MinTries     int         `query:"min_tries" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or more."`
	MaxTries     int         `query:"max_tries" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or fewer; 0 is no bound."`
	Shards       bool        `query:"shards" default:"false" doc:"List shards too: the runs that others were split into."`
	Sort         string      `query:"sort" enum:"-created_at,planned_at,-planned_at,started_at,-started_at,ended_at,-ended_at,duration,-duration,tries,-tries" default:"-created_at" doc:"The order, with - for descending; created_at is that of the ids. Runs without a value come last. All orders but the first sort the newest 10,000 runs of the time, and of the job or group that is named: since in the answer is the oldest of them, if there are others."`
	After        string      `query:"after" maxLength:"500" doc:"After of the page before, with the same sort; in the order of ids next."`
	Before       string      `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"Only ids below this one: next of the page before."`
	Limit        int         `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"The most runs of a page. A page of large runs ends earlier, and so does one for which many others were searched: next is set when there are more."`
}

func (s *server) listJobs(ctx context.Context, in *jobQuery) (*jobList, error) {
	q := catalog.JobQuery{
		Sight: s.sight(ctx, access.View), Namespace: in.Namespace, Group: in.Group, Kind: in.Kind, Handler: in.Handler,
		Labels: in.Label, AnyLabel: in.LabelMode == "any", Owner: in.Owner, Status: catalog.JobStatus(in.Status),
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
func fromEverywhere(q *catalog.JobQuery, field string) error {
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
func (s *server) findJobs(ctx context.Context, in *jobQuery, q *catalog.JobQuery) (api.JobList, error) {
	if strings.HasPrefix(in.After, "~") {
		_, err := parts(in.After, in.Sort, 0)
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
		if size > maxPage && len(list.Jobs) > 0 {
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

func (s *server) listRuns(ctx context.Context, in *runQuery) (*runList, error) {
	q, err := s.runQueryOf(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Sort != newestFirst {
		return s.rankRuns(ctx, in, &q)
	}
	found, next, err := s.config.Lists.FindRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	list, size := api.RunList{Runs: []api.Run{}, Next: api.ID(next)}, 0
	for i := range found {
		if size += textOf(&found[i].Run); size > maxPage && len(list.Runs) > 0 {
			list.Next = list.Runs[len(list.Runs)-1].ID
			break
		}
		list.Runs = append(list.Runs, shownRun(&found[i]))
	}
	return &runList{list}, nil
}

// newestFirst is the sort of runs whose pages continue at an id.
const newestFirst = "-created_at"

// runQueryOf returns the query of a list of runs, whatever its order.
func (s *server) runQueryOf(ctx context.Context, in *runQuery) (catalog.RunQuery, error) {
	q := catalog.RunQuery{
		Sight: s.sight(ctx, access.View), Namespace: in.Namespace, Job: in.Job, Group: in.Group, States: in.State, Cause: in.Cause,
		Created: catalog.Span{Since: in.CreatedSince, Until: in.CreatedUntil},
		Planned: catalog.Span{Since: in.PlannedSince, Until: in.PlannedUntil},
		Ended:   catalog.Span{Since: in.EndedSince, Until: in.EndedUntil}, Shards: in.Shards, Limit: in.Limit,
		Executor: in.Executor, Label: in.Label, By: in.By, Text: in.Text, MinTries: in.MinTries, MaxTries: in.MaxTries,
	}
	for _, bound := range []struct {
		field, text string
		into        *time.Duration
	}{{"late", in.Late, &q.Late}, {"min_duration", in.MinDuration, &q.MinTook}, {"max_duration", in.MaxDuration, &q.MaxTook}} {
		d, err := length(bound.field, bound.text)
		if err != nil {
			return q, err
		}
		*bound.into = d
	}
	var err error
	if in.CauseID != "" {
		if q.CauseID, err = parseID("cause_id", in.CauseID); err != nil {
			return q, err
		}
	}
	if in.Sort != newestFirst {
		return q, nil
	}
	field, text := "before", in.Before
	if in.After != "" { // here both are the id of a run
		if field, text = "after", in.After; strings.HasPrefix(text, "~") {
			_, err := parts(text, in.Sort, 0)
			return q, err
		}
	}
	if text != "" {
		q.BeforeID, err = parseID(field, text)
	}
	return q, err
}

// idText returns an id as the API writes it.
func idText(id int64) string { return strconv.FormatInt(id, 10) }
