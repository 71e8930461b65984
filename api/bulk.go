package api

import "github.com/orthd/orth/job"

// JobBulk is the body of a request that does one thing to many jobs.
type JobBulk struct {
	Action string             `json:"action" enum:"start,stop,trigger,delete,label" doc:"The action on each."`
	Keys   []string           `json:"keys,omitempty" maxItems:"1000" nullable:"false" doc:"The keys of the jobs. Or give filter."`
	Filter *JobFilter         `json:"filter,omitempty" doc:"Finds jobs, in order of key. Or give keys."`
	Labels map[string]*string `json:"labels,omitempty" doc:"For label: each is set on the jobs; null removes it."`
	DryRun bool               `json:"dry_run,omitempty" doc:"Check everything, report for each job what would happen, and change nothing."`
}

// JobFilter selects jobs of a namespace for a bulk action.
type JobFilter struct {
	Group    string    `json:"group,omitempty" doc:"Only jobs of this group."`
	Enabled  *bool     `json:"enabled,omitempty" doc:"Only jobs that are started, or only those that are not."`
	Kind     string    `json:"kind,omitempty" doc:"Only jobs whose schedule is of this kind."`
	Handler  string    `json:"handler,omitempty" maxLength:"100" doc:"Only jobs that run this handler, or scripts of this kind."`
	Label    string    `json:"label,omitempty" maxLength:"200" doc:"Only jobs with this label: a key, or key=value."`
	Labels   []string  `json:"labels,omitempty" maxItems:"8" nullable:"false" doc:"Only jobs with these labels, each a key, or key=value."`
	Mode     string    `json:"label_mode,omitempty" enum:"all,any" doc:"Whether jobs have all of the labels, or one of them. Defaults to all."`
	Calendar string    `json:"calendar,omitempty" maxLength:"64" doc:"Only jobs whose schedule names this calendar."`
	Template string    `json:"template,omitempty" maxLength:"64" doc:"Only jobs that run the code of the job with this key."`
	Owner    string    `json:"owner,omitempty" maxLength:"100" doc:"Only jobs whose label owner has this value."`
	Status   string    `json:"status,omitempty" enum:"started,stopped,gave_up,held" doc:"Only jobs that are started; that are not; that stopped by themselves; that a pause holds back."`
	Text     string    `json:"text,omitempty" maxLength:"100" doc:"Only jobs with this in the key or the title."`
	Last     job.State `json:"last,omitempty" enum:"succeeded,failed,timed_out,cancelled,lost,skipped" doc:"Only jobs whose last run that is over has ended like this."`
	After    string    `json:"after,omitempty" doc:"Only keys after this one: next of the answer before. In all namespaces with the namespace before it: team/report."`
	Limit    int       `json:"limit,omitempty" minimum:"1" maximum:"1000" doc:"At most so many. Defaults to 1000."`
}

// RunBulk is the body of a request that does one thing to many runs.
type RunBulk struct {
	Action string     `json:"action" enum:"cancel,rerun" doc:"The action on each."`
	IDs    []ID       `json:"ids,omitempty" maxItems:"1000" nullable:"false" doc:"The runs. Or give filter."`
	Filter *RunFilter `json:"filter,omitempty" doc:"Finds runs, the newest first. Or give ids."`
	Reason string     `json:"reason,omitempty" maxLength:"1000" doc:"For cancel: kept with each run and shown to people."`
	DryRun bool       `json:"dry_run,omitempty" doc:"Check everything, report for each run what would happen, and change nothing."`
}

// RunFilter selects runs for a bulk action.
type RunFilter struct {
	Namespace    string      `json:"namespace,omitempty" doc:"Only runs of jobs of this namespace. With job it defaults to default, else to all."`
	Job          string      `json:"job,omitempty" doc:"Only runs of the job with this key."`
	Group        string      `json:"group,omitempty" doc:"Only runs for this group."`
	States       []job.State `json:"states,omitempty" maxItems:"12" nullable:"false" doc:"Only runs in one of these states. For cancel it defaults to those that are not over."`
	CauseID      ID          `json:"cause_id,omitzero" pattern:"^[0-9]+$" doc:"Only runs that this run, or this backfill, has caused."`
	Cause        job.Cause   `json:"cause,omitempty" enum:"schedule,misfire,manual,api,parent,retry,backfill,redrive,shard,trial" doc:"Only runs that exist because of this."`
	CreatedSince Time        `json:"created_since,omitzero" format:"date-time" doc:"Only runs made then or later."`
	CreatedUntil Time        `json:"created_until,omitzero" format:"date-time" doc:"Only runs made before."`
	Executor     string      `json:"executor,omitempty" maxLength:"500" doc:"Only runs whose current or last attempt this executor has or had: its base URL."`
	Label        string      `json:"label,omitempty" maxLength:"200" doc:"Only runs of jobs that have this label now: a key, or key=value."`
	By           string      `json:"by,omitempty" maxLength:"200" doc:"Only runs that this user asked for."`
	Text         string      `json:"text,omitempty" maxLength:"100" doc:"Only runs with this in the message or the reason."`
	Late         Duration    `json:"late,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"30s" doc:"Only runs of schedules that started more than so long after they were planned, or still wait."`
	MinDuration  Duration    `json:"min_duration,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"10s" doc:"Only runs with at least this duration so far."`
	MaxDuration  Duration    `json:"max_duration,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"1m" doc:"Only runs with a shorter duration so far."`
	MinTries     int         `json:"min_tries,omitempty" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or more."`
	MaxTries     int         `json:"max_tries,omitempty" minimum:"0" maximum:"10000" doc:"Only runs with so many attempts or fewer; 0 is no bound."`
	Before       ID          `json:"before,omitzero" pattern:"^[0-9]+$" doc:"Only ids below this one: next of the answer before."`
	Limit        int         `json:"limit,omitempty" minimum:"1" maximum:"1000" doc:"At most so many. Defaults to 1000."`
}

// Done is what became of each of many, in order.
type Done struct {
	Done   int `json:"done" doc:"To how many it was done; after a dry run, to how many it would be."`
	Failed int `json:"failed" doc:"To how many it was not."`
	// Unchanged counts only what a dry run has looked at.
	Unchanged int        `json:"unchanged,omitempty" doc:"After a dry run: how many of those it would be done to are so already."`
	More      bool       `json:"more,omitempty" doc:"The filter finds others beyond its limit."`
	Next      string     `json:"next,omitempty" doc:"Send it as after, or as before, of the filter for those."`
	Items     []DoneItem `json:"items" nullable:"false"`
}

// DoneItem is what became of one of many.
type DoneItem struct {
	Namespace string   `json:"namespace,omitempty" doc:"The namespace of the job, when those of all namespaces were asked for."`
	Key       string   `json:"key" doc:"The key of the job, or the id of the run."`
	Run       ID       `json:"run,omitzero" pattern:"^[0-9]+$" doc:"The run that was made; absent when none was."`
	Error     *Problem `json:"error,omitempty" doc:"Why it was not done; absent when it was."`
	// Would and Unchanged are set by dry runs only.
	Would     string `json:"would,omitempty" doc:"After a dry run: what would happen, in words."`
	Unchanged bool   `json:"unchanged,omitempty" doc:"After a dry run: nothing would change, it is so already."`
}

// Rerun is the body of a request that makes a run again.
type Rerun struct {
	Param *string `json:"param,omitempty" doc:"Used instead of the run's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with all values: an input that is not named has its default."`
}
