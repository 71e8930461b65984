package deadletters

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Limits of what is done about many dead letters at once.
const (
	// MaxLettersNamed bounds the runs that one request names.
	MaxLettersNamed = 1000
	// MaxLettersFound bounds those that a query finds for one request.
	MaxLettersFound = 10_000
	// DefaultSpacing is the time between the runs of one request: a thousand of
	// them start within ten seconds, and not at once.
	DefaultSpacing = 10 * time.Millisecond

	lettersAtOnce = 100 // in a transaction
)

// Letters selects those that something is done about: Runs, at most
// [MaxLettersNamed], or the open ones that Of finds, the newest up to its limit.
type Letters struct {
	Runs []int64
	Of   *LetterQuery
	// Sight is where they may be; those of Runs beyond it do not exist for who asks.
	Sight access.Sight
}

// Redriving bounds a redrive of dead letters.
type Redriving struct {
	// Param is for all of the runs; nil keeps that of each.
	Param *string
	// Spacing is the time from one run to the next. Nil is [DefaultSpacing]. The
	// last run is ready within 30 days.
	Spacing *time.Duration
	DryRun  bool // find out what would be done, and do nothing
	// May reports why the caller may not have the run again, and the version of its job
	// that this holds for; nil lets all.
	May func(d *job.DeadLetter) (version int64, err error)
}

// Settled is what was done about a dead letter, or why nothing was.
type Settled struct {
	// Letter is as it was before, without its texts when a query found it; only
	// RunID is set when there is none.
	Letter job.DeadLetter
	// Run is the one in its place, zero when there is none, and ReadyAt when it
	// may be sent.
	Run     int64
	ReadyAt time.Time
	Err     error
}

