package rest

import "github.com/orthd/orth/internal/rest/guard"

// WorkflowRoomConfig is what the operations about workflows, calendars, pauses, backfills and secrets ask. What has no default is required.
type WorkflowRoomConfig struct {
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

	config WorkflowRoomConfig
}

// RegisterWorkflowRoom adds the operations about workflows, calendars, pauses, backfills and secrets.
func RegisterWorkflowRoom(g *guard.Guard, c WorkflowRoomConfig) {
	s := &workflowRoom{Guard: g, config: c}
	s.registerCalendars()
	s.registerPauses()
	s.registerBackfills()
	s.registerWorkflows()
	s.registerSecrets()
}
