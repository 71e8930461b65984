package console

import (
	"net/url"
	"strconv"
)

// The paths of pages that others link to. They begin with [Prefix]; what stands before
// it is up to the one who knows where people reach the server.

// AlarmsPage is the list of alarms, and ChannelsPage that of their channels.
const (
	AlarmsPage   = Prefix + "alarms"
	ChannelsPage = Prefix + "alarms/channels"
)

// RunPage returns the path of the page of a run.
func RunPage(id int64) string { return Prefix + "runs/" + strconv.FormatInt(id, 10) }

// AlarmPage returns the path of the page of an alarm.
func AlarmPage(id int64) string { return AlarmsPage + "/" + strconv.FormatInt(id, 10) }

// JobPage returns the path of the page of a job.
func JobPage(namespace, key string) string {
	return Prefix + "jobs/" + url.PathEscape(key) + "?ns=" + url.QueryEscape(namespace)
}

// GroupPage returns the path of the page of a group of executors.
func GroupPage(namespace, key string) string {
	return Prefix + "groups/" + url.PathEscape(namespace) + "/" + url.PathEscape(key)
}
