package job

import "time"

// Limits of what executors and users say about addresses.
const (
	MaxAddress     = 512 // bytes of a base URL
	MaxIncarnation = 64  // bytes, also of an instance
	MaxHolds       = 500
	MaxRewrites    = 50 // of a group
)

// Beat is a sign of life that an executor sends by itself.
type Beat struct {
	Group   string
	Address string // base URL as the executor gives it
	// Features are what it says it can run; nil when it does not say.
	Features []string
	// Handlers are the names that jobs may use for its handlers: at most [MaxHandlers].
	Handlers []string
	Life     Life
	// Dialect is what the way it called says of how it is spoken to; empty when
	// that says nothing.
	Dialect Dialect
	// TokenID says which token it showed: [TokenNone], one of those below it, or one of
	// its group's.
	TokenID int64
}

// Life is what an executor says of its process. Executors of other makes say
// nothing: theirs is the zero Life.
type Life struct {
	// Incarnation is made anew at each start of the executor, so that a
	// restart at the same address can be seen; at most [MaxIncarnation] bytes.
	Incarnation string
	// StartedAt is when the process started, by its own clock.
	StartedAt time.Time
	// Every is the time between its beats; zero when it does not say.
	Every time.Duration
	// Load is what it has to do; nil when it does not say.
	Load *Load
	// Holds are the attempts that it has: those that run, those that wait,
	// and those whose outcome no server has accepted yet. At most [MaxHolds].
	Holds []int64
	// Whole says that Holds is all of them. Otherwise nothing follows from an
	// attempt that is not there.
	Whole bool
	// Draining says that it finishes what it has and takes no more.
	Draining bool
	// Instance is that of its data folder: it stays when the executor restarts, also under
	// another address. Empty when it does not say; at most [MaxIncarnation] bytes.
	Instance string
}

// Load is what an executor has to do.
type Load struct {
	Running int `json:"running"` // tasks whose handlers run
	Waiting int `json:"waiting"` // tasks that it accepted and has not begun
}

// Rewrite replaces addresses under which executors register by one under which
// the server reaches them.
type Rewrite struct {
	// From says which addresses it is about: those that begin with it, such
	// as "http://172.17.", or those whose host is an IP address in a network,
	// such as "172.17.0.0/16".
	From string `json:"from"`
	// To takes the place of the whole address. {host} and {port} in it stand
	// for those that were registered.
	To string `json:"to"`
}