// Redrive makes a run in the place of a dead one, at once: of the same job as it
// is now, for the same slot, with the same parameter unless param is another. The run is made only while the job has
// version, the one that the parameter was allowed for; zero is any.
// Kinds: NotFound when the run is no dead letter or its job is gone, Conflict
// when it was redriven already, Invalid.
func (k *Keeper) Redrive(ctx context.Context, run int64, param *string, version int64) (job.Run, error) {
	if param != nil {
		if err := jobrows.CheckAnyParam(*param); err != nil {
			return job.Run{}, err
		}
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	results, err := k.redrive(ctx, []Redrive{{Dead: run, Param: param, JobVersion: version, ReadyAt: now, Now: now}})
	if err == nil {
		err = results[0].Err
	}
	if err != nil {
		return job.Run{}, err
	}
	return results[0].Run, nil
}

// redrive draws ids for a transaction's worth of runs and makes them.
func (k *Keeper) redrive(ctx context.Context, wanted []Redrive) (results []Redriven, err error) {
	for i := range wanted {
		if wanted[i].ID, err = k.config.IDs.NextRunID(ctx); err != nil {
			return nil, fmt.Errorf("draw a run id: %w", err)
		}
	}
	if results, err = k.config.Letters.RedriveLetters(ctx, wanted); err != nil {
		return nil, fmt.Errorf("redrive %s: %w", plural.Count(len(wanted), "dead letter"), err)
	}
	if i := slices.IndexFunc(results, func(r Redriven) bool { return r.Err == nil }); i >= 0 {
		k.config.Ready(results[i].Run.ReadyAt)
	}
	return results, nil
}

// RedriveAll creates runs in the place of many dead ones, the oldest first, a hundred in a
// transaction. There is a result for each, and more reports that the query finds others
// beyond its limit. An error means that nothing was done; an error on the way is the result
// of all that were left. Invalid with the field at fault.
func (k *Keeper) RedriveAll(ctx context.Context, l Letters, how Redriving) (all []Settled, more bool, err error) {
	spacing := DefaultSpacing
	if how.Spacing != nil {
		spacing = *how.Spacing
	}
	if how.Param != nil {
		if err := jobrows.CheckAnyParam(*how.Param); err != nil {
			return nil, false, err
		}
	}
	if all, more, err = k.letters(ctx, l); err != nil {
		return nil, false, err
	}
	if last := max(len(all)-1, 1); spacing < 0 || spacing > jobrows.MaxDelay/time.Duration(last) || spacing%time.Millisecond != 0 {
		return nil, false, job.FieldErrorf("spacing", "%s is not between 0 and %s in whole milliseconds: %d runs are to be ready within %s",
			spacing, (jobrows.MaxDelay / time.Duration(last)).Truncate(time.Millisecond), len(all), jobrows.MaxDelay)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	ready := now
	versions := make(map[int64]int64, len(all))
	settle := func(part []*Settled) error {
		wanted := make([]Redrive, len(part))
		for i, s := range part {
			s.ReadyAt = ready
			wanted[i] = Redrive{Dead: s.Letter.RunID, Param: how.Param, JobVersion: versions[s.Letter.RunID], ReadyAt: ready, Now: now}
			ready = ready.Add(spacing)
		}
		if how.DryRun {
			return nil
		}
		results, err := k.redrive(ctx, wanted)
		for i := range results {
			if part[i].Run, part[i].Err = results[i].Run.ID, results[i].Err; part[i].Err != nil {
				part[i].ReadyAt = time.Time{}
			}
		}
		return err
	}
	may := func(d *job.DeadLetter) error {
		err := d.CheckRedrive()
		if err == nil && how.May != nil {
			versions[d.RunID], err = how.May(d)
		}
		return err
	}
	return all, more, inParts(all, may, settle)
}

// CloseLetter closes a dead letter, with a reason for people, and returns it as it
// stands then. One that is closed stays as it is. Kinds: NotFound, Conflict when
// it was redriven.
func (k *Keeper) CloseLetter(ctx context.Context, run int64, reason string) (job.DeadLetter, error) {
	refused, err := k.config.Letters.CloseLetters(ctx, []int64{run}, closing(reason), time.Now())
	if err == nil {
		err = refused[0]
	}
	if err != nil {
		return job.DeadLetter{}, err
	}
	return k.DeadLetter(ctx, run)
}

// CloseAll closes many dead letters; see RedriveAll.
func (k *Keeper) CloseAll(ctx context.Context, l Letters, reason string, dry bool) (all []Settled, more bool, err error) {
	if all, more, err = k.letters(ctx, l); err != nil {
		return nil, false, err
	}
	settle := func(part []*Settled) error {
		if dry {
			return nil
		}
		runs := make([]int64, len(part))
		for i, s := range part {
			runs[i] = s.Letter.RunID
		}
		refused, err := k.config.Letters.CloseLetters(ctx, runs, closing(reason), time.Now())
		for i := range refused {
			part[i].Err = refused[i]
		}
		if err != nil {
			return fmt.Errorf("close %s: %w", plural.Count(len(runs), "dead letter"), err)
		}
		return nil
	}
	return all, more, inParts(all, (*job.DeadLetter).CheckClose, settle)
}

func closing(reason string) string {
	if reason == "" {
		reason = "closed by a user"
	}
	return job.Clean(reason, job.MaxMessage)
}

// inParts settles the letters that may be, a transaction's worth after the other.
// An error of a part is the result of its letters and of those behind it; that of
// the first part is returned.
func inParts(all []Settled, may func(*job.DeadLetter) error, settle func(part []*Settled) error) error {
	var open []*Settled
	for i := range all {
		s := &all[i]
		if s.Err == nil {
			s.Err = may(&s.Letter)
		}
		if s.Err == nil {
			open = append(open, s)
		}
	}
	for begin := 0; begin < len(open); begin += lettersAtOnce {
		err := settle(open[begin:min(begin+lettersAtOnce, len(open))])
		if err != nil && begin == 0 {
			return err
		}
		if err != nil {
			for _, s := range open[begin:] {
				s.ReadyAt, s.Err = time.Time{}, err
			}
			return nil
		}
	}
	return nil
}

// letters finds what is selected, the oldest runs first.
func (k *Keeper) letters(ctx context.Context, l Letters) (all []Settled, more bool, err error) {
	switch {
	case (len(l.Runs) > 0) == (l.Of != nil):
		return nil, false, job.Errorf(job.Invalid, "dead letters are named by runs or found by a filter: give one of them")
	case len(l.Runs) > MaxLettersNamed:
		return nil, false, job.FieldErrorf("runs", "are %d, at most %d are allowed at once", len(l.Runs), MaxLettersNamed)
	case l.Of != nil:
		q := *l.Of
		q.Sight = l.Sight
		return k.found(ctx, q)
	}
	runs := slices.Compact(slices.Sorted(slices.Values(l.Runs)))
	known, err := k.config.Letters.DeadLettersOf(ctx, runs)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", plural.Count(len(runs), "dead letter"), err)
	}
	letters := make(map[int64]job.DeadLetter, len(known))
	for _, d := range known {
		if l.Sight.Sees(access.Object{Namespace: d.Namespace, Group: d.Group}) {
			letters[d.RunID] = d
		}
	}
	all = make([]Settled, len(runs))
	for i, run := range runs {
		d, ok := letters[run]
		all[i] = Settled{Letter: d}
		if !ok {
			all[i] = Settled{Letter: job.DeadLetter{RunID: run}, Err: job.NoDeadLetter(run)}
		}
	}
	return all, false, nil
}

// found reads the open letters of a query, page by page, and reports whether
// there are more than its limit.
func (k *Keeper) found(ctx context.Context, q LetterQuery) (all []Settled, more bool, err error) {
	if q.Limit < 0 || q.Limit > MaxLettersFound {
		return nil, false, job.FieldErrorf("limit", "%d is not between 0 and %d", q.Limit, MaxLettersFound)
	}
	if q.Limit == 0 {
		q.Limit = MaxLettersFound
	}
	if q.Status != "" && q.Status != job.LetterOpen {
		return nil, false, job.FieldErrorf("status", "is %q: only open dead letters are found for this; name the others by their runs", q.Status)
	}
	f, err := k.letterFilter(ctx, &q)
	if err != nil {
		return nil, false, err
	}
	f.Status = job.LetterOpen
	for len(all) <= q.Limit {
		f.Limit = jobrows.Page(q.Limit + 1 - len(all))
		next, err := k.config.Letters.DeadLetters(ctx, f)
		if err != nil {
			return nil, false, fmt.Errorf("read dead letters: %w", err)
		}
		for _, d := range next {
			d.Message, d.Reason = "", "" // ten thousand of them are not small
			all, f.BeforeRun = append(all, Settled{Letter: d}), d.RunID
		}
		if len(next) < f.Limit {
			break
		}
	}
	if more = len(all) > q.Limit; more {
		all = all[:q.Limit]
	}
	slices.Reverse(all)
	return all, more, nil
}
