package api

import (
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// Alarm is one incident of a rule for one job or group, from the first event until it is
// resolved.
type Alarm struct {
	ID         ID             `json:"id" pattern:"^[0-9]+$"`
	Namespace  string         `json:"namespace"`
	Rule       string         `json:"rule,omitempty" doc:"The rule's key; absent for the mails that a job asks for itself."`
	Kind       alarm.Kind     `json:"kind"`
	Severity   alarm.Severity `json:"severity"`
	Group      string         `json:"group"`
	JobID      int64          `json:"job_id,omitempty" doc:"Absent for an alarm of a group."`
	JobKey     string         `json:"job_key,omitempty"`
	State      alarm.State    `json:"state" enum:"firing,resolved"`
	Reason     string         `json:"reason,omitempty" doc:"That of the last event."`
	FirstAt    Time           `json:"first_at" format:"date-time"`
	LastAt     Time           `json:"last_at" format:"date-time" doc:"The last event."`
	EndedAt    Time           `json:"ended_at,omitzero" format:"date-time"`
	Count      int            `json:"count" doc:"How many events."`
	LastRunID  ID             `json:"last_run_id,omitzero" pattern:"^[0-9]+$"`
	NotedAt    Time           `json:"noted_at,omitzero" format:"date-time" doc:"When it was acknowledged: it escalates no more."`
	NotedBy    string         `json:"noted_by,omitempty"`
	SilencedBy ID             `json:"silenced_by,omitzero" pattern:"^[0-9]+$" doc:"The silence that holds its messages back now."`
}

// AlarmEntry is one event of an alarm.
type AlarmEntry struct {
	EventID ID        `json:"event_id" pattern:"^[0-9]+$"`
	At      Time      `json:"at" format:"date-time"`
	RunID   ID        `json:"run_id,omitzero" pattern:"^[0-9]+$"`
	JobKey  string    `json:"job_key,omitempty"`
	State   job.State `json:"state,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// AlarmList is a page of alarms, the newest first.
type AlarmList struct {
	Alarms []Alarm `json:"alarms" nullable:"false"`
	Next   ID      `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one."`
}

// AlarmEntryList is a page of the events of an alarm, the oldest first.
type AlarmEntryList struct {
	Entries []AlarmEntry `json:"entries" nullable:"false"`
	Next    ID           `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as after for the next page; absent on the last one."`
}

// AlarmNote is the body of a request that takes note of an alarm.
type AlarmNote struct {
	By string `json:"by,omitempty" maxLength:"100" doc:"The display name of the user, for others."`
}

// Notification is a message about alarms, on its way or over.
type Notification struct {
	ID        ID             `json:"id" pattern:"^[0-9]+$"`
	Namespace string         `json:"namespace"`
	Rule      string         `json:"rule,omitempty" doc:"The rule's key; absent for the mails that a job asks for itself."`
	Channel   string         `json:"channel,omitempty" doc:"The channel's key; absent when there was none."`
	To        string         `json:"to,omitempty" doc:"An address in place of the channel's own."`
	Status    alarm.Delivery `json:"status" enum:"pending,sent,failed,silenced,dropped"`
	State     alarm.State    `json:"state" enum:"firing,resolved" doc:"The state that the message reports."`
	Alarms    int            `json:"alarms" doc:"How many it is about."`
	Events    int            `json:"events"`
	Tries     int            `json:"tries"`
	Title     string         `json:"title,omitempty"`
	Error     string         `json:"error,omitempty" doc:"Why the last try failed."`
	DueAt     Time           `json:"due_at,omitzero" format:"date-time" doc:"When it is tried, or tried again."`
	CreatedAt Time           `json:"created_at" format:"date-time"`
	EndedAt   Time           `json:"ended_at,omitzero" format:"date-time"`
}

// NotificationList is a page of messages, the newest first.
type NotificationList struct {
	Notifications []Notification `json:"notifications" nullable:"false"`
	Next          ID             `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one."`
}

// FromAlarm returns the alarm as the API shows it.
func FromAlarm(a alarm.Alarm) Alarm {
	return Alarm{
		ID: ID(a.ID), Namespace: a.Namespace, Rule: a.RuleKey, Kind: a.Kind, Severity: a.Severity, Group: a.Group, JobID: a.JobID,
		JobKey: a.JobKey, State: a.State, Reason: a.Reason, FirstAt: At(a.FirstAt), LastAt: At(a.LastAt), EndedAt: At(a.EndedAt),
		Count: a.Count, LastRunID: ID(a.LastRunID), NotedAt: At(a.NotedAt), NotedBy: a.NotedBy, SilencedBy: ID(a.SilencedBy),
	}
}

// FromAlarmEntry returns the event as the API shows it.
func FromAlarmEntry(e alarm.Entry) AlarmEntry {
	return AlarmEntry{EventID: ID(e.EventID), At: At(e.At), RunID: ID(e.RunID), JobKey: e.JobKey, State: e.State, Reason: e.Reason}
}

// FromNotification returns the message as the API shows it.
func FromNotification(n alarm.Notification) Notification {
	shown := Notification{
		ID: ID(n.ID), Namespace: n.Namespace, Rule: n.RuleKey, Channel: n.Channel, To: n.To, Status: n.Status, State: n.State,
		Alarms: n.Alarms, Events: n.Events, Tries: n.Tries, Title: n.Title, Error: n.Error, CreatedAt: At(n.CreatedAt), EndedAt: At(n.EndedAt),
	}
	if n.Status == alarm.Pending {
		shown.DueAt = At(n.DueAt)
	}
	return shown
}
