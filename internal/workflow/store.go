package workflow

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Store is what the engine reads and writes.
type Store interface {
	// ClaimWorkflowRuns returns open workflow runs and hides them from other
	// servers until the claim's lease.
	ClaimWorkflowRuns(ctx context.Context, c Claim) ([]Work, error)
	// CommitWorkflowStep writes a step in one transaction and reports whether it
	// took effect: the workflow run must stand at the step's number. Full when
	// it opens one that was over, and too many are open.
	CommitWorkflowStep(ctx context.Context, s Step) (bool, error)
	// LetGoWorkflowRuns has whoever claims next find those of the workflow runs that
	// are open, from now on, although a claim or a step has hidden them for longer.
	LetGoWorkflowRuns(ctx context.Context, ids []int64, now time.Time) error
}

// Ends tells of runs whose ends other servers have recorded.
type Ends interface {
	// EndedRuns returns those of the runs that are over or do not exist, in no
	// particular order.
	EndedRuns(ctx context.Context, runs []int64) ([]int64, error)
}

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}

// Definitions keeps workflows.
type Definitions interface {
	DefinitionWriter
	DefinitionReader
}

// DefinitionWriter changes workflows.
type DefinitionWriter interface {
	// SaveWorkflow writes a workflow, a new one or over the one of its key, and
	// returns it as it stands. With a Version other than 0 it must stand at that
	// version, else it is Conflict, and NotFound when there is none. Full when
	// there are too many.
	SaveWorkflow(ctx context.Context, w job.Workflow) (job.Workflow, error)
	// DeleteWorkflow removes it, or is NotFound. Its runs stay and go on.
	DeleteWorkflow(ctx context.Context, namespace, key string) error
}

// DefinitionReader finds workflows.
type DefinitionReader interface {
	// Workflow returns the workflow, or NotFound.
	Workflow(ctx context.Context, namespace, key string) (job.Workflow, error)
	// Workflows returns the workflows of a namespace in order of key, without
	// their nodes.
	Workflows(ctx context.Context, namespace string) ([]job.Workflow, error)
}

// Book keeps the runs of workflows.
type Book interface {
	// AddWorkflowRun writes a new one, to be worked on from CreatedAt on, and
	// returns it with its ID. Full when too many are open.
	AddWorkflowRun(ctx context.Context, r job.WorkflowRun) (job.WorkflowRun, error)
	// WorkflowRun returns it with the number that its next step must name, or
	// NotFound.
	WorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, int64, error)
	// WorkflowRuns returns those of the filter without their nodes, the newest
	// first.
	WorkflowRuns(ctx context.Context, f Filter) ([]job.WorkflowRun, error)
}

// Jobs finds jobs.
type Jobs interface {
	// Job returns the job, or NotFound.
	Job(ctx context.Context, namespace, key string) (job.Job, error)
}

// Runs ends runs, wherever they are.
type Runs interface {
	// CancelRun ends a run; one that is over is Conflict.
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// Filter selects workflow runs: the newest of all namespaces, when all is zero but
// its Sight. That is no filter: the zero one finds nothing.
type Filter struct {
	Sight access.Sight
	// Namespace and Workflow name the workflow; an empty Workflow selects those
	// of all workflows of all namespaces.
	Namespace, Workflow string
	Before              int64 // ids below this one, for the next page; zero means all
	Limit               int   // at most 1,000
}

// Claim says which open workflow runs are wanted.
type Claim struct {
	// IDs are wanted whenever they are to be worked on; at most
	// [job.MaxWorkflowRuns].
	IDs []int64
	// Until and Limit select others: up to Limit that are to be worked on by
	// Until, the earliest first.
	Until time.Time
	Limit int
	// Lease is until when they stay hidden.
	Lease time.Time
}

// Work is a claimed workflow run with what its next step depends on.
type Work struct {
	Run job.WorkflowRun
	// Step is the number that the next step must name.
	Step int64
	// Ended are the runs of nodes under way that are over, by id. A run that
	// does not exist is lost.
	Ended map[int64]End
}

// End is what became of a run.
type End struct {
	State   job.State
	Message string
	Reason  string
}

// Step is what a workflow run becomes.
type Step struct {
	// Run is all of it, as it is afterwards.
	Run    job.WorkflowRun
	Number int64 // of the Work
	// Changed are the places in Run.Nodes that differ from before.
	Changed []int
	Runs    []job.Run // new ones, with ids
	// Cancel are runs that are cancelled at Now if they wait, with the reason of
	// Run.
	Cancel []int64
	Now    time.Time
	// Look is when it is to be worked on again; it does not matter once it is
	// over.
	Look time.Time
}
