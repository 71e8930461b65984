package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	// By the primary key of runs, by runs_again, and by the primary keys of attempts and runs.
	groupsFirst = `SELECT r.id, r.group_id FROM runs r WHERE r.id IN (%s) AND r.tries > 0`
	groupsAgain = `SELECT r.attempt_id, r.group_id FROM runs r WHERE ` + ifAgain
	groupsPast  = `SELECT a.id, r.group_id` + fromPast + ` WHERE ` + ifPast
	// By executors' primary key.
	readExecutorInstance = `SELECT instance, others FROM executors WHERE group_id = ? AND address = ?`
	// By executors' primary key: those of one group. A temporary sort, when an executor has
	// ended or restarted.
	listSuccessors = `SELECT e.address, e.instance FROM executors e WHERE e.group_id = ? AND e.address <> ? AND e.lease_until > ?
		AND e.dialect = 'native' AND e.incarnation <> '' ORDER BY (e.instance = ?) DESC, e.incarnation_at DESC LIMIT ?`
	// By runs' primary key.
	moveAttempt = `UPDATE runs SET address = ?, open_on = ? WHERE id = ? AND attempt_id = ? AND open_on = ?`
)

// attemptGroups are the groups of the runs of attempts.
var attemptGroups = lookup{groupsFirst, groupsAgain, groupsPast}

// maxSuccessors bounds the executors of a group that may have what another one had.
const maxSuccessors = 50

// Successors returns the executors that may have open attempts of an address: for each group
// of the attempts other processes of the address that may be alive at now, and those with the
// data folder of an executor that was there lately, or else the 50 of the group that came last. Of
// the latter only executors that speak the native protocol and have a lease at now count.
func (s *Store) Successors(ctx context.Context, address string, attempts []int64, now time.Time) ([]upkeep.Successor, error) {
	byGroup, err := s.byGroup(ctx, attempts)
	if err != nil {
		return nil, err
	}
	var all []upkeep.Successor
	for group, ids := range byGroup {
		at := func(l *leased) []any { return []any{(*text)(&l.Instance), document[[]process]{&l.others}} }
		was, _, err := first(ctx, s.reader, at, readExecutorInstance, group, address)
		if err != nil {
			return nil, err
		}
		for i := range was.others {
			if p := &was.others[i]; p.alive(now) && p.mayHave(was.Instance) {
				all = append(all, upkeep.Successor{
					Address: address, Attempts: ids, Here: true, ListedAt: job.FromMillis(p.ListedAt), Holds: p.Holds, Whole: p.Whole,
				})
			}
		}
		elsewhere, err := s.elsewhere(ctx, group, address, was.folders(now), now)
		if err != nil {
			return nil, err
		}
		for _, e := range elsewhere {
			e.Attempts = ids
			all = append(all, e)
		}
	}
	return all, nil
}

// elsewhere returns the living executors at other addresses that have one of the data folders,
// or else those that came last.
func (s *Store) elsewhere(ctx context.Context, group int64, address string, folders []string, now time.Time) ([]upkeep.Successor, error) {
	type row struct{ address, instance string }
	fields := func(r *row) []any { return []any{(*text)(&r.address), (*text)(&r.instance)} }
	var same, last []upkeep.Successor
	for i, folder := range folders {
		rows, err := list(ctx, s.reader, fields, listSuccessors, group, address, now.UnixMilli(), folder, maxSuccessors)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if folder != "" && r.instance == folder {
				same = append(same, upkeep.Successor{Address: r.address, Same: true})
			} else if i == 0 {
				last = append(last, upkeep.Successor{Address: r.address})
			}
		}
	}
	if len(same) > 0 {
		return same, nil
	}
	return last, nil
}

// byGroup returns the ids of the attempts by the group of their runs.
func (s *Store) byGroup(ctx context.Context, attempts []int64) (map[int64][]int64, error) {
	type row struct{ attempt, group int64 }
	fields := func(r *row) []any { return []any{(*integer)(&r.attempt), (*integer)(&r.group)} }
	rows, err := ofAttempts(ctx, s.reader, &attemptGroups, fields, func(r *row) int64 { return r.attempt }, attempts, maxIDs)
	byGroup := make(map[int64][]int64)
	for _, r := range rows {
		byGroup[r.group] = append(byGroup[r.group], r.attempt)
	}
	return byGroup, err
}

// MoveAttempts writes that open attempts of one address are at another one. An attempt that
// has ended, or is elsewhere, is left alone.
func (s *Store) MoveAttempts(ctx context.Context, attempts []job.Attempt, to string) error {
	return s.writer.update(ctx, func(t *tx) error {
		for i := range attempts {
			if err := t.do(moveAttempt, to, to, attempts[i].RunID, attempts[i].ID, attempts[i].Address); err != nil {
				return err
			}
		}
		return nil
	})
}
