package api

import (
	"time"

	"github.com/orthd/orth/job"
)

// Backfill runs a job for the slots of a past time.
type Backfill struct {
	ID            ID                `json:"id" pattern:"^[0-9]+$"`
	JobID         int64             `json:"job_id"`
	JobKey        string            `json:"job_key,omitempty" doc:"Absent when the job was deleted."`
	Namespace     string            `json:"namespace,omitempty" doc:"The namespace of the job."`
	From          Time              `json:"from" format:"date-time" doc:"The slots from here on, this instant included."`
	To            Time              `json:"to" format:"date-time" doc:"The slots before here."`
	Slots         int               `json:"slots" doc:"How many slots there are to run."`
	First         Time              `json:"first,omitzero" format:"date-time"`
	Last          Time              `json:"last,omitzero" format:"date-time"`
	Parallel      int               `json:"parallel" doc:"How many runs may be under way at once."`
	Spacing       Duration          `json:"spacing,omitzero" example:"2s" doc:"The time from the start of one to the start of the next."`
	SkipSucceeded bool              `json:"skip_succeeded,omitempty" doc:"Slots that a run has succeeded for are passed over."`
	Param         *string           `json:"param,omitempty" doc:"Overrides the job's parameter."`
	State         job.BackfillState `json:"state" enum:"running,finished,cancelled"`
	Reason        string            `json:"reason,omitempty" doc:"Why it was cancelled, or ended early."`
	Made          int               `json:"made" doc:"Runs made so far."`
	Skipped       int               `json:"skipped" doc:"Slots passed over so far."`
	Succeeded     int               `json:"succeeded" doc:"Runs that have succeeded."`
	Failed        int               `json:"failed" doc:"Runs that have ended otherwise."`
	CreatedAt     Time              `json:"created_at,omitzero" format:"date-time"`
	EndedAt       Time              `json:"ended_at,omitzero" format:"date-time"`
}

// NewBackfill is a backfill to be made.
type NewBackfill struct {
	From          Time     `json:"from" format:"date-time" doc:"The slots from here on, this instant included."`
	To            Time     `json:"to" format:"date-time" doc:"The slots before here; not in the future."`
	Max           int      `json:"max,omitempty" minimum:"0" maximum:"100000" doc:"Run at most so many slots, the oldest. Without it more than 10,000 are refused."`
	Parallel      int      `json:"parallel,omitempty" minimum:"0" maximum:"64" doc:"How many runs may be under way at once. Defaults to 1."`
	Spacing       Duration `json:"spacing,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"2s" doc:"The time from the start of one to the start of the next, at most 24h. Defaults to none."`
	SkipSucceeded bool     `json:"skip_succeeded,omitempty" doc:"Pass over slots that a run has succeeded for. Runs that have been removed since are not known any more."`
	Param         *string  `json:"param,omitempty" doc:"Used instead of the job's parameter, at most 64 KiB."`
}

// BackfillList is a page of backfills, the newest first.
type BackfillList struct {
	Backfills []Backfill `json:"backfills" nullable:"false"`
	Next      ID         `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one."`
}

// FromBackfill returns the backfill as the API shows it.
func FromBackfill(b job.Backfill) Backfill {
	return Backfill{
		ID: ID(b.ID), JobID: b.JobID, JobKey: b.JobKey, Namespace: b.Namespace, From: At(b.From), To: At(b.To), Slots: b.Slots,
		First: At(b.First), Last: At(b.Last), Parallel: b.Parallel, Spacing: Duration(b.Spacing),
		SkipSucceeded: b.SkipSucceeded, Param: b.Param, State: b.State, Reason: b.Reason, Made: b.Made,
		Skipped: b.Skipped, Succeeded: b.Succeeded, Failed: b.Failed, CreatedAt: At(b.CreatedAt), EndedAt: At(b.EndedAt),
	}
}

// Backfill returns the backfill to be made. Nothing is checked and no default is
// filled in here.
func (n NewBackfill) Backfill() job.Backfill {
	return job.Backfill{
		From: n.From.Time, To: n.To.Time, Slots: n.Max, Parallel: n.Parallel, Spacing: time.Duration(n.Spacing),
		SkipSucceeded: n.SkipSucceeded, Param: n.Param,
	}
}
