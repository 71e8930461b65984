package deadletters

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

const maxLettersText = 200 // characters

// Config configures a keeper of dead letters. All fields are required.
type Config struct {
	Letters DeadLetters
	Jobs    JobFinder
	IDs     jobrows.IDs
	// Ready announces that a run waits for a dispatcher. It must return at once.
	Ready func(at time.Time)
}

// JobFinder finds jobs.
type JobFinder interface {
	// Seen returns a job, or NotFound, also when it is beyond the sight.
	Seen(ctx context.Context, sight *access.Sight, namespace, key string) (job.Job, error)
}

// Keeper finds dead letters, redrives and closes them. It has no loop of its own.
type Keeper struct{ config Config }

// NewKeeper returns a keeper.
func NewKeeper(c Config) *Keeper { return &Keeper{config: c} }

// DeadLetters keeps dead letters.
type DeadLetters interface {
	LetterReader
	LetterWriter
}

// LetterReader finds dead letters.
type LetterReader interface {
	// DeadLettersOf returns the dead letters of the runs that have one, in no
	// particular order.
	DeadLettersOf(ctx context.Context, runs []int64) ([]job.DeadLetter, error)
	// DeadLetters returns those of the filter, the newest runs first, or the oldest.
	DeadLetters(ctx context.Context, f LetterFilter) ([]job.DeadLetter, error)
	// LetterRanks returns those of the filter in its order.
	LetterRanks(ctx context.Context, f LetterFilter) (RankedLetters, error)
}

// LetterWriter does something about dead letters, each of which succeeds or fails
// by itself.
type LetterWriter interface {
	// RedriveLetters makes runs in one transaction and returns a result for each,
	// in order. NotFound when there is no dead letter or its job is gone, Conflict
	// when it was redriven already.
	RedriveLetters(ctx context.Context, wanted []Redrive) ([]Redriven, error)
	// CloseLetters closes letters in one transaction and returns an error or nil
	// for each, in order. One that is closed already stays as it is. NotFound,
	// Conflict when it was redriven.
	CloseLetters(ctx context.Context, runs []int64, reason string, now time.Time) ([]error, error)
}

// LetterFilter selects dead letters for the store. Zero fields select all, but for
// the Sight: that is no filter, and the zero one finds nothing.
type LetterFilter struct {
	Sight     access.Sight
	JobID     int64
	Namespace string
	Group     string // a group's key
	State     job.State
	Status    job.LetterStatus
	// Since and Until bound the ends of the runs: Since is included, Until is
	// not.
	Since, Until time.Time
	Text         string // part of the message, whatever the case of ASCII letters
	BeforeRun    int64  // runs below this one, for the next page
	AfterRun     int64  // runs above this one, for the next page of the oldest
	Oldest       bool   // the oldest runs first
	// Order and Mark are for LetterRanks: how they are sorted, and where the page before
	// has ended.
	Order jobrows.Order
	Mark  *LetterMark
	Limit int // at most 1,000
}

// Redrive asks for a run in the place of a dead one.
type Redrive struct {
	Dead  int64   // the dead run
	ID    int64   // of the new one, drawn by the caller
	Param *string // nil keeps that of the dead run
	// JobVersion is the version of the job that the parameter was allowed for, 0 for any:
	// the run is made only while the job has it.
	JobVersion int64
	ReadyAt    time.Time // when it may be sent
	Now        time.Time
}

// Redriven is what came of a Redrive: the run, or an error.
type Redriven struct {
	Dead int64
	Run  job.Run
	Err  error
}

// LetterQuery selects dead letters. Zero fields select all of all namespaces, except the
// Sight, which is required: the zero one finds nothing.
type LetterQuery struct {
	Sight access.Sight
	// Namespace may be empty for all. With Job it defaults to the default one.
	Namespace    string
	Job          string // a job's key
	Group        string // a group's key
	State        job.State
	Status       job.LetterStatus
	Since, Until time.Time // of the runs' ends: from Since on, before Until
	Text         string    // part of the message, at most 200 characters
	BeforeRun    int64     // for the next page
	AfterRun     int64     // for the next page of the oldest
	Oldest       bool      // the oldest runs first
	// Order and Mark are for RankLetters: how they are sorted, and where the page before
	// has ended.
	Order jobrows.Order
	Mark  *LetterMark
	// Limit is at most 1,000 for a list, and [MaxLettersFound] for what is done
	// about them. Defaults to 100, and to the most.
	Limit int
}

