package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	// By runs_ready, in its order, which holds waiting runs only: the ranks one
	// after another.
	listReady = `SELECT ` + runColumns + ` FROM runs r WHERE r.group_id = ? AND r.priority IN (0, 1, 2) AND r.ready_at > 0
		AND r.ready_at <= ?
		ORDER BY r.priority, r.ready_at LIMIT ? OFFSET ?`
	// By runs_ready.
	countReady = `SELECT COUNT(*) FROM (SELECT 1 FROM runs r WHERE r.group_id = ? AND r.priority IN (0, 1, 2)
		AND r.ready_at > 0 AND r.ready_at <= ? LIMIT ?) w`
	// By runs' primary key.
	hideRun = `UPDATE runs SET ready_at = ? WHERE id = ? AND ready_at = ? AND state = ? AND job_version = ?`
	// By runs' primary key.
	giveRunBack = `UPDATE runs SET reason = ?, ready_at = ?, state = 'queued' WHERE id = ? AND ready_at = ? AND state = ? AND job_version = ?`
)

// The statements that are carried out for many at once.
var (
	hideRuns     = batch{query: hideRun, kinds: "iiiti", key: 1}
	giveRunsBack = batch{query: giveRunBack, kinds: "tiiiti", key: 2}
)

// ClaimRuns takes up to Limit waiting runs of the groups that are ready at or
// before Until, and hides them from other claims until Lease. Each group has the
// same share of Limit, and what one does not need goes to the others; those
// named first get what cannot be shared. Those of a higher priority come first,
// then the earliest. ReadyAt of each is when it is due. Runs that another claim
// takes at the same moment are left out. Nothing is written when nothing is ready.
func (s *Store) ClaimRuns(ctx context.Context, c dispatcher.Claim) (dispatcher.Claimed, error) {
	candidates, more, err := s.candidates(ctx, &c)
	if err != nil || len(candidates) == 0 {
		return dispatcher.Claimed{}, err
	}
	claimed := make([]job.Run, 0, len(candidates))
	rows := make([][]any, len(candidates))
	for i := range candidates {
		r := &candidates[i]
		rows[i] = []any{c.Lease.UnixMilli(), r.ID, r.ReadyAt.UnixMilli(), string(r.State), r.JobVersion}
	}
	err = s.writer.update(ctx, func(t *tx) error {
		claimed = claimed[:0]
		took, err := t.each(&hideRuns, rows)
		if err != nil {
			return err
		}
		for i, r := range candidates {
			if took[i] {
				r.ReadyAt = r.DueAt
				claimed = append(claimed, r)
			}
		}
		return nil
	})
	if err != nil {
		return dispatcher.Claimed{}, err
	}
	return dispatcher.Claimed{Runs: claimed, Lease: time.UnixMilli(c.Lease.UnixMilli()).UTC(), More: more}, nil
}

// RenewClaims extends the end of each claim, in one transaction, and reports for each
// whether it did: the run must wait in the state and with the job's version that it was
// read with, and its claim end at From. A run with a Reason is queued, for that reason.
func (s *Store) RenewClaims(ctx context.Context, renewals []dispatcher.Renewal) ([]bool, error) {
	if len(renewals) == 0 {
		return nil, nil
	}
	var kept, back [][]any
	var keptAt, backAt []int
	for i := range renewals {
		n := &renewals[i]
		row := []any{n.Until.UnixMilli(), n.Run.ID, n.From.UnixMilli(), string(n.Run.State), n.Run.JobVersion}
		if n.Reason == "" {
			kept, keptAt = append(kept, row), append(keptAt, i)
		} else {
			back, backAt = append(back, append([]any{clean(n.Reason)}, row...)), append(backAt, i)
		}
	}
	done := make([]bool, len(renewals))
	err := s.writer.update(ctx, func(t *tx) error {
		renewed, err := t.each(&hideRuns, kept)
		if err != nil {
			return err
		}
		given, err := t.each(&giveRunsBack, back)
		if err != nil {
			return err
		}
		for k, i := range keptAt {
			done[i] = renewed[k]
		}
		for k, i := range backAt {
			if done[i] = given[k]; done[i] {
				t.moved(renewals[i].Run.ID, job.Queued, 0, renewals[i].Reason, "")
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// candidates returns the runs that are ready, read outside of a transaction, and whether
// there may be further ones of some group. The
// ReadyAt of one is the end of the last claim when that server did not send it.
// Groups that have more than their share are asked again, for their share of
// what is left.
func (s *Store) candidates(ctx context.Context, c *dispatcher.Claim) (all []job.Run, more bool, err error) {
	most := c.Limit
	if c.PerGroup > 0 {
		most = min(c.PerGroup, most)
	}
	taken := make(map[int64]int)
	hungry := c.Groups
	for len(hungry) > 0 && len(all) < c.Limit {
		share := max((c.Limit-len(all))/len(hungry), 1)
		var still []int64
		for _, group := range hungry {
			n := min(share, most-taken[group], c.Limit-len(all))
			if n <= 0 {
				more = true
				continue
			}
			runs, err := s.readyRuns(ctx, group, c.Until, n, taken[group])
			if err != nil {
				return nil, false, err
			}
			all = append(all, runs...)
			if len(runs) == n {
				taken[group] += n
				still = append(still, group)
			}
		}
		hungry = still
	}
	more = more || len(hungry) > 0
	slices.SortFunc(all, func(a, b job.Run) int {
		return cmp.Or(cmp.Compare(a.Priority.Rank(), b.Priority.Rank()), a.ReadyAt.Compare(b.ReadyAt), cmp.Compare(a.ID, b.ID))
	})
	return all, more, nil
}

// readyRuns returns up to n waiting runs of the group after the first few.
func (s *Store) readyRuns(ctx context.Context, group int64, until time.Time, n, after int) ([]job.Run, error) {
	return list(ctx, s.reader, runFields, listReady, group, until.UnixMilli(), n, after)
}

// CountReady returns how many runs of a group are ready at now and not claimed; it counts
// up to limit.
func (s *Store) CountReady(ctx context.Context, group int64, now time.Time, limit int) (int, error) {
	number := func(n *int) []any { return []any{(*count)(n)} }
	n, _, err := first(ctx, s.reader, number, countReady, group, now.UnixMilli(), max(limit, 0))
	return n, err
}
