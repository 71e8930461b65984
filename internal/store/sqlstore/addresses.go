package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By executors' primary key.
	enterAddress = `UPDATE executors SET manual = 1 WHERE group_id = ? AND address = ?`
	// By executor_groups_key and executors' primary key.
	deleteAddress = `DELETE FROM executors WHERE address = ? AND manual = 1 AND group_id =
		(SELECT id FROM executor_groups WHERE group_key = ?)`
	// By executors' primary key.
	renewManual = `UPDATE executors SET lease_until = ?, seen_at = ? WHERE group_id = ? AND address = ?
		AND manual = 1 AND lease_until < ?`
	// By executor_groups' primary key.
	updateRewrites = `UPDATE executor_groups SET rewrites = ? WHERE id = ?`
	// By executor_groups_rewrites, which holds the groups with rules only.
	listRewrites = `SELECT group_key, rewrites FROM executor_groups WHERE rewrites <> '[]'`
)

// AddAddress stores an address that a user enters, and returns the namespace of its group.
// The address has no lease until [Store.RenewManual] renews it. An address that registers
// by itself already is also marked as entered. Kinds: Full when there are too many groups
// or executors.
func (s *Store) AddAddress(ctx context.Context, group, address string, now time.Time) (namespace string, err error) {
	err = s.writer.update(ctx, func(t *tx) error {
		id, at, err := t.groupAt(group, now)
		if err != nil {
			return err
		}
		namespace = at
		known, err := t.one(enterAddress, id, address)
		if err != nil || known {
			return err
		}
		e := job.Executor{GroupID: id, Group: group, Address: address, Manual: true, RegisteredAt: now, SeenAt: now}
		texts, err := textsOf(&e)
		if err != nil {
			return err
		}
		return t.addLease(&e, texts)
	})
	return namespace, err
}

// RemoveAddress removes an address that was entered by hand. Kinds: NotFound.
func (s *Store) RemoveAddress(ctx context.Context, group, address string) error {
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.one(deleteAddress, address, group)
		if err != nil || found {
			return err
		}
		missing := job.Errorf(job.NotFound, "no user entered the address %s in group %s", address, group)
		missing.Hint = "'orth executors' shows which addresses were entered by hand; the others go by themselves"
		return missing
	})
}

// RenewManual extends the leases of addresses that users entered. Removed addresses, and
// leases that end later, are unchanged.
func (s *Store) RenewManual(ctx context.Context, executors []job.Executor, until, now time.Time) error {
	if len(executors) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		for i := range executors {
			e := &executors[i]
			err := t.do(renewManual, until.UnixMilli(), now.UnixMilli(), e.GroupID, e.Address, until.UnixMilli())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveRewrites sets the rules of a group's addresses, which is made when it does
// not exist. Kinds: Full when there are too many groups.
func (s *Store) SaveRewrites(ctx context.Context, group string, rules []job.Rewrite, now time.Time) error {
	raw := "[]"
	if len(rules) > 0 {
		var err error
		if raw, err = encode(rules); err != nil {
			return err
		}
	}
	return s.writer.update(ctx, func(t *tx) error {
		id, err := t.group(group, now)
		if err != nil {
			return err
		}
		return t.do(updateRewrites, raw, id)
	})
}

// Rewrites returns the rules of all groups that have some.
func (s *Store) Rewrites(ctx context.Context) (map[string][]job.Rewrite, error) {
	type row struct {
		group string
		rules []job.Rewrite
	}
	fields := func(r *row) []any { return []any{(*text)(&r.group), document[[]job.Rewrite]{&r.rules}} }
	rows, err := list(ctx, s.reader, fields, listRewrites)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]job.Rewrite, len(rows))
	for _, r := range rows {
		all[r.group] = r.rules
	}
	return all, nil
}
