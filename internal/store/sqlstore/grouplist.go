package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

const (
	// By executor_groups_key, in its order; jobs by jobs_group, runs by runs_ready.
	pageGroups = `SELECT g.id, g.namespace, g.group_key, g.title, g.labels, g.version, g.created_at, g.own_token_only,
		(SELECT COUNT(*) FROM jobs j WHERE j.group_id = g.id AND j.tombstone = 0),
		(SELECT COUNT(*) FROM runs r WHERE r.group_id = g.id AND r.ready_at > 0)
		FROM executor_groups g WHERE g.group_key > ? AND (? = '' OR g.group_key = ?)
		AND (? = '' OR g.namespace = ?) AND TRUE IN (%s)
		ORDER BY g.group_key LIMIT ?`
	// By runs_open, as many as executors have.
	listWorking = `SELECT r.group_id FROM runs r WHERE r.open_on > ''`
	// By executor_groups' primary key.
	describeGroup = `UPDATE executor_groups SET title = ?, labels = ? WHERE id = ?`
	removeGroup   = `DELETE FROM executor_groups WHERE id = ?`
	// By jobs_group, runs_group, and the primary key of executors.
	anyJobOfGroup = `SELECT COUNT(*) FROM jobs WHERE group_id = ? AND tombstone = 0`
	anyRunOfGroup = `SELECT id FROM runs WHERE group_id = ? LIMIT 1`
	countAlive    = `SELECT COUNT(*) FROM executors WHERE group_id = ? AND (lease_until > ? OR manual = 1)`
	removeSilent  = `DELETE FROM executors WHERE group_id = ?`
	// By jobs_buried.
	anyOldOfGroup = `SELECT COUNT(*) FROM jobs WHERE group_id = ? AND tombstone > 0`
)

// GroupPage implements [catalog.GroupReader].
func (s *Store) GroupPage(ctx context.Context, q jobs.GroupQuery) ([]jobs.GroupFigures, error) {
	query, places, ok, err := within(pageGroups, &q.Sight, "g.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	fields := func(g *jobs.GroupFigures) []any {
		return []any{
			(*integer)(&g.Group.ID), (*text)(&g.Group.Namespace), (*text)(&g.Group.Key), (*text)(&g.Group.Title),
			document[map[string]string]{&g.Group.Labels},
			(*integer)(&g.Group.Version), (*instant)(&g.Group.CreatedAt), (*truth)(&g.OwnTokenOnly), (*count)(&g.Jobs), (*count)(&g.Waiting),
		}
	}
	args := slices.Concat([]any{q.After, q.Key, q.Key, q.Namespace, q.Namespace}, places, []any{page(q.Limit)})
	return list(ctx, s.reader, fields, query, args...)
}

// Working implements [catalog.GroupReader].
func (s *Store) Working(ctx context.Context) (map[int64]int, error) {
	working := make(map[int64]int)
	err := each(ctx, s.reader, oneInteger, func(id *int64) { working[*id]++ }, listWorking)
	return working, err
}

// CreateGroup implements [catalog.GroupWriter].
func (s *Store) CreateGroup(ctx context.Context, g job.Group) (job.Group, error) {
	labels, err := labelsText(g.Labels)
	if err != nil {
		return job.Group{}, err
	}
	g.Version = 1
	err = s.writer.update(ctx, func(t *tx) error {
		t.names("group", g.Namespace, g.Key, g.Key)
		var at job.Group
		found, err := t.read(placeOfGroup, []any{g.Key}, []any{&at.Namespace, &at.Key})
		if err == nil && found {
			err = takenGroup(g.Namespace, &at)
		}
		if err == nil {
			g.ID, err = t.newGroup(g.Namespace, g.Key, g.CreatedAt)
		}
		if err == nil {
			err = t.do(describeGroup, g.Title, labels, g.ID)
		}
		return err
	})
	if err != nil {
		return job.Group{}, err
	}
	return g, nil
}

// takenGroup is the error for a key that a group has already. It reveals the group's
// namespace only to callers that named that namespace.
func takenGroup(namespace string, at *job.Group) error {
	if at.Namespace == namespace {
		return job.Errorf(job.Conflict, "group %s exists already in namespace %s", at.Key, at.Namespace)
	}
	taken := job.Errorf(job.Conflict, "the key %s is that of a group of another namespace: executors register by it alone, so no two have the same", at.Key)
	taken.Hint = "choose another key, or ask those who own the group to move it with 'orth group edit " + at.Key + " --move-to " + namespace + "'"
	return taken
}

// DeleteGroup implements [catalog.GroupWriter].
func (s *Store) DeleteGroup(ctx context.Context, namespace, key string, now time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		id, err := t.existingGroup(namespace, key)
		if err != nil {
			return err
		}
		for _, of := range []struct {
			query string
			args  []any
			what  string
		}{
			{anyJobOfGroup, []any{id}, "jobs: move or delete them first"},
			{countAlive, []any{id, now.UnixMilli()}, "executors: stop those that are alive, and remove addresses that were entered by hand"},
			{countGroupTokens, []any{id}, "tokens: remove them first"},
			{anyRunOfGroup, []any{id}, "runs, which are kept for a while: wait until they are removed"},
			{anyOldOfGroup, []any{id}, "jobs that were deleted, whose history refers to it"},
		} {
			var n int64
			if _, err := t.read(of.query, of.args, []any{&n}); err != nil {
				return err
			}
			if n > 0 {
				return job.Errorf(job.Conflict, "group %s still has %s", key, of.what)
			}
		}
		if err := t.do(removeSilent, id); err != nil {
			return err
		}
		if err := t.do(removeGroup, id); err != nil {
			return err
		}
		return t.touchRules() // a pause may name it
	})
}

// existingGroup returns the id of a group of a namespace, which is empty for any.
// Kinds: NotFound.
func (t *tx) existingGroup(namespace, key string) (int64, error) {
	of, err := t.groupRule(key)
	if err == nil && namespace != "" && of.namespace != namespace {
		err = noGroup(key)
	}
	return of.id, err
}
