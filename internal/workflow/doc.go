// Package workflow runs jobs in the order in which they depend on each other.
//
// It knows workflows, their runs, and when a node of one may start. It must
// never know executors, protocols or SQL. Requests come in from the doors, and
// open workflow runs from the store; runs of jobs go out, committed in the same
// transaction that marks their nodes as started, so that a crash neither loses
// nor doubles one. The dispatcher finds the runs as it finds all others.
//
//	ClaimWorkflowRuns ──▶ decide(work, now) ──▶ CommitWorkflowStep
//	        ▲                                           │
//	        └──── Look, or a run has ended ◀── runs ◀───┘
//
// A node starts when as many of its edges hold as its join needs, and is skipped
// as soon as they cannot any more. An edge holds when the node that it comes
// from has succeeded, has failed, or is over, as its condition says; whatever
// ends a run without success counts as a failure. A workflow run has failed when
// a node has failed and no node that follows it on success or failure went on
// all the same.
package workflow
