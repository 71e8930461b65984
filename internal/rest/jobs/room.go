package jobs

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/rest/guard"
)

// Config is what the operations about jobs, their revisions and firings ask. What has no default is required.
type Config struct {
	Jobs      Jobs
	Lists     JobLists
	Triggers  Triggers
	Revisions Revisions
	History   HistoryKeeper
	Trials    Trials
	Firings   Firings
	Spaces    Spaces
	Places    guard.Places
}

// jobRoom carries the operations out.
type jobRoom struct {
	*guard.Guard

	config  Config
	newJobs *huma.Schema // of a new job
}

// Register adds the operations about jobs, their revisions and firings.
func Register(g *guard.Guard, c Config) {
	s := &jobRoom{Guard: g, config: c}
	s.registerJobs()
	s.registerJobTable()
	s.registerBulk()
	s.registerFirings()
}
