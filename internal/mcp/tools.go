package mcp

import "strings"

// tool is an operation of the API that assistants may use.
type tool struct {
	operation string // its id in the OpenAPI document
	writes    bool   // it changes something
	consent   bool   // it does so only when that was confirmed
	same      bool   // a POST that does no more when it is called again
	// stands is the operation that shows what a change is about, with the same
	// parameters in its path; "" for none.
	stands string
}

// toolName returns what assistants call the tool.
func (t tool) toolName() string { return strings.ReplaceAll(t.operation, "-", "_") }

// getJob is the operation that shows a job.
const getJob = "get-job"

// tools returns all that assistants may use. Users, tokens, grants, settings and the
// pruning of the audit are left to people.
func tools() []tool {
	var all []tool
	for _, id := range []string{
		"list-jobs", getJob, "list-firings", "explain-job", "get-job-stats", "search-job-logs",
		"list-runs", "get-run", "list-attempts", "list-shards", "explain-run", "get-log", "search-log",
		"get-stats", "list-executors", "get-executor-facts", "list-groups", "get-group", "list-group-handlers",
		"list-alarms", "get-alarm", "list-alarm-entries", "list-dead-letters", "get-dead-letter",
		"list-audit", "list-calendars", "get-calendar", "list-pauses",
		"list-workflows", "get-workflow", "list-workflow-runs", "get-workflow-run", "list-backfills", "get-backfill",
		"list-warnings", "get-me",
	} {
		all = append(all, tool{operation: id})
	}
	return append(all,
		tool{operation: "trigger-job", writes: true, consent: true, stands: getJob},
		tool{operation: "cancel-run", writes: true, consent: true, stands: "get-run"},
		tool{operation: "rerun-run", writes: true, consent: true, stands: "get-run"},
		tool{operation: "redrive-dead-letter", writes: true, consent: true, stands: "get-dead-letter"},
		tool{operation: "create-job", writes: true, consent: true},
		tool{operation: "update-job", writes: true, consent: true, stands: getJob},
		tool{operation: "delete-job", writes: true, consent: true, stands: getJob},
		tool{operation: "start-job", writes: true, consent: true, same: true, stands: getJob},
		tool{operation: "delete-pause", writes: true, consent: true, stands: "get-pause"},
		// These hold back or add a note: nothing runs and nothing is lost by them.
		tool{operation: "stop-job", writes: true, same: true},
		tool{operation: "save-pause", writes: true},
		tool{operation: "note-alarm", writes: true},
	)
}
