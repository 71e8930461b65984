// Package workflow runs jobs in the order of their dependencies.
//
// It knows workflows, their runs, and when a node of one may start. It must never know
// executors, protocols or SQL. It takes requests from the API, and reads open workflow runs
// from the store. It commits runs of jobs in the same transaction that marks their nodes as
// started, so that a crash neither loses nor doubles one. The dispatcher finds the runs
// like all others.
//
//	ClaimWorkflowRuns ──▶ decide(work, now) ──▶ CommitWorkflowStep
//	        ▲                                           │
//	        └──── Look, or a run has ended ◀── runs ◀───┘
//
// A node starts when as many of its edges hold as its join needs, and is skipped as soon as
// they no longer can. The condition of an edge names the end of its source node at which it
// holds: success, failure, or any end. Any end of a run without success counts as a
// failure. A workflow run has failed when a node has failed and no node that follows it on
// success or failure continued.
package workflow
