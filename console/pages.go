package console

import (
	"net/url"
	"strconv"
)

// Paths of the pages that other packages link to. They begin with [Prefix]; the caller
// adds the public address of the server.

// AlarmsPage lists the alarms, ChannelsPage the alarm channels.
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
