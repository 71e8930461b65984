package api

import "github.com/orthd/orth/job"

// Event is a change in a stream of events: of a run, a job, an executor or an alarm. The
// field named after its kind has the object.
type Event struct {
	Kind      string `json:"kind" enum:"run,job,executor,alarm" doc:"The kind of object that has changed; also the name of the event in the stream."`
	Change    string `json:"change" example:"running" doc:"The change. A run: created, then each of its states. A job: saved, started, stopped, deleted. An executor: came, drains, silent, gone, and facts when it sent new facts. An alarm: fires, over."`
	At        Time   `json:"at" format:"date-time" doc:"When the server wrote it down."`
	Namespace string `json:"namespace"`
	Group     string `json:"group,omitempty" doc:"The group that it belongs to; absent for an alarm of a whole namespace."`

	Run      *EventRun      `json:"run,omitempty" doc:"The run, for the kind run."`
	Job      *EventJob      `json:"job,omitempty" doc:"The job, for the kinds run and job, and for an alarm of a job."`
	Executor *EventExecutor `json:"executor,omitempty" doc:"The executor, for the kind executor."`
	Alarm    *EventAlarm    `json:"alarm,omitempty" doc:"The alarm, for the kind alarm."`
}

// EventRun is a run as it stood after a change.
type EventRun struct {
	ID        ID        `json:"id" pattern:"^[0-9]+$" doc:"The run's number, as a text."`
	State     job.State `json:"state" enum:"planned,queued,dispatched,running,stopping,waiting_retry,succeeded,failed,timed_out,cancelled,lost,skipped"`
	Final     bool      `json:"final" doc:"Whether the state will not change any more."`
	Reason    string    `json:"reason,omitempty" doc:"Why it is in this state, in words; absent when this change has no reason."`
	Message   string    `json:"message,omitempty" doc:"The message of the attempt's end, at most 200 characters."`
	AttemptID ID        `json:"attempt_id,omitzero" pattern:"^[0-9]+$" doc:"The attempt that the change is about; absent when it is about none."`
	Cause     job.Cause `json:"cause" enum:"schedule,misfire,manual,api,parent,retry,backfill,redrive,shard,trial" doc:"Why the run exists."`
	PlannedAt Time      `json:"planned_at,omitzero" format:"date-time" doc:"The slot that the run serves; absent when it serves none."`
	StartedAt Time      `json:"started_at,omitzero" format:"date-time" doc:"When an executor first accepted the run; absent while it waits, and when that is not known."`
	EndedAt   Time      `json:"ended_at,omitzero" format:"date-time" doc:"When the run was over; absent before."`
	Executor  string    `json:"executor,omitempty" doc:"The base URL of the executor that the attempt was sent to; absent when the change is about no attempt, or the run has another one by now."`
	Shard     *Shard    `json:"shard,omitempty" doc:"The part of a broadcast that the run does; absent when it is not one."`
}

// EventJob names a job.
type EventJob struct {
	ID  int64  `json:"id"`
	Key string `json:"key"`
}

// EventExecutor names an executor.
type EventExecutor struct {
	Address string `json:"address" example:"http://10.0.0.5:9999" doc:"The base URL under which it is reached."`
}

// EventAlarm names an alarm.
type EventAlarm struct {
	ID       ID     `json:"id" pattern:"^[0-9]+$"`
	Rule     string `json:"rule,omitempty" doc:"The rule's key; absent for the mails that a job asks for itself."`
	Severity string `json:"severity" enum:"info,warning,critical"`
	Reason   string `json:"reason,omitempty" doc:"The message of its last event."`
}

// EventOpen is the data of the first event of a stream, "open". Its id is where the
// stream begins: a reader that comes back with it misses nothing from there on.
type EventOpen struct {
	Server  string `json:"server" example:"1773480000000" doc:"The server process that sends the events: it changes with each start."`
	Resumed bool   `json:"resumed" doc:"Whether the stream goes on behind the event that the reader has named."`
}

// EventReset is the data of the event "reset": events were missed. Its id is where the
// stream goes on.
type EventReset struct {
	Reason string `json:"reason" enum:"restarted,expired,slow,gap" doc:"Why: the server is another one, or was started since; the event that the reader has named is too old; the reader was too slow, and this stream ends; the server could not keep up with its own changes."`
	Hint   string `json:"hint" doc:"What to do, in words: read the displayed objects again."`
}
