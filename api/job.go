package api

import (
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Job is a job as the server shows it.
type Job struct {
	ID          int64  `json:"id" doc:"The job's number, for machines."`
	Namespace   string `json:"namespace" doc:"The namespace; with the key it is unique."`
	Key         string `json:"key" doc:"The job's name within its namespace."`
	Title       string `json:"title,omitempty" doc:"A text for people."`
	Description string `json:"description,omitempty" doc:"The purpose of the job, and what to do when it fails, in lines."`
	Group       string `json:"group" doc:"The executors that may run the job."`

	Schedule      Schedule         `json:"schedule" doc:"When the job fires."`
	Misfire       schedule.Misfire `json:"misfire" enum:"skip,fire_once,fire_all" doc:"The handling of missed firings."`
	MisfireLimits MisfireLimits    `json:"misfire_limits,omitzero" doc:"When a firing counts as missed, and how many are made up for."`
	Handler       Handler          `json:"handler,omitzero" doc:"The code that runs; absent when the job runs the code of its template."`
	Template      string           `json:"template,omitempty" doc:"The key of the job whose code this one runs."`
	// TemplateVersion is absent when the job follows its template.
	TemplateVersion int64   `json:"template_version,omitempty" doc:"The version of the template that is pinned: handler is its code as of that version."`
	Param           string  `json:"param,omitempty" doc:"Handed to the handler as it is, with values in the places of inputs."`
	Inputs          []Input `json:"inputs,omitempty" nullable:"false" doc:"The values that a run may be given."`

	Route       job.Route   `json:"route" enum:"first,last,round,random,consistent_hash,least_frequently_used,least_recently_used,failover,busyover,least_loaded,weighted,broadcast" doc:"How an executor is picked from the group."`
	Shards      int         `json:"shards,omitempty" doc:"How many shards a run is split into, for broadcast; absent means one for each executor."`
	Overlap     job.Overlap `json:"overlap" enum:"serial,discard,cover,concurrent" doc:"What happens when the previous run is still running."`
	Concurrency int         `json:"concurrency,omitempty" doc:"How many runs are worked on at once, for concurrent."`
	// OverlapQueue is absent when it is the default.
	OverlapScope job.OverlapScope  `json:"overlap_scope" enum:"cluster,executor" doc:"Whose runs overlap counts: cluster: those on all executors together; executor: each executor its own."`
	OverlapQueue int               `json:"overlap_queue,omitempty" doc:"How many runs may wait for others of the job, in the cluster; absent means 1000."`
	Labels       map[string]string `json:"labels,omitempty" doc:"Handed to the handler."`
	Timeout      Duration          `json:"timeout,omitzero" example:"30s" doc:"Ends an attempt; absent means never."`
	Retry        Retry             `json:"retry,omitzero" doc:"How failed attempts are tried again; absent means not at all."`
	OnCrash      job.OnCrash       `json:"on_crash" enum:"report,rerun" doc:"The handling of an attempt whose executor died."`
	Children     []Child           `json:"children,omitempty" nullable:"false" doc:"The jobs that the end of a run starts."`
	Delivery     Delivery          `json:"delivery,omitzero" doc:"How runs wait for executors, and how long they are kept; absent when all is as by default."`
	Logs         LogPolicy         `json:"logs,omitzero" doc:"How long and how much of the logs of the runs servers keep; absent when all values are the defaults."`

	AlarmEmails []string `json:"alarm_emails,omitempty" nullable:"false" doc:"The addresses that get a mail when a run has failed after its last attempt."`

	StopAfter  int    `json:"stop_after,omitempty" doc:"Stops the job after so many runs in a row that failed."`
	Enabled    bool   `json:"enabled" doc:"Whether the schedule is running."`
	StopReason string `json:"stop_reason,omitempty" doc:"Why the job stopped by itself; absent when it runs, or a user stopped it."`
	HeldBy     string `json:"held_by,omitempty" doc:"The pause that held the job back when it was last due."`
	Fired      int    `json:"fired,omitempty" doc:"How many runs the schedule has made since it was started."`
	Failures   int    `json:"failures,omitempty" doc:"How many runs in a row have failed, while stop_after is set."`
	Version    int64  `json:"version" doc:"Grows with each change."`
	NextAt     Time   `json:"next_at,omitzero" format:"date-time" doc:"The next firing not yet planned."`
	LastAt     Time   `json:"last_at,omitzero" format:"date-time" doc:"The last firing that was planned."`
	CreatedAt  Time   `json:"created_at" format:"date-time"`
	UpdatedAt  Time   `json:"updated_at" format:"date-time"`

	Activity *JobActivity `json:"activity,omitempty" doc:"The recent runs of the job; in lists with with=recent."`
}

// Handler is the code of a job.
type Handler struct {
	Kind     job.HandlerKind `json:"kind" enum:"named,shell,python,python2,nodejs,php,powershell,groovy,javascript" doc:"named: code that the executor has registered. The others are scripts that travel with the task, each for its interpreter; groovy: a class for a Groovy runtime. javascript: run by the executor itself, without Node.js."`
	Name     string          `json:"name,omitempty" maxLength:"255" doc:"The registered name, for named."`
	Source   string          `json:"source,omitempty" doc:"The script, at most 512 KiB; for named there is none."`
	SourceAt Time            `json:"source_at,omitzero" format:"date-time" readOnly:"true" doc:"When the script last changed."`
}

// NewJob is a job to be created. Absent fields get the named default.
type NewJob struct {
	Namespace       string            `json:"namespace,omitempty" doc:"Defaults to the namespace of the request."`
	Key             string            `json:"key" example:"nightly-report" doc:"1 to 64 lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end."`
	Title           string            `json:"title,omitempty" doc:"A text for people, at most 200 characters."`
	Description     string            `json:"description,omitempty" doc:"The purpose of the job, and what to do when it fails: lines of text, at most 4,000 characters."`
	Group           string            `json:"group" example:"reports" doc:"The executors that may run the job."`
	Schedule        Schedule          `json:"schedule,omitzero" doc:"When the job fires. Defaults to manual."`
	Misfire         schedule.Misfire  `json:"misfire,omitempty" enum:"skip,fire_once,fire_all" doc:"The handling of missed firings. Defaults to skip."`
	MisfireLimits   MisfireLimits     `json:"misfire_limits,omitzero" doc:"When a firing counts as missed, and how many are made up for."`
	StopAfter       int               `json:"stop_after,omitempty" minimum:"0" maximum:"1000" doc:"Stops the job after so many runs in a row that failed. Defaults to never."`
	Handler         Handler           `json:"handler,omitzero" doc:"The code that runs. Leave it out when there is a template."`
	Template        string            `json:"template,omitempty" example:"etl-base" doc:"The key of a job in the same namespace whose code this one runs: the code that the template has when a run is sent. It must have code of its own."`
	TemplateVersion int64             `json:"template_version,omitempty" minimum:"0" doc:"The present version of the template: the job goes on with its code as it is now. Defaults to following the template."`
	Param           string            `json:"param,omitempty" doc:"Handed to the handler as it is, at most 64 KiB. With inputs, ${input:NAME} is the place of a value, and ${input:NAME|url} that of one within an address."`
	Inputs          []Input           `json:"inputs,omitempty" maxItems:"32" nullable:"false" doc:"The values that a run may be given: the param of a run is then a JSON object with them, and nothing else of the job's param can be replaced. Callers who may operate the job may give them."`
	Route           job.Route         `json:"route,omitempty" enum:"first,last,round,random,consistent_hash,least_frequently_used,least_recently_used,failover,busyover,least_loaded,weighted,broadcast" doc:"How an executor is picked. failover: the first that answers; busyover: the first that does not run the job; least_loaded: the one with the fewest tasks; weighted: each as often as its feature weight=N says; broadcast: all of them, each for a shard of the run. Defaults to round."`
	Shards          int               `json:"shards,omitempty" minimum:"0" maximum:"1000" doc:"How many shards a run is split into, for broadcast. Defaults to one for each executor that is alive when the run starts."`
	Overlap         job.Overlap       `json:"overlap,omitempty" enum:"serial,discard,cover,concurrent" doc:"What happens when the previous run is still running. serial: the new run waits. discard: the new run is skipped. cover: the new run replaces the running one. concurrent: both run in parallel. Defaults to serial."`
	Concurrency     int               `json:"concurrency,omitempty" minimum:"0" maximum:"64" doc:"How many runs are worked on at once, for concurrent. Defaults to 1."`
	OverlapScope    job.OverlapScope  `json:"overlap_scope,omitempty" enum:"cluster,executor" doc:"Whose runs overlap counts. cluster: those on all executors together, so that a serial job runs once at a time; executor: each executor counts its own. Defaults to cluster."`
	OverlapQueue    int               `json:"overlap_queue,omitempty" minimum:"0" maximum:"100000" doc:"How many runs may wait for others of the job, in the cluster; those that are too many are skipped. Defaults to 1000."`
	Labels          map[string]string `json:"labels,omitempty" doc:"Handed to the handler: at most 16, with keys like the key of a job and values of at most 100 bytes."`
	Timeout         Duration          `json:"timeout,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"30s" doc:"Ends an attempt. Defaults to never."`
	Retry           Retry             `json:"retry,omitzero" doc:"How failed attempts are tried again. Defaults to not at all."`
	OnCrash         job.OnCrash       `json:"on_crash,omitempty" enum:"report,rerun" doc:"The handling of an attempt whose executor died. Defaults to report."`
	Children        []Child           `json:"children,omitempty" maxItems:"32" nullable:"false" doc:"The jobs that the end of a run starts, each once."`
	Delivery        Delivery          `json:"delivery,omitzero" doc:"How runs wait for executors, and how long they are kept."`
	Logs            LogPolicy         `json:"logs,omitzero" doc:"How long and how much of the logs of the runs servers keep."`
	AlarmEmails     []string          `json:"alarm_emails,omitempty" maxItems:"16" nullable:"false" doc:"The addresses that get a mail when a run has failed after its last attempt, through the namespace's default channel for e-mail. No rule is needed."`
	Enabled         bool              `json:"enabled,omitempty" doc:"Whether the schedule runs from the start. Defaults to false."`
}

// JobList is a page of jobs: in order of key, or as they were sorted.
type JobList struct {
	Jobs []Job  `json:"jobs" nullable:"false"`
	Next string `json:"next,omitempty" doc:"Send it as after, with the same sort, for the next page; absent on the last one."`
}

// FromJob returns the job as the API shows it.
func FromJob(j job.Job) Job {
	return Job{
		ID: j.ID, Namespace: j.Namespace, Key: j.Key, Title: j.Title, Description: j.Description, Group: j.Group,
		Schedule: FromSchedule(j.Schedule),
		Misfire:  j.Misfire, MisfireLimits: fromMisfireLimits(j.MisfireLimits),
		Handler: Handler{
			Kind: j.Handler.Kind, Name: j.Handler.Name,
			Source: j.Handler.Source, SourceAt: At(j.Handler.SourceAt),
		},
		Template: j.TemplateKey, TemplateVersion: j.TemplateVersion,
		Param: j.Param, Inputs: fromInputs(j.Inputs), Route: j.Route, Shards: j.Shards, Overlap: j.Overlap, Concurrency: j.Concurrency,
		OverlapScope: scopeOf(j.OverlapScope), OverlapQueue: j.OverlapQueue, Labels: j.Labels, Timeout: Duration(j.Timeout),
		Retry:   fromRetry(j.Retry),
		OnCrash: j.OnCrash, Children: fromChildren(j.Children), Delivery: fromDelivery(j.Delivery),
		Logs:        LogPolicy{Off: j.Logs.Off, KeepFor: Duration(j.Logs.KeepFor), MaxBytes: j.Logs.MaxBytes},
		AlarmEmails: j.AlarmEmails, StopAfter: j.StopAfter, StopReason: j.StopReason, HeldBy: j.HeldBy, Fired: j.Fired, Failures: j.Failures,
		Enabled: j.Enabled, Version: j.Version, NextAt: At(j.NextAt), LastAt: At(j.LastAt),
		CreatedAt: At(j.CreatedAt), UpdatedAt: At(j.UpdatedAt),
	}
}

// Job returns the job to be created. Children and the template are left out:
// their keys have to be looked up. Nothing is checked and no default is filled in here; the server
// does that.
func (n NewJob) Job() job.Job {
	return job.Job{
		Namespace: n.Namespace, Key: n.Key, Title: n.Title, Description: n.Description, Group: n.Group,
		Schedule:        n.Schedule.Spec(),
		Misfire:         n.Misfire,
		MisfireLimits:   n.MisfireLimits.limits(),
		StopAfter:       n.StopAfter,
		Handler:         job.Handler{Kind: n.Handler.Kind, Name: n.Handler.Name, Source: n.Handler.Source},
		TemplateVersion: n.TemplateVersion,
		Param:           n.Param,
		Inputs:          inputs(n.Inputs),
		Route:           n.Route,
		Shards:          n.Shards,
		Overlap:         n.Overlap,
		Concurrency:     n.Concurrency,
		OverlapScope:    n.OverlapScope,
		OverlapQueue:    n.OverlapQueue,
		Labels:          n.Labels,
		Timeout:         time.Duration(n.Timeout),
		Retry:           n.Retry.policy(),
		OnCrash:         n.OnCrash,
		Delivery:        n.Delivery.delivery(),
		Logs:            job.LogPolicy{Off: n.Logs.Off, KeepFor: time.Duration(n.Logs.KeepFor), MaxBytes: n.Logs.MaxBytes},
		AlarmEmails:     n.AlarmEmails,
		Enabled:         n.Enabled,
	}
}
