package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// KeeperConfig configures a Keeper.
type KeeperConfig struct {
	Definitions Definitions
	Book        Book
	Store       Store
	Jobs        Jobs
	Runs        Runs
	// Wake announces that a workflow run is due; it must return at once. Defaults to a
	// no-op.
	Wake func()
}

// Keeper stores workflows, and starts, cancels and resumes their runs on behalf of users.
// It has no loop of its own. Errors name the invalid field.
type Keeper struct{ config KeeperConfig }

// NewKeeper returns a Keeper.
func NewKeeper(c KeeperConfig) *Keeper {
	if c.Wake == nil {
		c.Wake = func() {}
	}
	return &Keeper{config: c}
}

const (
	// writeTries is how often a change is retried after another writer changed the workflow
	// run in between.
	writeTries = 10
	// endsAtOnce is the most runs cancelled concurrently when a workflow run is cancelled.
	endsAtOnce = 16
	// stillThere is how soon the engine checks a cancelled workflow run again.
	stillThere = time.Second
)

// SaveWorkflow checks a workflow and creates or replaces it by its key. With a Version
// other than 0 the stored workflow must have that version. The parameters of its nodes must
// fit the current inputs of their jobs. Runs that have started keep the nodes they started
// with. Kinds: Invalid, Conflict, NotFound, Full.
func (k *Keeper) SaveWorkflow(ctx context.Context, w job.Workflow) (job.Workflow, error) {
	w.Namespace = orDefault(w.Namespace)
	if err := w.Check(); err != nil {
		return job.Workflow{}, err
	}
	if err := checkParams(w.Nodes); err != nil {
		return job.Workflow{}, err
	}
	jobs, err := k.findJobs(ctx, w.Namespace, w.Nodes)
	if err != nil {
		return job.Workflow{}, err
	}
	for i := range w.Nodes {
		j := jobs[w.Nodes[i].Job]
		if err := j.CheckRunTemplate(fmt.Sprintf("nodes[%d].param", i), w.Nodes[i].Param); err != nil {
			return job.Workflow{}, err
		}
	}
	w.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	saved, err := k.config.Definitions.SaveWorkflow(ctx, w)
	if err != nil {
		return job.Workflow{}, fmt.Errorf("save workflow %s: %w", w.Key, err)
	}
	return saved, nil
}

// DeleteWorkflow removes a workflow. Its runs stay; those that have started continue.
func (k *Keeper) DeleteWorkflow(ctx context.Context, namespace, key string) error {
	return k.config.Definitions.DeleteWorkflow(ctx, orDefault(namespace), key)
}

// Workflow returns a workflow, or NotFound.
func (k *Keeper) Workflow(ctx context.Context, namespace, key string) (job.Workflow, error) {
	return k.config.Definitions.Workflow(ctx, orDefault(namespace), key)
}

// Workflows returns the workflows of a namespace, [access.All] for all, in order of
// namespace and key, without their nodes.
func (k *Keeper) Workflows(ctx context.Context, namespace string) ([]job.Workflow, error) {
	return k.config.Definitions.Workflows(ctx, orDefault(namespace))
}

