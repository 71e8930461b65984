package sqlstore

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

const (
	workflowRunColumns = `id, workflow_id, namespace, workflow_key, version, state, reason, planned_at, param, generation,
		total, done, failed, created_at, ended_at`

	insertWorkflowRun = `INSERT INTO workflow_runs (id, workflow_id, namespace, workflow_key, version, nodes, step, look_at,
		state, reason, planned_at, param, generation, total, done, failed, created_at)
		VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertWorkflowNode = `INSERT INTO workflow_nodes (workflow_run_id, place, job_id, state, run_id, generation, reason, result,
		started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By workflow_runs_look, which holds at most job.MaxWorkflowRuns open ones.
	countWorkflowRuns = `SELECT COUNT(*) FROM workflow_runs WHERE look_at IS NOT NULL`
	// By workflow_runs' primary key.
	readWorkflowRun = `SELECT ` + workflowRunColumns + `, step, nodes FROM workflow_runs WHERE id = ?`
	// By workflow_nodes' primary key, in its order.
	listWorkflowNodes = `SELECT place, job_id, state, run_id, generation, reason, result, started_at, ended_at
		FROM workflow_nodes WHERE workflow_run_id = ? ORDER BY place`
	// By workflow_runs' primary key, backwards; those beyond the sight are passed over.
	listWorkflowRuns = `SELECT ` + workflowRunColumns + ` FROM workflow_runs WHERE id < ? AND TRUE IN (%s) ORDER BY id DESC LIMIT ?`
	// By workflow_runs_key, backwards.
	listRunsOfWorkflow = `SELECT ` + workflowRunColumns + ` FROM workflow_runs
		WHERE namespace = ? AND workflow_key = ? AND id < ? AND TRUE IN (%s) ORDER BY id DESC LIMIT ?`

	// By workflow_runs_look, in its order. Exactly the open ones have a look_at.
	listOpenWorkflowRuns = `SELECT id, step FROM workflow_runs WHERE look_at <= ? ORDER BY look_at LIMIT ?`
	// By workflow_runs' primary key.
	listTheseWorkflowRuns = `SELECT id, step FROM workflow_runs WHERE id IN (%s) AND look_at IS NOT NULL`
	// By workflow_runs' primary key.
	claimWorkflowRun = `UPDATE workflow_runs SET step = step + 1, look_at = ?
		WHERE id = ? AND step = ? AND look_at IS NOT NULL`
	// By workflow_runs' primary key.
	letGoWorkflowRuns = `UPDATE workflow_runs SET look_at = ? WHERE id IN (%s) AND look_at > ?`
	// By workflow_runs' primary key.
	readWorkflowStep = `SELECT step, state FROM workflow_runs WHERE id = ?`
	// By workflow_runs' primary key.
	stepWorkflowRun = `UPDATE workflow_runs SET step = step + 1, look_at = ?, state = ?, reason = ?, generation = ?,
		done = ?, failed = ?, ended_at = ? WHERE id = ?`
	// By workflow_nodes' primary key.
	updateWorkflowNode = `UPDATE workflow_nodes SET job_id = ?, state = ?, run_id = ?, generation = ?, reason = ?, result = ?,
		started_at = ?, ended_at = ? WHERE workflow_run_id = ? AND place = ?`
	// By runs' primary key.
	listEnds = `SELECT id, state, message, reason FROM runs WHERE id IN (%s)`
	// By runs' primary key.
	listRunStates = `SELECT id, state FROM runs WHERE id IN (%s)`
)

// AddWorkflowRun writes a new workflow run and returns it with its ID. It is to
// be worked on from CreatedAt on. Kinds: Full when too many are open.
func (s *Store) AddWorkflowRun(ctx context.Context, r job.WorkflowRun) (job.WorkflowRun, error) {
	definitions := make([]job.WorkflowNode, len(r.Nodes))
	for i := range r.Nodes {
		definitions[i] = r.Nodes[i].WorkflowNode
	}
	nodes, err := encode(definitions)
	if err != nil {
		return job.WorkflowRun{}, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		err := t.roomForWorkflowRun()
		if err != nil {
			return err
		}
		if r.ID, err = t.reserve(sequenceWorkflowRuns, 1); err != nil {
			return err
		}
		t.names("workflow run", r.Namespace, "", strconv.FormatInt(r.ID, 10))
		created := job.Millis(r.CreatedAt)
		err = t.do(insertWorkflowRun, r.ID, r.WorkflowID, r.Namespace, r.Workflow, r.Version, nodes, created,
			string(r.State), clean(r.Reason), nullable(r.PlannedAt), r.Param, r.Generation, r.Total, r.Done, r.Failed, created)
		for i := range r.Nodes {
			if err != nil {
				break
			}
			err = t.do(insertWorkflowNode, append([]any{r.ID, i}, nodeArgs(&r.Nodes[i])...)...)
		}
		return err
	})
	if err != nil {
		return job.WorkflowRun{}, err
	}
	return r, nil
}

