package alarms

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Alarms is all that the API asks about alarms and the messages about them.
type Alarms interface {
	AlarmReader
	Notifications
	// NoteAlarm records the acknowledgement of an alarm, which then escalates no more.
	// Kinds: NotFound.
	NoteAlarm(ctx context.Context, id int64, by string, at time.Time) error
}

// AlarmReader finds alarms.
type AlarmReader interface {
	// Alarm returns an alarm, or NotFound.
	Alarm(ctx context.Context, id int64) (alarm.Alarm, error)
	// Alarms returns the alarms of the filter, the newest first.
	Alarms(ctx context.Context, f alerting.AlarmFilter) ([]alarm.Alarm, error)
	// AlarmEntries returns the events of an alarm with ids above after, the oldest
	// first.
	AlarmEntries(ctx context.Context, id, after int64, limit int) ([]alarm.Entry, error)
}

// Notifications finds messages, and sends them again.
type Notifications interface {
	// Notifications returns the messages of the filter, the newest first.
	Notifications(ctx context.Context, f alerting.NotificationFilter) ([]alarm.Notification, error)
	// RetryNotification makes a message that was given up pending again. Kinds:
	// NotFound, Conflict when it was not given up.
	RetryNotification(ctx context.Context, id int64, at time.Time) (alarm.Notification, error)
}

type alarmQuery struct {
	Namespace string         `query:"namespace" doc:"Alarms of this namespace. With job it defaults to default, else to all that the caller may see."`
	State     string         `query:"state" enum:"firing,resolved,all" default:"all" doc:"Only alarms in this state."`
	Rule      string         `query:"rule" doc:"Only those of the rule with this key."`
	Kind      alarm.Kind     `query:"kind" doc:"Only those of this kind."`
	Severity  alarm.Severity `query:"severity" enum:"info,warning,critical" doc:"Only those of this severity."`
	Job       string         `query:"job" doc:"Only those of the job with this key."`
	Group     string         `query:"group" doc:"Only those of this group of executors, and of its jobs."`
	Since     time.Time      `query:"since" doc:"Only those with an event then or later."`
	Until     time.Time      `query:"until" doc:"Only those that began before."`
	Before    string         `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an alarm's id" doc:"Only ids below this one: next of the page before."`
	Limit     int            `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many."`
}

type alarmIDPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an alarm's id" doc:"The alarm's id."`
}

type entryQuery struct {
	ID    string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an alarm's id" doc:"The alarm's id."`
	After string `query:"after" pattern:"^[0-9]{1,19}$" patternDescription:"the digits of an event's id" doc:"Only events after this one: next of the page before."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many."`
}

type noteAlarm struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an alarm's id" doc:"The alarm's id."`
	Body *api.AlarmNote
}

type notificationQuery struct {
	Namespace string    `query:"namespace" doc:"Messages of this namespace. Defaults to all that the caller may see."`
	Status    string    `query:"status" enum:"pending,sent,failed,silenced,dropped,all" default:"all" doc:"Only those in this state."`
	Rule      string    `query:"rule" doc:"Only those of the rule with this key."`
	Channel   string    `query:"channel" doc:"Only those of the channel with this key."`
	Since     time.Time `query:"since" doc:"Only those made then or later."`
	Until     time.Time `query:"until" doc:"Only those made before."`
	Before    string    `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a message's id" doc:"Only ids below this one: next of the page before."`
	Limit     int       `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many."`
}

type notificationPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a message's id" doc:"The message's id."`
}

type alarmReply struct{ Body api.Alarm }

type alarmList struct{ Body api.AlarmList }

type entryList struct{ Body api.AlarmEntryList }

type notificationReply struct{ Body api.Notification }

type notificationList struct{ Body api.NotificationList }

// everyState selects alarms or messages however they stand.
const everyState = "all"

func (s *alarmRoom) registerAlarms() {
	tags := []string{tagAlarms}
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarms", Method: http.MethodGet, Path: "/alarms", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary:     "List alarms, the newest first",
		Description: "Those that the caller may see, of all namespaces when none is named.",
	}, s.listAlarms)
	guard.Register(s.Guard, guard.Op{
		ID: "get-alarm", Method: http.MethodGet, Path: "/alarms/{id}", Tags: tags,
		Right: access.View, Scope: guard.OnAlarm, Class: guard.Reading,
		Summary: "Show an alarm",
	}, s.getAlarm)
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarm-entries", Method: http.MethodGet, Path: "/alarms/{id}/entries", Tags: tags,
		Right: access.View, Scope: guard.OnAlarm, Class: guard.Reading,
		Summary: "List the events of an alarm, the oldest first: none is left out",
	}, s.listAlarmEntries)
	guard.Register(s.Guard, guard.Op{
		ID: "note-alarm", Method: http.MethodPost, Path: "/alarms/{id}/note", Tags: tags,
		Right: access.Operate, Scope: guard.OnAlarm, Class: guard.Writing,
		Policy:  guard.Policy{Dry: true},
		Summary: "Acknowledge an alarm: it escalates no more",
	}, s.noteAlarm)
	guard.Register(s.Guard, guard.Op{
		ID: "list-notifications", Method: http.MethodGet, Path: "/alarm/notifications", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary:     "List messages about alarms, the newest first",
		Description: everyNamespace,
	}, s.listNotifications)
	guard.Register(s.Guard, guard.Op{
		ID: "retry-notification", Method: http.MethodPost, Path: "/alarm/notifications/{id}/retry", Tags: tags,
		Right: access.Operate, Scope: guard.OnNotification, Class: guard.Writing,
		Policy:  guard.Policy{Dry: true},
		Summary: "Send a message that was given up again",
	}, s.retryNotification)
}

