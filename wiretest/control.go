package wiretest

import "context"

// Control is how the suite makes an admin work. An admin has no protocol of its
// own for that, so its project writes one for the suite.
type Control interface {
	// Create makes a job that does not fire by itself and returns its id.
	Create(ctx context.Context, j Job) (int64, error)
	// Trigger runs a job now.
	Trigger(ctx context.Context, job int64) error
	// Runs returns what was sent for a job, one for each log id, oldest first.
	Runs(ctx context.Context, job int64) ([]Run, error)
}

// Killer is a [Control] that can end a run by hand.
type Killer interface {
	// Kill ends the run with a log id as a person would.
	Kill(ctx context.Context, log int64) error
}

// Addresser is a [Control] that can run a job on executors of its choice.
type Addresser interface {
	// TriggerAt runs a job now, on one of these addresses and on no other.
	TriggerAt(ctx context.Context, job int64, addresses []string) error
}

// Switcher is a [Control] that knows schedules.
type Switcher interface {
	// Start lets a job fire by its schedule, and refuses one that never will.
	Start(ctx context.Context, job int64) error
	// Stop lets it fire no more.
	Stop(ctx context.Context, job int64) error
	// Started reports whether the job fires by its schedule.
	Started(ctx context.Context, job int64) (bool, error)
}

// LogReader is a [Control] that shows what runs have written.
type LogReader interface {
	// Log returns lines of the run with a log id, from the one with the number
	// from on; the first has the number 1.
	Log(ctx context.Context, log int64, from int) (LogPage, error)
}

// LogPage is some lines of a run's log.
type LogPage struct {
	Text string // each line ends with a newline
	To   int    // the number of the last line; less than the first one asked for when there is none
	End  bool   // nothing will follow
}

// Job is a job as the suite wants it. What is not named is as the admin likes.
type Job struct {
	Group   string `json:"group"` // the app name of its executors
	Handler string `json:"handler"`
	Param   string `json:"param"`
	// Route and Block are "first", "failover" or "broadcast", and "serial".
	// They default to "first" and "serial". Only for the capability routes are
	// there "last", "round", "consistent_hash", "least_recently_used" and
	// "busyover".
	Route string `json:"route"`
	Block string `json:"block"`
	// Retries is how often a run that failed is sent again.
	Retries int `json:"retries"`
	// Children are jobs that a success starts.
	Children []int64 `json:"children"`
	// Cron is when a [Switcher] lets it fire, in the protocol's own form and in
	// UTC. Empty: never. The job is made stopped in any case.
	Cron string `json:"cron"`
}

// Run is what an admin says of one log id.
type Run struct {
	Log int64 `json:"log"`
	// State is "running", "ok" or "failed".
	State string `json:"state"`
	// Message is the last word of the executor, or of the admin.
	Message string `json:"message"`
	// Address is the executor's, empty when none was found.
	Address string `json:"address"`
}
