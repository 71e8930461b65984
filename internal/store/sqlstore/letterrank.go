package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

const (
	rankedColumns = `d.run_id, d.namespace, d.ended_at, r.tries, r.created_at, j.job_key`

	// The next three by the indexes of the pages of letters that are not sorted, and
	// sorted afterwards: at most catalog.MaxRankedLetters.
	rankLetters    = `SELECT ` + rankedColumns + allLetters + newestLetters
	rankLettersOf  = `SELECT ` + rankedColumns + lettersOf + newestLetters
	rankJobLetters = `SELECT ` + rankedColumns + jobLetters + newestLetters
)

// rankedLetter is a dead letter that is sorted.
type rankedLetter struct {
	run            int64
	namespace, job string
	ended, made    time.Time
	tries          int
	mark           deadletters.LetterMark
}

// LetterRanks implements [catalog.LetterReader]. All pages of a list lie between the same
// ids, so that none is listed twice.
func (s *Store) LetterRanks(ctx context.Context, f deadletters.LetterFilter) (deadletters.RankedLetters, error) {
	var found deadletters.RankedLetters
	f.AfterRun, f.BeforeRun = 0, 0
	if f.Mark != nil {
		f.AfterRun, f.BeforeRun = f.Mark.Floor-1, f.Mark.Top
	}
	all, cut, err := s.newestRanked(ctx, &f)
	if err != nil || len(all) == 0 {
		return found, err
	}
	top, floor := all[0].run+1, int64(0)
	if cut {
		floor = all[len(all)-1].run
	}
	if f.Mark != nil {
		top, floor = f.Mark.Top, f.Mark.Floor
	}
	if floor > 0 {
		found.Since = all[len(all)-1].made
	}
	for i := range all {
		all[i].mark = markOf(f.Order.By, &all[i], top, floor)
	}
	slices.SortFunc(all, func(a, b rankedLetter) int { return compareLetters(f.Order, &a.mark, &b.mark) })
	if f.Mark != nil {
		all = slices.DeleteFunc(all, func(l rankedLetter) bool { return compareLetters(f.Order, &l.mark, f.Mark) <= 0 })
	}
	limit := page(f.Limit)
	found.More = len(all) > limit
	err = s.fillLetters(ctx, &found, all[:min(limit, len(all))])
	return found, err
}

// newestRanked returns the newest [catalog.MaxRankedLetters] of a filter, and whether
// there are others.
func (s *Store) newestRanked(ctx context.Context, f *deadletters.LetterFilter) (all []rankedLetter, cut bool, err error) {
	query, args := lettersBy(f, rankLetters, rankLettersOf, rankJobLetters)
	sight := narrowed(f.Sight, f.Namespace, f.Group)
	statement, places, ok, err := within(query, &sight, "d.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, false, err
	}
	fields := func(l *rankedLetter) []any {
		return []any{(*integer)(&l.run), (*text)(&l.namespace), (*instant)(&l.ended), (*count)(&l.tries), (*instant)(&l.made), (*text)(&l.job)}
	}
	all, err = list(ctx, s.reader, fields, statement, slices.Concat(args, places, []any{deadletters.MaxRankedLetters + 1})...)
	if len(all) > deadletters.MaxRankedLetters {
		return all[:deadletters.MaxRankedLetters], true, err
	}
	return all, false, err
}

// markOf returns where a letter stands.
func markOf(by string, l *rankedLetter, top, floor int64) deadletters.LetterMark {
	m := deadletters.LetterMark{ID: l.run, Top: top, Floor: floor}
	switch by {
	case jobrows.ByJob:
		m.Text = l.job + " " + l.namespace // no key has a space
	case jobrows.ByTries:
		m.Value = int64(l.tries)
	default:
		m.Value = job.Millis(l.ended)
	}
	return m
}

// compareLetters compares two letters; of equal ones, the one of the newer run comes first.
func compareLetters(o jobrows.Order, a, b *deadletters.LetterMark) int {
	order := cmp.Or(cmp.Compare(a.Value, b.Value), strings.Compare(a.Text, b.Text))
	if o.Down {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(b.ID, a.ID))
}

// fillLetters reads the letters of a page; letters removed since are left out.
func (s *Store) fillLetters(ctx context.Context, found *deadletters.RankedLetters, page []rankedLetter) error {
	ids := make([]int64, len(page))
	for i := range page {
		ids[i] = page[i].run
	}
	letters, err := s.DeadLettersOf(ctx, ids)
	if err != nil {
		return err
	}
	byRun := make(map[int64]*job.DeadLetter, len(letters))
	for i := range letters {
		byRun[letters[i].RunID] = &letters[i]
	}
	for i := range page {
		if d := byRun[page[i].run]; d != nil {
			found.Letters, found.Marks = append(found.Letters, *d), append(found.Marks, page[i].mark)
		}
	}
	return nil
}
