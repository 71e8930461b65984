package api

import (
	"time"

	"github.com/orthd/orth/job"
)

// DeadLetter is a run that ended badly after its last attempt, with its resolution.
// Executors keep dead letters of their own, of tasks that they could not process; those are
// others.
type DeadLetter struct {
	RunID     ID        `json:"run_id" pattern:"^[0-9]+$" doc:"The run; the dead letter has no other number."`
	JobID     int64     `json:"job_id"`
	JobKey    string    `json:"job_key,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Group     string    `json:"group,omitempty" doc:"The group that the run was for."`
	State     job.State `json:"state,omitempty" enum:"failed,timed_out,lost" doc:"How the run ended."`
	Cause     job.Cause `json:"cause,omitempty" doc:"Why the run existed."`
	PlannedAt Time      `json:"planned_at,omitzero" format:"date-time" doc:"The slot that the run served; absent when it served none."`
	Tries     int       `json:"tries,omitempty" doc:"The number of its attempts."`
	EndedAt   Time      `json:"ended_at,omitzero" format:"date-time"`
	Message   string    `json:"message,omitempty" doc:"The first 1,000 characters of the message of the last attempt's end."`
	Reason    string    `json:"reason,omitempty" doc:"Why the run had no further try, in words."`

	LetterStatus
	JobDeleted bool `json:"job_deleted,omitempty" doc:"The job was deleted: the run cannot be redriven."`
}

// LetterStatus is the resolution of a dead letter.
type LetterStatus struct {
	Status       job.LetterStatus `json:"status,omitempty" enum:"open,redriven,closed" doc:"The resolution: none yet, a new run in its place, or seen and closed."`
	RedrivenRun  ID               `json:"redriven_run,omitzero" pattern:"^[0-9]+$" doc:"The run that was made in its place."`
	ClosedAt     Time             `json:"closed_at,omitzero" format:"date-time"`
	ClosedReason string           `json:"closed_reason,omitempty"`
}

// DeadLetterList is a page of dead letters: those of the newest runs first, or as they
// were sorted.
type DeadLetterList struct {
	DeadLetters []DeadLetter `json:"dead_letters" nullable:"false"`
	Next        ID           `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one, and in lists that are sorted."`
	// After and Since are those of lists that are sorted.
	After string `json:"after,omitempty" doc:"Send it as after, with the same sort, for the next page of a list that is sorted; absent on the last one."`
	Since Time   `json:"since,omitzero" format:"date-time" doc:"In a list that is sorted: only dead letters of runs made since then are in it, because there are more of them than are sorted at once. Name a job, or times, to see all."`
}

// DeadLetterFilter finds open dead letters. The empty one finds all of all
// namespaces.
type DeadLetterFilter struct {
	Job       string    `json:"job,omitempty" doc:"Of the job with this key."`
	Namespace string    `json:"namespace,omitempty" doc:"Of this namespace. With job it defaults to default, else to all."`
	Group     string    `json:"group,omitempty" doc:"Of runs for this group."`
	State     job.State `json:"state,omitempty" enum:"failed,timed_out,lost"`
	Since     Time      `json:"since,omitzero" format:"date-time" doc:"Of runs that ended then or later."`
	Until     Time      `json:"until,omitzero" format:"date-time" doc:"Of runs that ended before."`
	Text      string    `json:"text,omitempty" maxLength:"200" doc:"With this in the message; capital and small letters are the same."`
	Limit     int       `json:"limit,omitempty" minimum:"0" maximum:"10000" doc:"At most so many, those of the newest runs. Defaults to 10,000."`
}

// Redrive is the body of a request that redrives one run.
type Redrive struct {
	Param *string `json:"param,omitempty" doc:"Used instead of the run's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with all values: an input that is not named has its default."`
}

// RedriveMany is the body of a request that redrives many runs.
type RedriveMany struct {
	Runs    []ID              `json:"runs,omitempty" maxItems:"1000" nullable:"false" doc:"The runs. Or give filter."`
	Filter  *DeadLetterFilter `json:"filter,omitempty" doc:"Finds open dead letters. Or give runs."`
	Param   *string           `json:"param,omitempty" doc:"Used instead of the parameter of each, at most 64 KiB. For jobs with inputs it is an object of JSON with all values."`
	Spacing *Duration         `json:"spacing,omitempty" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"1s" doc:"The time from one run to the next; the last one is ready within 720h. Defaults to 10ms, 0s starts all at once."`
	DryRun  bool              `json:"dry_run,omitempty" doc:"Report what would be done, and do nothing."`
}

// CloseMany is the body of a request that closes many dead letters.
type CloseMany struct {
	Runs   []ID              `json:"runs,omitempty" maxItems:"1000" nullable:"false" doc:"Their runs. Or give filter."`
	Filter *DeadLetterFilter `json:"filter,omitempty" doc:"Finds open dead letters. Or give runs."`
	Reason string            `json:"reason,omitempty" maxLength:"1000" doc:"Kept with each and shown to people."`
	DryRun bool              `json:"dry_run,omitempty" doc:"Report what would be done, and do nothing."`
}

// Settled is the result of a bulk action on dead letters, the oldest run first.
type Settled struct {
	Done    int           `json:"done" doc:"How many were redriven or closed; after a dry run, how many would be."`
	Failed  int           `json:"failed" doc:"How many were not."`
	More    bool          `json:"more,omitempty" doc:"The filter finds others beyond its limit."`
	Letters []SettledItem `json:"letters" nullable:"false"`
}

// SettledItem is the result for one dead letter, or the reason why nothing was done.
type SettledItem struct {
	RunID   ID        `json:"run_id" pattern:"^[0-9]+$" doc:"The dead run."`
	JobKey  string    `json:"job_key,omitempty"`
	State   job.State `json:"state,omitempty" doc:"How it ended."`
	NewRun  ID        `json:"new_run,omitzero" pattern:"^[0-9]+$" doc:"The run in its place; absent when none was made."`
	ReadyAt Time      `json:"ready_at,omitzero" format:"date-time" doc:"When that run may start."`
	Error   *Problem  `json:"error,omitempty" doc:"Why nothing was done."`
}

// FromDeadLetter returns the dead letter as the API shows it.
func FromDeadLetter(d job.DeadLetter) DeadLetter {
	return DeadLetter{
		RunID: ID(d.RunID), JobID: d.JobID, JobKey: d.JobKey, Namespace: d.Namespace, Group: d.Group, State: d.State,
		Cause: d.Cause, PlannedAt: At(d.PlannedAt), Tries: d.Tries, EndedAt: At(d.EndedAt), Message: d.Message,
		Reason: d.Reason, LetterStatus: FromLetterStatus(d), JobDeleted: d.JobDeleted,
	}
}

// FromLetterStatus returns the resolution of the dead letter.
func FromLetterStatus(d job.DeadLetter) LetterStatus {
	return LetterStatus{
		Status: d.Status, RedrivenRun: ID(d.RedrivenRun), ClosedAt: At(d.ClosedAt), ClosedReason: d.ClosedReason,
	}
}

// Between returns the spacing as the server takes it, nil for its default.
func (r RedriveMany) Between() *time.Duration {
	return (*time.Duration)(r.Spacing)
}
