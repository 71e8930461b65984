package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
)

// AlarmQuery selects alarms of the client's namespace. The zero query selects all,
// the newest first.
type AlarmQuery struct {
	State alarm.State // empty means all
	Rule  string      // a rule's key; empty means all
	Kind  alarm.Kind
	// Severity is info, warning or critical; empty means all.
	Severity alarm.Severity
	// AllNamespaces lists those of all namespaces that the caller may see.
	AllNamespaces bool
	Job           string    // a job's key; empty means all
	Group         string    // a group's key; empty means all
	Since         time.Time // with an event then or later
	Until         time.Time // that began before
	// Before is an id: the Next of the page before.
	Before api.ID
	Limit  int // 1..1,000 per page. Defaults to 100.
}

// NotificationQuery selects messages of the client's namespace. The zero query
// selects all, the newest first.
type NotificationQuery struct {
	// AllNamespaces lists those of all namespaces that the caller may see.
	AllNamespaces bool

	Status  alarm.Delivery // empty means all
	Rule    string         // a rule's key; empty means all
	Channel string         // a channel's key; empty means all
	Since   time.Time      // made then or later
	Until   time.Time      // made before
	// Before is an id: the Next of the page before.
	Before api.ID
	Limit  int // 1..1,000 per page. Defaults to 100.
}

// Alarms returns a page of alarms, the newest first.
func (c *Client) Alarms(ctx context.Context, q AlarmQuery) (api.AlarmList, error) {
	query := c.space()
	if q.AllNamespaces {
		query = url.Values{}
	}
	setNonEmpty(query, "severity", string(q.Severity))
	setNonEmpty(query, "state", string(q.State))
	setNonEmpty(query, "rule", q.Rule)
	setNonEmpty(query, "kind", string(q.Kind))
	setNonEmpty(query, "job", q.Job)
	setNonEmpty(query, "group", q.Group)
	setSpan(query, q.Since, q.Until, q.Before, q.Limit)
	var list api.AlarmList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/alarms", query, nil, &list)
	return list, err
}

// Alarm returns an alarm, or job.NotFound.
func (c *Client) Alarm(ctx context.Context, id api.ID) (api.Alarm, error) {
	var a api.Alarm
	err := c.doRequest(ctx, http.MethodGet, alarmPath(id), nil, nil, &a)
	return a, err
}

// AlarmEntries returns a page of the events of an alarm after one of them, the
// oldest first; limit is 1..1,000 and defaults to 100.
func (c *Client) AlarmEntries(ctx context.Context, id, after api.ID, limit int) (api.AlarmEntryList, error) {
	query := url.Values{}
	if after > 0 {
		query.Set("after", after.String())
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	var list api.AlarmEntryList
	err := c.doRequest(ctx, http.MethodGet, alarmPath(id)+"/entries", query, nil, &list)
	return list, err
}

// NoteAlarm acknowledges an alarm, which then escalates no more. by names the user, and may
// be empty.
func (c *Client) NoteAlarm(ctx context.Context, id api.ID, by string) (api.Alarm, error) {
	var a api.Alarm
	err := c.doRequest(ctx, http.MethodPost, alarmPath(id)+"/note", nil, api.AlarmNote{By: by}, &a)
	return a, err
}

// Notifications returns a page of messages about alarms, the newest first.
func (c *Client) Notifications(ctx context.Context, q NotificationQuery) (api.NotificationList, error) {
	query := c.space()
	if q.AllNamespaces {
		query = url.Values{}
	}
	setNonEmpty(query, "status", string(q.Status))
	setNonEmpty(query, "rule", q.Rule)
	setNonEmpty(query, "channel", q.Channel)
	setSpan(query, q.Since, q.Until, q.Before, q.Limit)
	var list api.NotificationList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/alarm/notifications", query, nil, &list)
	return list, err
}

// RetryNotification sends a message that was given up again. Kinds: job.NotFound,
// job.Conflict when it was not given up.
func (c *Client) RetryNotification(ctx context.Context, id api.ID) (api.Notification, error) {
	var n api.Notification
	err := c.doRequest(ctx, http.MethodPost, prefix+"/alarm/notifications/"+id.String()+"/retry", nil, nil, &n)
	return n, err
}

// setSpan sets what the queries of pages have in common.
func setSpan(query url.Values, since, until time.Time, before api.ID, limit int) {
	if !since.IsZero() {
		query.Set("since", api.At(since).String())
	}
	if !until.IsZero() {
		query.Set("until", api.At(until).String())
	}
	if before > 0 {
		query.Set("before", before.String())
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
}

// alarmPath returns the path of an alarm.
func alarmPath(id api.ID) string { return prefix + "/alarms/" + id.String() }