// StartWorkflow creates a run of a workflow, which starts at once. A zero plannedAt means
// that it is for no slot. Kinds: NotFound, Invalid, Full.
func (k *Keeper) StartWorkflow(ctx context.Context, namespace, key, param string, plannedAt time.Time) (job.WorkflowRun, error) {
	w, err := k.Workflow(ctx, namespace, key)
	if err != nil {
		return job.WorkflowRun{}, err
	}
	switch {
	case len(param) > job.MaxParam:
		return job.WorkflowRun{}, job.FieldErrorf("param", "has %d bytes, at most %d are allowed", len(param), job.MaxParam)
	case !utf8.ValidString(param) || strings.ContainsRune(param, 0):
		return job.WorkflowRun{}, job.FieldErrorf("param", "must be UTF-8 text without NUL")
	}
	if err := job.CheckNoSecrets("param", param); err != nil {
		return job.WorkflowRun{}, err
	}
	if year := plannedAt.UTC().Year(); !plannedAt.IsZero() && (year < schedule.MinYear || year > schedule.MaxYear) {
		return job.WorkflowRun{}, job.FieldErrorf("planned_at", "the year %d is out of range; allowed are the years %d-%d",
			year, schedule.MinYear, schedule.MaxYear)
	}
	jobs, err := k.jobIDs(ctx, w.Namespace, w.Nodes)
	if err != nil {
		return job.WorkflowRun{}, err
	}
	r := job.WorkflowRun{
		WorkflowID: w.ID, Namespace: w.Namespace, Workflow: w.Key, Version: w.Version, State: job.WorkflowRunning,
		Param: param, Generation: 1, CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
		Nodes: make([]job.NodeRun, len(w.Nodes)),
	}
	if !plannedAt.IsZero() {
		r.PlannedAt = plannedAt.UTC().Truncate(time.Millisecond)
	}
	for i, n := range w.Nodes {
		r.Nodes[i] = job.NodeRun{WorkflowNode: n, JobID: jobs[n.Job], State: job.NodeWaiting, Generation: 1}
	}
	r.Count()
	made, err := k.config.Book.AddWorkflowRun(ctx, r)
	if err != nil {
		return job.WorkflowRun{}, fmt.Errorf("start workflow %s: %w", key, err)
	}
	k.config.Wake()
	return made, nil
}

// WorkflowRun returns a workflow run with its nodes, or NotFound.
func (k *Keeper) WorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, error) {
	r, _, err := k.config.Book.WorkflowRun(ctx, id)
	return r, err
}

// WorkflowRuns returns workflow runs without their nodes, the newest first, at
// most 1,000.
func (k *Keeper) WorkflowRuns(ctx context.Context, f Filter) ([]job.WorkflowRun, error) {
	f.Namespace = orDefault(f.Namespace)
	if f.Limit = min(f.Limit, 1000); f.Limit <= 0 {
		f.Limit = 100
	}
	return k.config.Book.WorkflowRuns(ctx, f)
}

// CancelWorkflowRun cancels a workflow run: no further node starts, its waiting runs are
// cancelled, and executors get a kill for those that they have. It ends with the last of
// them. A workflow run that is over does not change. When a run cannot be cancelled, the
// error names it; the rest is done, and another call tries it again.
func (k *Keeper) CancelWorkflowRun(ctx context.Context, id int64, reason string) (job.WorkflowRun, error) {
	reason = job.Clean(cmp.Or(reason, "cancelled by a user"), maxReason)
	soon := limits{poll: stillThere, longest: stillThere}
	r, err := k.change(ctx, id, func(r job.WorkflowRun, number int64) (Step, bool, error) {
		if r.State != job.WorkflowRunning {
			return Step{}, false, nil
		}
		return cancel(r, number, reason, time.Now(), soon), true, nil
	})
	if err != nil {
		return job.WorkflowRun{}, fmt.Errorf("cancel workflow run %d: %w", id, err)
	}
	if r.State != job.WorkflowCancelling {
		return r, nil
	}
	err = k.endRuns(ctx, &r)
	k.config.Wake()
	if err != nil {
		return job.WorkflowRun{}, err
	}
	return k.WorkflowRun(ctx, id)
}

// endRuns cancels the active runs of the nodes and returns the first error.
func (k *Keeper) endRuns(ctx context.Context, r *job.WorkflowRun) error {
	var all sync.WaitGroup
	wrong := make([]error, len(r.Nodes))
	turns := make(chan struct{}, endsAtOnce)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.State != job.NodeRunning {
			continue
		}
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			_, err := k.config.Runs.CancelRun(ctx, n.RunID, r.Reason)
			if err != nil && !job.Is(err, job.Conflict) && !job.Is(err, job.NotFound) {
				wrong[i] = unended(r.ID, n.Name, err)
			}
		})
	}
	all.Wait()
	for _, err := range wrong {
		if err != nil {
			return err
		}
	}
	return nil
}

