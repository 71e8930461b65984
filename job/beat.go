package job

import "time"

// Limits of addresses, as executors and users send them.
const (
	MaxAddress     = 512 // bytes of a base URL
	MaxIncarnation = 64  // bytes, also of an instance
	MaxHolds       = 500
	MaxRewrites    = 50 // of a group
)

// Beat is a heartbeat of an executor.
type Beat struct {
	Group   string
	Address string // base URL as the executor gives it
	// Features are those that it announces; nil when it announces none.
	Features []string
	// Handlers are the names of its handlers that jobs may use: at most [MaxHandlers].
	Handlers []string
	Life     Life
	// Dialect is the dialect that its request reveals; empty when it reveals none.
	Dialect Dialect
	// TokenID identifies the token of the request: [TokenNone], one of those below it, or
	// one of its group's.
	TokenID int64
}

// Life is what an executor reports about its process. Executors of other products report
// nothing: theirs is the zero Life.
type Life struct {
	// Incarnation changes with each start of the executor, so that a restart at the same
	// address can be detected; at most [MaxIncarnation] bytes.
	Incarnation string
	// StartedAt is when the process started, by its own clock.
	StartedAt time.Time
	// Every is the time between its heartbeats; zero when it does not report it.
	Every time.Duration
	// Load counts its tasks; nil when it does not report them.
	Load *Load
	// Holds are its attempts: those that run, those that wait, and those whose outcome no
	// server has accepted yet. At most [MaxHolds].
	Holds []int64
	// Whole is set when Holds is complete. Otherwise an attempt missing from it proves
	// nothing.
	Whole bool
	// Draining is set when it finishes its tasks and accepts no more.
	Draining bool
	// Instance is the id of its data folder: it stays when the executor restarts, also
	// under another address. Empty when it does not report it; at most [MaxIncarnation]
	// bytes.
	Instance string
}

// Load counts the tasks of an executor.
type Load struct {
	Running int `json:"running"` // tasks whose handlers run
	Waiting int `json:"waiting"` // tasks that it accepted and has not begun
}

// Rewrite replaces addresses under which executors register by one under which
// the server reaches them.
type Rewrite struct {
	// From selects addresses by their prefix, such as "http://172.17.", or by the network
	// of their IP address, such as "172.17.0.0/16".
	From string `json:"from"`
	// To replaces the whole address. {host} and {port} in it stand for those that were
	// registered.
	To string `json:"to"`
}