// roomForWorkflowRun is Full when no further workflow run may be open.
func (t *tx) roomForWorkflowRun() error {
	var n int64
	if _, err := t.read(countWorkflowRuns, nil, []any{&n}); err != nil || n < job.MaxWorkflowRuns {
		return err
	}
	full := job.Errorf(job.Full, "%d workflow runs are open already", n)
	full.Hint = "wait until some are over, or cancel them"
	return full
}

// nodeArgs returns the columns of a node that change.
func nodeArgs(n *job.NodeRun) []any {
	return []any{
		n.JobID, string(n.State), n.RunID, n.Generation, clean(n.Reason), clean(n.Result), nullable(n.StartedAt), nullable(n.EndedAt),
	}
}

// workflowRow is a workflow run with the other values of its row.
type workflowRow struct {
	job.WorkflowRun
	step        int64
	definitions []job.WorkflowNode
}

// WorkflowRun returns a workflow run with its nodes, and the number that its next
// step must name. Kinds: NotFound.
func (s *Store) WorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, int64, error) {
	fields := func(w *workflowRow) []any {
		return append(workflowRunFields(&w.WorkflowRun), (*integer)(&w.step), document[[]job.WorkflowNode]{&w.definitions})
	}
	w, found, err := first(ctx, s.reader, fields, readWorkflowRun, id)
	switch {
	case err != nil:
		return job.WorkflowRun{}, 0, err
	case !found:
		return job.WorkflowRun{}, 0, job.Errorf(job.NotFound, "workflow run %d does not exist", id)
	}
	w.Nodes = make([]job.NodeRun, len(w.definitions))
	for i := range w.definitions {
		w.Nodes[i].WorkflowNode = w.definitions[i]
	}
	type row struct {
		job.NodeRun
		place int
	}
	take := func(n *row) {
		if n.place < len(w.Nodes) {
			n.WorkflowNode = w.Nodes[n.place].WorkflowNode
			w.Nodes[n.place] = n.NodeRun
		}
	}
	columns := func(n *row) []any {
		return []any{
			(*count)(&n.place), (*integer)(&n.JobID), (*text)(&n.State), (*integer)(&n.RunID), (*count)(&n.Generation),
			(*text)(&n.Reason), (*text)(&n.Result), (*instant)(&n.StartedAt), (*instant)(&n.EndedAt),
		}
	}
	err = each(ctx, s.reader, columns, take, listWorkflowNodes, id)
	return w.WorkflowRun, w.step, err
}

// WorkflowRuns returns the workflow runs of the filter without their nodes, the
// newest first, at most 1,000.
func (s *Store) WorkflowRuns(ctx context.Context, f workflow.Filter) ([]job.WorkflowRun, error) {
	before := f.Before
	if before <= 0 {
		before = math.MaxInt64
	}
	query, args := listWorkflowRuns, []any{before}
	if f.Workflow != "" {
		query, args = listRunsOfWorkflow, []any{f.Namespace, f.Workflow, before}
	}
	return listWithin(ctx, s.reader, workflowRunFields, query, f.Sight, "namespace", "''", args, f.Limit)
}

