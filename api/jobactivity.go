package api

import "github.com/orthd/orth/job"

// JobActivity is what happened to a job lately: what a row of a table shows.
type JobActivity struct {
	Recent []RecentRun `json:"recent" nullable:"false" doc:"The last 20 runs that are over, the newest first. A run that was split into shards is one."`
	Last   *LastRun    `json:"last,omitempty" doc:"The newest run, over or not; absent when there is none."`
	// SuccessRate is absent when no run of the days counts.
	SuccessRate *float64 `json:"success_rate,omitempty" minimum:"0" maximum:"1" doc:"The share of the runs that ended on the last 7 days, UTC and today included, that succeeded. Those that were cancelled or skipped do not count; absent when no others ended."`
	Rated       int64    `json:"rated" doc:"How many runs the success rate is about."`
	Running     int      `json:"running" doc:"How many attempts of the job executors have."`
	Waiting     int      `json:"waiting" doc:"How many runs wait to be sent. Those of the jobs of a page are counted to 20,000 together."`
}

// RecentRun is a run that is over, as short as can be.
type RecentRun struct {
	RunID      ID        `json:"run_id" pattern:"^[0-9]+$"`
	State      job.State `json:"state" enum:"succeeded,failed,timed_out,cancelled,lost,skipped"`
	EndedAt    Time      `json:"ended_at" format:"date-time"`
	DurationMS int64     `json:"duration_ms,omitempty" doc:"How long it took since an executor first took it, in milliseconds, between attempts too; absent when none did."`
}

// LastRun is the newest run of a job.
type LastRun struct {
	RunID ID        `json:"run_id" pattern:"^[0-9]+$"`
	State job.State `json:"state" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped"`
	At    Time      `json:"at" format:"date-time" doc:"When it ended; for a running run when it was started, else when it was created."`
}

// JobFacets is what the jobs of a namespace have in common: what lists of jobs can be
// narrowed by. Each list has the values of the most jobs first, at most 200.
type JobFacets struct {
	Jobs     int     `json:"jobs" doc:"How many jobs were counted."`
	Partial  bool    `json:"partial,omitempty" doc:"There are more jobs than are counted: at most 20,000."`
	Groups   []Facet `json:"groups" nullable:"false" doc:"The groups of executors; for group."`
	Labels   []Facet `json:"labels" nullable:"false" doc:"The labels as key=value; for label."`
	Handlers []Facet `json:"handlers" nullable:"false" doc:"The names of handlers, and the kinds of scripts; for handler."`
	Owners   []Facet `json:"owners" nullable:"false" doc:"The values of the label owner; for owner."`
}

// Facet is a value that some jobs have.
type Facet struct {
	Value string `json:"value"`
	Jobs  int    `json:"jobs" doc:"How many jobs have it."`
}
