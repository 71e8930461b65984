package workflows

import "github.com/orthd/orth/internal/rest/guard"

// Config is what the operations about workflows, calendars, pauses, backfills and secrets ask. What has no default is required.
type Config struct {
	Workflows Workflows
	Calendars Calendars
	Pauses    Pauses
	Backfills Backfills
	Secrets   Secrets
	Jobs      guard.JobReader
	Places    guard.Places
}

// workflowRoom carries the operations out.
type workflowRoom struct {
	*guard.Guard

	config Config
}

// Register adds the operations about workflows, calendars, pauses, backfills and secrets.
func Register(g *guard.Guard, c Config) {
	s := &workflowRoom{Guard: g, config: c}
	s.registerCalendars()
	s.registerPauses()
	s.registerBackfills()
	s.registerWorkflows()
	s.registerSecrets()
}