// unended is the error of a run that could not be cancelled.
func unended(id int64, node string, err error) error {
	wrong := job.Errorf(job.KindOf(err), "nothing more of workflow run %d starts, but node %s could not be ended: %w", id, node, err)
	wrong.Hint = "cancel the workflow run again, or wait until the node ends by itself"
	if cause, ok := errors.AsType[*job.Error](err); ok && cause.Hint != "" {
		wrong.Hint += "; " + cause.Hint
	}
	return wrong
}

// ResumeWorkflowRun resumes a workflow run that has failed or was cancelled. The nodes that
// made it fail, those that were cancelled, and those that were skipped because of them
// start again; succeeded nodes do not. Kinds: NotFound, Conflict when it is not over or has
// succeeded, Invalid when a job was deleted, Full.
func (k *Keeper) ResumeWorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, error) {
	r, err := k.change(ctx, id, func(r job.WorkflowRun, number int64) (Step, bool, error) {
		if r.State != job.WorkflowFailed && r.State != job.WorkflowCancelled {
			wrong := job.Errorf(job.Conflict, "workflow run %d %s", id, standing(r.State))
			wrong.Hint = "only one that has failed or was cancelled can be resumed"
			return Step{}, false, wrong
		}
		nodes := make([]job.WorkflowNode, len(r.Nodes))
		for i := range r.Nodes {
			nodes[i] = r.Nodes[i].WorkflowNode
		}
		jobs, err := k.jobIDs(ctx, r.Namespace, nodes)
		if err != nil {
			return Step{}, false, err
		}
		return resume(r, number, jobs, time.Now()), true, nil
	})
	if err != nil {
		return job.WorkflowRun{}, fmt.Errorf("resume workflow run %d: %w", id, err)
	}
	k.config.Wake()
	return r, nil
}

// standing describes the state of a workflow run that cannot be resumed.
func standing(state job.WorkflowState) string {
	if state == job.WorkflowSucceeded {
		return "has succeeded"
	}
	return "is " + string(state)
}

// change reads a workflow run, calls fn for the step, and writes it if no other writer came
// first; otherwise it starts again. fn returns false when there is nothing to write.
func (k *Keeper) change(
	ctx context.Context, id int64, fn func(r job.WorkflowRun, number int64) (Step, bool, error),
) (job.WorkflowRun, error) {
	for range writeTries {
		r, number, err := k.config.Book.WorkflowRun(ctx, id)
		if err != nil {
			return job.WorkflowRun{}, err
		}
		step, needed, err := fn(r, number)
		switch {
		case err != nil:
			return job.WorkflowRun{}, err
		case !needed:
			return r, nil
		}
		done, err := k.config.Store.CommitWorkflowStep(ctx, step)
		switch {
		case err != nil:
			return job.WorkflowRun{}, err
		case done:
			return step.Run, nil
		}
	}
	return job.WorkflowRun{}, job.Errorf(job.Conflict, "it changes all the time; try again")
}

// jobIDs returns the ids of the jobs that nodes name, by key.
func (k *Keeper) jobIDs(ctx context.Context, namespace string, nodes []job.WorkflowNode) (map[string]int64, error) {
	found, err := k.findJobs(ctx, namespace, nodes)
	ids := make(map[string]int64, len(found))
	for key, j := range found {
		ids[key] = j.ID
	}
	return ids, err
}

// findJobs returns the jobs that nodes name, by key.
func (k *Keeper) findJobs(ctx context.Context, namespace string, nodes []job.WorkflowNode) (map[string]*job.Job, error) {
	found := make(map[string]*job.Job)
	for i := range nodes {
		key := nodes[i].Job
		if found[key] != nil {
			continue
		}
		j, err := k.config.Jobs.Job(ctx, namespace, key)
		if job.Is(err, job.NotFound) {
			wrong := job.FieldErrorf(fmt.Sprintf("nodes[%d].job", i), "job %s of node %s does not exist in namespace %s",
				key, nodes[i].Name, namespace)
			wrong.Hint = "make the job first, or correct its key"
			return nil, wrong
		}
		if err != nil {
			return nil, fmt.Errorf("find the job of node %s: %w", nodes[i].Name, err)
		}
		found[key] = &j
	}
	return found, nil
}

func orDefault(namespace string) string { return cmp.Or(namespace, job.DefaultNamespace) }
