package sqlstore

import (
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By executor_groups_key.
	findGroup = `SELECT id FROM executor_groups WHERE group_key = ?`
	// By executor_groups_key.
	findGroupAt = `SELECT id, namespace FROM executor_groups WHERE group_key = ?`
	// By executor_groups_key.
	placeOfGroup = `SELECT namespace, group_key FROM executor_groups WHERE group_key = ?`
	// By a scan of at most Limits.Groups index entries, for new groups only.
	countGroups = `SELECT COUNT(*) FROM executor_groups`
	insertGroup = `INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (?, ?, ?, '', ?)`
)

// group returns the id of a group, which it makes in the default namespace when there
// is none in any.
func (t *tx) group(key string, now time.Time) (int64, error) {
	id, _, err := t.groupAt(key, now)
	return id, err
}

// groupAt is like group, and also returns the namespace of the group.
func (t *tx) groupAt(key string, now time.Time) (id int64, namespace string, err error) {
	found, err := t.read(findGroupAt, []any{key}, []any{&id, &namespace})
	if err != nil || found {
		return id, namespace, err
	}
	id, err = t.newGroup(job.DefaultNamespace, key, now)
	return id, job.DefaultNamespace, err
}

// newGroup makes a group whose key is free, and returns its id.
func (t *tx) newGroup(namespace, key string, now time.Time) (id int64, err error) {
	var n int64
	if _, err := t.read(countGroups, nil, []any{&n}); err != nil {
		return 0, err
	}
	if n >= int64(t.limits.Groups) {
		return 0, job.Errorf(job.Full, "group %s cannot be made: there are %d groups already", key, n)
	}
	if id, err = t.reserve(sequenceGroups, 1); err != nil {
		return 0, err
	}
	if err = t.do(insertGroup, id, namespace, key, job.Millis(now)); err != nil {
		return 0, err
	}
	return id, t.touchRules() // a pause may name it
}
