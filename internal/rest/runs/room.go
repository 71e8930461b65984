package runs

import (
	"time"

	"github.com/orthd/orth/internal/rest/guard"
)

// Config is what the operations about runs, their logs and dead letters ask. What has no default is required.
type Config struct {
	Runs         Runs
	Logs         RunLogs
	Lists        RunLists
	Attempts     AttemptFinder
	Broadcasts   Broadcasts
	DeadLetters  DeadLetters
	Cleaner      Cleaner
	Explanations Explanations
	Jobs         guard.JobReader
	Places       guard.Places
	// Timeout ends a read of a log that is downloaded.
	Timeout time.Duration
	// Streams bounds the logs that are followed and downloaded at the same time. Defaults
	// to 256.
	Streams int
	// Stopping is closed when the server is about to stop: then streams end. Defaults to
	// nil: they end with their requests.
	Stopping <-chan struct{}
}

// runRoom carries the operations out.
type runRoom struct {
	*guard.Guard

	config  Config
	streams chan struct{} // one element for each stream
}

// Register adds the operations about runs, their logs and dead letters.
func Register(g *guard.Guard, c Config) {
	if c.Streams <= 0 {
		c.Streams = 256
	}
	s := &runRoom{Guard: g, config: c, streams: make(chan struct{}, c.Streams)}
	s.registerRuns()
	s.registerReruns()
	s.registerLogs()
	s.registerBroadcasts()
	s.registerDeadLetters()
	s.registerExplanations()
	s.registerClean()
}
