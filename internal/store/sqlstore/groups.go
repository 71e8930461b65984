package sqlstore

import (
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By executor_groups' unique (namespace, group_key).
	findGroup = `SELECT id FROM executor_groups WHERE namespace = ? AND group_key = ?`
	// By a scan of at most Limits.Groups index entries, for new groups only.
	countGroups = `SELECT COUNT(*) FROM executor_groups`
	insertGroup = `INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (?, ?, ?, '', ?)`
)

// group returns the id of a group, which it makes when it does not exist.
func (t *tx) group(key string, now time.Time) (int64, error) {
	var id int64
	found, err := t.read(findGroup, []any{job.DefaultNamespace, key}, []any{&id})
	if err != nil || found {
		return id, err
	}
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
	if _, err = t.exec(insertGroup, id, job.DefaultNamespace, key, job.Millis(now)); err != nil {
		return 0, err
	}
	return id, t.touchRules() // a pause may name it
}
