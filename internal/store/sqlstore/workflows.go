package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// The sequences of workflows.
const (
	sequenceWorkflows    = "workflows"
	sequenceWorkflowRuns = "workflow_runs"
)

const (
	workflowColumns = `id, namespace, workflow_key, title, total, version, created_at, updated_at`

	// By workflows' unique (namespace, workflow_key).
	readWorkflow = `SELECT ` + workflowColumns + `, nodes FROM workflows WHERE namespace = ? AND workflow_key = ?`
	// By workflows' unique (namespace, workflow_key), in its order.
	listWorkflows = `SELECT ` + workflowColumns + ` FROM workflows WHERE namespace = ? ORDER BY workflow_key LIMIT ?`
	// By workflows' unique (namespace, workflow_key), in its order: at most
	// job.MaxWorkflows rows, for people.
	listEveryWorkflow = `SELECT ` + workflowColumns + ` FROM workflows ORDER BY namespace, workflow_key LIMIT ?`
	// By workflows' unique (namespace, workflow_key).
	readWorkflowStanding = `SELECT id, version, created_at FROM workflows WHERE namespace = ? AND workflow_key = ?`
	// By a scan of at most job.MaxWorkflows index entries, for new ones only.
	countWorkflows = `SELECT COUNT(*) FROM workflows`
	insertWorkflow = `INSERT INTO workflows (id, namespace, workflow_key, title, nodes, total, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`
	// By workflows' primary key.
	updateWorkflow = `UPDATE workflows SET title = ?, nodes = ?, total = ?, version = version + 1, updated_at = ? WHERE id = ?`
	// By workflows' unique (namespace, workflow_key).
	deleteWorkflow = `DELETE FROM workflows WHERE namespace = ? AND workflow_key = ?`
)

// SaveWorkflow writes a workflow, a new one or over the one of its key, at
// UpdatedAt, and returns it as it stands. With a Version other than 0 it must
// stand at that version. Kinds: Conflict when it has another version, NotFound
// when there is none to write over, Full when there are too many.
func (s *Store) SaveWorkflow(ctx context.Context, w job.Workflow) (job.Workflow, error) {
	nodes, err := encode(w.Nodes)
	if err != nil {
		return job.Workflow{}, err
	}
	w.Total = len(w.Nodes)
	given := w
	err = s.writer.update(ctx, func(t *tx) error {
		w = given // it may be done again
		return t.saveWorkflow(&w, nodes)
	})
	if err != nil {
		return job.Workflow{}, err
	}
	return w, nil
}

// saveWorkflow writes the workflow and sets what its user does not decide.
func (t *tx) saveWorkflow(w *job.Workflow, nodes string) error {
	var id, version int64
	var created time.Time
	found, err := t.read(readWorkflowStanding, []any{w.Namespace, w.Key}, []any{&id, &version, (*instant)(&created)})
	t.names("workflow", w.Namespace, "", w.Key)
	switch {
	case err != nil:
		return err
	case !found && w.Version != 0:
		return noWorkflow(w.Namespace, w.Key)
	case !found:
		return t.addWorkflow(w, nodes)
	case w.Version != 0 && w.Version != version:
		return job.Errorf(job.Conflict, "workflow %s was changed since it was read: it has version %d, not %d", w.Key, version, w.Version)
	}
	w.ID, w.Version, w.CreatedAt = id, version+1, created
	return t.do(updateWorkflow, w.Title, nodes, w.Total, job.Millis(w.UpdatedAt), id)
}

func (t *tx) addWorkflow(w *job.Workflow, nodes string) error {
	var n int64
	if _, err := t.read(countWorkflows, nil, []any{&n}); err != nil {
		return err
	}
	if n >= job.MaxWorkflows {
		full := job.Errorf(job.Full, "workflow %s cannot be made: there are %d workflows already", w.Key, n)
		full.Hint = "delete workflows that are no longer needed"
		return full
	}
	var err error
	if w.ID, err = t.reserve(sequenceWorkflows, 1); err != nil {
		return err
	}
	w.Version, w.CreatedAt = 1, w.UpdatedAt
	at := job.Millis(w.UpdatedAt)
	return t.do(insertWorkflow, w.ID, w.Namespace, w.Key, w.Title, nodes, w.Total, at, at)
}

// DeleteWorkflow removes a workflow; its runs stay. Kinds: NotFound.
func (s *Store) DeleteWorkflow(ctx context.Context, namespace, key string) error {
	return s.writer.update(ctx, func(t *tx) error {
		done, err := t.one(deleteWorkflow, namespace, key)
		if err == nil && !done {
			err = noWorkflow(namespace, key)
		}
		return err
	})
}

// Workflow returns the workflow, or NotFound.
func (s *Store) Workflow(ctx context.Context, namespace, key string) (job.Workflow, error) {
	fields := func(w *job.Workflow) []any { return append(workflowFields(w), document[[]job.WorkflowNode]{&w.Nodes}) }
	w, found, err := first(ctx, s.reader, fields, readWorkflow, namespace, key)
	if err == nil && !found {
		err = noWorkflow(namespace, key)
	}
	return w, err
}

// Workflows returns the workflows of a namespace, [access.All] for all, in order of
// namespace and key, without their nodes.
func (s *Store) Workflows(ctx context.Context, namespace string) ([]job.Workflow, error) {
	if namespace == access.All {
		return list(ctx, s.reader, workflowFields, listEveryWorkflow, job.MaxWorkflows)
	}
	return list(ctx, s.reader, workflowFields, listWorkflows, namespace, job.MaxWorkflows)
}

func noWorkflow(namespace, key string) error {
	return job.Errorf(job.NotFound, "workflow %s does not exist in namespace %s", key, namespace)
}

func workflowFields(w *job.Workflow) []any {
	return []any{
		(*integer)(&w.ID), (*text)(&w.Namespace), (*text)(&w.Key), (*text)(&w.Title), (*count)(&w.Total),
		(*integer)(&w.Version), (*instant)(&w.CreatedAt), (*instant)(&w.UpdatedAt),
	}
}