func (s *alarmRoom) listAlarms(ctx context.Context, in *alarmQuery) (*alarmList, error) {
	f := alerting.AlarmFilter{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, State: alarm.State(in.State), Rule: in.Rule, Kind: in.Kind, Severity: in.Severity, Group: in.Group,
		Since: in.Since, Until: in.Until, Limit: in.Limit,
	}
	if in.State == everyState {
		f.State = ""
	}
	var err error
	if in.Before != "" {
		if f.Before, err = guard.ParseID("before", in.Before); err != nil {
			return nil, err
		}
	}
	if in.Job != "" {
		j, err := s.JobFor(ctx, access.View, in.Namespace, in.Job)
		if err != nil {
			return nil, err
		}
		f.JobID = j.ID
	}
	found, err := s.config.Alarms.Alarms(ctx, f)
	if err != nil {
		return nil, err
	}
	list := api.AlarmList{Alarms: make([]api.Alarm, len(found))}
	for i := range found {
		list.Alarms[i] = api.FromAlarm(found[i])
	}
	if n := len(found); n >= in.Limit {
		list.Next = list.Alarms[n-1].ID
	}
	return &alarmList{list}, nil
}

func (s *alarmRoom) getAlarm(ctx context.Context, in *alarmIDPath) (*alarmReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return s.alarm(ctx, id)
}

func (s *alarmRoom) alarm(ctx context.Context, id int64) (*alarmReply, error) {
	a, err := s.config.Alarms.Alarm(ctx, id)
	if err != nil {
		return nil, err
	}
	return &alarmReply{api.FromAlarm(a)}, nil
}

func (s *alarmRoom) listAlarmEntries(ctx context.Context, in *entryQuery) (*entryList, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	var after int64
	if in.After != "" && in.After != "0" {
		if after, err = guard.ParseID("after", in.After); err != nil {
			return nil, err
		}
	}
	if _, err := s.config.Alarms.Alarm(ctx, id); err != nil {
		return nil, err
	}
	found, err := s.config.Alarms.AlarmEntries(ctx, id, after, in.Limit)
	if err != nil {
		return nil, err
	}
	list := api.AlarmEntryList{Entries: make([]api.AlarmEntry, len(found))}
	for i := range found {
		list.Entries[i] = api.FromAlarmEntry(found[i])
	}
	if n := len(found); n >= in.Limit {
		list.Next = list.Entries[n-1].EventID
	}
	return &entryList{list}, nil
}

func (s *alarmRoom) noteAlarm(ctx context.Context, in *noteAlarm) (*alarmReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	by := ""
	if in.Body != nil {
		by = job.Clean(in.Body.By, 100)
	}
	if err := s.config.Alarms.NoteAlarm(ctx, id, by, time.Now()); err != nil {
		return nil, err
	}
	return s.alarm(ctx, id)
}

func (s *alarmRoom) listNotifications(ctx context.Context, in *notificationQuery) (*notificationList, error) {
	f := alerting.NotificationFilter{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Status: alarm.Delivery(in.Status), Rule: in.Rule, Channel: in.Channel,
		Since: in.Since, Until: in.Until, Limit: in.Limit,
	}
	if in.Status == everyState {
		f.Status = ""
	}
	var err error
	if in.Before != "" {
		if f.Before, err = guard.ParseID("before", in.Before); err != nil {
			return nil, err
		}
	}
	found, err := s.config.Alarms.Notifications(ctx, f)
	if err != nil {
		return nil, err
	}
	list := api.NotificationList{Notifications: make([]api.Notification, len(found))}
	for i := range found {
		list.Notifications[i] = api.FromNotification(found[i])
	}
	if n := len(found); n >= in.Limit {
		list.Next = list.Notifications[n-1].ID
	}
	return &notificationList{list}, nil
}

func (s *alarmRoom) retryNotification(ctx context.Context, in *notificationPath) (*notificationReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	n, err := s.config.Alarms.RetryNotification(ctx, id, time.Now())
	if err != nil {
		return nil, err
	}
	return &notificationReply{api.FromNotification(n)}, nil
}
