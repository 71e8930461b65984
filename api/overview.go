package api

import "github.com/orthd/orth/job"

// Namespace is a namespace with what the caller sees in it.
type Namespace struct {
	Name      string `json:"name"`
	Jobs      int    `json:"jobs" doc:"How many jobs it has."`
	Groups    int    `json:"groups" doc:"How many groups of executors it has."`
	Workflows int    `json:"workflows"`
	Calendars int    `json:"calendars"`
}

// NamespaceList is all namespaces in order of name.
type NamespaceList struct {
	Namespaces []Namespace `json:"namespaces" nullable:"false"`
}

// Server is a server of the platform.
type Server struct {
	Name          string       `json:"name" example:"orth-1:8080" doc:"The host with the port: which server it is."`
	Version       string       `json:"version"`
	StartedAt     Time         `json:"started_at" format:"date-time"`
	Listen        string       `json:"listen" example:"0.0.0.0:8080" doc:"The address that it listens on."`
	Scheme        string       `json:"scheme" enum:"http,https"`
	Store         string       `json:"store" example:"sqlite" doc:"The kind of its database."`
	DatabaseBytes int64        `json:"database_bytes" doc:"The size of the database."`
	Ready         bool         `json:"ready" doc:"Whether the server does its work, as in /readyz."`
	Reasons       []Unready    `json:"reasons" nullable:"false" doc:"Why it does not; empty when it does."`
	Loops         []ServerLoop `json:"loops" nullable:"false" doc:"The loops that must keep running."`
	Executors     int          `json:"executors" doc:"How many executors are alive, as this server sees it."`
	State         ServerState  `json:"state" enum:"working,draining,stopped,gone" doc:"working: it plans and dispatches; draining: it finishes its work and starts none; stopped: it was stopped in good order; gone: it sends no heartbeat."`
	Self          bool         `json:"self" doc:"Whether it is the one that answers."`
	Address       string       `json:"address" example:"http://10.0.0.7:8080" doc:"Its own base URL."`
	BeatAt        Time         `json:"beat_at,omitzero" format:"date-time" doc:"When it was last heard of, by the database's clock; absent for one that is alone on its database."`
	LeaseUntil    Time         `json:"lease_until,omitzero" format:"date-time" doc:"Until when it is thought alive, by the database's clock; absent for one that is alone on its database."`
	Leads         bool         `json:"leads" doc:"Whether it is the leader: it does the work that one server does for all, such as removing old records."`
	Lag           Duration     `json:"lag" doc:"The longest time within the last 10 to 20 s from when a run was due to the answer of its executor."`
	Planned       int64        `json:"planned" doc:"How many runs of schedules it has made since it was started."`
	Sent          int64        `json:"sent" doc:"How many tasks executors have accepted from it since it was started."`
	Held          int          `json:"held" doc:"How many runs it holds in memory to send them."`
	ClockSkew     Duration     `json:"clock_skew" doc:"How far its clock is ahead of the database's; negative when it is behind, 0 when the difference is too small to be seen."`
}

// ServerState is the state of a server.
type ServerState string

// The states of servers.
const (
	ServerWorking  ServerState = "working"
	ServerDraining ServerState = "draining"
	ServerStopped  ServerState = "stopped"
	ServerGone     ServerState = "gone"
)

// ServerLoop is a loop of a server.
type ServerLoop struct {
	Name     string `json:"name" example:"planner"`
	TurnedAt Time   `json:"turned_at,omitzero" format:"date-time" doc:"When it last did its work well; absent before the first time."`
}

// ServerList is all servers of the platform.
type ServerList struct {
	Servers []Server `json:"servers" nullable:"false"`
}

// Setting is a setting of a server, as it is in effect.
type Setting struct {
	Name   string `json:"name" example:"lease-ttl" doc:"The name of the flag without its dashes."`
	Value  string `json:"value" doc:"As the flag takes it; a list with commas. *** stands for a secret that is set."`
	Secret bool   `json:"secret,omitempty" doc:"Its value is never shown."`
	Source Source `json:"source" enum:"flag,environment,file,default" doc:"Where the value came from. A default may have been made at the first start."`
	File   string `json:"file,omitempty" doc:"The file of settings that the value came from."`
}

// Source is where the value of a setting came from.
type Source string

// The sources of settings, those first that go before the others.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
	FromDefault     Source = "default"
)

// SettingList is all settings of the server that answers, in order of name.
type SettingList struct {
	Settings []Setting `json:"settings" nullable:"false"`
}

// Summary is what goes on, within what the caller sees. Figures of the moment are
// counted to 100,000.
type Summary struct {
	At        Time            `json:"at" format:"date-time" doc:"When it was counted: at most once a second."`
	Namespace string          `json:"namespace,omitempty" doc:"The namespace that it is of; absent for all that the caller may see."`
	Group     string          `json:"group,omitempty" doc:"The group that it is of; absent for all groups."`
	Runs      RunFigures      `json:"runs"`
	Jobs      JobFigures      `json:"jobs"`
	Executors ExecutorFigures `json:"executors"`
	Open      OpenFigures     `json:"open"`
	Zone      string          `json:"zone" doc:"The zone of today and yesterday."`
	Today     DayStats        `json:"today" doc:"The runs that ended today."`
	Yesterday DayStats        `json:"yesterday" doc:"The runs that ended yesterday."`
}

// RunFigures count the runs that are not over.
type RunFigures struct {
	Waiting  int `json:"waiting" doc:"Runs that wait to be sent."`
	Retrying int `json:"retrying" doc:"How many of them wait for their next attempt."`
	Late     int `json:"late" doc:"How many of the others have been due for 10 seconds or more."`
	Running  int `json:"running" doc:"Attempts that executors have."`
}

// JobFigures count jobs.
type JobFigures struct {
	Total     int `json:"total" doc:"All jobs, not counted to a limit."`
	Scheduled int `json:"scheduled" doc:"Those that are started and have a next firing."`
	Soon      int `json:"soon" doc:"How many of them have it within an hour."`
}

// ExecutorFigures count executors, each one once.
type ExecutorFigures struct {
	Alive       int `json:"alive" doc:"Executors that accept tasks."`
	Draining    int `json:"draining" doc:"Executors that accept no more tasks."`
	Unreachable int `json:"unreachable" doc:"Those that did not answer the last time."`
	Silent      int `json:"silent" doc:"Those whose lease has ended."`
}

// OpenFigures count what waits for people.
type OpenFigures struct {
	DeadLetters int `json:"dead_letters"`
	Alarms      int `json:"alarms" doc:"Alarms that fire."`
}

// FromDay returns what ended on one day as the API shows it.
func FromDay(s job.Stats) DayStats { return DayStats{Day: date(s.Day), Figures: figures(s)} }
