package api

import "github.com/orthd/orth/job"

// Run is one firing of a job.
type Run struct {
	ID          ID        `json:"id" pattern:"^[0-9]+$" doc:"The run's number, as a text."`
	JobID       int64     `json:"job_id" doc:"The job's number."`
	JobKey      string    `json:"job_key,omitempty" doc:"The job's key; absent when the job was deleted."`
	Namespace   string    `json:"namespace,omitempty" doc:"The job's namespace, in lists of runs and when the run is shown alone."`
	Group       string    `json:"group,omitempty" doc:"The group that the run is for, in lists of runs and when the run is shown alone."`
	PlannedAt   Time      `json:"planned_at,omitzero" format:"date-time" doc:"The slot that the run serves; absent when it serves none."`
	Cause       job.Cause `json:"cause" enum:"schedule,misfire,manual,api,parent,retry,backfill,redrive,shard,trial" doc:"Why the run exists."`
	CauseID     ID        `json:"cause_id,omitzero" pattern:"^[0-9]+$" doc:"The run that caused this one, for parent; the backfill, for backfill; the dead run, for redrive; the run that was split, for shard; the run whose failed shards are done again, for retry."`
	State       job.State `json:"state" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped"`
	Final       bool      `json:"final" doc:"Whether the state will not change any more."`
	Reason      string    `json:"reason,omitempty" doc:"Why the run is in its state, in words."`
	ReadyAt     Time      `json:"ready_at,omitzero" format:"date-time" doc:"When a waiting run may start, or is looked at again."`
	Param       *string   `json:"param,omitempty" doc:"Overrides the job's parameter."`
	Addresses   []string  `json:"addresses,omitempty" nullable:"false" doc:"The executors that it may go to; absent when it may go to all of its group."`
	Tries       int       `json:"tries" doc:"The number of attempts so far."`
	Undelivered int       `json:"undelivered,omitempty" doc:"How many of the attempts no executor took: they do not count as tries of the retry policy."`
	AttemptID   ID        `json:"attempt_id,omitzero" pattern:"^[0-9]+$" doc:"The current or last attempt."`
	Message     string    `json:"message,omitempty" doc:"The message of the last attempt's end."`
	By          string    `json:"by,omitempty" doc:"The user who requested the run; absent when no user did."`
	Executor    string    `json:"executor,omitempty" doc:"The base URL of the executor that has the current attempt, or had the last one, in lists of runs and when the run is shown alone."`
	CreatedAt   Time      `json:"created_at" format:"date-time"`
	StartedAt   Time      `json:"started_at,omitzero" format:"date-time" doc:"When an executor first took the run. From there to ended_at is its duration."`
	EndedAt     Time      `json:"ended_at,omitzero" format:"date-time"`

	Shard      *Shard        `json:"shard,omitempty" doc:"The part of a broadcast that the run does; absent when it is not one."`
	Shards     *Shards       `json:"shards,omitempty" doc:"Present when the run is shown alone and was split into shards: how far they are."`
	DeadLetter *LetterStatus `json:"dead_letter,omitempty" doc:"Present when the run is shown alone and is a dead letter: its resolution."`
}

// RunList is a page of runs: the newest first, or as they were sorted.
type RunList struct {
	Runs []Run `json:"runs" nullable:"false"`
	Next ID    `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one, and in lists that are sorted. A page may have no runs and be followed by others."`
	// After and Since are those of lists that are sorted.
	After string `json:"after,omitempty" doc:"Send it as after, with the same sort, for the next page of a list that is sorted; absent on the last one."`
	Since Time   `json:"since,omitzero" format:"date-time" doc:"In a list that is sorted: only runs made since then are in it, because there are more of them than are sorted at once. Name a job, a group or a shorter time to see all."`
}

// Attempt is one try of a run on one executor.
type Attempt struct {
	ID          ID        `json:"id" pattern:"^[0-9]+$" doc:"The attempt's number, as a text; executors know it too."`
	RunID       ID        `json:"run_id" pattern:"^[0-9]+$"`
	JobID       int64     `json:"job_id" doc:"The job's number, as executors know it: a trial has one of its own."`
	Number      int       `json:"number" doc:"1 for the first try of the run."`
	Address     string    `json:"address" doc:"The executor's base URL."`
	State       job.State `json:"state" enum:"dispatched,running,succeeded,failed,timed_out,cancelled,lost,skipped"`
	TriggeredAt Time      `json:"triggered_at" format:"date-time" doc:"When the server decided to send it."`
	AcceptedAt  Time      `json:"accepted_at,omitzero" format:"date-time" doc:"When the executor took it."`
	EndedAt     Time      `json:"ended_at,omitzero" format:"date-time"`
	Message     string    `json:"message,omitempty" doc:"The message of the attempt's end."`

	Evidence []Evidence `json:"evidence,omitempty" nullable:"false" doc:"Outcomes that arrived after the end was recorded and contradict it, at most 10."`
}

// AttemptList is all attempts of a run, the first one first.
type AttemptList struct {
	Attempts []Attempt `json:"attempts" nullable:"false"`
}

// Trigger is the body of a request that starts a run by hand.
type Trigger struct {
	Param     *string  `json:"param,omitempty" doc:"Used instead of the job's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with their values, and the field of an error is param.NAME for the input at fault."`
	PlannedAt Time     `json:"planned_at,omitzero" format:"date-time" doc:"The slot that the run serves. Defaults to none."`
	Addresses []string `json:"addresses,omitempty" maxItems:"64" nullable:"false" doc:"The base URLs of the executors of the job's group that it may go to. Defaults to all of them."`
	Delay     Duration `json:"delay,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"10m" doc:"Start it so much later, at most 720h."`
}

// Cancel is the body of a request that cancels a run.
type Cancel struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"Kept with the run and shown to people."`
}

// FromRun returns the run as the API shows it.
func FromRun(r job.Run) Run {
	run := Run{
		ID: ID(r.ID), JobID: r.JobID, JobKey: r.JobKey, PlannedAt: At(r.PlannedAt), Cause: r.Cause,
		State: r.State, Final: r.State.Final(), Reason: r.Reason, ReadyAt: At(r.ReadyAt), Param: r.Param, Addresses: r.Addresses,
		Tries: r.Tries, Undelivered: r.Undelivered, AttemptID: ID(r.AttemptID), Message: r.Message,
		By: r.By, CreatedAt: At(r.CreatedAt), StartedAt: At(r.StartedAt), EndedAt: At(r.EndedAt),
	}
	if !r.Shard.IsZero() {
		run.Shard = &Shard{Index: r.Shard.Index, Total: r.Shard.Total}
	}
	if r.CauseID != r.ID {
		run.CauseID = ID(r.CauseID)
	}
	return run
}

// FromAttempt returns the attempt as the API shows it.
func FromAttempt(a job.Attempt) Attempt {
	return Attempt{
		ID: ID(a.ID), RunID: ID(a.RunID), JobID: a.JobID, Number: a.Number, Address: a.Address,
		State: a.State, TriggeredAt: At(a.TriggeredAt), AcceptedAt: At(a.AcceptedAt),
		EndedAt: At(a.EndedAt), Message: a.Message, Evidence: fromEvidence(a.Evidence),
	}
}