// ClaimWorkflowRuns takes open workflow runs and hides them from other claims
// until the lease. A claim ends the right of the one before to commit its step.
// Nothing is written when there is nothing to do.
func (s *Store) ClaimWorkflowRuns(ctx context.Context, c workflow.Claim) ([]workflow.Work, error) {
	steps, err := s.wanted(ctx, listOpenWorkflowRuns, listTheseWorkflowRuns, c.Until, c.Limit, c.IDs)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	claimed := make([]openStep, 0, len(steps))
	err = s.writer.update(ctx, func(t *tx) error {
		claimed = claimed[:0]
		for _, w := range steps {
			ok, err := t.one(claimWorkflowRun, job.Millis(c.Lease), w.id, w.step)
			if err != nil {
				return err
			}
			if ok {
				claimed = append(claimed, openStep{w.id, w.step + 1})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	works := make([]workflow.Work, 0, len(claimed))
	for _, at := range claimed {
		w := workflow.Work{}
		if w.Run, w.Step, err = s.WorkflowRun(ctx, at.id); err != nil {
			return nil, err
		}
		if w.Step != at.step { // another step has changed it since
			continue
		}
		if w.Ended, err = s.ends(ctx, w.Run.Nodes); err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return works, nil
}

// LetGoWorkflowRuns makes those of the workflow runs that are open claimable from now on.
func (s *Store) LetGoWorkflowRuns(ctx context.Context, ids []int64, now time.Time) error {
	return s.makeClaimable(ctx, letGoWorkflowRuns, ids, now)
}

// EndedRuns returns those of the runs that are over or do not exist, in no particular
// order.
func (s *Store) EndedRuns(ctx context.Context, runs []int64) ([]int64, error) {
	type row struct {
		id    int64
		state job.State
	}
	going := make(map[int64]bool, len(runs))
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*text)(&r.state)} }
	take := func(r *row) { going[r.id] = !r.state.Final() }
	for chunk := range slices.Chunk(runs, maxWide) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listRunStates, len(args)), args...); err != nil {
			return nil, err
		}
	}
	var ended []int64
	for _, id := range runs {
		if !going[id] {
			ended = append(ended, id)
		}
	}
	return ended, nil
}

// ends returns what became of the runs under way that are over. A run that does
// not exist was left out when it was to be written, because its job was gone.
func (s *Store) ends(ctx context.Context, nodes []job.NodeRun) (map[int64]workflow.End, error) {
	found := make(map[int64]workflow.End)
	var ids []int64
	for i := range nodes {
		if n := &nodes[i]; n.State == job.NodeRunning {
			ids = append(ids, n.RunID)
			found[n.RunID] = workflow.End{State: job.Lost, Message: "the run does not exist: its job was deleted"}
		}
	}
	type row struct {
		workflow.End
		id int64
	}
	fields := func(r *row) []any {
		return []any{(*integer)(&r.id), (*text)(&r.State), (*text)(&r.Message), (*text)(&r.Reason)}
	}
	take := func(r *row) {
		if found[r.id] = r.End; !r.State.Final() {
			delete(found, r.id)
		}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listEnds, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// CommitWorkflowStep writes a step in one transaction and reports whether it took effect:
// the workflow run must be at the step's number. Runs get the version and group of their
// job at this moment; those of a deleted job are left out. Kinds: Full when the step opens
// a workflow run that was over, and too many are open.
func (s *Store) CommitWorkflowStep(ctx context.Context, step workflow.Step) (bool, error) {
	r := &step.Run
	done := false
	err := s.writer.update(ctx, func(t *tx) error {
		done = false // it may be done again
		var number int64
		var state job.WorkflowState
		found, err := t.read(readWorkflowStep, []any{r.ID}, []any{&number, (*text)(&state)})
		if err != nil || !found || number != step.Number {
			return err
		}
		var look any
		if !r.State.Over() {
			look = job.Millis(step.Look)
			if state.Over() {
				if err := t.roomForWorkflowRun(); err != nil {
					return err
				}
			}
		}
		done, err = t.one(stepWorkflowRun, look, string(r.State), clean(r.Reason), r.Generation, r.Done, r.Failed,
			nullable(r.EndedAt), r.ID)
		if err != nil {
			return err
		}
		return s.carryOut(t, &step)
	})
	return done && err == nil, err
}

// carryOut writes what a step means to nodes and runs.
func (s *Store) carryOut(t *tx, step *workflow.Step) error {
	r := &step.Run
	for _, place := range step.Changed {
		args := append(nodeArgs(&r.Nodes[place]), r.ID, place)
		if err := t.do(updateWorkflowNode, args...); err != nil {
			return err
		}
	}
	for _, made := range step.Runs {
		if err := s.addOnce(t, made); err != nil {
			return err
		}
	}
	for _, id := range step.Cancel {
		cancelled, err := t.one(cancelRun, clean(r.Reason), job.Millis(step.Now), id)
		if err == nil && cancelled {
			t.moved(id, job.Cancelled, 0, r.Reason, "")
			err = t.countRun(id, job.Cancelled, step.Now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func workflowRunFields(r *job.WorkflowRun) []any {
	return []any{
		(*integer)(&r.ID), (*integer)(&r.WorkflowID), (*text)(&r.Namespace), (*text)(&r.Workflow), (*integer)(&r.Version),
		(*text)(&r.State), (*text)(&r.Reason), (*instant)(&r.PlannedAt), (*text)(&r.Param), (*count)(&r.Generation),
		(*count)(&r.Total), (*count)(&r.Done), (*count)(&r.Failed), (*instant)(&r.CreatedAt), (*instant)(&r.EndedAt),
	}
}
