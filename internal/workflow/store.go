package workflow

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Store is the database of the engine.
type Store interface {
	// ClaimWorkflowRuns returns open workflow runs and hides them from other
	// servers until the claim's lease.
	ClaimWorkflowRuns(ctx context.Context, c Claim) ([]Work, error)
	// CommitWorkflowStep writes a step in one transaction and reports whether it took
	// effect: the workflow run must be at the step's number. Full when the step reopens one
	// that was over, and too many are open.
	CommitWorkflowStep(ctx context.Context, s Step) (bool, error)
	// LetGoWorkflowRuns releases those of the workflow runs that are open: any server may claim them
	// from now on, although a claim or a step has hidden them for longer.
	LetGoWorkflowRuns(ctx context.Context, ids []int64, now time.Time) error
}

// Ends reads runs whose ends other servers have recorded.
type Ends interface {
	// EndedRuns returns those of the runs that are over or do not exist, in no
	// particular order.
	EndedRuns(ctx context.Context, runs []int64) ([]int64, error)
}

// IDs assigns ids to runs.
type IDs interface {
	// NextRunID returns an id that was never assigned before.
	NextRunID(ctx context.Context) (int64, error)
}

// Definitions keeps workflows.
type Definitions interface {
	DefinitionWriter
	DefinitionReader
}

// DefinitionWriter changes workflows.
type DefinitionWriter interface {
	// SaveWorkflow creates or replaces a workflow by its key, and returns the stored one.
	// With a Version other than 0 the stored workflow must have that version: otherwise
	// Conflict, and NotFound when there is none. Full when there are too many.
	SaveWorkflow(ctx context.Context, w job.Workflow) (job.Workflow, error)
	// DeleteWorkflow removes it, or returns NotFound. Its runs stay and continue.
	DeleteWorkflow(ctx context.Context, namespace, key string) error
}

// DefinitionReader reads workflows.
type DefinitionReader interface {
	// Workflow returns the workflow, or NotFound.
	Workflow(ctx context.Context, namespace, key string) (job.Workflow, error)
	// Workflows returns the workflows of a namespace in order of key, without
	// their nodes.
	Workflows(ctx context.Context, namespace string) ([]job.Workflow, error)
}

// Book stores the runs of workflows.
type Book interface {
	// AddWorkflowRun writes a new one, due from CreatedAt on, and returns it with its ID.
	// Full when too many are open.
	AddWorkflowRun(ctx context.Context, r job.WorkflowRun) (job.WorkflowRun, error)
	// WorkflowRun returns it with the number that its next step must name, or
	// NotFound.
	WorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, int64, error)
	// WorkflowRuns returns those of the filter without their nodes, the newest
	// first.
	WorkflowRuns(ctx context.Context, f Filter) ([]job.WorkflowRun, error)
}

// Jobs reads jobs.
type Jobs interface {
	// Job returns the job, or NotFound.
	Job(ctx context.Context, namespace, key string) (job.Job, error)
}

// Runs cancels runs.
type Runs interface {
	// CancelRun cancels a run; one that is over is Conflict.
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// Filter selects workflow runs: the newest of all namespaces, when all is zero except its
// Sight. The zero Filter has no Sight, and finds nothing.
type Filter struct {
	Sight access.Sight
	// Namespace and Workflow name the workflow; an empty Workflow selects those of all
	// workflows of all namespaces.
	Namespace, Workflow string
	Before              int64 // ids below this one, for the next page; zero means all
	Limit               int   // at most 1,000
}

// Claim selects the open workflow runs to claim.
type Claim struct {
	// IDs are claimed even if they are not due; at most [job.MaxWorkflowRuns].
	IDs []int64
	// Until and Limit select others: up to Limit that are due by Until, the earliest first.
	Until time.Time
	Limit int
	// Lease is until when they stay hidden.
	Lease time.Time
}

// Work is a claimed workflow run with everything that its next step depends on.
type Work struct {
	Run job.WorkflowRun
	// Step is the number that the next step must name.
	Step int64
	// Ended are the active runs of nodes that are over, by id. A run that does not exist is
	// lost.
	Ended map[int64]End
}

// End is the result of a run.
type End struct {
	State   job.State
	Message string
	Reason  string
}

// Step is a change of a workflow run.
type Step struct {
	// Run is the whole workflow run after the step.
	Run    job.WorkflowRun
	Number int64 // of the Work
	// Changed are the indexes in Run.Nodes that differ from before.
	Changed []int
	Runs    []job.Run // new ones, with ids
	// Cancel are runs that are cancelled at Now if they wait, with the reason of Run.
	Cancel []int64
	Now    time.Time
	// Look is when the next check is due; it does not matter once the workflow run is over.
	Look time.Time
}
