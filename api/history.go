package api

import "github.com/orthd/orth/job"

// MaxPast is the most runs that are taken over at once.
const MaxPast = 500

// NewHistory is what another scheduler has done for a job, to be kept with its runs.
type NewHistory struct {
	Source string    `json:"source" minLength:"1" maxLength:"64" example:"xxl_job_log" doc:"The source of the runs, such as the table that they come from. It is part of their reasons."`
	Runs   []PastRun `json:"runs" minItems:"1" maxItems:"500" nullable:"false" doc:"The runs. One that is there already, by its number, is passed over."`
}

// PastRun is a run of another scheduler that is over.
type PastRun struct {
	Number    int64     `json:"number" minimum:"1" maximum:"9007199254740991" doc:"Its number at the source, unique within the job."`
	State     job.State `json:"state" enum:"succeeded,failed,timed_out,cancelled,lost,skipped" doc:"How it ended."`
	PlannedAt Time      `json:"planned_at,omitzero" format:"date-time" doc:"The slot of the run; absent when it is unknown."`
	StartedAt Time      `json:"started_at" format:"date-time" doc:"When it was sent."`
	EndedAt   Time      `json:"ended_at" format:"date-time" doc:"When it ended: retention counts from then on."`
	Executor  string    `json:"executor,omitempty" maxLength:"300" doc:"The address of its executor there."`
	Param     *string   `json:"param,omitempty" doc:"Its parameter, when that was not the job's."`
	Message   string    `json:"message,omitempty" maxLength:"20000" doc:"The message of its end."`
}

// HistoryTaken reports the import of past runs.
type HistoryTaken struct {
	Added int `json:"added" doc:"How many were written."`
	Known int `json:"known" doc:"How many were there already."`
	Old   int `json:"old" doc:"How many were left out, because the job keeps its runs for a shorter time."`
}