// DeadLetter returns the dead letter of a run, or NotFound.
func (k *Keeper) DeadLetter(ctx context.Context, run int64) (job.DeadLetter, error) {
	found, err := k.config.Letters.DeadLettersOf(ctx, []int64{run})
	if err == nil && len(found) == 0 {
		err = job.NoDeadLetter(run)
	}
	if err != nil {
		return job.DeadLetter{}, err
	}
	return found[0], nil
}

// DeadLetters returns dead letters, those of the newest runs first, or of the oldest.
// Kinds: Invalid with the field at fault, NotFound when the job does not exist.
func (k *Keeper) DeadLetters(ctx context.Context, q LetterQuery) ([]job.DeadLetter, error) {
	f, err := k.letterFilter(ctx, &q)
	if err != nil {
		return nil, err
	}
	f.Limit = jobrows.Page(q.Limit)
	f.AfterRun, f.Oldest = q.AfterRun, q.Oldest
	return k.config.Letters.DeadLetters(ctx, f)
}

// RankLetters returns dead letters of the query in its order. Of a long history only
// those of the newest runs are sorted. Kinds as for [Keeper.DeadLetters].
func (k *Keeper) RankLetters(ctx context.Context, q LetterQuery) (RankedLetters, error) {
	if by := []string{jobrows.ByEnded, jobrows.ByJob, jobrows.ByTries}; !slices.Contains(by, q.Order.By) {
		return RankedLetters{}, job.FieldErrorf("sort", "%q is no order of dead letters; use one of %v", q.Order.By, by)
	}
	f, err := k.letterFilter(ctx, &q)
	if err != nil {
		return RankedLetters{}, err
	}
	f.BeforeRun, f.Order, f.Mark, f.Limit = 0, q.Order, q.Mark, jobrows.Page(q.Limit)
	found, err := k.config.Letters.LetterRanks(ctx, f)
	if err != nil {
		return RankedLetters{}, fmt.Errorf("sort dead letters: %w", err)
	}
	return found, nil
}

// letterFilter checks a query and finds its job.
func (k *Keeper) letterFilter(ctx context.Context, q *LetterQuery) (LetterFilter, error) {
	f := LetterFilter{
		Sight: q.Sight, Namespace: q.Namespace, Group: q.Group, State: q.State, Status: q.Status, Since: q.Since, Until: q.Until,
		Text: q.Text, BeforeRun: q.BeforeRun,
	}
	switch {
	case f.State != "" && !job.Dies(job.CauseManual, f.State):
		return f, job.FieldErrorf("state", "%q is no state of a dead letter: use failed, timed_out or lost", f.State)
	case f.Status != "" && !f.Status.Known():
		return f, job.FieldErrorf("status", "%q is unknown: use one of %v, or none for all", f.Status, job.LetterStatuses())
	case utf8.RuneCountInString(f.Text) > maxLettersText:
		return f, job.FieldErrorf("text", "has %d characters, at most %d are allowed", utf8.RuneCountInString(f.Text), maxLettersText)
	case !f.Until.IsZero() && !f.Since.Before(f.Until):
		return f, job.FieldErrorf("until", "%s is not after since, %s", f.Until.Format(time.RFC3339), f.Since.Format(time.RFC3339))
	}
	if err := cmp.Or(jobrows.CheckInstant("since", f.Since), jobrows.CheckInstant("until", f.Until)); err != nil {
		return f, err
	}
	if q.Job == "" {
		return f, nil
	}
	j, err := k.config.Jobs.Seen(ctx, &q.Sight, q.Namespace, q.Job)
	f.JobID = j.ID
	return f, err
}
